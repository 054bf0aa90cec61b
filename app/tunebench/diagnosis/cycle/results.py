"""What the iteration came to: each target met or not, each guard, each verification, and where the bottleneck went.

What was measured decides by the interval in which its true value lies; a figure without one, as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from math import isfinite

from tunebench.analysis.comparing.comparison import MARGIN
from tunebench.analysis.comparing.improvement import Change, Improvement, exact, improvement
from tunebench.analysis.inference.verdict import Interval, Verdict, judge
from tunebench.core.records import record
from tunebench.domain.comparability import ChangeInterval, FigureInterval, GateCheck, WindowPair
from tunebench.domain.cycle.book import CycleBook, IntervalKey
from tunebench.domain.cycle.records import (
    CustomerIssue,
    ExperimentSource,
    Figure,
    Iteration,
    Metric,
    Outcome,
    Result,
    ResultSummary,
    SeriesSource,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, Verification
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import ASSUMED, DESCRIBED
from tunebench.domain.windows import Window, run_window

TOP_PRIORITY = 1
WITH_INTERVAL = ("mean", "p50", "p95", "p99")
"""Statistics of which it can be told how sure they are."""


class TargetState(StrEnum):
    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"  # the interval, or what lies beyond a known limit, holds the target; or nobody asked yet
    NOT_COMPARABLE = "not_comparable"  # the gate refuses to compare the window of the result with the baseline's
    CONTRADICTED = "contradicted"  # by the check of the project, which computes figures again
    NOT_MEASURED = "not_measured"
    DESCRIPTIVE = "descriptive"  # no target value, or a metric that is neither better high nor low


class VerificationState(StrEnum):
    CONFIRMED = "confirmed"
    WITHIN_MARGIN = "within_margin"
    WORSE = "worse"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not_comparable"
    CONTRADICTED = "contradicted"
    NOT_MEASURED = "not_measured"


class GuardState(StrEnum):
    HELD = "held"  # within its limit, or no worse than before where it has no limit
    PAID = "paid"  # sure to be worse than before; no limit was set
    EXCEEDED = "exceeded"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not_comparable"  # no limit was set, and the gate refuses to compare with the baseline
    CONTRADICTED = "contradicted"
    NOT_MEASURED = "not_measured"


class ShiftState(StrEnum):
    UNKNOWN = "unknown"
    STAYED = "stayed"
    MOVED = "moved"


_TOLD = (Change.IMPROVED, Change.REGRESSED)
_DECIDED = (TargetState.MET, TargetState.MISSED)
_SAID: frozenset[StrEnum] = frozenset(
    {
        *_DECIDED,
        *(GuardState.HELD, GuardState.PAID, GuardState.EXCEEDED),
        *(VerificationState.CONFIRMED, VerificationState.WITHIN_MARGIN, VerificationState.WORSE),
    }
)


@record
class TargetStanding:
    """Where a metric stands against its target.

    Attributes:
        target: the record; its `value` is None where the target has still to be set.
        result: the latest; `now` is its figure, else None.
        improvement: of `now` against the baseline, by the rule of the house; better or worse only where the gate lets
            the two be compared and their interval says so.
        refusals: the checks that refuse it.
        interval: of `now`, what the state rests on; None for a figure that is taken as it stands.
    """

    metric: Metric
    target: Target
    result: Result | None
    state: TargetState
    improvement: Improvement
    refusals: tuple[GateCheck, ...] = ()
    interval: FigureInterval | None = None

    @property
    def called(self) -> str:
        """The state as it is worded: ``met_assumed`` where one window and an assumed variation decided,
        ``met_described`` where the figures alone did."""
        return called(self.state, self.interval, _is_described(self.metric, self.now, self.interval))

    @property
    def baseline(self) -> Figure | None:
        return self.target.baseline

    @property
    def now(self) -> Figure | None:
        return self.result.after if self.result else None

    @property
    def ratio(self) -> Decimal | None:
        """How many times better, worse, higher or lower (`improvement.change`); None where it cannot be computed."""
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
        """Met or missed as it stands, but no statistical verdict: one reading on a side, or nobody knows how many; a
        statistic without an interval; occurrences of some minutes."""
        if self.interval is not None or _is_sampled(self.metric, self.now):
            return _is_described(self.metric, self.now, self.interval)
        figures = (self.baseline, self.now)
        return any(figure is not None and (figure.samples or 1) < 2 for figure in figures)


@record
class GuardStanding:
    """A metric that watches a resource which pays; `limit` is the value of its target, None where none was set."""

    metric: Metric
    action: Action
    before: Figure | None
    now: Figure | None
    limit: float | None
    state: GuardState
    improvement: Improvement
    interval: FigureInterval | None = None

    @property
    def called(self) -> str:
        return called(self.state, self.interval, _is_described(self.metric, self.now, self.interval))


@record
class VerificationStanding:
    action: Action
    verification: Verification
    metric: Metric
    state: VerificationState
    improvement: Improvement
    interval: FigureInterval | None = None
    now: Figure | None = None

    @property
    def called(self) -> str:
        return called(self.state, self.interval, _is_described(self.metric, self.now, self.interval))


@record
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


def latest_figure(book: CycleBook, metric_id: int) -> Figure | None:
    result = latest_result(book, metric_id)
    return result.after if result else None


def baseline_of(book: CycleBook, metric_id: int) -> Figure | None:
    """The baseline that the metric's target holds."""
    baselines = (target.baseline for target in book.all(Target) if target.metric_id == metric_id)
    return next((figure for figure in baselines if value_of(figure) is not None), None)


