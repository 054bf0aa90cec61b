"""The scanner in plain Python: what it means, and what serves where no compiler was.

A row whose numbers are short and plain is matched by one pattern of its table; any other is taken apart, which says
what a row is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, repeat

import numpy as np
from numpy.typing import NDArray

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.scanning.scanner import (
    LARGEST_DIGITS,
    MOST_DECIMALS,
    MOST_FIELDS,
    MOST_MARKS,
    MOST_TABLES,
    Cell,
    Dialect,
    Field,
    Form,
    Key,
    Mark,
    Scan,
    ScannedRows,
    Scanner,
    ScanTable,
    check_starts,
)

_CONTROL = lazy_pattern(rb"[\x00-\x1f]")
_BLANKS = lazy_pattern(rb"[ \t]+")
_WORDS = rb"[^\x00- ]++"
_WORD = lazy_pattern(rb"([^\x00- ]+)(?:[ \t]+|\Z)")
_MOST_DIGITS = len(str(LARGEST_DIGITS))
_NO_TABLE = ScanTable(0, (Cell.NUMBER,), Key.NONE, np.ones((1, 0)), 0)
_MOST_ROWS = 20_000  # then it is to be asked again; lists of numbers are large


class _Rows:
    """Rows of one table, as they come: per row its line, the number of its key, its values, the text of its stamp."""

    def __init__(self, table: ScanTable) -> None:
        self.table = table
        self.lines: list[int] = []
        self.keys: list[int] = []
        self.values: list[float] = []
        self.stamps: list[bytes] = []
        self.shortest = 1 << 62

    def add(
        self, line: int, keys: Sequence[int], values: Iterator[float], stamps: Sequence[bytes], shortest: int
    ) -> None:
        """Rows that follow each other from `line` on."""
        self.lines.extend(range(line, line + len(keys)))
        self.keys.extend(keys)
        self.values.extend(values)
        self.stamps.extend(stamps)
        self.shortest = min(self.shortest, shortest)

    def scanned(self) -> ScannedRows:
        stamp, count = self.table.stamp, len(self.lines)
        return ScannedRows(
            self.table,
            np.array(self.lines, dtype=np.int64),
            np.array(self.keys, dtype=np.int32),
            np.array(self.values, dtype=np.float64).reshape(count, self.table.columns),
            _fields_in(self.stamps, () if stamp is None else stamp.fields),
            self.shortest,
        )


class ReferenceReader:
    """Lines one after the other."""

    def __init__(self, dialect: Dialect) -> None:
        signs, suffixes = re.escape(dialect.decimal_signs), re.escape(dialect.suffixes)
        decimals = rb"(?:[%s](?P<decimals>[0-9]+))?" % signs if signs else rb"(?P<decimals>(?!))?"
        suffix = rb"(?P<suffix>[%s])?" % suffixes if suffixes else rb"(?P<suffix>(?!))?"
        self._number = re.compile(rb"(?P<sign>[+-])?(?P<whole>[0-9]+)" + decimals + suffix)
        pointed = rb"[0-9]{1,9}+[%s][0-9]{1,6}+|" % signs if signs else b""
        self._plain = rb"[+-]?(?:%b[0-9]{1,15}+)" % pointed  # short numbers, which `float` reads as they are
        decimals = rb"(?:[%s][0-9]++|(?![%s]))" % (signs, signs) if signs else b""
        self._unsuffixed = re.compile(rb"-?[0-9]++" + decimals)
        hundredths = rb"(?:[%s][0-9]{1,2})?" % signs if signs else b""
        self._clock = re.compile(rb"([0-9]{1,9}):([0-9]{2}%b)" % hundredths)
        self._points = bytes.maketrans(dialect.decimal_signs, b"." * len(dialect.decimal_signs))
        self._dialect = dialect
        self._blanks = b" \t".translate(None, dialect.separator)
        self._tag = re.compile(b"([^%b]+)%b" % ((dialect.separator,) * 2 if dialect.separator else (b" \t", b"[ \t]+")))
        self._marks: dict[int, list[tuple[int, Mark]]] = {}  # by their length, each with its number
        self._runs: dict[int, re.Pattern[bytes] | None] = {}  # by the table

    def changed(self, scanner: Scanner) -> None:
        self._runs = {}
        self._marks = {}
        for number, mark in enumerate(scanner.marks):
            self._marks.setdefault(len(mark.line), []).append((number, mark))

    def scan(self, scanner: Scanner, text: bytes, at: int, first_line: int) -> Scan:
        number, blanks, other = first_line, 0, False
        marks: list[tuple[int, int]] = []
        fields: list[list[int]] = []
        rows: dict[int, _Rows] = {}
        while (end := text.find(b"\n", at)) >= 0 and number - first_line < _MOST_ROWS:
            table = scanner.open_table
            if table is not None and table.number < MOST_TABLES and not scanner.tags:
                own = rows.get(table.number) or rows.setdefault(table.number, _Rows(table))
                size = self._take_run(scanner, own, text, at, number)
                if size:
                    number, at = own.lines[-1] + 1, at + size
                    continue
            line = text[at:end]
            row, tagged = self._behind_tag(scanner, line) if scanner.tags else (line, None)
            table = tagged or table
            if not line.strip(self._blanks):
                if scanner.stops_at_blanks:
                    other = True
                    break
                blanks += 1
            elif (mark_fields := self._find_mark(line)) is not None:
                marks.append((mark_fields[0], number))
                fields.append(mark_fields[1])
                scanner.open_table = scanner.marks[mark_fields[0]].table
            elif table is None or table.number >= MOST_TABLES:
                other = True
                break
            else:
                own = rows.get(table.number) or rows.setdefault(table.number, _Rows(table))
                if not self._take_row(own, number, row, len(line)):
                    other = True
                    break
            at, number = end + 1, number + 1
        return Scan(
            at,
            number - first_line,
            blanks,
            other,
            np.array([mark for mark, _ in marks], dtype=np.int32),
            np.array([line for _, line in marks], dtype=np.int64),
            np.array(fields, dtype=np.int64).reshape(-1, MOST_FIELDS),
            tuple(rows[number].scanned() for number in sorted(rows) if rows[number].lines),
        )

    def alike(self, form: Form, text: bytes, starts: NDArray[np.int64]) -> NDArray[np.float64]:
        rows: list[list[float]] = []
        for at, end in pairwise(check_starts(text, starts).tolist()):
            numbers = self._numbers_of(form, text, at, end)
            if numbers is None:
                break
            rows.append(numbers)
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(form.parts) - 1)

    def _numbers_of(self, form: Form, text: bytes, at: int, end: int) -> list[float] | None:
        """The numbers of a text of the form, None where it is of another."""
        numbers: list[float] = []
        for part in form.parts[:-1]:
            match = self._unsuffixed.match(text, at + len(part), end) if text.startswith(part, at, end) else None
            value = None if match is None else self._value(match[0], _NO_TABLE, 0)
            if match is None or value is None:
                return None
            numbers.append(value)
            at = match.end()
        return numbers if text[at:end] == form.parts[-1] else None

    def _find_mark(self, line: bytes) -> tuple[int, list[int]] | None:
        """Which of the marks the line is, and its fields."""
        for number, mark in self._marks.get(len(line), ()):
            match = _pattern(mark).fullmatch(line)
            if match is not None:
                return number, [*map(int, match.groups()), *repeat(0, MOST_FIELDS - len(mark.fields))]
        return None

    # -- many rows -------------------------------------------------------------------------------

    def _take_run(self, scanner: Scanner, rows: _Rows, text: bytes, at: int, number: int) -> int:
        """Takes plain rows from `at` on; gives how many bytes they have, 0 where the first line is none."""
        table = rows.table
        if table.number not in self._runs:
            self._runs[table.number] = self._run_of(table, scanner.marks)
        pattern = self._runs[table.number]
        if pattern is None or (row := pattern.match(text, at)) is None:
            return 0
        taken: list[tuple[bytes, ...]] = []
        ends = [at]
        while row is not None and len(taken) < _MOST_ROWS:
            taken.append(row.groups())
            ends.append(row.end())
            row = pattern.match(text, ends[-1])
        before, words, numbers, behind, after = zip(*taken, strict=True)
        keys = self._keys(table, words, behind)
        count = len(keys)
        if keys:
            values = map(float, b" ".join(numbers[:count]).translate(self._points).split())
            stamps = () if table.stamp is None else (before if table.stamp_first else after)[:count]
            shortest = min(end - begin - 1 for begin, end in pairwise(ends[: count + 1]))
            rows.add(number, keys, values, stamps, shortest)
        return ends[count] - at

    def _run_of(self, table: ScanTable, marks: Sequence[Mark]) -> re.Pattern[bytes] | None:
        """The pattern of a plain row; None where rows hold more than numbers, or a mark may look like one."""
        if self._dialect.separator or table.indented or set(table.cells) != {Cell.NUMBER}:
            return None
        mark, geometry = table.stamp, (self._plain, table.columns, table.key, table.words, table.stamp_first)
        any_row = _row(*geometry, None if mark is None else b"[^\n]{%d}" % len(mark.line))
        if any(any_row.fullmatch(mark.line + b"\n") for mark in marks):
            return None
        return _row(*geometry, None if mark is None else _text_of(mark, b"(?:"))

    def _keys(self, table: ScanTable, words: Sequence[bytes], behind: Sequence[bytes]) -> list[int]:
        """The numbers of the rows' keys, up to the first that is left to the parser."""
        if table.key is Key.NONE:
            return [0] * len(words)
        names: Sequence[bytes] = words
        if table.key is Key.LAST:
            names = behind
        elif table.key is Key.AROUND:
            names = [b"%b %b" % (word, rest.rstrip(b" ")) for word, rest in zip(words, behind, strict=True)]
        by_name = table.names
        numbers = []
        for name in names:
            number = by_name.get(name)
            if number is None:
                number = table.learn(name)
            if number is None:
                break
            numbers.append(number)
        return numbers

    # -- one row ---------------------------------------------------------------------------------

    def _behind_tag(self, scanner: Scanner, line: bytes) -> tuple[bytes, ScanTable | None]:
        """The line behind its tag, and the table whose row it is; the whole line and None where it has no tag."""
        tag = self._tag.match(line)
        table = None if tag is None else scanner.tags.get(tag[1])
        return (line, None) if tag is None or table is None else (line[tag.end() :], table)

    def _take_row(self, rows: _Rows, number: int, line: bytes, length: int) -> bool:
        """`line` is what stands behind the tag, if there is one; `length` that of the whole."""
        table = rows.table
        stamp = b""
        if table.stamp is not None:
            stamp, line = self._split_stamp(table.stamp, table.stamp_first, line)
            if not stamp:
                return False
        key, cells = (self._separated if self._dialect.separator else self._apart)(table, line)
        values = None if key is None else self._values(cells, table)
        if values is None or key is None:
            return False
        key_number = 0 if table.key is Key.NONE else table.names.get(key)
        if key_number is None and (key_number := table.learn(key)) is None:
            return False
        rows.add(number, (key_number,), iter(values), (stamp,) if stamp else (), length)
        return True

    def _split_stamp(self, stamp: Mark, first: bool, line: bytes) -> tuple[bytes, bytes]:
        """The stamp of a row, empty where it has another or none, and the row without it."""
        length, separator = len(stamp.line), self._dialect.separator
        cut = length if first else len(line) - length
        if len(line) <= length or line[cut if first else cut - 1] not in (separator or b" \t"):
            return b"", line
        own, rest = (line[:cut], line[cut:]) if first else (line[cut:], line[:cut])
        if separator:
            rest = rest[1:] if first else rest[:-1]
        elif first:
            rest = rest.lstrip(b" \t")
        return (own if _pattern(stamp).fullmatch(own) else b""), rest

    def _separated(self, table: ScanTable, line: bytes) -> tuple[bytes | None, list[bytes]]:
        """The key of a row, None where it is none, and its cells."""
        separator = self._dialect.separator
        cells = line.split(separator)
        of_key = table.key_cells if table.key else 0
        if len(cells) != table.words + of_key + len(table.cells):
            return None, []
        first = table.words if table.key is Key.FIRST else len(cells) - of_key
        key = separator.join(cells[first : first + of_key])
        words = (*cells[: table.words], *cells[first : first + of_key])
        if any(map(_CONTROL.search, words)) or (of_key and not key):
            return None, []
        return key, cells[first + of_key :] if table.key is Key.FIRST else cells[table.words : first]

    def _apart(self, table: ScanTable, line: bytes) -> tuple[bytes | None, list[bytes]]:
        """As `_separated`, for cells between blanks."""
        key = b""
        if table.indented:
            line = line.lstrip(b" \t")
        for _ in range(table.words + (table.key in (Key.FIRST, Key.AROUND))):
            word = _WORD.match(line)
            if word is None:
                return None, []
            key, line = word[1], line[word.end() :]
        cells = _BLANKS.split(line.strip(b" \t"), maxsplit=len(table.cells) if table.key is Key.AROUND else 0)
        if table.key in (Key.LAST, Key.AROUND):
            last = cells.pop()
            if not last or _CONTROL.search(last):
                return None, []
            key = last if table.key is Key.LAST else b"%b %b" % (key, last)
        return key, cells

    def _values(self, cells: Sequence[bytes], table: ScanTable) -> list[float] | None:
        if len(cells) != len(table.cells):
            return None
        values: list[float] = []
        for kind, cell in zip(table.cells, cells, strict=True):
            if self._dialect.separator and kind is not Cell.WORD:
                cell = cell.strip(self._blanks)  # noqa: PLW2901
                if not cell:
                    values.append(float("nan"))
                    continue
            if kind is Cell.WORD:
                if _CONTROL.search(cell):
                    return None
                continue
            value = self._seconds(cell) if kind is Cell.CLOCK else self._value(cell, table, len(values))
            if value is None:
                return None
            values.append(value)
        return values

    def _seconds(self, cell: bytes) -> float | None:
        match = self._clock.fullmatch(cell)
        return None if match is None else float(int(match[1]) * 60) + float(match[2].translate(self._points))

    def _value(self, cell: bytes, table: ScanTable, column: int) -> float | None:
        match = self._number.fullmatch(cell)
        if match is None:
            return float("nan") if cell in self._dialect.absent else None
        whole, decimals, suffix = match["whole"], match["decimals"] or b"", match["suffix"]
        digits = (whole + decimals).lstrip(b"0") or b"0"
        if len(digits) > _MOST_DIGITS or int(digits) > LARGEST_DIGITS or len(decimals) > MOST_DECIMALS:
            return None
        if suffix and match["sign"]:
            return None
        number = (match["sign"] or b"") + whole + b"." + (decimals or b"0")
        if suffix and self._dialect.shifts:
            return float(b"%be%d" % (number, self._dialect.shifts[self._dialect.suffixes.index(suffix)]))
        value = float(number)
        if suffix:
            value *= float(table.factors[column, self._dialect.suffixes.index(suffix)])
        return value


