"""Capture sessions: what was recorded comes back, what is written again replaces, what was cut off is noticed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from tests.store import cases
from tunebench.core.errors import UserError
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    GapCause,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
    SystemFact,
)
from tunebench.domain.engagement import Phase
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.store import sessions
from tunebench.store.artefacts import find_artefact, pending_artefacts, remove_samples, set_parse_result
from tunebench.store.audit.trail import list_audit, record
from tunebench.store.check import check_project
from tunebench.store.hosts import ensure_host
from tunebench.store.locking import this_process
from tunebench.store.opening import open_project
from tunebench.store.plans import save_plan
from tunebench.store.project import Project
from tunebench.store.runs import ensure_run, list_runs, remove_empty_run

STREAM = StreamRecord(
    "db1/solaris.iostat", None, None, StreamState.VERIFIED, "SunOS 5.10", 12_345, 678, 0, "경고", 0.25, "none"
)
SEGMENTS = [
    StreamSegment(0, 120, 5000, 3, 10, 20, None, None, None),
    StreamSegment(1, 5200, 9000, 130, 30, None, 0, 0.5, 4711),
]
GAP = CaptureGap("db1/solaris.iostat", 20, 30, GapCause.NETWORK_LOST, "2026-11-21T02:00:00+00:00", "no answer for 8 s")
OPEN_GAP = CaptureGap("db1/solaris.vmstat", 40, None, GapCause.SERVER_REBOOT, "2026-11-21T02:10:00+00:00")
CLOCK = ClockCheck("db1", "2026-11-21T02:00:00+00:00", 300_000_000_000, 250_000, "Asia/Seoul", 32_400, "boot-1")
FACTS = [
    SystemFact("kernel", "maxphys", "1048576"),
    SystemFact("mount", "/u01", "ufs logging"),
    SystemFact("kernel", "", ""),
]


@pytest.fixture
def session_id(project: Project) -> int:
    save_plan(project, cases.PLAN)
    run = ensure_run(project, "before", Phase.BEFORE)
    return sessions.begin_session(project, cases.PLAN.digest, run.id, "/spool/s1", "before")


def reopened(project: Project) -> Project:
    project.close()
    return open_project(project.path)


def test_a_session_comes_back(project: Project, session_id: int) -> None:
    with reopened(project) as again:
        (session,) = sessions.list_sessions(again)
        assert sessions.find_session(again, session_id) == session
    me = this_process()
    assert (session.id, session.digest, session.spool, session.label) == (
        session_id,
        cases.PLAN.digest,
        "/spool/s1",
        "before",
    )
    assert (session.state, session.ended_at, session.note) == (SessionState.RUNNING, None, "")
    assert (session.user, session.machine) == (me.user, me.host)
    assert session.started_at.endswith("+00:00")


def test_a_session_needs_its_plan(project: Project) -> None:
    run = ensure_run(project, "before", Phase.BEFORE)
    with pytest.raises(UserError, match="plan_missing"):
        sessions.begin_session(project, "0" * 64, run.id, "/spool", "before")
    with pytest.raises(UserError, match="session_missing"):
        sessions.set_session_state(project, 7, SessionState.FINISHED)
    with pytest.raises(UserError, match="session_missing"):
        sessions.find_session(project, 7)


def test_the_end_of_a_session_has_its_time_until_it_is_taken_up_again(project: Project, session_id: int) -> None:
    sessions.set_session_state(project, session_id, SessionState.FAILED, "disk full")
    failed = sessions.find_session(project, session_id)
    assert (failed.state, failed.note) == (SessionState.FAILED, "disk full")
    assert failed.ended_at is not None
    sessions.set_session_state(project, session_id, SessionState.RUNNING)
    running = sessions.find_session(project, session_id)
    assert (running.state, running.note, running.ended_at) == (SessionState.RUNNING, "disk full", None)
    entries = [entry for entry in list_audit(project) if entry.action == "session_changed"]
    assert entries[0].facts["changes"]["state"] == ["running", "failed"]  # type: ignore[index]
    for entry in list_audit(project):
        cases.check_audit_sentence(entry)


def test_a_session_is_given_another_label_run_and_spool(project: Project, session_id: int) -> None:
    run = ensure_run(project, "after", Phase.AFTER)
    before = sessions.find_session(project, session_id)
    sessions.change_session(project, session_id)
    sessions.change_session(project, session_id, label="after", run_id=run.id, note="다시", spool="/s2")
    assert sessions.find_session(project, session_id) == replace(
        before, label="after", run_id=run.id, note="다시", spool="/s2"
    )
    (entry,) = [entry for entry in list_audit(project) if entry.action == "session_changed"]
    assert entry.facts["changes"] == {
        "label": ["before", "after"],
        "note": ["", "다시"],
        "run_id": [before.run_id, run.id],
        "spool": ["/spool/s1", "/s2"],
    }


def test_a_run_that_a_session_goes_into_is_not_empty(project: Project, session_id: int) -> None:
    remove_empty_run(project, sessions.find_session(project, session_id).run_id)
    assert [run.label for run in list_runs(project)] == ["before"]


# -- streams, segments, gaps, clocks -------------------------------------------------------------------


def test_a_stream_recorded_again_is_replaced(project: Project, session_id: int) -> None:
    host_id = ensure_host(project, "db1").id
    artefact_id = cases.store_artefact(project)
    sessions.record_stream(project, session_id, replace(STREAM, state=StreamState.CAPTURING, leftovers="unknown"))
    whole = replace(STREAM, host_id=host_id, artefact_id=artefact_id)
    sessions.record_stream(project, session_id, whole)
    failed = StreamRecord("db1/other", host_id, None, StreamState.FAILED, exit=127, stderr_tail="not found")
    sessions.record_stream(project, session_id, failed)
    with reopened(project) as again:
        assert sessions.list_streams(again, session_id) == [failed, whole]
        assert sessions.list_streams(again, session_id + 1) == []


def test_a_stream_of_no_session_is_a_bug(project: Project, session_id: int) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        sessions.record_stream(project, session_id + 1, STREAM)


def test_segments_are_replaced_as_a_whole(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    sessions.write_segments(project, artefact_id, SEGMENTS)
    assert sessions.read_segments(project, artefact_id) == SEGMENTS
    sessions.write_segments(project, artefact_id, SEGMENTS[1:])
    assert sessions.read_segments(project, artefact_id) == SEGMENTS[1:]
    assert sessions.read_segments(project, artefact_id + 1) == []


def test_gaps_are_found_by_session_and_by_capture(project: Project, session_id: int) -> None:
    artefact_id = cases.store_artefact(project)
    other = sessions.begin_session(project, cases.PLAN.digest, 1, "/spool/s2", "after")
    for _ in range(2):
        sessions.write_gaps(project, session_id, [OPEN_GAP, GAP], {GAP.stream: artefact_id})
    sessions.write_gaps(project, other, [OPEN_GAP], {})
    assert sessions.list_gaps(project, session_id=session_id) == [GAP, OPEN_GAP]
    assert sessions.list_gaps(project, artefact_id=artefact_id) == [GAP]
    assert sessions.list_gaps(project, session_id=other, artefact_id=artefact_id) == []
    assert sessions.list_gaps(project) == [GAP, OPEN_GAP, OPEN_GAP]


def test_clock_checks_come_back_by_host_and_time(project: Project, session_id: int) -> None:
    later = replace(CLOCK, taken_at="2026-11-21T02:10:00+00:00", offset_ns=-5, utc_offset_s=None, zone="")
    for _ in range(2):
        sessions.write_clock_checks(project, session_id, [later, CLOCK])
    assert sessions.list_clock_checks(project, session_id) == [CLOCK, later]
    assert sessions.list_clock_checks(project) == [CLOCK, later]
    assert sessions.list_clock_checks(project, session_id + 1) == []


# -- facts ---------------------------------------------------------------------------------------------


def test_facts_are_kept_per_capture_and_moment(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    db1, db2 = ensure_host(project, "db1").id, ensure_host(project, "db2").id
    tuned = [replace(FACTS[0], value="8388608"), *FACTS[1:]]
    sessions.write_facts(project, artefact_id, db1, 900, tuned)
    sessions.write_facts(project, artefact_id, db1, 100, [SystemFact("kernel", "wrong", "")])
    sessions.write_facts(project, artefact_id, db1, 100, FACTS)
    elsewhere = cases.store_artefact(project, b"other", run="after")
    sessions.write_facts(project, elsewhere, db2, 100, FACTS[:1])
    run_id = cases.run_of(project, artefact_id)
    found = sessions.list_facts(project, run_id)
    assert [(each.artefact_id, each.host_id, each.moment_ns) for each in found] == [(artefact_id, db1, 100)] * 3 + [
        (artefact_id, db1, 900)
    ] * 3
    assert [each.fact for each in found] == [*FACTS, *tuned]
    assert sessions.list_facts(project, run_id, db1) == found
    assert sessions.list_facts(project, run_id, db2) == []
    (other,) = sessions.list_facts(project, cases.run_of(project, elsewhere), db2)
    assert other.fact == FACTS[0]


def test_facts_go_when_their_capture_is_read_anew(project: Project) -> None:
    artefact_id = cases.write_samples(project, cases.batch([[1.0]]))
    sessions.write_facts(project, artefact_id, ensure_host(project, "db1").id, 100, FACTS)
    sessions.write_segments(project, artefact_id, SEGMENTS)
    remove_samples(project, artefact_id)
    assert sessions.list_facts(project, cases.run_of(project, artefact_id)) == []
    assert sessions.read_segments(project, artefact_id) == SEGMENTS


# -- evidence that no reader reads ---------------------------------------------------------------------


def test_a_capture_kept_as_evidence_is_neither_pending_nor_a_finding(project: Project) -> None:
    artefact_id = cases.store_artefact(project, b"@tunebench ...\nlsblk\n", name="lsblk")
    set_parse_result(
        project,
        artefact_id,
        host_id=ensure_host(project, "db1").id,
        parser_id="",
        parser_version="",
        state=ImportState.KEPT,
        ledger=Ledger(),
        events=(),
        given={},
    )
    with reopened(project) as again:
        assert find_artefact(again, artefact_id).state is ImportState.KEPT
        assert pending_artefacts(again) == []
        assert {result.state for result in check_project(again)} == {"ok"}
        entry = list_audit(again)[-1]
        assert (entry.action, entry.facts) == ("artefact_kept", {"artefact_id": artefact_id, "name": "lsblk"})
        cases.check_audit_sentence(entry)
        remove_samples(again, artefact_id)
        assert [info.id for info in pending_artefacts(again)] == [artefact_id]


# -- recovery ------------------------------------------------------------------------------------------


def states(project: Project) -> list[SessionState]:
    return [session.state for session in sessions.list_sessions(project)]


def test_a_session_that_ran_when_the_program_died_is_interrupted(project: Project, session_id: int) -> None:
    done = sessions.begin_session(project, cases.PLAN.digest, 1, "/spool/s2", "after")
    sessions.set_session_state(project, done, SessionState.FINISHED)
    assert project._lock is not None
    project._lock.release(unclean=True)  # what a dead process leaves: a lock of nobody
    project._lock = None
    project.close()
    with open_project(project.path, read_only=True) as reader:
        assert states(reader) == [SessionState.RUNNING, SessionState.FINISHED]
    with open_project(project.path) as again:
        assert again.recovered
        assert states(again) == [SessionState.INTERRUPTED, SessionState.FINISHED]
        (entry,) = [entry for entry in list_audit(again) if entry.action == "session_interrupted"]
        assert entry.facts == {"session_id": session_id, "label": "before"}
        cases.check_audit_sentence(entry)
    with open_project(project.path) as later:
        assert states(later) == [SessionState.INTERRUPTED, SessionState.FINISHED]


def test_a_session_that_runs_on_its_host_outlives_a_clean_close(project: Project, session_id: int) -> None:
    record(project, "detached_started", session_id=session_id, host="db1", folder="/tmp/cap", pid=1)
    with reopened(project) as again:
        assert not again.recovered
        assert states(again) == [SessionState.RUNNING]