def reached(
    now: Figure | None, goal: float | None, direction: Direction, interval: FigureInterval | None = None
) -> TargetState:
    """Whether a figure reaches `goal`: all of its interval, where it has one; a limit decides only where the true value
    cannot lie on the other side."""
    value = value_of(now)
    if now is None or value is None:
        return TargetState.NOT_MEASURED
    if goal is None or direction is Direction.NEUTRAL:
        return TargetState.DESCRIPTIVE
    if interval is not None:
        return _by_interval(interval.low, interval.high, goal, direction)
    good, bad = ("<", ">") if direction is Direction.LOWER else (">", "<")
    fits = value <= goal if direction is Direction.LOWER else value >= goal
    if not now.bound:
        return TargetState.MET if fits else TargetState.MISSED
    if now.bound == good:
        return TargetState.MET if fits else TargetState.UNDECIDED
    beyond = now.bound == bad and (not fits or value == goal)
    return TargetState.MISSED if beyond else TargetState.UNDECIDED


def _by_interval(low: float, high: float, goal: float, direction: Direction) -> TargetState:
    best, worst = (low, high) if direction is Direction.LOWER else (-high, -low)
    goal = goal if direction is Direction.LOWER else -goal
    if worst <= goal:
        return TargetState.MET
    return TargetState.MISSED if best > goal else TargetState.UNDECIDED


def change_between(
    before: Figure | None, now: Figure | None, metric: Metric, *, comparable: bool = True
) -> Improvement:
    """The change by the figures alone; neither better nor worse where the two are not `comparable`."""
    return improvement(
        value_of(before),
        value_of(now),
        metric.direction if comparable else Direction.NEUTRAL,
        before_bound=before.bound if before else "",
        after_bound=now.bound if now else "",
        percentage=metric.unit == "%",
    )


def _judged_change(
    metric: Metric,
    before: Figure | None,
    now: Figure | None,
    refusals: tuple[GateCheck, ...] | None,
    interval: FigureInterval | None,
) -> Improvement:
    """Better or worse only where the gate compares the two and their interval says so; else higher or lower."""
    change = change_between(before, now, metric, comparable=refusals == ())
    if change.change in _TOLD and change.change.value != _verdict(metric, before, interval):
        change = change_between(before, now, metric, comparable=False)
    factors = None if change.ratio is None or refusals != () else _factors(metric, before, interval)
    if factors is None:
        return change
    fell = (value_of(now) or 0.0) < (value_of(before) or 0.0)
    low, estimate, high = factors
    if fell and change.change in _TOLD:
        low, estimate, high = 1 / high, 1 / estimate, 1 / low
    return replace(change, interval=(low, high), estimate=estimate)


def _factors(
    metric: Metric, before: Figure | None, interval: FigureInterval | None
) -> tuple[float, float, float] | None:
    """Where the figure over its baseline lies, around which estimate; of a baseline that was typed in that is exact.
    None where the difference is judged and not the ratio."""
    if interval is None:
        return None
    if interval.change is not None:
        change = interval.change
        if change.difference is not None or change.ends is None or change.ratio is None:
            return None
        return change.ends[0], change.ratio, change.ends[1]
    start = value_of(before)
    if start is None or _is_sampled(metric, before) or not min(start, interval.low) > 0:
        return None
    return interval.low / start, interval.value / start, interval.high / start


def _verdict(metric: Metric, before: Figure | None, interval: FigureInterval | None) -> str:
    """The verdict as of a comparison; empty where the figures are taken as they stand."""
    if interval is None or interval.change is not None:
        return interval.change.verdict if interval is not None and interval.change is not None else ""
    factors = _factors(metric, before, interval)
    if factors is None:
        return Verdict.INCONCLUSIVE.value if _is_sampled(metric, before) else ""
    low, _, high = factors
    better = (1 / high, 1 / low) if metric.direction is Direction.LOWER else (low, high)
    return judge(Interval(*better), MARGIN).value


