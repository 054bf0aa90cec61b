"""What the report is told of live captures comes from the project, and nothing is made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store import cases
from tunebench.domain.capturing.plan import Approval
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
from tunebench.domain.ledger import Ledger, LineCounts
from tunebench.reporting.cases.capture import LiveCapture
from tunebench.store import plans, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.hosts import ensure_host
from tunebench.store.project import Project
from tunebench.store.runs import ensure_run
from tunebench.usecases.capturing.case import compare_facts, coverage, live_capture, overhead

S = 1_000_000_000
T = cases.START_NS


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


def segment(number: int, began_s: int | None, ended_s: int | None, cpu_s: float | None) -> StreamSegment:
    began, ended = (None if moment is None else T + moment * S for moment in (began_s, ended_s))
    return StreamSegment(number, 0, 10, 1, began, ended, 0, cpu_s)


def gap(start_s: int, end_s: int | None, stream: str = "db1/solaris.iostat") -> CaptureGap:
    end = None if end_s is None else T + end_s * S
    return CaptureGap(stream, T + start_s * S, end, GapCause.NETWORK_LOST, "2026-11-21T02:00:00+00:00")


# -- figures ---------------------------------------------------------------------------------------------


def test_coverage_is_the_time_without_gaps() -> None:
    one = [segment(0, 0, 100, 1.0)]
    assert coverage(one, [], None, None) == 100.0
    assert coverage(one, [gap(10, 20), gap(15, 30), gap(50, 55)], None, None) == pytest.approx(75.0)
    assert coverage(one, [gap(-100, 0)], None, None) == pytest.approx(50.0)  # began late
    assert coverage([segment(0, 0, None, None)], [gap(60, None)], None, T + 100 * S) == pytest.approx(60.0)
    assert coverage([], [gap(0, 100)], None, None) == 0.0
    assert coverage([], [], None, None) is None
    assert coverage([segment(0, 0, None, None)], [], T + 50 * S, None) == 100.0


def test_overhead_counts_only_starts_that_were_measured() -> None:
    measured = overhead([segment(0, 0, 100, 0.5), segment(1, 100, None, None), segment(2, 200, 300, 0.7)])
    assert list(measured) == pytest.approx([1.2, 200.0])
    assert overhead([segment(0, 0, None, None)]) == (None, None)


# -- configuration ---------------------------------------------------------------------------------------


def test_only_sections_of_both_sides_are_compared() -> None:
    old = (T, {("kernel", "a"): "1", ("kernel", "b"): "2", ("disk", "sda"): "x"})
    new = (T + S, {("kernel", "a"): "1", ("kernel", "c"): "3", ("mount", "/"): "y"})
    found = compare_facts("db1", "before", "after", old, new)
    assert [(c.name, c.before, c.after) for c in found.changes] == [("b", "2", None), ("c", None, "3")]
    assert found.compared == 3
    assert found.one_sided == (("disk", "earlier"), ("mount", "later"))


def test_a_missing_side_is_no_difference() -> None:
    found = compare_facts("db1", "before", "after", (T, {("kernel", "a"): "1"}), None)
    assert not found.complete and not found.changes and not found.one_sided


# -- the project -----------------------------------------------------------------------------------------


def _session(project: Project, run: str, phase: Phase) -> tuple[int, int]:
    plans.save_plan(project, cases.PLAN)
    run_id = ensure_run(project, run, phase).id
    return sessions.begin_session(project, cases.PLAN.digest, run_id, "spool", run), run_id


def _inventory(project: Project, run: str, values: dict[int, dict[str, str]]) -> None:
    """An artefact of the run; `values` are facts of the kernel by second."""
    artefact = cases.store_artefact(project, f"{run} {values}".encode(), run, "db1/solaris.prtconf")
    for second, facts in values.items():
        found = [SystemFact("kernel", name, value) for name, value in facts.items()]
        sessions.write_facts(project, artefact, ensure_host(project, "db1").id, T + second * S, found)


def _captured(project: Project) -> LiveCapture:
    found = live_capture(project, lambda artefact_id: "" if artefact_id is None else f"E-{artefact_id}")
    assert found is not None
    return found


def test_a_project_of_files_has_no_live_capture(project: Project) -> None:
    cases.store_artefact(project)
    assert live_capture(project, lambda _id: "") is None


def test_a_session_is_told_with_its_streams_gaps_clocks_and_approval(project: Project) -> None:
    session, _ = _session(project, "before", Phase.BEFORE)
    plans.approve(project, Approval(cases.PLAN.digest, "김관리", "2026-11-21T01:00:00+00:00", "signed_sheet"))
    artefact = cases.store_artefact(project)
    cases.mark_parsed(project, artefact, Ledger(samples=590, lines=LineCounts(2, 1, 1), last_ns=T + 600 * S))
    sessions.write_segments(project, artefact, [segment(0, 0, 100, 0.5), segment(1, 160, 600, 2.2)])
    host = ensure_host(project, "db1").id
    sessions.record_stream(
        project,
        session,
        StreamRecord("db1/solaris.iostat", host, artefact, StreamState.VERIFIED, "5.10", 9000, 700, 0, "", 2.7, "none"),
    )
    sessions.write_gaps(project, session, [gap(100, 160)], {"db1/solaris.iostat": artefact})
    check = ClockCheck("db1", "2026-11-21T02:00:00+00:00", 5_000_000, 400_000, "Asia/Seoul", 32_400, "boot")
    sessions.write_clock_checks(project, session, [check])
    sessions.set_session_state(project, session, SessionState.FINISHED)

    (told,) = _captured(project).sessions
    assert (told.run, told.phase, told.state, told.digest) == ("before", "before", "finished", cases.PLAN.digest)
    assert (told.approved_by, told.approved_how) == ("김관리", "signed_sheet")
    (stream,) = told.streams
    assert (stream.host, stream.tool_line, stream.interval_s) == ("db1", "iostat -xn 1 600", 1.0)
    assert (stream.samples, stream.gaps, stream.starts, stream.tool_version) == (590, 1, 2, "5.10")
    assert stream.coverage_pct == pytest.approx(90.0)
    assert stream.cpu_pct == pytest.approx(0.5)  # 2.7 s in 540 s
    assert (stream.evidence, stream.leftovers, stream.received_bytes) == (f"E-{artefact}", "none", 9000)
    assert [(g.host, g.probe, g.cause) for g in told.gaps] == [("db1", "solaris.iostat", "network_lost")]
    assert [(c.offset_ns, c.error_ns) for c in told.clocks] == [(5_000_000, 400_000)]


def test_facts_of_the_end_before_are_compared_with_the_start_after(project: Project) -> None:
    _session(project, "before", Phase.BEFORE)
    _session(project, "after", Phase.AFTER)
    _inventory(project, "before", {0: {"shmmax": "1"}, 600: {"shmmax": "2"}})
    _inventory(project, "after", {1000: {"shmmax": "3", "new": "x"}, 1600: {"shmmax": "3", "new": "x"}})
    between, before, after = _captured(project).comparisons
    assert [(c.name, c.before, c.after) for c in between.changes] == [("new", None, "x"), ("shmmax", "2", "3")]
    assert [(c.name, c.before, c.after) for c in before.changes] == [("shmmax", "1", "2")]
    assert after.complete and not after.changes and after.compared == 2


def test_an_inventory_taken_once_is_not_compared_with_itself(project: Project) -> None:
    _session(project, "before", Phase.BEFORE)
    _inventory(project, "before", {0: {"shmmax": "1"}})
    (within,) = _captured(project).comparisons
    assert within.within_run and not within.complete


def test_a_second_capture_of_a_run_continues_its_inventory(project: Project) -> None:
    _session(project, "before", Phase.BEFORE)
    _inventory(project, "before", {0: {"shmmax": "1"}})
    _inventory(project, "before", {900: {"shmmax": "1", "late": "y"}})
    (within,) = _captured(project).comparisons
    assert [(c.name, c.before, c.after) for c in within.changes] == [("late", None, "y")]


def test_the_trail_is_verified_and_its_end_told(project: Project) -> None:
    _session(project, "before", Phase.BEFORE)
    trail = _captured(project).audit
    assert trail is not None and trail.broken is None
    assert (trail.last_id, trail.digest) == audit.chain_head(project)
    assert [line.action for line in trail.lines][-1] == "session_added"
    assert len(trail.lines) == trail.last_id
