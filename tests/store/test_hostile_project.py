"""A project file that was made to harm whoever opens it, and who may open one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.store.cases import refusal
from tunebench.domain.engagement import Phase
from tunebench.store import runs
from tunebench.store.format import CURRENT, Version
from tunebench.store.opening import backup_project, open_project
from tunebench.store.project import Project


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("made", "detail"),
    [
        (
            "DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r",
            "view note",
        ),
        ("CREATE TRIGGER more AFTER INSERT ON note BEGIN DELETE FROM run; END", "trigger more"),
        (
            "DROP TRIGGER audit_is_not_removed; CREATE TRIGGER audit_is_not_removed DELETE ON audit BEGIN SELECT 1; END",
            "trigger audit_is_not_removed",
        ),
        ("CREATE VIRTUAL TABLE words USING fts5(text)", "table words"),
        ("ALTER TABLE note ADD COLUMN much AS (hex(zeroblob(100000000)))", "computed column note.much"),
        ("CREATE INDEX slow ON note (upper(text))", "computed index slow"),
        ("DROP TABLE note", "note.author, note.id"),
        ("ALTER TABLE note RENAME COLUMN text TO words", "note.text"),
    ],
)
def test_a_file_of_anything_but_known_tables_is_not_opened(
    project: Project, made: str, detail: str, read_only: bool
) -> None:
    project.close()
    connection = sqlite3.connect(project.path)
    connection.executescript(made)
    connection.close()
    refused = refusal("project_damaged", project.path, read_only)
    assert detail in str(refused.facts["detail"])
    assert not project.path.with_name(f"{project.path.name}.lock").exists()


def test_a_newer_minor_may_bring_tables_columns_and_indexes(project: Project) -> None:
    project.close()
    connection = sqlite3.connect(project.path)
    connection.executescript(
        "CREATE TABLE later (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX later_by_text ON later (text);"
        " ALTER TABLE note ADD COLUMN colour TEXT"
    )
    connection.execute(f"PRAGMA user_version = {Version(CURRENT.major, CURRENT.minor + 1).pack()}")
    connection.close()
    open_project(project.path).close()


def test_connections_trust_no_schema_and_take_no_giant_rows(project: Project) -> None:
    with project.reading() as connection:
        assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
    refusal("project_damaged", "SELECT zeroblob(300000000)", call=project.rows)


def test_a_project_is_for_nobody_else_to_read(project: Project, tmp_path: Path) -> None:
    runs.ensure_run(project, "before", Phase.BEFORE)
    files = [project.path, project.path.with_name(f"{project.path.name}-wal"), tmp_path / "copy.tune"]
    backup_project(project, files[-1])
    assert [path.stat().st_mode & 0o777 for path in files] == [0o600] * 3
