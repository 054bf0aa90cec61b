"""Cells of a simple text table: where each column stands in a row, and rows on their way to a `TableBuilder`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite

from app.sdk.batches import SampleBatch, SeriesKey
from app.sdk.ledger_book import LedgerBook
from app.sdk.table_definition import Suffix, TableColumn, TableDefinition, TableSection, TimeRule
from app.sdk.tables import TableBuilder
from app.sdk.text import decode_text
from app.sdk.units import base_unit_of, factor_between

MOST_KEYS = 5_000
"""Things of one table; more are no things but text that changes."""
MOST_OF_ONE_TIME = 4 * MOST_KEYS
_BETWEEN_KEYS = b"\x1f"
_MISSING = frozenset({"-", "--", "n/a", "nan", "-nan", "ns", "null", "none", ""})
_PLAIN_ROW = re.compile(r"(?:(?:[0-9]++(?:\.[0-9]++)?+|-)(?: |\Z))*+")
"""Cells that need no second look."""
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_GROUPED_POINT = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_GROUPED_COMMA = re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_WITH_SUFFIX = re.compile(r"([-+]?[\d.]+)\s*([kKMGTP]?)(?:i?[Bb])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """Where what stands in a row's cells.

    Attributes:
        width: how many cells a row has.
        fewest: how many it must have: all but the last numbers, where rows may end early.
        rest: the last cell takes all that is left, blanks included.
        stamp: cells of the time, in the order they are read.
        keys: (attribute, cell).
        numbers: cells of the numbers; `columns` says what they are, None for one the definition does not know.
    """

    width: int
    fewest: int
    rest: bool
    stamp: tuple[int, ...]
    keys: tuple[tuple[str, int], ...]
    numbers: tuple[int, ...]
    names: tuple[str, ...]
    columns: tuple[TableColumn | None, ...] = field(default=())


class CellSplitter:
    """Lines into cells; ``""`` separates by any number of blanks."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self.blanks = not separator

    def cells(self, text: str) -> list[str]:
        if self.blanks:
            return text.split()
        quoted = '"' in text and len(self._separator) == 1
        cells = [cell.strip() for cell in (self._quoted(text) if quoted else text.split(self._separator))]
        if self._separator == "|" and len(cells) > 2 and not cells[0] and not cells[-1]:
            cells = cells[1:-1]
        return cells

    def row(self, text: str, plan: ColumnPlan) -> list[str]:
        return text.split(None, plan.width - 1) if self.blanks and plan.rest else self.cells(text)

    def _quoted(self, text: str) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=self._separator, skipinitialspace=True), [])
        except csv.Error:  # a quote inside a cell, a cell beyond all bounds
            return text.split(self._separator)


def plan_columns(names: Sequence[str], section: TableSection, definition: TableDefinition) -> ColumnPlan:
    """Where the columns of a heading stand; a stamp of several words takes several cells between blanks."""
    time = definition.time
    words = time.format.words if time.format and not definition.separator else 1
    stamps = list(time.columns)
    stamp_words = words if len(stamps) == 1 else 1
    starts: dict[str, int] = {}
    at = words if time.rule is TimeRule.FIRST else 0
    stamp: list[int] = list(range(at))
    places: list[int] = []
    for name in names:
        places.append(at)
        starts.setdefault(name, at)
        at += stamp_words if name in stamps and starts[name] == at else 1
    for name in stamps:
        stamp += range(starts[name], starts[name] + stamp_words)
    keys = tuple((attribute, starts[column]) for attribute, column in section.keys)
    taken = {*stamp, *(cell for _, cell in keys)}
    numbers = [
        (place, name)
        for place, name in zip(places, names, strict=True)
        if place not in taken and name and not _is_ignored(section, name)
    ]
    needed = [*stamp, *(cell for _, cell in keys), *(place for place, _ in numbers[:1])]
    return ColumnPlan(
        width=at,
        fewest=max(needed, default=0) + 1 if definition.short_rows else at,
        rest=bool(names) and at - 1 not in {place for place, _ in numbers} and at - 1 not in stamp,
        stamp=tuple(stamp),
        keys=keys,
        numbers=tuple(place for place, _ in numbers),
        names=tuple(name for _, name in numbers),
        columns=tuple(section.columns.get(name) for _, name in numbers),
    )


def _is_ignored(section: TableSection, name: str) -> bool:
    column = section.columns.get(name)
    return column is not None and bool(column.ignored)


