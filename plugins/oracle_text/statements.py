"""Statements: the lists that a report ends with, merged into one row per statement, and their texts.

    ---------- ------------ ---------- ------ ---------- --------------- ----------
        337.71      159,917       0.00   28.5     404.33     112,917,673 3851979199
    Module: JDBC Thin Client
       PDB: PDB1
    SELECT TABLE_ID, ISN, MAP_NAME FROM REFRESH_LOG  ORDER BY TABLE_
    ID, MAP_NAME

A text is cut into lines of the same length wherever they end, and the blanks at their ends are lost; a page may begin
between any two lines. Lists of AWR that are wider than the page cut the SQL_ID as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.statements import ListedStatement, StatementText, add_statements
from tunebench.families.oracle.values import Numbers, digits
from tunebench.sdk import lazy_pattern, record

from .ruler import Columns
from .sections import Section

LISTS = {
    "sql ordered by elapsed": ("elapsed", "elapsed_s"),
    "sql ordered by cpu": ("cpu", "cpu_s"),
    "sql ordered by user i/o": ("io", "io_wait_s"),
    "sql ordered by gets": ("gets", "block_gets"),
    "sql ordered by reads": ("reads", "block_reads"),
    "sql ordered by physical reads (unopt": ("unoptimized", ""),
    "sql ordered by executions": ("executions", "executions"),
    "sql ordered by parse": ("parse", "parse_calls"),
    "sql ordered by sharable": ("sharable", "sharable_bytes"),
    "sql ordered by version": ("version", "version_count"),
    "sql ordered by cluster": ("cluster", "cluster_wait_s"),
}
"""How the title of a list begins: its name in `seen_in`, and the figure it is ordered by."""
_COLUMNS = {
    "elapsedtime(s)": "elapsed_s", "elapsdtime(s)": "elapsed_s", "cputime(s)": "cpu_s", "useri/otime(s)": "io_wait_s",
    "useriotime(s)": "io_wait_s", "clusterwaittime(s)": "cluster_wait_s", "cwt(s)": "cluster_wait_s",
    "buffergets": "block_gets", "physicalreads": "block_reads", "physicalrds": "block_reads",
    "executions": "executions", "rowsprocessed": "rows", "parsecalls": "parse_calls",
    "sharablemem(b)": "sharable_bytes",
    "endsharablememory(kb)": "sharable_bytes", "versioncount": "version_count",
}  # fmt: skip
_RATES = {
    "elapsedtimeperexec(s)": "elapsed_s",
    "elapperexec(s)": "elapsed_s",
    "cpuperexec(s)": "cpu_s",
    "uioperexec(s)": "io_wait_s",
    "getsperexec": "block_gets",
    "readsperexec": "block_reads",
    "rdsperexec": "block_reads",
    "rowsperexec": "rows",
}
_IDS = ("sqlid", "oldhashvalue", "hashvalue")
_WHOLE_ID = 13
_ID = lazy_pattern(r"[0-9a-z]{9,13}|[0-9]{1,20}")
_FIGURE = lazy_pattern(r"-?[0-9.,]*[0-9](?:[eE][-+]?[0-9]{1,3})?[KMGT]?|-?\.[0-9]+|N/A|#+")
_GROUPED = lazy_pattern(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_MODULE = lazy_pattern(r"Module:\s?(.*)")
_CONTAINER = lazy_pattern(r"\s*(?:PDB(?: Name)?|Container(?: Name)?):\s?(\S{1,128})\s*")
_COVERED = lazy_pattern(r"captured sql accounts? for\s+([0-9.,]+(?:e[-+]?[0-9]+)?)\s*%", re.IGNORECASE)
_THRESHOLD = lazy_pattern(r"sql reported below exceeded\s+([0-9.,]+)\s*%", re.IGNORECASE)
_NO_TEXT = "** sql text not available **"
_NARROWEST = 64  # V$SQLTEXT holds pieces of this length
_LOST_BLANKS = 2
_ROUNDING = 0.51  # of the last printed digit


@record(frozen=False)
class _Entry:
    """One statement in one list."""

    line: int
    list_name: str
    statement_id: str
    figures: dict[str, tuple[float, int]]
    module: str = ""
    container: str = ""
    text: list[str] = field(default_factory=list)
    text_line: int = 0


@record(frozen=False)
class Statements:
    """Collects from all lists; `close` gives the rows.

    Attributes:
        plans: plan hashes that the sections of sampled sessions name, by statement.
    """

    into: Collected
    entries: list[_Entry] = field(default_factory=list)
    plans: dict[str, dict[str, int]] = field(default_factory=dict)

    # -- reading ---------------------------------------------------------------------------------

    def read_list(self, section: Section, list_name: str, figure: str) -> None:
        entries: list[_Entry] = []
        ordered: list[float] = []
        for table in section.tables:
            column = table.columns.place(*_IDS)
            for number, text in table.filled() if column is not None else ():
                cells = table.columns.cells(text)
                if _is_row(cells, column or 0):
                    entries.append(self._entry(number, list_name, cells, table.columns, column or 0))
                    ordered += self._ordered_by(cells, table.columns, entries[-1], figure)
                elif entries:
                    _continue(entries[-1], number, text)
        self.entries += entries
        self._note_list(section, figure, ordered)

    def _entry(self, number: int, list_name: str, cells: Sequence[str], columns: Columns, column: int) -> _Entry:
        figures: dict[str, tuple[float, int]] = {}
        for name, text in zip(columns.names, cells, strict=True):
            value = self._value(name, text)
            if name in _COLUMNS and value is not None:
                figures[_COLUMNS[name]] = value, 1 if text[-1:].isalpha() else digits(text)
        self._check_rates(cells, columns, figures)
        return _Entry(number, list_name, cells[column], figures)

    def _value(self, name: str, text: str) -> float | None:
        """Counts are whole: points between their digits part thousands."""
        if not name.endswith("(s)") and not self.into.numbers.decimal_comma and _GROUPED.fullmatch(text):
            text = text.replace(".", "")
        value = self.into.numbers.read(text)
        return value * 1024 if value is not None and name.endswith("(kb)") else value

    def _ordered_by(self, cells: Sequence[str], columns: Columns, entry: _Entry, figure: str) -> list[float]:
        """What the list is ordered by; shared memory by its largest size, which is not what the end has."""
        largest = columns.place("maxsharablememory(kb)")
        if largest is not None:
            value = self._value(columns.names[largest], cells[largest])
            return [] if value is None else [value]
        return [entry.figures[figure][0]] if figure in entry.figures else []

    def _check_rates(self, cells: Sequence[str], columns: Columns, figures: Mapping[str, tuple[float, int]]) -> None:
        """What the report divided itself has to agree with its totals, to its last digit."""
        executions = figures.get("executions", (0.0, 0))[0]
        for name, text in zip(columns.names, cells, strict=True):
            figure = figures.get(_RATES.get(name, ""))
            printed = self.into.numbers.read(text)
            if not executions or figure is None or printed is None or not text[-1:].isdigit() or "e" in text.lower():
                continue
            decimals = len(text.rpartition("," if self.into.numbers.decimal_comma else ".")[2]) % len(text)
            last_digit = 1.0 if figure[0] == int(figure[0]) else 0.1
            allowed = _ROUNDING * 10.0**-decimals + _ROUNDING * last_digit / executions
            if abs(figure[0] / executions - printed) > allowed:
                self.into.warnings["awr_rates_differ"] = None

    def _note_list(self, section: Section, figure: str, ordered: Sequence[float]) -> None:
        if not figure or not ordered:
            return
        figures = {
            "rows": float(len(ordered)),
            "least": min(ordered),
            "covered_pct": _share(section.remarks, _COVERED, self.into.numbers),
            "threshold_pct": _share(section.remarks, _THRESHOLD, self.into.numbers),
        }
        self.into.add("statement_list", section.first_line, {"figure": figure}, figures)

    def read_plans(self, section: Section) -> None:
        """``Top SQL with Top Events``: where a plan's hash value is printed."""
        for table in section.tables:
            for number, text in table.filled():
                words = text.split()
                if len(words) < 2 or len(words[0]) != _WHOLE_ID or not _ID.fullmatch(words[0]):
                    continue
                if words[1].isascii() and words[1].isdigit() and words[1].strip("0"):
                    self.plans.setdefault(words[0], {}).setdefault(words[1], number)

    # -- closing ---------------------------------------------------------------------------------

    def close(self) -> None:
        whole = _whole_ids({entry.statement_id for entry in self.entries} | self.plans.keys())
        for entry in self.entries:
            entry.statement_id = whole.get(entry.statement_id, entry.statement_id)
        add_statements(self.into, self._merged(), self._texts(), self.plans)

    def _merged(self) -> dict[tuple[str, str], ListedStatement]:
        merged: dict[tuple[str, str], ListedStatement] = {}
        for entry in self.entries:
            statement = merged.setdefault((entry.statement_id, entry.container), ListedStatement(entry.line))
            statement.seen_in[entry.list_name] = None
            statement.module = statement.module or entry.module
            for name, figure in entry.figures.items():
                statement.take(name, figure)
        return merged

    def _texts(self) -> dict[str, StatementText]:
        """The longest of a statement's texts."""
        shown = [entry for entry in self.entries if entry.text and "\n".join(entry.text).casefold() != _NO_TEXT]
        width = max((len(line) for entry in shown for line in entry.text), default=0)
        width = max(width, _NARROWEST)
        most = max((len(entry.text) for entry in shown), default=0)
        texts: dict[str, StatementText] = {}
        for entry in shown:
            text = "".join(_padded(line, width) for line in entry.text[:-1]) + entry.text[-1]
            complete = len(entry.text) < max(most, 2) or len(entry.text[-1]) < width - _LOST_BLANKS
            longest = texts.get(entry.statement_id)
            if longest is None or len(text) > len(longest[1]):
                texts[entry.statement_id] = entry.text_line, text, complete
        return texts


