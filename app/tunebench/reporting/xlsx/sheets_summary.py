"""Cover and summary: what the reader opens first, every number a formula to where it stands."""

from __future__ import annotations

from tunebench.reporting.axis import value_axis
from tunebench.reporting.chapters.context import Context, evidence_text
from tunebench.reporting.chapters.cycle import contradicted
from tunebench.reporting.chapters.front import collected, host_notes, load_notes, worse_lines
from tunebench.reporting.chapters.front import cover as cover_blocks
from tunebench.reporting.chapters.verdicts import comparability
from tunebench.reporting.document import Cover, Note, ReportDocument
from tunebench.reporting.figures import FigureRow
from tunebench.reporting.xlsx.charts import Range, bar_chart
from tunebench.reporting.xlsx.results import change_contents
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head, Sheet
from tunebench.reporting.xlsx.sheets_data import (
    HEADER_ROW,
    Located,
    put_rows,
    sides_of,
    table_heads,
    table_rows,
    value_format,
)
from tunebench.reporting.xlsx.sheets_series import SeriesChart, add_chart

BAR_ROWS = 17
"""Rows a bar chart covers."""


def cover_sheet(context: Context, document: ReportDocument, sheet: Sheet, book: Book) -> None:
    """Who, for whom, when; and an index of the sheets with links."""
    sheet.title(document.title, document.subject)
    down = HEADER_ROW
    for block in cover_blocks(context):
        if isinstance(block, Cover):
            for name, value in (*block.facts, *block.control):
                sheet.put(down, 1, name, "tb label")
                sheet.put(down, 2, value)
                down += 1
    down += 1
    sheet.put(down, 1, context.text("workbook.index"), "tb header")
    sheet.put(down, 2, context.text("workbook.index_title"), "tb header")
    for other in book.sheets[1:]:
        down += 1
        sheet.put(down, 1, other.name, "tb link")
        cell = sheet.worksheet.cell(down, 1)
        cell.hyperlink = f"#{other.reference('A1')}"
        cell.style = "tb link"
        sheet.put(down, 2, str(other.worksheet["A1"].value or ""))
    sheet.worksheet.column_dimensions["A"].width = 22
    sheet.worksheet.column_dimensions["B"].width = 62


def summary_sheet(context: Context, sheet: Sheet, located: Located, charts: list[SeriesChart]) -> None:
    text, rows = context.text, context.figures.key_figures
    sheet.title(text("section.summary"), f"{comparability(context).label} · {context.case.engagement.customer}")
    heads = [
        Head(text("column.figure"), width=30),
        Head(text("column.statistic"), width=11),
        Head(text("workbook.unit"), width=10),
        Head(text("column.before"), "tb number", 18),
        Head(text("column.after"), "tb number", 18),
        Head(text("workbook.verdict"), width=11),
        Head(text("column.ratio"), "tb number", 14),
        Head(text("column.rate"), "tb number", 18),
        Head(text("column.evidence"), width=14),
    ]
    last = HEADER_ROW + len(rows)
    if rows:
        lines = (_key_figure(context, row, located, down) for down, row in enumerate(rows, HEADER_ROW + 1))
        put_rows(sheet, heads, lines, raised=())
    elif context.case.alone:
        table = collected(context)
        last = put_rows(sheet, table_heads(table), table_rows(table))
    else:
        sheet.header(HEADER_ROW, heads)
        sheet.fit(heads)
    told = [block.text for block in contradicted(context) if isinstance(block, Note)]
    notes = (*told, *worse_lines(context), *load_notes(context), *host_notes(context), text("note.ratio"))
    for down, note in enumerate(notes, last + 2):
        sheet.put_note(down, note, len(heads), 40)
    _charts(context, sheet, last + len(notes) + 3, charts)


def _key_figure(context: Context, row: FigureRow, located: Located, down: int) -> list[Content]:
    """Each side as a formula to where it stands, where it is on another sheet."""
    words, told = (
        context.words,
        zip(located.of(row) or (None, None), (row.before, row.after), sides_of(context, row), strict=True),
    )
    sides = [
        Formatted(Formula(source, value), side.number_format)
        if source is not None and value is not None and isinstance(side, Formatted)
        else side
        for source, value, side in told
    ]
    return [
        context.label(row),
        context.statistic(row),
        words.unit(row.unit),
        *sides,
        *change_contents(words, (f"D{down}", f"E{down}"), f"F{down}", row.direction, row.change, row.decimals),
        evidence_text(row.evidence),
    ]


def _charts(context: Context, sheet: Sheet, down: int, charts: list[SeriesChart]) -> None:
    """Bars of the SQL totals, then CPU and logical I/O over time; below each other in two columns."""
    bars = [row for row in context.figures.sql if row.before is not None and row.after is not None]
    for place, row in enumerate(bars):
        _bar(context, sheet, row, f"{'AE'[place % 2]}{down + place // 2 * BAR_ROWS}")
    down += (len(bars) + 1) // 2 * BAR_ROWS
    for chart in charts:
        if chart.subject in ("cpu", "logical_io") and chart.lines:
            add_chart(sheet, chart, f"A{down}")
            down += 19


def _bar(context: Context, sheet: Sheet, row: FigureRow, anchor: str) -> None:
    assert row.before is not None and row.after is not None
    shown = next(place for place, each in enumerate(context.figures.key_figures) if each.shows(row))
    down = HEADER_ROW + 1 + shown
    unit = context.words.unit(row.unit)
    title = f"{context.label(row)} ({unit})" if unit else context.label(row)
    number_format = value_format(context.words, row.decimals, value=row.before, captured=row.captured)
    names = [context.text("column.before"), context.text("column.after")]
    categories = Range(sheet.reference(f"$D${HEADER_ROW}:$E${HEADER_ROW}"), names)
    values = Range(sheet.reference(f"$D${down}:$E${down}"), [row.before, row.after])
    chart = bar_chart(title, categories, values, value_axis(max(row.before, row.after)), number_format)
    sheet.worksheet.add_chart(chart, anchor)
    sheet.descriptions.append(f"{title}: {names[0]} {context.before_text(row)}, {names[1]} {context.after_text(row)}")
