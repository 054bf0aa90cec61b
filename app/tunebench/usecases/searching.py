"""How well what somebody typed names a thing: by its name, its beginning, its Korean initials, or something in it.

Typed words are found in any order; an initial consonant stands for every syllable that begins with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

INITIALS, FIRST_SYLLABLE, PER_INITIAL = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", 0xAC00, 588
"""Initial consonants in the order of Unicode's Hangul syllables, of which each begins `PER_INITIAL`."""

EXACT, EXACT_INITIALS = 100, 90
_IS_WORD, _NAME_BEGINS, _WORD_BEGINS, _BEGINS, _INITIALS_BEGIN, _INSIDE = 60, 50, 40, 30, 20, 10
_BEFORE_WORD = r"(?:^|[ ·/_.:\-])"


def score(names: Iterable[str], haystack: str, typed: str) -> int | None:
    """Higher is better; None where a typed word is found nowhere, 0 where nothing was typed.

    Args:
        names: what the thing is called; the one that fits best counts.
        haystack: what else it is found by.
    """
    points = [_points(name.lower(), f"{name} {haystack}".lower(), typed.lower().split()) for name in names]
    return max((one for one in points if one is not None), default=None)


def _points(name: str, everything: str, words: list[str]) -> int | None:
    if not words:
        return 0
    own = name.split()
    if len(own) == len(words) and all(re.fullmatch(_pattern(word), one) for word, one in zip(words, own, strict=True)):
        return EXACT**2 if own == words else EXACT_INITIALS * EXACT
    tiers = [tier for word in words if (tier := _tier(word, own, name, everything)) is not None]
    return None if len(tiers) < len(words) else min(tiers) * EXACT + sum(tiers)


def _tier(word: str, own: list[str], name: str, everything: str) -> int | None:
    pattern = _pattern(word)
    if not re.search(pattern, everything):
        return None
    if _has_initials(word):
        return _INITIALS_BEGIN if re.search(_BEFORE_WORD + pattern, everything) else _INSIDE
    if word in own:
        return _IS_WORD
    if name.startswith(word):
        return _NAME_BEGINS
    if re.search(_BEFORE_WORD + pattern, name):
        return _WORD_BEGINS
    return _BEGINS if re.search(_BEFORE_WORD + pattern, everything) else _INSIDE


def _has_initials(word: str) -> bool:
    return any(letter in INITIALS for letter in word)


def _pattern(word: str) -> str:
    return "".join(map(_letters_for, word))


def _letters_for(letter: str) -> str:
    index = INITIALS.find(letter)
    if index < 0:
        return re.escape(letter)
    first = FIRST_SYLLABLE + index * PER_INITIAL
    return f"[{letter}{chr(first)}-{chr(first + PER_INITIAL - 1)}]"


def verb_of(typed: str, verbs: Mapping[str, Iterable[str]]) -> tuple[str, str] | None:
    """The verb that is typed first and what follows it; None where none is, or nothing follows.

    Args:
        verbs: how each may be spelled, in both languages; the first two letters of a word will do, or all its initials.
    """
    words = typed.split()
    for verb, spellings in verbs.items():
        for spelling in spellings:
            parts = spelling.lower().split()
            if len(words) > len(parts) and all(map(_begins_verb, words, parts)):
                return verb, " ".join(words[len(parts) :])
    return None


def _begins_verb(word: str, part: str) -> bool:
    enough = len(part) if _has_initials(word) else min(2, len(part))
    return len(word) >= enough and re.match(_pattern(word.lower()), part) is not None
