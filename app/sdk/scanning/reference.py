"""The scanner in plain Python: what it means, and what serves where no compiler was."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.sdk.scanning.scanner import (
    LARGEST_DIGITS,
    MOST_DECIMALS,
    MOST_FIELDS,
    MOST_MARKS,
    MOST_TABLES,
    Cell,
    Cells,
    Dialect,
    Key,
    Mark,
    Places,
    Scan,
    ScannedRows,
    Scanner,
    ScanTable,
    check_places,
)

_CONTROL = re.compile(rb"[\x00-\x1f]")
_BLANKS = re.compile(rb"[ \t]+")
_WORD = re.compile(rb"([^\x00- ]+)(?:[ \t]+|\Z)")
_MOST_DIGITS = len(str(LARGEST_DIGITS))
_MOST_ROWS = 20_000  # then it is to be asked again; lists of numbers are large


class _Row(NamedTuple):
    line: int
    key: int
    values: list[float]
    fields: list[int]
    length: int


class ReferenceReader:
    """One line after the other."""

    def __init__(self, dialect: Dialect) -> None:
        signs, suffixes = re.escape(dialect.decimal_signs), re.escape(dialect.suffixes)
        decimals = rb"(?:[%s](?P<decimals>[0-9]+))?" % signs if signs else rb"(?P<decimals>(?!))?"
        suffix = rb"(?P<suffix>[%s])?" % suffixes if suffixes else rb"(?P<suffix>(?!))?"
        self._number = re.compile(rb"(?P<sign>[+-])?(?P<whole>[0-9]+)" + decimals + suffix)
        pointed = rb"[0-9]{1,9}[%s][0-9]{1,6}|" % signs if signs else b""
        one = rb"[+-]?(?:%b[0-9]{1,15})" % pointed
        # short numbers alone, which `float` reads as they are
        self._plain = re.compile(rb"%b(?:[ \t]+%b)*" % (one, one))
        hundredths = rb"(?:[%s][0-9]{1,2})?" % signs if signs else b""
        self._clock = re.compile(rb"([0-9]{1,9}):([0-9]{2}%b)" % hundredths)
        self._points = bytes.maketrans(dialect.decimal_signs, b"." * len(dialect.decimal_signs))
        self._dialect = dialect

    def changed(self, scanner: Scanner) -> None:
        """All is asked of the scanner itself."""

    def scan(self, scanner: Scanner, text: bytes, at: int, first_line: int) -> Scan:
        number, blanks, other = first_line, 0, False
        marks: list[tuple[int, int, list[int]]] = []
        rows: dict[int, list[_Row]] = {}
        while (end := text.find(b"\n", at)) >= 0 and number - first_line < _MOST_ROWS:
            line, table = text[at:end], scanner.open_table
            if not line.strip(b" \t"):
                if scanner.stops_at_blanks:
                    other = True
                    break
                blanks += 1
            elif (found := _find_mark(scanner.marks, line)) is not None:
                marks.append((found[0], number, found[1]))
                scanner.open_table = scanner.marks[found[0]].table
            elif table is not None and table.number < MOST_TABLES and (row := self._read_row(table, line)) is not None:
                rows.setdefault(table.number, []).append(_Row(number, *row, len(line)))
            else:
                other = True
                break
            at, number = end + 1, number + 1
        return Scan(
            at,
            number - first_line,
            blanks,
            other,
            np.array([mark for mark, _, _ in marks], dtype=np.int32),
            np.array([line for _, line, _ in marks], dtype=np.int64),
            np.array([fields for _, _, fields in marks], dtype=np.int64).reshape(-1, MOST_FIELDS),
            tuple(_rows_of(scanner.tables[number], rows[number]) for number in sorted(rows)),
        )

    def cells(self, text: bytes, starts: Places, ends: Places) -> Cells:
        starts, ends = check_places(text, starts, ends, len(self._dialect.suffixes))
        table = ScanTable(0, (Cell.NUMBER,), Key.NONE, np.ones((1, 0)), 0)
        texts = (text[start:end].lstrip(b" \t") for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        found = [self._value(cell, table, 0) for cell in texts]
        read = np.array([value is not None for value in found], dtype=bool)
        return np.array([float("nan") if value is None else value for value in found]), read

    def _read_row(self, table: ScanTable, line: bytes) -> tuple[int, list[float], list[int]] | None:
        """Number of the key, values, fields of the stamp."""
        fields, key = [0] * MOST_FIELDS, b""
        if table.stamp is not None:
            found, line = _split_stamp(table.stamp, table.stamp_first, line)
            if found is None:
                return None
            fields[: len(found)] = found
        if table.indented:
            line = line.lstrip(b" \t")
        for _ in range(table.words + (table.key in (Key.FIRST, Key.AROUND))):
            word = _WORD.match(line)
            if word is None:
                return None
            key, line = word[1], line[word.end() :]
        line = line.strip(b" \t")
        if table.key in (Key.LAST, Key.AROUND):
            *cells, last = _BLANKS.split(line, maxsplit=len(table.cells) if table.key is Key.AROUND else 0)
            if not last or _CONTROL.search(last):
                return None
            key, line = last if table.key is Key.LAST else b"%b %b" % (key, last), b" ".join(cells)
        known = self._values(line, table)
        if known is None:
            return None
        number = 0 if table.key is Key.NONE else table.names.get(key)
        if number is None:
            number = table.learn(key)
        return None if number is None else (number, known, fields)

    def _values(self, text: bytes, table: ScanTable) -> list[float] | None:
        if set(table.cells) == {Cell.NUMBER} and self._plain.fullmatch(text):
            values = list(map(float, text.translate(self._points).split()))
            return values if len(values) == table.columns else None
        cells = _BLANKS.split(text)
        if len(cells) != len(table.cells):
            return None
        known: list[float] = []
        for kind, cell in zip(table.cells, cells, strict=True):
            if kind is Cell.WORD:
                if _CONTROL.search(cell):
                    return None
                continue
            value = self._seconds(cell) if kind is Cell.CLOCK else self._value(cell, table, len(known))
            if value is None:
                return None
            known.append(value)
        return known

    def _seconds(self, cell: bytes) -> float | None:
        found = self._clock.fullmatch(cell)
        return None if found is None else float(int(found[1]) * 60) + float(found[2].translate(self._points))

    def _value(self, cell: bytes, table: ScanTable, column: int) -> float | None:
        found = self._number.fullmatch(cell)
        if found is None:
            return float("nan") if cell in self._dialect.absent else None
        whole, decimals, suffix = found["whole"], found["decimals"] or b"", found["suffix"]
        digits = (whole + decimals).lstrip(b"0") or b"0"
        if len(digits) > _MOST_DIGITS or int(digits) > LARGEST_DIGITS or len(decimals) > MOST_DECIMALS:
            return None
        if suffix and found["sign"]:
            return None
        value = float((found["sign"] or b"") + whole + b"." + (decimals or b"0"))
        if suffix:
            value *= float(table.factors[column, self._dialect.suffixes.index(suffix)])
        return value


def _split_stamp(stamp: Mark, first: bool, line: bytes) -> tuple[list[int] | None, bytes]:
    """The fields of a row's stamp, and the row without it."""
    length = len(stamp.line)
    cut = length if first else len(line) - length
    if len(line) <= length or line[cut if first else cut - 1] not in b" \t":
        return None, line
    if first:
        return _fields_of(stamp, line[:cut]), line[cut:].lstrip(b" \t")
    return _fields_of(stamp, line[cut:]), line[:cut]


