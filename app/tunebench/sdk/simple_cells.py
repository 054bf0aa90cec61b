"""Cells of a simple text table: where each column stands in a row, and rows on their way to a `TableBuilder`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from math import isfinite

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.table_definition import NameRead, Suffix, TableColumn, TableDefinition, TableSection, TimeRule
from tunebench.sdk.tables import TableBuilder
from tunebench.sdk.text import decode_text
from tunebench.sdk.units import base_unit_of, factor_between

MOST_KEYS = 5_000
"""Things of one table; more are no things but text that changes."""
MOST_OF_ONE_TIME = 4 * MOST_KEYS
_BETWEEN_KEYS = b"\x1f"
_MISSING = frozenset({"-", "--", "n/a", "nan", "-nan", "ns", "null", "none", ""})
_PLAIN_ROW = lazy_pattern(r"(?:(?:[0-9]++(?:\.[0-9]++)?+|-)(?: |\Z))*+")
"""Cells that need no second look."""
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_GROUPED_POINT = lazy_pattern(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_GROUPED_COMMA = lazy_pattern(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?", re.ASCII)
_NUMBER = lazy_pattern(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_WITH_SUFFIX = lazy_pattern(r"([-+]?[\d.]+)\s*([kKMGTP]?)(?:i?[Bb])?", re.ASCII)


@record
class ColumnPlan:
    """Which cell of a row holds what.

    Attributes:
        width: how many cells a row has.
        fewest: how many it must have: all but the last numbers, where rows may end early.
        rest: the last cell takes all that is left, blanks included.
        stamp: cells of the time, in the order they are read.
        keys: (attribute, cell).
        numbers: cells of the numbers; `columns` says what they are, None for one the definition does not know, `reads`
            what their headings tell.
        host: cell of the host's name, None where no row names one.
        name: cell of the name that the one number of each row has; None where headings name the numbers.
        others: (heading, cell) of what tells series apart besides, where each row has one number.
    """

    width: int
    fewest: int
    rest: bool
    stamp: tuple[int, ...]
    keys: tuple[tuple[str, int], ...]
    numbers: tuple[int, ...]
    reads: tuple[NameRead, ...]
    columns: tuple[TableColumn | None, ...] = field(default=())
    host: int | None = None
    name: int | None = None
    others: tuple[tuple[str, int], ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that headings name, in their order."""
        return tuple(dict.fromkeys(read.host for read in self.reads if read.host))

    def of_host(self, host: str) -> ColumnPlan:
        """The plan without the numbers of other hosts."""
        kept = [at for at, read in enumerate(self.reads) if not read.host or read.host == host]
        return replace(
            self,
            numbers=tuple(self.numbers[at] for at in kept),
            reads=tuple(self.reads[at] for at in kept),
            columns=tuple(self.columns[at] for at in kept),
        )


