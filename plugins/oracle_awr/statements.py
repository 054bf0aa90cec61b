"""Statements: the lists that a report ends with, merged into one row per statement, and their texts.

Each list shows the ten to some dozen statements that lead in one figure. A statement that a list does not show is
unknown there, and no larger than its last row: `statement_list` keeps that row, and how much of the total the list
covers where the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field

from tunebench.families.oracle.html_reports import HtmlNote, HtmlRow, HtmlTable
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.statements import ListedStatement, StatementText, add_statements
from tunebench.families.oracle.values import Numbers, digits
from tunebench.sdk import lazy_pattern, record

from .names import PER_EXECUTION_COLUMNS, STATEMENT_COLUMNS
from .reading import Columns

LISTS = {
    "sql_elapsed": ("elapsed", "elapsed_s"),
    "sql_cpu": ("cpu", "cpu_s"),
    "sql_io": ("io", "io_wait_s"),
    "sql_gets": ("gets", "block_gets"),
    "sql_reads": ("reads", "block_reads"),
    "sql_unoptimized": ("unoptimized", ""),
    "sql_executions": ("executions", "executions"),
    "sql_parse": ("parse", "parse_calls"),
    "sql_sharable": ("sharable", "sharable_bytes"),
    "sql_version": ("version", "version_count"),
    "sql_cluster": ("cluster", "cluster_wait_s"),
}
"""Section of a list: its name in `seen_in`, and the figure it is ordered by."""
_STATEMENT_ID = lazy_pattern(r"[0-9a-z]{13}")
_COVERED = lazy_pattern(r"captured sql account(?:s)? for\s+([0-9.,]+(?:e[-+]?[0-9]+)?)\s*%", re.IGNORECASE)
_NO_TEXT = "** sql text not available **"
_CUT = lazy_pattern(r"(?:\.\.\.|…)$")
_ROUNDING = 0.51  # of the last printed digit


@record(frozen=False)
class Statements:
    """Collects from all lists; `close` gives the rows.

    Attributes:
        plans: plan hashes that the sections of sampled sessions name, by statement.
    """

    into: Collected
    found: dict[tuple[str, str], ListedStatement] = field(default_factory=dict)
    texts: dict[str, StatementText] = field(default_factory=dict)
    plans: dict[str, dict[str, int]] = field(default_factory=dict)

    def statement(self, line: int, statement_id: str, container: str) -> ListedStatement:
        return self.found.setdefault((statement_id, container), ListedStatement(line))

    def take(self, statement: ListedStatement, name: str, text: str) -> float | None:
        """The figure that stands there; the statement has it from now on."""
        value = self.into.numbers.read(text)
        if value is not None:
            statement.take(name, (value, 1 if text.rstrip()[-1:].isalpha() else digits(text)))
        return value

    def read_list(self, table: HtmlTable, section: str) -> None:
        list_name, figure = LISTS[section]
        columns = Columns(table, self.into.numbers)
        values = [self._read_row(row, columns, list_name).get(figure) for row in table.rows]
        self.note_list(table, figure, [value for value in values if value is not None])

    def _read_row(self, row: HtmlRow, columns: Columns, list_name: str) -> Mapping[str, float]:
        statement_id = columns.text(row, "SQL Id")
        if not _STATEMENT_ID.fullmatch(statement_id):
            return {}
        statement = self.statement(row.line, statement_id, columns.first_text(row, "PDB Name", "Container Name"))
        statement.seen_in[list_name] = None
        statement.module = statement.module or columns.text(row, "SQL Module")
        given: dict[str, float] = {}
        for text, figure in columns.texts(row, STATEMENT_COLUMNS):
            value = self.take(statement, figure, text) if text else None
            if value is not None:
                given[figure] = value
        self._check_rates(row, columns, given)
        self.note_text(row.line, statement_id, columns.text(row, "SQL Text"), in_list=True)
        return given

    def _check_rates(self, row: HtmlRow, columns: Columns, given: Mapping[str, float]) -> None:
        """What the report divided itself has to agree with its totals, to its last digit."""
        executions = given.get("executions")
        if columns.text(row, "Executions")[-1:].isalpha():
            return  # rounded
        for text, figure in columns.texts(row, PER_EXECUTION_COLUMNS) if executions else ():
            printed = self.into.numbers.read(text)
            if printed is None or figure not in given or text[-1:].isalpha():
                continue
            decimals = len(text.rpartition("," if self.into.numbers.decimal_comma else ".")[2]) % len(text)
            allowed = _ROUNDING * 10.0**-decimals + _ROUNDING * _last_digit(given[figure]) / (executions or 1.0)
            if "e" not in text.lower() and abs(given[figure] / (executions or 1.0) - printed) > allowed:
                self.into.warnings["awr_rates_differ"] = None

    def note_list(self, table: HtmlTable, figure: str, values: list[float]) -> None:
        if not figure or not values:
            return
        covered = covered_pct(table.notes, self.into.numbers)
        figures = {"rows": float(len(values)), "least": min(values), "covered_pct": covered}
        self.into.add("statement_list", table.first_line, {"figure": figure}, figures)

    # -- texts and plans -------------------------------------------------------------------------

    def read_texts(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            statement_id = columns.text(row, "SQL Id")
            if _STATEMENT_ID.fullmatch(statement_id):
                self.note_text(row.line, statement_id, columns.text(row, "SQL Text"), in_list=False)

    def note_text(self, line: int, statement_id: str, text: str, in_list: bool) -> None:
        """A list cuts its texts, and marks it with points."""
        cut = in_list and _CUT.search(text) is not None
        text = _CUT.sub("", text).rstrip() if cut else text
        if not text or text.casefold() == _NO_TEXT:
            return
        stored = self.texts.get(statement_id)
        if stored is None or (not stored[2] and len(text) >= len(stored[1])) or not in_list:
            self.texts[statement_id] = line, text, not cut

    def read_plans(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        for row in table.rows:
            statement_id, plan = columns.text(row, "SQL ID"), columns.text(row, "Plan Hash")
            if _STATEMENT_ID.fullmatch(statement_id) and plan.isascii() and plan.isdigit() and plan.strip("0"):
                self.plans.setdefault(statement_id, {}).setdefault(plan, row.line)
            if _STATEMENT_ID.fullmatch(statement_id):
                self.note_text(row.line, statement_id, columns.text(row, "SQL Text"), in_list=True)

    # -- closing ---------------------------------------------------------------------------------

    def close(self) -> None:
        add_statements(self.into, self.found, self.texts, self.plans)


def covered_pct(notes: Iterable[HtmlNote], numbers: Numbers) -> float | None:
    """``Captured SQL account for 88.0% of Total DB Time``, the last such line before a list."""
    shares = [match[1] for note in notes for match in [_COVERED.search(note.text)] if match]
    return numbers.read(shares[-1].upper()) if shares else None


def _last_digit(value: float) -> float:
    """What the last digit of a printed total may be worth: a hundredth of a second, or one."""
    return 1.0 if value == int(value) else 0.01
