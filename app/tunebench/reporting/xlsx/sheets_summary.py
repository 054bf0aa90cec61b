"""Cover and summary: what the reader opens first, every number a formula to where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.columns.answering.answer_words import AnswerText
from tunebench.columns.answering.marks import plain
from tunebench.columns.column import Column
from tunebench.reporting.axis import value_axis
from tunebench.reporting.chapters.context import Context, evidence_text
from tunebench.reporting.chapters.cycle import contradicted
from tunebench.reporting.chapters.front import collected, host_notes, load_notes, worse_lines
from tunebench.reporting.chapters.front import cover as cover_blocks
from tunebench.reporting.chapters.verdicts import comparability
from tunebench.reporting.document import Cover, Note, ReportDocument
from tunebench.reporting.figures import FigureRow
from tunebench.reporting.xlsx.charts import Range, bar_chart
from tunebench.reporting.xlsx.columns import HEADER_ROW, put_lines, table_columns, widened
from tunebench.reporting.xlsx.sheet import Book, Sheet
from tunebench.reporting.xlsx.sheets_data import Located, figure_columns, value_format
from tunebench.reporting.xlsx.sheets_series import SeriesChart, add_chart

BAR_ROWS = 17
"""Rows a bar chart covers."""


def cover_sheet(context: Context, document: ReportDocument, sheet: Sheet, book: Book) -> None:
    """The answer; who, for whom, when; and an index of the sheets with links."""
    sheet.title(document.title, document.subject)
    sheet.worksheet.column_dimensions["A"].width = 22
    sheet.worksheet.column_dimensions["B"].width = 88
    down = _answer_lines(context, sheet, HEADER_ROW)
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


def _answer_lines(context: Context, sheet: Sheet, down: int) -> int:
    """Writes the answer sentence by sentence.

    Returns:
        the row of what follows.
    """
    if context.answer is None:
        return down
    for label, sentences in _answer_of(context, context.answer):
        for index, sentence in enumerate(filter(None, sentences)):
            sheet.put(down, 1, "" if index else label, "tb header")
            sheet.put(down, 2, plain(sentence))
            sheet.raise_row(down, (label, plain(sentence)))
            down += 1
    return down + 1


def _answer_of(context: Context, words: AnswerText) -> Iterator[tuple[str, Sequence[str]]]:
    """(label, sentences), in the order of page one."""

    def label(name: str) -> str:
        return context.words.words.text(f"answer.label.{name}")

    yield words.question, (words.headline, *words.further, *words.many)
    yield label("sure"), (f"{words.chip.text}: {words.sure}", words.load)
    yield label("why"), (words.bottleneck, *words.why)
    yield label("worse"), (words.worse_title, *(worse.text for worse in words.worse))
    yield label("price"), words.price
    yield label("next"), [step.sentence for step in words.next]
    yield label("note"), (words.counts, words.windows, *words.disclosed, *words.notes)


def summary_sheet(context: Context, sheet: Sheet, located: Located, charts: list[SeriesChart]) -> None:
    text, rows = context.text, context.figures.key_figures
    sheet.title(text("section.summary"), f"{comparability(context).label} · {context.case.engagement.customer}")
    columns: list[Column[FigureRow]] = [
        *widened(figure_columns(context, located), 30, 11, 10, 18, 18, 11, 14, 18),
        Column("evidence", "report.column.evidence", lambda row: evidence_text(row.evidence), width=14),
    ]
    if rows or not context.case.alone:
        last = put_lines(sheet, columns, rows, context.words.locale, raised=())
    else:
        table = collected(context)
        last = put_lines(sheet, table_columns(table), table.rows, context.words.locale)
    contradictions = [block.text for block in contradicted(context) if isinstance(block, Note)]
    notes = (*contradictions, *worse_lines(context), *load_notes(context), *host_notes(context), text("note.ratio"))
    for down, note in enumerate(notes, last + 2):
        sheet.put_note(down, note, len(columns), 40)
    _charts(context, sheet, last + len(notes) + 3, charts)


def _charts(context: Context, sheet: Sheet, down: int, charts: list[SeriesChart]) -> None:
    """Bars of the SQL totals, then CPU and logical I/O over time; below each other in two columns."""
    bars = [row for row in context.figures.sql if row.before is not None and row.after is not None]
    for index, row in enumerate(bars):
        _bar(context, sheet, row, f"{'AE'[index % 2]}{down + index // 2 * BAR_ROWS}")
    down += (len(bars) + 1) // 2 * BAR_ROWS
    for chart in charts:
        if chart.subject in ("cpu", "logical_io") and chart.lines:
            add_chart(sheet, chart, f"A{down}")
            down += 19


def _bar(context: Context, sheet: Sheet, row: FigureRow, anchor: str) -> None:
    assert row.before is not None and row.after is not None
    lines = enumerate(context.figures.key_figures, HEADER_ROW + 1)
    down = next(line for line, figure in lines if figure.shows(row))
    unit = context.words.unit(row.unit)
    title = f"{context.label(row)} ({unit})" if unit else context.label(row)
    number_format = value_format(context.words, row.decimals, value=row.before, captured=row.captured)
    names = [context.text("column.before"), context.text("column.after")]
    categories = Range(sheet.reference(f"$D${HEADER_ROW}:$E${HEADER_ROW}"), names)
    values = Range(sheet.reference(f"$D${down}:$E${down}"), [row.before, row.after])
    chart = bar_chart(title, categories, values, value_axis(max(row.before, row.after)), number_format)
    sheet.worksheet.add_chart(chart, anchor)
    sheet.descriptions.append(f"{title}: {names[0]} {context.before_text(row)}, {names[1]} {context.after_text(row)}")
