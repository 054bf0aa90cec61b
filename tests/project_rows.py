"""All that stands in a project but when it came there: two that are equal were imported alike, down to the numbers of rows."""

from __future__ import annotations

from tunebench.store.project import Project

OF_TIME = {"artefact": ("imported_at",), "bundle": ("recorded_at",)}
NOT_COMPARED = {"audit", "property", "bundle"}  # stamps of the import, and the chain over them


def rows(project: Project) -> dict[str, list[tuple[object, ...]]]:
    with project.reading() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for name in names:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            kept = [column for column in columns if column not in OF_TIME.get(name, ())]
            found[name] = connection.execute(f"SELECT {', '.join(kept)} FROM {name}").fetchall()
    return {name: found[name] for name in names if name not in NOT_COMPARED}
