"""What to do next: first what makes the answer surer, then what got worse, then what the cycle waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tunebench.analysis.answering.answer import (
    CauseAnswer,
    Certainty,
    Chip,
    Headline,
    MeasuredIn,
    NextStep,
    TargetAnswer,
    WorseAnswer,
)
from tunebench.analysis.answering.groups import Group
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.comparing.judging import LEAST_S
from tunebench.diagnosis.cycle import board
from tunebench.diagnosis.cycle.next_step import MEASURES
from tunebench.domain.comparability import CheckState, GateCheck
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Iteration, Metric, Outcome
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import Disclosure
from tunebench.domain.record_labels import label
from tunebench.domain.series_names import source_of
from tunebench.domain.translations import Reading
from tunebench.domain.windows import WindowLoad
from tunebench.usecases.cycle.words import next_text

MOST_STEPS = 4
_MINUTE_S = 60


def next_steps(
    book: CycleBook,
    iteration: Iteration | None,
    gate: Sequence[GateCheck],
    headline: Headline | None,
    certainty: Certainty,
    worse: Sequence[WorseAnswer],
    sides: tuple[MeasuredIn, MeasuredIn],
    readers: Mapping[str, Reading],
    disclosures: Sequence[Disclosure] = (),
) -> tuple[NextStep, ...]:
    """At most four, the first of which is the one to do."""
    steps = [
        *_comparable(gate),
        *_surer(headline, certainty, sides),
        *_explained(worse, sides),
        *_priced(worse, book, iteration),
        *_of_cycle(book, iteration, readers),
    ]
    if disclosures:
        steps.append(NextStep("review", command=("import", "--review", "review.json"), action="review"))
    return tuple(steps[:MOST_STEPS]) or (
        NextStep("report", command=("report", "--pdf", "result.pdf"), action="report"),
    )


def _comparable(gate: Sequence[GateCheck]) -> Iterator[NextStep]:
    for check in gate:
        if check.state is CheckState.REFUSE:
            yield NextStep("mend_check", {"check": check})


def _surer(headline: Headline | None, certainty: Certainty, sides: tuple[MeasuredIn, MeasuredIn]) -> Iterator[NextStep]:
    """What would decide what is undecided, and measure what is assumed."""
    if headline is None:
        yield NextStep("measure_both", action="capture")
    row = certainty.facts.get("row")
    short = certainty.reason == "short_target" or (isinstance(row, ComparedSeries) and row.reason == "short_window")
    if short:
        load = WindowLoad.CONTROLLED if isinstance(headline, TargetAnswer) else WindowLoad.PRODUCTION
        minutes = round(LEAST_S[load] / _MINUTE_S)
        yield NextStep(
            "measure_longer",
            {"minutes": minutes, "before": sides[0].name, "after": sides[1].name},
            command=("capture", "--run", sides[1].name, "--duration", str(minutes * _MINUTE_S)),
            action="capture",
        )
    elif certainty.chip is Chip.UNDECIDED and isinstance(row, ComparedSeries) and row.settling is not None:
        facts = {"occurrences": row.settling.occurrences, "change_pct": 100 * row.settling.change}
        yield NextStep("more_occurrences", facts, action="capture")
    elif certainty.reason == "assumed":
        yield NextStep("measure_variation", action="capture")


def _explained(worse: Sequence[WorseAnswer], sides: tuple[MeasuredIn, MeasuredIn]) -> Iterator[NextStep]:
    for one in worse:
        subject = one.subject if one.judged else None
        if isinstance(subject, CauseAnswer):
            command = (
                "statements",
                "--run",
                sides[1].name,
                *(("--container", subject.container) if subject.container else ()),
            )
            yield NextStep("explain_statement", {"worse": one}, command=command, action="statements")
        elif isinstance(subject, Figure | Group):
            yield NextStep("explain", {"worse": one}, command=("diagnose", "--run", sides[1].name), action="findings")


def _of_cycle(book: CycleBook, iteration: Iteration | None, readers: Mapping[str, Reading]) -> Iterator[NextStep]:
    if book.iterations:
        action = board.standing(book, iteration).next_action
        own = ((language, replace(action, facts=reader.facts(action.facts))) for language, reader in readers.items())
        texts = {language: next_text(read, language) for language, read in own}
        yield NextStep(action.key, texts=texts, action="measure" if action.key in MEASURES else "board")


def _priced(worse: Sequence[WorseAnswer], book: CycleBook, iteration: Iteration | None) -> Iterator[NextStep]:
    """What got worse since a change that was carried out may be its price: nothing watches it yet."""
    if iteration is None or iteration.outcome is not Outcome.OPEN:
        return
    actions = [act for act in book.in_iteration(Action, iteration.id) if act.state is ActionState.EXECUTED]
    judged = {metric.source for metric in book.in_iteration(Metric, iteration.id)}
    for one in worse if actions else ():
        series = one.subject.lead.before_parts if one.judged and isinstance(one.subject, Figure) else ()
        if series and series[0].direction is not Direction.NEUTRAL and source_of(series[0]) not in judged:
            facts = {"worse": one, "record": label(actions[-1]), "action_id": actions[-1].id}
            yield NextStep("take_price", facts, action="price")
            return
