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

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.families.page_reading import MOST_SERIES, dense_spans
from app.sdk import ParseContext, SampleBatch, SeriesKey, decode_text

from .fields import Fields
from .headings import WORDS, begins_table, key_attribute_of, table_of
from .numerals import Places
from .row_parser import RowParser
from .sniffing import sniff_per_value

_NO_THING = b"-"
_PROCESSOR = re.compile(rb"all|cpu(\d+)")
_NUMBERED = re.compile(r"(?:cpu|ttyS|fan|temp|in|bat|bus)(\d+)")
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
_STAMP, _THING, _NAME, _VALUE = 2, 3, 4, 5
_SEPARATORS = 5
_WORDS_OF_ROWS = frozenset(word.encode() for word in WORDS)
_MOST_NAMES, _MOST_TABLES = 2000, 500  # names of one thing; sar has fifty tables
_NO_COLUMN = -1


@dataclass(slots=True)
class _Columns:
    """The columns that the tables have had so far; there is an end to both."""

    known: dict[tuple[str, bytes, bytes], int] = field(default_factory=dict)
    series: list[SeriesKey] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)

    def column(self, table: str, thing: bytes, name: bytes) -> int:
        found = self.known.get((table, thing, name))
        if found is None:
            full = len(self.tables) >= _MOST_TABLES and table not in self.tables
            if full or len(self.series) >= MOST_SERIES:
                return _NO_COLUMN
            self.tables.add(table)
            found = self.known[table, thing, name] = len(self.series)
            self.series.append(_series(table, thing, name))
        return found


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

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_per_value(head)

    def take_heading(self, line: bytes) -> bool:
        return False

    def read_rows(self, fields: Fields, low: int, high: int) -> Iterator[SampleBatch]:
        if fields.counts[low] != _SEPARATORS:
            self.skip_lines(fields, low, high, "not_a_table")
            return
        starts, ends = fields.edges(low, high)
        things = fields.texts(starts[:, _THING], ends[:, _THING])
        names = fields.texts(starts[:, _NAME], ends[:, _NAME])
        new_stamp = fields.changes(starts[:, _STAMP], 24)
        new_stamp[0] = fields.text[starts[0, _STAMP] : ends[0, _STAMP]] != self._stamp
        self._stamp = fields.text[starts[-1, _STAMP] : ends[-1, _STAMP]]
        tables, columns = self._place(things, names, new_stamp.tolist())
        values, good = self.numbers(fields, starts[:, [_VALUE]], ends[:, [_VALUE]])
        wordy = np.asarray([name in _WORDS_OF_ROWS for name in names])
        if wordy.any():
            self.book.warn("word_columns")
            self.book.header(int(np.count_nonzero(wordy)))
        lines = self.next_line + np.arange(high - low)
        numbers = {name: number for number, name in enumerate(dict.fromkeys(tables))}
        table_of_row = np.asarray([numbers[name] for name in tables])
        kept = good & ~wordy
        column = np.asarray(columns, dtype=np.int64)
        unnamed = column == _NO_COLUMN
        if unnamed.any():
            self.book.warn("too_many_series")
        for name, number in numbers.items():
            where = np.flatnonzero((table_of_row == number) & kept & ~unnamed)
            if len(where):
                times_ns, real = self.clock.times_of(name, fields, starts[where, _STAMP], ends[where, _STAMP])
                kept[where[~real]] = False
                where, times_ns = where[real], times_ns[real]
            if len(where):
                yield from self._batches(name, times_ns, column[where], values[where, 0], lines[where])
        self._book(fields, low, kept | wordy, int(np.count_nonzero(wordy)))

    def _book(self, fields: Fields, low: int, good: NDArray[np.bool_], words: int) -> None:
        self.book_rows(fields, low, good)
        self.book.data(-words)

    def _place(self, things: list[bytes], names: list[bytes], new_stamp: list[bool]) -> tuple[list[str], list[int]]:
        """Table and column of each row; none where there are too many already."""
        tables, columns = [], []
        for thing, name, new in zip(things, names, new_stamp, strict=True):
            if (
                new
                or thing != self._thing
                or name in self._names
                or len(self._names) > _MOST_NAMES
                or begins_table(name.decode("latin-1"))
            ):
                self._begin(thing, name)
            self._names.add(name)
            column = self._columns.column(self._table, thing, name)
            tables.append("" if column == _NO_COLUMN else self._table)
            columns.append(column)
        return tables, columns

    def _begin(self, thing: bytes, name: bytes) -> None:
        self._thing = thing
        self._names.clear()
        if name in _WORDS_OF_ROWS:
            return
        has_thing = thing != _NO_THING
        per_processor = has_thing and (_PROCESSOR.fullmatch(name) is not None or name == b"intr/s")
        self._table = "interrupts" if per_processor else table_of(decode_text(name), has_thing)

    def _batches(
        self, table: str, times_ns: NDArray[np.int64], columns: Places, values: NDArray[np.float64], lines: Places
    ) -> Iterator[SampleBatch]:
        """The batches of values of one table; those of one time follow each other."""
        starts = np.ones(len(times_ns), dtype=bool)
        starts[1:] = times_ns[1:] != times_ns[:-1]
        row_time = np.cumsum(starts) - 1
        for low, high in dense_spans(row_time, columns, 1):
            part, first = slice(low, high), starts[low:high]
            used, place = np.unique(columns[part], return_inverse=True)
            matrix = np.full((int(np.count_nonzero(first)), len(used)), np.nan)
            matrix[row_time[part] - row_time[low], place] = values[part]
            series = tuple(self._columns.series[index] for index in used.tolist())
            since_boot = np.zeros(len(matrix), dtype=bool)
            yield SampleBatch(table, times_ns[part][first], series, matrix, since_boot, lines[part][first])


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
