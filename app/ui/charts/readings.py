"""Values under the cross-hair and statistics of the window, asked for off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.analysis.series import Envelope
from app.domain.series import SeriesInfo
from app.ui.charts.default_series import Strand, reaches, strand_statistics
from app.ui.charts.envelope_feed import interval_ns
from app.ui.charts.outline import reading_in
from app.ui.charts.source import Source
from app.ui.charts.time_range import TimeRange
from app.ui.jobs_bridge import JobsBridge, while_wanted

STATISTICS_MS = 150
MOST_KEPT = 2_000

Readings = dict[int, tuple[int, float]]


class CursorReadings(QObject):
    """`ready` carries (time, series id -> (stamp, value)).

    Where the envelope at hand holds raw samples the answer is immediate; where it holds bins the sample is
    read from the store.
    """

    ready = Signal(object, object)

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._source: Source | None = None
        self._busy = False
        self._wanted: tuple[int, tuple[SeriesInfo, ...]] | None = None

    def use(self, source: Source | None) -> None:
        self._source, self._busy, self._wanted = source, False, None

    def ask(self, time_ns: int, series: Sequence[SeriesInfo], envelope_of: Callable[[int], Envelope | None]) -> None:
        found: Readings = {}
        unknown = []
        moment = TimeRange(time_ns, time_ns + 1)
        for info in series:
            envelope = envelope_of(info.id)
            if envelope is not None and envelope.samples_per_bin <= 1:
                reading = reading_in(envelope, time_ns, interval_ns(info))
                if reading is not None:
                    found[info.id] = reading
            elif reaches(info, moment):
                unknown.append(info)
        if unknown:
            self._wanted = (time_ns, tuple(series))
            self._read()
        else:
            self._wanted = None
            self.ready.emit(time_ns, found)

    def _read(self) -> None:
        # One at a time; the newest wish is read when the answer is there.
        if self._busy or self._wanted is None or self._source is None:
            return
        (time_ns, series), self._wanted, self._busy = self._wanted, None, True
        source = self._source
        self._jobs.run(
            "cpu",
            lambda handle: _readings(source, time_ns, while_wanted(handle, series)),
            owner=self,
            slot="readings",
            on_result=lambda found: self._take(source, time_ns, found),
            on_error=lambda _error: self._end(),
            on_cancelled=self._end,
        )

    def _take(self, source: Source, time_ns: int, found: Readings) -> None:
        if source is not self._source:
            return
        self.ready.emit(time_ns, found)
        self._end()

    def _end(self) -> None:
        self._busy = False
        self._read()


def _readings(source: Source, time_ns: int, series: Iterable[SeriesInfo]) -> Readings:
    moment = TimeRange(time_ns, time_ns + 1)
    found = {info.id: source.value_at(info.id, time_ns) for info in series if reaches(info, moment)}
    return {key: (reading.time_ns, reading.value) for key, reading in found.items() if reading is not None}


class WindowStatistics(QObject):
    """`ready` carries strand id -> `Statistics` of the last window asked for."""

    ready = Signal(object)

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._source: Source | None = None
        self._kept: dict[tuple[tuple[int, ...], TimeRange], Any] = {}
        self._wanted: tuple[tuple[Strand, ...], TimeRange] | None = None
        self._timer = QTimer(self, singleShot=True, interval=STATISTICS_MS)
        self._timer.timeout.connect(self._read)

    def use(self, source: Source | None) -> None:
        self._source, self._wanted = source, None
        self._timer.stop()
        self._kept.clear()

    def ask(self, strands: Sequence[Strand], window: TimeRange) -> None:
        self._wanted = (tuple(strands), window)
        self._timer.start()

    def _read(self) -> None:
        if self._wanted is None or self._source is None:
            return
        source, (wanted, window) = self._source, self._wanted
        unknown = [strand for strand in wanted if (strand.ids, window) not in self._kept]
        if not unknown:
            self._tell()
            return
        self._jobs.run(
            "cpu",
            lambda handle: {
                strand.id: strand_statistics(source, strand, window) for strand in while_wanted(handle, unknown)
            },
            owner=self,
            slot="statistics",
            on_result=lambda found: self._take(source, unknown, window, found),
        )

    def _take(self, source: Source, strands: Sequence[Strand], window: TimeRange, found: Mapping[int, Any]) -> None:
        if source is not self._source:
            return
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        for strand in strands:
            self._kept[strand.ids, window] = found[strand.id]
        self._tell()

    def _tell(self) -> None:
        if self._wanted is None:
            return
        wanted, window = self._wanted
        self.ready.emit({s.id: self._kept[s.ids, window] for s in wanted if (s.ids, window) in self._kept})
