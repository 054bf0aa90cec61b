"""Tables of the printed document: column widths measured from the text, headings aligned with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape

from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color
from reportlab.platypus import LongTable
from reportlab.platypus import Paragraph as Flowed

from tunebench.reporting.document import Cell, Chip, ColumnKind, Table, TableHead, Tone
from tunebench.reporting.pdf.chips import chip_line, chip_width
from tunebench.reporting.pdf.fonts import BOLD, CODE, REGULAR, GlyphGuard, width
from tunebench.reporting.pdf.links import Links, linked
from tunebench.reporting.pdf.style import (
    BAD,
    BODY_HEIGHT,
    BODY_WIDTH,
    CODE_STYLE,
    INK,
    MUTED,
    RULE,
    SHADE,
    STRONG_RULE,
    WARNING,
    cell_style,
)

NO_LINKS = Links()
PADDING = 4.0
LEADING_COLUMN = 116.0
"""Points that a column of names gets before the type is made smaller for its sake."""
LEAST_OF_TEXT = 0.4
"""Of what columns of text want at least: below it, numbers give as well."""
CHIP_SHARE = 0.94
"""Of the size of the table's type, for the type of a chip."""
CHIP_RISE = 0.18
"""Sizes by which a chip reaches above its row's words, so that its own stand on their line."""
SIZES = (8.8, 8.4, 8.0, 7.6, 7.2, 6.8, 6.4, 6.0)
DENSE_SIZES = (7.8, 7.4, 7.0, 6.6, 6.2, 5.8)
_TONES: dict[Tone, Color] = {Tone.BAD: BAD, Tone.WARNING: WARNING, Tone.STRONG: INK}


class PagedTable(LongTable):  # type: ignore[misc]  # reportlab has no types
    """Breaks between rows, and inside of one only where even an empty page would not hold it."""

    def split(self, width: float, height: float) -> list[Any]:
        parts: list[Any] = super().split(width, height)
        if not parts and height >= BODY_HEIGHT - 1:
            parts = self._splitRows(height, doInRowSplit=1)
        return parts


def table_flowable(table: Table, guard: GlyphGuard, links: Links = NO_LINKS, total: float = BODY_WIDTH) -> PagedTable:
    """The table at the largest type size at which its numbers and words fit `total` points."""
    cleaned = _guarded(table, guard)
    sizes = DENSE_SIZES if table.dense else SIZES
    size, widths = sizes[-1], None
    for size in sizes:
        widths = column_widths(cleaned, size, total)
        if widths is not None:
            break
    return _flowable(cleaned, size, widths or _squeezed(cleaned, size, total), links)


def minimum_height(table: Table) -> float:
    """Space below which a table should rather start on the next page: caption, heading and a few rows."""
    rows = min(len(table.rows) + len(table.totals), 5)
    return 40.0 + 18.0 * rows


def _guarded(table: Table, guard: GlyphGuard) -> Table:
    def clean(cell: Cell, column: TableHead) -> Cell:
        return replace(cell, text=guard.text(cell.text, code=column.kind is ColumnKind.CODE))

    rows, totals = (
        tuple(tuple(clean(cell, column) for cell, column in zip(row, table.columns, strict=True)) for row in part)
        for part in (table.rows, table.totals)
    )
    return replace(table, columns=guard.whole(table.columns), rows=rows, totals=totals)


def column_widths(table: Table, size: float, total: float) -> list[float] | None:
    """Numbers get what they need, text columns share the rest by weight; None where words would not fit."""
    natural = [_natural(table, index, size) for index in range(len(table.columns))]
    smallest = [_smallest(table, index, size, natural[index]) for index in range(len(table.columns))]
    if sum(smallest) > total + 0.01:
        return None
    if sum(natural) <= total:
        return _spread(table, natural, total)
    return _shared(table, natural, smallest, total)


def _spread(table: Table, natural: list[float], total: float) -> list[float]:
    """Everything fits on one line: the rest is given to all, text columns first by weight."""
    rest = total - sum(natural)
    shares = [
        0.6 if column.kind in (ColumnKind.NUMBER, ColumnKind.FIXED) else column.weight for column in table.columns
    ]
    whole = sum(shares)
    return [own + rest * share / whole for own, share in zip(natural, shares, strict=True)]


def _shared(table: Table, natural: list[float], smallest: list[float], total: float) -> list[float]:
    """Columns that want less than their share by weight take what they want; the others split what remains."""
    widths = list(smallest)
    open_columns = {index for index, want in enumerate(natural) if want > smallest[index]}
    while open_columns:
        rest = total - sum(widths[index] for index in range(len(widths)) if index not in open_columns)
        weight = sum(table.columns[index].weight for index in open_columns)
        share = {index: rest * table.columns[index].weight / weight for index in open_columns}
        settled = {index for index in open_columns if natural[index] <= share[index] or smallest[index] >= share[index]}
        if not settled:
            for index in open_columns:
                widths[index] = share[index]
            break
        for index in settled:
            widths[index] = smallest[index] if smallest[index] >= share[index] else natural[index]
        open_columns -= settled
    scale = total / sum(widths)
    return [own * scale for own in widths] if scale < 1 else _spread(table, widths, total)


