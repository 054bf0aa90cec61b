"""A workbook being written: cells with their styles, formulas with their results, charts with their points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import field
from itertools import chain, repeat
from math import isfinite
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from tunebench.core.records import record
from tunebench.reporting.wording import brief
from tunebench.reporting.xlsx.style import LINE_HEIGHT_PT, figure_width, fitted_width, register_styles, wrapped_lines

CELL_LIMIT = 32_767
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@record
class Formula:
    """A live formula and its result as Python computes it from the same data."""

    text: str
    result: float | str


@record
class Formatted:
    """A number with a format of its own, whatever its column has."""

    content: float | Formula
    number_format: str


Content = str | float | int | None | Formula | Formatted


@record(frozen=False)
class Head:
    """A column heading, and style and number format of what stands below; numbers are headed at the right."""

    text: str
    style: str = "tb text"
    width: float | None = None
    number_format: str = ""

    @property
    def is_number(self) -> bool:
        return self.style not in ("tb text", "tb code", "tb moment", "tb label")


def safe_text(text: str) -> str:
    """Without characters that the format forbids, and no longer than a cell holds."""
    return brief(ILLEGAL_CHARACTERS_RE.sub("", text), CELL_LIMIT)


@record(frozen=False)
class Sheet:
    """One sheet; `results` maps its formula cells to their values."""

    worksheet: Worksheet
    results: dict[str, float | str] = field(default_factory=dict)
    descriptions: list[str] = field(default_factory=list)
    _texts: dict[int, list[str]] = field(default_factory=dict)
    _figure_widths: dict[int, float] = field(default_factory=dict)
    _styles: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.worksheet.title)

    def reference(self, cell: str) -> str:
        """``'SQL'!E34``: how other sheets name a cell of this one."""
        escaped = self.name.replace("'", "''")
        return f"'{escaped}'!{cell}"

    def put(self, row: int, column: int, content: Content, style: str = "tb text", number_format: str = "") -> str:
        """Writes one cell; returns its reference."""
        if isinstance(content, Formatted):
            number_format, content = content.number_format, content.content
        cell: Any = self.worksheet.cell(row, column)
        self._apply(cell, style, number_format)
        reference = f"{get_column_letter(column)}{row}"
        if isinstance(content, Formula):
            cell.value = "=" + content.text
            self.results[reference] = content.result
            self._measure(cell, content.result)
        elif isinstance(content, str):
            self._put_text(cell, content)
        elif content is not None and isfinite(content):
            cell.value = content
            self._measure(cell, content)
        return reference

    def _measure(self, cell: Any, value: float | str) -> None:
        """A figure that its column is too narrow for is shown as ``####``."""
        if not isinstance(value, str):
            width = figure_width(value, cell.number_format)
            self._figure_widths[cell.column] = max(self._figure_widths.get(cell.column, 0.0), width)

    def put_across(self, row: int, column: int, contents: Iterable[Content], *styles: str) -> list[str]:
        """Writes cells beside each other, the last of `styles` being that of all further ones."""
        every = chain(styles, repeat(styles[-1] if styles else "tb text"))
        return [self.put(row, across, content, next(every)) for across, content in enumerate(contents, column)]

    def put_note(self, row: int, text: str, columns: int, height: float) -> None:
        """A sentence over the whole width of a table."""
        self.put(row, 1, text, "tb note")
        self.worksheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=columns)
        self.worksheet.row_dimensions[row].height = height

    def _apply(self, cell: Any, style: str, number_format: str) -> None:
        """Looking a named style up for every cell is slow: each combination is resolved once."""
        known = self._styles.get((style, number_format))
        if known is not None:
            cell._style = copy(known)
            return
        cell.style = style
        if number_format:
            cell.number_format = number_format
        self._styles[style, number_format] = copy(cell._style)

    def _put_text(self, cell: Any, text: str) -> None:
        """Text stays text: nothing a customer wrote may become a formula."""
        text = safe_text(text)
        cell.value = text
        cell.data_type = "s"
        if text.startswith(FORMULA_STARTS):
            cell.quotePrefix = True
        self._texts.setdefault(cell.column, []).append(text)

    def title(self, text: str, subtitle: str = "") -> None:
        self.put(1, 1, text, "tb title")
        self.put(2, 1, subtitle, "tb subtitle")
        self._texts.pop(1, None)
        self.worksheet.row_dimensions[1].height = 26

    def header(self, row: int, heads: Sequence[Head], column: int = 1) -> None:
        for place, head in enumerate(heads, column):
            self.put(row, place, head.text, "tb header number" if head.is_number else "tb header")
        self.worksheet.row_dimensions[row].height = 30

    def fit(self, heads: Sequence[Head], column: int = 1) -> None:
        """Column widths from what was written so far: every figure is seen whole."""
        for place, head in enumerate(heads, column):
            width = head.width or fitted_width(self._texts.get(place, []) + [head.text])
            width = max(width, self._figure_widths.get(place, 0.0))
            self.worksheet.column_dimensions[get_column_letter(place)].width = width

    def raise_row(self, row: int, texts: Sequence[str]) -> None:
        """Height for wrapped texts (from column A on); not every program measures rows when it opens a file."""
        lines = 1
        for place, text in enumerate(texts, 1):
            width = self.worksheet.column_dimensions[get_column_letter(place)].width
            lines = max(lines, wrapped_lines(text, width))
        if lines > 1:
            self.worksheet.row_dimensions[row].height = LINE_HEIGHT_PT * lines + 2

    def as_table(self, header_row: int, last_row: int, columns: int) -> None:
        """Freezes the heading, switches the filter on and repeats the heading on every printed page."""
        sheet: Any = self.worksheet
        sheet.freeze_panes = f"A{header_row + 1}"
        if last_row > header_row:
            sheet.auto_filter.ref = f"A{header_row}:{get_column_letter(columns)}{last_row}"
        sheet.print_title_rows = f"{header_row}:{header_row}"


class Book:
    """The workbook and what the finishing pass needs to know of it; `footer` stands on every printed page."""

    def __init__(self, footer: str) -> None:
        self._footer = footer.replace("&", "&&")
        self.workbook: Any = Workbook()
        self.workbook.remove(self.workbook.active)
        register_styles(self.workbook)
        self.sheets: list[Sheet] = []

    def sheet(self, name: str, *, landscape: bool = False) -> Sheet:
        """A new sheet, printed one page wide on A4."""
        worksheet = self.workbook.create_sheet(self._unique(name))
        worksheet.sheet_view.showGridLines = False
        worksheet.page_setup.paperSize = worksheet.PAPERSIZE_A4
        worksheet.page_setup.orientation = "landscape" if landscape else "portrait"
        worksheet.page_setup.fitToWidth, worksheet.page_setup.fitToHeight = 1, 0
        worksheet.sheet_properties.pageSetUpPr.fitToPage = True
        worksheet.oddFooter.left.text = self._footer
        worksheet.oddFooter.right.text = "&P / &N"
        sheet = Sheet(worksheet)
        self.sheets.append(sheet)
        return sheet

    def _unique(self, name: str) -> str:
        for letter in "[]:*?/\\'":
            name = name.replace(letter, " ")
        name = name[:28].strip() or "Sheet"
        taken = {sheet.name.casefold() for sheet in self.sheets}
        number, unique = 2, name
        while unique.casefold() in taken:
            unique, number = f"{name} {number}", number + 1
        return unique
