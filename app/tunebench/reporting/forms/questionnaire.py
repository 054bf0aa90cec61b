"""The questionnaire for the customer: engagement, issues, systems, contacts, glossary; filled with what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Contact, CustomerIssue, SystemInScope, Term
from tunebench.domain.engagement import Engagement
from tunebench.reporting.forms.form import HEADER_ROW, Form, form_of

if TYPE_CHECKING:
    from tunebench.reporting.forms.sheet import Values
    from tunebench.reporting.xlsx.sheet import Book

ENGAGEMENT = form_of("engagement", Engagement, upright=True)
ISSUES = form_of("issues", CustomerIssue)
SYSTEMS = form_of("systems", SystemInScope)
CONTACTS = form_of("contacts", Contact)
TERMS = form_of("terms", Term)
REGISTERS: Mapping[type[Any], Form] = {CustomerIssue: ISSUES, SystemInScope: SYSTEMS, Contact: CONTACTS, Term: TERMS}
FORMS = (ENGAGEMENT, *REGISTERS.values())


def questionnaire_bytes(engagement: Engagement, cycle: CycleBook, language: str, issued: str = "") -> bytes:
    """The workbook in ``"ko"`` or ``"en"``, filled with what is known; equal answers give equal bytes."""
    words = catalogue(language)
    from tunebench.reporting.forms.sheet import SPARE_ROWS, write_form, write_zones
    from tunebench.reporting.xlsx.finish import finished
    from tunebench.reporting.xlsx.sheet import Book

    book = Book(" · ".join(part for part in (engagement.customer, engagement.title) if part))
    _guide(book, language)
    write_form(book, ENGAGEMENT, [_engagement(engagement)], language, 0)
    for record_type, form in REGISTERS.items():
        write_form(book, form, [_values(form, record) for record in cycle.all(record_type)], language, SPARE_ROWS)
    write_zones(book)
    properties = book.workbook.properties
    properties.title, properties.creator = words.text("form.guide.title"), "TuneBench"
    properties.language = language
    return finished(book, issued)


def _values(form: Form, record: object) -> Values:
    return {field.name: getattr(record, field.name) or None for field in form.fields}


def _engagement(engagement: Engagement) -> Values:
    return {**_values(ENGAGEMENT, engagement), "consultants": "\n".join(engagement.consultants) or None}


def _guide(book: Book, language: str) -> None:
    """How to fill it in, and what happens with it."""
    words = catalogue(language)
    sheet = book.sheet(words.text("form.guide.sheet"))
    sheet.title(words.text("form.guide.title"), words.text("form.guide.subtitle"))
    from tunebench.reporting.forms.sheet import mark_guide

    mark_guide(sheet)
    sheet.worksheet.column_dimensions["A"].width = 5
    sheet.worksheet.column_dimensions["B"].width = 100
    keys = ("fill", "blank", "star", "lists", "rows", "dates", "formulas", "nothing_removed", "send_back")
    for index, key in enumerate(keys):
        text = words.text(f"form.guide.{key}")
        sheet.put_across(HEADER_ROW + index, 1, (index + 1, text), "tb integer", "tb text")
        sheet.raise_row(HEADER_ROW + index, ["", text])
