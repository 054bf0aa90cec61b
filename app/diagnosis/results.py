"""What the iteration came to: each target met or not, each guard, each verification, and where the bottleneck went."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import isfinite

from app.analysis.improvement import Change, Improvement, exact, improvement
from app.domain.cycle import CustomerIssue, Figure, Iteration, Metric, Result, ResultSummary, Target
from app.domain.cycle_book import CycleBook
from app.domain.engagement import Direction
from app.domain.worksheet import Action, ActionState, Verification

TOP_PRIORITY = 1


class TargetState(StrEnum):
    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"  # only a limit of the figure is known, and the target lies beyond it
    NOT_MEASURED = "not_measured"
    DESCRIPTIVE = "descriptive"  # no target value, or a metric that is neither better high nor low


class VerificationState(StrEnum):
    CONFIRMED = "confirmed"
    WITHIN_MARGIN = "within_margin"
    WORSE = "worse"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not_measured"


class GuardState(StrEnum):
    HELD = "held"  # within its limit, or no worse than before where it has no limit
    PAID = "paid"  # worse than before; no limit was set
    EXCEEDED = "exceeded"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not_measured"


class ShiftState(StrEnum):
    UNKNOWN = "unknown"
    STAYED = "stayed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class TargetStanding:
    """Where a metric stands against its target.

    Attributes:
        target: the record; its `value` is None where the target has still to be set.
        result: the latest; `now` is its figure, else None.
        improvement: of `now` against the baseline, by the rule of the house.
    """

    metric: Metric
    target: Target
    result: Result | None
    state: TargetState
    improvement: Improvement

    @property
    def baseline(self) -> Figure | None:
        return self.target.baseline

    @property
    def now(self) -> Figure | None:
        return self.result.after if self.result else None

    @property
    def ratio(self) -> Decimal | None:
        """How many times better or worse (`improvement.change` says which); None where it cannot be computed."""
        return self.improvement.ratio

    @property
    def is_top(self) -> bool:
        return self.target.priority == TOP_PRIORITY

    @property
    def way(self) -> float | None:
        """Share of the way from the baseline to the target that has been gone: 1 at the target, below 0 gone back."""
        start, end, here = value_of(self.baseline), self.target.value, value_of(self.now)
        if start is None or end is None or here is None or start == end:
            return None
        return float((exact(here) - exact(start)) / (exact(end) - exact(start)))

    @property
    def descriptive_only(self) -> bool:
        """One reading on a side, or nobody knows how many: met or missed as it stands, but no statistical verdict."""
        figures = (self.baseline, self.now)
        return any(figure is not None and (figure.samples or 1) < 2 for figure in figures)


@dataclass(frozen=True, slots=True)
class GuardStanding:
    """A metric that watches a resource which pays; `limit` is the value of its target, None where none was set."""

    metric: Metric
    action: Action
    before: Figure | None
    now: Figure | None
    limit: float | None
    state: GuardState
    improvement: Improvement


@dataclass(frozen=True, slots=True)
class VerificationStanding:
    action: Action
    verification: Verification
    metric: Metric
    state: VerificationState
    improvement: Improvement


@dataclass(frozen=True, slots=True)
class Shift:
    """Where the bottleneck was and is; `measured` False: a description, nothing says what it rests on."""

    state: ShiftState
    before: str = ""
    after: str = ""
    measured: bool = False


def value_of(figure: Figure | None) -> float | None:
    """The figure's number; None where it was not measured."""
    if figure is None or figure.value is None or not isfinite(figure.value):
        return None
    return figure.value


def latest_result(book: CycleBook, metric_id: int) -> Result | None:
    results = [result for result in book.all(Result) if result.metric_id == metric_id]
    return results[-1] if results else None


def baseline_of(book: CycleBook, metric_id: int) -> Figure | None:
    """The baseline that the metric's target holds."""
    found = (target.baseline for target in book.all(Target) if target.metric_id == metric_id)
    return next((figure for figure in found if value_of(figure) is not None), None)


def reached(now: Figure | None, goal: float | None, direction: Direction) -> TargetState:
    """Whether a figure reaches `goal`; a limit decides only where the true value cannot lie on the other side."""
    value = value_of(now)
    if now is None or value is None:
        return TargetState.NOT_MEASURED
    if goal is None or direction is Direction.NEUTRAL:
        return TargetState.DESCRIPTIVE
    good, bad = ("<", ">") if direction is Direction.LOWER else (">", "<")
    fits = value <= goal if direction is Direction.LOWER else value >= goal
    if not now.bound:
        return TargetState.MET if fits else TargetState.MISSED
    if now.bound == good:
        return TargetState.MET if fits else TargetState.UNDECIDED
    beyond = now.bound == bad and (not fits or value == goal)
    return TargetState.MISSED if beyond else TargetState.UNDECIDED


def change_between(before: Figure | None, now: Figure | None, metric: Metric) -> Improvement:
    return improvement(
        value_of(before),
        value_of(now),
        metric.direction,
        before_bound=before.bound if before else "",
        after_bound=now.bound if now else "",
        percentage=metric.unit == "%",
    )


def target_standings(book: CycleBook, iteration_id: int) -> tuple[TargetStanding, ...]:
    """Every target of the iteration that has a metric, the top priority first; the limits of guards are not among
    them."""
    targets = sorted(book.in_iteration(Target, iteration_id), key=lambda target: (target.priority, target.id))
    found = ((target, book.find(Metric, target.metric_id)) for target in targets)
    judged = ((target, metric) for target, metric in found if metric is not None and metric.guards is None)
    return tuple(target_standing(book, target, metric) for target, metric in judged)


