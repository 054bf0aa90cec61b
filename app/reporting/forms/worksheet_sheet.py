"""The trade-off worksheet as a workbook that can be edited in a spreadsheet and read back without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from app.core.messages import catalogue
from app.domain.cycle.book import CycleBook
from app.domain.cycle.evidence import Evidence
from app.domain.cycle.records import Cause, Metric
from app.domain.cycle.worksheet import Action, Consent, Impact, ParameterChange, Resource, Risk, Verification
from app.reporting.cycle_words import word
from app.reporting.forms.form import HEADER_ROW, NAME_ROW, FormField, FormValue, form_of
from app.reporting.forms.sheet import Values, write_form
from app.reporting.xlsx.finish import finish
from app.reporting.xlsx.sheet import Book, Head

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
PARTS = {name: form_of(name, made, _KEY) for name, made in PART_TYPES.items()}
"""Field of the action -> the sheet that holds its parts."""
ROLLBACK = "rollback_"
SYMBOLS = {2: "▲▲", 1: "▲", 0: "–", -1: "▼", -2: "▼▼"}


def worksheet_bytes(
    book: CycleBook, actions: Sequence[Action], language: str, title: str = "", issued: str = ""
) -> bytes:
    """The workbook in ``"ko"`` or ``"en"``; equal actions give equal bytes."""
    workbook = Book()
    _overview(workbook, actions, language, title)
    write_form(workbook, ACTIONS, [_action(book, action) for action in actions], language, title, SPARE)
    for name, form in PARTS.items():
        write_form(workbook, form, [*_parts(book, actions, name)], language, title, SPARE)
    workbook.workbook.properties.title = title
    workbook.workbook.properties.creator = "TuneBench"
    saved = BytesIO()
    workbook.workbook.save(saved)
    return finish(saved.getvalue(), {}, {}, issued)


def key_of(action: Action) -> str:
    return f"#{action.id}"


def _action(book: CycleBook, action: Action) -> Values:
    values: dict[str, FormValue] = {"action": key_of(action)}
    for field in ACTIONS.fields:
        if field.name.startswith(ROLLBACK):
            values[field.name] = _answer(getattr(action.rollback, field.name.removeprefix(ROLLBACK)))
        elif field.name not in ("action", "causes"):
            values[field.name] = _answer(getattr(action, field.name))
    causes = (book.find(Cause, id_) for id_ in action.cause_ids)
    values["causes"] = _named((cause.id, cause.title) for cause in causes if cause is not None)
    return values


def _answer(value: FormValue) -> FormValue:
    return None if value == "" else value


def _named(records: Iterable[tuple[int, str]]) -> str | None:
    """One per line; the title is for the reader."""
    return "\n".join(f"#{number} {' '.join(title.split())}".strip() for number, title in records) or None


def _parts(book: CycleBook, actions: Sequence[Action], name: str) -> Iterable[Values]:
    special = _SPECIAL.get(name)
    for action in actions:
        for part in getattr(action, name):
            plain = {field.name: _answer(getattr(part, field.name, None)) for field in PARTS[name].fields}
            yield {**plain, **(special(book, part) if special else {}), "action": key_of(action)}


def _impact(book: CycleBook, impact: Impact) -> Values:
    evidence = (book.find(Evidence, id_) for id_ in impact.evidence_ids)
    return {"evidence": ", ".join(each.code for each in evidence if each is not None) or None}


def _verification(book: CycleBook, verification: Verification) -> Values:
    metric = book.find(Metric, verification.metric_id)
    return {"metric": _named([(verification.metric_id, metric.name if metric else "")])}


_SPECIAL: Mapping[str, Callable[..., Values]] = {"impacts": _impact, "verifications": _verification}


def _overview(workbook: Book, actions: Sequence[Action], language: str, title: str) -> None:
    """Who pays: actions by resources. For reading only; it is made from the other sheets."""
    words = catalogue(language)
    sheet = workbook.sheet(words.text("form.overview.sheet"), title, landscape=True)
    sheet.title(words.text("form.overview.sheet"), words.text("form.overview.how"))
    sheet.put(NAME_ROW, 1, "guide", "tb note")
    sheet.worksheet.row_dimensions[NAME_ROW].hidden = True
    heads = [Head(words.text("form.actions.action"), width=9), Head(words.text("form.actions.title"), width=40)]
    heads += [Head(word(resource, language), width=11) for resource in Resource]
    sheet.header(HEADER_ROW, heads)
    sheet.worksheet.row_dimensions[HEADER_ROW].height = 46
    sheet.fit(heads)
    for down, action in enumerate(actions, HEADER_ROW + 1):
        cells = [key_of(action), action.title, *(symbol(action, resource) for resource in Resource)]
        for across, text in enumerate(cells, 1):
            sheet.put(down, across, text, "tb label" if across == 1 else "tb text")
        sheet.raise_row(down, cells)
    sheet.worksheet.freeze_panes = f"C{HEADER_ROW + 1}"


def symbol(action: Action, resource: Resource) -> str:
    """Relief and price on one resource; both where an action has both (a new index: reads and writes)."""
    directions = [impact.direction for impact in action.impacts if impact.resource is resource]
    return " ".join(SYMBOLS.get(direction, str(direction)) for direction in directions)
