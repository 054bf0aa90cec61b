"""Series over all captures that continue each other: found, and read as one.

A column is what one capture has of a thing; a whole is the columns of one run that have the same host, tool, heading,
unit and attributes, a renamed device under one name. Nothing is copied: a whole is read from its columns' own chunks.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from tunebench.analysis.series import SeriesData, joined
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS, DeviceAlias, Span, named_spans, overlap_of, without
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.store import overlaps, queries
from tunebench.store.device_names import names_of_devices

if TYPE_CHECKING:
    from tunebench.store.project import Project

PIECE_STEP = 100_000_000
"""A column whose device changed its name gives pieces of several merged series: id + k * this is that of its k-th."""
_FROM = (
    " FROM artefact AS a JOIN clock AS c ON c.artefact_id = a.id JOIN series AS s ON s.clock_id = c.id"
    " JOIN run ON run.id = a.run_id LEFT JOIN host ON host.id = a.host_id WHERE c.complete = 1"
)
_CLOCKS = (
    "SELECT c.id, a.id, a.run_id, run.label, coalesce(a.host_id, 0), coalesce(host.name, ''), c.tool, c.table_name,"
    " c.interval_s, c.rows_stored, coalesce(c.first_ns, 0), coalesce(c.last_ns, 0) FROM artefact AS a"
    " JOIN clock AS c ON c.artefact_id = a.id JOIN run ON run.id = a.run_id LEFT JOIN host ON host.id = a.host_id"
    " WHERE c.complete = 1"
)
_CAPTURED = (
    "SELECT s.id, c.id, s.native, s.metric, s.unit, s.kind, s.direction, s.to_base, s.base_unit, s.sample_count,"
    f" s.missing_count, s.first_ns, s.last_ns, s.attributes, s.implied, s.definition{_FROM}"
)
_COLUMNS = (
    "SELECT s.id, a.id, c.id, s.attributes, s.sample_count, s.missing_count, coalesce(s.first_ns, c.first_ns),"
    f" coalesce(s.last_ns, c.last_ns), c.interval_s, c.rows_stored, c.first_ns, c.last_ns{_FROM}"
)


_Table = tuple[int, int | None, int | None]
"""A clock's id, first and last time of the rows."""


@record
class Part:
    """A stretch of one column that counts for a whole: samples at `span[0]` <= time <= `span[1]`."""

    series_id: int
    artefact_id: int
    clock_id: int
    device: str
    span: Span
    cut: bool  # whether the span leaves samples of the column out
    extent: Span  # first and last stamp of its table that the span leaves in
    first_ns: int
    last_ns: int
    interval_s: float | None
    rows: int
    count: int
    missing: int

    def __hash__(self) -> int:
        return hash((self.series_id, self.span))  # all that tells it from others


@record
class _Clock:
    """What the columns of a captured table have in common."""

    artefact_id: int
    run_id: int
    run: str
    host_id: int
    host: str
    tool: str
    table: str
    interval_s: float | None
    rows: int
    first_ns: int
    last_ns: int


@record
class MergedSeries:
    """A series and its parts in the order of time; in a list they are not read, `columns` are its columns' ids then."""

    info: SeriesInfo
    parts: tuple[Part, ...]
    columns: tuple[int, ...] = ()


@record
class _Piece:
    """A stretch of a column under one name of its device: `row` of the groups, `column` of the columns."""

    name: str
    span: Span
    row: tuple[Any, ...]
    column: tuple[Any, ...]

    @property
    def artefact_id(self) -> int:
        return int(self.column[1])

    @property
    def device(self) -> str:
        return str(dict(json.loads(self.column[3])).get("device", ""))

    @property
    def extent(self) -> Span:
        """First and last stamp of its table that are under this name."""
        return overlap_of(self.span, self.whole_extent) or self.whole_extent

    @property
    def whole_extent(self) -> Span:
        return self.column[10] or 0, self.column[11] or 0


# -- finding -------------------------------------------------------------------------------------------


def list_merged(project: Project, run_id: int | None = None) -> list[SeriesInfo]:
    """Series of one run or all, captures that continue each other as one; reads no samples but of cut columns.

    `count`, `missing`, `first_ns` and `last_ns` are over what counts: a stretch that two captures hold is in it once.
    """
    finder = _finder(project)
    if finder.listed is None:
        wholes = finder.merged_series()
        finder.infos = [whole.info for whole in wholes]
        finder.listed = {whole.info.id: whole for whole in wholes}
    return [info for info in finder.infos if info.run_id == run_id] if run_id is not None else list(finder.infos)


