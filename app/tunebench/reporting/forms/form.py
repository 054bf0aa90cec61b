"""Workbooks that people fill in: which sheets and columns they have, whatever language they are written in.

A sheet is known by the names in its hidden row (``issues.title``), not by its title or the order of its columns, so
that a translated, renamed or rearranged form is still read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum, StrEnum
from typing import cast

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.schema import Names, OnSheet, RecordField, Shape, Within, schema

FormValue = str | float | int | Enum | tuple[int, ...] | None
"""None: not answered. Dates are ISO text, record numbers a tuple."""


class FieldKind(StrEnum):
    LINE = "line"
    TEXT = "text"  # several lines
    NAMES = "names"  # one per line
    DATE = "date"
    NUMBER = "number"
    COUNT = "count"  # a whole number from 1
    CHOICE = "choice"
    ZONE = "zone"
    WEIGHT = "weight"  # -2 to +2
    RECORDS = "records"  # ``#12 Title``, one per line: records of the project; what follows the number is not read
    EVIDENCE = "evidence"  # ``E-3, E-4``


LONGEST = {FieldKind.LINE: 500, FieldKind.NAMES: 2_000, FieldKind.TEXT: 20_000}
"""Characters that an answer may have."""


@record
class FormField:
    """A column, or a row of an upright sheet.

    Attributes:
        name: stable, as the record's field where it is one.
        choices: the enum whose words the cell takes.
        width: of the column, in characters.
        path: where the value stands in the record (``rollback.command``), empty where it is no field of it.
        names: the kind of the records whose ids the cell tells.
    """

    name: str
    kind: FieldKind = FieldKind.LINE
    choices: type[Enum] | None = None
    required: bool = False
    width: float = 18.0
    path: str = ""
    names: str = ""


@record
class Form:
    """A sheet. `upright`: one answer per row, with its question beside it."""

    name: str
    fields: tuple[FormField, ...]
    upright: bool = False

    def field(self, name: str) -> FormField | None:
        return next((field for field in self.fields if field.name == name), None)

    def mark(self, field: FormField) -> str:
        """The field's mark in the hidden row or column."""
        return f"{self.name}.{field.name}"


# --- the sheet of a kind of records


def form_of(name: str, record_type: type, key: FormField | None = None, *, upright: bool = False) -> Form:
    """The sheet with a column for every field of `record_type` that is declared `OnSheet`.

    Args:
        key: the column before them that says whose part a line is; a text may then have several lines wherever it
            stands, as the spreadsheet breaks it.
    """
    texts = FieldKind.LINE if key is None else FieldKind.TEXT
    return Form(name, (*([key] if key else ()), *_columns(record_type, texts)), upright)


def _columns(record_type: type, texts: FieldKind, owner: str = "") -> Iterator[FormField]:
    """The fields of a part are named after it (``rollback_command``)."""
    for field in schema(record_type).values():
        column = field.mark(OnSheet)
        if column is not None:
            kind, naming = _kind_of(field), field.mark(Names)
            yield FormField(
                f"{owner}.{column.name or field.name}".strip(".").replace(".", "_"),
                texts if kind is FieldKind.LINE else kind,
                field.hint if kind is FieldKind.CHOICE else None,
                not field.has_default and not column.optional,
                column.width,
                f"{owner}.{field.name}".strip("."),
                naming.kind if naming is not None else "",
            )
        elif is_dataclass(field.hint):
            yield from _columns(cast("type", field.hint), texts, field.name)


def _kind_of(field: RecordField) -> FieldKind:
    naming, limits = field.mark(Names), field.mark(Within)
    if naming is not None:
        return FieldKind.EVIDENCE if naming.kind == "evidence" else FieldKind.RECORDS
    if isinstance(field.hint, type) and issubclass(field.hint, Enum):
        return FieldKind.CHOICE
    if field.hint is str:
        return _KINDS.get(field.shape, FieldKind.LINE)
    if field.hint is int:
        return FieldKind.WEIGHT if limits is not None and limits.low < 0 else FieldKind.COUNT
    return FieldKind.NAMES if field.hint == tuple[str, ...] else FieldKind.NUMBER


_KINDS = {
    Shape.LINES: FieldKind.TEXT,
    Shape.COMMANDS: FieldKind.TEXT,
    Shape.DAY: FieldKind.DATE,
    Shape.ZONE: FieldKind.ZONE,
}


NAME_ROW, HEADER_ROW = 3, 4
"""The hidden names, and the headings that people read; answers begin below."""
FIRST_ROW = HEADER_ROW + 1
ZONES_SHEET = "zones"

_LOOKS_ESCAPED = lazy_pattern(r"_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = lazy_pattern(r"_x005F_(?=x[0-9A-Fa-f]{4}_)")


def for_file(text: str) -> str:
    """Spreadsheets read ``_x000D_`` as a control character: an underscore that begins such a name is written out."""
    return _LOOKS_ESCAPED.sub("_x005F_", text)


def from_file(text: str) -> str:
    return _ESCAPED.sub("_", text)
