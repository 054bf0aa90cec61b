"""How sure a heading makes a parser that a text is its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from tunebench.core.patterns import lazy_pattern

CERTAIN, AMONG_PROSE = 0.95, 0.6
_LINES_BEFORE = 12
_WORD = lazy_pattern(rb"[(\"'`*]*[A-Za-z][A-Za-z'-]*[)\"'`*.,;:!?]*")
_WORDS_OF_A_SENTENCE, _FEWEST_SENTENCES = 6, 5
_Line = TypeVar("_Line")


def confidence(pattern: re.Pattern[bytes], head: bytes, others: re.Pattern[bytes], times: int = 1) -> float:
    """`CERTAIN` where the heading stands near the beginning, `AMONG_PROSE` further below, 0 where it is not there.

    Args:
        pattern: what only this tool prints, found `times` times at least.
        others: what another system prints; a text with it is somebody else's.
    """
    if not head or others.search(head):
        return 0.0
    matches = list(pattern.finditer(head))[:times]
    return 0.0 if len(matches) < times else of_match(matches[0], _LINES_BEFORE)


def of_match(match: re.Match[bytes], most_before: int) -> float:
    """`CERTAIN` with at most so many lines before the match that are not empty."""
    before = match.string[: match.start()].splitlines()
    return CERTAIN if sum(1 for line in before if line.strip()) <= most_before else AMONG_PROSE


def of_first(
    lines: Iterable[_Line], is_heading: Callable[[_Line], object], most_before: int, below: float = AMONG_PROSE
) -> float:
    """`CERTAIN` with at most so many of the lines before the first heading, `below` with more, 0 without a heading."""
    first = next((index for index, line in enumerate(lines) if is_heading(line)), None)
    return 0.0 if first is None else CERTAIN if first <= most_before else below


def of_share(lines: Sequence[_Line], is_known: Callable[[_Line], object], share: float, sure: float = CERTAIN) -> float:
    """`sure` where more than this share of the lines is known, and one at least."""
    count = sum(bool(is_known(line)) for line in lines)
    return sure if count and count > share * len(lines) else 0.0


def goes_on_in_sentences(lines: Sequence[bytes]) -> bool:
    """Whether what follows a table is a text about it: a manual, an article. Words above it may be those of a login."""
    words = [line.split() for line in lines]
    sentences = sum(
        len(line) >= _WORDS_OF_A_SENTENCE
        and 5 * sum(_WORD.fullmatch(word) is not None for word in line) >= 4 * len(line)
        for line in words
    )
    return sentences >= _FEWEST_SENTENCES and 3 * sentences > len(lines)
