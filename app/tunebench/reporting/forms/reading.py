"""Reads a form that was filled in: every wrong cell is named, and a wrong one gives no value."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from io import BytesIO
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.visible_text import visible
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.cells import CellRefused, value_of
from tunebench.reporting.forms.form import FIRST_ROW, NAME_ROW, ZONES_SHEET, Form, FormField, FormValue, from_file

LARGEST_BYTES = 30_000_000
LARGEST_UNPACKED_BYTES = 64_000_000
"""zipfile gives no more of a part than it says it holds."""
MOST_ROWS = 10_000
"""Lines of a sheet that are looked at."""
MOST_CELLS = 100_000_000
"""Places that are looked at, those with nothing in them as well: one answer far out has all before it."""


@record
class CellProblem:
    """What is wrong with a cell (or with a whole sheet where `cell` is empty); `key` below ``form.problem.``."""

    sheet: str
    cell: str
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)


@record
class FormRow:
    """One line; `values` has only what was answered, `cells` where each column stands."""

    sheet: str
    number: int
    values: Mapping[str, FormValue]
    cells: Mapping[str, str]

    def problem(self, name: str, key: str, **facts: object) -> CellProblem:
        return CellProblem(self.sheet, self.cells.get(name, f"A{self.number}"), key, facts)


@record(frozen=False)
class FormContents:
    """`problems` keep the whole form from being taken in; `remarks` do not."""

    rows: dict[str, list[FormRow]] = field(default_factory=dict)
    sheets: dict[str, str] = field(default_factory=dict)
    problems: list[CellProblem] = field(default_factory=list)
    remarks: list[CellProblem] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """No sheet and no column is missing or there twice: only then can lines be looked up from sheet to sheet."""
        return all(problem.cell for problem in self.problems)

    def of(self, form: Form) -> list[FormRow]:
        return self.rows.get(form.name, [])


def problem_words(problem: CellProblem, language: str) -> str:
    """What is wrong with the cell, without where it is."""
    facts = {name: _fact(value, language) for name, value in problem.facts.items()}
    return catalogue(language).text(f"form.problem.{problem.key}", **facts)


def problem_text(problem: CellProblem, language: str) -> str:
    """``'Issues' C7: ...``"""
    words, text = catalogue(language), problem_words(problem, language)
    if not problem.cell:
        return words.text("form.at_sheet", sheet=problem.sheet, text=text)
    return words.text("form.at_cell", sheet=problem.sheet, cell=problem.cell, text=text)


def _fact(value: object, language: str) -> object:
    if isinstance(value, type) and issubclass(value, Enum):
        return ", ".join(word(member, language) for member in value)
    return word(value, language) if isinstance(value, Enum) else value


def read_forms(data: bytes, path: str, forms: Sequence[Form]) -> FormContents:
    """All sheets of the workbook; `path` is for the sentence of a refusal.

    Raises:
        UserError: form_not_a_workbook, form_too_large; form_foreign where none of the sheets is there.
    """
    contents = FormContents()
    workbook = _opened(data, path)
    try:
        for worksheet in workbook.worksheets:
            if worksheet.title != ZONES_SHEET:
                _read_sheet(worksheet, path, forms, contents)
    except (SyntaxError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UserError("form_not_a_workbook", path=path) from error
    finally:
        workbook.close()
    if not contents.sheets:
        raise UserError("form_foreign", path=path)
    for form in forms:
        if form.name not in contents.sheets:
            contents.problems.append(CellProblem(_in_both_languages(f"form.{form.name}.sheet"), "", "sheet_missing"))
    return contents


def _in_both_languages(key: str) -> str:
    """The words of a key in Korean and English: nobody knows which of them the file was in."""
    return " / ".join(catalogue(language).text(key) for language in ("ko", "en"))


def _opened(data: bytes, path: str) -> Any:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    if len(data) > LARGEST_BYTES:
        raise UserError("form_too_large", path=path)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(item.file_size for item in archive.infolist()) > LARGEST_UNPACKED_BYTES:
                raise UserError("form_too_large", path=path)
        return openpyxl.load_workbook(BytesIO(data), read_only=True, keep_links=False)
    except UserError:
        raise
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, TypeError, OSError, SyntaxError) as error:
        raise UserError("form_not_a_workbook", path=path) from error


# --- a sheet


def _read_sheet(worksheet: Any, path: str, forms: Sequence[Form], contents: FormContents) -> None:
    rows = list(_filled_rows(worksheet, path))
    form = _form_of(rows, forms)
    if form is None:
        guide = any(str(cell.value) == "guide" for cell in _named(rows))
        if any(number >= FIRST_ROW for number, _cells in rows) and not guide:
            contents.remarks.append(CellProblem(worksheet.title, "", "sheet_unknown"))
        return
    if form.name in contents.sheets:
        facts = {"other": contents.sheets[form.name]}
        contents.problems.append(CellProblem(worksheet.title, "", "sheet_twice", facts))
        return
    contents.sheets[form.name] = worksheet.title
    if len(rows) > MOST_ROWS:
        contents.problems.append(CellProblem(worksheet.title, "", "rows_too_many", {"limit": MOST_ROWS}))
    read = _read_upright if form.upright else _read_register
    contents.rows[form.name] = read(worksheet.title, form, rows[:MOST_ROWS], contents)


def _filled_rows(worksheet: Any, path: str) -> Iterator[tuple[int, list[Any]]]:
    """Number and cells with something in them, of every row that has any. Raises UserError form_too_large."""
    filled = looked_at = 0
    worksheet.reset_dimensions()  # what the file says of its size may be anything
    for row in worksheet.iter_rows():
        looked_at += len(row)
        if looked_at > MOST_CELLS:
            raise UserError("form_too_large", path=path)
        cells = [cell for cell in row if cell.value is not None and str(_clean(cell.value)).strip()]
        if cells:
            yield cells[0].row, cells
            filled += 1
        if filled > MOST_ROWS:
            return


def _named(rows: list[tuple[int, list[Any]]]) -> list[Any]:
    return next((cells for number, cells in rows if number == NAME_ROW), [])


def _form_of(rows: list[tuple[int, list[Any]]], forms: Sequence[Form]) -> Form | None:
    names = {str(cell.value).partition(".")[0] for cell in _named(rows)}
    return next((form for form in forms if form.name in names), None)


def _read_register(sheet: str, form: Form, rows: list[tuple[int, list[Any]]], into: FormContents) -> list[FormRow]:
    from openpyxl.utils import get_column_letter

    columns: dict[int, FormField] = {}
    for cell in _named(rows):
        form_field = form.field(str(cell.value).partition(".")[2])
        if form_field is not None and form_field not in columns.values():
            columns[cell.column] = form_field
    _note_missing(sheet, form, [form_field.name for form_field in columns.values()], "column_missing", into)
    answered = []
    for number, cells in rows:
        if number >= FIRST_ROW:
            placed = {form_field.name: f"{get_column_letter(column)}{number}" for column, form_field in columns.items()}
            row = _read_line(sheet, number, [(columns.get(cell.column), cell) for cell in cells], placed, into)
            if row is not None:
                _require(form, row, into)
                answered.append(row)
    return answered


def _note_missing(sheet: str, form: Form, placed: Collection[str], key: str, into: FormContents) -> None:
    for missing in form.fields:
        if missing.name not in placed:
            column = _in_both_languages(f"form.{form.name}.{missing.name}")
            into.problems.append(CellProblem(sheet, "", key, {"column": column}))


def _read_line(
    sheet: str, number: int, cells: list[tuple[FormField | None, Any]], placed: Mapping[str, str], into: FormContents
) -> FormRow | None:
    """The answers of a line; None where nothing was answered on it."""
    values: dict[str, FormValue] = {}
    for form_field, cell in cells:
        if form_field is None:
            shown = str(cell.value)[:60]
            into.problems.append(CellProblem(sheet, cell.coordinate, "cell_outside", {"value": shown}))
            continue
        values[form_field.name] = _value(sheet, form_field, cell, into)
    return FormRow(sheet, number, values, placed) if values else None


def _value(sheet: str, form_field: FormField, cell: Any, into: FormContents) -> FormValue:
    """The cell's answer; None where it is refused and the problem noted."""
    try:
        return value_of(form_field, _clean(cell.value), str(cell.data_type))
    except CellRefused as refusal:
        into.problems.append(CellProblem(sheet, cell.coordinate, refusal.key, refusal.facts))
        return None


def _clean(value: object) -> object:
    return visible(from_file(value)) if isinstance(value, str) else value


def _require(form: Form, row: FormRow, into: FormContents) -> None:
    for form_field in form.fields:
        if form_field.required and form_field.name in row.cells and form_field.name not in row.values:
            into.problems.append(row.problem(form_field.name, "cell_required"))


def _read_upright(sheet: str, form: Form, rows: list[tuple[int, list[Any]]], into: FormContents) -> list[FormRow]:
    values: dict[str, FormValue] = {}
    placed: dict[str, str] = {}
    for number, cells in rows:
        by_column = {cell.column: cell for cell in cells}
        mark = by_column.get(1)
        form_field = form.field(str(mark.value).partition(".")[2]) if mark is not None else None
        if form_field is None or number < FIRST_ROW:
            continue
        placed[form_field.name] = f"C{number}"
        answer = by_column.get(3)
        if answer is not None:
            values[form_field.name] = _value(sheet, form_field, answer, into)
    _note_missing(sheet, form, placed, "answer_missing", into)
    row = FormRow(sheet, FIRST_ROW, values, placed)
    _require(form, row, into)
    return [row]
