"""Sessions at work: the time that sessions spend in the database per second, from period to period, and its verdict.

Where the work of the sides differs by more than `SAME_LOAD`, the verdict is on the time per unit of it. Periods of the
same weekday and hour are compared with each other where enough have their like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log

import numpy as np

from tunebench.analysis.comparing.deciding import Elsewhere
from tunebench.analysis.comparing.judging import MANY
from tunebench.analysis.databases.rates import load_total, transactions
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.statement_changes import OtherDays
from tunebench.analysis.inference.occurrences import (
    Change,
    Level,
    Pairs,
    Prior,
    Settling,
    change_between,
    enough_pairs,
    in_pairs,
    spread_of,
    would_settle,
)
from tunebench.analysis.inference.verdict import Interval, Verdict, judge
from tunebench.core.records import record

SAME_LOAD = 0.10

_UNITS: dict[str, Callable[[DatabaseRecord], float]] = {
    "transactions": lambda record: transactions(record.table("load")),
    "executions": lambda record: load_total(record.table("load"), "executions"),
}
"""What work is counted in, the best first."""


@record
class TimeChange:
    """
    Attributes:
        before, after: sessions at work in each period.
        per_unit_of: ``transactions`` or ``executions`` where the verdict is on the time per one of these; else empty.
        work: so many of the best unit that both sides tell, per second; None where there is none.
        ratio: before / after of what was judged; `interval` of that.
        change: on the scale of logarithms, with the variation between periods.
        reason: ``short_period`` where that forbids a verdict; else empty.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    per_unit_of: str
    work: tuple[float, float] | None
    ratio: float
    interval: Interval | None
    change: Change
    verdict: Verdict
    settled_by: Settling | None
    reason: str = ""

    @property
    def sides(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.before, self.after


def compare_time(
    before: Sequence[DatabaseRecord],
    after: Sequence[DatabaseRecord],
    margin: float,
    natural: Prior,
    pairs: Pairs = (),
    short: bool = False,
    others: OtherDays = (),
) -> TimeChange | None:
    """The change of DB time between two sides; None where a side reports none.

    Args:
        pairs: of periods before and after that belong together.
        short: a side is too short to decide anything.
        others: days that are not compared, where the compared ones tell no variation.
    """
    telling = [
        [index for index, record in enumerate(side) if record.elapsed_s and record.db_time_s]
        for side in (before, after)
    ]
    if not all(telling):
        return None
    sides = [[side[index] for index in indices] for side, indices in zip((before, after), telling, strict=True)]
    unit, work = _work(sides)
    moved = work is not None and abs(log(work[1] / work[0])) > log(1 + SAME_LOAD)
    per_unit_of = unit if moved else ""
    by: Callable[[DatabaseRecord], float] = _UNITS[unit] if moved else lambda record: record.elapsed_s or 0.0
    levels = [[_level(record, by(record)) for record in side] for side in sides]
    both = [
        (telling[0].index(one), telling[1].index(other))
        for one, other in pairs
        if one in telling[0] and other in telling[1]
    ]
    paired = bool(enough_pairs(len(both), len(levels[0]), len(levels[1])))
    if paired:
        levels = list(in_pairs(levels[0], levels[1], both))
    change = change_between(levels[0], levels[1], _of_others(others, by) or natural, paired=paired)
    bounds = change.interval
    interval = None if bounds is None else Interval(exp(-bounds.high), exp(-bounds.low), bounds.confidence)
    verdict = Verdict.DESCRIPTIVE_ONLY if short else judge(interval, margin)
    old, new = (tuple((r.db_time_s or 0.0) / (r.elapsed_s or 1.0) for r in side) for side in sides)
    settled_by = would_settle(change, margin) if verdict is Verdict.INCONCLUSIVE else None
    judged = (exp(-change.difference), interval, change, verdict, settled_by)
    return TimeChange(old, new, per_unit_of, work, *judged, "short_period" if short else "")


def _level(record: DatabaseRecord, by: float) -> Level:
    return Level(log((record.db_time_s or 1.0) / by), weight=by)


def _of_others(others: OtherDays, by: Callable[[DatabaseRecord], float]) -> Prior | None:
    elsewhere = Elsewhere()
    for window, days in others:
        levels = [_level(record, by(record)) for record in days if record.db_time_s and by(record) > 0]
        if len(levels) >= MANY:
            elsewhere.take("", "", spread_of(levels, ()), window)
    return elsewhere.prior("", "")


def _work(sides: Sequence[Sequence[DatabaseRecord]]) -> tuple[str, tuple[float, float] | None]:
    """The best unit that every period reports, and how many of it per second."""
    for unit, count in _UNITS.items():
        counts = [np.array([count(record) for record in side]) for side in sides]
        if all((amounts > 0).all() for amounts in counts):
            lengths = [sum(record.elapsed_s or 0.0 for record in side) for side in sides]
            before, after = (float(amounts.sum()) / length for amounts, length in zip(counts, lengths, strict=True))
            return unit, (before, after)
    return "", None
