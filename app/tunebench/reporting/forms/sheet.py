"""Writes the sheets of a form, filled with what is known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from typing import Any
from zoneinfo import available_timezones

from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from tunebench.core.messages import Catalogue, catalogue
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.form import (
    FIRST_ROW,
    HEADER_ROW,
    NAME_ROW,
    ZONES_SHEET,
    FieldKind,
    Form,
    FormField,
    FormValue,
    for_file,
)
from tunebench.reporting.xlsx.sheet import Book, Head, Sheet
from tunebench.reporting.xlsx.style import LINE_HEIGHT_PT

SPARE_ROWS = 30
"""Empty rows that are ready to be filled in; more may be added below them."""
LAST_ROW = 2_000
"""To here the lists are offered."""
ANSWER_WIDTH, QUESTION_WIDTH, HINT_WIDTH = 52.0, 30.0, 56.0
_TEXT_FORMAT = "@"
DIGITS = 15
"""What a spreadsheet keeps of a number; one with more is written as text, so that it comes back as it was."""
_FORMATS = {
    FieldKind.DATE: "yyyy-mm-dd",
    FieldKind.WEIGHT: "+0;-0;0",
    FieldKind.NUMBER: "General",
    FieldKind.COUNT: "General",
}
_ANSWER_FILL = PatternFill("solid", bgColor="FFF6DD")

Values = Mapping[str, FormValue]


def write_form(book: Book, form: Form, rows: Sequence[Values], language: str, spare: int) -> None:
    """Adds the sheet of `form`.

    Args:
        rows: one per line; an upright form has one.
        spare: empty lines to be filled in.
    """
    words = catalogue(language)
    sheet = book.sheet(words.text(f"form.{form.name}.sheet"), landscape=True)
    sheet.title(words.text(f"form.{form.name}.sheet"), words.text(f"form.{form.name}.how"))
    (_write_upright if form.upright else _write_register)(sheet, form, rows, words, spare)


def content_of(field: FormField, value: FormValue, language: str) -> str | float | int | None:
    """What the cell holds: words for enums, a serial day for a date."""
    if isinstance(value, Enum):
        return word(value, language)
    if field.kind is FieldKind.DATE and isinstance(value, str):
        return _serial(value)
    if isinstance(value, str):
        return for_file(value)
    assert not isinstance(value, tuple)  # records are written as text, with their titles
    return repr(value) if isinstance(value, float) and float(f"{value:.{DIGITS}g}") != value else value


def _serial(iso: str) -> float | str:
    try:
        return float((date.fromisoformat(iso) - date(1899, 12, 30)).days)
    except ValueError:
        return iso


def number_format(field: FormField) -> str:
    """Text columns are of the text format, so that a telephone number keeps its 0 and nothing becomes a formula."""
    return _FORMATS.get(field.kind, _TEXT_FORMAT)


# --- a register: one record per line


def _write_register(sheet: Sheet, form: Form, rows: Sequence[Values], words: Catalogue, spare: int) -> None:
    heads = [Head(heading(form, field, words), "tb text", field.width) for field in form.fields]
    for across, field in enumerate(form.fields, 1):
        sheet.put(NAME_ROW, across, form.mark(field), "tb note")
    sheet.worksheet.row_dimensions[NAME_ROW].hidden = True
    sheet.header(HEADER_ROW, heads)
    sheet.fit(heads)
    lines: list[Values] = [*rows, *([{}] * spare)]
    for down, values in enumerate(lines, FIRST_ROW):
        _write_line(sheet, form, down, values, words.language)
    for across, field in enumerate(form.fields, 1):
        letter = get_column_letter(across)
        _offer(sheet, field, f"{letter}{FIRST_ROW}:{letter}{LAST_ROW}", words)
    _mark_required(sheet, form)
    sheet.as_table(HEADER_ROW, HEADER_ROW, len(form.fields))


def _write_line(sheet: Sheet, form: Form, down: int, values: Values, language: str) -> None:
    contents = [content_of(field, values.get(field.name), language) for field in form.fields]
    for across, (field, content) in enumerate(zip(form.fields, contents, strict=True), 1):
        sheet.put(down, across, content, "tb text", number_format(field))
    sheet.raise_row(down, [content if isinstance(content, str) else "" for content in contents])


def heading(form: Form, field: FormField, words: Catalogue) -> str:
    """The column's heading; a star marks what must be answered."""
    name = words.text(f"form.{form.name}.{field.name}")
    return f"{name} *" if field.required else name


