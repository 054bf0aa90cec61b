"""What the countermeasures were expected to bring and to cost, beside what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import (
    GuardStanding,
    VerificationStanding,
    guard_standings,
    verification_standings,
)
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Iteration
from tunebench.domain.cycle.worksheet import Action, ActionState, Impact


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
    guards = {(guard.action.id, guard.metric.resource): guard for guard in guard_standings(book, iteration.id)}
    for action in book.in_iteration(Action, iteration.id):
        if action.state is not ActionState.EXECUTED:
            continue
        reliefs = tuple(impact for impact in action.impacts if impact.direction > 0)
        for standing in verification_standings(book, action):
            yield Planned(action, reliefs, standing.verification.margin_pct, standing)
        for price in action.prices:
            yield Planned(action, (price,), None, guards.get((action.id, price.resource.value)))
