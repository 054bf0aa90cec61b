"""The one way in which a parser of lines gets rows: what is usual is read at once, what is not is given back.

A parser recognises a heading or a stamp once, in Python, and tells the scanner its bytes (`Scanner.know`) and what the
rows below it look like (`Scanner.table`). `Scanner.scan` then reads lines as long as each is blank, a line that it was
told, or a row of the table that is open, and stops before the first that is none of these. The parser looks at that one
and goes on behind it. So lines scanned = rows + marks + blanks, always.

There are two implementations, which give the same to the bit: `scan.c`, where it was compiled, and `reference`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

MOST_FIELDS = 6
"""Fields of one mark; as in ``scan.c``."""
MOST_MARKS, MOST_TABLES = 64, 4096
"""As many are known at a time; what is more is left to the parser, line by line."""
LARGEST_DIGITS = 9_007_199_254_740_989
"""A number with larger digits, read without its point, is left to the parser: all others are rounded only once."""
MOST_DECIMALS = 22
_WIDEST_FIELD = 18  # digits that fit into 64 bits, whatever they are


class Key(IntEnum):
    """Where a row names what it is about."""

    NONE = 0
    FIRST = 1
    LAST = 2
    AROUND = 3
    """The first word, and all that stands behind the numbers; a blank between the two."""


class Cell(IntEnum):
    """What stands in one place of a row, beside its key."""

    NUMBER = 0
    CLOCK = 1
    """``12:07.45``, minutes and seconds with two decimals at most: a number of seconds."""
    WORD = 2
    """Says nothing."""


@record
class Dialect:
    """How a capture prints numbers: a sign perhaps, digits, a decimal sign and digits perhaps.

    Attributes:
        decimal_signs: each of these bytes parts the decimals.
        suffixes: one of these may stand behind the last digit of a number without a sign; what it multiplies by is the
            column's (`Scanner.table`).
        shifts: by how many decimals each suffix moves the point, where all do so in all columns; what is read is the
            double nearest to that decimal then.
        absent: cells that say that nothing was measured; they are read as NaN.
        separator: one byte that parts cells; blanks may stand before and behind a number then, and where none stands
            nothing was measured. Without one, blanks part them.
    """

    decimal_signs: bytes = b"."
    suffixes: bytes = b""
    absent: tuple[bytes, ...] = ()
    separator: bytes = b""
    shifts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.shifts and (
            len(self.shifts) != len(self.suffixes) or not 0 <= min(self.shifts) <= max(self.shifts) <= MOST_DECIMALS
        ):
            raise ValueError(f"{self.suffixes!r} cannot move the point by {self.shifts}")


@record
class Field:
    """Digits of a mark that differ from line to line: from byte `start` to `stop` - 1, a number up to `most`."""

    start: int
    stop: int
    most: int


class ScanTable:
    """Rows of one kind.

    Attributes:
        columns: numbers per row.
        cells: what stands between the key and the end of the row, or what of the key is behind it.
        factors: float64[columns, suffixes of the dialect].
        names: the keys that were seen, and the number of each; a parser may look, and leaves it as it is.
        words: how many words stand before the key and say nothing.
        indented: whether blanks may stand before all that.
        key_cells: how many cells make the key, with the separators between them.
        stamp: what each row begins or ends with, a blank or separator between; None where nothing does (`stamp_rows`).
        stamp_first: rows begin with it.
    """

    def __init__(
        self,
        number: int,
        cells: tuple[Cell, ...],
        key: Key,
        factors: NDArray[np.float64],
        most_keys: int,
        words: int = 0,
        accepts: Callable[[bytes], bool] = bool,
        indented: bool = False,
        key_cells: int = 1,
    ) -> None:
        self.number = number
        self.cells = cells
        self.columns = len(cells) - cells.count(Cell.WORD)
        self.key = key
        self.factors = factors
        self.words = words
        self.indented = indented
        self.key_cells = key_cells
        self.names: dict[bytes, int] = {}
        self.stamp: Mark | None = None
        self.stamp_first = False
        self._most_keys = most_keys
        self._accepts = accepts

    def learn(self, key: bytes) -> int | None:
        """The number of a key that is new; None where its rows are left to the parser."""
        if len(self.names) >= self._most_keys or not self._accepts(key):
            return None
        return self.names.setdefault(key, len(self.names))


@record(eq=False)
class Mark:
    """A line that is known by its bytes; those of its fields may be any digits.

    Attributes:
        table: whose rows follow; None where it ends the table that was open.
        fields: in the order in which they stand.
    """

    line: bytes
    table: ScanTable | None
    fields: tuple[Field, ...]


class Form:
    """Texts that differ in their numbers alone: each with digits, a minus sign before and decimals behind perhaps.

    Attributes:
        parts: what stands before, between and behind the numbers, one more than there are numbers.
        ends: int64[parts], where each ends in all of them.
        shortest: bytes of a text, at least.
    """

    def __init__(self, parts: Sequence[bytes]) -> None:
        self.parts = tuple(parts)
        self.ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        self.shortest = max(int(self.ends[-1]) + len(parts) - 1, 1)


@record
class ScannedRows:
    """Rows of one table, n of them.

    Attributes:
        lines: int64[n], the numbers of their lines.
        keys: int32[n], numbers of `ScanTable.names`; 0 in a table without keys.
        values: float64[n, columns], C order.
        fields: int64[n, MOST_FIELDS] of the rows' stamps; [0, MOST_FIELDS] in a table without.
        shortest: bytes of the shortest row.
    """

    table: ScanTable
    lines: NDArray[np.int64]
    keys: NDArray[np.int32]
    values: NDArray[np.float64]
    fields: NDArray[np.int64]
    shortest: int

    def part(self, of: slice) -> ScannedRows:
        """Some of the rows."""
        fields = self.fields[of] if len(self.fields) else self.fields
        return ScannedRows(self.table, self.lines[of], self.keys[of], self.values[of], fields, self.shortest)


@record
class Scan:
    """What stood in the lines that one call read.

    Attributes:
        end: where the text was left, behind the last line read.
        lines: how many lines were read.
        blanks: how many of them are blank.
        other: whether the line at `end` is for the parser; False at the end of the text, and where to ask again.
        marks: int32[m], which of `Scanner.marks` each line is, in their order.
        mark_lines: int64[m], the numbers of their lines.
        fields: int64[m, MOST_FIELDS], 0 behind those that the mark has.
        rows: of each table that has some.
    """

    end: int
    lines: int
    blanks: int
    other: bool
    marks: NDArray[np.int32]
    mark_lines: NDArray[np.int64]
    fields: NDArray[np.int64]
    rows: tuple[ScannedRows, ...]


class Reader(Protocol):
    """An implementation."""

    def scan(self, scanner: Scanner, text: bytes, at: int, first_line: int) -> Scan: ...

    def changed(self, scanner: Scanner) -> None:
        """Marks or tables are others than before."""

    def alike(self, form: Form, text: bytes, starts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The numbers of the texts that are of the form, from the first up to one that is not: float64[texts, numbers].

        Args:
            starts: int64[texts + 1], where each begins and the last ends.

        Raises:
            ValueError: they do not lie in the text, or not one behind the other.
        """