def _find_mark(marks: list[Mark], line: bytes) -> tuple[int, list[int]] | None:
    """Which of the marks the line is, and its fields."""
    for number, mark in enumerate(marks):
        if (fields := _fields_of(mark, line)) is not None:
            return number, fields + [0] * (MOST_FIELDS - len(fields))
    return None


def _fields_of(mark: Mark, line: bytes) -> list[int] | None:
    """None where the line is another."""
    found = _pattern(mark).fullmatch(line)
    fields = [] if found is None else list(map(int, found.groups()))
    fits = found is not None and all(number <= field.most for number, field in zip(fields, mark.fields, strict=True))
    return fields if fits else None


@lru_cache(maxsize=4 * MOST_MARKS)
def _pattern(mark: Mark) -> re.Pattern[bytes]:
    parts, at = [], 0
    for field in mark.fields:
        parts += [re.escape(mark.line[at : field.start]), b"([0-9]{%d})" % (field.stop - field.start)]
        at = field.stop
    return re.compile(b"".join([*parts, re.escape(mark.line[at:])]))


def _rows_of(table: ScanTable, rows: list[_Row]) -> ScannedRows:
    fields = [row.fields for row in rows if table.stamp is not None]
    return ScannedRows(
        table,
        np.array([row.line for row in rows], dtype=np.int64),
        np.array([row.key for row in rows], dtype=np.int32),
        np.array([row.values for row in rows], dtype=np.float64).reshape(len(rows), table.columns),
        np.array(fields, dtype=np.int64).reshape(-1, MOST_FIELDS),
        min(row.length for row in rows),
    )
