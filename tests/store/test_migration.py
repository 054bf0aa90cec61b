"""Older files are copied, then brought up to date step by step; fresh and migrated schema are equal."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.domain.engagement import Statement
from app.store import engagements, migration, opening
from app.store.audit import trail as audit
from app.store.check import check_project
from app.store.databases.records import list_records, read_record
from app.store.format import CURRENT, Version, schema_sql, split_statements
from app.store.migrations import STEPS, Step
from app.store.opening import open_project
from app.store.project import Project
from tests.store import cases

NEXT = Version(CURRENT.major, CURRENT.minor + 1)
AFTER_NEXT = Version(CURRENT.major + 1, 0)


def add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE note ADD COLUMN colour TEXT NOT NULL DEFAULT ''")


def add_targets(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE target (id INTEGER PRIMARY KEY, metric TEXT NOT NULL)")
    connection.execute("INSERT INTO target (metric) SELECT title FROM engagement")


def break_references(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO event (artefact_id, kind, start_ns, text) VALUES (99, 'gap', 0, '')")


COLOUR = Step(CURRENT, NEXT, add_colour)
TARGETS = Step(NEXT, AFTER_NEXT, add_targets)


def fail(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE note")
    raise ZeroDivisionError


def schema_of(path: Path) -> dict[str, str]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return dict(rows)


def version_of(path: Path) -> Version:
    connection = sqlite3.connect(path)
    version = migration.read_version(connection)
    connection.close()
    return version


def plant(monkeypatch: pytest.MonkeyPatch, steps: Sequence[Step], current: Version) -> None:
    """Makes the program one of a later version."""
    monkeypatch.setattr(opening, "CURRENT", current)
    monkeypatch.setattr(opening, "needs_migration", lambda version: version < current)
    monkeypatch.setattr(opening, "check_version", lambda path, version: migration.check_version(path, version, current))
    monkeypatch.setattr(
        opening,
        "migrate",
        lambda connection, path, **options: migration.migrate(connection, path, steps, current, **options),
    )


def test_the_steps_lead_from_the_first_version_to_this_one() -> None:
    version = Version(1, 0)
    for step in STEPS:
        assert step.start == version
        assert step.end > version
        version = step.end
    assert version == CURRENT


def test_a_fresh_schema_equals_a_migrated_one(project: Project, tmp_path: Path) -> None:
    """The first version's schema, kept here as it shipped, with every step taken."""
    first = tmp_path / "first.db"
    connection = sqlite3.connect(first, isolation_level=None)
    shipped = Path(__file__).parent / "schema_1_0.sql"
    connection.executescript(shipped.read_text(encoding="utf-8"))
    connection.execute(f"PRAGMA user_version = {Version(1, 0).pack()}")
    if STEPS:
        migration.migrate(connection, first)
    connection.close()
    project.close()
    assert schema_of(first) == schema_of(project.path)


def test_planted_steps_are_taken_and_a_copy_is_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    note = engagements.add_note(project, "run", 1, None, "svc_t 137.8 ms", "lee")
    project.close()
    plant(monkeypatch, (COLOUR, TARGETS), AFTER_NEXT)
    again = open_project(project.path)
    assert engagements.list_notes(again) == [note]
    with again.reading() as connection:
        assert connection.execute("SELECT colour FROM note").fetchall() == [("",)]
        assert connection.execute("SELECT metric FROM target").fetchall() == [(cases.ENGAGEMENT.title,)]
    last = audit.list_audit(again)[-1]
    assert (last.action, last.facts) == ("project_migrated", {"before": str(CURRENT), "after": str(AFTER_NEXT)})
    again.close()
    copy = project.path.with_name(f"case.tune.v{CURRENT}.bak")
    assert (version_of(project.path), version_of(copy)) == (AFTER_NEXT, CURRENT)
    assert "target" not in schema_of(copy)
    assert cases.files_in(project.path.parent) == ["case.tune", copy.name]
    open_project(project.path).close()


