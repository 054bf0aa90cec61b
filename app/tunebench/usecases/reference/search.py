"""Ranked search in short texts of two languages, indifferent to blanks: in Korean every writer sets them otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from tunebench.core.records import record

Thing = TypeVar("Thing")
_WEIGHTS = (100, 30, 8)
"""Of title and id, of tags, of texts and quotations."""
_AT_A_BEGINNING = 1.5
_PARTED = 0.4
_SHORTEST_PART = 2
_GAP = "\x00"


@record
class Indexed(Generic[Thing]):
    """`fields`: by weight, each a text without blanks; its parts are separated so that nothing is found across two."""

    thing: Thing
    fields: tuple[str, ...]


def plain(words: str) -> str:
    """Composed, without case, blanks and punctuation: what both a text and what is looked for are reduced to."""
    folded = unicodedata.normalize("NFKC", words).casefold()
    return re.sub(r"[\W_]+", "", folded.replace("%", "percent"))


def indexed(thing: Thing, *, strong: Iterable[str], middling: Iterable[str], weak: Iterable[str]) -> Indexed[Thing]:
    return Indexed(thing, tuple(_field(texts) for texts in (strong, middling, weak)))


def _field(texts: Iterable[str]) -> str:
    return _GAP + _GAP.join(plain(text) for text in texts) + _GAP


def best_first(index: Sequence[Indexed[Thing]], words: str) -> list[Thing]:
    """What holds every word, best first; all in their own order where `words` says nothing.

    Where nothing holds every word, what holds most of them.
    """
    wanted = [part for part in (plain(word) for word in words.split()) if part]
    if not wanted:
        return [own.thing for own in index]
    scored = [(_score(own.fields, wanted), position) for position, own in enumerate(index)]
    most = max((held for (held, _), _ in scored), default=0)
    ranked = sorted((-score, position) for (held, score), position in scored if held == most and held)
    return [index[position].thing for _, position in ranked]


def _score(fields: tuple[str, ...], wanted: list[str]) -> tuple[int, float]:
    """How many of the words the fields hold, and how well."""
    of_words = [_of_word(fields, word) for word in wanted]
    whole = _of_text(fields, "".join(wanted)) if len(wanted) > 1 else 0.0
    return sum(score > 0 for score in of_words), sum(of_words) + whole


def _of_word(fields: tuple[str, ...], word: str) -> float:
    return _of_text(fields, word) or _PARTED * _in_two(fields, word)


def _of_text(fields: tuple[str, ...], word: str) -> float:
    score = 0.0
    for weight, field in zip(_WEIGHTS, fields, strict=True):
        if _GAP + word in field:
            score += weight * _AT_A_BEGINNING
        elif word in field:
            score += weight
    return score


def _in_two(fields: tuple[str, ...], word: str) -> float:
    """The best way to find the word as two, each somewhere: ``디스크병목`` in "디스크가 병목"."""
    cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1) if not word.isascii() else ()
    pairs = ((_of_text(fields, word[:cut]), _of_text(fields, word[cut:])) for cut in cuts)
    return max((min(first, second) for first, second in pairs), default=0.0)
