"""The two windows of every series, read and computed in blocks of whole devices: the columns of one device are needed
together, and what is asked of many series is asked of the rows of a table at once.

What was computed of an occurrence is remembered as long as its captures stay as they are: when a window's end is moved
only the occurrences that changed are read again. Of the samples themselves nothing is kept.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.comparison import Parts
from tunebench.analysis.comparing.disk_work import (
    RESPONSE_TIMES,
    Column,
    Work,
    counts_requests,
    is_mean_of_requests,
    transfer_of,
    work_of,
)
from tunebench.analysis.comparing.regular_samples import NS_PER_S, Samples, samples_of, samples_of_each
from tunebench.analysis.comparing.window_sides import Measured, Side, look_at
from tunebench.analysis.series import SeriesData, joined
from tunebench.analysis.statistics import Statistics, describe, describe_values
from tunebench.core.grouping import by_key
from tunebench.core.once import Once
from tunebench.core.records import record
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.engagement import Kind
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch
from tunebench.store import merged_series, overlaps
from tunebench.store.merged_series import MergedSeries
from tunebench.store.project import Project

Pair = tuple[Parts, Parts]
Device = tuple[str, str, str]
"""Host, tool and name of the device; an empty name for what belongs to the whole host."""

MOST_TOGETHER = 1_000_000
"""Numbers of a block, both windows together: 8 MB, and a few times that while figures are computed."""
MOST_REMEMBERED = 50_000
"""Occurrences of series: those of two windows of a host of a thousand devices."""


@dataclass(frozen=True, eq=False)
class ReadSide:
    """One window of one series as captured, and ready to be judged.

    Attributes:
        side: None where nothing was captured.
        columns: of each of the window's stretches, whatever was captured in it.
    """

    side: Side | None = None
    columns: tuple[_Column, ...] = ()

    @Once
    def statistics(self) -> Statistics | None:
        """The statistics of the captured values, of a counter not of its rates; None where nothing was captured."""
        if self.side is None:
            return None
        if self.side.info.kind is not Kind.COUNTER:
            return self.side.statistics
        return describe_values(np.concatenate([np.empty(0), *(column.values for column in self.columns)]))


@record(eq=False)
class ReadPair:
    """Both sides of a pair of series; `index` is that of the pair in the list of all."""

    index: int
    parts: Pair
    before: ReadSide
    after: ReadSide


def in_blocks(pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Indexes of the pairs, those of a device together, and devices together as long as there are few numbers."""
    infos = [(later or earlier)[0] for earlier, later in pairs]
    block: list[int] = []
    numbers = 0
    for indexes in by_key((device_of(info), index) for index, info in enumerate(infos)).values():
        more = sum(part.count for index in indexes for parts in pairs[index] for part in parts)
        if block and numbers + more > MOST_TOGETHER:
            yield block
            block, numbers = [], 0
        block, numbers = [*block, *indexes], numbers + more
    if block:
        yield block


def device_of(info: SeriesInfo) -> Device:
    return info.host, info.tool, info.identity.get("device", "")


def thing_of(info: SeriesInfo) -> tuple[str, ...]:
    """What its column describes: a device, whichever of its tool's tables it is in, else a row of its table."""
    if info.device:
        return device_of(info)
    return info.host, info.tool, info.table, *(f"{name}={value}" for name, value in sorted(info.attributes.items()))


def counting(listed: Iterable[SeriesInfo], info: SeriesInfo) -> list[Parts]:
    """The columns that count the requests whose mean `info` is; none where nothing counts them."""
    if not is_mean_of_requests(info):
        return []
    counts = (other for other in listed if counts_requests(other) and thing_of(other) == thing_of(info))
    return [tuple(parts) for parts in by_key(((count.table, count.native), count) for count in counts).values()]


def described(info: SeriesInfo, data: SeriesData, counted: Iterable[tuple[SeriesInfo, SeriesData]]) -> Statistics:
    """The statistics of captured samples; the mean is that of the requests where `counted` has how many they were."""
    statistics, requests = describe(data), weighed(info, data, counted)
    mean = None if requests.weights is None else requests.mean
    return statistics if mean is None else replace(statistics, mean=mean, weighted=True)