class CellSplitter:
    """Lines into cells; ``""`` separates by any number of blanks."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.blanks = not separator

    def cells(self, text: str) -> list[str]:
        if self.blanks:
            return text.split()
        quoted = '"' in text and len(self.separator) == 1
        cells = [cell.strip() for cell in (self._quoted(text) if quoted else text.split(self.separator))]
        if self.separator == "|" and len(cells) > 2 and not cells[0] and not cells[-1]:
            cells = cells[1:-1]
        return cells

    def row(self, text: str, plan: ColumnPlan) -> list[str]:
        return text.split(None, plan.width - 1) if self.blanks and plan.rest else self.cells(text)

    def _quoted(self, text: str) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=self.separator, skipinitialspace=True), [])
        except csv.Error:  # a quote inside a cell, a cell beyond all bounds
            return text.split(self.separator)


def plan_columns(names: Sequence[str], section: TableSection, definition: TableDefinition, blanks: bool) -> ColumnPlan:
    """Where the columns of a heading stand; a stamp of several words takes several cells between blanks."""
    time = definition.time
    words = time.format.words if time.format and blanks else 1
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
    keys = tuple((attribute, starts[column]) for attribute, column in section.keys if column in starts)
    host = starts.get(section.host)
    taken = {*stamp, *(cell for _, cell in keys), host}
    left = [
        (cell, name)
        for cell, name in zip(places, names, strict=True)
        if cell not in taken and name and not _is_ignored(section, name)
    ]
    several = not section.value
    numbers = left if several else [(cell, name) for cell, name in left if cell == starts[section.value]]
    others = () if several else tuple((name, cell) for cell, name in left if name not in (section.value, section.name))
    reads = tuple(section.read_name(name) for _, name in numbers) if several else (NameRead(""),)
    needed = [*stamp, *(cell for _, cell in keys), *(cell for cell, _ in numbers[:1])]
    return ColumnPlan(
        width=at,
        fewest=max(needed, default=0) + 1 if definition.short_rows else at,
        rest=bool(names) and at - 1 not in {cell for cell, _ in numbers} and at - 1 not in stamp,
        stamp=tuple(stamp),
        keys=keys,
        numbers=tuple(cell for cell, _ in numbers),
        reads=reads,
        columns=tuple(section.columns.get(read.native) for read in reads),
        host=host,
        name=None if several else starts[section.name],
        others=tuple((name, cell) for name, cell in others),
    )


def _is_ignored(section: TableSection, name: str) -> bool:
    column = section.columns.get(name)
    return column is not None and bool(column.ignored)


class _Builder(TableBuilder):
    """A row may be about several things at once: a process on a processor."""

    def __init__(
        self,
        table: str,
        key_names: tuple[str, ...],
        reads: Sequence[NameRead],
        columns: Sequence[TableColumn | None],
        book: LedgerBook,
    ) -> None:
        self._key_names = key_names
        pairs = zip(reads, columns, strict=True)
        attributes = [(*(column.attributes if column else ()), *read.attributes) for read, column in pairs]
        super().__init__(table, [read.native for read in reads], key_names[0] if key_names else None, book, attributes)

    def _name_series(self, keys: tuple[bytes, ...]) -> Iterator[SeriesKey]:
        for key in keys:
            own = tuple(zip(self._key_names, map(decode_text, key.split(_BETWEEN_KEYS)), strict=False))
            for heading, attributes in zip(self.headings, self._attributes, strict=True):
                labels = {name: word for name, word in (*attributes, *own) if word}
                yield SeriesKey(self.table, heading, tuple(sorted(labels.items())))


class TableRows:
    """The rows of one heading. Rows of one number each stand in tables of their own, one for each name: what is asked
    for item by item has no times in common."""

    def __init__(self, section: TableSection, plan: ColumnPlan, decimal: str, book: LedgerBook) -> None:
        self._section = section
        self._plan = plan
        self._book = book
        self._decimal = decimal
        self._key_names = (*(attribute for attribute, _ in plan.keys), *(("group",) if plan.others else ()))
        self._builders: dict[str, _Builder] = {}
        self._named: dict[str, tuple[_Builder, TableColumn | None]] = {}
        if plan.name is None:
            self._builders[""] = _Builder(section.table, self._key_names, plan.reads, plan.columns, book)
        self._keys: set[tuple[str, bytes]] = set()
        self._time_ns = -1
        self._of_time = 0

    def key(self, cells: Sequence[str]) -> bytes | None:
        """What a row is about; ``b""`` in a table without keys, None where the cell is empty."""
        plan = self._plan
        parts = [cells[cell] for _, cell in plan.keys]
        if plan.name is None:
            if not all(parts):
                return None
        elif not cells[plan.name]:
            return None
        elif plan.others:
            parts.append(" ".join(f"{name}={cells[cell]}" for name, cell in plan.others if cells[cell]))
        return _BETWEEN_KEYS.join(part.replace("\x1f", " ").encode("utf-8", "replace") for part in parts)

    def has_place(self, key: bytes, time_ns: int, cells: Sequence[str]) -> bool:
        """Rows of one time wait for each other: neither they nor the things they are about may grow without bound."""
        self._of_time = self._of_time + 1 if time_ns == self._time_ns else 1
        self._time_ns = time_ns
        if not self._key_names and self._plan.name is None:
            return True
        whose = ("" if self._plan.name is None else cells[self._plan.name], key)
        if whose in self._keys and self._of_time <= MOST_OF_ONE_TIME:
            return True
        if len(self._keys) >= MOST_KEYS or self._of_time > MOST_OF_ONE_TIME:
            return False
        self._keys.add(whose)
        return True

    def add(self, time_ns: int, number: int, key: bytes, cells: Sequence[str], since_boot: bool) -> bool:
        """False where a cell that must be a number is none."""
        builder, columns = self._builder_of(cells)
        picked = [cells[cell] or "-" for cell in self._plan.numbers]
        tail = " ".join(picked)
        if (self._decimal == "," and "." in tail) or not _PLAIN_ROW.fullmatch(tail):
            plain = list(map(self._plain, picked, columns))
            if "" in plain:
                return False
            tail = " ".join(plain)
        builder.row(time_ns, number, key, tail.encode("ascii"), since_boot)
        return True

    def flush(self, final: bool = False) -> Iterator[SampleBatch]:
        for builder in self._builders.values():
            yield from builder.flush(final)

    def _builder_of(self, cells: Sequence[str]) -> tuple[_Builder, Sequence[TableColumn | None]]:
        """The builder of the row, and the columns of its numbers."""
        if self._plan.name is None:
            return self._builders[""], self._plan.columns
        text = cells[self._plan.name]
        entry = self._named.get(text)
        if entry is None:
            read = self._section.read_name(text)
            column = self._section.columns.get(read.native)
            builder = _Builder(f"{self._section.table} {text}", self._key_names, (read,), (column,), self._book)
            self._builders[text] = builder
            entry = self._named[text] = builder, column
        return entry[0], (entry[1],)

    def _plain(self, cell: str, column: TableColumn | None) -> str:
        """The cell as a plain number, ``-`` for none; ``""`` for text that spoils the row."""
        if cell.lower() in _MISSING:
            return "-"
        number = plain_number(cell, self._decimal, column)
        if number is not None:
            return number
        if column is None:
            self._book.warn("table_text_cells")
            return "-"
        return ""


def plain_number(cell: str, decimal: str, column: TableColumn | None) -> str | None:
    """``1.234,5`` and ``5.7M`` as a plain number of the column's unit; None for text."""
    text = cell.removesuffix("%").rstrip()
    if decimal == "either":
        text = text.replace(",", ".")
    elif decimal == ",":
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
    match = _WITH_SUFFIX.fullmatch(text)
    if match is None or not _NUMBER.fullmatch(match[1]):
        return None
    factor = (1024.0 if column.suffix is Suffix.BINARY else 1000.0) ** _POWERS.get(match[2], 0)
    unit = column.unit or "1"
    in_base = factor_between(unit, base_unit_of(unit)) or 1.0
    number = float(match[1]) * factor / in_base
    return repr(number) if isfinite(number) else None
