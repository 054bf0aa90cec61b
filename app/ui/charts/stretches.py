"""Captures that lie far apart: which stretch of time is worth looking at first, and what lies outside a view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.ui.charts.time_range import DAY_NS, TimeRange

_EMPTIEST = 20
"""A pause so many times as long as the stretch behind it leaves lines of a few pixels: the view ends there."""


def newest_stretch(spans: Iterable[TimeRange]) -> TimeRange | None:
    """The newest captures together, back to a pause that is longer than a day and longer than they can bear."""
    found: TimeRange | None = None
    for span in sorted(spans, key=lambda each: each.end_ns, reverse=True):
        if found is None:
            found = span
        elif found.start_ns - span.end_ns > max(DAY_NS, _EMPTIEST * found.span_ns):
            break
        else:
            found = TimeRange(min(span.start_ns, found.start_ns), found.end_ns)
    return found


@dataclass(frozen=True, slots=True)
class Outside:
    """How many captures lie wholly before a view, and how many behind it."""

    earlier: int = 0
    later: int = 0

    @property
    def count(self) -> int:
        return self.earlier + self.later


class CaptureSpans:
    """Where the captures of an engagement lie, by run."""

    def __init__(self, run_views: Iterable[Any] = ()) -> None:
        self._by_run = {view.run.id: [*map(_span_of, filter(_has_times, view.artefacts))] for view in run_views}
        every = [span for spans in self._by_run.values() for span in spans]
        self._firsts = np.array([span.start_ns for span in every], dtype=np.int64)
        self._lasts = np.array([span.end_ns for span in every], dtype=np.int64)

    def newest_of(self, run_id: int, until_ns: int | None = None) -> TimeRange | None:
        """The run's newest stretch; of the captures that begin by `until_ns`, where that is given."""
        spans = self._by_run.get(run_id, ())
        return newest_stretch(span for span in spans if until_ns is None or span.start_ns <= until_ns)

    def outside(self, view: TimeRange) -> Outside:
        return Outside(int((self._lasts < view.start_ns).sum()), int((self._firsts > view.end_ns).sum()))


def _has_times(artefact: Any) -> bool:
    return artefact.ledger.first_ns is not None and artefact.ledger.last_ns is not None


def _span_of(artefact: Any) -> TimeRange:
    first_ns = artefact.ledger.first_ns
    return TimeRange(first_ns, max(artefact.ledger.last_ns, first_ns + 1))