def _is_row(cells: Sequence[str], column: int) -> bool:
    """Whether a line of a list is a row of figures: nothing but figures beside the id, however a text may look."""
    others = [text for at, text in enumerate(cells) if at != column and text]
    return bool(cells[0]) and _ID.fullmatch(cells[column]) is not None and all(map(_FIGURE.fullmatch, others))


def _continue(entry: _Entry, number: int, text: str) -> None:
    module = _MODULE.fullmatch(text) if not entry.text and not entry.module else None
    container = _CONTAINER.fullmatch(text) if not entry.text and not entry.container else None
    if module is not None:
        entry.module = module[1].strip()
    elif container is not None:
        entry.container = container[1]
    else:
        entry.text_line = entry.text_line or number
        entry.text.append(text)


def _padded(line: str, width: int) -> str:
    """The line with the blanks that its end has lost; unchanged with wide letters, where their number is unknown."""
    return line.ljust(width) if line.isascii() else line


def _whole_ids(ids: Iterable[str]) -> dict[str, str]:
    """Cut SQL_ID -> the whole one that begins with it, where there is only one."""
    names = set(ids)
    whole = sorted(name for name in names if len(name) == _WHOLE_ID)
    whole_ids = {}
    for name in names:
        index = bisect_left(whole, name)
        candidates = [one for one in whole[index : index + 2] if one.startswith(name)]
        if len(name) < _WHOLE_ID and not name.isdigit() and len(candidates) == 1:
            whole_ids[name] = candidates[0]
    return whole_ids


def _share(remarks: Iterable[str], pattern: re.Pattern[str], numbers: Numbers) -> float | None:
    shares = [match[1] for line in remarks for match in [pattern.search(line)] if match]
    return numbers.read(shares[0].upper()) if shares else None
