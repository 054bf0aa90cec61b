"""What people paste: cleaned of what cannot be seen, and bounded, before it becomes a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from typing import Any, TypeVar, cast

from tunebench.core.messages import LANGUAGES
from tunebench.core.signing import as_signature, public_line
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import Contact
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.schema import RecordField, Shape, schema
from tunebench.domain.translations import Translated, Translation, is_translatable
from tunebench.domain.visible_text import visible
from tunebench.usecases.cycle.words import FieldRefusal

LONGEST_LINE = 500
LONGEST_TEXT = 20_000

T = TypeVar("T")


def clean_text(text: str, lines: bool = False, verbatim: bool = False) -> str:
    """Composed (NFC), without control and invisible characters; on one line unless `lines` are allowed."""
    text = visible(text)
    if not lines:
        text = " ".join(text.split())
    return text.strip("\n") if verbatim else text.strip()


def _bounded(field: RecordField, text: str) -> str:
    limit = LONGEST_TEXT if field.has_lines else LONGEST_LINE
    if len(text) > limit:
        raise FieldRefusal("cycle_text_too_long", field=field.name, length=len(text), limit=limit)
    return text


def clean(value: T, bounded: Callable[[RecordField, str], str] = _bounded) -> T:
    """A record, or a part of one, with every text in it cleaned; `bounded` refuses what is too long.

    Raises:
        UserError: cycle_text_too_long.
    """

    def cleaned(field: RecordField, value: object) -> object:
        if type(value) is str:  # an enum's member is its own word
            return bounded(field, clean_text(value, field.has_lines, field.shape is Shape.COMMANDS))
        if isinstance(value, tuple):
            return tuple(cleaned(field, part) for part in value)
        return clean(value, bounded) if is_dataclass(value) else value

    changes = {name: cleaned(field, getattr(value, name)) for name, field in schema(type(value)).items()}
    value = cast("T", replace(cast("Any", value), **changes))
    if isinstance(value, Translated) and value.translations:
        return cast("T", replace(value, translations=tuple(_translations(value, bounded))))
    return value


def _translations(value: Translated, bounded: Callable[[RecordField, str], str]) -> Iterator[Translation]:
    """Each cleaned as the field that it translates, in whose lines several texts stand; of two of a field the last."""
    kept = {(translation.field, translation.language): translation for translation in value.translations}
    for (name, language), translation in sorted(kept.items()):
        field = schema(type(value)).get(name)
        if field is None or not is_translatable(field) or language not in LANGUAGES:
            raise FieldRefusal("cycle_field_untranslated", field=f"{name}@{language}")
        lines, verbatim = field.has_lines or isinstance(getattr(value, name), tuple), field.shape is Shape.COMMANDS
        text, original = (
            bounded(field, clean_text(words, lines, verbatim)) for words in (translation.text, translation.original)
        )
        if text:
            yield Translation(name, language, text, original)


def clean_edit(edit: CycleEdit) -> CycleEdit:
    changes = (RecordChange(change.before, change.after and _cleaned(change.after)) for change in edit.changes)
    return CycleEdit(edit.name, tuple(changes))


def _cleaned(record: Record) -> Record:
    """Raises UserError cycle_text_too_long; key_line_unreadable."""
    record = clean(record)
    if isinstance(record, Contact) and record.approver_key:
        return replace(record, approver_key=public_line(record.approver_key))
    if isinstance(record, Action):
        signed = (
            replace(consent, signature=as_signature(consent.signature) or consent.signature)
            for consent in record.consents
        )
        return replace(record, consents=tuple(signed))
    return record
