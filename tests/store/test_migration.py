"""Older files are copied, then brought up to date step by step; fresh and migrated schema are equal."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store import cases, golden
from tunebench.core.errors import UserError
from tunebench.store import engagements, migration, opening
from tunebench.store.audit import trail as audit
from tunebench.store.format import CURRENT, OLDEST, Version, schema_sql, split_statements
from tunebench.store.migrations import STEPS, Step
from tunebench.store.opening import open_project
from tunebench.store.project import Project

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


def test_the_steps_lead_from_the_oldest_version_to_this_one() -> None:
    version = OLDEST
    for step in STEPS:
        assert step.start == version
        assert step.end > version
        version = step.end
    assert version == CURRENT


def test_a_fresh_schema_equals_a_migrated_one(project: Project, tmp_path: Path) -> None:
    """The oldest version's file, kept here as it shipped, with every step taken."""
    oldest = tmp_path / "oldest.tune"
    oldest.write_bytes(gzip.decompress((golden.FOLDER / f"v{OLDEST}.tune.gz").read_bytes()))
    open_project(oldest).close()
    project.close()
    assert version_of(oldest) == CURRENT
    assert schema_of(oldest) == schema_of(project.path)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
@pytest.mark.parametrize("version", [Version(1, 6), Version(1, 0), Version(0, 0)])
def test_a_project_from_before_the_oldest_version_is_refused_and_left_as_it_is(
    project: Project, version: Version, journal_mode: str, read_only: bool
) -> None:
    project.close()
    connection = sqlite3.connect(project.path)
    connection.execute(f"PRAGMA user_version = {version.pack()}")
    connection.execute(f"PRAGMA journal_mode = {journal_mode}")
    connection.close()
    before = project.path.read_bytes()
    error = cases.refusal("project_too_old", project.path, read_only=read_only)
    assert error.facts == {"path": str(project.path), "file_version": str(version), "oldest_version": "1.7"}
    assert project.path.read_bytes() == before
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_what_was_not_moved_into_a_file_that_is_too_old_waits_beside_it_still(project: Project) -> None:
    project.close()
    connection = sqlite3.connect(project.path)
    connection.execute(f"PRAGMA user_version = {Version(1, 6).pack()}")
    wal = project.path.with_name(f"{project.path.name}-wal")
    before = project.path.read_bytes(), wal.read_bytes()
    connection.close()
    project.path.write_bytes(before[0])
    wal.write_bytes(before[1])
    cases.refusal("project_too_old", project.path)
    assert (project.path.read_bytes(), wal.read_bytes()) == before


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
