"""The SQL sheet of a database: every statement, totals by SUM, ratios by formula, ratios at equal executions."""

from __future__ import annotations

from math import isclose

import numpy as np
from openpyxl.formatting.rule import DataBarRule, FormulaRule
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import (
    FigureChange,
    StatementChange,
    StatementClass,
    StatementComparison,
)
from tunebench.analysis.databases.workload import WorkloadTotals
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.formats import decimal_format
from tunebench.core.messages import Catalogue
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.reporting import statement_words
from tunebench.reporting.calling import called, called_each
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.database_table import class_text, each_decimals, remarks
from tunebench.reporting.figures import SQL_FIGURES
from tunebench.reporting.xlsx.columns import HEADER_ROW
from tunebench.reporting.xlsx.results import Changed, change_contents
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head, Sheet
from tunebench.reporting.xlsx.sheets_data import Located, measured
from tunebench.reporting.xlsx.style import BAD, BEFORE, INTEGER, SECONDS

MOST_ROWS = 5_000
"""Statements with a row of their own besides those that became slower; the others stand in one row."""
NUMBER_COLUMN, ID_COLUMN, RUNS_COLUMN, COUNTED_COLUMN = 1, 2, 8, 10
FIRST_FIGURE = 11
FIGURES = ("elapsed_s", "block_gets", "cpu_s", "block_reads", "rows_examined")
"""The first two are printed; the others are for the screen."""
PRINTED = 2
PER_FIGURE = 8
"""Total before, after; per execution before, after; verdict, ratio, rate; impact."""


@record
class _Range:
    """Cells of the statements, from the first to the last row."""

    first: int
    last: int

    def of(self, column: int) -> str:
        letter = get_column_letter(column)
        return f"{letter}{self.first}:{letter}{self.last}"


def sql_sheets(context: Context, book: Book, located: Located) -> None:
    for number, case in enumerate(context.case.databases):
        _SqlSheet(context, book, case, number).write(located)


