"""Captures that lie far apart: which stretch of time is worth looking at first, and what lies outside a view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.capturing.times import deciding
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
    """How many captures lie wholly before a view, and how many behind it; `by_file` of them by their files' dates."""

    earlier: int = 0
    later: int = 0
    by_file: int = 0

    @property
    def count(self) -> int:
        return self.earlier + self.later


class CaptureSpans:
    """Where the captures of an engagement lie, by run."""

    def __init__(self, run_views: Iterable[Any] = ()) -> None:
        self._by_run = {view.run.id: [each for each in view.artefacts if _has_times(each)] for view in run_views}
        every = [each for captures in self._by_run.values() for each in captures]
        self._firsts = np.array([_span_of(each).start_ns for each in every], dtype=np.int64)
        self._lasts = np.array([_span_of(each).end_ns for each in every], dtype=np.int64)
        self._by_file = np.array([each.ledger.dated_by_file for each in every], dtype=bool)

    def newest_of(self, run_id: int, looked_at: Any = None) -> TimeRange | None:
        """The run's newest stretch; where one of its captures is looked at, of those that begin before that ends.

        What only a file's date puts somewhere counts where nothing else does, or where it is looked at itself.
        """
        captures = self._by_run.get(run_id, [])
        if looked_at is None or not looked_at.ledger.dated_by_file:
            captures = deciding(captures)
        until_ns = None if looked_at is None else looked_at.ledger.last_ns
        spans = map(_span_of, captures)
        return newest_stretch(span for span in spans if until_ns is None or span.start_ns <= until_ns)

    def outside(self, view: TimeRange) -> Outside:
        earlier, later = self._lasts < view.start_ns, self._firsts > view.end_ns
        by_file = (earlier | later) & self._by_file
        return Outside(int(earlier.sum()), int(later.sum()), int(by_file.sum()))


def _has_times(artefact: Any) -> bool:
    return artefact.ledger.first_ns is not None and artefact.ledger.last_ns is not None


def _span_of(artefact: Any) -> TimeRange:
    first_ns = artefact.ledger.first_ns
    return TimeRange(first_ns, max(artefact.ledger.last_ns, first_ns + 1))