def target_standings(book: CycleBook, iteration_id: int) -> tuple[TargetStanding, ...]:
    """Every target of the iteration that has a metric, the top priority first; the limits of guards are not among
    them."""
    targets = sorted(book.in_iteration(Target, iteration_id), key=lambda target: (target.priority, target.id))
    pairs = ((target, book.find(Metric, target.metric_id)) for target in targets)
    judged = ((target, metric) for target, metric in pairs if metric is not None and metric.guards is None)
    return tuple(target_standing(book, target, metric) for target, metric in judged)


def target_standing(book: CycleBook, target: Target, metric: Metric) -> TargetStanding:
    result = latest_result(book, metric.id)
    if book.is_contradicted(metric):
        return TargetStanding(metric, target, result, TargetState.CONTRADICTED, change_between(None, None, metric))
    now = result.after if result else None
    refusals = refusals_between(book, metric, target.baseline, now)
    interval = interval_of(book, metric, now)
    state = reached(now, target.value, metric.direction, interval)
    if refusals and state in (*_DECIDED, TargetState.UNDECIDED):
        state = TargetState.NOT_COMPARABLE
    elif state in _DECIDED and (refusals is None or not is_sure(book, metric, now)):
        state = TargetState.UNDECIDED
    change = _judged_change(metric, target.baseline, now, refusals, interval)
    return TargetStanding(metric, target, result, state, change, refusals or (), interval)


def top_targets(book: CycleBook, iteration_id: int) -> tuple[Target, ...]:
    """The targets that are called the top priority; the method wants exactly one."""
    return tuple(target for target in book.in_iteration(Target, iteration_id) if target.priority == TOP_PRIORITY)


# --- whether the windows may be compared


def windows_of(book: CycleBook, metric: Metric, before: Figure | None, now: Figure | None) -> WindowPair | None:
    """The windows in which the two were measured; None where one of them is of none, as a published figure is.

    Those that are kept as they are now; a metric without a daily window was measured over the whole of either run.
    """
    if before is None or now is None:
        return None
    whole = metric.window is None and before.run_id != now.run_id
    first, second = window_of(book, before, whole), window_of(book, now, whole)
    return None if first is None or second is None else (first, second)


def window_of(book: CycleBook, figure: Figure, whole: bool = False) -> Window | None:
    """The kept window that the figure was measured over, else the stretch of its run, or the `whole` of it."""
    kept = book.find(Window, figure.window_id)
    if kept is not None:
        return kept
    if figure.run_id is None:
        return None
    return run_window(figure.run_id) if whole else run_window(figure.run_id, figure.start_ns, figure.end_ns)


def windows_to_compare(book: CycleBook) -> Iterator[WindowPair]:
    """The pairs of windows that a verdict rests on, each once."""
    pairs: dict[WindowPair, None] = {}
    for metric in book.all(Metric):
        windows = windows_of(book, metric, baseline_of(book, metric.id), latest_figure(book, metric.id))
        if windows is not None:
            pairs[windows] = None
    yield from pairs


def refusals_between(
    book: CycleBook, metric: Metric, before: Figure | None, now: Figure | None
) -> tuple[GateCheck, ...] | None:
    """The checks that refuse to compare the two, none where nothing does; None where that has not been asked yet."""
    windows = windows_of(book, metric, before, now)
    if windows is None or book.refused is None:
        return ()
    return book.refused.get(windows)


# --- how sure the figures are


def interval_key(metric: Metric, before: Figure | None, now: Figure | None) -> IntervalKey | None:
    """What an interval can be asked for: a level that was taken from samples; None for others."""
    if now is None or value_of(now) is None or metric.statistic not in WITH_INTERVAL or not _is_sampled(metric, now):
        return None
    return metric, now, before if value_of(before) is not None and _is_sampled(metric, before) else None


def _is_sampled(metric: Metric, figure: Figure | None) -> bool:
    """Whether the figure was taken from samples: neither typed in nor a sum over statements."""
    if figure is None or figure.source:
        return False
    if isinstance(metric.source, ExperimentSource):
        return bool(figure.cell)
    captured = figure.run_id is not None or figure.window_id is not None
    return captured and isinstance(metric.source, SeriesSource)