class _SqlSheet:
    def __init__(self, context: Context, book: Book, case: DatabaseCase, number: int) -> None:
        self._context, self._case, self._number = context, case, number
        self._found = case.statements
        self._sheet: Sheet = book.sheet(context.text("sheet.sql"), landscape=True)
        totals = self._found.totals
        self._figures = [
            name for name in FIGURES if totals[name].all_before is not None or totals[name].all_after is not None
        ]
        self._texts = FIRST_FIGURE + PER_FIGURE * len(self._figures)
        self._chosen = case.chosen(MOST_ROWS)

    def write(self, located: Located) -> None:
        text, sheet = self._context.text, self._sheet
        sheet.title(f"{text('section.sql')} · {self._case.label}", text("db.note_sheet"))
        heads = self._heads()
        sheet.header(HEADER_ROW, heads)
        for down, index in enumerate(self._chosen, HEADER_ROW + 1):
            self._statement(down, index)
        last = HEADER_ROW + len(self._chosen)
        if len(self._chosen) < len(self._found):
            last += 1
            self._rest(last)
        cells = _Range(HEADER_ROW + 1, last)
        self._totals(cells, located)
        sheet.as_table(HEADER_ROW, last, len(heads))
        sheet.fit(heads)
        sheet.worksheet.row_dimensions[HEADER_ROW].height = 58
        sheet.worksheet.freeze_panes = f"{get_column_letter(ID_COLUMN + 1)}{HEADER_ROW + 1}"
        sheet.worksheet.print_area = f"A1:{get_column_letter(_printed(len(self._figures)))}{last + 10}"
        worse = statement_words.class_text(StatementClass.REGRESSED, self._context.words.words)
        _mark(sheet, cells, worse)

    def _heads(self) -> list[Head]:
        text = self._context.text
        before, after = text("column.before_short"), text("column.after_short")
        runs, per_run = text("db.executions"), text("db.each")
        heads = [
            Head("#", "tb integer", 6),
            Head(text("db.id_before"), "tb code", 22),
            Head(text("db.id_after"), "tb code", 22),
            Head(text("db.container"), width=14),
            Head(text("workbook.module"), width=14),
            Head(text("db.class"), width=13),
            Head(text("db.remarks"), width=34),
            Head(f"{runs} {before}", "tb integer", 11),
            Head(f"{runs} {after}", "tb integer", 11),
            Head(text("db.counted"), "tb integer", 9),
        ]
        for name in self._figures:
            label = figure = text(f"db.name.{name}")
            if name.endswith("_s"):
                label = f"{label} ({text('db.unit.s')})"
            heads += [
                *(Head(f"{label} {side}", "tb number", 13) for side in (before, after)),
                *(Head(f"{label} {per_run} {side}", "tb number", 13) for side in (before, after)),
                Head(f"{figure} {text('workbook.verdict')}", width=10),
                Head(f"{figure} {text('column.ratio')}", "tb ratio", 12),
                Head(f"{figure} {text('column.rate')}", "tb rate", 13),
                Head(f"{figure} {text('term.impact')}", "tb number", 14),
            ]
        return [
            *heads,
            Head(text("db.workload_pct"), "tb number", 12),
            Head(f"{text('db.rows')} {before}", "tb number", 12),
            Head(f"{text('db.rows')} {after}", "tb number", 12),
            Head(text("db.statement"), width=30),
            Head(text("workbook.sql_before"), "tb code", 60),
            Head(text("workbook.sql_after"), "tb code", 60),
            Head(f"{text('column.evidence')} {before}", width=14),
            Head(f"{text('column.evidence')} {after}", width=14),
        ]

    # -- one statement ---------------------------------------------------------------------------------

    def _statement(self, down: int, index: int) -> None:
        context, sheet, case = self._context, self._sheet, self._case
        row, missing = self._found.row(index), context.words.missing
        ids = (", ".join(keys) or "–" for keys in (row.pair.before_ids, row.pair.after_ids))
        sheet.put_across(down, NUMBER_COLUMN, (index + 1, *ids), "tb integer", "tb code")
        notes = " · ".join(remarks(context, case, row, short=True))
        sheet.put_across(down, 4, (row.pair.container, case.module_of(row.pair), class_text(context, row), notes))
        runs = (measured(count, INTEGER, missing) for count in (row.before_executions, row.after_executions))
        counted = int(case.counted(index))
        sheet.put_across(down, RUNS_COLUMN, (*runs, counted), "tb number", "tb number", "tb integer")
        for number, name in enumerate(self._figures):
            self._figure(down, FIRST_FIGURE + PER_FIGURE * number, row, name)
        workload = measured(row.workload_pct, "0.0", "–")
        rows = (measured(count, "#,##0.0", missing) for count in (row.before_rows, row.after_rows))
        sheet.put_across(down, self._texts, (workload, *rows), "tb number")
        sides = ((case.before, row.pair.before), (case.after, row.pair.after))
        texts = (side.text_of(tuple(key.id for key in keys)) or missing for side, keys in sides)
        places = (", ".join(side.places_of(keys)) for side, keys in sides)
        name = case.name_of(row.pair, context.words.words)
        sheet.put_across(down, self._texts + 3, (name, *texts, *places), "tb text", "tb code", "tb code", "tb text")
        sheet.worksheet.row_dimensions[down].height = 16

    def _figure(self, down: int, column: int, row: StatementChange, name: str) -> None:
        words, change, seconds = self._context.words, row.changes[name], name.endswith("_s")
        plain = SECONDS if seconds else INTEGER
        sums = (change.before_total, change.after_total)
        bounds = (change.before_bound, change.after_bound)
        absent = (words.missing if bound is None else f"< {bound:,.{3 if seconds else 0}f}" for bound in bounds)
        totals = (measured(value, _finer(value, plain), word) for value, word in zip(sums, absent, strict=True))
        runs = (row.before_executions, row.after_executions)
        values = (change.before_each, change.after_each)
        averages = (
            self._each(down, column, side, figures, seconds)
            for side, figures in enumerate(zip(sums, runs, values, strict=True))
        )
        cells = (f"{get_column_letter(column + 2)}{down}", f"{get_column_letter(column + 3)}{down}")
        improvement, verdict = called_each(change, self._context.refused), f"{get_column_letter(column + 4)}{down}"
        changed = change_contents(words, cells, verdict, Changed(Direction.LOWER, improvement))
        styles = (*["tb number"] * 4, "tb text", "tb ratio", "tb rate", "tb number")
        self._sheet.put_across(down, column, (*totals, *averages, *changed, _impact(down, cells, row, change)), *styles)

    def _each(
        self, down: int, column: int, side: int, figures: tuple[float | None, float | None, float | None], seconds: bool
    ) -> Content:
        """Total / executions; what some of its rows alone report is a value."""
        total, runs, value = figures
        here = decimal_format(each_decimals(value, not seconds))
        if total is None or value is None or not runs or not isclose(total / runs, value, rel_tol=1e-12):
            return measured(value, here, self._context.words.missing)
        sums, count = (f"{get_column_letter(at)}{down}" for at in (column + side, RUNS_COLUMN + side))
        absent = self._context.text("change.not_computable")
        return Formatted(Formula(f'IF({count}=0,"{absent}",{sums}/{count})', value), here)

    def _rest(self, down: int) -> None:
        """What has no row of its own, as sums of the statements that the totals have."""
        left = np.array([self._case.counted(index) for index in range(len(self._found))], dtype=bool)
        left[self._chosen] = False
        sheet, sides = self._sheet, (self._found.before, self._found.after)
        count = len(self._found) - len(self._chosen)
        sheet.put(down, ID_COLUMN, self._context.text("db.rest", count=f"{count:,}"))
        runs = (self._sum(side.total("executions")[left], INTEGER) for side in sides)
        sheet.put_across(down, RUNS_COLUMN, (*runs, 1), "tb number", "tb number", "tb integer")
        for number, name in enumerate(self._figures):
            plain = SECONDS if name.endswith("_s") else INTEGER
            sums = (self._sum(side.total(name)[left], plain) for side in sides)
            sheet.put_across(down, FIRST_FIGURE + PER_FIGURE * number, sums, "tb number")

    def _sum(self, values: Numbers, number_format: str) -> Content:
        total = None if np.isnan(values).all() else float(np.nansum(values))
        return measured(total, number_format, self._context.words.missing)

    # -- totals ----------------------------------------------------------------------------------------

    def _totals(self, cells: _Range, located: Located) -> None:
        text, sheet = self._context.text, self._sheet
        down = cells.last + 1
        for row, key in ((down, "workbook_listed"), (down + 1, "workbook_both")):
            for across in range(1, self._texts + 8):
                sheet.put(row, across, None, "tb total")
            sheet.put(row, ID_COLUMN, text(f"db.{key}"), "tb total text")
        for number, name in enumerate(self._figures):
            column, totals = FIRST_FIGURE + PER_FIGURE * number, self._found.totals[name]
            plain = SECONDS if name.endswith("_s") else INTEGER
            self._total(down, column, (totals.all_before, totals.all_after), self._listed(cells, column), plain)
            both = self._both(cells, column)
            placed = self._total(down + 1, column, (totals.before, totals.after), both, plain)
            self._locate(located, name, down if totals.before is None else down + 1, column, placed)
        self._ratios(cells, down + 3)

    def _locate(self, located: Located, name: str, down: int, column: int, placed: tuple[str, str] | None) -> None:
        """Where the summary finds its figures."""
        for key, totals in self._context.figures.databases[self._number].items():
            if SQL_FIGURES[key] == name and placed is not None:
                located.note(totals.row, *(self._sheet.reference(cell) for cell in placed))

    def _listed(self, cells: _Range, column: int) -> tuple[str, str]:
        if all(self._case.counted(index) for index in range(len(self._found))):
            return f"SUM({cells.of(column)})", f"SUM({cells.of(column + 1)})"
        counted = cells.of(COUNTED_COLUMN)
        first, second = (f"SUMPRODUCT({counted},{cells.of(at)})" for at in (column, column + 1))
        return first, second

    def _flags(self, cells: _Range, column: int) -> str:
        """1 where a statement counts and was measured on both sides per execution."""
        measured = "*".join(f"ISNUMBER({cells.of(at)})" for at in (column + 2, column + 3))
        return f"{cells.of(COUNTED_COLUMN)}*{measured}"

    def _both(self, cells: _Range, column: int) -> tuple[str, str]:
        flags = self._flags(cells, column)
        return f"SUMPRODUCT({flags},{cells.of(column)})", f"SUMPRODUCT({flags},{cells.of(column + 1)})"

    def _whole(self) -> bool:
        """Whether every statement has its row, so that formulas over rows are about all of them."""
        return len(self._chosen) == len(self._found)

    def _total(
        self, down: int, column: int, values: tuple[float | None, float | None], formulas: tuple[str, str], plain: str
    ) -> tuple[str, str] | None:
        sheet, words = self._sheet, self._context.words
        before, after = values
        if before is None or after is None:
            for side, value in enumerate(values):
                sheet.put(down, column + side, words.missing if value is None else value, "tb total", plain)
            return None
        live = self._whole() or "ISNUMBER" not in formulas[0]
        placed = [
            sheet.put(down, column + side, Formula(formula, value) if live else value, "tb total", plain)
            for side, (formula, value) in enumerate(zip(formulas, (before, after), strict=True))
        ]
        change, verdict = called(before, after, Direction.LOWER), f"{get_column_letter(column + 4)}{down}"
        changed = change_contents(words, (placed[0], placed[1]), verdict, Changed(Direction.LOWER, change))
        sheet.put_across(down, column + 4, changed, "tb total text", "tb total")
        return placed[0], placed[1]

    # -- ratios at equal executions --------------------------------------------------------------------

    def _ratios(self, cells: _Range, down: int) -> None:
        """Raw, Laspeyres, Paasche, Fisher, volume effect, geometric mean: before / after, of each figure."""
        text, sheet = self._context.text, self._sheet
        names = ("raw_ratio", "laspeyres", "paasche", "fisher", "volume_effect", "geometric_mean")
        for offset, name in enumerate(names):
            sheet.put(down + offset, ID_COLUMN, text(f"db.{name}"), "tb label")
        for number, figure in enumerate(self._figures):
            column, totals = FIRST_FIGURE + PER_FIGURE * number, self._found.totals[figure]
            formulas = self._ratio_formulas(cells, column, down)
            for offset, (name, formula) in enumerate(zip(names, formulas, strict=True)):
                self._ratio(down + offset, column, getattr(totals, name), formula, totals)
        sheet.put(down + len(names), ID_COLUMN, text("db.formula"), "tb note")
        width = _printed(len(self._figures))
        sheet.worksheet.merge_cells(
            start_row=down + len(names), start_column=ID_COLUMN, end_row=down + len(names), end_column=width
        )
        sheet.worksheet.row_dimensions[down + len(names)].height = 44
        self._verdicts(down + len(names) + 1)

    def _verdicts(self, down: int) -> None:
        """What may be said of the work at equal executions, and of the time that sessions spent."""
        text, sheet, messages = self._context.text, self._sheet, self._context.words.words
        refused = bool(self._context.case.analysis.refused)

        def verdict_of(judged: WorkloadTotals | TimeChange) -> str:
            return statement_words.class_text(Verdict.NOT_COMPARABLE if refused else judged.verdict, messages)

        for offset, key in enumerate(("db.interval", "workbook.verdict")):
            sheet.put(down + offset, ID_COLUMN, text(key), "tb label")
        for number, figure in enumerate(self._figures):
            column, totals = FIRST_FIGURE + PER_FIGURE * number, self._found.totals[figure]
            ends = totals.interval
            sheet.put(down, column, "–" if ends is None else f"{ends.low:,.3f} ~ {ends.high:,.3f}", "tb number")
            sheet.put(down + 1, column, verdict_of(totals), "tb number")
        if self._case.time is not None:
            sheet.put(down + 2, ID_COLUMN, text("db.verdict_time"), "tb label")
            sheet.put(
                down + 2, FIRST_FIGURE, _time_words(self._case.time, verdict_of(self._case.time), messages), "tb note"
            )

    def _ratio_formulas(self, cells: _Range, column: int, down: int) -> list[str]:
        flags = self._flags(cells, column)
        old, new = cells.of(column + 2), cells.of(column + 3)
        runs_before, runs_after = cells.of(RUNS_COLUMN), cells.of(RUNS_COLUMN + 1)
        sums = [f"SUMPRODUCT({flags},{runs},{average})" for runs in (runs_before, runs_after) for average in (old, new)]
        here = get_column_letter(column)
        return [
            f"{sums[0]}/{sums[3]}",
            f"{sums[0]}/{sums[1]}",
            f"{sums[2]}/{sums[3]}",
            f"SQRT({here}{down + 1}*{here}{down + 2})",
            f"{here}{down}/{here}{down + 3}",
            "",
        ]

    def _ratio(self, down: int, column: int, value: float | None, formula: str, totals: WorkloadTotals) -> None:
        """Live where the cells alone give it; the mean of logarithms would need an array formula."""
        content: Content = self._context.text("change.not_computable")
        if value is not None:
            live = formula and self._whole() and _divides(self._found, totals.figure)
            plain = f'#,##0.0000"{self._context.text("workbook.times")}"'
            content = Formatted(Formula(formula, value) if live else value, plain)
        self._sheet.put(down, column, content, "tb number")


