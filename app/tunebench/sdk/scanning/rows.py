"""How many lines of a text are rows of numbers: what an account of its lines is held against.

A line is a row where two or more of its words are numbers, and more than half of all; or, read from its beginning,
three or more and more than half of those up to there. Words stand between blanks, tabs, commas, semicolons, bars and
quotes. A number has digits, of which some may stand behind a point, a sign before them, an exponent with a sign or up
to two letters (``K``, ``ms``, ``%``) behind: no clock, date, address or version. So a heading is no row, whatever a
reader takes it for, and what a tool printed below it is one.

As the scanner itself there are two implementations of it, which say the same: `scan.c`, and the one below.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.scanning.choice import chosen_library

_ENOUGH, _FEWEST = 3, 2
_NUMBER = lazy_pattern(rb"[+-]?(?:[0-9]+|[0-9]*\.[0-9]+)(?:[eE][+-][0-9]+)?[A-Za-z%]{0,2}")
_WORDS_APART = bytes.maketrans(b',\t;"|\r', b"      ")
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_MOST_REMEMBERED = 20_000


class Rows(NamedTuple):
    """
    Attributes:
        rows: lines that are rows of numbers.
        numbers: those in all lines, of a row as many as make it one: there are at least as many.
    """

    rows: int = 0
    numbers: int = 0


def count_line_ends(text: bytes) -> int:
    """`bytes.count`, which takes ten times as long where the byte is frequent."""
    library = chosen_library()
    return text.count(b"\n") if library is None else int(library.count_line_ends(text, len(text)))


def count_rows(text: bytes) -> Rows:
    """Counts the rows of whole lines; a last one without its end counts."""
    library = chosen_library()
    return count_rows_plainly(text) if library is None else count_rows_compiled(text, library)


def count_rows_compiled(text: bytes, library: ctypes.CDLL) -> Rows:
    counts = (ctypes.c_int64 * 2)()
    library.count_rows(text, len(text), counts)
    return Rows(counts[0], counts[1])


class _AreNumbers(dict[bytes, bool]):
    """Words, their digits made alike, and whether they are numbers: there are few."""

    def __missing__(self, word: bytes) -> bool:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[word] = is_number = _NUMBER.fullmatch(word) is not None
        return is_number


_ARE_NUMBERS = _AreNumbers()


def count_rows_plainly(text: bytes) -> Rows:
    rows = all_numbers = 0
    for line in text.translate(_WORDS_APART).translate(_DIGITS_ALIKE).split(b"\n"):
        words = numbers = 0
        for word in filter(None, line.split(b" ")):
            words += 1
            numbers += _ARE_NUMBERS[word]
            if numbers >= _ENOUGH and 2 * numbers > words:
                break
        rows += numbers >= _FEWEST and 2 * numbers > words
        all_numbers += numbers
    return Rows(rows, all_numbers)
