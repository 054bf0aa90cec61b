"""Where the words of a PDF stand: which of them run into each other, which are cut, how full a page is.

Boxes are those of the letters as they are drawn, in points from the lower left corner of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pypdfium2

MARGIN = 18 / 25.4 * 72
FOOT = 20 / 25.4 * 72
TOUCH = 0.6
"""Points by which boxes may reach into each other: letters are boxed to the outside of their edges."""
WHITE = 250
SCALE = 2.0


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    left: float
    foot: float
    right: float
    top: float

    def overlaps(self, other: Word) -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.top, other.top) - max(self.foot, other.foot)
        return across > TOUCH and up > TOUCH


def pages_of(pdf: bytes) -> list[list[Word]]:
    """The words of each page, in the order in which they were drawn."""
    with closing(pypdfium2.PdfDocument(BytesIO(pdf))) as document:
        return [list(_words(page)) for page in document]


def _words(page: pypdfium2.PdfPage) -> Iterator[Word]:
    """Letters that follow each other on one line; a letter that stands elsewhere begins another word."""
    text = page.get_textpage()
    letters: list[Word] = []
    for index in range(text.count_chars()):
        character = text.get_text_range(index, 1)
        letter = Word(character, *text.get_charbox(index))
        if character.isspace() or not character or (letters and _is_apart(letters[-1], letter)):
            if letters:
                yield _joined(letters)
            letters = []
        if character.strip():
            letters.append(letter)
    if letters:
        yield _joined(letters)


def _is_apart(one: Word, other: Word) -> bool:
    tall = max(one.top - one.foot, other.top - other.foot, 4.0)
    middles = abs((one.top + one.foot) - (other.top + other.foot)) / 2
    return middles > 1.2 * tall or not -0.5 * tall < other.left - one.right < 1.5 * tall


def _joined(letters: list[Word]) -> Word:
    return Word(
        "".join(letter.text for letter in letters),
        min(letter.left for letter in letters),
        min(letter.foot for letter in letters),
        max(letter.right for letter in letters),
        max(letter.top for letter in letters),
    )


def overprints(pdf: bytes) -> list[tuple[int, str, str]]:
    """(page from 1, word, word) of those that run into each other."""
    return [
        (number, one.text, other.text)
        for number, words in enumerate(pages_of(pdf), 1)
        for index, one in enumerate(words)
        for other in words[index + 1 :]
        if one.overlaps(other)
    ]


def outside(pdf: bytes, margin: float = MARGIN) -> list[tuple[int, str]]:
    """(page from 1, word) of those that reach into the margin at the left, at the right or above, or off the page."""
    with closing(pypdfium2.PdfDocument(BytesIO(pdf))) as document:
        sizes = [page.get_size() for page in document]
    return [
        (number, word.text)
        for number, (words, (across, up)) in enumerate(zip(pages_of(pdf), sizes, strict=True), 1)
        for word in words
        if word.left < margin - TOUCH
        or word.right > across - margin + TOUCH
        or word.top > up - margin + TOUCH
        or word.foot < 0
    ]


def filled(pdf: bytes) -> list[float]:
    """The share of each page, between its margins, that reaches down to the last ink above the footer."""
    with closing(pypdfium2.PdfDocument(BytesIO(pdf))) as document:
        return [_filled(page) for page in document]


def _filled(page: pypdfium2.PdfPage) -> float:
    picture = np.asarray(page.render(scale=SCALE).to_pil().convert("L"))
    first = round(MARGIN * SCALE)
    last = len(picture) - round(FOOT * SCALE)
    inked = np.flatnonzero((picture[first:last] < WHITE).any(axis=1))
    return float((inked[-1] + 1) / (last - first)) if len(inked) else 0.0