def _squeezed(table: Table, size: float, total: float) -> list[float]:
    """Words are broken where they must, numbers are not: what is missing is taken from columns of text alone."""
    smallest = [_smallest(table, index, size, _natural(table, index, size)) for index in range(len(table.columns))]
    is_text = [column.kind not in (ColumnKind.NUMBER, ColumnKind.FIXED) for column in table.columns]
    text = sum(own for own, broken in zip(smallest, is_text, strict=True) if broken)
    rest = total - sum(smallest) + text
    if rest < text * LEAST_OF_TEXT:
        return [own * total / sum(smallest) for own in smallest]
    return [own * rest / text if broken else own for own, broken in zip(smallest, is_text, strict=True)]


def _cells(table: Table, index: int) -> list[Cell]:
    return [row[index] for row in (*table.rows, *table.totals)]


def _font(column: TableHead, *, bold: bool) -> str:
    if column.kind is ColumnKind.CODE:
        return CODE
    return BOLD if bold else REGULAR


def _natural(table: Table, index: int, size: float) -> float:
    column = table.columns[index]
    return (
        max(_widest(table, index, size), width(column.heading, BOLD, size), _heading_width(column, size))
        + 2 * PADDING
        + 0.5
    )


def _widest(table: Table, index: int, size: float) -> float:
    column = table.columns[index]
    totals = {id(row[index]) for row in table.totals}
    return max(
        (
            chip_width(cell.text, size)
            if cell.is_chip
            else width(cell.text, _font(column, bold=cell.tone is Tone.STRONG or id(cell) in totals), size)
            for cell in _cells(table, index)
        ),
        default=0.0,
    )


def _smallest(table: Table, index: int, size: float, natural: float) -> float:
    """Numbers are never broken; text may break between words, code anywhere beyond 90 points."""
    column = table.columns[index]
    if column.kind in (ColumnKind.NUMBER, ColumnKind.FIXED):
        return max(_widest(table, index, size), _heading_width(column, size)) + 2 * PADDING + 0.5
    if column.kind is ColumnKind.CODE:
        return min(natural, 236.0 if len(table.columns) < 9 else 96.0)
    longest = max((_longest_word(cell, size) for cell in _cells(table, index)), default=0.0)
    least = LEADING_COLUMN if column.weight >= 2 else min(longest, 72.0)
    return min(natural, max(least, _heading_width(column, size)) + 2 * PADDING + 0.5)


def _longest_word(cell: Cell, size: float) -> float:
    across = chip_width if cell.is_chip else _plain_width
    return max((across(word, size) for word in cell.text.split()), default=0.0)


def _plain_width(text: str, size: float) -> float:
    return width(text, REGULAR, size)


def _heading_width(column: TableHead, size: float) -> float:
    words = column.heading.split() or [""]
    evidence = width(column.evidence, REGULAR, size - 1.4) if column.evidence else 0.0
    return max(*(width(word, BOLD, size) for word in words), evidence)


def _flowable(table: Table, size: float, widths: list[float], links: Links) -> PagedTable:
    grouped = any(column.group for column in table.columns)
    headings = [_heading(column, size, links) for column in table.columns]
    heads = [_group_row(table), headings] if grouped else [headings]
    body = [_body_row(table, row, size, widths, links, bold=False) for row in table.rows]
    totals = [_body_row(table, row, size, widths, links, bold=True) for row in table.totals]
    style = _base_style(table, size, len(heads), len(body), len(totals))
    if grouped:
        style += _group_style(table, size)
    style += _tone_style(table, len(heads))
    rows = [*heads, *body, *totals]
    return PagedTable(rows, colWidths=widths, repeatRows=len(heads), hAlign="LEFT", style=style)


def _group_row(table: Table) -> list[str]:
    names, last = [], ""
    for column in table.columns:
        names.append(column.group if column.group != last else "")
        last = column.group
    return names


def _heading(column: TableHead, size: float, links: Links) -> Flowed:
    markup = escape(column.heading)
    if column.evidence:
        keys = links.markup(column.evidence)
        markup += f'<br/><font name="{REGULAR}" size="{size - 1.4:.1f}" color="#57606A">{keys}</font>'
    return Flowed(markup, cell_style(size, bold=True, right=column.kind is ColumnKind.NUMBER))


