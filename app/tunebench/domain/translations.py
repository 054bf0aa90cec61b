"""The second text of what people write: one mechanism for the fields of all records.

A field marked `Translatable` holds the text as it was written, in the language of the engagement. Its text in another
language stands beside it, in the same record: whatever keeps, undoes, seals, copies or compares the record has it too.
A translation says of which words it is: once these were changed it is of others, and no document prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast

from tunebench.core.messages import LANGUAGES
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.schema import Filled, Lines, OfPerson, RecordField, Shape, Translatable, schema

FIELD = "translations"
T = TypeVar("T")
_HANGUL = lazy_pattern(r"[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_WORD = lazy_pattern(r"[A-Za-z]{2,}[.,:;?!]?")


class Untranslated(StrEnum):
    """What a document does with texts that have no translation into its language."""

    KEEP = "keep"  # prints them as they were written
    LEAVE_OUT = "leave-out"


def other_language(language: str) -> str:
    return next(other for other in LANGUAGES if other != language)


@record
class Translation:
    """The text of a field in another language; `original` are the words that it says, as they were then."""

    field: str
    language: str
    text: Lines
    original: Lines = ""


@record(kw_only=True)
class Translated:
    """A record, or a part of one, with texts in a second language."""

    translations: tuple[Translation, ...] = ()

    def translation(self, name: str, language: str) -> Translation | None:
        """That of the field, also where it is of words that were changed since."""
        return next((one for one in self.translations if (one.field, one.language) == (name, language)), None)


# -- the texts of a field ------------------------------------------------------------------------------


def is_translatable(declared: RecordField) -> bool:
    return declared.mark(Translatable) is not None


def text_of(value: object, name: str) -> str:
    """The field as one text: of several texts each is a line."""
    text = getattr(value, name)
    return "\n".join(text) if isinstance(text, tuple) else str(text)


def _split(text: str, like: object) -> object:
    return tuple(text.split("\n")) if isinstance(like, tuple) else text


def is_current(value: Translated, translation: Translation) -> bool:
    """Whether it is of the words that the field has now."""
    return translation.original == text_of(value, translation.field)


def with_translation(value: Any, name: str, language: str, text: str) -> Any:
    """The record with the field's text in that language; without one where `text` is empty."""
    others = tuple(one for one in value.translations if (one.field, one.language) != (name, language))
    own = (Translation(name, language, text, text_of(value, name)),) if text.strip() else ()
    return replace(value, translations=tuple(sorted((*others, *own), key=lambda one: (one.field, one.language))))


def is_wanted(text: str, language: str) -> bool:
    """Whether a reader of `language` cannot read the text: Hangul in an English document, an English sentence in a
    Korean one. Names, figures, paths and single words are the same in both."""
    if language == "en":
        return _HANGUL.search(text) is not None
    words = [word for word in text.split() if _WORD.fullmatch(word)]
    return _HANGUL.search(text) is None and len(words) > 1 and any(word.islower() for word in words)


# -- through records and what is made of them ----------------------------------------------------------


def _rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with `change` of every dataclass in it, the innermost first; what does not change is the same object."""
    if type(value) is tuple:
        parts = tuple(_rebuilt(part, change) for part in value)
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
    if isinstance(value, Mapping):
        return {_rebuilt(key, change): _rebuilt(part, change) for key, part in value.items()}
    if not is_dataclass(value) or isinstance(value, type):
        return value
    pairs = ((own.name, getattr(value, own.name)) for own in fields(value) if own.init)
    changes = {name: new for name, old in pairs if (new := _rebuilt(old, change)) is not old}
    return change(replace(cast("Any", value), **changes) if changes else value)


def without_translations(value: T) -> T:
    """The record, or any value of one, as it was written."""
    return cast("T", _rebuilt(value, _bare))


def _bare(value: Any) -> Any:
    return replace(value, translations=()) if isinstance(value, Translated) and value.translations else value


def translated_texts(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of every translation in a record: ``title@en``, ``risks.1.text@en``, parts counted from 1."""
    if isinstance(value, Translated):
        yield from ((f"{path}{one.field}@{one.language}", one.text) for one in value.translations)
    for name in schema(type(value)) if is_dataclass(value) and not isinstance(value, type) else ():
        inner = getattr(value, name)
        if is_dataclass(inner):
            yield from translated_texts(inner, f"{path}{name}.")
        elif isinstance(inner, tuple) and name != FIELD:
            for number, part in enumerate(inner, 1):
                yield from translated_texts(part, f"{path}{name}.{number}.")


def texts_to_read(value: object, path: str = "") -> Iterator[tuple[str, Translated]]:
    """Path of every text in a record that may stand in a second language, and the part that holds it."""
    for name in schema(type(value)) if is_dataclass(value) and not isinstance(value, type) else ():
        inner = getattr(value, name)
        if isinstance(value, Translated) and name in _translatable(value) and text_of(value, name).strip():
            yield f"{path}{name}", value
        for number, part in enumerate(inner, 1) if isinstance(inner, tuple) and name != FIELD else ():
            yield from texts_to_read(part, f"{path}{name}.{number}.")
        if is_dataclass(inner):
            yield from texts_to_read(inner, f"{path}{name}.")


