"""What the cycle says first: its top metric from the first baseline to the accepted result, and in this iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.analysis.answering.answer import MeasuredIn, PriceAnswer, Scope, TargetAnswer
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.diagnosis.cycle.disclosures import disclosures
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.results import (
    TargetStanding,
    TargetState,
    change_between,
    guard_standings,
    reached,
    target_standings,
    value_of,
)
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    Outcome,
    SeriesSource,
    Target,
)
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.engagement import Direction, Run
from tunebench.domain.provenance import Disclosure, Judgement, Weight
from tunebench.domain.series_names import is_series
from tunebench.domain.translations import Reading
from tunebench.domain.windows import Window
from tunebench.usecases.cycle.words import disclosure_text, first_goal, qualified_texts

Readers = Mapping[str, Reading]


def judged_iteration(book: CycleBook) -> Iteration | None:
    """The last iteration that has a target with a value; None where none was ever set."""
    wanted = (iteration for iteration in reversed(book.iterations) if valued(book, iteration))
    return next(wanted, None)


def valued(book: CycleBook, iteration: Iteration) -> list[TargetStanding]:
    """The targets that have a value, the top priority first."""
    return [standing for standing in target_standings(book, iteration.id) if standing.target.value is not None]


def target_answers(
    book: CycleBook,
    iteration: Iteration,
    runs: Mapping[int, Run],
    zone: ZoneInfo,
    rows: Sequence[ComparedSeries],
    readers: Readers,
) -> tuple[TargetAnswer, ...]:
    """The engagement's where it began before this iteration, then this iteration's, the top priority first.

    Args:
        rows: of the comparison, which know whether a mean is that of all requests.
        readers: of the records' texts, by language.
    """
    gates = disclosures(book, iteration)
    own = [
        replace(
            _answer(book, iteration, standing, gates, runs, zone, readers), weighted=_is_weighted(standing.metric, rows)
        )
        for standing in valued(book, iteration)
    ]
    return (*_of_engagement(book, iteration, own[0], runs), *own)


def _answer(
    book: CycleBook,
    iteration: Iteration,
    standing: TargetStanding,
    gates: Sequence[Gate],
    runs: Mapping[int, Run],
    zone: ZoneInfo,
    readers: Readers,
) -> TargetAnswer:
    subject = _disclosed(book, iteration, standing, gates, zone, readers)
    judgement = Judgement("cycle.target_state", standing.called, tuple(subject))
    if standing.state is TargetState.CONTRADICTED:
        return TargetAnswer(Scope.ITERATION, standing.metric, None, None, standing.improvement, None, judgement)
    return TargetAnswer(
        Scope.ITERATION,
        standing.metric,
        standing.baseline,
        standing.now,
        standing.improvement,
        standing.target.value,
        judgement,
        standing.interval,
        standing.state is TargetState.MET and _had_met(standing),
        standing.descriptive_only,
        standing.target.priority,
        (measured_in(book, standing.baseline, runs), measured_in(book, standing.now, runs)),
        first=_first(book, iteration, standing),
    )


def _first(book: CycleBook, iteration: Iteration, standing: TargetStanding) -> tuple[float, Judgement] | None:
    """The target as it was before anybody amended it, with what became of that."""
    goal = first_goal(standing.target, book.in_iteration(Amendment, iteration.id))
    if goal is None or standing.state is TargetState.NOT_COMPARABLE:
        return None
    state = reached(standing.now, goal, standing.metric.direction, standing.interval)
    return goal, Judgement("cycle.target_state", replace(standing, state=state).called)


def _had_met(standing: TargetStanding) -> bool:
    goal, baseline = standing.target.value, standing.baseline
    if goal is None or baseline is None or baseline.value is None or baseline.bound:
        return False
    return baseline.value <= goal if standing.metric.direction is Direction.LOWER else baseline.value >= goal


def _is_weighted(metric: Metric, rows: Sequence[ComparedSeries]) -> bool:
    """Whether its mean is that of the requests, which a column counts."""
    source = metric.source
    if not isinstance(source, SeriesSource) or metric.statistic != "mean":
        return False
    own = (row for row in rows if is_series(source, row.series))
    return any(side is not None and side.weighted for row in own for side in row.side_statistics)


def _disclosed(
    book: CycleBook,
    iteration: Iteration,
    standing: TargetStanding,
    gates: Sequence[Gate],
    zone: ZoneInfo,
    readers: Readers,
) -> Iterator[Disclosure]:
    """What the state is subject to in few words, then the sentences that concern its records."""
    amendments = book.in_iteration(Amendment, iteration.id)
    in_words = {language: qualified_texts(standing, amendments, gates, language) for language in LANGUAGES}
    for index in range(len(in_words[LANGUAGES[0]])):
        yield Disclosure("subject", texts={language: in_words[language][index] for language in LANGUAGES})
    result = standing.result
    if is_typed(standing):
        yield Disclosure("value_typed", _typed(standing), Weight.STATED)
    own = {standing.metric.id, standing.target.id, *([result.id] if result is not None else [])}
    for gate in gates:
        if own & set(gate.record_ids):
            yield _disclosure(gate, zone, readers)


def is_typed(standing: TargetStanding) -> bool:
    """Whether the result is a value that somebody typed in, whatever that is of."""
    return isinstance(standing.metric.source, ManualSource | MeasurementSource) and value_of(standing.now) is not None


def _typed(standing: TargetStanding) -> dict[str, str]:
    source = standing.now.source if standing.now is not None else ""
    texts = {}
    for language in LANGUAGES:
        messages = catalogue(language)
        texts[language] = messages.text("answer.typed", source=source or messages.text("answer.typed.unsaid"))
    return texts


def _disclosure(gate: Gate, zone: ZoneInfo, readers: Readers) -> Disclosure:
    own = ((language, replace(gate, facts=reader.facts(gate.facts))) for language, reader in readers.items())
    return Disclosure(gate.key, {language: disclosure_text(read, language, zone) for language, read in own})


def measured_in(book: CycleBook, figure: Figure | None, runs: Mapping[int, Run]) -> MeasuredIn | None:
    """The window or run that a figure is of; None of one that was typed in."""
    if figure is None:
        return None
    kept, run = book.find(Window, figure.window_id), runs.get(figure.run_id or 0)
    if kept is not None:
        return MeasuredIn(kept.name, figure.start_ns, figure.end_ns, max(len(kept.occurrences), 1))
    if run is None:
        return None
    start_ns, end_ns = (run.first_ns, run.last_ns) if figure.start_ns is None else (figure.start_ns, figure.end_ns)
    return MeasuredIn(run.label, start_ns, end_ns)


# -- the engagement ------------------------------------------------------------------------------------


def _of_engagement(
    book: CycleBook, iteration: Iteration, own: TargetAnswer, runs: Mapping[int, Run]
) -> Iterator[TargetAnswer]:
    """From the baseline of the first iteration with this metric to this result; nothing where that is this one."""
    first = next(_baselines(book, iteration, own.metric), None)
    if first is None or value_of(own.now) is None or not _is_accepted(iteration):
        return
    baseline = first.baseline
    change = change_between(baseline, own.now, own.metric)
    yield TargetAnswer(
        Scope.ENGAGEMENT,
        own.metric,
        baseline,
        own.now,
        change,
        own.goal,
        own.judgement,
        own.interval,
        False,
        own.descriptive,
        own.priority,
        (measured_in(book, baseline, runs), own.windows[1]),
        own.weighted,
        own.first,
    )


def _baselines(book: CycleBook, iteration: Iteration, metric: Metric) -> Iterator[Target]:
    """Of earlier iterations by the same measure and statistic, the first before the others."""
    for earlier in book.iterations:
        if earlier.number >= iteration.number:
            return
        for target in book.in_iteration(Target, earlier.id):
            other = book.find(Metric, target.metric_id)
            if other is None or other.guards is not None or value_of(target.baseline) is None:
                continue
            if (other.measured_by, other.statistic, other.unit) == (metric.measured_by, metric.statistic, metric.unit):
                yield target


def _is_accepted(iteration: Iteration) -> bool:
    return iteration.outcome is not Outcome.ABANDONED


def prices(
    book: CycleBook, iteration: Iteration, targets: Iterable[TargetAnswer], sides: Sequence[MeasuredIn]
) -> tuple[PriceAnswer, ...]:
    """Of the iteration's actions; they say so where its targets were measured elsewhere than in the answer's sides."""
    own = [target.windows for target in targets if target.scope is Scope.ITERATION and any(target.windows)]
    names = [side.name for side in sides]
    is_here = not own or any([window.name for window in windows if window] == names for windows in own)
    return tuple(
        PriceAnswer(
            standing.metric,
            standing.before,
            standing.now,
            standing.limit,
            Judgement("cycle.guard_state", standing.called),
            None if is_here else iteration.number,
        )
        for standing in guard_standings(book, iteration.id)
    )
