"""The demo's story as its tellers ask for it: texts in the language of the engagement, each with its second one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from tunebench.core.messages import LANGUAGES
from tunebench.domain.translations import other_language, with_translations

Table = Mapping[str, Any]
"""A table of the story; texts are ``{ ko = ..., en = ... }`` or the same in both languages."""
T = TypeVar("T")


class Story:
    def __init__(self, facts: Table, language: str) -> None:
        self.facts, self.language = facts, language
        self._other = dict(_pairs(facts, language))

    def text(self, table: Table, name: str) -> str:
        """Empty where the table has no such text."""
        value = table.get(name, "")
        return str(value[self.language] if isinstance(value, Mapping) else value)

    def texts(self, table: Table, *names: str) -> dict[str, Any]:
        return {name: self.text(table, name) for name in names}

    def in_both(self, value: T) -> T:
        """A record with all of its texts in the second language, too."""
        return with_translations(value, other_language(self.language), self._other)

    def learn(self, own: str, other: str) -> None:
        """A text that the program makes, in both languages."""
        self._other[own] = other


def _pairs(story: object, language: str) -> Iterator[tuple[str, str]]:
    """Every text of the story in `language`, with what it is in the other one."""
    if isinstance(story, Mapping):
        if story.keys() == set(LANGUAGES):
            own, other = story[language], story[other_language(language)]
            yield from zip(own, other, strict=True) if isinstance(own, list) else [(str(own), str(other))]
        else:
            for part in story.values():
                yield from _pairs(part, language)
    elif isinstance(story, list):
        for part in story:
            yield from _pairs(part, language)
