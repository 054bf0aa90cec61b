"""The import that is under way: what stands here when a project is opened was cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tunebench.store.project import Project

UNDER_WAY = "import_under_way"
"""Name of the property. It tells paths of this machine, so that it goes into no copy without names."""


def read_under_way(project: Project) -> str:
    """Empty where none is."""
    row = project.row("SELECT value FROM property WHERE name = ?", (UNDER_WAY,))
    return str(row[0]) if row else ""


def write_under_way(project: Project, words: str) -> None:
    """Empty words: it has come to its end."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM property WHERE name = ?", (UNDER_WAY,))
        if words:
            connection.execute("INSERT INTO property (name, value) VALUES (?, ?)", (UNDER_WAY, words))
