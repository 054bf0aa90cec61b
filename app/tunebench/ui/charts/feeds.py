"""What is asked for off the GUI thread: envelopes for the view, kept, so that panning paints and reads nothing; values
under the cross-hair and statistics of the window."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from tunebench.analysis.exploring.outline import reading_in
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import Envelope
from tunebench.analysis.statistics import Statistics
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch
from tunebench.ui.jobs_bridge import JobsBridge, while_wanted
from tunebench.usecases.exploring.reading import (
    Readings,
    Samples,
    interval_ns,
    read_envelope,
    readings_at,
    since_boot_samples,
)
from tunebench.usecases.exploring.strands import Strand, reaches, strand_statistics
from tunebench.usecases.projects import Project

DEBOUNCE_MS = 16
MARGIN = 1.0
"""Spans read beyond each edge of the view, so that a pan finds its data there already."""
MOST_TILES = 400
COARSE = 2.0
"""A kept answer does while its bins are at most this many times wider than the wanted ones."""
STATISTICS_MS = 150
MOST_KEPT = 2_000

_Over = tuple[tuple[int, ...], tuple[Stretch, ...]]


@record
class Tile:
    """One answer: `envelope` over `range`, asked with bins of `bin_ns`."""

    range: TimeRange
    bin_ns: float
    envelope: Envelope

    def does_for(self, view: TimeRange, bin_ns: float) -> bool:
        fine = self.envelope.samples_per_bin <= 1 or self.bin_ns <= bin_ns * COARSE
        return fine and self.range.covers(view)


class TileStore:
    """The tiles at hand; the longest unused go first."""

    def __init__(self, most: int = MOST_TILES) -> None:
        self._most = most
        self._tiles: OrderedDict[tuple[int, int], Tile] = OrderedDict()
        self._serial = 0

    def keep(self, key: int, tile: Tile) -> None:
        self._serial += 1
        self._tiles[key, self._serial] = tile
        while len(self._tiles) > self._most:
            self._tiles.popitem(last=False)

    def best(self, key: int, view: TimeRange, bin_ns: float) -> tuple[Tile | None, bool]:
        """(tile to show now, whether it is good enough). A coarse or partial one beats a blank row."""
        own = [(slot, tile) for slot, tile in self._tiles.items() if slot[0] == key]
        good = [(slot, tile) for slot, tile in own if tile.does_for(view, bin_ns)]
        if good:
            slot, tile = max(good, key=lambda pair: pair[1].bin_ns)
            self._tiles.move_to_end(slot)
            return tile, True
        covering = [tile for _, tile in own if tile.range.covers(view)]
        if covering:
            return min(covering, key=lambda tile: tile.bin_ns), False
        touching = [tile for _, tile in own if tile.range.overlaps(view)]
        return (max(touching, key=lambda tile: tile.range.span_ns) if touching else None), False

    def clear(self) -> None:
        self._tiles.clear()


class EnvelopeFeed(QObject):
    """`arrived` says that better envelopes are at hand: ask `envelope` again."""

    arrived = Signal()

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._project: Project | None = None
        self._tiles = TileStore()
        self._view = TimeRange(0, 1)
        self._bins = 1
        self._series: tuple[SeriesInfo, ...] = ()
        self._asking = False
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._ask)

    def use(self, project: Project | None) -> None:
        self._jobs.drop(self)
        self._project, self._series = project, ()
        self._asking = False
        self._timer.stop()
        self._tiles.clear()

    @property
    def settled(self) -> bool:
        """Whether nothing is asked for any more."""
        return not self._asking and not self._timer.isActive()

    def want(self, view: TimeRange, width_px: int, series: Sequence[SeriesInfo]) -> None:
        """The view that will be painted; answers come as `arrived`."""
        self._view, self._bins, self._series = view, max(width_px, 50), tuple(series)
        if self._missing():
            self._timer.start()

    def envelope(self, key: int) -> Envelope | None:
        """The best envelope at hand for the wanted view."""
        tile, _ = self._tiles.best(key, self._view, self._bin_ns)
        return tile.envelope if tile else None

    @property
    def _bin_ns(self) -> float:
        return self._view.span_ns / self._bins

    def _missing(self) -> list[SeriesInfo]:
        return [info for info in self._series if not self._tiles.best(info.id, self._view, self._bin_ns)[1]]

    def _ask(self) -> None:
        # One question at a time: a wheel turned fast would otherwise cancel every answer before it comes.
        missing = self._missing()
        if self._asking or self._project is None or not missing:
            return
        self._asking = True
        project, asked, bin_ns = self._project, self._view.widened(MARGIN), self._bin_ns
        bins = round(self._bins * (1 + 2 * MARGIN))
        self._jobs.run(
            "cpu",
            lambda handle: {
                info.id: read_envelope(project, info, asked, bins) for info in while_wanted(handle, missing)
            },
            owner=self,
            slot="envelopes",
            on_result=lambda envelopes: self._take(envelopes, asked, bin_ns),
            on_error=self._refuse,
            on_cancelled=self._give_up,
        )

    def _take(self, envelopes: dict[int, Envelope], asked: TimeRange, bin_ns: float) -> None:
        self._asking = False
        for key, envelope in envelopes.items():
            self._tiles.keep(key, Tile(asked, bin_ns, envelope))
        self.arrived.emit()
        if self._missing():
            self._timer.start()

    def _give_up(self) -> None:
        self._asking = False

    def _refuse(self, error: UserError) -> None:
        self._asking = False
        self._jobs.failed.emit(error)


class CursorReadings(QObject):
    """`ready` carries (time, series id -> (stamp, value)).

    Where the envelope at hand holds raw samples the answer is immediate; where it holds bins the sample is
    read from the store.
    """

    ready = Signal(object, object)

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._project: Project | None = None
        self._busy = False
        self._wanted: tuple[int, tuple[SeriesInfo, ...]] | None = None

    def use(self, project: Project | None) -> None:
        self._jobs.drop(self)
        self._project, self._busy, self._wanted = project, False, None

    def ask(self, time_ns: int, series: Sequence[SeriesInfo], envelope_of: Callable[[int], Envelope | None]) -> None:
        readings: Readings = {}
        unknown = []
        moment = TimeRange(time_ns, time_ns + 1)
        for info in series:
            envelope = envelope_of(info.id)
            if envelope is not None and envelope.samples_per_bin <= 1:
                reading = reading_in(envelope, time_ns, interval_ns(info))
                if reading is not None:
                    readings[info.id] = reading
            elif reaches(info, moment.ends):
                unknown.append(info)
        if unknown:
            self._wanted = (time_ns, tuple(series))
            self._read()
        else:
            self._wanted = None
            self.ready.emit(time_ns, readings)

    def _read(self) -> None:
        # One at a time; the newest wish is read when the answer is there.
        if self._busy or self._wanted is None or self._project is None:
            return
        (time_ns, series), self._wanted, self._busy = self._wanted, None, True
        project = self._project
        self._jobs.run(
            "cpu",
            lambda handle: readings_at(project, time_ns, while_wanted(handle, series)),
            owner=self,
            slot="readings",
            on_result=lambda readings: self._take(time_ns, readings),
            on_error=lambda _error: self._end(),
            on_cancelled=self._end,
        )

    def _take(self, time_ns: int, readings: Readings) -> None:
        self.ready.emit(time_ns, readings)
        self._end()

    def _end(self) -> None:
        self._busy = False
        self._read()


class WindowStatistics(QObject):
    """`ready` carries strand id -> side -> `Statistics`, of the last sides asked for."""

    ready = Signal(object)

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._project: Project | None = None
        self._kept: dict[_Over, Statistics] = {}
        self._strands: tuple[Strand, ...] = ()
        self._sides: Mapping[str, tuple[Stretch, ...]] = {}
        self._timer = QTimer(self, singleShot=True, interval=STATISTICS_MS)
        self._timer.timeout.connect(self._read)

    def use(self, project: Project | None) -> None:
        self._jobs.drop(self)
        self._project, self._strands = project, ()
        self._timer.stop()
        self._kept.clear()

    def ask(self, strands: Sequence[Strand], sides: Mapping[str, tuple[Stretch, ...]]) -> None:
        self._strands, self._sides = tuple(strands), sides
        self._timer.start()

    def _read(self) -> None:
        project = self._project
        if project is None:
            return
        wanted = [(strand, stretches) for strand in self._strands for stretches in self._sides.values()]
        unknown = [(strand, stretches) for strand, stretches in wanted if (strand.ids, stretches) not in self._kept]
        if not unknown:
            self._tell()
            return
        self._jobs.run(
            "cpu",
            lambda handle: {
                (strand.ids, stretches): strand_statistics(project, strand, stretches)
                for strand, stretches in while_wanted(handle, unknown)
            },
            owner=self,
            slot="statistics",
            on_result=self._take,
        )

    def _take(self, statistics: Mapping[_Over, Statistics]) -> None:
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        self._kept.update(statistics)
        self._tell()

    def _tell(self) -> None:
        kept, sides = self._kept, self._sides.items()
        self.ready.emit(
            {
                strand.id: {side: kept[strand.ids, over] for side, over in sides if (strand.ids, over) in kept}
                for strand in self._strands
            }
        )


class SinceBootSamples(QObject):
    """Averages since boot of each series, read once; `arrived` says that more of them are at hand: ask `of` again."""

    arrived = Signal()

    def __init__(self, jobs: JobsBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._project: Project | None = None
        self._samples: dict[int, Samples] = {}

    def use(self, project: Project | None) -> None:
        self._jobs.drop(self)
        self._project = project
        self.forget()

    def forget(self) -> None:
        self._samples = {}

    def of(self, series_id: int) -> Samples:
        return self._samples.get(series_id, ())

    def ask(self, series: Iterable[SeriesInfo], restarts_of: Callable[[SeriesInfo], list[int]]) -> None:
        unknown = [info for info in series if info.id not in self._samples]
        project = self._project
        if not unknown or project is None:
            return
        restarts = {info.id: restarts_of(info) for info in unknown}
        self._jobs.run(
            "cpu",
            lambda handle: {
                info.id: since_boot_samples(project, info, restarts[info.id]) for info in while_wanted(handle, unknown)
            },
            owner=self,
            slot="since-boot",
            on_result=self._take,
        )

    def _take(self, samples: Mapping[int, Samples]) -> None:
        self._samples.update(samples)
        self.arrived.emit()