def count_lost(project: Project, columns: Collection[int]) -> int:
    """How many series fewer `list_merged` has when these columns go: one that goes on in others stays."""
    gone, finder = frozenset(columns), _finder(project)
    list_merged(project)
    return sum(gone.issuperset(whole.columns) for whole in (finder.listed or {}).values())


def has_columns(project: Project, count: int) -> bool:
    """Whether the project has so many columns or more; no more than these are looked at."""
    row = project.row("SELECT count(*) FROM (SELECT 1 FROM series LIMIT ?)", (count,))
    return bool(row[0] >= count)


def find_merged(project: Project, series_id: int) -> MergedSeries:
    """The whole that a column belongs to; the id of any of its columns finds it.

    Raises:
        UserError: series_missing where there is none.
    """
    return find_all_merged(project, [series_id])[0]


def find_all_merged(project: Project, series_ids: Sequence[int]) -> list[MergedSeries]:
    finder = _finder(project)
    new = [id_ for id_ in series_ids if id_ not in finder.known]
    finder.known.update(finder.listed_with_parts([id_ for id_ in new if id_ in (finder.listed or ())]))
    finder.known.update((id_, finder.find(id_)) for id_ in new if id_ not in finder.known)
    return [finder.known[id_] for id_ in series_ids]


_finders: WeakKeyDictionary[Project, _Finder] = WeakKeyDictionary()


def _finder(project: Project) -> _Finder:
    """The project's finder; a new one after every change that series could have come from."""
    state = overlaps.state_of(project)
    finder = _finders.get(project)
    if finder is None or finder.state != state:
        finder = _finders[project] = _Finder(project, state)
    return finder


class _Shared:
    """One object for equal values of many rows: those of a table share nearly all, and each query makes them anew."""

    def __init__(self) -> None:
        self._values: dict[object, object] = {}

    def all(self, row: Iterable[Any]) -> tuple[Any, ...]:
        """Numbers are left out that another type is equal to."""
        one = self._values.setdefault
        return tuple([value if type(value) is float else one(value, value) for value in row])


