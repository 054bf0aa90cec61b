"""What a chart draws of a series over many captures: the bins are shared out among the captures by their rows, so that
thirty daily files cost about what one file of the month would.

A capture of a few thousand rows has no pyramid; all such captures of a window are fetched by one query.
"""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.series import Envelope, SeriesData
from tunebench.domain.assembly import Span, overlap_of
from tunebench.store import queries
from tunebench.store.chunks import unpack_flags, unpack_values
from tunebench.store.codec import unpack_numbers
from tunebench.store.merged_series import MergedSeries, Part
from tunebench.store.pyramid import levels_of

if TYPE_CHECKING:
    from tunebench.store.project import Project

_AT_ONCE = 400  # captures of one query

Break = Callable[[Envelope, Part], Envelope]


def read_merged_envelope(
    project: Project, whole: MergedSeries, start_ns: int, end_ns: int, bins: int, break_part: Break
) -> list[tuple[Part, Envelope]]:
    """The envelope of each part that reaches the window, in the order of time, one bin beyond each edge included.

    Args:
        break_part: breaks a part's line at its gaps.
    """
    parts = _around(whole.parts, (start_ns, end_ns))
    if len(parts) == 1 and not parts[0].cut:
        alone = queries.read_envelope(project, parts[0].series_id, start_ns, end_ns, bins)
        return [(parts[0], break_part(alone, parts[0]))]
    shares = [_rows_inside(part, (start_ns, end_ns)) for part in parts]
    total = max(sum(shares), 1)
    small = {part.series_id: part for part in parts if not levels_of(part.rows)}
    data = _read_small(project, list(small.values()))
    size = max(1, -(-total // (2 * max(bins, 1))))
    envelopes = []
    for part, share in zip(parts, shares, strict=True):
        if part.series_id in data:
            envelope = _binned(data[part.series_id], part, size)
        else:
            own = max(1, round(bins * share / total))
            envelope = _inside(
                queries.read_envelope(
                    project, part.series_id, max(start_ns, part.span[0]), min(end_ns, part.span[1]), own
                ),
                part,
            )
        if len(envelope.times_ns):
            envelopes.append((part, break_part(envelope, part)))
    return envelopes


def _around(parts: Sequence[Part], window: Span) -> list[Part]:
    """The parts that reach the window, and the next one on either side, so that lines run out of the picture."""
    inside = [index for index, part in enumerate(parts) if overlap_of(part.extent, window)]
    if inside:
        return list(parts[max(inside[0] - 1, 0) : inside[-1] + 2])
    before = [index for index, part in enumerate(parts) if part.extent[1] < window[0]]
    return list(parts[before[-1] : before[-1] + 2]) if before else list(parts[:1])


def _rows_inside(part: Part, window: Span) -> int:
    """About how many rows of the part are in the window."""
    shared = overlap_of(part.extent, window)
    if shared is None:
        return 1
    length = max(part.extent[1] - part.extent[0], 1)
    return max(1, round(part.rows * (shared[1] - shared[0]) / length))


def _read_small(project: Project, parts: Sequence[Part]) -> dict[int, SeriesData]:
    """All samples of parts that have one chunk only."""
    by_series: dict[int, SeriesData] = {}
    with project.reading() as connection:
        for at in range(0, len(parts), _AT_ONCE):
            some = parts[at : at + _AT_ONCE]
            marks = ", ".join("(?, ?)" for _ in some)
            rows = connection.execute(
                f"WITH wanted (clock_id, series_id) AS (VALUES {marks})"
                " SELECT w.series_id, c.row_count, c.since_boot, c.times, s.missing, s.data FROM wanted AS w"
                " JOIN clock_chunk AS c ON c.clock_id = w.clock_id"
                " LEFT JOIN sample_chunk AS s ON s.series_id = w.series_id AND s.position = c.position"
                " ORDER BY w.series_id, c.position",
                [id_ for part in some for id_ in (part.clock_id, part.series_id)],
            ).fetchall()
            pieces: dict[int, list[SeriesData]] = {}
            for series_id, count, since_boot, times, missing, data in rows:
                unpacked = _samples(
                    unpack_numbers(times, count, np.int64),
                    unpack_values(missing, data, count),
                    unpack_flags(since_boot, count),
                )
                pieces.setdefault(series_id, []).append(unpacked)
            by_series |= {series_id: _in_time(own) for series_id, own in pieces.items()}
    return by_series


def _samples(times_ns: NDArray[np.int64], values: NDArray[np.float64], since_boot: NDArray[np.bool_]) -> SeriesData:
    return SeriesData(times_ns, values, since_boot, np.zeros(len(times_ns), dtype=np.int64))


def _in_time(pieces: Sequence[SeriesData]) -> SeriesData:
    """One after the other; sorted where the capture's clock went backwards."""
    times_ns = np.concatenate([piece.times_ns for piece in pieces])
    values = np.concatenate([piece.values for piece in pieces])
    since_boot = np.concatenate([piece.since_boot for piece in pieces])
    if (times_ns[1:] < times_ns[:-1]).any():
        order = np.argsort(times_ns, kind="stable")
        times_ns, values, since_boot = times_ns[order], values[order], since_boot[order]
    return _samples(times_ns, values, since_boot)


def _binned(data: SeriesData, part: Part, size: int) -> Envelope:
    """Bins start at multiples of their size in the part, so that they stay put while the window moves."""
    inside = slice(
        int(np.searchsorted(data.times_ns, part.span[0], "left")),
        int(np.searchsorted(data.times_ns, part.span[1], "right")),
    )
    kept = _samples(data.times_ns[inside], data.values[inside], data.since_boot[inside])
    return queries.envelope_of_rows(kept, size)


def _inside(envelope: Envelope, part: Part) -> Envelope:
    """Without the bins that are beyond what counts of the part."""
    if not part.cut:
        return envelope
    keep = (envelope.times_ns >= part.span[0]) & (envelope.end_ns <= part.span[1])
    return Envelope(
        envelope.times_ns[keep],
        envelope.end_ns[keep],
        envelope.minimum[keep],
        envelope.mean[keep],
        envelope.maximum[keep],
        envelope.samples_per_bin,
    )
