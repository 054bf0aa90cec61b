"""Where the captures of an engagement lie in time, and how many lie outside what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.records import record
from tunebench.domain.capturing.times import deciding
from tunebench.usecases.projects import ArtefactInfo, RunView


@record
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

    def __init__(self, run_views: Iterable[RunView] = ()) -> None:
        self._by_run = {
            view.run.id: [capture for capture in view.artefacts if _has_times(capture)] for view in run_views
        }
        every = [capture for captures in self._by_run.values() for capture in captures]
        self._firsts = np.array([_span_of(capture).start_ns for capture in every], dtype=np.int64)
        self._lasts = np.array([_span_of(capture).end_ns for capture in every], dtype=np.int64)
        self._by_file = np.array([capture.ledger.dated_by_file for capture in every], dtype=bool)

    def of_run(self, run_id: int) -> TimeRange | None:
        """What only a file's date puts somewhere counts where nothing else does."""
        return _around(deciding(self._by_run.get(run_id, [])))

    def of_host(self, host_id: int) -> TimeRange | None:
        every = (capture for captures in self._by_run.values() for capture in captures)
        return _around(deciding(capture for capture in every if capture.host_id == host_id))

    def of_capture(self, capture: ArtefactInfo) -> TimeRange | None:
        """With what was before and after it: it fills the middle half."""
        return _span_of(capture).widened(0.5) if _has_times(capture) else None

    def outside(self, view: TimeRange) -> Outside:
        earlier, later = self._lasts < view.start_ns, self._firsts > view.end_ns
        by_file = (earlier | later) & self._by_file
        return Outside(int(earlier.sum()), int(later.sum()), int(by_file.sum()))


def _around(captures: Sequence[ArtefactInfo]) -> TimeRange | None:
    spans = [_span_of(capture) for capture in captures]
    return TimeRange(min(s.start_ns for s in spans), max(s.end_ns for s in spans)) if spans else None


def _has_times(artefact: ArtefactInfo) -> bool:
    return artefact.ledger.first_ns is not None and artefact.ledger.last_ns is not None


def _span_of(artefact: ArtefactInfo) -> TimeRange:
    first_ns, last_ns = artefact.ledger.first_ns, artefact.ledger.last_ns
    assert first_ns is not None and last_ns is not None
    return TimeRange(first_ns, max(last_ns, first_ns + 1))