def target_standing(book: CycleBook, target: Target, metric: Metric) -> TargetStanding:
    result = latest_result(book, metric.id)
    now = result.after if result else None
    state = reached(now, target.value, metric.direction)
    return TargetStanding(metric, target, result, state, change_between(target.baseline, now, metric))


def top_targets(book: CycleBook, iteration_id: int) -> tuple[Target, ...]:
    """The targets that are called the top priority; the method wants exactly one."""
    return tuple(target for target in book.in_iteration(Target, iteration_id) if target.priority == TOP_PRIORITY)


# --- what the changes cost


def guard_standings(book: CycleBook, iteration_id: int) -> tuple[GuardStanding, ...]:
    """The guards of the iteration's executed actions."""
    watched = ((metric, book.find(Action, metric.guards)) for metric in book.in_iteration(Metric, iteration_id))
    return tuple(
        guard_standing(book, metric, action)
        for metric, action in watched
        if action is not None and action.state is ActionState.EXECUTED
    )


def guard_standing(book: CycleBook, metric: Metric, action: Action) -> GuardStanding:
    before = baseline_of(book, metric.id)
    result = latest_result(book, metric.id)
    now = result.after if result else None
    limits = (target.value for target in book.all(Target) if target.metric_id == metric.id)
    limit = next((value for value in limits if value is not None), None)
    change = change_between(before, now, metric)
    state = _guard_state(now, limit, metric, _way_of(before, now, metric, change))
    return GuardStanding(metric, action, before, now, limit, state, change)


def _guard_state(now: Figure | None, limit: float | None, metric: Metric, way: Change) -> GuardState:
    if value_of(now) is None:
        return GuardState.NOT_MEASURED
    if limit is not None and metric.direction is not Direction.NEUTRAL:
        by_limit = {TargetState.MET: GuardState.HELD, TargetState.MISSED: GuardState.EXCEEDED}
        return by_limit.get(reached(now, limit, metric.direction), GuardState.UNDECIDED)
    if way is Change.REGRESSED:
        return GuardState.PAID
    return GuardState.HELD if way in (Change.IMPROVED, Change.UNCHANGED) else GuardState.UNDECIDED


def _way_of(before: Figure | None, now: Figure | None, metric: Metric, change: Improvement) -> Change:
    """Better or worse, also where a zero on one side forbids a ratio (no swapping before, some after)."""
    old, new = value_of(before), value_of(now)
    exactly = before is not None and now is not None and not before.bound and not now.bound
    if change.change is not Change.NOT_COMPUTABLE or old is None or new is None or not exactly:
        return change.change
    if old == new or metric.direction is Direction.NEUTRAL:
        return Change.UNCHANGED if old == new else Change.CHANGED
    return Change.IMPROVED if (new < old) is (metric.direction is Direction.LOWER) else Change.REGRESSED


# --- whether the changes did it


def verification_standings(book: CycleBook, action: Action) -> tuple[VerificationStanding, ...]:
    named = ((verification, book.find(Metric, verification.metric_id)) for verification in action.verifications)
    return tuple(_verified(book, action, verification, metric) for verification, metric in named if metric is not None)


def _verified(book: CycleBook, action: Action, verification: Verification, metric: Metric) -> VerificationStanding:
    result = latest_result(book, metric.id)
    now = result.after if result else None
    change = change_between(baseline_of(book, metric.id), now, metric)
    state = _verification_state(value_of(now), verification.margin_pct, change)
    return VerificationStanding(action, verification, metric, state, change)


def _verification_state(now: float | None, margin_pct: float | None, change: Improvement) -> VerificationState:
    """The margin is in per cent of the baseline; a known limit ("at least") beyond it confirms too."""
    if now is None:
        return VerificationState.NOT_MEASURED
    if change.rate_pct is None or change.change is Change.CHANGED:
        return VerificationState.UNDECIDED
    if abs(change.rate_pct) < exact(margin_pct or 0) or change.change is Change.UNCHANGED:
        return VerificationState.UNDECIDED if change.at_least else VerificationState.WITHIN_MARGIN
    return VerificationState.CONFIRMED if change.change is Change.IMPROVED else VerificationState.WORSE


# --- the whole


def shift(summary: ResultSummary | None) -> Shift:
    """A bottleneck that moved, as the summary says it; two known resources are needed for a judgement."""
    if summary is None or not summary.bottleneck_before or not summary.bottleneck_after:
        return Shift(ShiftState.UNKNOWN, *((summary.bottleneck_before, summary.bottleneck_after) if summary else ()))
    before, after = summary.bottleneck_before, summary.bottleneck_after
    state = ShiftState.STAYED if before == after else ShiftState.MOVED
    return Shift(state, before, after, bool(summary.basis.strip()))


def summary_of(book: CycleBook, iteration: Iteration) -> ResultSummary | None:
    return next(iter(reversed(book.in_iteration(ResultSummary, iteration.id))), None)


def actions_for_issue(book: CycleBook, issue: CustomerIssue) -> tuple[Action, ...]:
    """The countermeasures that answer a cause of the issue: a cell of the issue by action matrix."""
    causes = {record.id for record in book.users_of(issue.id)}
    return tuple(action for action in book.all(Action) if causes & set(action.cause_ids))