def weighed(info: SeriesInfo, data: SeriesData, counted: Iterable[tuple[SeriesInfo, SeriesData]]) -> Samples:
    """Captured samples, with the requests of their intervals as weights where `counted` has how many they were."""
    own = samples_of(data, info.kind, info.interval_s)
    columns = _by_quantity((count, samples_of(read, count.kind, count.interval_s)) for count, read in counted)
    work = _work(info, own, columns)
    return own if work is None else work.response


def read_block(
    project: Project, pairs: Sequence[Pair], indexes: Sequence[int], windows: Sequence[Sequence[Stretch]]
) -> list[ReadPair]:
    """The pairs of one block with what was captured of them.

    Args:
        windows: the stretches of the window before, and of the one after.
    """
    memory = _memory_of(project)
    sides = [
        memory.block(project, {index: pairs[index][which] for index in indexes if pairs[index][which]}, stretches)
        for which, stretches in enumerate(windows)
    ]
    return [ReadPair(index, pairs[index], *(side.get(index, ReadSide()) for side in sides)) for index in indexes]


def let_go(reads: Iterable[ReadPair]) -> None:
    """Frees their samples, and those of their block, which are read again when somebody asks for them."""
    for table in {column.table for read in reads for side in (read.before, read.after) for column in side.columns}:
        table.let_go()


# -- what is remembered --------------------------------------------------------------------------------


_Key = tuple[int, Stretch, tuple[tuple[tuple[merged_series.Part, ...], ...], ...]]
"""Number of the window's occurrence, the occurrence, and the parts of each column of a block that lie in it."""


@record(frozen=False)
class _Memory:
    """What was computed of a project's captures.

    Attributes:
        state: of the captures.
    """

    state: tuple[int, ...]
    tables: dict[_Key, _Table] = field(default_factory=dict)
    sides: dict[tuple[_Column, ...], ReadSide] = field(default_factory=dict)
    size: int = 0

    def block(self, project: Project, wanted: Mapping[int, Parts], stretches: Sequence[Stretch]) -> dict[int, ReadSide]:
        wholes = _wholes(project, wanted.values())
        tables = [self._table(project, number, stretch, wanted, wholes) for number, stretch in enumerate(stretches)]
        columns = {index: tuple(table.columns[at] for table in tables) for at, index in enumerate(wanted)}
        if any(own not in self.sides for own in columns.values()):  # a side is described by all its samples
            for table in tables:
                table.read()
        return {index: self._side(parts[0], columns[index]) for index, parts in wanted.items()}

    def _table(
        self,
        project: Project,
        number: int,
        stretch: Stretch,
        wanted: Mapping[int, Parts],
        wholes: Mapping[int, MergedSeries],
    ) -> _Table:
        inside = [_parts_in(parts, stretch) for parts in wanted.values()]
        key = number, stretch, tuple(tuple(wholes[part.id].parts for part in own) for own in inside)
        table = self.tables.get(key)
        if table is None:
            if self.size > MOST_REMEMBERED:
                self.tables.clear()
                self.sides.clear()
                self.size = 0
            infos = [parts[0] for parts in wanted.values()]
            table = self.tables[key] = _Table(weakref.ref(project), number, stretch, infos, inside, wholes)
            self.size += len(infos)
        return table

    def _side(self, info: SeriesInfo, columns: tuple[_Column, ...]) -> ReadSide:
        read = self.sides.get(columns)
        if read is None or read.side is None or read.side.info != info:  # the series was renamed
            measured = tuple([column.measured for column in columns if column.measured is not None])
            missing = sum([column.rows for column in columns]) - sum([occurrence.n for occurrence in measured])
            read = self.sides[columns] = ReadSide(Side(info, measured, missing), columns)
        return read


_memories: WeakKeyDictionary[Project, _Memory] = WeakKeyDictionary()


def forget(project: Project) -> None:
    """Frees what was computed of a project's captures; a comparison after that computes it anew."""
    memory = _memories.pop(project, None)
    for table in memory.tables.values() if memory is not None else ():
        vars(table).clear()  # its columns know it, so that nobody else would free them before the next look for cycles