class _Finder:
    """Finds merged series under the project's names and overlaps as they are now."""

    def __init__(self, project: Project, state: tuple[int, int, int]) -> None:
        self.state = state
        self.known: dict[int, MergedSeries] = {}
        self.listed: dict[int, MergedSeries] | None = None
        self.infos: list[SeriesInfo] = []
        self._of_project = weakref.ref(project)
        self._aside = overlaps.set_aside(project)
        self._names = names_of_devices(project)
        self._named = {
            host_id: {a.device for a in aliases} | {a.name for a in aliases} for host_id, aliases in self._names.items()
        }
        self._order: dict[int, tuple[int, int]] = {}
        self._clocks: dict[int, _Clock] = {}

    @property
    def _project(self) -> Project:
        project = self._of_project()
        assert project is not None
        return project

    def listed_with_parts(self, series_ids: Sequence[int]) -> dict[int, MergedSeries]:
        wholes = [(self.listed or {})[id_] for id_ in series_ids]
        several = [whole for whole in wholes if len(whole.columns) > 1]
        columns = self._columns([id_ for whole in several for id_ in whole.columns])
        return {whole.info.id: self._with_parts(whole, columns) for whole in wholes}

    def _with_parts(self, whole: MergedSeries, columns: Mapping[int, tuple[Any, ...]]) -> MergedSeries:
        if whole.parts:
            return whole
        if len(whole.columns) == 1:
            parts: tuple[Part, ...] = (_only_part(whole.info, self._clocks[whole.info.clock_id]),)
        else:
            parts = _plain_parts([columns[id_] for id_ in whole.columns])
        return MergedSeries(whole.info, parts, whole.columns)

    def find(self, series_id: int) -> MergedSeries:
        row = self._project.row(
            "SELECT a.run_id, a.host_id, c.tool, c.table_name, s.native, s.attributes FROM series AS s"
            " JOIN clock AS c ON c.id = s.clock_id JOIN artefact AS a ON a.id = c.artefact_id"
            " WHERE s.id = ? AND c.complete = 1",
            (series_id % PIECE_STEP,),
        )
        if row is None:
            raise UserError("series_missing", series_id=series_id)
        *values, attributes = row
        condition = " AND a.run_id = ? AND a.host_id IS ? AND c.tool = ? AND c.table_name = ? AND s.native = ?"
        if not self.is_named(row[1] or 0, attributes):
            condition, values = condition + " AND s.attributes = ?", [*values, attributes]
        merged_series = self.merged_series(condition, tuple(values))
        own = [candidate for candidate in merged_series if candidate.info.id == series_id] + [
            candidate
            for candidate in merged_series
            if series_id in candidate.columns or any(p.series_id == series_id for p in candidate.parts)
        ]
        if not own:
            raise UserError("series_missing", series_id=series_id)
        whole = own[0]
        return whole if whole.parts else replace(whole, parts=_plain_parts(self._columns(whole.columns).values()))

    def is_named(self, host_id: int, attributes: str) -> bool:
        """Whether the device of these attributes may go by more than one name."""
        named = self._named.get(host_id)
        return named is not None and dict(json.loads(attributes)).get("device", "") in named

    def merged_series(self, condition: str = "", values: tuple[object, ...] = ()) -> list[MergedSeries]:
        """The merged series of those columns; the plain ones, which nothing cuts or renames, come without parts."""
        order = {id_: ((first or 0), id_) for id_, first in self._project.rows("SELECT id, first_ns FROM artefact")}
        self._order = order
        plain: list[MergedSeries] = []
        special: list[tuple[Any, ...]] = []
        captures: dict[tuple[int, ...], tuple[tuple[int, ...], bool]] = {}
        for row in self._groups(condition, values):
            if row[25] not in captures:
                own = tuple(sorted(set(row[25]), key=order.__getitem__))
                captures[row[25]] = own, self._is_cut(own)
            artefacts, is_cut = captures[row[25]]
            if is_cut or self.is_named(row[3], row[21]):
                special.append(row)
            else:
                plain.append(MergedSeries(_info(row, artefacts), (), row[24]))
        wholes = [*plain, *self._special(special)]
        return sorted(wholes, key=lambda whole: whole.info.id)

    def _groups(self, condition: str, values: tuple[object, ...]) -> Iterator[tuple[Any, ...]]:
        """What columns of the same thing come to together, and the ids of the columns and their captures."""
        shared = _Shared()
        if not self._clocks:
            self._clocks = {id_: _Clock(*shared.all(rest)) for id_, *rest in self._project.rows(_CLOCKS)}
        tables = {id_: (own.run_id, own.host_id, own.tool, own.table) for id_, own in self._clocks.items()}
        groups: dict[tuple[object, ...], list[tuple[Any, ...]]] = {}
        for row in map(shared.all, sorted(self._project.rows(f"{_CAPTURED}{condition}", values))):
            groups.setdefault((tables[row[1]], row[2], row[4], row[13], row[15]), []).append(row)
        for own in groups.values():
            longest = own[0] if len(own) == 1 else self._with_longest_interval(own)
            clock, counts = self._clocks[longest[1]], longest[9:13] if len(own) == 1 else _together(own)
            yield (
                own[0][0],
                clock.run_id,
                clock.run,
                clock.host_id,
                clock.host,
                clock.artefact_id,
                longest[1],
                clock.tool,
                clock.table,
                *longest[2:9],
                *counts,
                clock.interval_s,
                *longest[13:],
                tuple([row[0] for row in own]),
                tuple([self._clocks[row[1]].artefact_id for row in own]),
            )

    def _with_longest_interval(self, columns: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """The one that says what the columns of a thing do not have in common; the last where none has an interval."""
        intervals = [(self._clocks[row[1]].interval_s or 0.0, row) for row in sorted(columns, key=lambda row: row[1])]
        longest, first = max(intervals, key=lambda pair: pair[0])
        return first if longest else intervals[-1][1]

    def _is_cut(self, artefacts: Collection[int]) -> bool:
        own = self._aside.keys() & set(artefacts)
        return any(other in artefacts for id_ in own for other, _ in self._aside[id_])

    def _special(self, rows: Sequence[tuple[Any, ...]]) -> list[MergedSeries]:
        """Wholes whose device has names, or whose captures hold the same stretch twice."""
        columns = self._columns([id_ for row in rows for id_ in row[24]])
        pieces: dict[tuple[object, ...], list[_Piece]] = {}
        for row in rows:
            key = (*row[1:5], *row[7:10], row[11], row[23])
            attributes = dict(json.loads(row[21]))
            for id_ in row[24]:
                column = columns[id_]
                for name, span in self._named_spans(row[3], attributes.get("device", ""), column):
                    identity = {**attributes, "device": name} if name else attributes
                    pieces.setdefault((*key, *sorted(identity.items())), []).append(_Piece(name, span, row, column))
        groups = [group for own in pieces.values() for group in _by_thing(own)]
        wholes = [_merged_of(own, parts) for own in groups if (parts := self._counting(own))]
        return _numbered(self._counted(whole) for whole in wholes)

    def _named_spans(self, host_id: int, device: str, column: tuple[Any, ...]) -> Iterator[tuple[str, Span]]:
        aliases: Sequence[DeviceAlias] = self._names.get(host_id, ()) if device else ()
        for name, span in named_spans(device, aliases, (-EVER_NS, EVER_NS)):
            if overlap_of(span, (column[10] or 0, column[11] or 0)) is not None:
                yield name, span

    def _counting(self, pieces: Sequence[_Piece]) -> tuple[Part, ...]:
        """What of the pieces counts: a stretch that another capture among them holds too does not."""
        there = {piece.artefact_id for piece in pieces}
        parts = []
        for piece in pieces:
            taken = [span for other, span in self._aside.get(piece.artefact_id, ()) if other in there]
            for span in without(piece.span, taken):
                inside = overlap_of(span, piece.extent)
                if inside is not None:
                    parts.append(_part(piece.column, span, cut=inside != piece.whole_extent))
        return _in_order(parts)

    def _columns(self, ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        by_id: dict[int, tuple[Any, ...]] = {}
        for at in range(0, len(ids), 500):
            some = ids[at : at + 500]
            marks = ", ".join("?" * len(some))
            for row in self._project.rows(f"{_COLUMNS} AND s.id IN ({marks})", tuple(some)):
                by_id[row[0]] = row
        return by_id

    def _counted(self, whole: MergedSeries) -> MergedSeries:
        """The series with figures of the parts that count; a column that is cut is read for them."""
        parts = tuple(self._measured(part) if part.cut else part for part in whole.parts)
        artefacts = sorted({part.artefact_id for part in parts}, key=self._order.__getitem__)
        measured = [part for part in parts if part.count]
        info = replace(
            whole.info,
            artefact_id=artefacts[0],
            artefact_ids=tuple(artefacts),
            clock_id=parts[0].clock_id,
            count=sum(part.count for part in parts),
            missing=sum(part.missing for part in parts),
            first_ns=min((part.first_ns for part in measured), default=None),
            last_ns=max((part.last_ns for part in measured), default=None),
            interval_s=max((part.interval_s for part in parts if part.interval_s is not None), default=None),
        )
        return MergedSeries(info, parts)

    def _measured(self, part: Part) -> Part:
        data = _read_part(self._project, part, None, None)
        counts = ~data.since_boot & ~np.isnan(data.values)
        times = data.times_ns[counts]
        if not len(times):
            return replace(part, count=0, missing=int((~data.since_boot).sum()))
        return replace(
            part,
            count=len(times),
            missing=int((~data.since_boot).sum()) - len(times),
            first_ns=int(times[0]),
            last_ns=int(times[-1]),
        )


@lru_cache(maxsize=4096)
def _mapping(text: str) -> dict[str, str]:
    """The columns of a device all have the same; nobody may write into it."""
    return dict(json.loads(text))


_kind, _direction = cache(Kind), cache(Direction)


def _info(row: tuple[Any, ...], artefacts: tuple[int, ...]) -> SeriesInfo:
    texts = (_mapping(row[21]), _mapping(row[22]), row[23])
    values = (*row[:5], artefacts[0], *row[6:12], _kind(row[12]), _direction(row[13]), *row[14:21], *texts, artefacts)
    return SeriesInfo(*values)


def _part(row: tuple[Any, ...], span: Span, cut: bool) -> Part:
    id_, artefact_id, clock_id, attributes, count, missing, first, last, interval, rows, *_ = row
    device = _mapping(attributes).get("device", "")
    extent = overlap_of(span, (row[10] or 0, row[11] or 0)) or span
    return Part(
        id_, artefact_id, clock_id, device, span, cut, extent, first or 0, last or 0, interval, rows, count, missing
    )


def _together(columns: Sequence[tuple[Any, ...]]) -> tuple[int, int, int | None, int | None]:
    """Samples, missing ones, first and last time of all."""
    counts, missing, first, last = zip(*(row[9:13] for row in columns), strict=True)
    return (
        sum(counts),
        sum(missing),
        min((time_ns for time_ns in first if time_ns is not None), default=None),
        max((time_ns for time_ns in last if time_ns is not None), default=None),
    )


def _only_part(info: SeriesInfo, clock: _Clock) -> Part:
    """The part of a series that is one column, as it was captured."""
    first = clock.first_ns if info.first_ns is None else info.first_ns
    last = clock.last_ns if info.last_ns is None else info.last_ns
    extent, device = (clock.first_ns, clock.last_ns), info.attributes.get("device", "")
    ids, counts = (info.id, info.artefact_id, info.clock_id), (clock.rows, info.count, info.missing)
    return Part(*ids, device, (-EVER_NS, EVER_NS), False, extent, first, last, info.interval_s, *counts)


def _plain_parts(columns: Iterable[tuple[Any, ...]]) -> tuple[Part, ...]:
    return _in_order([_part(row, (-EVER_NS, EVER_NS), cut=False) for row in columns])


def _in_order(parts: Sequence[Part]) -> tuple[Part, ...]:
    if len(parts) == 1:
        return (parts[0],)
    return tuple(sorted(parts, key=lambda part: (part.extent[0], part.artefact_id, part.series_id)))


def _by_thing(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """All pieces as one group; one a device, numbered, where devices were measured at the same time: they differ."""
    by_device = by_key((piece.device, piece) for piece in pieces)
    if len(by_device) == 1 or not _at_once(list(by_device.values())):
        return [list(pieces)]
    return [
        [replace(piece, name=f"{piece.name} {number}" if piece.name else "") for piece in by_device[device]]
        for number, device in enumerate(sorted(by_device), start=1)
    ]


def _merged_of(pieces: Sequence[_Piece], parts: tuple[Part, ...]) -> MergedSeries:
    first = next(piece for piece in pieces if piece.column[0] == parts[0].series_id)
    devices = tuple(dict.fromkeys(part.device for part in parts))
    info = replace(
        _info(first.row, (parts[0].artefact_id,)),
        id=parts[0].series_id,
        alias=next((piece.name for piece in pieces if piece.name), ""),
        devices=devices if len(devices) > 1 else (),
        attributes=dict(json.loads(first.column[3])),
    )
    return MergedSeries(info, parts)


def _at_once(devices: Sequence[Sequence[_Piece]]) -> bool:
    """Whether two of them have samples at the same time."""
    spans = sorted(
        (max(piece.column[6], piece.span[0]), min(piece.column[7], piece.span[1]), index)
        for index, own in enumerate(devices)
        for piece in own
        if piece.column[4]
    )
    return any(later[0] < earlier[1] and later[2] != earlier[2] for earlier, later in pairwise(spans))


def _numbered(merged_series: Iterable[MergedSeries]) -> list[MergedSeries]:
    """Each by the least id of its columns; a column in pieces of several merged series gives it to the first."""
    taken: set[int] = set()
    numbered = []
    for whole in sorted(
        merged_series, key=lambda each: (min(part.series_id for part in each.parts), each.parts[0].first_ns)
    ):
        id_ = min(part.series_id for part in whole.parts)
        while id_ in taken:
            id_ += PIECE_STEP
        taken.add(id_)
        numbered.append(MergedSeries(replace(whole.info, id=id_), whole.parts))
    return numbered


# -- reading -------------------------------------------------------------------------------------------


def read_merged(
    project: Project, whole: MergedSeries, start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """Samples with start_ns <= time <= end_ns, in the order of time; an instant that two parts measured counts once."""
    return read_all_merged(project, [whole], start_ns, end_ns)[0]


def read_all_merged(
    project: Project, wholes: Sequence[MergedSeries], start_ns: int | None = None, end_ns: int | None = None
) -> list[SeriesData]:
    """`read_merged` of each; columns of one table are read together, and share their times."""
    read: dict[int, SeriesData] = {}
    for indexes, table in read_tables(project, [(whole,) for whole in wholes], start_ns, end_ns):
        rest = table.since_boot, table.line_numbers
        for index, values in zip(indexes, table.values, strict=True):
            read[index] = SeriesData(table.times_ns, values, *rest)
    return [read[index] for index in range(len(wholes))]


def read_tables(
    project: Project, columns: Sequence[Sequence[MergedSeries]], start_ns: int | None = None, end_ns: int | None = None
) -> Iterator[tuple[list[int], SeriesData]]:
    """Indexes of the columns that lie in the same tables, and their samples as the rows of one.

    Args:
        columns: what each is made of, the earlier first: a later one has no instant that an earlier one measured.
    """
    wanted: dict[object, list[_Table]] = {}  # the columns of a table are mostly wanted alike
    parts = [[_parts_wanted(whole, start_ns, end_ns, wanted) for whole in wholes] for wholes in columns]
    rows: dict[_Table, dict[int, int]] = {}
    for table, series_id in (part for own in parts for whole in own for part in whole):
        own_rows = rows.setdefault(table, {})
        own_rows.setdefault(series_id, len(own_rows))
    read = {table: queries.read_columns(project, list(ids), *table[1:]) for table, ids in rows.items()}
    alike = by_key((tuple([tuple([part[0] for part in whole]) for whole in own]), at) for at, own in enumerate(parts))
    for key, indexes in alike.items():
        wholes = []
        for number, tables in enumerate(key):
            pieces = []
            for step, table in enumerate(tables):
                ids = rows[table]
                pieces.append(_rows_of(read[table], [ids[parts[at][number][step][1]] for at in indexes]))
            wholes += [joined(pieces)] if pieces else []
        yield indexes, joined(wholes) if wholes else _rows_of(_NOTHING, [0] * len(indexes))


_NOTHING = SeriesData(np.empty(0, np.int64), np.empty((1, 0)), np.empty(0, bool), np.empty(0, np.int64))


def _rows_of(table: SeriesData, rows: list[int]) -> SeriesData:
    values = table.values if rows == list(range(len(table.values))) else table.values[rows]
    return SeriesData(table.times_ns, values, table.since_boot, table.line_numbers)


def _parts_wanted(
    whole: MergedSeries, start_ns: int | None, end_ns: int | None, wanted: dict[object, list[_Table]]
) -> list[tuple[_Table, int]]:
    tables = []
    for part in whole.parts:
        key = part.clock_id, part.span, part.extent
        if key not in wanted:
            wanted[key] = [_wanted(own, start_ns, end_ns)[0] for own in _reaching((part,), start_ns, end_ns)]
        tables += [(table, part.series_id) for table in wanted[key]]
    return tables


def part_at(project: Project, whole: MergedSeries, time_ns: int, line_number: int) -> Part | None:
    """The part that a sample of the whole is of."""
    for part in _reaching(whole.parts, time_ns, time_ns):
        data = _read_part(project, part, time_ns, time_ns)
        if (data.line_numbers == line_number).any():
            return part
    return None


def _reaching(parts: Sequence[Part], start_ns: int | None, end_ns: int | None) -> list[Part]:
    window = (-EVER_NS if start_ns is None else start_ns, EVER_NS if end_ns is None else end_ns)
    return [part for part in parts if overlap_of(part.extent, window)]


def _read_part(project: Project, part: Part, start_ns: int | None, end_ns: int | None) -> SeriesData:
    (_clock_id, *span), series_id = _wanted(part, start_ns, end_ns)
    return queries.read_series(project, series_id, *span)


def _wanted(part: Part, start_ns: int | None, end_ns: int | None) -> tuple[_Table, int]:
    """(the rows of a table, the column)"""
    start = part.span[0] if start_ns is None else max(start_ns, part.span[0])
    end = part.span[1] if end_ns is None else min(end_ns, part.span[1])
    return (part.clock_id, None if start == -EVER_NS else start, None if end == EVER_NS else end), part.series_id