def _impact(down: int, cells: tuple[str, str], row: StatementChange, change: FigureChange) -> Content:
    """Change per execution x executions after; of a saving x no more than there were before."""
    impact, before, after = change.impact, change.before_each, change.after_each
    if impact is None or before is None or after is None:
        return "–"
    plain = "+#,##0.000;-#,##0.000;0" if change.figure.endswith("_s") else "+#,##0;-#,##0;0"
    executions = row.after_executions or 0.0
    if after < before:
        executions = min(executions, row.before_executions or 0.0)
    if isclose((after - before) * executions, impact, rel_tol=1e-9, abs_tol=1e-9):
        old, new = (f"{get_column_letter(RUNS_COLUMN + side)}{down}" for side in (0, 1))
        formula = f"({cells[1]}-{cells[0]})*IF({cells[1]}<{cells[0]},MIN({old},{new}),{new})"
        return Formatted(Formula(formula, impact), plain)
    return Formatted(impact, plain)


def _finer(value: float | None, plain: str) -> str:
    """Never 0.000 for a time that is not zero."""
    return decimal_format(6) if plain == SECONDS and value is not None and 0 < abs(value) < 0.0005 else plain


def _printed(figures: int) -> int:
    """The last column that is printed."""
    return FIRST_FIGURE - 1 + PER_FIGURE * min(figures, PRINTED)


def _mark(sheet: Sheet, cells: _Range, worse: str) -> None:
    """Bars of the figure that decides; the class `worse` in red, and what it is of: not the row's other figures."""
    bar = DataBarRule(start_type="num", start_value=0, end_type="max", color=BEFORE)
    sheet.worksheet.conditional_formatting.add(cells.of(FIRST_FIGURE), bar)
    marked = FormulaRule(formula=[f'$F{cells.first}="{worse}"'], font=Font(color=BAD, bold=True))
    sheet.worksheet.conditional_formatting.add(f"A{cells.first}:F{cells.last}", marked)


def _time_words(time: TimeChange, verdict: str, messages: Catalogue) -> str:
    words = statement_words.time_text(time, messages), statement_words.variation_text(time.change, messages)
    return " · ".join((verdict, *words))


def _divides(statements: StatementComparison, name: str) -> bool:
    """Whether executions and figures per execution, as they stand in the cells, multiply to the totals."""
    return all(
        np.allclose(side.executions(name), side.total("executions"), rtol=1e-12, equal_nan=True)
        for side in (statements.before, statements.after)
        if not np.isnan(side.executions(name)).all()
    )
