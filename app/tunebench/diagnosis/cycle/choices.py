"""What a result was chosen from: runs and windows after the change that were not taken, captures that are gone, a
target that was set by somebody who may have seen the captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tunebench.core.grouping import by_key
from tunebench.diagnosis.cycle import tried
from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.gates import changed_at
from tunebench.diagnosis.cycle.results import baseline_of
from tunebench.domain.assembly import Span, overlap_of, without
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.recorded import CameIn, Captures
from tunebench.domain.cycle.records import (
    ExperimentSource,
    Figure,
    Iteration,
    MeasurementSource,
    Metric,
    Result,
    SeriesSource,
    StatementSource,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.windows import Window, WindowRole, ends_of

PROVENANCE = ("captures_rehosted", "time_by_hand", "captures_contradict")
"""Keys of what is known of the captures themselves: no verdict is called by its word alone where one of them holds."""
KEYS = (
    *PROVENANCE,
    "not_taken",
    "baseline_not_taken",
    "window_laid_again",
    "part_of_run",
    "target_after_captures",
    "captures_removed",
    "experiments_removed",
    *tried.KEYS,
)
_MOST_NAMES = 8
_LEFT_OUT = 0.05
"""What a window may leave out of a run without a word."""


def choices(book: CycleBook, iteration: Iteration) -> Iterator[Gate]:
    """Keys below ``disclosure.``: `KEYS`; nothing where nobody knows what lies in the project."""
    results = book.in_iteration(Result, iteration.id)
    if book.captures is None or not results:
        return
    yield from _each_once(_of_results(book, book.captures, results))
    if book.captures.removed:
        facts: dict[str, Fact] = {"n": len(book.captures.removed), "names": _some(book.captures.removed)}
        yield Gate("captures_removed", facts, (), StepNumber.RESULT)
    if book.tries is not None and book.tries.removed:
        titles: dict[str, Fact] = {"n": len(book.tries.removed), "names": _some(book.tries.removed)}
        yield Gate("experiments_removed", titles, (), StepNumber.RESULT)


def _of_results(book: CycleBook, captures: Captures, results: Iterable[Result]) -> Iterator[Gate]:
    for result in results:
        metric = book.find(Metric, result.metric_id)
        if metric is not None and metric.guards is None:
            yield from _provenance(book, captures, metric, result)
            yield from _not_taken(book, captures, metric, result)
            yield from _laid_again(book, metric, result)
            yield from _part_of_run(book, captures, metric, result)
            yield from _target_after(book, captures, metric, result)
            yield from tried.of_result(book, metric, result)


def _each_once(gates: Iterable[Gate]) -> Iterator[Gate]:
    """Gates that differ only in the metric, joined into one that names all the metrics."""
    alike = by_key(((gate.key, *_without_metric(gate)), gate) for gate in gates)
    for same in alike.values():
        metrics = tuple(str(gate.facts["metric"]) for gate in same)
        ids = tuple(id_ for gate in same for id_ in gate.record_ids)
        yield replace(same[0], facts={**same[0].facts, "metric": metrics}, record_ids=ids)


def _without_metric(gate: Gate) -> tuple[Fact, ...]:
    return tuple(fact for name, fact in gate.facts.items() if name != "metric")


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    return names if len(names) <= _MOST_NAMES else (*names[:_MOST_NAMES], "…")


def _provenance(book: CycleBook, captures: Captures, metric: Metric, result: Result) -> Iterator[Gate]:
    """Captures behind either figure that were put to another host, dated by hand, or contradict others."""
    figures = [figure for figure in (baseline_of(book, metric.id), result.after) if figure is not None]
    own = [capture for capture in captures.came_in if any(_bears(capture, figure, metric) for figure in figures)]
    moved = [capture for capture in own if len(capture.hosts) > 1]
    facts: dict[str, Fact] = {"metric": metric.name}
    if moved:
        hosts: dict[str, Fact] = {
            "before": tuple(dict.fromkeys(host for capture in moved for host in capture.hosts[:-1])),
            "after": tuple(dict.fromkeys(capture.hosts[-1] for capture in moved)),
        }
        yield _of_captures("captures_rehosted", {**facts, **hosts}, moved, result)
    dated = [capture for capture in own if capture.said]
    if dated:
        yield _of_captures("time_by_hand", facts, dated, result)
    wanted = {metric.source.native, metric.source.metric} - {""} if isinstance(metric.source, SeriesSource) else set()
    at_odds = [capture for capture in own if any(not columns.isdisjoint(wanted) for _, columns in capture.contradicts)]
    if at_odds:
        pairs = (pair for capture in at_odds for pair in capture.contradicts)
        others = tuple(dict.fromkeys(name for name, columns in pairs if not columns.isdisjoint(wanted)))
        yield _of_captures("captures_contradict", {**facts, "others": _some(others)}, at_odds, result)


def _of_captures(key: str, facts: dict[str, Fact], own: list[CameIn], result: Result) -> Gate:
    names = _some(tuple(dict.fromkeys(capture.name for capture in own)))
    return Gate(key, {**facts, "names": names}, (result.id,), StepNumber.RESULT)


def _bears(capture: CameIn, figure: Figure, metric: Metric) -> bool:
    """Whether a capture is one of those that a figure was taken from, by its time or run and its columns."""
    source = metric.source
    if isinstance(source, MeasurementSource | ExperimentSource) or not _of_its_time(capture, figure):
        return False
    return not isinstance(source, SeriesSource) or not capture.columns.isdisjoint({source.native, source.metric} - {""})


def _of_its_time(capture: CameIn, figure: Figure) -> bool:
    if figure.start_ns is None or figure.end_ns is None:
        return figure.run_id is not None and capture.run_id == figure.run_id
    return _shares((figure.start_ns, figure.end_ns), capture) and figure.run_id in (None, capture.run_id)


def _not_taken(book: CycleBook, captures: Captures, metric: Metric, result: Result) -> Iterator[Gate]:
    """Runs and windows on the same side of the change that were not taken, the baseline's and the result's."""
    changed, before, now = changed_at(book, metric), baseline_of(book, metric.id), result.after
    if not changed or isinstance(metric.source, MeasurementSource | ExperimentSource):
        return  # a measurement has one figure of either side, and of trials `tried` tells
    first = min(changed)
    for key, figure, is_after in (("not_taken", now, True), ("baseline_not_taken", before, False)):
        if figure is None or (figure.run_id is None and figure.window_id is None):
            continue  # typed in: not chosen from what lies here
        runs = (run for run in captures.runs if not any(_rests_on(book, one, run) for one in (now, before)))
        measuring = (run for run in runs if _measures(captures, metric, run))
        others = [run.label for run in measuring if _is_after(run, first) is is_after]
        taken = {one.window_id for one in (now, before) if one is not None}
        windows = (window for window in book.all(Window) if window.id not in taken)
        others += [window.name for window in windows if _lies_after(window, first) is is_after]
        if others:
            facts: dict[str, Fact] = {"metric": metric.name, "chosen": _origin(book, captures, figure)}
            facts |= {"n": len(others), "others": _some(tuple(others))}
            yield Gate(key, facts, (result.id, metric.id), StepNumber.RESULT)


def _measures(captures: Captures, metric: Metric, run: Run) -> bool:
    """Whether a run has a column that the metric's figure could have been taken from, as far as that is known."""
    source = metric.source
    if isinstance(source, SeriesSource) and captures.columns is not None:
        return any((run.id, name) in captures.columns for name in (source.native, source.metric) if name)
    return not isinstance(source, StatementSource) or captures.statements is None or run.id in captures.statements


