"""Parser of ``sadf -d``: rows for a data base, fields separated by semicolons, a heading per activity.

    # hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
    dbtest01;2;2026-11-21 07:10:15 UTC;-1;38.30;0.77;11.57;4.88;0.26;44.22
    dbtest01;-1;2026-11-21 07:10:27 UTC;LINUX-RESTART	(2 CPU)
    dbtest01;-1;2026-11-21 07:10:27 UTC;COM tuning change: buffer pool 1G -> 2G

The stamp is UTC and says so, unless -t (local time of the server; a zone behind it since 12.7), -T (of the
reader; no zone) or -U (seconds since 1970) was given. The activities follow one another, each from its first
time on; a restart ends them all. Processor -1 is all of them. With -h all activities of a time stand in one row.
A processor that is off has no row below ``CPU`` and no column below ``CPU*``; which one it is, only the rows of
the former say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.sdk import ParseContext, SampleBatch, decode_text

from .fields import Fields
from .headings import Group, read_groups
from .numerals import Places
from .pivot import Attributes, Pivot
from .processors import ProcessorsOverTime
from .row_parser import RowParser
from .sniffing import sniff_delimited
from .wide import Layout, Part, find_layout

_HEADING = re.compile(rb"#\s*hostname;interval;timestamp;(?P<columns>[^\r\n]+)")
_FIXED = 3
_MOST_TABLES, _MOST_LAYOUTS, _MOST_PIVOTS = 500, 64, 1000


class SadfDelimitedParser(RowParser):
    """See the module."""

    variant = "sadf -d"
    separator = b";"
    fewest = _FIXED  # separators of a row

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._groups: tuple[Group, ...] = ()
        self._tables: set[str] = set()
        self._layouts: dict[tuple[tuple[Group, ...], int], Layout | None] = {}
        self._pivots: dict[tuple[Group, tuple[str, ...]], Pivot] = {}
        self._processors = ProcessorsOverTime()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_delimited(head)

    def take_heading(self, line: bytes) -> bool:
        found = _HEADING.fullmatch(line.strip())
        if found is None:
            return False
        self._groups = read_groups(decode_text(found["columns"]).strip().split(";"))
        tables = self._tables.union(group.table for group in self._groups)
        if len(tables) > _MOST_TABLES:
            self.book.warn("too_many_series")
            self._groups = ()
            return False
        self._tables = tables
        if any(group.has_status for group in self._groups):
            self.book.warn("word_columns")
        return True

    def read_rows(self, fields: Fields, low: int, high: int) -> Iterator[SampleBatch]:
        if not self._groups:
            self.skip_lines(fields, low, high, "not_a_table")
            return
        starts, ends = fields.edges(low, high)
        lines = self.next_line + np.arange(high - low)
        group = self._groups[0]
        if len(self._groups) == 1 and not group.repeated:
            yield from self._read_narrow(fields, low, high, starts, ends, lines, group)
        else:
            yield from self._read_wide(fields, low, high, starts, ends, lines)

    def _read_narrow(
        self, fields: Fields, low: int, high: int, starts: Places, ends: Places, lines: Places, group: Group
    ) -> Iterator[SampleBatch]:
        columns = starts.shape[1] - _FIXED
        if columns != group.size and not (group.per_cpu and columns > 1):
            self.skip_lines(fields, low, high, "unreadable_numbers")
            return
        times_ns, good = self.clock.times_of(group.table, fields, starts[:, 2], ends[:, 2])
        shift = _FIXED + (group.key_attribute is not None)
        places = np.asarray(range(columns - 1) if group.per_cpu else group.figures) + shift
        values, readable = self.numbers(fields, starts[:, places], ends[:, places])
        good &= readable
        keys = self._keys(fields, starts, ends, group) if group.key_attribute else []
        self.book_rows(fields, low, good)
        if not good.any():
            return
        times_ns, values, lines = times_ns[good], values[good], lines[good]
        if keys and not good.all():
            keys = [key for key, wanted in zip(keys, good.tolist(), strict=True) if wanted]
        if group.table == "cpu":
            self._remember_processors(times_ns, keys)
        for part in self._alike(group, times_ns, columns - 1):
            natives = self._natives(group, int(times_ns[part.start]), columns - 1)
            pivot = self._pivot(group, natives)
            yield from pivot.batches(times_ns[part], keys[part], values[part], lines[part])

    def _keys(self, fields: Fields, starts: Places, ends: Places, group: Group) -> list[bytes]:
        keys = fields.texts(starts[:, _FIXED], ends[:, _FIXED])
        for index in group.labels:
            place = _FIXED + 1 + index
            words = fields.texts(starts[:, place], ends[:, place])
            keys = [key + b" " + word if word.strip() else key for key, word in zip(keys, words, strict=True)]
        return keys

    # -- interrupts: one column per processor ----------------------------------------------------

    def _remember_processors(self, times_ns: NDArray[np.int64], keys: list[bytes]) -> None:
        starts = [0, *(np.flatnonzero(times_ns[1:] != times_ns[:-1]) + 1).tolist(), len(keys)]
        for start, end in pairwise(starts):
            self._processors.note(int(times_ns[start]), tuple(key for key in keys[start:end] if key != b"-1"))

    def _alike(self, group: Group, times_ns: NDArray[np.int64], columns: int) -> Iterator[slice]:
        """Stretches of rows whose columns have the same names."""
        if not group.per_cpu or not self._processors:
            yield slice(0, len(times_ns))
            return
        changes = np.flatnonzero(times_ns[1:] != times_ns[:-1]) + 1
        start, before = 0, self._natives(group, int(times_ns[0]), columns)
        for place in changes.tolist():
            now = self._natives(group, int(times_ns[place]), columns)
            if now != before:
                yield slice(start, place)
                start, before = place, now
        yield slice(start, len(times_ns))

    def _natives(self, group: Group, time_ns: int, columns: int) -> tuple[str, ...]:
        """Per column its heading, or (below ``CPU*``) its processor."""
        if not group.per_cpu:
            return group.natives
        known = self._processors.at(time_ns)
        if known is not None and len(known) == columns - 1:
            return ("all", *(decode_text(key) for key in known))
        return ("all", *map(str, range(columns - 1)))

    def _pivot(self, group: Group, natives: tuple[str, ...]) -> Pivot:
        found = self._pivots.get((group, natives))
        if found is None:
            if len(self._pivots) >= _MOST_PIVOTS:
                self._pivots.clear()
            attributes: list[Attributes] = [
                (("group", f"#{natives[: index + 1].count(name)}"),) if name in natives[:index] else ()
                for index, name in enumerate(natives)
            ]
            names = natives
            if group.per_cpu:
                attributes = [(("cpu", name),) for name in natives]
                names = ("intr/s",) * len(natives)
            found = self._pivots[group, natives] = Pivot(group.table, group.key_attribute, names, attributes)
        return found

    # -- all activities in one row ---------------------------------------------------------------

    def _read_wide(
        self, fields: Fields, low: int, high: int, starts: Places, ends: Places, lines: Places
    ) -> Iterator[SampleBatch]:
        first = 0
        while first < len(starts):
            layout = self._layout(fields, starts[first], ends[first])
            if layout is None:
                self.skip_lines(fields, low + first, low + first + 1, "unreadable_numbers")
                first += 1
                continue
            count = _same_things(fields, layout, starts[first:], ends[first:])
            part = slice(first, first + count)
            yield from self._wide_batches(fields, low + first, layout, starts[part], ends[part], lines[part])
            first += count

    def _layout(self, fields: Fields, starts: Places, ends: Places) -> Layout | None:
        """The layout of a row; the last one of as many fields, where it names the same things."""
        place = self._groups, len(starts)
        known = self._layouts.get(place)
        if known is None or not _same_things(fields, known, starts[None, :], ends[None, :]):
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.clear()
            known = self._layouts[place] = find_layout(self._groups, fields.texts(starts[_FIXED:], ends[_FIXED:]))
        return known

    def _wide_batches(
        self, fields: Fields, low: int, layout: Layout, starts: Places, ends: Places, lines: Places
    ) -> Iterator[SampleBatch]:
        times_ns, good = self.clock.times_of("row", fields, starts[:, 2], ends[:, 2])
        by_group: dict[Group, list[Part]] = {}
        for part in layout:
            by_group.setdefault(part.group, []).append(part)
        found: list[tuple[Pivot, list[Part], NDArray[np.float64]]] = []
        processors = tuple(decode_text(part.key or b"") for part in layout if part.group.table == "cpu")
        for group, parts in by_group.items():
            places = np.asarray([_FIXED + part.place + place for part in parts for place in _figure_places(part)])
            values, readable = self.numbers(fields, starts[:, places], ends[:, places])
            good &= readable
            natives = group.natives
            if group.per_cpu:
                columns = parts[0].size - 1
                own = tuple(name for name in processors if name != "-1")
                natives = ("all", *(own if len(own) == columns - 1 else map(str, range(columns - 1))))
            found.append((self._pivot(group, natives), parts, values))
        self.book_rows(fields, low, good)
        if good.any():
            for pivot, parts, values in found:
                keys = [part.key or b"" for part in parts]
                yield pivot.wide(times_ns[good], keys, values[good], lines[good])


def _figure_places(part: Part) -> list[int]:
    """The fields of a part that are figures."""
    behind_key = int(part.key is not None)
    if part.group.per_cpu:
        return list(range(behind_key, part.size))
    return [index + behind_key for index in part.group.figures]


def _same_things(fields: Fields, layout: Layout, starts: Places, ends: Places) -> int:
    """How many rows from the first on name the same things in the same places."""
    same = np.ones(len(starts), dtype=bool)
    for part in layout:
        if part.key is not None:
            place = _FIXED + part.place
            names = fields.texts(starts[:, place], ends[:, place])
            same &= np.asarray([name == part.key for name in names])
    return len(starts) if same.all() else int(np.argmin(same))
