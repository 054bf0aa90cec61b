"""The audit trail is append-only and chained: whatever is done to the file behind its back is noticed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import string
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.store import cases
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Engagement
from tunebench.store.audit import trail as audit
from tunebench.store.audit.trail import ACTIONS, AuditEntry, export_audit, list_audit, record, verify_chain
from tunebench.store.opening import create_project, open_project
from tunebench.store.project import Project

LAST = 6
TRIGGERS = ("audit_is_not_changed", "audit_is_not_removed", "audit_is_not_replaced")


@pytest.fixture
def trail(project: Project) -> Project:
    """A project with six entries."""
    for number in range(2, LAST + 1):
        record(project, "capture_mark", session_id=1, time=None, text=f"인덱스 {number}", author="lee")
    return project


@pytest.fixture
def behind(trail: Project) -> Iterator[sqlite3.Connection]:
    """The file of `trail`, closed, in the hands of somebody who knows SQL and takes the triggers away."""
    trail.close()
    connection = sqlite3.connect(trail.path)
    for trigger in TRIGGERS:
        connection.execute(f"DROP TRIGGER {trigger}")
    yield connection
    connection.close()


def broken_in(path: Path) -> int | None:
    with open_project(path, read_only=True) as project:
        return verify_chain(project)


def recompute(rows: list[dict[str, object]]) -> list[str]:
    """The digests as the documentation of the chain describes them, without the program's code."""
    digest, digests = "0" * 64, []
    for row in rows:
        columns = [row[name] for name in ("id", "time", "user", "action", "facts")]
        text = f"{digest}\n" + json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        digests.append(digest)
    return digests


# -- what is recorded ----------------------------------------------------------------------------------


def test_the_chain_can_be_recomputed_from_an_export(trail: Project) -> None:
    rows = export_audit(trail)
    assert [row["id"] for row in rows] == list(range(1, LAST + 1))
    digests = recompute(rows)
    assert [row["digest"] for row in rows] == digests
    assert [row["previous"] for row in rows] == ["0" * 64, *digests[:-1]]
    assert verify_chain(trail) is None
    assert audit.chain_head(trail) == (LAST, digests[-1])


def test_facts_are_canonical_json(project: Project) -> None:
    record(project, "note_added", text="여기", note_id=2, target_kind="run", target_id=None)
    assert export_audit(project)[-1]["facts"] == '{"note_id":2,"target_id":null,"target_kind":"run","text":"여기"}'


def test_a_fact_may_have_any_name(project: Project) -> None:
    record(project, "ssh_refused", project=1, action=2)
    assert list_audit(project)[-1].facts == {"project": 1, "action": 2}


def test_times_have_milliseconds_and_never_run_backwards(trail: Project) -> None:
    times = [entry.time for entry in list_audit(trail)]
    assert times == sorted(times)
    stamp = datetime.fromisoformat(times[-1])
    assert times[-1].endswith("+00:00") and len(times[-1]) == len("2026-11-21T02:00:00.123+00:00")
    assert abs((datetime.now(UTC) - stamp).total_seconds()) < 60


def test_an_entry_whose_change_is_undone_is_undone_with_it(trail: Project) -> None:
    before = export_audit(trail)
    with contextlib.suppress(ZeroDivisionError), trail.transaction():
        record(trail, "run_removed", run_id=1, label="x")
        raise ZeroDivisionError
    assert export_audit(trail) == before
    record(trail, "run_removed", run_id=1, label="x")
    assert verify_chain(trail) is None


def test_the_table_of_actions_and_the_sentences_are_about_the_same() -> None:
    for language in ("ko", "en"):
        sentences = catalogue(language)
        keys = sentences.keys()
        assert {key for key in keys if key.startswith("audit.")} == {f"audit.{name}" for name in ACTIONS}
        for action, facts in ACTIONS.items():
            named = {field for _, field, _, _ in string.Formatter().parse(sentences.text(f"audit.{action}")) if field}
            assert named <= set(facts), action


def test_facts_are_shown_as_words() -> None:
    facts: dict[str, object] = {
        "hosts": ["db1", "db2"],
        "pid": None,
        "cpu_s": 0.25,
        "changes": {"port": [22, 2222], "user": [None, "lee"]},
    }
    assert AuditEntry(1, "", "", "", facts).shown_facts() == {
        "hosts": "db1, db2",
        "pid": "–",
        "cpu_s": 0.25,
        "changes": "port: 22 → 2222; user: – → lee",
    }


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET user = 'somebody' WHERE id = 2",
        "DELETE FROM audit WHERE id = 6",
        "INSERT OR REPLACE INTO audit SELECT id, time, 'x', action, facts, previous, digest FROM audit WHERE id = 2",
    ],
)
def test_entries_cannot_be_changed_or_removed(trail: Project, statement: str) -> None:
    before = export_audit(trail)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), trail.transaction() as connection:
        connection.execute(statement)
    assert export_audit(trail) == before


# -- what is noticed -----------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["time", "user", "action", "facts", "previous", "digest"])
@pytest.mark.parametrize("row", [1, 3, LAST])
def test_a_changed_entry_is_found(behind: sqlite3.Connection, trail: Project, column: str, row: int) -> None:
    behind.execute(f"UPDATE audit SET {column} = {column} || 'x' WHERE id = ?", (row,))
    behind.commit()
    assert broken_in(trail.path) == row


@pytest.mark.parametrize("row", [1, 3])
def test_a_removed_entry_is_found_at_the_one_after_it(behind: sqlite3.Connection, trail: Project, row: int) -> None:
    behind.execute("DELETE FROM audit WHERE id = ?", (row,))
    behind.commit()
    assert broken_in(trail.path) == row + 1


