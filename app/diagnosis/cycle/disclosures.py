"""What an auditor asks first and stops nothing: times told otherwise than entered, one person in two roles, an order
that was not kept."""

from __future__ import annotations

from collections.abc import Iterator

from app.diagnosis.cycle.gate import Gate
from app.diagnosis.cycle.worksheet_rules import gate_of
from app.domain.cycle.book import CycleBook
from app.domain.cycle.recorded import Told, is_stated_otherwise
from app.domain.cycle.records import Iteration, Metric, Result, StepNumber
from app.domain.cycle.worksheet import Action, Decision, ExecutedChange

EXCEPTIONS = ("same_person", "result_first")
"""Keys of those that the method wants otherwise; the others only say which time is whose."""
MOMENTS = ("stated", "recorded", "executed")
"""Facts that are moments: ISO, empty where none was told."""


def disclosures(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """Keys below ``disclosure.``; those of `EXCEPTIONS` first, each once."""
    found: list[Gate] = []
    for action in book.in_iteration(Action, iteration.id):
        lines = [line for line in book.all(ExecutedChange) if line.action_id == action.id]
        found += [*_same_person(action, lines), *_stated(book, action, lines), *_result_first(book, action, lines)]
    first = [each for each in found if each.key in EXCEPTIONS]
    others = [each for each in found if each.key not in EXCEPTIONS]
    ordered = [*first, *others]
    return tuple(each for place, each in enumerate(ordered) if each not in ordered[:place])


def _same_person(action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    """Who approves what he carries out himself looks at it with two eyes."""
    approvers = {_person(each.name) for each in action.consents if each.decision is Decision.APPROVED}
    for line in lines:
        if _person(line.executed_by) in approvers:
            yield gate_of("same_person", action, name=line.executed_by)


def _person(name: str) -> str:
    return "".join(name.casefold().split())


def _stated(book: CycleBook, action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    told: list[tuple[str, str, str, Told]] = [
        ("approval_stated", each.name, each.decided_at, (action.id, each))
        for each in action.consents
        if each.decision is Decision.APPROVED
    ]
    told += [("execution_stated", line.executed_by, line.executed_at, (line.id, "executed_at")) for line in lines]
    told += [
        ("rollback_stated", line.rolled_back_by, line.rolled_back_at, (line.id, "rolled_back_at"))
        for line in lines
        if line.rolled_back_at
    ]
    for key, name, stated, place in told:
        recorded = book.recorded.get(place)
        if recorded is not None and is_stated_otherwise(stated, recorded):
            yield gate_of(key, action, name=name, stated=stated, recorded=recorded.at)


def _result_first(book: CycleBook, action: Action, lines: list[ExecutedChange]) -> Iterator[Gate]:
    """Results entered before the execution that they are to show; one that was measured again has its new entry."""
    entered = [book.recorded[place] for line in lines if (place := (line.id, "executed_at")) in book.recorded]
    executed = min(entered, key=lambda each: each.entry, default=None)
    for result in book.in_iteration(Result, action.iteration_id) if executed is not None else ():
        recorded, metric = book.recorded.get((result.id, "after")), book.find(Metric, result.metric_id)
        if metric is None or metric.guards not in (None, action.id):
            continue
        if executed and recorded and recorded.entry < executed.entry:
            facts = {"metric": metric.name, "action": action.title, "recorded": recorded.at, "executed": executed.at}
            yield Gate("result_first", facts, (result.id, action.id), StepNumber.RESULT)
