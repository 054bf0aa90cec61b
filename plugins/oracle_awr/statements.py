"""Statements: the lists that a report ends with, merged into one row per statement, and their texts.

Each list shows the ten to some dozen statements that lead in one figure. A statement that a list does not show is
unknown there, and no larger than its last row: `statement_list` keeps that row, and how much of the total the list
covers where the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.families.oracle.html_reports import HtmlNote, HtmlRow, HtmlTable
from app.families.oracle.rows import Collected
from app.families.oracle.values import Numbers, digits

from .names import PER_EXECUTION_COLUMNS, STATEMENT_COLUMNS
from .reading import Columns

OWN_MARK = "/* tunebench */"
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
_STATEMENT_ID = re.compile(r"[0-9a-z]{13}")
_COVERED = re.compile(r"captured sql account(?:s)? for\s+([0-9.,]+(?:e[-+]?[0-9]+)?)\s*%", re.IGNORECASE)
_NO_TEXT = "** sql text not available **"
_CUT = re.compile(r"(?:\.\.\.|…)$")
_ROUNDING = 0.51  # of the last printed digit


@dataclass(slots=True)
class _Figure:
    value: float
    digits: int


@dataclass(slots=True)
class _Statement:
    line: int
    module: str = ""
    seen_in: dict[str, None] = field(default_factory=dict)
    figures: dict[str, _Figure] = field(default_factory=dict)

    def take(self, name: str, text: str, numbers: Numbers) -> float | None:
        """Keeps the figure that is printed with more digits."""
        value = numbers.read(text)
        if value is None:
            return None
        precision = 1 if text.rstrip()[-1:].isalpha() else digits(text)
        known = self.figures.get(name)
        if known is None or precision > known.digits:
            self.figures[name] = _Figure(value, precision)
        return value


@dataclass(slots=True)
class _Text:
    line: int
    text: str
    complete: bool


@dataclass(slots=True)
class Statements:
    """Collects from all lists; `close` gives the rows.

    Attributes:
        plans: plan hashes that the sections of sampled sessions name, by statement.
    """

    into: Collected
    found: dict[tuple[str, str], _Statement] = field(default_factory=dict)
    texts: dict[str, _Text] = field(default_factory=dict)
    plans: dict[str, dict[str, int]] = field(default_factory=dict)

    def statement(self, line: int, statement_id: str, container: str) -> _Statement:
        return self.found.setdefault((statement_id, container), _Statement(line))

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
        for name, figure in columns.present(STATEMENT_COLUMNS):
            text = columns.text(row, name)
            value = statement.take(figure, text, self.into.numbers) if text else None
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
        for name, figure in columns.present(PER_EXECUTION_COLUMNS) if executions else ():
            text = columns.text(row, name)
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
        known = self.texts.get(statement_id)
        if known is None or (not known.complete and len(text) >= len(known.text)) or not in_list:
            self.texts[statement_id] = _Text(line, text, not cut)

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
        own = {statement_id for statement_id, text in self.texts.items() if OWN_MARK in text.text}
        if own:
            line = min(self.texts[statement_id].line for statement_id in own)
            self.into.fact(line, "capture", "own_statements", str(len(own)))
        for (statement_id, container), statement in self.found.items():
            if statement_id not in own:
                self._add(statement_id, container, statement)
        for statement_id, text in self.texts.items():
            if statement_id not in own:
                figures = {"complete": float(text.complete)}
                self.into.add("statement_text", text.line, {"statement_id": statement_id, "text": text.text}, figures)
        for statement_id, plans in self.plans.items():
            for plan, line in plans.items() if statement_id not in own else ():
                self.into.add("plan", line, {"statement_id": statement_id, "plan": plan}, {})

    def _add(self, statement_id: str, container: str, statement: _Statement) -> None:
        plans = self.plans.get(statement_id, {})
        texts = {
            "statement_id": statement_id,
            "plan": next(iter(plans)) if len(plans) == 1 else "",  # of several, which one ran how often is not told
            "container": container,
            "module": statement.module,
            "seen_in": " ".join(statement.seen_in),
        }
        figures = {name: figure.value for name, figure in statement.figures.items()}
        self.into.add("statement", statement.line, texts, figures)


def covered_pct(notes: Iterable[HtmlNote], numbers: Numbers) -> float | None:
    """``Captured SQL account for 88.0% of Total DB Time``, the last such line before a list."""
    found = [match[1] for note in notes for match in [_COVERED.search(note.text)] if match]
    return numbers.read(found[-1].upper()) if found else None


def _last_digit(value: float) -> float:
    """What the last digit of a printed total may be worth: a hundredth of a second, or one."""
    return 1.0 if value == int(value) else 0.01
