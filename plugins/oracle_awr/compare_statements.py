"""Statements of two compared periods: lists of the shares they had in each, and their texts.

    | SQL Id | CPU Time % of DB CPU                     | CPU Time (ms) per Exec | ... | #Executions | #Plans       |
    |        | 1st | 1st Total | 2nd | 2nd Total | Diff | 1st | 2nd              |     | 1st | 2nd   | 1st/2nd/Both |

Where the databases are not the same, Oracle prints a statement twice, each time with one half empty: what a side does
not show is not reported there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field

from tunebench.families.oracle.html_reports import HtmlRow, HtmlTable
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.statements import OWN_MARK
from tunebench.families.oracle.values import Numbers
from tunebench.sdk import lazy_pattern, record

from .reading import Columns

_ID = lazy_pattern(r"[0-9a-z]{13}")
_LISTS = (
    ("elapsed", "elapsed", "elapsed_s"), ("cpu", "cpu", "cpu_s"), ("i/o", "io", "io_wait_s"),
    ("gets", "gets", "block_gets"), ("unoptimized", "unoptimized", ""), ("optimized", "optimized", ""),
    ("physical reads", "reads", "block_reads"), ("executions", "executions", "executions"),
    ("parse", "parse", "parse_calls"), ("cluster", "cluster", "cluster_wait_s"), ("sharable", "sharable", ""),
    ("shared memory", "sharable", ""), ("version", "version", ""),
)  # fmt: skip
"""What the summary of a list holds, its name in `seen_in`, and the figure whose share it shows."""
_TOTAL = lazy_pattern(r"total\b.{1,60}?\bfirst:\s*([0-9.,]+)[^,]{0,20},?\s*second:\s*([0-9.,]+)", re.IGNORECASE)
_COVERED = lazy_pattern(
    r"captured sql as a %.{1,60}?first:\s*([0-9.,]+)\s*%,\s*second:\s*([0-9.,]+)\s*%", re.IGNORECASE
)
_PLANS = lazy_pattern(r"\s*([0-9]*)\s*/\s*([0-9]*)\s*/\s*([0-9]*)\s*")
_EXECUTIONS = ("#Executions", "# Executions", "Executions")
_CUT = lazy_pattern(r"(?:\.\.\.|…)$")
_SIDES = ("1st", "2nd")


@record(frozen=False)
class _Statement:
    line: int
    seen_in: dict[str, None] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)


@record(frozen=False)
class ComparedStatements:
    """Collects from all lists; `close` gives the rows of both sides."""

    numbers: Numbers
    into: Sequence[Collected]
    found: tuple[dict[tuple[str, str], _Statement], ...] = field(default_factory=lambda: ({}, {}))
    texts: dict[str, tuple[int, str, bool]] = field(default_factory=dict)
    plans: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    def reader_of(self, table: HtmlTable) -> Callable[[HtmlTable], None] | None:
        if self._share_group(table):
            return self._read_list
        return self._read_texts if table.column("SQL Text") is not None and table.column("1st") is None else None

    @staticmethod
    def _share_group(table: HtmlTable) -> str:
        """The heading over the shares that the list is ordered by."""
        groups = [names[0] for names in table.header if len(names) > 1 and names[-1] == "1st" and "%" in names[0]]
        return next(iter(groups), "")

    def _read_list(self, table: HtmlTable) -> None:
        key = table.key
        _, list_name, figure = next((one for one in _LISTS if one[0] in key), ("", "other", ""))
        totals = _two([note.text for note in table.notes], _TOTAL, self.numbers)
        covered = _two([note.text for note in table.notes], _COVERED, self.numbers)
        columns = Columns(table, self.numbers)
        group = self._share_group(table)
        executions = next((name for name in _EXECUTIONS if table.column("1st", name) is not None), "")
        shown: tuple[list[float], list[float]] = ([], [])
        for row in table.rows:
            statement_id = columns.text(row, "SQL Id")
            if not _ID.fullmatch(statement_id):
                continue
            for side, name in enumerate(_SIDES):
                share = columns.number(row, name, group)
                runs = columns.number(row, name, executions) if executions else None
                if share is None and runs is None:
                    continue  # this side does not show it
                value = None if share is None or totals[side] is None else share / 100 * (totals[side] or 0.0)
                figures = {figure: value}
                figures["executions"] = figures.get("executions") if runs is None else runs
                self._note(side, row, columns.text(row, "Container DB Id"), (statement_id, list_name), figures)
                shown[side].extend([] if value is None else [value])
            self._note_plans(row, statement_id, columns.first_text(row, "1st/2nd/Both", "#Plans"))
            self._note_text(row.line, statement_id, columns.text(row, "SQL Text"))
        for side, values in enumerate(shown):
            if figure and values:
                figures = {"rows": float(len(values)), "least": min(values), "covered_pct": covered[side]}
                self.into[side].add("statement_list", table.first_line, {"figure": figure}, figures)

    def _note(
        self, side: int, row: HtmlRow, container: str, names: tuple[str, str], figures: dict[str, float | None]
    ) -> None:
        statement = self.found[side].setdefault((names[0], container), _Statement(row.line))
        statement.seen_in[names[1]] = None
        for figure, value in figures.items():
            if figure and value is not None and (value or figure == "executions"):
                statement.figures[figure] = value  # a share of 0.00 is one that is too small to be told

    def _note_plans(self, row: HtmlRow, statement_id: str, text: str) -> None:
        """``1/ 1/ 2``: how many plans the statement had in the first, the second and both periods together."""
        match = _PLANS.fullmatch(text)
        if match is not None and any(match.groups()):
            _, counts = self.plans.setdefault(statement_id, (row.line, ["", "", ""]))
            counts[:] = [earlier or count for earlier, count in zip(counts, match.groups(), strict=True)]

    def _read_texts(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            statement_id = columns.text(row, "SQL Id")
            text = columns.text(row, "SQL Text")
            if _ID.fullmatch(statement_id) and text and not text.startswith("**"):
                self.texts[statement_id] = row.line, text, True

    def _note_text(self, line: int, statement_id: str, text: str) -> None:
        cut = _CUT.search(text) is not None
        text = _CUT.sub("", text).rstrip()
        if text and not text.startswith("**"):
            self.texts.setdefault(statement_id, (line, text, not cut))

    def close(self) -> None:
        own = {statement_id for statement_id, (_, text, _) in self.texts.items() if OWN_MARK in text}
        for side, into in enumerate(self.into):
            shown = dict.fromkeys(name for name, _ in self.found[side] if name not in own)
            for (statement_id, container), statement in self.found[side].items():
                if statement_id in own:
                    continue
                texts = {"statement_id": statement_id, "container": container, "seen_in": " ".join(statement.seen_in)}
                into.add("statement", statement.line, texts, statement.figures)
            for statement_id in shown:
                if statement_id in self.texts:
                    line, text, complete = self.texts[statement_id]
                    named = {"statement_id": statement_id, "text": text}
                    into.add("statement_text", line, named, {"complete": float(complete)})
                if statement_id in self.plans:
                    line, counts = self.plans[statement_id]
                    into.fact(line, "plans", statement_id, counts[side])
                    into.fact(line, "plans_of_both", statement_id, counts[2])
            if own:
                into.fact(1, "capture", "own_statements", str(len(own)))


def _two(texts: Sequence[str], pattern: re.Pattern[str], numbers: Numbers) -> tuple[float | None, float | None]:
    first = next((match for match in map(pattern.search, texts) if match), None)
    if first is None:
        return None, None
    return numbers.read(first[1].rstrip(",.")), numbers.read(first[2].rstrip(",."))