@pytest.mark.parametrize("left", [0, 3, LAST - 1])
def test_a_tail_cut_off_is_found_even_after_more_was_recorded(
    behind: sqlite3.Connection, trail: Project, left: int
) -> None:
    behind.execute("DELETE FROM audit WHERE id > ?", (left,))
    behind.commit()
    assert broken_in(trail.path) == left + 1
    with open_project(trail.path) as again:
        record(again, "run_removed", run_id=1, label="x")
        assert verify_chain(again) == LAST + 1


def test_an_entry_rewritten_with_its_own_digest_breaks_the_one_after_it(
    behind: sqlite3.Connection, trail: Project
) -> None:
    rows = [
        dict(zip(("id", "time", "user", "action", "facts"), row, strict=True))
        for row in behind.execute("SELECT id, time, user, action, facts FROM audit WHERE id <= 3")
    ]
    rows[-1]["user"] = "somebody"
    behind.execute("UPDATE audit SET user = 'somebody', digest = ? WHERE id = 3", (recompute(rows)[-1],))
    behind.commit()
    assert broken_in(trail.path) == 4


@pytest.mark.parametrize("value", [None, "", "nothing", f"{LAST} {'f' * 64}", f"2 {'f' * 64}"])
def test_a_spoilt_head_is_found_and_never_healed(behind: sqlite3.Connection, trail: Project, value: str | None) -> None:
    if value is None:
        behind.execute("DELETE FROM property WHERE name = 'audit_head'")
    else:
        behind.execute("UPDATE property SET value = ? WHERE name = 'audit_head'", (value,))
    behind.commit()
    assert broken_in(trail.path) is not None
    with open_project(trail.path) as again:
        record(again, "run_removed", run_id=1, label="x")
        record(again, "run_removed", run_id=2, label="y")
        assert verify_chain(again) is not None


def test_a_head_moved_back_over_entries_is_found(behind: sqlite3.Connection, trail: Project) -> None:
    third = behind.execute("SELECT digest FROM audit WHERE id = 3").fetchone()[0]
    behind.execute("UPDATE property SET value = ? WHERE name = 'audit_head'", (f"3 {third}",))
    behind.commit()
    assert broken_in(trail.path) == 4


def test_an_entry_put_in_without_digests_is_found_and_never_taken_in(trail: Project) -> None:
    with trail.transaction() as connection:
        connection.execute(
            "INSERT INTO audit (time, user, action, facts) VALUES ('2026-11-21T02:00:00+00:00', 'lee', 'run_added', '{}')"
        )
    assert verify_chain(trail) == LAST + 1
    record(trail, "run_removed", run_id=1, label="x")
    assert verify_chain(trail) == LAST + 1


def test_blanking_an_entry_does_not_hide_a_change(behind: sqlite3.Connection, trail: Project) -> None:
    behind.execute("UPDATE audit SET user = 'somebody', previous = '', digest = '' WHERE id = ?", (LAST,))
    behind.commit()
    assert broken_in(trail.path) == LAST


# -- many threads --------------------------------------------------------------------------------------


def test_entries_from_many_threads_while_an_import_writes(project: Project) -> None:
    """Engine threads record while samples are written; no entry is lost, none waits for the import's end."""
    threads, each = 4, 50
    waits_s: list[float] = []

    def engine(number: int) -> None:
        for index in range(each):
            started = time.perf_counter()
            record(project, "capture_mark", session_id=number, time=None, text=str(index), author="lee")
            waits_s.append(time.perf_counter() - started)

    running = [threading.Thread(target=engine, args=(number,)) for number in range(threads)]
    artefact_id = cases.store_artefact(project)
    writer = cases.sample_writer(project, artefact_id)
    noise = np.random.default_rng(0).random((3000, 20))
    names = [f"m{index}" for index in range(20)]
    for thread in running:
        thread.start()
    for block in range(30):
        writer.append(cases.batch(noise, names, first_row=block * len(noise)))
    writer.finish()
    for thread in running:
        thread.join(30)
    marks = [entry for entry in list_audit(project) if entry.action == "capture_mark"]
    assert len(marks) == threads * each
    for number in range(threads):
        assert [entry.facts["text"] for entry in marks if entry.facts["session_id"] == number] == [
            str(index) for index in range(each)
        ]
    assert verify_chain(project) is None
    assert max(waits_s) < 5


def test_a_chain_is_verified_while_others_record(project: Project) -> None:
    stop = threading.Event()

    def engine() -> None:
        while not stop.is_set():
            record(project, "run_removed", run_id=1, label="x")

    thread = threading.Thread(target=engine)
    thread.start()
    try:
        found = [verify_chain(project) for _ in range(50)]
    finally:
        stop.set()
        thread.join(30)
    assert found == [None] * 50


def test_a_made_up_project_goes_by_its_story_and_says_so_first(tmp_path: Path) -> None:
    """And only while it is written: whoever opens it later writes by the computer's clock."""
    told = datetime(2026, 8, 3, 0, 20, tzinfo=UTC)
    project = create_project(tmp_path / "made.tune", Engagement("made up", "nobody"), lambda: told)
    record(project, "narrative_changed", section="issue", language="ko", before=[], after=["x"])
    project.close()
    with contextlib.closing(open_project(tmp_path / "made.tune")) as again:
        record(again, "narrative_changed", section="issue", language="ko", before=["x"], after=["y"])
        entries = list_audit(again)
        assert verify_chain(again) is None
    assert [entry.action for entry in entries[:2]] == ["demo_begun", "project_created"]
    assert {entry.time for entry in entries[:3]} == {"2026-08-03T00:20:00.000+00:00"}
    made_at = datetime.fromisoformat(str(entries[0].facts["made_at"]))
    assert datetime.fromisoformat(entries[3].time) >= made_at != told