class Scanner:
    """See the module.

    Attributes:
        marks: the lines that are known.
        tables: the tables that were told.
        tags: first words (or cells) of lines, and whose rows these lines are, whatever table is open.
        open_table: whose rows may come next; a parser that met a heading of its own sets it.
        stops_at_blanks: blank lines mean something to the parser, and are given back.
    """

    def __init__(self, dialect: Dialect, reader: Reader) -> None:
        self.dialect = dialect
        self.marks: list[Mark] = []
        self.tables: list[ScanTable] = []
        self.tags: dict[bytes, ScanTable] = {}
        self.open_table: ScanTable | None = None
        self.stops_at_blanks = False
        self._reader = reader

    def table(
        self,
        columns: int | Sequence[Cell],
        key: Key = Key.FIRST,
        factors: NDArray[np.float64] | None = None,
        *,
        most_keys: int = 100_000,
        words: int = 0,
        accepts: Callable[[bytes], bool] = bool,
        indented: bool = False,
        key_cells: int = 1,
    ) -> ScanTable:
        """Rows of so many numbers, at least one, or of these cells; see `ScanTable`.

        Args:
            most_keys: a row with a key beyond these is left to the parser.
            accepts: so is a row of a key, not seen before, of which this is not true; asked in the order of the rows.

        Raises:
            ValueError: what is only known between blanks is asked of cells with a separator, or the other way round.
        """
        if (key is Key.AROUND or indented) if self.dialect.separator else key_cells != 1:
            raise ValueError(f"not with the separator {self.dialect.separator!r}: {key} {indented} {key_cells}")
        cells = (Cell.NUMBER,) * columns if isinstance(columns, int) else tuple(columns)
        if factors is None:
            factors = np.ones((len(cells) - cells.count(Cell.WORD), len(self.dialect.suffixes)))
        factors = np.ascontiguousarray(factors, dtype=np.float64)
        table = ScanTable(len(self.tables), cells, key, factors, most_keys, words, accepts, indented, key_cells)
        self.tables.append(table)
        self._reader.changed(self)
        return table

    def know(self, line: bytes, table: ScanTable | None = None, fields: Sequence[Field] = ()) -> Mark:
        """From now on `line` is read without asking.

        Raises:
            ValueError: the line is blank or has a line end, or a field does not stand on digits of it.
        """
        mark = _mark(line, table, fields)
        if len(self.marks) < MOST_MARKS and (table is None or table.number < MOST_TABLES):
            self.marks.append(mark)
            self._reader.changed(self)
        return mark

    def tag(self, word: bytes, table: ScanTable) -> None:
        """From now on lines that begin with this word (or cell) are rows of the table, told behind it; see `tags`."""
        if table.number < MOST_TABLES and word:
            self.tags[word] = table
            self._reader.changed(self)

    def stamp_rows(self, table: ScanTable, stamp: bytes, fields: Sequence[Field] = (), *, first: bool = False) -> None:
        """From now on each row of the table has a stamp that differs from this one in its fields alone.

        Args:
            first: rows begin with it, and blanks may follow; else they end in it.

        Raises:
            ValueError: as for `know`.
        """
        table.stamp, table.stamp_first = _mark(stamp, None, fields), first
        self._reader.changed(self)

    def forget_keys(self, table: ScanTable) -> None:
        """The table's keys are learned anew, where ever new ones come; what was scanned before has lost their names."""
        table.names = {}
        self._reader.changed(self)

    def forget(self, mark: Mark) -> None:
        """From now on the line is given back again."""
        if mark in self.marks:
            self.marks.remove(mark)
            self._reader.changed(self)

    def scan(self, text: bytes, at: int, first_line: int) -> Scan:
        """Reads lines of `text` from `at` on; the first of them has the number `first_line`.

        A last line without an end is not read.
        """
        return self._reader.scan(self, text, at, first_line)


def check_starts(text: bytes, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of `Reader.alike`, as they stand in memory one behind the other."""
    if not len(starts) or starts[0] < 0 or starts[-1] > len(text) or (np.diff(starts) < 0).any():
        raise ValueError(f"{len(starts)} places in a text of {len(text)} bytes")
    return np.ascontiguousarray(starts, dtype=np.int64)


def _mark(line: bytes, table: ScanTable | None, fields: Sequence[Field]) -> Mark:
    fits = len(fields) <= MOST_FIELDS and all(
        0 < field.stop - field.start <= _WIDEST_FIELD and line[field.start : field.stop].isdigit() for field in fields
    )
    if not line.strip(b" \t") or b"\n" in line or not fits:
        raise ValueError(f"not a line to know: {line!r} {fields}")
    return Mark(line, table, tuple(fields))
