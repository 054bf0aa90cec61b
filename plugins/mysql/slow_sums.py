"""Events of a slow log added up: one record for each hour of the clock, one row for each statement and schema."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from tunebench.sdk import decode_text, lazy_pattern
from tunebench.sdk.databases import (
    DatabaseIdentity,
    DatabaseRecord,
    Fault,
    FigureTable,
    Moment,
    Reach,
    TableRows,
    literal_free,
)

from .slow_event import FIGURES

SOURCE = "slow_log"
MOST_STATEMENTS = 20_000
"""Kept apart within an hour; what is beyond is one row without an id."""
MOST_SHAPES = 50_000
LONGEST_TEXT = 20_000
"""Bytes of a statement that are read; what differs only behind is taken for one."""
_LITERAL = lazy_pattern(rb"'(?:[^'\\]|\\.|'')*+'|(?<![`\w$.@])\d++(?:\.\d++)?(?![`\w$])", re.DOTALL)
_OPEN_LIST = lazy_pattern(r",?\([^()]*$")
"""Of a text that was cut off: where in a list of values it ends says nothing of the statement."""
_OWN_WORD = b"tunebench"
_OWN = lazy_pattern(rb"/\* tunebench \*/|(?:\)|as|columns|performance_schema\.\w+) tunebench\b")
_SUMMED = len(FIGURES)
Key = tuple[str, str]


class Shapes:
    """The shape and id of statements. Most differ in their literals alone: those are looked up, not read again."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[str, str]] = {}

    def of(self, statement: bytes) -> tuple[str, str]:
        """(id, text without literals)."""
        rough = _LITERAL.sub(b"?", _beginning(statement))
        shape = self._known.get(rough)
        if shape is None:
            if len(self._known) >= MOST_SHAPES:
                self._known.clear()
            text = literal_free(decode_text(_beginning(statement)), "mysql")
            if len(statement) > LONGEST_TEXT:
                text = _OPEN_LIST.sub("", text)
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
            shape = self._known[rough] = (f"fp:{digest}", text)
        return shape


def _beginning(statement: bytes) -> bytes:
    """The part of a statement that is read; a long one ends behind a word, never inside of a character."""
    if len(statement) <= LONGEST_TEXT:
        return statement
    head = statement[:LONGEST_TEXT]
    return head[: max(head.rfind(b" "), head.rfind(b","), head.rfind(b"\n"), 1)]


class _Sum:
    """Sums over the events of one statement."""

    __slots__ = ("count", "least_s", "line", "most_s", "sums", "text", "whole")

    def __init__(self, line: int, text: str, whole: bool) -> None:
        self.line, self.text, self.whole = line, text, whole
        self.count = 0
        self.least_s, self.most_s = float("inf"), 0.0
        self.sums: list[float | None] = [None] * _SUMMED

    def add(self, values: Sequence[float | None]) -> None:
        self.count += 1
        elapsed_s = values[0] or 0.0
        self.least_s = min(self.least_s, elapsed_s)
        self.most_s = max(self.most_s, elapsed_s)
        sums = self.sums
        for index, value in enumerate(values):
            if value is not None:
                old = sums[index]
                sums[index] = value if old is None else old + value


class HourSums:
    """The events of one hour.

    Attributes:
        own: events of our own capturing, which are left out.
    """

    def __init__(self, first_line: int, begin_ns: int | None) -> None:
        self.first_line = first_line
        self.begin_ns = begin_ns
        self.end_ns: int | None = None
        self.own = 0
        self.events = 0
        self._sums: dict[Key, _Sum] = {}
        self._unlisted: _Sum | None = None

    def add(self, line: int, shape: tuple[str, str], schema: str, values: Sequence[float | None], whole: bool) -> None:
        self.events += 1
        entry = self._sums.get((shape[0], schema))
        if entry is None:
            entry = self._new(line, shape, schema, whole)
        entry.add(values)

    def _new(self, line: int, shape: tuple[str, str], schema: str, whole: bool) -> _Sum:
        if len(self._sums) >= MOST_STATEMENTS:
            self._unlisted = self._unlisted or _Sum(line, "", whole=False)
            return self._unlisted
        entry = self._sums[shape[0], schema] = _Sum(line, shape[1], whole)
        return entry

    def record(self, identity: DatabaseIdentity) -> DatabaseRecord:
        begin_ns, end_ns = self.begin_ns, self.end_ns
        checks = {Fault.UNTIMED: begin_ns is None, Fault.EVICTED: self._unlisted is not None}
        faults = tuple(fault for fault, is_so in checks.items() if is_so)
        facts = TableRows("fact")
        facts.add(0, {"scope": SOURCE, "name": "events", "value": str(self.events)}, {})
        if self.own:
            facts.add(0, {"scope": SOURCE, "name": "statements_of_tunebench", "value": str(self.own)}, {})
        load = TableRows("load")
        texts = {"name": "slow_statements", "native": "events of the slow query log", "unit": "1"}
        load.add(self.first_line, texts, {"total": float(self.events)})
        tables = [self._statement_table(), self._text_table(), load.close(), facts.close()]
        return DatabaseRecord(
            SOURCE,
            Reach.PERIOD,
            identity,
            Moment(end_ns),
            Moment(begin_ns),
            (end_ns - begin_ns) / 1e9 if begin_ns is not None and end_ns is not None and end_ns > begin_ns else None,
            tables={table.name: table for table in tables if len(table)},
            first_line=self.first_line,
            faults=faults,
        )

    def _statement_table(self) -> FigureTable:
        keys = list(self._sums) + ([("", "")] if self._unlisted is not None else [])
        sums = [*self._sums.values(), *([self._unlisted] if self._unlisted is not None else [])]
        if not sums:
            return TableRows("statement").close()
        values = np.array([entry.sums for entry in sums], dtype=np.float64)
        figures = {name: values[:, column] for column, name in enumerate(FIGURES) if not name.startswith("rows_")}
        figures["rows_examined"] = values[:, FIGURES.index("rows_examined")]
        changed = values[:, [FIGURES.index("rows_sent"), FIGURES.index("rows_affected")]]
        figures["rows"] = np.where(np.isnan(changed).all(axis=1), np.nan, np.nansum(changed, axis=1))
        figures["executions"] = np.array([float(entry.count) for entry in sums])
        figures["elapsed_min_s"] = np.array([entry.least_s for entry in sums])
        figures["elapsed_max_s"] = np.array([entry.most_s for entry in sums])
        return FigureTable(
            "statement",
            {"statement_id": tuple(key[0] for key in keys), "container": tuple(key[1] for key in keys)},
            {name: column for name, column in figures.items() if not np.isnan(column).all()},
            np.array([entry.line for entry in sums], dtype=np.int64),
        )

    def _text_table(self) -> FigureTable:
        rows = TableRows("statement_text")
        seen: set[str] = set()
        for (identity, _), entry in self._sums.items():
            if identity not in seen:
                seen.add(identity)
                rows.add(entry.line, {"statement_id": identity, "text": entry.text}, {"complete": float(entry.whole)})
        return rows.close()


def is_own(statement: bytes) -> bool:
    """Whether our own capture ran it: by its comment, or by its alias where clients took the comment away."""
    return _OWN_WORD in statement and _OWN.search(statement) is not None