@lru_cache(maxsize=4 * MOST_MARKS)
def _row(plain: bytes, columns: int, key: Key, words: int, stamp_first: bool, stamp: bytes | None) -> re.Pattern[bytes]:
    """A plain row with its line end; the groups: stamp, first word, numbers, what stands behind them, stamp."""
    before, after = b"()", rb"[ \t]*+()"
    if stamp is not None and stamp_first:
        before = rb"(%b)[ \t]++" % stamp
    elif stamp is not None:
        after = rb"[ \t]*(?<=[ \t])(%b)" % stamp
    word = b"()" if words else rb"[ \t]*+()"
    if key in (Key.FIRST, Key.AROUND):
        word = rb"(%b)[ \t]++" % _WORDS
    passed = rb"(?:%b[ \t]++){%d}" % (_WORDS, words)
    numbers = rb"(%b(?:[ \t]++%b){%d})" % (plain, plain, columns - 1)
    behind = {Key.LAST: rb"[ \t]++(%b)" % _WORDS, Key.AROUND: rb"[ \t]++([^\x00- ][^\x00-\x1f]*)"}.get(key, b"()")
    return re.compile(b"".join([before, passed, word, numbers, behind, after, b"\n"]))


def _fields_in(stamps: Sequence[bytes], fields: Sequence[Field]) -> NDArray[np.int64]:
    """The numbers in the stamps' fields: int64[stamps, MOST_FIELDS]."""
    values = np.zeros((len(stamps), MOST_FIELDS), dtype=np.int64)
    if stamps:
        digits = np.frombuffer(b"".join(stamps), dtype=np.uint8).reshape(len(stamps), -1) - np.uint8(ord("0"))
        for number, field in enumerate(fields):
            values[:, number] = digits[:, field.start : field.stop] @ 10 ** np.arange(field.stop - field.start)[::-1]
    return values


@lru_cache(maxsize=4 * MOST_MARKS)
def _pattern(mark: Mark) -> re.Pattern[bytes]:
    return re.compile(_text_of(mark, b"("))


def _text_of(mark: Mark, group: bytes) -> bytes:
    """The pattern of lines that differ from the mark in nothing but its fields, each in a group."""
    parts, at = [], 0
    for field in mark.fields:
        parts += [re.escape(mark.line[at : field.start]), group, _up_to(field.most, field.stop - field.start), b")"]
        at = field.stop
    return b"".join([*parts, re.escape(mark.line[at:])])


def _up_to(most: int, width: int) -> bytes:
    """The pattern of so many digits that are at most this number."""
    if most >= 10**width - 1:
        return b"[0-9]{%d}" % width
    first, rest = divmod(most, 10 ** (width - 1))
    less = b"[0-%d][0-9]{%d}|" % (first - 1, width - 1) if first else b""
    return b"(?:%b%d%b)" % (less, first, _up_to(rest, width - 1))
