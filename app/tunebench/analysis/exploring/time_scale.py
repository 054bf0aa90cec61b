"""How moments lie side by side in a picture: in proportion where something is drawn, folded where nothing is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.exploring.time_range import DAY_NS, TimeRange
from tunebench.core.records import record

FOLD_PX, LONG_FOLD_PX = 20.0, 46.0
"""A fold, and one of more than a day, which has a longer word below it."""
MOST_FOLDED = 0.2
"""Of the width, however many folds there are."""
CELL_PX = 3
"""As wide as what is told of a few pixels together."""
SILENT_INTERVALS, SILENT_SHARE = 3, 0.02
"""From so many intervals, and so much of what was measured, nothing measured is a fold."""


@record
class TimeScale:
    """
    Attributes:
        view: what lies between the edges of the picture.
        pieces: what of it is drawn, in the order of time; what lies between them is folded.
        moments_ns: float64[k], after the view's begin, ascending.
        shares: float64[k], where each moment lies between the left edge, 0, and the right one, 1.
    """

    view: TimeRange
    pieces: tuple[TimeRange, ...]
    moments_ns: NDArray[np.float64]
    shares: NDArray[np.float64]

    def shares_of(self, times_ns: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.interp(times_ns - self.view.start_ns, self.moments_ns, self.shares)

    def share_of(self, time_ns: int) -> float:
        return float(np.interp(time_ns - self.view.start_ns, self.moments_ns, self.shares))

    def moment_at(self, share: float) -> int:
        return self.view.start_ns + int(np.interp(share, self.shares, self.moments_ns))

    @property
    def folds(self) -> list[TimeRange]:
        """What lies between the pieces, and between them and the edges."""
        edges = [self.view.start_ns, *(edge for p in self.pieces for edge in (p.start_ns, p.end_ns)), self.view.end_ns]
        return [TimeRange(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]

    @property
    def drawn_ns(self) -> int:
        return sum(piece.span_ns for piece in self.pieces)

    def zoomed(self, factor: float, share: float) -> TimeRange:
        """The view after a zoom about a point of the picture: what is drawn there stays there."""
        if factor >= 1:
            return self.view.zoomed(factor, self.moment_at(share))
        left = share * (1 - factor)
        start_ns = self.moment_at(left)
        closer = TimeRange(start_ns, max(self.moment_at(left + factor), start_ns + 1))
        return closer if closer.span_ns < self.view.span_ns else self.view.zoomed(factor, self.moment_at(share))


def even(view: TimeRange) -> TimeScale:
    """Nothing is folded."""
    return _scale(view, (view,), [])


def folded(view: TimeRange, pieces: Sequence[TimeRange], width_px: float) -> TimeScale:
    """
    Args:
        pieces: what of the view is drawn, in the order of time and apart from each other; none for all of it.
    """
    if not pieces or pieces[0].covers(view):
        return even(view)
    whole = TimeScale(view, tuple(pieces), np.empty(0), np.empty(0))
    widths = [LONG_FOLD_PX if fold.span_ns > DAY_NS else FOLD_PX for fold in whole.folds]
    shrunk = min(1.0, MOST_FOLDED * width_px / sum(widths))
    return _scale(view, whole.pieces, [width * shrunk / width_px for width in widths])


def _scale(view: TimeRange, pieces: tuple[TimeRange, ...], folds: list[float]) -> TimeScale:
    """
    Args:
        folds: how much of the picture each fold takes.
    """
    per_ns = (1 - sum(folds)) / sum(piece.span_ns for piece in pieces)
    edges = sorted({view.start_ns, view.end_ns, *(e for piece in pieces for e in (piece.start_ns, piece.end_ns))})
    starts, remaining = {piece.start_ns for piece in pieces}, iter(folds)
    shares = [0.0]
    for start, end in pairwise(edges):
        shares.append(shares[-1] + ((end - start) * per_ns if start in starts else next(remaining)))
    # A line that runs out of the picture is painted to a point beyond its edge.
    moments = np.array([edges[0] - view.span_ns, *edges, edges[-1] + view.span_ns], dtype=np.int64)
    return TimeScale(view, pieces, (moments - view.start_ns).astype(np.float64), np.array([-1.0, *shares, 2.0]))


def cells_of(scale: TimeScale, count: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Begins and ends of about so many cells of about the same length, in all pieces."""
    edges = [
        np.linspace(*piece.ends, max(2, round(count * piece.span_ns / scale.drawn_ns)) + 1).astype(np.int64)
        for piece in scale.pieces
    ]
    return np.concatenate([own[:-1] for own in edges]), np.concatenate([own[1:] for own in edges])


def pieces_of(view: TimeRange, measured: Iterable[TimeRange], interval_ns: int) -> list[TimeRange]:
    """The stretches of the view in which something was measured, those joined that no silence worth a fold parts.

    Args:
        interval_ns: the longest between two samples of what is shown.
    """
    inside = sorted((part for span in measured if (part := span.clipped(view))), key=lambda part: part.start_ns)
    apart: list[TimeRange] = []
    for part in inside:
        if apart and part.start_ns <= apart[-1].end_ns:
            apart[-1] = TimeRange(apart[-1].start_ns, max(apart[-1].end_ns, part.end_ns))
        else:
            apart.append(part)
    silence_ns = max(SILENT_INTERVALS * interval_ns, SILENT_SHARE * sum(part.span_ns for part in apart))
    return _joined(apart, view, round(silence_ns))


def _joined(apart: Sequence[TimeRange], view: TimeRange, silence_ns: int) -> list[TimeRange]:
    """Those that no more than a silence parts as one; what is as near to an edge of the view reaches it."""
    pieces: list[TimeRange] = []
    for part in apart:
        before_ns = pieces[-1].end_ns if pieces else view.start_ns
        if part.start_ns - before_ns > silence_ns:
            pieces.append(part)
        else:
            pieces[-1:] = [TimeRange(pieces[-1].start_ns if pieces else before_ns, part.end_ns)]
    if pieces and view.end_ns - pieces[-1].end_ns <= silence_ns:
        pieces[-1] = TimeRange(pieces[-1].start_ns, view.end_ns)
    return pieces