class _Builder(TableBuilder):
    """A row may be about several things at once: a process on a processor."""

    def __init__(self, section: TableSection, plan: ColumnPlan, book: LedgerBook) -> None:
        self._key_names = tuple(attribute for attribute, _ in plan.keys)
        attributes = [column.attributes if column else () for column in plan.columns]
        super().__init__(section.table, plan.names, self._key_names[0] if plan.keys else None, book, attributes)

    def _name_series(self, keys: tuple[bytes, ...]) -> Iterator[SeriesKey]:
        for key in keys:
            own = tuple(zip(self._key_names, map(decode_text, key.split(_BETWEEN_KEYS)), strict=False))
            for heading, attributes in zip(self.headings, self._attributes, strict=True):
                yield SeriesKey(self.table, heading, tuple(sorted(dict((*attributes, *own)).items())))


class TableRows:
    """The rows of one heading."""

    def __init__(self, section: TableSection, plan: ColumnPlan, decimal: str, book: LedgerBook) -> None:
        self._plan = plan
        self._book = book
        self._comma = decimal == ","
        self._builder = _Builder(section, plan, book)
        self._keys: set[bytes] = set()
        self._time_ns = -1
        self._of_time = 0

    def key(self, cells: Sequence[str]) -> bytes | None:
        """What a row is about; ``b""`` in a table without keys, None where the cell is empty."""
        parts = [cells[cell] for _, cell in self._plan.keys]
        if not all(parts):
            return None
        return _BETWEEN_KEYS.join(part.replace("\x1f", " ").encode("utf-8", "replace") for part in parts)

    def has_place(self, key: bytes, time_ns: int) -> bool:
        """Rows of one time wait for each other: neither they nor the things they are about may grow without bound."""
        self._of_time = self._of_time + 1 if time_ns == self._time_ns else 1
        self._time_ns = time_ns
        if not self._plan.keys or (key in self._keys and self._of_time <= MOST_OF_ONE_TIME):
            return True
        if len(self._keys) >= MOST_KEYS or self._of_time > MOST_OF_ONE_TIME:
            return False
        self._keys.add(key)
        return True

    def add(self, time_ns: int, number: int, key: bytes, cells: Sequence[str], since_boot: bool) -> bool:
        """False where a cell that must be a number is none."""
        picked = [cells[cell] or "-" for cell in self._plan.numbers]
        tail = " ".join(picked)
        if (self._comma and "." in tail) or not _PLAIN_ROW.fullmatch(tail):
            plain = list(map(self._plain, picked, self._plan.columns))
            if "" in plain:
                return False
            tail = " ".join(plain)
        self._builder.row(time_ns, number, key, tail.encode("ascii"), since_boot)
        return True

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        return self._builder.flush(final)

    def _plain(self, cell: str, column: TableColumn | None) -> str:
        """The cell as a plain number, ``-`` for none; ``""`` for text that spoils the row."""
        if cell.lower() in _MISSING:
            return "-"
        number = plain_number(cell, self._comma, column)
        if number is not None:
            return number
        if column is None:
            self._book.warn("table_text_cells")
            return "-"
        return ""


def plain_number(cell: str, comma: bool, column: TableColumn | None) -> str | None:
    """``1.234,5`` and ``5.7M`` as a plain number of the column's unit; None for text."""
    text = cell.removesuffix("%").rstrip()
    if comma:
        if "." in text:
            text = text.replace(".", "") if _GROUPED_COMMA.fullmatch(text) else "?"
        text = text.replace(",", ".")
    elif "," in text:
        text = text.replace(",", "") if _GROUPED_POINT.fullmatch(text) else "?"
    if _NUMBER.fullmatch(text):
        return text if isfinite(float(text)) else None
    if column is None or column.suffix is Suffix.NONE:
        return None
    return _scaled(text, column)


def _scaled(text: str, column: TableColumn) -> str | None:
    found = _WITH_SUFFIX.fullmatch(text)
    if found is None or not _NUMBER.fullmatch(found[1]):
        return None
    factor = (1024.0 if column.suffix is Suffix.BINARY else 1000.0) ** _POWERS.get(found[2], 0)
    unit = column.unit or "1"
    in_base = factor_between(unit, base_unit_of(unit)) or 1.0
    number = float(found[1]) * factor / in_base
    return repr(number) if isfinite(number) else None
