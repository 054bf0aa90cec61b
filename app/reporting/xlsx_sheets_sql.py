"""The SQL sheet: every statement, totals by SUM, ratios by formula."""

from __future__ import annotations

from collections.abc import Callable

from openpyxl.formatting.rule import DataBarRule

from app.analysis.improvement import improvement
from app.domain.engagement import Direction, Statement
from app.reporting.case import StatementPair
from app.reporting.context import Context
from app.reporting.figures import StatementTotals, block_gets, elapsed_s
from app.reporting.xlsx_results import change_formula, rate_formula, ratio_format, ratio_formula
from app.reporting.xlsx_sheet import Book, Formula, Head, Sheet
from app.reporting.xlsx_sheets_data import HEADER_ROW, Located, put_value
from app.reporting.xlsx_style import BEFORE, INTEGER, RATE, SECONDS

TIME_COLUMN, BLOCK_COLUMN, TEXT_COLUMN = 6, 11, 16
Measure = Callable[[Statement | None], float | None]


def sql_sheet(context: Context, book: Book, footer: str, located: Located) -> None:
    pairs = context.case.statements
    if not pairs:
        return
    text = context.text
    sheet = book.sheet(text("sheet.sql"), footer, landscape=True)
    sheet.title(text("section.sql"), text("note.statements"))
    heads = _heads(context)
    sheet.header(HEADER_ROW, heads)
    for down, pair in enumerate(pairs, HEADER_ROW + 1):
        _statement_row(context, sheet, down, down - HEADER_ROW, pair)
    last = HEADER_ROW + len(pairs)
    _totals_row(context, sheet, last, located)
    sheet.as_table(HEADER_ROW, last, len(heads))
    sheet.fit(heads)
    sheet.worksheet.print_area = f"A1:O{last + 1}"
    bar = DataBarRule(start_type="num", start_value=0, end_type="max", color=BEFORE)
    sheet.worksheet.conditional_formatting.add(f"F{HEADER_ROW + 1}:F{last}", bar)


def _heads(context: Context) -> list[Head]:
    text = context.text
    before, after = text("column.before_short"), text("column.after_short")
    runs, time, blocks = text("group.executions"), text("group.time"), text("group.blocks")
    measured = [
        Head(f"{group} {side}", style, 15)
        for group, style in ((time, "tb seconds"), (blocks, "tb integer"))
        for side in (before, after)
    ]
    changes = [
        Head(text("workbook.verdict"), width=11),
        Head(text("column.ratio"), "tb ratio", 12),
        Head(text("column.rate"), "tb rate", 11),
    ]
    return [
        Head("#", "tb integer", 6),
        Head(text("column.statement"), "tb code", 20),
        Head(text("workbook.module"), width=14),
        Head(f"{runs} {before}", "tb integer", 11),
        Head(f"{runs} {after}", "tb integer", 11),
        *measured[:2],
        *changes,
        *measured[2:],
        *changes,
        Head(text("workbook.sql_before"), "tb code", 60),
        Head(text("workbook.sql_after"), "tb code", 60),
        Head(text("column.evidence"), width=12),
    ]


def _statement_row(context: Context, sheet: Sheet, down: int, place: int, pair: StatementPair) -> None:
    missing = context.words.missing
    sheet.put(down, 1, place, "tb integer")
    sheet.put(down, 2, pair.statement_id, "tb code")
    sheet.put(down, 3, pair.module)
    for across, side in enumerate((pair.before, pair.after), 4):
        put_value(sheet, down, across, side.executions if side else None, INTEGER, missing)
    _measured(context, sheet, down, TIME_COLUMN, pair, elapsed_s, SECONDS)
    _measured(context, sheet, down, BLOCK_COLUMN, pair, block_gets, INTEGER)
    for across, side in enumerate((pair.before, pair.after), TEXT_COLUMN):
        sheet.put(down, across, side.text if side else missing, "tb code")
    sheet.put(down, TEXT_COLUMN + 2, ", ".join(key for key in (pair.before_evidence, pair.after_evidence) if key))
    sheet.worksheet.row_dimensions[down].height = 16


def _measured(
    context: Context, sheet: Sheet, down: int, column: int, pair: StatementPair, measure: Measure, number_format: str
) -> None:
    values = (measure(pair.before), measure(pair.after))
    cells = [
        put_value(sheet, down, column + side, value, number_format, context.words.missing)
        for side, value in enumerate(values)
    ]
    change = improvement(values[0], values[1], Direction.LOWER)
    words = context.words
    verdict = sheet.put(down, column + 2, change_formula(words, cells[0], cells[1], Direction.LOWER, change))
    ratio = ratio_formula(words, cells[0], cells[1], verdict, change)
    sheet.put(down, column + 3, ratio, "tb ratio", ratio_format(words, change))
    sheet.put(down, column + 4, rate_formula(words, cells[0], cells[1], verdict, change), "tb rate", RATE)


def _totals_row(context: Context, sheet: Sheet, last: int, located: Located) -> None:
    down = last + 1
    for across in range(1, TEXT_COLUMN + 3):
        sheet.put(down, across, None, "tb total")
    found = [found for found in (context.figures.sql_time, context.figures.sql_blocks) if found]
    pairs = max((one.pairs for one in found), default=0)
    sheet.put(down, 2, context.text("total", count=pairs), "tb total text")
    for column, totals, measure, number_format in (
        (TIME_COLUMN, context.figures.sql_time, elapsed_s, SECONDS),
        (BLOCK_COLUMN, context.figures.sql_blocks, block_gets, INTEGER),
    ):
        if totals:
            _total(context, sheet, (down, column), totals, measure, number_format, located)


def _total(
    context: Context,
    sheet: Sheet,
    place: tuple[int, int],
    totals: StatementTotals,
    measure: Measure,
    number_format: str,
    located: Located,
) -> None:
    down, column = place
    row, words = totals.row, context.words
    complete = all((measure(pair.before) is None) == (measure(pair.after) is None) for pair in context.case.statements)
    cells = []
    for side, value in enumerate((row.before, row.after)):
        formula = Formula(_sum(sheet, column, side, down - 1, complete), value or 0.0)
        cells.append(sheet.put(down, column + side, formula, "tb total", number_format))
    verdict = sheet.put(
        down, column + 2, change_formula(words, cells[0], cells[1], row.direction, row.change), "tb total text"
    )
    ratio = ratio_formula(words, cells[0], cells[1], verdict, row.change)
    sheet.put(down, column + 3, ratio, "tb total", ratio_format(words, row.change))
    sheet.put(down, column + 4, rate_formula(words, cells[0], cells[1], verdict, row.change), "tb total", RATE)
    located.note(row, sheet.reference(cells[0]), sheet.reference(cells[1]))


def _sum(sheet: Sheet, column: int, side: int, last: int, complete: bool) -> str:
    """SUM; where a statement has one side only, the sum over those that have both."""
    columns = [sheet.worksheet.cell(1, column + offset).column_letter for offset in (0, 1)]
    ranges = [f"{letter}{HEADER_ROW + 1}:{letter}{last}" for letter in columns]
    if complete:
        return f"SUM({ranges[side]})"
    return f"SUMPRODUCT(ISNUMBER({ranges[0]})*ISNUMBER({ranges[1]}),{ranges[side]})"