def _memory_of(project: Project) -> _Memory:
    """The project's memory; a new one after captures were read, taken away or compared anew."""
    state = overlaps.state_of(project)[1:]
    memory = _memories.get(project)
    if memory is None or memory.state != state:
        memory = _memories[project] = _Memory(state)
    return memory


@record(eq=False)
class _Read:
    captured: NDArray[np.float64]
    samples: Samples
    work: Work | None


@dataclass(eq=False)
class _Table:
    """All columns of a block in one stretch, which are read together."""

    project: weakref.ref[Project]
    number: int
    stretch: Stretch
    infos: Sequence[SeriesInfo]
    inside: Sequence[Parts]
    wholes: Mapping[int, MergedSeries]
    _read: list[_Read] | None = None

    @Once
    def columns(self) -> tuple[_Column, ...]:
        reads = self.read()
        columns = tuple([_Column(self, at, len(read.captured)) for at, read in enumerate(reads)])
        measured = []
        coverages: dict[object, float | None] = {}  # the columns of a table were mostly captured alike
        for column, own, read in zip(columns, self.inside, reads, strict=True):
            if len(read.samples):
                parts = [part for info in own for part in self.wholes[info.id].parts if part.interval_s]
                alike = len(read.samples), read.samples.interval_s, *[part.extent for part in parts]
                if alike not in coverages:
                    coverages[alike] = _coverage([part.extent for part in parts], self.stretch, read.samples)
                column.measured = Measured(self.number, column, coverages[alike], _span(own, self.stretch))
                measured.append((column.measured, read.samples, read.work))
        look_at(measured)
        return columns

    def read(self) -> list[_Read]:
        columns = self._read
        if columns is None:
            columns = self._read = self._read_now()
        return columns

    def let_go(self) -> None:
        self._read = None

    def _read_now(self) -> list[_Read]:
        project = self.project()
        assert project is not None
        read: dict[int, tuple[NDArray[np.float64], Samples]] = {}
        for indexes, table in _tables(project, self.wholes, self.inside, self.stretch):
            data = table.without_boot()
            forms = [(self.infos[index].kind, _interval_s(self.inside[index])) for index in indexes]
            read.update(zip(indexes, zip(data.values, samples_of_each(data, forms), strict=True), strict=True))
        columns = [read[index] for index in range(len(self.infos))]
        counts = by_key(
            (thing_of(info), (info, samples))
            for info, (_, samples) in zip(self.infos, columns, strict=True)
            if counts_requests(info)
        )
        by_thing = {thing: _by_quantity(own) for thing, own in counts.items()}
        return [
            _Read(values, samples, _work_among(info, samples, by_thing))
            for info, (values, samples) in zip(self.infos, columns, strict=True)
        ]


def _by_quantity(columns: Iterable[Column]) -> dict[tuple[str, str], list[Column]]:
    return by_key(((info.metric, transfer_of(info)), (info, own)) for info, own in columns)


_Quantities = Mapping[tuple[str, str], Sequence[Column]]


def _work_among(info: SeriesInfo, samples: Samples, by_thing: Mapping[tuple[str, ...], _Quantities]) -> Work | None:
    return _work(info, samples, by_thing.get(thing_of(info), {})) if is_mean_of_requests(info) else None


def _work(info: SeriesInfo, samples: Samples, columns: _Quantities) -> Work | None:
    if not len(samples) or not is_mean_of_requests(info) or (info.metric in RESPONSE_TIMES and not info.device):
        return None
    return work_of(info, samples, columns)


@record(frozen=False, eq=False)
class _Column:
    """One series in one stretch.

    Attributes:
        rows: number of captured rows, with or without a value; averages since boot left out.
        measured: None where nothing was.
    """

    table: _Table
    at: int
    rows: int
    measured: Measured | None = None

    @property
    def values(self) -> NDArray[np.float64]:
        """float64[rows], as captured."""
        return self.table.read()[self.at].captured

    @property
    def samples(self) -> Samples:
        return self.table.read()[self.at].samples

    @property
    def work(self) -> Work | None:
        return self.table.read()[self.at].work


# -- reading -------------------------------------------------------------------------------------------


def _interval_s(parts: Parts) -> float | None:
    return max((part.interval_s for part in parts if part.interval_s), default=None)


