"""The trade-off worksheet for the window: how a row stands, what is known about its change, a workbook as an edit."""

from __future__ import annotations

from tunebench.core.records import record
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.guards import guards_of
from tunebench.diagnosis.cycle.worksheet_rules import (
    advice,
    approval_gates,
    is_trade_off_point,
    last_words,
    worksheet_gates,
)
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Metric
from tunebench.domain.cycle.worksheet import Action, Consent
from tunebench.sdk.effects import KnownEffect
from tunebench.usecases import services


@record
class RowStanding:
    """What is to be said about an action's row.

    Attributes:
        lacks: gates before it may be approved; `approval`: what its approval still lacks.
        advice: what only deserves a word, see `advice_text`.
        trade_off: it relieves one resource and makes another pay; `sensitive`: it moves one resource alone.
        decided: the last decision of each person.
    """

    lacks: tuple[Gate, ...]
    approval: tuple[Gate, ...]
    advice: tuple[Gate, ...]
    trade_off: bool
    sensitive: bool
    guards: tuple[Metric, ...]
    decided: tuple[Consent, ...]


def row_standing(book: CycleBook, action: Action) -> RowStanding:
    moved = {(impact.resource, impact.direction > 0) for impact in action.impacts if impact.direction}
    return RowStanding(
        worksheet_gates(book, action),
        approval_gates(action),
        advice(action),
        is_trade_off_point(action),
        len(moved) == 1,
        guards_of(book, action),
        last_words(action),
    )


def all_effects() -> tuple[KnownEffect, ...]:
    """Every row of the known-effect matrix."""
    return services.current().plugins.effects()
