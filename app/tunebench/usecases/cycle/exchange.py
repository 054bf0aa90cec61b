"""Questionnaire and trade-off worksheet out to a spreadsheet and back: all of a file is taken in, or nothing."""

from __future__ import annotations

from pathlib import Path

from tunebench.core.whole_files import write_whole
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.worksheet import Action
from tunebench.reporting.forms.reading import CellProblem
from tunebench.reporting.forms.worksheet_reading import changed_actions, read_worksheet
from tunebench.reporting.forms.worksheet_sheet import worksheet_bytes
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.form_files import FormRefused, TakenIn, read_form, taken_in
from tunebench.usecases.cycle.text import clean


def export_worksheet(project: Project, path: Path, iteration_id: int, language: str, issued: str = "") -> Path:
    """The trade-off worksheet of an iteration; gives its path.

    Raises:
        UserError: path_missing, file_unwritable.
    """
    book = reading.read(project)
    engagement = engagements.read_engagement(project)
    title = " · ".join(part for part in (engagement.customer, engagement.title) if part)
    return write_whole(path, worksheet_bytes(book, book.in_iteration(Action, iteration_id), language, title, issued))


def import_worksheet(project: Project, path: Path, iteration_id: int, who: str = "") -> TakenIn:
    """Takes in a worksheet that was edited. An action whose line is missing stays as it is.

    Raises:
        FormRefused: cells are wrong, or an action that was executed differs.
        UserError: form_unreadable, form_not_a_workbook, form_too_large, form_foreign, project_read_only.
    """
    with project.transaction():
        edit, remarks = worksheet_edit(reading.read(project), path, iteration_id)
        done = applying.apply(project, edit, who) if edit.changes else None
    return taken_in(edit.changes, done, remarks)


def worksheet_edit(book: CycleBook, path: Path, iteration_id: int) -> tuple[CycleEdit, tuple[CellProblem, ...]]:
    """What the worksheet at `path` changes, as an edit that has still to be applied; and its remarks.

    Raises:
        As `import_worksheet`.
    """
    sheet = read_worksheet(read_form(path), str(path), book, iteration_id)
    if sheet.problems:
        raise FormRefused(path, sheet.problems)
    pairs = changed_actions(book, [clean(action) for action in sheet.actions])
    return CycleEdit("import_worksheet", tuple(RecordChange(old, new) for old, new in pairs)), sheet.remarks