def test_the_copy_opens_with_the_older_program(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.close()
    with monkeypatch.context() as later:
        plant(later, (COLOUR, TARGETS), AFTER_NEXT)
        open_project(project.path).close()
    with pytest.raises(UserError, match="project_newer"):
        open_project(project.path)
    copy = project.path.with_name(f"case.tune.v{CURRENT}.bak")
    older = open_project(copy.rename(copy.with_name("older.tune")))
    assert engagements.read_engagement(older) == cases.ENGAGEMENT
    older.close()


@pytest.mark.parametrize("bad", [Step(NEXT, AFTER_NEXT, break_references), replace(TARGETS, apply=fail)])
def test_a_step_that_fails_leaves_the_version_before_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, bad: Step
) -> None:
    project.close()
    plant(monkeypatch, (COLOUR, bad), AFTER_NEXT)
    with pytest.raises((sqlite3.IntegrityError, ZeroDivisionError)):
        open_project(project.path)
    assert version_of(project.path) == NEXT
    assert "colour" in schema_of(project.path)["note"]
    assert not project.path.with_name("case.tune.lock").exists()
    plant(monkeypatch, (COLOUR, TARGETS), AFTER_NEXT)
    open_project(project.path).close()
    assert version_of(project.path) == AFTER_NEXT


def test_an_older_project_that_cannot_be_written_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, (COLOUR,), NEXT)
    with pytest.raises(UserError, match="project_older"):
        open_project(project.path, read_only=True)  # another writes it
    project.close()
    assert version_of(project.path) == CURRENT


def test_an_older_project_is_brought_up_to_date_for_who_only_reads(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.close()
    plant(monkeypatch, (COLOUR,), NEXT)
    with open_project(project.path, read_only=True) as found:
        assert found.read_only
    assert version_of(project.path) == NEXT
    assert not project.path.with_name("case.tune.lock").exists()


def test_a_version_no_step_starts_from_is_a_bug(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.close()
    plant(monkeypatch, (TARGETS,), AFTER_NEXT)
    with pytest.raises(LookupError, match="no migration step"):
        open_project(project.path)
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_the_schema_is_split_into_whole_statements() -> None:
    statements = split_statements(schema_sql())
    assert len([text for text in statements if "CREATE TABLE" in text]) == schema_sql().count("CREATE TABLE")
    assert all(sqlite3.complete_statement(text) for text in statements)
    assert "".join(statements).strip() == schema_sql().strip()


def test_statements_of_1_3_become_records_and_those_entered_by_hand_stay(tmp_path: Path) -> None:
    path = tmp_path / "v1.3.tune"
    path.write_bytes(gzip.decompress((Path(__file__).parent / "golden" / "v1.3.tune.gz").read_bytes()))
    connection = sqlite3.connect(path)
    connection.executemany(
        "INSERT INTO statement (run_id, artefact_id, engine, statement_id, text, module, plan, executions, elapsed_s,"
        " cpu_s, block_gets, block_reads, rows) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (None, "oracle", "hand", "SELECT '손'", "m", "p", 3, 0.1, None, 37_539_159, None, 0),
            (1, "oracle", "b", "SELECT b", "mod", "77", 5, None, 1.5, 2**52 + 1, 4, None),
            (2, "postgresql", "b", "select 1", "", "", None, 0.25, None, None, None, 7),
            (1, "postgresql", "c", "", "", "", 1, None, None, None, None, None),
        ],
    )
    connection.commit()
    connection.close()
    with open_project(path) as project:
        assert engagements.read_statements_by_hand(project) == [
            Statement(1, "oracle", "hand", "SELECT '손'", "m", "p", 3, 0.1, None, 37_539_159, None, 0)
        ]
        found = {
            (stored.artefact_id, str(stored.head.identity.engine)): read_record(project, stored.id)
            for stored in list_records(project)
        }
        assert list(found) == [(1, "oracle"), (1, "postgresql")]  # the second capture was kept unread
        table, texts = found[1, "oracle"].table("statement"), found[1, "oracle"].table("statement_text")
        assert table.keys() == [("0gx3w", "", "", "", ""), ("b", "77", "", "", "mod")]
        for name, values in {"executions": [None, 5], "block_gets": [None, 2**52 + 1], "rows": [None, None]}.items():
            assert [None if value != value else value for value in table.figure(name).tolist()] == values
        assert dict(zip(texts.text("statement_id"), texts.text("text"), strict=True)) == {
            "0gx3w": "SELECT 1 FROM dual",
            "b": "SELECT b",
        }
        assert {result.state for result in check_project(project)} == {"ok"}
