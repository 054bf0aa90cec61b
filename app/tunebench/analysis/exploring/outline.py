"""From an envelope to the points of a line, its breaks, and the sample under a cross-hair; figures of whole periods as
steps. Pure numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.exploring.time_range import HOUR_NS, TimeRange, ValueRange
from tunebench.analysis.series import Envelope, SeriesData
from tunebench.core.records import record
from tunebench.domain.series import GAP_FACTOR

MOST_SPLITS = 64

MOST_SAMPLES = 20_000
"""A series of periods of up to this many is read whole: a view inside one of its periods needs that period."""


@record
class Outline:
    """What is painted: `times_ns` int64[n] and `values` float64[n], NaN where the line breaks."""

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]


def outline(envelope: Envelope) -> Outline:
    """Raw samples as they are; bins as a minimum and a maximum each, so that no spike is lost.

    Every other bin runs from its maximum down, so that the strokes between bins stay short.
    """
    if envelope.samples_per_bin <= 1:
        return Outline(envelope.times_ns, envelope.maximum)
    middle = (envelope.times_ns + envelope.end_ns) // 2
    values = np.empty(2 * middle.size, dtype=np.float64)
    values[0::4], values[1::4] = envelope.minimum[0::2], envelope.maximum[0::2]
    values[2::4], values[3::4] = envelope.maximum[1::2], envelope.minimum[1::2]
    return Outline(np.repeat(middle, 2), values)


def straddling(envelope: Envelope, interval_ns: int | None) -> NDArray[np.int64]:
    """Bins that last longer than their samples can: they hold a gap that the bin hides."""
    if envelope.samples_per_bin <= 1 or not interval_ns:
        return np.empty(0, dtype=np.int64)
    longest_ns = (envelope.samples_per_bin - 1 + GAP_FACTOR - 1) * interval_ns
    return np.flatnonzero((envelope.end_ns - envelope.times_ns > longest_ns) & ~np.isnan(envelope.maximum))


def split_at_gaps(envelope: Envelope, interval_ns: int | None, read: Callable[[int, int], SeriesData]) -> Envelope:
    """The envelope with bins cut where nothing was measured inside them, so that no line crosses a gap.

    `read(start_ns, end_ns)` gives the samples of one bin. Beyond `MOST_SPLITS` such bins, the rest stand alone:
    a column at the place of their first sample, joined to nothing.
    """
    hidden = straddling(envelope, interval_ns).tolist()
    if not hidden:
        return envelope
    rows: list[tuple[int, int, float, float, float]] = []
    done = 0
    for count, index in enumerate(hidden):
        rows.extend(_rows(envelope, done, index))
        start, end = int(envelope.times_ns[index]), int(envelope.end_ns[index])
        if count < MOST_SPLITS:
            rows.extend(_pieces(read(start, end), interval_ns or 0))
        else:
            (alone,) = _rows(envelope, index, index + 1)
            rows.extend([(start, start, *alone[2:]), (start, end, np.nan, np.nan, np.nan)])
        done = index + 1
    rows.extend(_rows(envelope, done, envelope.times_ns.size))
    times, ends, *figures = zip(*rows, strict=True)
    low, mean, high = (np.array(column, dtype=np.float64) for column in figures)
    return Envelope(
        np.array(times, dtype=np.int64), np.array(ends, dtype=np.int64), low, mean, high, envelope.samples_per_bin
    )


def _rows(envelope: Envelope, first: int, last: int) -> list[tuple[int, int, float, float, float]]:
    part = slice(first, last)
    return list(
        zip(
            envelope.times_ns[part].tolist(),
            envelope.end_ns[part].tolist(),
            envelope.minimum[part].tolist(),
            envelope.mean[part].tolist(),
            envelope.maximum[part].tolist(),
            strict=True,
        )
    )


def _pieces(data: SeriesData, interval_ns: int) -> list[tuple[int, int, float, float, float]]:
    """The samples of a bin as one row per unbroken stretch, a NaN row between two of them."""
    counts = ~data.since_boot & ~np.isnan(data.values)
    times, values = data.times_ns[counts], data.values[counts]
    cuts = np.flatnonzero(np.diff(times) > GAP_FACTOR * interval_ns) + 1
    rows: list[tuple[int, int, float, float, float]] = []
    for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), times.size], strict=True):
        if rows:
            rows.append((rows[-1][1], int(times[first]), np.nan, np.nan, np.nan))
        if last > first:
            piece = values[first:last]
            rows.append((int(times[first]), int(times[last - 1]), piece.min(), piece.mean(), piece.max()))
    return rows


def lone_points(drawn: Outline) -> Outline:
    """Points with no neighbour on either side: a line cannot show them, so they get a dot."""
    present = ~np.isnan(drawn.values)
    before = np.concatenate(([False], present[:-1]))
    after = np.concatenate((present[1:], [False]))
    alone = present & ~before & ~after
    return Outline(drawn.times_ns[alone], drawn.values[alone])


def gaps(envelope: Envelope) -> list[TimeRange]:
    """Stretches without data between the first and the last value, from the NaN rows."""
    missing = np.isnan(envelope.maximum)
    present = np.flatnonzero(~missing)
    if present.size < 2:
        return []
    jumps = np.flatnonzero(np.diff(present) > 1)
    left, right = present[jumps], present[jumps + 1]
    edges = zip(envelope.end_ns[left].tolist(), envelope.times_ns[right].tolist(), strict=True)
    return [TimeRange(start, end) for start, end in edges if end > start]


def visible_extent(envelope: Envelope, view: TimeRange) -> ValueRange | None:
    """Lowest and highest value inside `view`; None where it holds none."""
    inside = (envelope.end_ns >= view.start_ns) & (envelope.times_ns <= view.end_ns)
    low, high = envelope.minimum[inside], envelope.maximum[inside]
    if low.size == 0 or np.isnan(low).all():
        return None
    return ValueRange(float(np.nanmin(low)), float(np.nanmax(high)))


def visible_slice(times_ns: NDArray[np.int64], view: TimeRange) -> slice:
    """Indices inside `view` with two points more on each side, so that lines run out of the picture."""
    first = int(np.searchsorted(times_ns, view.start_ns, side="left")) - 2
    last = int(np.searchsorted(times_ns, view.end_ns, side="right")) + 2
    return slice(max(first, 0), min(last, times_ns.size))


def covering_index(times_ns: NDArray[np.int64], time_ns: int, interval_ns: int | None) -> int | None:
    """Index of the sample whose interval holds `time_ns`; None inside a gap.

    A sample stands for the interval that ends at its stamp, as sar, vmstat and iostat print it. A stamp may
    come up to 2.5 intervals later before the line counts as broken; the last sample holds for one interval
    more. Same rule as the evidence uses.
    """
    length = max(interval_ns or 0, 1)
    index = int(np.searchsorted(times_ns, time_ns, side="left"))
    if index < times_ns.size and times_ns[index] - time_ns < length * GAP_FACTOR:
        return index
    index -= 1
    return index if index >= 0 and time_ns - times_ns[index] <= length else None


def reading_in(envelope: Envelope, time_ns: int, interval_ns: int | None) -> tuple[int, float] | None:
    """(stamp, value) under `time_ns` from an envelope of raw samples."""
    present = np.flatnonzero(~np.isnan(envelope.maximum))
    index = covering_index(envelope.times_ns[present], time_ns, interval_ns)
    if index is None:
        return None
    at = present[index]
    return int(envelope.times_ns[at]), float(envelope.maximum[at])


def combined_extent(extents: list[ValueRange]) -> ValueRange | None:
    if not extents:
        return None
    return ValueRange(min(e.low for e in extents), max(e.high for e in extents))


def spread(envelope: Envelope, begins: Mapping[int, int], interval_s: float | None) -> Envelope:
    """The same samples, each from the begin of its period to its stamp; rows without a value are left out.

    A period without a known begin starts where the one before ends, at most an interval earlier.
    """
    present = ~np.isnan(envelope.maximum)
    ends = envelope.end_ns[present]
    longest = round((interval_s or 0) * 1e9) or HOUR_NS
    starts = np.empty_like(ends)
    for index, end_ns in enumerate(ends.tolist()):
        earlier = int(ends[index - 1]) if index else end_ns - longest
        starts[index] = begins.get(end_ns, max(earlier, end_ns - longest))
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
    index = int(inside[-1])
    return int(spread_out.end_ns[index]), float(spread_out.maximum[index])
