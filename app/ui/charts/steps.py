"""Figures that stand for a whole period (an hour between two snapshots): steps over it, not points. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.analysis.series import Envelope
from app.domain.databases.records import Fault
from app.domain.series import SeriesInfo
from app.ui.charts.outline import Outline
from app.ui.charts.time_range import DAY_NS, HOUR_NS, TimeRange

MOST_SAMPLES = 20_000
"""A series of periods of up to this many is read whole: a view inside one of its periods needs that period."""
REACH_NS = DAY_NS
"""No period is longer before its stamp than this, as far as looking for it goes."""
_TABLES = frozenset({"load", "time_model", "wait_class", "wait_event"})


@dataclass(frozen=True, slots=True)
class PeriodSpan:
    """A period of a database and what is wrong with it.

    Attributes:
        database: label of the database, as its series carry it.
        started_ns: when the server had started at its end, where it says so.
    """

    database: str
    host: str
    begin_ns: int
    end_ns: int
    faults: tuple[Fault, ...] = ()
    started_ns: int | None = None


Begins = Mapping[str, Mapping[int, int]]
"""Database -> end of a period -> its begin."""


def stepped(info: SeriesInfo) -> bool:
    """Whether its samples are means over the periods of a database."""
    return "database" in info.attributes and info.table in _TABLES and info.metric.startswith("db.server.")


def begins_of(spans: Iterable[PeriodSpan]) -> Begins:
    """Of two periods with one end the shorter one counts."""
    found: dict[str, dict[int, int]] = {}
    for span in spans:
        own = found.setdefault(span.database, {})
        own[span.end_ns] = max(span.begin_ns, own.get(span.end_ns, span.begin_ns))
    return found


def spread(envelope: Envelope, begins: Mapping[int, int], interval_s: float | None) -> Envelope:
    """The same samples, each from the begin of its period to its stamp; rows without a value are left out.

    Where nobody knows the begin, the one before reaches to it, within an interval.
    """
    present = ~np.isnan(envelope.maximum)
    ends = envelope.end_ns[present]
    longest = round((interval_s or 0) * 1e9) or HOUR_NS
    starts = np.empty_like(ends)
    for place, end_ns in enumerate(ends.tolist()):
        earlier = int(ends[place - 1]) if place else end_ns - longest
        starts[place] = begins.get(end_ns, max(earlier, end_ns - longest))
    return replace(
        envelope,
        times_ns=np.minimum(starts, ends),
        end_ns=ends,
        minimum=envelope.minimum[present],
        mean=envelope.mean[present],
        maximum=envelope.maximum[present],
    )


def step_outline(spread_out: Envelope) -> Outline:
    """A level line per period; it breaks where the next one begins later, else it goes straight up or down."""
    count = spread_out.times_ns.size
    times: NDArray[np.int64] = np.empty(3 * count, dtype=np.int64)
    values = np.empty(3 * count, dtype=np.float64)
    times[0::3], times[1::3], times[2::3] = spread_out.times_ns, spread_out.end_ns, spread_out.end_ns
    values[0::3] = values[1::3] = spread_out.maximum
    values[2::3] = np.nan
    joined = np.zeros(count, dtype=bool)
    joined[:-1] = spread_out.times_ns[1:] <= spread_out.end_ns[:-1]
    keep = np.ones(3 * count, dtype=bool)
    keep[2::3] = ~joined
    return Outline(times[keep], values[keep])


def step_gaps(spread_out: Envelope) -> list[TimeRange]:
    """Between periods that do not follow each other at once."""
    pairs: Sequence[tuple[int, int]] = list(
        zip(spread_out.end_ns[:-1].tolist(), spread_out.times_ns[1:].tolist(), strict=True)
    )
    return [TimeRange(end, begin) for end, begin in pairs if begin > end]


def step_at(spread_out: Envelope, time_ns: int) -> tuple[int, float] | None:
    """(stamp, value) of the period that holds a moment."""
    inside = np.flatnonzero((spread_out.times_ns < time_ns) & (time_ns <= spread_out.end_ns))
    if not inside.size:
        return None
    place = int(inside[-1])
    return int(spread_out.end_ns[place]), float(spread_out.maximum[place])