def _origin(book: CycleBook, captures: Captures, figure: Figure) -> str:
    window = book.find(Window, figure.window_id)
    run = next((candidate for candidate in captures.runs if candidate.id == figure.run_id), None)
    return window.name if window is not None else run.label if run is not None else figure.source


def _is_after(run: Run, changed_ns: int) -> bool | None:
    """Whether a run is after the change, by its samples, else by its phase; None where neither says."""
    if run.last_ns is None or run.dated_by_file:
        return None if run.phase is Phase.OTHER else run.phase is Phase.AFTER
    return run.last_ns > changed_ns


def _lies_after(window: Window, changed_ns: int) -> bool | None:
    start_ns = ends_of(window.occurrences)[0]
    if start_ns is None:
        return None if window.role is WindowRole.OTHER else window.role is WindowRole.AFTER
    return start_ns >= changed_ns


def _rests_on(book: CycleBook, figure: Figure | None, run: Run) -> bool:
    if figure is None:
        return False
    window = book.find(Window, figure.window_id)
    if window is None:
        return figure.run_id == run.id
    return any(
        occurrence.run_id == run.id or (occurrence.run_id is None and _shares(occurrence.span, run))
        for occurrence in window.occurrences
    )


def _shares(span: tuple[int, int], run: Run | CameIn) -> bool:
    if run.first_ns is None or run.last_ns is None:
        return False
    return span[0] <= run.last_ns and run.first_ns <= span[1]


