"""Targets, guards, verifications and the shift of the bottleneck, on figures of the guide (sections 4.4 and 7)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.unit.diagnosis.cycle_case import (
    ACTION,
    CAUSE,
    COMPARED,
    CPU,
    ITERATION,
    RESULT,
    TARGET,
    TOO_EARLY,
    WHOLE_RUNS,
    WRITE,
    book,
    done,
)
from tunebench.analysis.comparing.improvement import Change
from tunebench.diagnosis.cycle.results import (
    GuardState,
    ShiftState,
    TargetState,
    VerificationState,
    actions_for_issue,
    guard_standings,
    outcome_of,
    reached,
    shift,
    target_standings,
    verification_standings,
    windows_of,
    windows_to_compare,
)
from tunebench.domain.comparability import ChangeInterval, FigureInterval
from tunebench.domain.cycle.book import IntervalKey, Record
from tunebench.domain.cycle.records import (
    CustomerIssue,
    DailyWindow,
    Figure,
    Metric,
    Outcome,
    Result,
    ResultSummary,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, Verification
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import Occurrence, Window, run_window

EXECUTED = replace(ACTION, state=ActionState.EXECUTED)


def test_mkfile_meets_its_target_at_3_1_times_less():
    """One reading a side: lower it is, and better nobody knows."""
    (standing,) = target_standings(done(), 1)
    assert standing.state is TargetState.MET and standing.is_top
    assert standing.ratio is not None and (1 / standing.ratio).quantize(Decimal("0.000001")) == Decimal("3.123596")
    assert standing.improvement.change is Change.CHANGED
    assert standing.way == pytest.approx((86.18 - 27.59) / (86.18 - 30.0))
    assert standing.descriptive_only  # one run each


def test_what_may_not_be_compared_meets_and_misses_nothing():
    """The gate of the comparison refuses the windows of baseline and result."""
    for after in (27.59, 52.06):
        told = replace(COMPARED[1], after=replace(COMPARED[1].after, value=after))
        (standing,) = target_standings(replace(done(COMPARED[0], told), refused={WHOLE_RUNS: (TOO_EARLY,)}), 1)
        assert (standing.state, standing.refusals) == (TargetState.NOT_COMPARABLE, (TOO_EARLY,))
        assert standing.improvement.change is Change.CHANGED  # neither better nor worse
    refused = replace(done(*COMPARED), refused={WHOLE_RUNS: (TOO_EARLY,)})
    action = refused.find(Action, ACTION.id)
    assert action is not None
    assert [each.state for each in verification_standings(refused, action)] == [VerificationState.NOT_COMPARABLE]


def test_a_comparison_that_nothing_refuses_leaves_the_state():
    (standing,) = target_standings(replace(done(*COMPARED), refused={WHOLE_RUNS: ()}), 1)
    assert (standing.state, standing.improvement.change) == (TargetState.MET, Change.CHANGED)


def test_before_the_gate_was_asked_nothing_is_decided():
    (standing,) = target_standings(replace(done(*COMPARED), refused={}), 1)
    assert (standing.state, standing.refusals) == (TargetState.UNDECIDED, ())
    (typed,) = target_standings(replace(done(), refused={}), 1)  # of no run: there is nothing to ask
    assert typed.state is TargetState.MET


def test_the_windows_of_a_verdict_are_whole_runs_but_for_a_daily_window_and_for_parts_of_one_run():
    day = replace(WRITE, window=DailyWindow("09:00", "12:00"))
    first, second, same = (
        Figure(1.0, run_id=1, start_ns=5, end_ns=9),
        Figure(2.0, "", 2, 15, 19),
        Figure(2.0, "", 1, 15, 19),
    )
    kept = Window(70, "Peak", occurrences=(Occurrence(5, 9), Occurrence(15, 19)))
    with_window = book(WRITE, kept)
    assert windows_of(with_window, WRITE, first, second) == WHOLE_RUNS
    assert windows_of(with_window, day, first, second) == (run_window(1, 5, 9), run_window(2, 15, 19))
    assert windows_of(with_window, WRITE, first, same) == (run_window(1, 5, 9), run_window(1, 15, 19))
    assert windows_of(with_window, WRITE, Figure(1.0, source="000 4.4"), second) is None
    assert windows_of(with_window, WRITE, Figure(1.0, window_id=70), second) == (kept, WHOLE_RUNS[1])
    assert list(windows_to_compare(done(*COMPARED))) == [WHOLE_RUNS]


def test_a_guard_without_a_limit_is_not_called_paid_where_nothing_may_be_compared():
    baseline = Target(71, 1, CPU.id, Figure(40.0, run_id=1), None, priority=3)
    worse = Result(72, 1, CPU.id, Figure(60.0, run_id=2))
    refused = {WHOLE_RUNS: (TOO_EARLY,)}
    (guard,) = guard_standings(replace(done(baseline, worse), refused=refused), 1)
    assert guard.state is GuardState.NOT_COMPARABLE
    (limited,) = guard_standings(replace(done(replace(baseline, value=50.0), worse), refused=refused), 1)
    assert limited.state is GuardState.EXCEEDED  # a limit needs no baseline


@pytest.mark.parametrize(
    ("stored", "target", "after", "told"),
    [
        (Outcome.MET, 30.0, 27.59, Outcome.MET),
        (Outcome.ACCEPTED, 30.0, 52.06, Outcome.ACCEPTED),
        (Outcome.ACCEPTED, None, 27.59, Outcome.NO_TARGET),  # never missed: there was none
        (Outcome.ACCEPTED, 30.0, None, Outcome.UNPROVEN),
        (Outcome.MET, 30.0, 52.06, Outcome.UNPROVEN),  # closed as met, and does not show it
        (Outcome.ABANDONED, 30.0, 52.06, Outcome.ABANDONED),
        (Outcome.OPEN, None, None, Outcome.OPEN),
    ],
)
def test_how_an_iteration_ended_is_told_by_what_its_target_shows(stored, target, after, told):
    ended = replace(ITERATION, outcome=stored)
    records = done(ended, replace(TARGET, value=target), replace(RESULT, after=Figure(after, source="mkfile")))
    assert outcome_of(records, ended) is told


def test_an_iteration_that_was_closed_on_what_may_not_be_compared_proves_nothing():
    ended = replace(ITERATION, outcome=Outcome.MET)
    assert outcome_of(replace(done(ended, *COMPARED), refused={WHOLE_RUNS: (TOO_EARLY,)}), ended) is Outcome.UNPROVEN


def test_without_a_result_nothing_is_said():
    (standing,) = target_standings(book(), 1)
    assert (standing.state, standing.ratio, standing.now, standing.way) == (TargetState.NOT_MEASURED, None, None, None)
    assert standing.improvement.reason == "after_missing"


@pytest.mark.parametrize(
    ("before", "after", "descriptive"), [(12, 12, False), (2, 2, False), (1, 12, True), (12, 1, True), (12, None, True)]
)
def test_many_samples_on_both_sides_are_more_than_a_description(before, after, descriptive):
    target = replace(TARGET, baseline=Figure(86.18, run_id=1, samples=before))
    result = replace(RESULT, after=Figure(27.59, run_id=2, samples=after))
    (standing,) = target_standings(done(target, result), 1)
    assert standing.descriptive_only is descriptive


def test_the_latest_result_counts():
    (standing,) = target_standings(done(Result(70, 1, 2, Figure(40.0, source="again"))), 1)
    assert standing.state is TargetState.MISSED and standing.now == Figure(40.0, source="again")


def test_targets_come_in_the_order_of_their_priority_and_limits_of_guards_apart():
    limit = Target(71, 1, CPU.id, Figure(40.0, run_id=1), 80.0, priority=2)
    second = Target(72, 1, 2, Figure(86.18, source="x"), 60.0, priority=2)
    standings = target_standings(done(second, limit), 1)
    assert [standing.target.id for standing in standings] == [TARGET.id, 72]


@pytest.mark.parametrize(
    ("value", "bound", "goal", "direction", "state"),
    [
        # the success case: peak CPU 95 % before, below 20 % after
        (20.0, "<", 30.0, Direction.LOWER, TargetState.MET),
        (20.0, "<", 20.0, Direction.LOWER, TargetState.MET),
        (20.0, "<", 10.0, Direction.LOWER, TargetState.UNDECIDED),
        (20.0, ">", 30.0, Direction.LOWER, TargetState.UNDECIDED),
        (20.0, ">", 20.0, Direction.LOWER, TargetState.MISSED),
        (20.0, ">", 10.0, Direction.LOWER, TargetState.MISSED),
        (900.0, ">", 800.0, Direction.HIGHER, TargetState.MET),
        (900.0, ">", 950.0, Direction.HIGHER, TargetState.UNDECIDED),
        (900.0, "<", 950.0, Direction.HIGHER, TargetState.MISSED),
        (900.0, "<", 900.0, Direction.HIGHER, TargetState.MISSED),
        (900.0, "<", 800.0, Direction.HIGHER, TargetState.UNDECIDED),
        (30.0, "", 30.0, Direction.LOWER, TargetState.MET),
        (30.0, "", 30.0, Direction.HIGHER, TargetState.MET),
        (30.1, "", 30.0, Direction.LOWER, TargetState.MISSED),
        (29.9, "", 30.0, Direction.HIGHER, TargetState.MISSED),
        (30.0, "", None, Direction.LOWER, TargetState.DESCRIPTIVE),
        (30.0, "", 30.0, Direction.NEUTRAL, TargetState.DESCRIPTIVE),
        (None, "", 30.0, Direction.LOWER, TargetState.NOT_MEASURED),
        (float("nan"), "", 30.0, Direction.LOWER, TargetState.NOT_MEASURED),
    ],
)
def test_a_limit_decides_only_what_it_can(value, bound, goal, direction, state):
    assert reached(Figure(value, bound), goal, direction) is state


def _guarded(after: Figure | None, limit: float | None = None, before: float | None = 40.0, metric: Metric = CPU):
    records: list[Record] = [metric, Target(80, 1, CPU.id, Figure(before, run_id=1), limit, priority=3)]
    if after is not None:
        records.append(Result(81, 1, CPU.id, after))
    (standing,) = guard_standings(done(*records), 1)
    return standing


@pytest.mark.parametrize(
    ("after", "limit", "before", "state"),
    [
        (None, None, 40.0, GuardState.NOT_MEASURED),
        (Figure(44.3, run_id=2), None, 40.0, GuardState.PAID),
        (Figure(44.3, run_id=2), 80.0, 40.0, GuardState.HELD),
        (Figure(81.0, run_id=2), 80.0, 40.0, GuardState.EXCEEDED),
        (Figure(81.0, ">", run_id=2), 90.0, 40.0, GuardState.UNDECIDED),
        (Figure(40.0, run_id=2), None, 40.0, GuardState.HELD),
        (Figure(35.0, run_id=2), None, 40.0, GuardState.HELD),
        (Figure(35.0, run_id=2), None, None, GuardState.UNDECIDED),
        (Figure(3.0, run_id=2), None, 0.0, GuardState.PAID),  # no ratio from zero, and yet a price
        (Figure(0.0, run_id=2), None, 0.0, GuardState.HELD),
        (Figure(0.0, run_id=2), None, 4.0, GuardState.HELD),
    ],
)
def test_a_guard_tells_what_was_paid(after, limit, before, state):
    assert _guarded(after, limit, before).state is state


def test_a_guard_that_is_better_high():
    free = replace(CPU, direction=Direction.HIGHER, unit="MB")
    assert _guarded(Figure(10.0, run_id=2), metric=free).state is GuardState.PAID


def test_guards_of_actions_that_were_not_carried_out_are_silent():
    assert guard_standings(book(), 1) == ()


@pytest.mark.parametrize(
    ("after", "margin", "state"),
    [
        (Figure(27.59, source="x"), 10.0, VerificationState.CONFIRMED),
        (Figure(27.59, source="x"), None, VerificationState.CONFIRMED),
        (Figure(80.0, source="x"), 10.0, VerificationState.WITHIN_MARGIN),  # 7.2 %
        (Figure(95.0, source="x"), 10.0, VerificationState.WORSE),
        (Figure(86.18, source="x"), 0.0, VerificationState.WITHIN_MARGIN),
        (Figure(86.0, source="x"), 0.0, VerificationState.CONFIRMED),  # 0.2 %
        (Figure(86.0, source="x"), None, VerificationState.CONFIRMED),
        (Figure(80.0, "<", source="x"), 10.0, VerificationState.UNDECIDED),  # 7.2 % or more
        (Figure(27.59, "<", source="x"), 10.0, VerificationState.CONFIRMED),
        (Figure(27.59, ">", source="x"), 10.0, VerificationState.UNDECIDED),
        (None, 10.0, VerificationState.NOT_MEASURED),
    ],
)
def test_a_change_counts_when_it_passes_the_margin(after, margin, state):
    action = replace(EXECUTED, verifications=(Verification(WRITE.id, margin),))
    more = (replace(RESULT, after=after),) if after is not None else ()
    (standing,) = verification_standings(done(action, *more, without=() if more else (8,)), action)
    assert standing.state is state and standing.metric == WRITE


def test_the_bottleneck_moves_only_between_two_that_are_known():
    moved = ResultSummary(90, 1, "disk_latency", "cpu", basis="CPU p95 96 %, disk busy 40 %")
    assert (shift(moved).state, shift(moved).measured) == (ShiftState.MOVED, True)
    assert shift(replace(moved, basis=" ")).measured is False
    assert shift(replace(moved, bottleneck_after="disk_latency")).state is ShiftState.STAYED
    assert shift(replace(moved, bottleneck_after="")).state is ShiftState.UNKNOWN
    assert shift(None).state is ShiftState.UNKNOWN


def test_an_issue_is_answered_by_what_answers_its_causes():
    issue = CustomerIssue(95, 1, "slow batch")
    linked = book(issue, replace(CAUSE, issue_ids=(95,)))
    assert actions_for_issue(linked, issue) == (ACTION,)
    assert actions_for_issue(book(issue), issue) == ()


SAMPLED = replace(CPU, guards=None, statistic="mean", unit="ms")
SEEN = Figure(1.24566, run_id=2, start_ns=0, end_ns=1, samples=180)


def sure(low: float, high: float, occurrences: int = 5, source: str = "measured") -> FigureInterval:
    return FigureInterval(low, high, 0.95, occurrences, 0.1, 8.0, source, (low + high) / 2)


@pytest.mark.parametrize("direction", [Direction.LOWER, Direction.HIGHER])
def test_a_hair_s_breadth_meets_and_misses_nothing(direction: Direction):
    """As it stands 1.24566 ms meets 1.246 ms and misses 1.245 ms."""
    around = sure(1.20, 1.30)
    for goal in (1.246, 1.245, 1.20001, 1.29999):
        assert reached(SEEN, goal, direction, around) is TargetState.UNDECIDED
    above, below = (reached(SEEN, goal, direction, around) for goal in (1.31, 1.19))
    expected = (TargetState.MET, TargetState.MISSED)
    assert (above, below) == (expected if direction is Direction.LOWER else expected[::-1])


def test_a_figure_whose_interval_nobody_asked_for_decides_nothing():
    records = (SAMPLED, Target(60, 1, CPU.id, None, 2.0, priority=1), Result(61, 1, CPU.id, SEEN))
    made = book(*records, without=(TARGET.id,))
    states = []
    asked: list[dict[IntervalKey, FigureInterval | None]] = [
        {},
        {(SAMPLED, SEEN, None): None},
        {(SAMPLED, SEEN, None): sure(1.1, 1.4, 1, "assumed")},
    ]
    for intervals in (None, *asked):
        (standing,) = target_standings(replace(made, intervals=intervals), 1)
        states.append((standing.called, standing.descriptive_only))
    assert states == [("met_described", True), ("undecided", True), ("met_described", True), ("met_assumed", False)]


@pytest.mark.parametrize(
    ("change_pct", "margin", "state"),
    [
        ((-40.0, -12.0), 10.0, VerificationState.CONFIRMED),
        ((-40.0, -8.0), 10.0, VerificationState.UNDECIDED),
        ((-4.0, 6.0), 10.0, VerificationState.WITHIN_MARGIN),
        ((-4.0, 6.0), None, VerificationState.UNDECIDED),
        ((11.0, 30.0), 10.0, VerificationState.WORSE),
    ],
)
def test_all_of_the_change_s_interval_has_to_pass_the_margin(change_pct, margin, state):
    before = replace(SEEN, run_id=1)
    records = (SAMPLED, Target(60, 1, CPU.id, before, 2.0), Result(61, 1, CPU.id, SEEN))
    action = replace(EXECUTED, verifications=(Verification(CPU.id, margin),))
    intervals: dict[IntervalKey, FigureInterval | None] = {}
    low, high = (1 + each / 100 for each in change_pct)
    change = ChangeInterval("inconclusive", 0.05, (low + high) / 2, (low, high))
    intervals[SAMPLED, SEEN, before] = replace(sure(1.0, 1.5), change=change)
    (standing,) = verification_standings(replace(done(action, *records), intervals=intervals), action)
    assert standing.state is state
