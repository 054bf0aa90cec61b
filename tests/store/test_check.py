"""The check finds what was damaged on purpose, and nothing in a sound project."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.store import cases
from tunebench.core.errors import Cancelled
from tunebench.core.messages import catalogue
from tunebench.domain.capturing.plan import Approval
from tunebench.domain.capturing.run import StreamRecord, StreamSegment, StreamState
from tunebench.domain.ledger import UNACCOUNTED_ROWS, Ledger, LineCounts, SkippedLines
from tunebench.store.audit.trail import record
from tunebench.store.check import check_project
from tunebench.store.opening import open_project
from tunebench.store.plans import approve, save_plan
from tunebench.store.project import Project
from tunebench.store.sessions import begin_session, record_stream, write_segments


@pytest.fixture
def filled(project: Project) -> Project:
    values = np.round(np.random.default_rng(0).random((20_000, 3)), 2)
    values[:100, 1] = np.nan
    cases.write_samples(project, cases.batch(values, ("a", "b", "c"), since_boot=[0]))
    framed = cases.write_samples(project, cases.batch([[1.0]]), data=b"other\n" * 100)
    save_plan(project, cases.PLAN)
    approve(project, Approval(cases.PLAN.digest, "park", "2026-11-21T03:00:00+00:00", "spoken"))
    session_id = begin_session(project, cases.PLAN.digest, cases.run_of(project, framed), "/spool", "before")
    record_stream(project, session_id, StreamRecord("db1/x", 1, framed, StreamState.VERIFIED))
    write_segments(project, framed, [segment(0, 6, 300), segment(1, 300, 300), segment(2, 306, 600)])
    return project


def segment(number: int, first_byte: int, end_byte: int) -> StreamSegment:
    return StreamSegment(number, first_byte, end_byte, 2, None, None, None, None)


def states(project: Project) -> dict[str, str]:
    return {result.check: result.state for result in check_project(project)}


def damage(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute(statement).rowcount > 0
    connection.commit()
    connection.close()


def test_a_sound_project_passes_every_check(filled: Project) -> None:
    found = states(filled)
    assert set(found.values()) == {"ok"}
    for language in ("ko", "en"):
        assert all(f"check.{name}" in catalogue(language) for name in found)


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE artefact SET sha256 = 'f' WHERE id = 1", "evidence"),
        ("UPDATE artefact_chunk SET data = zeroblob(20) WHERE artefact_id = 1", "evidence"),
        ("DELETE FROM artefact_chunk WHERE artefact_id = 2", "evidence"),
        ("UPDATE artefact SET host_id = NULL WHERE id = 1", "series_references"),
        ("UPDATE artefact SET first_ns = 7 WHERE id = 1", "origins"),
        ("UPDATE artefact SET ledger = json_set(ledger, '$.last_ns', 7) WHERE id = 1", "origins"),
        ("""UPDATE artefact SET given = '{"start": "2026-01-01"}' WHERE id = 1""", "origins"),
        ("UPDATE engagement SET customer = 'Somebody'", "origins"),
        ("UPDATE property SET value = 'refused' WHERE name = 'two_roles'", "origins"),
        ("UPDATE artefact SET host_id = 77 WHERE id = 1", "foreign_keys"),
        ("DELETE FROM clock_chunk WHERE position = 1", "chunk_counts"),
        ("DELETE FROM sample_chunk WHERE series_id = 1 AND position = 2", "chunk_counts"),
        ("UPDATE series SET sample_count = sample_count + 1 WHERE id = 2", "chunk_counts"),
        ("UPDATE sample_chunk SET data = substr(data, 1, 100) WHERE series_id = 3 AND position = 0", "packed_numbers"),
        ("UPDATE series_tile SET minimum = zeroblob(30) WHERE series_id = 1", "packed_numbers"),
        ("UPDATE capture_plan SET plan = replace(plan, 'iostat -xn 1', 'iostat -xn 2')", "plans"),
        ("UPDATE approval SET approved_by = 'CISO'", "plans"),
        ("UPDATE capture_segment SET end_byte = 601 WHERE number = 2", "captures"),
        ("UPDATE capture_segment SET first_byte = 310 WHERE number = 0", "captures"),
        ("UPDATE capture_segment SET first_byte = 299 WHERE number = 1", "captures"),
        ("UPDATE capture_segment SET first_byte = -1 WHERE number = 0", "captures"),
        ("UPDATE property SET value = '1 f' WHERE name = 'audit_head'", "audit_trail"),
    ],
)
def test_damage_is_found(filled: Project, statement: str, check: str) -> None:
    filled.close()
    damage(filled.path, statement)
    with open_project(filled.path, read_only=True) as again:
        results = {result.check: result for result in check_project(again)}
    assert results[check].state == "failed"
    assert results[check].facts["count"]
    assert {name for name, result in results.items() if result.state != "ok"} == {check}


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE artefact SET ledger = '{'", "artefact"),
        ("UPDATE artefact SET ledger = '[]'", "artefact"),
        ("UPDATE artefact SET given = '7'; UPDATE artefact SET size_bytes = 'much'", "artefact.size_bytes"),
        ("UPDATE engagement SET zone = '../..'", "zone"),
        ("UPDATE engagement SET title = x'00ff'", "engagement.title"),
        ("UPDATE engagement SET title = CAST(x'ff41' AS TEXT)", "engagement"),
        ("UPDATE capture_plan SET plan = '{}'", "capture_plan"),
        ("UPDATE audit SET facts = '{'", "audit"),
    ],
)
def test_what_cannot_be_read_back_is_damage_and_stops_no_check(filled: Project, statement: str, found: str) -> None:
    filled.close()
    connection = sqlite3.connect(filled.path)
    (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'audit_is_not_changed'").fetchone()
    connection.executescript(f"DROP TRIGGER audit_is_not_changed; {statement}; {trigger}")
    connection.close()
    with open_project(filled.path, read_only=True) as again:
        (readable,) = (each for each in check_project(again) if each.check == "readable")
    assert readable.state == "failed"
    assert found in readable.facts["found"]  # type: ignore[operator]


def test_a_bug_in_a_sound_project_stays_one(filled: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunebench.store.check._sha256", lambda _pieces: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        check_project(filled)


def test_a_command_that_was_sent_and_not_planned_is_found(filled: Project) -> None:
    planned = cases.PLAN.commands[0]
    for verbatim in (planned.verbatim, planned.verbatim + ";touch /tmp/x"):
        record(filled, "capture_command", session_id=1, host=planned.host, command_id=planned.id, verbatim=verbatim)
    (found,) = (result for result in check_project(filled) if result.check == "sent_commands")
    assert (found.state, found.facts["total"], found.facts["count"]) == ("failed", 2, 1)


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE approval SET digest = 'f'", "plans"),
        ("UPDATE capture_session SET digest = 'f'", "plans"),
        ("UPDATE capture_stream SET session_id = 77", "captures"),
    ],
)
def test_a_record_that_refers_to_nothing_is_found(filled: Project, statement: str, check: str) -> None:
    filled.close()
    damage(filled.path, statement)
    with open_project(filled.path, read_only=True) as again:
        found = states(again)
    assert {name for name, state in found.items() if state != "ok"} == {check, "foreign_keys"}


def test_an_unbalanced_ledger_is_found(filled: Project) -> None:
    cases.mark_parsed(filled, 1, Ledger(lines=LineCounts(total=10, data=9)))
    assert states(filled)["ledgers"] == "failed"


def test_an_unparsed_capture_is_a_warning(filled: Project) -> None:
    cases.store_artefact(filled, b"new\n")
    assert states(filled)["pending"] == "warning"


def test_a_page_of_noise_is_a_result_not_an_exception(filled: Project) -> None:
    with filled.reading() as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'clock_chunk'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    filled.close()
    with filled.path.open("r+b") as stream:
        stream.seek((root - 1) * size)
        stream.write(b"\xff" * size)
    with open_project(filled.path, read_only=True) as again:
        found = states(again)
    assert found["integrity"] == "failed"
    assert found["packed_numbers"] == "failed"
    assert found["evidence"] == "ok"


def test_the_check_can_be_given_up(filled: Project) -> None:
    class Impatient:
        def __init__(self) -> None:
            self.reported: list[tuple[int, int, str]] = []

        def report(self, done: int, total: int, key: str = "", **_facts: object) -> None:
            self.reported.append((done, total, key))

        def raise_if_cancelled(self) -> None:
            if len(self.reported) == 2:
                raise Cancelled

    progress = Impatient()
    with pytest.raises(Cancelled):
        check_project(filled, progress)
    assert [key for _, _, key in progress.reported] == ["check.integrity", "check.foreign_keys"]


def test_rows_that_nobody_accounts_for_are_told_with_their_share(filled: Project) -> None:
    lost = SkippedLines(UNACCOUNTED_ROWS, 404, 3, "12 0 5")
    cases.mark_parsed(filled, 1, Ledger(lines=LineCounts(total=604, data=196, header=4, skipped=404), skipped=(lost,)))
    assert states(filled)["unaccounted"] == "warning"
    (found,) = [each for each in check_project(filled) if each.check == "unaccounted"]
    assert str(found.facts["found"]).endswith(": 67.3%']")