def figures_to_be_sure_of(book: CycleBook) -> Iterator[IntervalKey]:
    """The figures that a verdict rests on."""
    for metric in book.all(Metric):
        key = interval_key(metric, baseline_of(book, metric.id), latest_figure(book, metric.id))
        if key is not None:
            yield key


def interval_of(book: CycleBook, metric: Metric, now: Figure | None) -> FigureInterval | None:
    """The figure's interval; None where it has none or none was computed."""
    key = interval_key(metric, baseline_of(book, metric.id), now)
    return None if key is None or book.intervals is None else book.intervals.get(key)


def is_sure(book: CycleBook, metric: Metric, now: Figure | None) -> bool:
    """Whether nothing is left to ask."""
    key = interval_key(metric, baseline_of(book, metric.id), now)
    return key is None or book.intervals is None or key in book.intervals


def called(state: StrEnum, interval: FigureInterval | None, described: bool = False) -> str:
    """``met_assumed`` where one window, and a variation that is assumed, have decided; ``met_described`` where samples
    that are too few, or of which nobody knows how sure they are, lie on that side."""
    if described and state in _SAID:
        return f"{state.value}{DESCRIBED}"
    return f"{state.value}{ASSUMED}" if interval is not None and interval.assumed and state in _SAID else state.value


def _is_described(metric: Metric, now: Figure | None, interval: FigureInterval | None) -> bool:
    """Whether a figure was taken from samples and has no interval that a verdict could rest on."""
    return interval.short if interval is not None else _is_sampled(metric, now)


# --- what the changes cost


def guard_standings(
    book: CycleBook, iteration_id: int, state: ActionState = ActionState.EXECUTED
) -> tuple[GuardStanding, ...]:
    """The guards of the iteration's executed actions, or of those in another state.

    Those that rest on an interval are judged together: each as one of them all, and those that stay undecided again as
    one of so many as are left (Holm, Scandinavian Journal of Statistics 6, 1979).
    """
    watched = ((metric, book.find(Action, metric.guards)) for metric in book.in_iteration(Metric, iteration_id))
    by_metric = {
        metric.id: _guard_standing(book, metric, action, 1)
        for metric, action in watched
        if action is not None and action.state is state
    }
    left = [guard for guard in by_metric.values() if _is_judged_with_others(guard)]
    count = len(left) + 1
    while 0 < len(left) < count:
        count = len(left)
        again = [_guard_standing(book, guard.metric, guard.action, count) for guard in left]
        by_metric |= {guard.metric.id: guard for guard in again}
        left = [guard for guard in again if guard.state is GuardState.UNDECIDED]
    return tuple(by_metric.values())


def _is_judged_with_others(one: GuardStanding) -> bool:
    comparable = one.state not in (GuardState.NOT_MEASURED, GuardState.NOT_COMPARABLE)
    return comparable and one.interval is not None and one.metric.direction is not Direction.NEUTRAL


def _guard_standing(book: CycleBook, metric: Metric, action: Action, count: int) -> GuardStanding:
    """Where a guard stands as one of `count` that are judged together."""
    before = baseline_of(book, metric.id)
    now = latest_figure(book, metric.id)
    limits = (target.value for target in book.all(Target) if target.metric_id == metric.id)
    limit = next((value for value in limits if value is not None), None)
    if book.is_contradicted(metric):
        unknown = change_between(None, None, metric)
        return GuardStanding(metric, action, before, now, limit, GuardState.CONTRADICTED, unknown)
    refusals = refusals_between(book, metric, before, now)
    interval = interval_of(book, metric, now)
    interval = interval and interval.as_one_of(count)
    change = _judged_change(metric, before, now, refusals, interval)
    bare = change_between(before, now, metric, comparable=refusals == ())
    state = _guard_state(now, limit, metric, _way_of(before, now, metric, bare), interval)
    if limit is None and interval is not None and (verdict := _verdict(metric, before, interval)):
        state = _guarded(metric, verdict, _factors(metric, before, interval), interval.change)
    if limit is None and state is not GuardState.NOT_MEASURED and refusals != ():
        state = GuardState.NOT_COMPARABLE if refusals else GuardState.UNDECIDED
    elif state is not GuardState.NOT_MEASURED and not is_sure(book, metric, now):
        state = GuardState.UNDECIDED
    return GuardStanding(metric, action, before, now, limit, state, change, interval)


def _guard_state(
    now: Figure | None, limit: float | None, metric: Metric, way: Change, interval: FigureInterval | None
) -> GuardState:
    if value_of(now) is None:
        return GuardState.NOT_MEASURED
    if limit is not None and metric.direction is not Direction.NEUTRAL:
        by_limit = {TargetState.MET: GuardState.HELD, TargetState.MISSED: GuardState.EXCEEDED}
        return by_limit.get(reached(now, limit, metric.direction, interval), GuardState.UNDECIDED)
    if way is Change.REGRESSED:
        return GuardState.PAID
    return GuardState.HELD if way in (Change.IMPROVED, Change.UNCHANGED) else GuardState.UNDECIDED


