"""The trade-off worksheet as a workbook that can be edited in a spreadsheet and read back without loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.worksheet import Action, Consent, Impact, ParameterChange, Resource, Risk, Verification
from tunebench.domain.record_labels import own_words
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.form import HEADER_ROW, FieldKind, Form, FormField, FormValue, form_of

if TYPE_CHECKING:
    from tunebench.reporting.forms.sheet import Values
    from tunebench.reporting.xlsx.sheet import Book

SPARE = 15

_KEY = FormField("action", required=True, width=10)
"""``#12`` for an action of the project, anything else (``new 1``) for one that is added."""

ACTIONS = form_of("actions", Action, _KEY)
PART_TYPES: Mapping[str, type[Any]] = {
    "changes": ParameterChange,
    "impacts": Impact,
    "risks": Risk,
    "verifications": Verification,
    "consents": Consent,
}
PARTS = {name: form_of(name, record_type, _KEY) for name, record_type in PART_TYPES.items()}
"""Field of the action -> the sheet that holds its parts."""
SYMBOLS = {2: "▲▲", 1: "▲", 0: "–", -1: "▼", -2: "▼▼"}


def worksheet_bytes(
    book: CycleBook, actions: Sequence[Action], language: str, title: str = "", issued: str = ""
) -> bytes:
    """The workbook in ``"ko"`` or ``"en"``; equal actions give equal bytes."""
    from tunebench.reporting.forms.sheet import write_form
    from tunebench.reporting.xlsx.finish import finished
    from tunebench.reporting.xlsx.sheet import Book

    workbook = Book(title)
    _overview(workbook, actions, language)
    rows = [_values(book, ACTIONS, action, action) for action in actions]
    write_form(workbook, ACTIONS, rows, language, SPARE)
    for name, form in PARTS.items():
        rows = [_values(book, form, action, part) for action in actions for part in getattr(action, name)]
        write_form(workbook, form, rows, language, SPARE)
    workbook.workbook.properties.title = title
    workbook.workbook.properties.creator = "TuneBench"
    return finished(workbook, issued)


def _values(book: CycleBook, form: Form, action: Action, part: object) -> Values:
    answers = {field.name: _answer(book, field, attrgetter(field.path)(part)) for field in form.fields if field.path}
    return {"action": f"#{action.id}", **answers}


def _answer(book: CycleBook, field: FormField, value: FormValue) -> FormValue:
    """Records one per line, with their titles for the reader; evidence by its codes."""
    if not field.names:
        return None if value == "" else value
    ids = value if isinstance(value, tuple) else (value,)
    named = [record for id_ in ids if isinstance(id_, int) and (record := book.records.get(id_)) is not None]
    if field.kind is FieldKind.EVIDENCE:
        return ", ".join(evidence.code for evidence in named if isinstance(evidence, Evidence)) or None
    return "\n".join(f"#{record.id} {' '.join(own_words(record).split())}".strip() for record in named) or None


def _overview(workbook: Book, actions: Sequence[Action], language: str) -> None:
    """Who pays: actions by resources. For reading only; it is made from the other sheets."""
    words = catalogue(language)
    sheet = workbook.sheet(words.text("form.overview.sheet"), landscape=True)
    sheet.title(words.text("form.overview.sheet"), words.text("form.overview.how"))
    from tunebench.reporting.forms.sheet import mark_guide
    from tunebench.reporting.xlsx.sheet import Head

    mark_guide(sheet)
    heads = [Head(words.text("form.actions.action"), width=9), Head(words.text("form.actions.title"), width=40)]
    heads += [Head(word(resource, language), width=11) for resource in Resource]
    sheet.header(HEADER_ROW, heads)
    sheet.worksheet.row_dimensions[HEADER_ROW].height = 46
    sheet.fit(heads)
    for down, action in enumerate(actions, HEADER_ROW + 1):
        cells = [f"#{action.id}", action.title, *(symbol(action, resource) for resource in Resource)]
        sheet.put_across(down, 1, cells, "tb label", "tb text")
        sheet.raise_row(down, cells)
    sheet.worksheet.freeze_panes = f"C{HEADER_ROW + 1}"


def symbol(action: Action, resource: Resource) -> str:
    """Relief and price on one resource; both where an action has both (a new index: reads and writes)."""
    directions = [impact.direction for impact in action.impacts if impact.resource is resource]
    return " ".join(SYMBOLS.get(direction, str(direction)) for direction in directions)