def with_translations(value: T, language: str, texts: Mapping[str, str]) -> T:
    """The record with a translation of each text in it that `texts` has one of and that lacks one.

    Args:
        texts: original -> text in `language`.
    """

    def translated(part: Any) -> Any:
        for name in _translatable(part) if isinstance(part, Translated) else ():
            text = texts.get(text_of(part, name))
            if text and part.translation(name, language) is None:
                part = with_translation(part, name, language, text)
        return part

    return cast("T", _rebuilt(value, translated))


def texts_in(value: object, language: str) -> dict[str, str]:
    """Original -> text in `language` of every translation in a record."""
    texts: dict[str, str] = {}

    def collected(part: Any) -> Any:
        for one in part.translations if isinstance(part, Translated) else ():
            if one.language == language:
                texts[one.original] = one.text
        return part

    _rebuilt(value, collected)
    return texts


def in_both_languages(build: Callable[[str], T], language: str) -> T:
    """What the program writes into records itself: what `build` makes in `language`, with the texts that it has in the
    other one beside."""
    other = other_language(language)
    return cast("T", _beside(build(language), build(other), other))


def _beside(value: Any, counterpart: Any, language: str) -> Any:
    if type(value) is not type(counterpart) or value is counterpart:
        return value
    if type(value) is tuple:
        alike = len(value) == len(counterpart)
        return tuple(_beside(*pair, language) for pair in zip(value, counterpart, strict=True)) if alike else value
    if not is_dataclass(value):
        return value
    names = [own.name for own in fields(value) if own.init and own.name != FIELD]
    inner = {name: _beside(getattr(value, name), getattr(counterpart, name), language) for name in names}
    value = replace(cast("Any", value), **inner)
    for name in _translatable(value) if isinstance(value, Translated) else ():
        text = text_of(counterpart, name)
        if text != text_of(value, name):
            value = with_translation(value, name, language, text)
    return value


def in_language(value: Translated, name: str, language: str) -> str:
    """The field in that language; as it was written where it has no other text."""
    translation = value.translation(name, language)
    is_there = translation is not None and is_current(value, translation)
    return translation.text if translation is not None and is_there else text_of(value, name)


@cache
def _fields_marked(record_type: type, mark: type) -> tuple[str, ...]:
    return tuple(name for name, declared in schema(record_type).items() if declared.mark(mark) is not None)


def _translatable(value: Any) -> tuple[str, ...]:
    return _fields_marked(value.__class__, Translatable)


def _persons(value: Any) -> tuple[str, ...]:
    return _fields_marked(value.__class__, OfPerson)


# -- for a reader --------------------------------------------------------------------------------------


@record(frozen=False)
class Reading:
    """What people wrote, as the reader of a document in `language` has it.

    Attributes:
        written_in: the language of the engagement.
        names: of people, as `spelled` spells them -> as that language writes them.
        texts: original -> text in that language, of all records.
        instead: stands for a text that must not be empty, where those without a translation are left out; None where
            they are printed as they were written.
        untranslated: texts that were met and have no translation, each once.
    """

    language: str
    written_in: str
    names: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    spelled: Callable[[str], str] = str
    instead: str | None = None
    untranslated: dict[str, None] = field(default_factory=dict)

    def of(self, value: T) -> T:
        """A record, or anything that holds records, in the reader's language."""
        return cast("T", _rebuilt(value, self._read))

    def words(self, text: str) -> str:
        """What a sentence of the program names: a text of a record, or a person."""
        return self.texts.get(text) or self.person(text)

    def facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Of a sentence of the program, with what they name of records in the reader's words."""
        return {name: self._fact(fact) for name, fact in facts.items()}

    def _fact(self, fact: Any) -> Any:
        if isinstance(fact, list | tuple):
            return type(fact)(map(self._fact, fact))
        return self.words(fact) if type(fact) is str else fact  # an enum's member has words of its own

    def person(self, names: str) -> str:
        """One name, or several with commas between."""
        return ", ".join(self.names.get(self.spelled(name), name) for name in names.split(", "))

    def unread(self, texts: Iterable[str]) -> list[str]:
        """Texts that exist in another language alone."""
        own = [text for text in texts if text.strip()]
        self.untranslated.update(dict.fromkeys(own))
        return own if self.instead is None else []

    def _read(self, value: Any) -> Any:
        changes = {name: self._text(value, name) for name in _translatable(value)}
        changes |= {name: self._people(getattr(value, name)) for name in _persons(value)}
        changes = {name: new for name, new in changes.items() if new != getattr(value, name)}
        return _bare(replace(value, **changes) if changes else value)

    def _people(self, names: Any) -> object:
        return tuple(map(self.person, names)) if isinstance(names, tuple) else self.person(names)

    def _text(self, value: Any, name: str) -> object:
        own, text = getattr(value, name), text_of(value, name)
        translation = value.translation(name, self.language) if isinstance(value, Translated) else None
        if translation is not None and is_current(value, translation):
            return _split(translation.text, own)
        declared = schema(type(value))[name]
        if self.language == self.written_in or declared.shape is Shape.COMMANDS or not is_wanted(text, self.language):
            return own
        self.untranslated[text] = None
        if self.instead is None:
            return own
        return _split(self.instead, own) if declared.mark(Filled) is not None else type(own)()