def _guarded(
    metric: Metric, verdict: str, factors: tuple[float, float, float] | None, change: ChangeInterval | None
) -> GuardState:
    """Held where it is sure not to be worse by what matters, also where nobody can tell whether it is better."""
    if verdict == Verdict.REGRESSED:
        return GuardState.PAID
    if verdict in (Verdict.IMPROVED, Verdict.EQUIVALENT):
        return GuardState.HELD
    lower = metric.direction is Direction.LOWER
    if metric.direction is Direction.NEUTRAL:
        return GuardState.UNDECIDED
    if change is not None and change.difference is not None:
        low, high = change.difference
        return GuardState.HELD if (high if lower else -low) <= change.least else GuardState.UNDECIDED
    if factors is None:
        return GuardState.UNDECIDED
    worst = factors[2] if lower else 1 / factors[0]
    return GuardState.HELD if worst <= 1 + (change.margin if change else MARGIN) else GuardState.UNDECIDED


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
    now = latest_figure(book, metric.id)
    before = baseline_of(book, metric.id)
    if book.is_contradicted(metric):
        unknown = change_between(None, None, metric)
        return VerificationStanding(action, verification, metric, VerificationState.CONTRADICTED, unknown)
    refusals = refusals_between(book, metric, before, now)
    interval = interval_of(book, metric, now)
    change = _judged_change(metric, before, now, refusals, interval)
    bare = change_between(before, now, metric, comparable=refusals == ())
    state = _verification_state(value_of(now), verification.margin_pct, bare)
    if interval is not None and interval.change is not None and state is not VerificationState.NOT_MEASURED:
        state = _verified_by(interval.change.ends, verification.margin_pct or 0.0, metric.direction)
    if refusals and state is not VerificationState.NOT_MEASURED:
        state = VerificationState.NOT_COMPARABLE
    elif state is not VerificationState.NOT_MEASURED and not is_sure(book, metric, now):
        state = VerificationState.UNDECIDED
    return VerificationStanding(action, verification, metric, state, change, interval, now)


def _verification_state(now: float | None, margin_pct: float | None, change: Improvement) -> VerificationState:
    """The margin is in per cent of the baseline; a known limit ("at least") beyond it confirms too."""
    if now is None:
        return VerificationState.NOT_MEASURED
    if change.rate_pct is None or change.change is Change.CHANGED:
        return VerificationState.UNDECIDED
    if abs(change.rate_pct) < exact(margin_pct or 0) or change.change is Change.UNCHANGED:
        return VerificationState.UNDECIDED if change.at_least else VerificationState.WITHIN_MARGIN
    return VerificationState.CONFIRMED if change.change is Change.IMPROVED else VerificationState.WORSE


def _verified_by(ends: tuple[float, float] | None, margin_pct: float, direction: Direction) -> VerificationState:
    """All of the interval of the change beyond the margin, or within it; undecided where that has none."""
    if ends is None or direction is Direction.NEUTRAL:
        return VerificationState.UNDECIDED
    rose = 100 * (ends[0] - 1), 100 * (ends[1] - 1)
    low, high = rose if direction is Direction.HIGHER else (-rose[1], -rose[0])
    if low >= margin_pct and low > 0:
        return VerificationState.CONFIRMED
    if high <= -margin_pct and high < 0:
        return VerificationState.WORSE
    inside = -margin_pct < low and high < margin_pct
    return VerificationState.WITHIN_MARGIN if inside else VerificationState.UNDECIDED


# --- the whole


def outcome_of(book: CycleBook, iteration: Iteration) -> Outcome:
    """How the iteration ended, by what its top-priority target shows: a target that was never set is neither met nor
    missed, and one that nothing proves is not called either."""
    if iteration.outcome not in (Outcome.MET, Outcome.ACCEPTED):
        return iteration.outcome
    tops = (standing for standing in target_standings(book, iteration.id) if standing.is_top)
    top = next(tops, None)
    if top is None or top.target.value is None:
        return Outcome.NO_TARGET
    if top.called.endswith(DESCRIBED):
        return Outcome.UNPROVEN
    if top.state is TargetState.MET:
        return Outcome.MET
    missed = top.state is TargetState.MISSED and iteration.outcome is Outcome.ACCEPTED
    return Outcome.ACCEPTED if missed else Outcome.UNPROVEN


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