def _mark_required(sheet: Sheet, form: Form) -> None:
    """Colours an empty required cell in a line that is begun."""
    last = get_column_letter(len(form.fields))
    for across, field in enumerate(form.fields, 1):
        if not field.required:
            continue
        letter = get_column_letter(across)
        formula = f"AND(LEN(${letter}{FIRST_ROW})=0,COUNTA($A{FIRST_ROW}:${last}{FIRST_ROW})>0)"
        area = f"{letter}{FIRST_ROW}:{letter}{LAST_ROW}"
        sheet.worksheet.conditional_formatting.add(area, FormulaRule([formula], fill=_ANSWER_FILL))


# --- upright: one answer per row


def _write_upright(sheet: Sheet, form: Form, rows: Sequence[Values], words: Catalogue, _spare: int) -> None:
    worksheet: Any = sheet.worksheet
    values = rows[0] if rows else {}
    for letter, width in zip("ABCD", (8.0, QUESTION_WIDTH, ANSWER_WIDTH, HINT_WIDTH), strict=True):
        worksheet.column_dimensions[letter].width = width
    worksheet.column_dimensions["A"].hidden = True
    for across in (1, 2):  # the title stands in the first column that is seen
        sheet.put(across, 2, worksheet.cell(across, 1).value or "", "tb title" if across == 1 else "tb subtitle")
        worksheet.cell(across, 1).value = None
    sheet.put(NAME_ROW, 1, form.name, "tb note")
    worksheet.row_dimensions[NAME_ROW].hidden = True
    for across, key in ((2, "question"), (3, "answer"), (4, "hint")):
        sheet.put(HEADER_ROW, across, words.text(f"form.upright.{key}"), "tb header")
    for down, field in enumerate(form.fields, FIRST_ROW):
        sheet.put(down, 1, form.mark(field), "tb note")
        sheet.put(down, 2, heading(form, field, words), "tb label")
        content = content_of(field, values.get(field.name), words.language)
        sheet.put(down, 3, content, "tb text", number_format(field))
        hint = words.text(f"form.{form.name}.{field.name}_hint")
        sheet.put(down, 4, hint, "tb note")
        sheet.raise_row(down, ["", "", content if isinstance(content, str) else "", hint])
        row = worksheet.row_dimensions[down]
        row.height = max(row.height or 0, LINE_HEIGHT_PT + 6)
        _offer(sheet, field, f"C{down}", words)
    worksheet.freeze_panes = f"C{FIRST_ROW}"


# --- lists to choose from


def _offer(sheet: Sheet, field: FormField, area: str, words: Catalogue) -> None:
    """Gives the cells a list of choices; for zones one that also takes what it does not name."""
    if field.choices is not None:
        names = ",".join(word(member, words.language) for member in field.choices)
        check = DataValidation(type="list", formula1=f'"{names}"', allow_blank=True, showErrorMessage=True)
        check.errorTitle, check.error = words.text("form.check.title"), words.text("form.check.choice")
    elif field.kind is FieldKind.WEIGHT:
        check = DataValidation(type="list", formula1='"+2,+1,0,-1,-2"', allow_blank=True, showErrorMessage=False)
    elif field.kind is FieldKind.ZONE:
        check = DataValidation(type="list", formula1=f"'{ZONES_SHEET}'!$A$1:$A${len(zones())}", allow_blank=True)
        check.showErrorMessage = False
    else:
        return
    sheet.worksheet.add_data_validation(check)
    check.add(area)


def zones() -> tuple[str, ...]:
    """The zones of the list, Korea's first."""
    places = sorted(name for name in available_timezones() if name.startswith(("Asia/", "Europe/", "America/", "UTC")))
    return ("Asia/Seoul", "UTC", *(name for name in places if name not in ("Asia/Seoul", "UTC")))


def write_zones(book: Book) -> None:
    """The hidden sheet that the list of zones is taken from."""
    worksheet = book.workbook.create_sheet(ZONES_SHEET)
    worksheet.sheet_state = "hidden"
    for down, name in enumerate(zones(), 1):
        worksheet.cell(down, 1).value = name


def mark_guide(sheet: Sheet) -> None:
    """For reading only: what is written here is not read back."""
    sheet.put(NAME_ROW, 1, "guide", "tb note")
    sheet.worksheet.row_dimensions[NAME_ROW].hidden = True
