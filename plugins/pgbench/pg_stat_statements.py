"""CSV exports of pg_stat_statements (psql --csv, COPY ... CSV HEADER, pgAdmin's).

    queryid,query,calls,total_exec_time,rows,shared_blks_hit,shared_blks_read
    1485918269066925717,"INSERT INTO pgbench_history (tid, bid) VALUES ($1, $2)",70,0.690969,70,69,0

Times are milliseconds; ``total_time`` up to version 12, ``total_exec_time`` since. A query may span lines.
Rows of one statement (other users, other databases) are added up.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.sdk import LineParser, ParseContext, SampleBatch, StatementFigures, decode_text

Number = TypeVar("Number", int, float)

_SEPARATORS = ",;\t|"
_MOST_LINES = 2000  # a quote that is open for longer is damage


@dataclass
class _Statement:
    statement_id: str
    text: str
    executions: int | None = None
    elapsed_s: float | None = None
    block_gets: int | None = None
    block_reads: int | None = None
    rows: int | None = None


class StatementsCsvParser(LineParser):
    """Statements out of a CSV export."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "pg_stat_statements"
        self._columns: list[str] = []
        self._separator = ","
        self._record: list[bytes] = []
        self._record_line = 0
        self._open = False
        self._found: dict[str, _Statement] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if b"\0" in head:
            return 0.0
        first = next((line for line in head.split(b"\n") if line.strip()), b"")
        return 0.97 if _read_header(decode_text(first)) is not None else 0.0

    def statements(self) -> Sequence[StatementFigures]:
        return [
            StatementFigures(
                engine="postgresql",
                statement_id=s.statement_id,
                text=s.text,
                executions=s.executions,
                elapsed_s=s.elapsed_s,
                block_gets=s.block_gets,
                block_reads=s.block_reads,
                rows=s.rows,
            )
            for s in self._found.values()
        ]

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        return ()

    def close_tables(self) -> Iterable[SampleBatch]:
        if self._record:
            self.book.skip("truncated", self._record_line, self._record[0], len(self._record))
            self._record = []
        return ()

    def _read_line(self, number: int, line: bytes) -> None:
        if not self._record:
            self._record_line, self._open = number, False
            if not line or line.isspace():
                self.book.blank()
                return
        self._record.append(line)
        if line.count(b'"') % 2:
            self._open = not self._open
        if self._open and len(self._record) < _MOST_LINES:
            return
        record, self._record = self._record, []
        if self._open:
            self.book.skip("truncated", self._record_line, record[0], len(record))
        else:
            self._read_record(record)

    def _read_record(self, record: list[bytes]) -> None:
        text = decode_text(b"\n".join(record))
        if not self._columns:
            header = _read_header(text)
            if header is None:
                self.book.skip("not_a_table", self._record_line, record[0], len(record))
            else:
                self._columns, self._separator = header
                self.book.header(len(record))
            return
        try:
            cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=self._separator), [])
        except csv.Error:  # a cell longer than any statement
            cells = []
        if len(cells) != len(self._columns):
            reason = "message" if len(cells) == 1 else "unreadable_numbers"
            self.book.skip(reason, self._record_line, record[0], len(record))
            return
        try:
            self._add(dict(zip(self._columns, cells, strict=True)))
        except ValueError:
            self.book.skip("unreadable_numbers", self._record_line, record[0], len(record))
        else:
            self.book.data(len(record))

    def _add(self, row: dict[str, str]) -> None:
        text = row.get("query", "")
        identity = row.get("queryid") or _identity_of(text)
        elapsed_ms = _number(row.get("total_exec_time") or row.get("total_time"))
        hit, read = _whole(row.get("shared_blks_hit")), _whole(row.get("shared_blks_read"))
        executions, rows = _whole(row.get("calls")), _whole(row.get("rows"))
        statement = self._found.setdefault(identity, _Statement(identity, text))
        statement.executions = _sum(statement.executions, executions)
        statement.elapsed_s = _sum(statement.elapsed_s, None if elapsed_ms is None else elapsed_ms / 1000)
        statement.block_gets = _sum(statement.block_gets, None if hit is None or read is None else hit + read)
        statement.block_reads = _sum(statement.block_reads, read)
        statement.rows = _sum(statement.rows, rows)


def _identity_of(text: str) -> str:
    """An id for an export without queryid: the same text has the same, on every side."""
    return "text:" + hashlib.sha256(" ".join(text.split()).lower().encode()).hexdigest()[:16]


def _read_header(line: str) -> tuple[list[str], str] | None:
    """Column names and separator; None where the line is no header of pg_stat_statements."""
    line = line.lstrip("\ufeff").rstrip("\r\n")
    for separator in _SEPARATORS:
        names = [name.strip().strip('"').lower() for name in line.split(separator)]
        wanted = {"calls", "rows", "total_time", "total_exec_time", "shared_blks_hit"}
        if {"query", "queryid"}.intersection(names) and "calls" in names and len(wanted.intersection(names)) > 1:
            return names, separator
    return None


def _number(cell: str | None) -> float | None:
    number = float(cell) if cell else math.nan
    return number if math.isfinite(number) else None


def _whole(cell: str | None) -> int | None:
    return int(cell) if cell else None


def _sum(one: Number | None, other: Number | None) -> Number | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
