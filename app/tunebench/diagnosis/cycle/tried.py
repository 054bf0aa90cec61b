"""How the trials came about that a figure is the mean of: what was left out, corrected, added, typed in, and what else
was tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.results import baseline_of
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.recorded import Tried
from tunebench.domain.cycle.records import ExperimentSource, Metric, Result, StepNumber, Target
from tunebench.domain.cycle.worksheet import Action, ExecutedChange

KEYS = ("trials_changed", "trials_by_hand", "trials_first", "cells_not_taken", "target_after_trials")
_MOST_NAMES = 8


def of_result(book: CycleBook, metric: Metric, result: Result) -> Iterator[Gate]:
    """Keys below ``disclosure.``: `KEYS`; nothing of what no experiment measured."""
    source, now, before = metric.source, result.after, baseline_of(book, metric.id)
    if book.tries is None or not isinstance(source, ExperimentSource) or not now.cell:
        return
    every = [trial for trial in book.tries.trials if trial.experiment_id == source.experiment_id]
    meant = [trial for trial in every if source.cache in trial.answers_to]
    own = [trial for trial in meant if trial.cell == now.cell]
    behind = [trial for trial in meant if trial.cell in (now.cell, before.cell if before is not None else ())]
    yield from _changed(metric, result, behind)
    yield from _first(book, metric, result, own)
    others = [trial for trial in every if trial not in behind and source.response in trial.responses]
    names = tuple(dict.fromkeys(trial.name for trial in others))
    if names:
        shown = names if len(names) <= _MOST_NAMES else (*names[:_MOST_NAMES], "…")
        facts: dict[str, Fact] = {"chosen": own[0].name if own else "/".join(now.cell), "n": len(names)}
        yield _gate("cells_not_taken", metric, result, **facts, others=shown)
    yield from _target_after(book, metric, result, own)


def _gate(key: str, metric: Metric, result: Result, **facts: Fact) -> Gate:
    return Gate(key, {"metric": metric.name, **facts}, (result.id, metric.id), StepNumber.RESULT)


def _changed(metric: Metric, result: Result, behind: Iterable[Tried]) -> Iterator[Gate]:
    trials = list(behind)
    facts: dict[str, Fact] = {
        "excluded": sum(trial.state == "excluded" for trial in trials),
        "failed": sum(trial.state in ("failed", "planned") for trial in trials),
        "corrected": sum(trial.corrected and trial.state in ("done", "excluded") for trial in trials),
        "added": sum(trial.added for trial in trials),
    }
    if any(facts.values()):
        yield _gate("trials_changed", metric, result, n=len(trials), **facts)
    typed = sum(trial.by_hand for trial in trials)
    if typed:
        yield _gate("trials_by_hand", metric, result, n=typed, total=len(trials))


def _first(book: CycleBook, metric: Metric, result: Result, own: Iterable[Tried]) -> Iterator[Gate]:
    """Trials of the result that were there before the change was carried out show the experiment, not the change."""
    actions = {action.id for action in book.in_iteration(Action, metric.iteration_id)}
    executions = [
        book.recorded[line.id, "executed_at"]
        for line in book.all(ExecutedChange)
        if line.action_id in actions and (line.id, "executed_at") in book.recorded
    ]
    executed = min(executions, key=lambda record: record.entry, default=None)
    early = [trial for trial in own if executed is not None and trial.recorded.entry < executed.entry]
    if executed is not None and early:
        facts: dict[str, Fact] = {"n": len(early), "earlier": early[0].recorded.at, "executed": executed.at}
        yield _gate("trials_first", metric, result, **facts)


def _target_after(book: CycleBook, metric: Metric, result: Result, own: Iterable[Tried]) -> Iterator[Gate]:
    first = min((trial.recorded for trial in own), key=lambda record: record.entry, default=None)
    for target in book.all(Target):
        entered = book.recorded.get((target.id, "value"))
        if target.metric_id == metric.id and first is not None and entered is not None and first.entry < entered.entry:
            yield _gate("target_after_trials", metric, result, recorded=entered.at, earlier=first.at)
