"""Rows that hold all activities of a time (``sadf -d -h``): which field is what.

    # hostname;interval;timestamp;CPU;%user;...;%idle[...];runq-sz;plist-sz;...
    dbtest01;2;2026-11-21 07:10:15 UTC;-1;38.30;...;44.22;0;7.77;...;77.72;1;68.37;...;11.22;2;160;...

How often a group is repeated is not said: the fields must come out even, processors count up from -1, and a
thing's name is no decimal number where the group's own figures are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Reader, told_apart
from tunebench.sdk import SampleBatch, SeriesKey, decode_text, record

from .headings import Group, name_of
from .numbers import read_numbers
from .row_form import AlikeRows, RowForm, form_of
from .row_parser import Head

_MOST_STEPS, _MOST_LAYOUTS = 20_000, 64
_AT_ONCE = 256  # rows


@record
class Part:
    """One thing's columns: the group, where its fields begin, and its name (None without)."""

    group: Group
    place: int
    size: int
    key: bytes | None


Layout = tuple[Part, ...]


class _Columns:
    """Where the names and the figures of such rows are, and whose they are; those of a group follow each other."""

    def __init__(self, layout: Layout) -> None:
        self._names = [(part.place, part.key) for part in layout if part.key is not None]
        self.figures = [part.place + column for part in layout for column in part.group.places(part.size)]
        self.form: RowForm | None = None  # of the last row with these
        self.series: list[tuple[SeriesKey, ...]] = []
        own = [part.key or b"" for part in layout if part.group.table == "cpu" and part.key != b"-1"]
        for group, parts in groupby(layout, key=lambda part: part.group):
            self.series.append(told_apart(tuple(_series(group, list(parts), own))))

    def are_of(self, cells: Sequence[bytes]) -> bool:
        """Whether a row names the same things in the same places."""
        return all(cells[column] == name for column, name in self._names)