def _body_row(
    table: Table, row: Sequence[Cell], size: float, widths: list[float], links: Links, *, bold: bool
) -> list[str | Flowed | Drawing]:
    cells = [
        _body_cell(column, cell, size, across, links, bold=bold)
        for column, cell, across in zip(table.columns, row, widths, strict=True)
    ]
    if table.is_register and not bold:
        cells[0] = Flowed(links.named(row[0].text), cell_style(size))
    return cells


def _body_cell(
    column: TableHead, cell: Cell, size: float, across: float, links: Links, *, bold: bool
) -> str | Flowed | Drawing:
    """A plain string where the text fits on its lines, which is much faster to lay out, else a paragraph."""
    room = across - 2 * PADDING + 0.05
    if cell.is_chip and cell.text:
        chip = chip_line((Chip(cell.text, cell.tone),), "", room, size * CHIP_SHARE)
        chip.height -= size * CHIP_RISE
        return chip
    if cell.links:
        return Flowed(", ".join(map(linked, cell.links)), cell_style(size, bold=bold))
    is_fixed = column.kind in (ColumnKind.NUMBER, ColumnKind.FIXED)
    fits = is_fixed or width(cell.text, _font(column, bold=bold), size) <= room
    if fits and not links.any_in(cell.text):
        return cell.text
    style = cell_style(size, bold=bold, right=column.kind is ColumnKind.NUMBER)
    if column.kind is ColumnKind.CODE:
        style.fontName, style.wordWrap = CODE, CODE_STYLE.wordWrap or "CJK"
    elif not fits and any(width(word, REGULAR, size) > room for word in cell.text.split()):
        style.wordWrap = "CJK"
    return Flowed(links.markup(cell.text), style)


def _base_style(table: Table, size: float, heads: int, body: int, totals: int) -> list[tuple[object, ...]]:
    upright = size * 0.36 if not table.dense else size * 0.26
    style: list[tuple[object, ...]] = [
        ("FONT", (0, 0), (-1, -1), REGULAR, size, size * 1.36),
        ("TEXTCOLOR", (0, 0), (-1, -1), INK),
        ("VALIGN", (0, heads), (-1, -1), "TOP"),
        ("VALIGN", (0, 0), (-1, heads - 1), "BOTTOM"),
        ("LEFTPADDING", (0, 0), (-1, -1), PADDING),
        ("RIGHTPADDING", (0, 0), (-1, -1), PADDING),
        ("TOPPADDING", (0, 0), (-1, -1), upright),
        ("BOTTOMPADDING", (0, 0), (-1, -1), upright + 1.4),
        ("BACKGROUND", (0, 0), (-1, heads - 1), SHADE),
        ("LINEABOVE", (0, 0), (-1, 0), 0.8, STRONG_RULE),
        ("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.8, STRONG_RULE),
        ("LINEBELOW", (0, heads), (-1, -1), 0.4, RULE),
        ("LINEBELOW", (0, -1), (-1, -1), 0.8, STRONG_RULE),
    ]
    for index, column in enumerate(table.columns):
        if column.kind is ColumnKind.NUMBER:
            style.append(("ALIGN", (index, heads), (index, -1), "RIGHT"))
        if column.kind is ColumnKind.CODE:
            style.append(("FONT", (index, heads), (index, -1), CODE, size, size * 1.36))
    if totals:
        first = heads + body
        style += [
            ("FONTNAME", (0, first), (-1, -1), BOLD),
            ("LINEABOVE", (0, first), (-1, first), 0.8, STRONG_RULE),
            ("BACKGROUND", (0, first), (-1, -1), SHADE),
            ("NOSPLIT", (0, max(first - 1, heads)), (-1, -1)),
        ]
    return style


def _group_style(table: Table, size: float) -> list[tuple[object, ...]]:
    style: list[tuple[object, ...]] = [
        ("FONT", (0, 0), (-1, 0), BOLD, size, size * 1.36),
        ("ALIGN", (0, 0), (-1, 0), "CENTER"),
        ("TEXTCOLOR", (0, 0), (-1, 0), MUTED),
    ]
    start = 0
    while start < len(table.columns):
        name, end = table.columns[start].group, start
        while end + 1 < len(table.columns) and table.columns[end + 1].group == name:
            end += 1
        if name:
            style += [("SPAN", (start, 0), (end, 0)), ("LINEBELOW", (start, 0), (end, 0), 0.5, STRONG_RULE)]
            if start:
                style.append(("LINEBEFORE", (start, 0), (start, -1), 0.4, RULE))
        start = end + 1
    return style


def _tone_style(table: Table, heads: int) -> list[tuple[object, ...]]:
    style: list[tuple[object, ...]] = []
    for down, row in enumerate((*table.rows, *table.totals), heads):
        for across, cell in enumerate(row):
            if cell.tone in _TONES:
                style.append(("TEXTCOLOR", (across, down), (across, down), _TONES[cell.tone]))
            if cell.tone is Tone.STRONG:
                style.append(("FONTNAME", (across, down), (across, down), BOLD))
    return style