def _laid_again(book: CycleBook, metric: Metric, result: Result) -> Iterator[Gate]:
    """A result whose window was moved between the change and the recording of the result."""
    window, recorded = book.find(Window, result.after.window_id), book.recorded.get((result.id, "after"))
    actions = {action.id for action in book.in_iteration(Action, metric.iteration_id)}
    executed = [
        book.recorded[line.id, "executed_at"].entry
        for line in book.all(ExecutedChange)
        if line.action_id in actions and (line.id, "executed_at") in book.recorded
    ]
    if window is None or recorded is None or not executed:
        return
    laid = [record.entry for record in book.laid.get(window.id, ()) if record.entry < recorded.entry]
    again = [entry for entry in laid[1:] if entry > min(executed)]
    if again:
        facts: dict[str, Fact] = {"metric": metric.name, "window": window.name, "n": len(again)}
        yield Gate("window_laid_again", facts, (result.id, window.id), StepNumber.RESULT)


def _part_of_run(book: CycleBook, captures: Captures, metric: Metric, result: Result) -> Iterator[Gate]:
    """A result whose window was laid over captures that lay there already, and leaves out some of their time."""
    window = book.find(Window, result.after.window_id)
    laid = book.laid.get(window.id, ()) if window is not None else ()
    if window is None or not laid:
        return
    occurrences = [occurrence.span for occurrence in window.occurrences]
    for run in captures.runs:
        lay_there = [
            (capture.first_ns, capture.last_ns)
            for capture in captures.came_in
            if capture.run_id == run.id and capture.recorded.entry < laid[0].entry
        ]
        stretches = _stretches([(first, last) for first, last in lay_there if first is not None and last is not None])
        whole = sum(end - start for start, end in stretches)
        both = (overlap_of(stretch, occurrence) for stretch in stretches for occurrence in occurrences)
        inside = sum(shared[1] - shared[0] for shared in both if shared is not None)
        if 0 < inside < whole * (1 - _LEFT_OUT):
            facts: dict[str, Fact] = {"metric": metric.name, "window": window.name, "run": run.label}
            facts |= {"share": round(100 * inside / whole)}
            yield Gate("part_of_run", facts, (result.id, window.id), StepNumber.RESULT)


def _stretches(spans: Iterable[Span]) -> list[Span]:
    """The same time once, however many captures are of it; nights between them were not captured."""
    stretches: list[Span] = []
    for span in sorted(spans):
        stretches += without(span, stretches)
    return stretches


def _target_after(book: CycleBook, captures: Captures, metric: Metric, result: Result) -> Iterator[Gate]:
    """The value of the target was entered after the captures of its result were."""
    now = result.after
    came_in = [capture.recorded for capture in captures.came_in if _of_its_time(capture, now)]
    first = min(came_in, key=lambda record: record.entry, default=None)
    for target in book.all(Target):
        entered = book.recorded.get((target.id, "value"))
        if target.metric_id == metric.id and first is not None and entered is not None and first.entry < entered.entry:
            facts: dict[str, Fact] = {"metric": metric.name, "recorded": entered.at, "earlier": first.at}
            yield Gate("target_after_captures", facts, (target.id, result.id), StepNumber.TARGETS)
