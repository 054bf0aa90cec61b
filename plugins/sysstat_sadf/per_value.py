"""Parser of ``sadf -p``: one value per line, fields separated by tabs.

    dbtest01	2	2026-11-21 07:10:15 UTC	all	%user	38.30
    dbtest01	2	2026-11-21 07:10:15 UTC	cpu0	%user	7.77
    dbtest01	2	2026-11-21 07:10:15 UTC	-	proc/s	27.50
    dbtest01	2	2026-11-21 07:10:15 UTC	sum	cpu1	1104.00        interrupts: the field is the processor
    dbtest01	2	2026-11-21 07:10:15 UTC	ttyS0	rcvin/s	0.00
    dbtest01	-1	2026-11-21 07:10:27 UTC	LINUX-RESTART	(2 CPU)

There is no heading: which table a line belongs to shows in the first of the lines that tell of one thing at one
time. Stamps are those of -d.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import MOST_SERIES, ScannedRows, ScanTable, dense_spans
from tunebench.families.running_clock import RunningClock
from tunebench.sdk import ParseContext, SampleBatch, SeriesKey, decode_text, lazy_pattern

from .headings import WORDS, begins_table, key_attribute_of, table_of
from .numbers import read_numbers
from .row_parser import RowParser
from .sniffing import sniff_per_value

_NO_THING = b"-"
_PROCESSOR = lazy_pattern(rb"all|cpu(\d+)")
_NUMBERED = lazy_pattern(r"(?:cpu|ttyS|fan|temp|in|bat|bus)(\d+)")
_NUMBERED_TABLES = frozenset(
    {
        "cpu",
        "cpu_frequency",
        "cpu_frequency_weighted",
        "softnet",
        "tty",
        "fan",
        "temperature",
        "voltage",
        "battery",
        "usb",
    }
)
_CELLS = 3  # behind the stamp
_WORDS_OF_ROWS = frozenset(word.encode() for word in WORDS)
_MOST_NAMES, _MOST_TABLES = 2000, 500  # names of one thing; sar has fifty tables
_MOST_WAITING = 100_000  # rows of one stamp
_LONGEST_PLACED, _MOST_PLACED = 4000, 256
_NO_COLUMN = -1


class _Columns:
    """The columns that the tables have had so far; there is an end to both."""

    def __init__(self) -> None:
        self.series: list[SeriesKey] = []
        self.tables: list[str] = []
        self._known: dict[tuple[str, bytes, bytes], int] = {}
        self._tables: list[int] = []

    @property
    def table_of(self) -> NDArray[np.int64]:
        """int64[columns + 1]: which of the tables each is of; no column is of none."""
        return np.array([*self._tables, _NO_COLUMN])

    def column(self, table: str, thing: bytes, name: bytes) -> int:
        column = self._known.get((table, thing, name))
        if column is None:
            full = len(self.tables) >= _MOST_TABLES and table not in self.tables
            if full or len(self.series) >= MOST_SERIES:
                return _NO_COLUMN
            if table not in self.tables:
                self.tables.append(table)
            column = self._known[table, thing, name] = len(self.series)
            self._tables.append(self.tables.index(table))
            self.series.append(_series(table, thing, name))
        return column


class SadfPerValueParser(RowParser):
    """See the module."""

    variant = "sadf -p"
    separator = b"\t"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._columns = _Columns()
        self._stamp = b""  # of the last row
        self._thing = b""
        self._table = ""
        self._names: set[bytes] = set()  # of the thing so far
        self._rows = self.scanner.table(1, key_cells=2, accepts=_is_figure)
        self._placed: dict[bytes, NDArray[np.int64]] = {}
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_per_value(head)

    def take_heading(self, line: bytes) -> bool:
        return False

    def flush(self, final: bool) -> None:
        parts, self._parts = self._parts, []
        if not parts:
            return
        times_ns, lines, columns, values = map(np.concatenate, zip(*parts, strict=True))
        end = len(times_ns)
        if not final and end <= _MOST_WAITING:
            end = int(np.flatnonzero(np.append(True, times_ns[1:] != times_ns[:-1]))[-1])
            self._parts.append((times_ns[end:], lines[end:], columns[end:], values[end:]))
        tables = self._columns.table_of[columns[:end]]
        for number in dict.fromkeys(tables.tolist()):
            own = np.flatnonzero(tables == number)
            self.ready += self._batches(times_ns[own], columns[own], values[own], lines[own])

    # -- rows by themselves ----------------------------------------------------------------------

    def take_row(self, number: int, line: bytes, stamp: bytes, cells: list[bytes]) -> ScanTable | None:
        if len(cells) != _CELLS:
            self.book.skip("not_a_table", number, line)
            return None
        thing, name, value = cells
        column = self._place(thing, name, stamp != self._stamp)
        self._stamp = stamp
        values = read_numbers([value])
        if name in _WORDS_OF_ROWS:
            self.book.warn("word_columns")
            self.take_data(line)
            self.book.data(-1)
            self.book.header()
            return None
        time_ns = 0
        if column == _NO_COLUMN:
            self.book.warn("too_many_series")
        elif values is not None:
            row_ns = self.time_of(self._table, stamp)
            time_ns, values = (0, None) if row_ns is None else (row_ns, values)
        if values is None:
            self.book.skip("unreadable_numbers", number, line)
            return None
        self.take_data(line)
        if column == _NO_COLUMN:
            return None
        self._parts.append((np.array([time_ns]), np.array([number]), np.array([column]), np.array(values)))
        return self._rows

    # -- many rows -------------------------------------------------------------------------------

    @property
    def may_scan(self) -> bool:
        return self._rows in self.clocks

    def open_table(self) -> ScanTable | None:
        return self._rows

    def take_rows(self, rows: ScannedRows, clock: RunningClock) -> None:
        stamps = rows.fields[:, 1:]
        new = np.append(_stamp_of(self.scanned_text) != self._stamp, (stamps[1:] != stamps[:-1]).any(axis=1))
        self._stamp = _stamp_of(self.last_scanned_line)
        columns = self._place_many(list(rows.table.names), rows.keys, np.flatnonzero(new).tolist())
        kept = columns != _NO_COLUMN
        if not kept.all():
            self.book.warn("too_many_series")
        times_ns = np.zeros(len(columns), dtype=np.int64)
        tables = np.where(kept, self._columns.table_of[columns], _NO_COLUMN)
        for number in dict.fromkeys(tables[kept].tolist()):
            own = np.flatnonzero(tables == number)
            self.times.begin_table(self._columns.tables[number])
            times_ns[own] = clock.times(self.times, stamps[own])
        self._parts.append((times_ns[kept], rows.lines[kept], columns[kept], rows.values[kept, 0]))

    def _place_many(self, names: list[bytes], keys: NDArray[np.int32], begins: list[int]) -> NDArray[np.int64]:
        """The columns of rows of these keys; at each of the places the first of a stamp stands.

        What the rows of a stamp mean depends on their keys alone.
        """
        columns = np.zeros(len(keys), dtype=np.int64)
        places = [*dict.fromkeys([0, *begins]), len(keys)]
        last = len(places) - 2
        for index, (begin, end) in enumerate(pairwise(places)):
            own = keys[begin:end]
            whole = index < last and (index > 0 or bool(begins and not begins[0]))
            placed = self._placed.get(own.tobytes()) if whole else None
            if placed is None:
                new = index > 0 or bool(begins and not begins[0])
                placed = np.empty(len(own), dtype=np.int64)
                for row, key in enumerate(own.tolist()):
                    thing, _, name = names[key].partition(b"\t")
                    placed[row] = self._place(thing, name, new and not row)
                if whole and len(own) <= _LONGEST_PLACED:
                    if len(self._placed) >= _MOST_PLACED:
                        self._placed.clear()
                    self._placed[own.tobytes()] = placed
            columns[begin:end] = placed
        return columns

    # -- tables and columns ----------------------------------------------------------------------

    def _place(self, thing: bytes, name: bytes, new_stamp: bool) -> int:
        """The column of a row; none where there are too many already."""
        if (
            new_stamp
            or thing != self._thing
            or name in self._names
            or len(self._names) > _MOST_NAMES
            or begins_table(name.decode("latin-1"))
        ):
            self._begin(thing, name)
        self._names.add(name)
        return self._columns.column(self._table, thing, name)

    def _begin(self, thing: bytes, name: bytes) -> None:
        self._thing = thing
        self._names.clear()
        if name in _WORDS_OF_ROWS:
            return
        has_thing = thing != _NO_THING
        per_processor = has_thing and (_PROCESSOR.fullmatch(name) is not None or name == b"intr/s")
        self._table = "interrupts" if per_processor else table_of(decode_text(name), has_thing)

    def _batches(
        self,
        times_ns: NDArray[np.int64],
        columns: NDArray[np.int64],
        values: NDArray[np.float64],
        lines: NDArray[np.int64],
    ) -> Iterator[SampleBatch]:
        """The batches of values of one table; those of one time follow each other."""
        starts = np.ones(len(times_ns), dtype=bool)
        starts[1:] = times_ns[1:] != times_ns[:-1]
        row_time = np.cumsum(starts) - 1
        for low, high in dense_spans(row_time, columns, 1):
            part, first = slice(low, high), starts[low:high]
            used, inverse = np.unique(columns[part], return_inverse=True)
            matrix = np.full((int(np.count_nonzero(first)), len(used)), np.nan)
            matrix[row_time[part] - row_time[low], inverse] = values[part]
            series = tuple(self._columns.series[index] for index in used.tolist())
            since_boot = np.zeros(len(matrix), dtype=bool)
            yield SampleBatch(series[0].table, times_ns[part][first], series, matrix, since_boot, lines[part][first])


def _stamp_of(text: bytes) -> bytes:
    """The stamp of a text's first line."""
    return text.split(b"\t", 3)[2]


def _is_figure(key: bytes) -> bool:
    return key.rpartition(b"\t")[2] not in _WORDS_OF_ROWS


def _series(table: str, thing: bytes, name: bytes) -> SeriesKey:
    native = decode_text(name)
    attributes: dict[str, str] = {}
    processor = _PROCESSOR.fullmatch(name) if table == "interrupts" else None
    if thing != _NO_THING:
        text = decode_text(thing)
        numbered = _NUMBERED.fullmatch(text) if table in _NUMBERED_TABLES else None
        attributes[key_attribute_of(table)] = numbered[1] if numbered else text
    if processor is not None:
        native = "intr/s"
        attributes["cpu"] = decode_text(processor[1] or b"all")
    return SeriesKey(table, native, tuple(sorted(attributes.items())))