def samples_in(project: Project, parts: Parts, stretch: Stretch) -> SeriesData:
    """The samples in the stretch without its holes; none where no capture of its run lies in it."""
    inside = _parts_in(parts, stretch)
    return _read(project, _wholes(project, [inside]), [inside], stretch)[0]


def _wholes(project: Project, wanted: Iterable[Parts]) -> dict[int, MergedSeries]:
    ids = [part.id for parts in wanted for part in parts]
    return dict(zip(ids, merged_series.find_all_merged(project, ids), strict=True))


def _tables(
    project: Project, wholes: Mapping[int, MergedSeries], inside: Sequence[Parts], stretch: Stretch
) -> Iterator[tuple[list[int], SeriesData]]:
    """Indexes of the columns that were captured together, and their samples as the rows of one table."""
    columns = [[wholes[part.id] for part in parts] for parts in inside]
    for indexes, table in merged_series.read_tables(project, columns, *stretch.span):
        yield indexes, without_holes(table, stretch.holes)


def _read(
    project: Project, wholes: Mapping[int, MergedSeries], inside: Sequence[Parts], stretch: Stretch
) -> list[SeriesData]:
    """The samples of each column; columns of one table are read together."""
    read: dict[int, SeriesData] = {}
    for indexes, table in _tables(project, wholes, inside, stretch):
        for index, values in zip(indexes, table.values, strict=True):
            read[index] = SeriesData(table.times_ns, values, table.since_boot, table.line_numbers)
    return [read[index] for index in range(len(inside))]


def samples_over(project: Project, parts: Parts, stretches: Iterable[Stretch]) -> SeriesData:
    """`samples_in` of all the stretches, as one series."""
    return all_samples_over(project, [parts], stretches)[0]


def all_samples_over(project: Project, wanted: Sequence[Parts], stretches: Iterable[Stretch]) -> list[SeriesData]:
    """`samples_over` of each series; columns of one table are read together."""
    wholes = _wholes(project, wanted)
    read = [_read(project, wholes, [_parts_in(parts, stretch) for parts in wanted], stretch) for stretch in stretches]
    return [joined([columns[index] for columns in read]) for index in range(len(wanted))]


def _parts_in(parts: Parts, stretch: Stretch) -> Parts:
    return tuple(
        [
            part
            for part in parts
            if stretch.run_id in (None, part.run_id)
            and (part.first_ns is None or part.first_ns <= stretch.end_ns)
            and (part.last_ns is None or part.last_ns >= stretch.start_ns)
        ]
    )


def without_holes(data: SeriesData, holes: Sequence[Span]) -> SeriesData:
    if not holes:
        return data
    kept = np.ones(len(data.times_ns), dtype=np.bool_)
    for first, last in holes:
        kept &= (data.times_ns < first) | (data.times_ns > last)
    return data.taken(kept)


def _span(inside: Parts, stretch: Stretch) -> Span:
    """From when to when: the stretch as asked for, else what was captured in it."""
    if stretch.asked:
        return stretch.span
    first = min([part.first_ns for part in inside if part.first_ns is not None], default=stretch.start_ns)
    last = max([part.last_ns for part in inside if part.last_ns is not None], default=stretch.end_ns)
    start, end = max(first, stretch.start_ns), min(last, stretch.end_ns)
    return start, max(start, end)


def _coverage(extents: Iterable[Span], stretch: Stretch, samples: Samples) -> float | None:
    """Measured time over the captures' time inside the stretch; over the stretch itself where it was asked for."""
    if not samples.interval_s or not len(samples):
        return None
    shared = [overlap_of(extent, stretch.span) for extent in extents]
    captured_ns = sum(last - first for first, last in filter(None, shared))
    asked_ns = stretch.end_ns - stretch.start_ns if stretch.asked else 0
    wanted_ns = max(captured_ns, asked_ns) - sum(last - first for first, last in stretch.holes)
    if wanted_ns <= 0:
        return None
    return min(1.0, len(samples) * samples.interval_s * NS_PER_S / wanted_ns)


def joined_samples(
    project: Project, parts: Iterable[SeriesInfo], start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """The samples of all captures of one thing, as one series."""
    wholes = merged_series.find_all_merged(project, [part.id for part in parts])
    return joined(merged_series.read_all_merged(project, wholes, start_ns, end_ns))