class WideRows:
    """Reads rows, and holds those that name the same things until they are a batch for each group."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._at_once = 1
        self._known: dict[tuple[tuple[Group, ...], int], _Columns] = {}
        self._columns: _Columns | None = None  # of the last row, which had so many cells below these headings
        self._groups: tuple[Group, ...] = ()
        self._width = 0
        self._rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        self._ready: list[SampleBatch] = []

    def read(self, groups: tuple[Group, ...], cells: list[bytes]) -> list[float] | None:
        """The figures of a row; None where it is none, or they are no numbers."""
        same = self._width == len(cells) and self._groups is groups
        columns = self._columns if same else self._known.get((groups, len(cells)))
        if columns is None or not columns.are_of(cells):
            layout = find_layout(groups, cells)
            if layout is None:
                return None
            if len(self._known) >= _MOST_LAYOUTS:
                self._known.clear()
            columns = self._known[groups, len(cells)] = _Columns(layout)
        if columns is not self._columns:
            self._end()
            self._columns = columns
        self._groups, self._width = groups, len(cells)
        return read_numbers([cells[column] for column in columns.figures])

    def know(self, head: Head | None, cells: Sequence[bytes], values: NDArray[np.float64]) -> None:
        """The row that was read last: what is like it may be read at once."""
        assert self._columns is not None
        self._columns.form, self._at_once = None, 1
        if head is not None:
            self._columns.form = form_of(head, cells, self._columns.figures, values)

    def find_alike(self, text: bytes, at: int) -> AlikeRows | None:
        """Rows from `at` on that are like the one that was read last, or None; there may be more behind them."""
        form = None if self._columns is None else self._columns.form
        if form is None:
            return None
        rows = form.read(self._reader, text, _starts_of_lines(text, at, self._at_once))
        self._at_once = 1 if rows is None else min(2 * self._at_once, _AT_ONCE)
        return rows

    def add(self, times_ns: NDArray[np.int64], number: int, values: NDArray[np.float64]) -> None:
        """Rows on the lines from `number` on, of which each is like the one that was read last."""
        self._rows.append((times_ns, number + np.arange(len(times_ns)), values))

    def forget(self) -> None:
        """Rows below another heading follow."""
        self._end()
        self._columns, self._width = None, 0

    def flush(self) -> list[SampleBatch]:
        self._end()
        ready, self._ready = self._ready, []
        return ready

    def _end(self) -> None:
        rows, self._rows = self._rows, []
        if not rows or self._columns is None:
            return
        times_ns, lines, values = map(np.concatenate, zip(*rows, strict=True))
        since_boot = np.zeros(len(times_ns), dtype=bool)
        begin = 0
        for series in self._columns.series:
            end = begin + len(series)
            if series:
                self._ready.append(
                    SampleBatch(series[0].table, times_ns, series, values[:, begin:end], since_boot, lines)
                )
            begin = end


def _starts_of_lines(text: bytes, at: int, most: int) -> NDArray[np.int64]:
    """int64[lines + 1]: where each of the whole lines from `at` on begins, and the last of them ends."""
    starts = [at]
    while len(starts) <= most and (end := text.find(b"\n", starts[-1]) + 1):
        starts.append(end)
    return np.array(starts)


def _series(group: Group, parts: list[Part], processors: Sequence[bytes]) -> Iterator[SeriesKey]:
    keys = [part.key for part in parts]
    for index, part in enumerate(parts):
        own: tuple[tuple[str, str], ...] = ()
        if part.key is not None and group.key_attribute is not None:
            times = keys[: index + 1].count(part.key)
            key = part.key if times == 1 else part.key + b"#%d" % times
            own = ((group.key_attribute, decode_text(name_of(group.key_attribute, [key]))),)
        for name in group.columns_of(len(group.places(part.size)), processors):
            native, about = ("intr/s", (*own, ("cpu", name))) if group.per_cpu else (name, own)
            yield SeriesKey(group.table, native, tuple(sorted(about)))


def find_layout(groups: tuple[Group, ...], cells: list[bytes]) -> Layout | None:
    """The parts of a row with these cells; None where they do not come out even."""
    return _Search(groups, cells).layout()


class _Search:
    def __init__(self, groups: tuple[Group, ...], cells: list[bytes]) -> None:
        self._groups = groups
        self._cells = cells
        self._steps = 0

    def layout(self) -> Layout | None:
        parts: list[Part] = []
        return tuple(parts) if self._place(0, 0, parts) else None

    def _place(self, index: int, start: int, parts: list[Part]) -> bool:
        """Tries to lay out the groups from `index` on over the cells from `start` on."""
        self._steps += 1
        if index == len(self._groups):
            return start == len(self._cells)
        group = self._groups[index]
        if not group.repeated:
            return self._one(group, index, start, parts, index + 1)
        return self._one(group, index, start, parts, index) or self._skip(group, index, start, parts)

    def _skip(self, group: Group, index: int, start: int, parts: list[Part]) -> bool:
        """A repeated group that is over (or of which there is nothing)."""
        return self._place(index + 1, start, parts)

    def _one(self, group: Group, index: int, start: int, parts: list[Part], following: int) -> bool:
        for size in self._sizes(group, parts):
            end = start + size
            if self._steps > _MOST_STEPS or end > len(self._cells) or not self._fits(group, start, end, parts):
                continue
            key = self._cells[start] if group.key_attribute else None
            parts.append(Part(group, start, size, key))
            if self._place(following, end, parts):
                return True
            parts.pop()
        return False

    def _sizes(self, group: Group, parts: list[Part]) -> list[int]:
        if not group.per_cpu:
            return [group.size]
        before = next((part.size for part in reversed(parts) if part.group is group), 0)
        if before:
            return [before]
        processors = sum(part.group.table == "cpu" for part in parts)
        return [processors + 1] if processors else list(range(2, len(self._cells)))

    def _fits(self, group: Group, start: int, end: int, parts: list[Part]) -> bool:
        cells = self._cells[start:end]
        if group.key_attribute is None:
            return all(_is_number(cell) for cell in cells)
        if not all(_is_number(cells[index + 1]) for index in group.figures if not group.per_cpu):
            return False
        if group.key_attribute != "cpu":
            return not _is_decimal(cells[0])
        before = [int(part.key) for part in parts if part.group is group and part.key is not None]
        return cells[0].removeprefix(b"-").isdigit() and (not before or int(cells[0]) > before[-1])


def _is_number(cell: bytes) -> bool:
    return cell.removeprefix(b"-").replace(b".", b"", 1).replace(b",", b"", 1).isdigit() or b"nan" in cell


def _is_decimal(cell: bytes) -> bool:
    return _is_number(cell) and (b"." in cell or b"," in cell)
