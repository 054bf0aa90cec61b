"""What samples, the gate of comparability and the check say of the figures that the cycle's verdicts rest on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeVar
from weakref import WeakKeyDictionary

from tunebench.analysis.comparing.comparison import ComparedSeries, thing_key
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import figures_to_be_sure_of, windows_of, windows_to_compare
from tunebench.domain.comparability import AtLoad, Check, CheckState, FigureInterval, GateCheck, WindowPair
from tunebench.domain.cycle.book import CycleBook, IntervalKey
from tunebench.domain.cycle.recorded import Contradictions
from tunebench.domain.cycle.records import Metric, Result, Target
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.windows import Window
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases.comparing.compare import compare
from tunebench.usecases.comparing.windows import resolved
from tunebench.usecases.cycle.contradicted import contradictions
from tunebench.usecases.cycle.intervals import RowsAtLoad, interval

_OF_NO_MATTER = ("cycle_changed", "narrative_changed", "report_written")
"""Changes of the project that neither samples, trials nor the gate know of; of the cycle the gate looks at the change
log."""

_State = tuple[object, ...]


@record(frozen=False)
class _Answers:
    """Each with the state of the project that it was asked in: an answer takes a second or more."""

    refusals: dict[WindowPair, tuple[_State, tuple[GateCheck, ...]]] = field(default_factory=dict)
    at_load: dict[WindowPair, RowsAtLoad] = field(default_factory=dict)
    intervals: dict[IntervalKey, tuple[_State, FigureInterval | None]] = field(default_factory=dict)
    contradicted: tuple[_State, Contradictions] | None = None


_remembered: WeakKeyDictionary[Project, _Answers] = WeakKeyDictionary()


def asked(project: Project, book: CycleBook, progress: Progress | None = None) -> CycleBook:
    """The book with the gate's answer for every pair of windows that a verdict rests on, how sure its figures are, and
    what the check contradicts."""
    answers, state = _remembered.setdefault(project, _Answers()), _state(project, book)
    for pair in windows_to_compare(book):
        if pair not in answers.refusals or answers.refusals[pair][0] != state:
            refusals, answers.at_load[pair] = _compared(project, pair, progress)
            answers.refusals[pair] = state, refusals
    for key in figures_to_be_sure_of(book):
        here = _state_of_samples(project, book)
        if key not in answers.intervals or answers.intervals[key][0] != here:
            metric, now, baseline = key
            pair_of_key = windows_of(book, metric, baseline, now)
            at_load = answers.at_load.get(pair_of_key, {}) if pair_of_key is not None else {}
            answers.intervals[key] = here, interval(project, book, key, at_load)
    figures = _state_of_figures(project, book)
    if answers.contradicted is None or answers.contradicted[0] != figures:
        answers.contradicted = figures, contradictions(project, book)
    return remembered(project, book)


def _compared(
    project: Project, pair: WindowPair, progress: Progress | None
) -> tuple[tuple[GateCheck, ...], RowsAtLoad]:
    """What the gate refuses; where the load moved, what the comparison says at equal load."""
    try:
        before, after = (resolved(project, window) if window.id else window for window in pair)
    except UserError:  # captures of a kept window were removed
        return (GateCheck(Check.COVERAGE, CheckState.REFUSE, "no_samples"),), {}
    comparison = compare(project, before, after, progress)
    if not any(check.check is Check.LOAD and check.state is CheckState.ADJUST for check in comparison.gate):
        return comparison.refusals, {}
    return comparison.refusals, {
        (thing_key(row.series), statistic.value): _at_load(row, statistic)
        for row in comparison.rows
        for statistic in Statistic
    }


def _at_load(row: ComparedSeries, statistic: Statistic) -> AtLoad:
    change = row.statistic(statistic)
    if change is None:
        return AtLoad(row.verdict.value)
    measured = row.ratio if statistic is Statistic.MEAN else None
    if not (row.per_unit_of or row.curve) or change.ratio is None or change.interval is None:
        return AtLoad(change.verdict.value, measured)
    ends = change.interval.low, change.interval.high
    return AtLoad(change.verdict.value, measured, change.ratio, ends, bool(row.per_unit_of))


def is_asked(book: CycleBook) -> bool:
    """Whether no answer is missing."""
    if book.refused is None or book.intervals is None or book.contradicted is None:
        return False
    compared = all(pair in book.refused for pair in windows_to_compare(book))
    return compared and all(key in book.intervals for key in figures_to_be_sure_of(book))


def remembered(project: Project, book: CycleBook) -> CycleBook:
    """The book with the answers that are there already: nothing is read but where the project stands."""
    answers = _remembered.get(project, _Answers())
    contradicted = answers.contradicted
    return replace(
        book,
        refused=_still(answers.refusals, windows_to_compare(book), _state(project, book)),
        intervals=_still(answers.intervals, figures_to_be_sure_of(book), _state_of_samples(project, book)),
        contradicted=contradicted[1] if contradicted and contradicted[0] == _state_of_figures(project, book) else None,
    )


_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


def _still(answers: Mapping[_K, tuple[_State, _V]], wanted: Iterator[_K], state: _State) -> dict[_K, _V]:
    return {key: answers[key][1] for key in wanted if key in answers and answers[key][0] == state}


def _state(project: Project, book: CycleBook) -> _State:
    titles = tuple((action.id, action.title) for action in book.all(Action))
    return audit.last_entry(project, _OF_NO_MATTER), book.all(ExecutedChange), titles


def _state_of_samples(project: Project, book: CycleBook) -> _State:
    guards = tuple(metric.iteration_id for metric in book.all(Metric) if metric.guards is not None)  # judged together
    return audit.last_entry(project, _OF_NO_MATTER), book.all(Window), guards


def _state_of_figures(project: Project, book: CycleBook) -> _State:
    figures = (book.all(Metric), book.all(Target), book.all(Result), book.all(Window))
    return audit.last_entry(project, _OF_NO_MATTER), figures
