"""What the countermeasures were expected to bring and to cost, beside what was measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC
from math import inf

from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import (
    GuardStanding,
    VerificationStanding,
    guard_standings,
    verification_standings,
)
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.moments import typed_moment
from tunebench.domain.cycle.records import Iteration, Result
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange, Impact


@record
class Planned:
    """An effect with the metric that is to show it, or a price with its guard.

    Attributes:
        impacts: the reliefs that were hoped for, or the one price.
        margin_pct: by which an effect counts, None for a price or where nobody said.
        standing: None where nothing measures it.
    """

    action: Action
    impacts: tuple[Impact, ...]
    margin_pct: float | None
    standing: VerificationStanding | GuardStanding | None


def planned_and_happened(book: CycleBook, iteration: Iteration) -> Iterator[Planned]:
    """Plan and outcome of the countermeasures in force, the effects of each before its prices."""
    guards = guard_standings(book, iteration.id)
    for action in book.in_iteration(Action, iteration.id):
        if action.state is ActionState.EXECUTED:
            yield from _of_action(book, action, guards)


def taken_back(book: CycleBook, iteration: Iteration) -> Iterator[Planned]:
    """The same of those that were rolled back, by what was measured before that."""
    for action in book.in_iteration(Action, iteration.id):
        if action.state is ActionState.ROLLED_BACK:
            before = _until_rolled_back(book, action)
            yield from _of_action(before, action, guard_standings(before, iteration.id, ActionState.ROLLED_BACK))


def _of_action(book: CycleBook, action: Action, guards: Iterable[GuardStanding]) -> Iterator[Planned]:
    by_resource = {guard.metric.resource: guard for guard in guards if guard.action.id == action.id}
    reliefs = tuple(impact for impact in action.impacts if impact.direction > 0)
    for standing in verification_standings(book, action):
        yield Planned(action, reliefs, standing.verification.margin_pct, standing)
    for price in action.prices:
        yield Planned(action, (price,), None, by_resource.get(price.resource.value))


def _until_rolled_back(book: CycleBook, action: Action) -> CycleBook:
    """The records without results that were measured when the change had been taken back."""
    lines = (line for line in book.all(ExecutedChange) if line.action_id == action.id and line.rolled_back_at)
    moments_ns = [typed_moment(line.rolled_back_at, UTC).timestamp() * 1e9 for line in lines]
    until_ns = min(moments_ns, default=inf)
    kept = {
        id_: record
        for id_, record in book.records.items()
        if not isinstance(record, Result) or (record.after.end_ns or 0) <= until_ns
    }
    return replace(book, records=kept)
