"""Cells of the worksheet's tables: what they read, and what may be typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, fields, replace
from datetime import tzinfo
from enum import Enum
from typing import Any

from tunebench.columns.column import Column, Edit, Locale
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Cause, Metric
from tunebench.reporting.cycle_words import word
from tunebench.reporting.forms.cells import CellRefused, value_of
from tunebench.reporting.forms.form import FieldKind, FormField
from tunebench.usecases.grid_cells import Wrong

_TEXTS = (FieldKind.LINE, FieldKind.TEXT)
_VERBATIM = ("command", "commands")


@record
class Sheet(Locale):
    """What cells are read with: the window's language, and the records that cells name.

    Attributes:
        clock: the zone that moments are told and typed in; None: as they are stored.
    """

    language: str = "en"
    missing: str = ""
    book: CycleBook = field(default_factory=CycleBook)
    iteration_id: int = 0
    clock: tzinfo | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return self.book.in_iteration(Metric, self.iteration_id)

    @property
    def causes(self) -> tuple[Cause, ...]:
        return self.book.in_iteration(Cause, self.iteration_id)

    def metric_called(self, name: str) -> int | None:
        """By its name, or by ``#12``; a metric that judges goes before a guard of the same name."""
        judging_first = sorted(self.metrics, key=lambda metric: metric.guards is not None)
        return _called(((metric.id, metric.name) for metric in judging_first), name)

    def cause_called(self, title: str) -> int | None:
        return _called(((cause.id, cause.title) for cause in self.causes), title)

    def evidence_numbered(self, number: int) -> int | None:
        return next((evidence.id for evidence in self.book.all(Evidence) if evidence.number == number), None)


def sheet_of(locale: Locale) -> Sheet:
    """The `Sheet` that the cells of the cycle's tables are read with."""
    assert isinstance(locale, Sheet)
    return locale


def _called(known: Iterable[tuple[int, str]], name: str) -> int | None:
    wanted = " ".join(name.split()).casefold()
    return next((id_ for id_, title in known if wanted in (" ".join(title.split()).casefold(), f"#{id_}")), None)


# --- fields of a record or of a part of it


def field_column(form: str, made: FormField, *, width: int, write: bool = True) -> Column[Any]:
    """A column for a field of a record, or of a part of it (``rollback.command``).

    Its words are those of the worksheet as a workbook (``form.changes.parameter``).
    """
    owner, _, name = (made.path or made.name).rpartition(".")

    def read(item: Any, locale: Locale) -> str:
        return field_text(getattr(getattr(item, owner) if owner else item, name), locale.language)

    def put(item: Any, text: str, locale: Locale) -> Any:
        part = getattr(item, owner) if owner else item
        part = replace(part, **{name: _field_value(made, name, text, part, locale.language)})
        return replace(item, **{owner: part}) if owner else part

    edit = Edit(
        put,
        choices=None if made.choices is None else words_of(made.choices),
        lines=made.kind is FieldKind.TEXT,
        verbatim=made.name.endswith(_VERBATIM),
        required=made.required,
    )
    return Column(
        made.name,
        f"form.{form}.{made.name}",
        text=read,
        right=made.kind in (FieldKind.NUMBER, FieldKind.WEIGHT),
        pixels=width,
        edit=edit if write else None,
    )


def words_of(members: Iterable[Enum]) -> Callable[[Locale], list[str]]:
    """The words of these members, for choosing one."""
    return lambda locale: [word(member, locale.language) for member in members]


def field_text(value: object, language: str) -> str:
    if isinstance(value, Enum):
        return word(value, language)
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _field_value(made: FormField, name: str, text: str, part: Any, language: str) -> object:
    if not text.strip():
        return _empty(made, name, part)
    try:
        return value_of(made, text, "s")
    except CellRefused as refused:
        facts = {name: _fact(value, language) for name, value in refused.facts.items()}
        raise Wrong(f"form.problem.{refused.key}", **facts) from refused


def _empty(made: FormField, name: str, part: Any) -> object:
    """What an emptied cell holds: no text, no number, the choice that a new one begins with."""
    if made.kind in _TEXTS or made.kind is FieldKind.DATE:
        return ""
    if made.choices is None and made.kind is not FieldKind.WEIGHT:
        return None
    default = next(declared.default for declared in fields(part) if declared.name == name)
    if not isinstance(default, Enum):
        raise Wrong("form.problem.cell_required")
    return default


def _fact(value: object, language: str) -> object:
    if isinstance(value, type) and issubclass(value, Enum):
        return ", ".join(word(member, language) for member in value)
    return word(value, language) if isinstance(value, Enum) else value
