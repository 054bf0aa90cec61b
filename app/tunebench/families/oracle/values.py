"""Numbers as AWR prints them.

    1,139.2   .81   -65.0   2.3E+08   28.7K   515815M   2.2T   0.0(123)   733.58us   12.98 s   ############ns

A blank cell, a cell of ``#`` (the number did not fit) and a range (``18.05 - 86.71``) are no number. Volumes of data
are multiples of 1024, everything else of 1000. Under NLS_NUMERIC_CHARACTERS=',.' the marks change places.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

_NUMBER = lazy_pattern(r"([-+]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?)([KMGTP]?)")
_MOST_DIGITS = 40
_DURATION = lazy_pattern(r"(.*[0-9.,])\s{0,3}(ns|us|ms|s|m|h)", re.DOTALL)
_BRACKETS = lazy_pattern(r"\([^()]*\)$")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_WITH_POINT = lazy_pattern(
    r"-?(?:[0-9]{0,3}(?:,[0-9]{3})*\.[0-9]{1,2}|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]{1,3}(?:,[0-9]{3}){2,})"
)
_FIRST_OF_A_NUMBER = frozenset("-.,0123456789")
_MARKS = str.maketrans(",.", ".,")
_ONE_MARK = lazy_pattern(r"-?[0-9]{0,40}[.,](?:[0-9]{1,2}|[0-9]{4,40})(?:[eE][-+]?[0-9]{1,3})?[KMGTP]?")
_SPACED = lazy_pattern(r"(?<=[0-9])[\s\u202f](?=[0-9]{3}(?:[^0-9]|$))")


@record
class Numbers:
    """Reads the numbers of one report."""

    decimal_comma: bool = False

    def read(self, text: str, base: float = 1000.0) -> float | None:
        """The number; None where the cell holds none.

        Args:
            base: what a suffix is a power of.
        """
        if text.isascii() and text.replace(".", "", 1).isdigit() and self._is_plain(text):  # as most are
            return float(text)
        text = self._plain(text)
        if not text:
            return None
        match = _NUMBER.fullmatch(text) or _NUMBER.fullmatch(_BRACKETS.sub("", text).rstrip(" %"))
        if match is None:
            return None
        value = float(match[1]) * base ** _POWERS[match[2]]
        return value if math.isfinite(value) else None

    def _is_plain(self, text: str) -> bool:
        return len(text) <= _MOST_DIGITS and not (self.decimal_comma and "." in text)

    def bytes_of(self, text: str) -> float | None:
        return self.read(text, 1024.0)

    def whole(self, text: str) -> int | None:
        """A number that counts or names something; None where it has more digits than such a number can have."""
        value = self.read(text)
        return int(value) if value is not None and value == int(value) and abs(value) < 1e18 else None

    def seconds(self, text: str) -> float | None:
        """A time with its unit; a bare number is none, its heading would have to say the unit."""
        match = _DURATION.fullmatch(text.strip())
        value = self.read(match[1]) if match else None
        return None if value is None or match is None else value * _SECONDS[match[2]]

    def _plain(self, text: str) -> str:
        text = text.strip()
        if not text.isascii() or " " in text:
            text = _SPACED.sub("", text)
        if "," not in text and not (self.decimal_comma and "." in text):
            return text
        if _ONE_MARK.fullmatch(text):  # no group of three digits follows it: a decimal mark, whichever it is
            return text.replace(",", ".")
        return text.replace(".", "").replace(",", ".") if self.decimal_comma else text.replace(",", "")


def digits(text: str) -> int:
    """How many digits a number is printed with; one with a suffix has been rounded to few."""
    return sum(map(str.isdigit, text.partition("E")[0]))


def numbers_of(cells: Iterable[str]) -> Numbers:
    """Whether the report's decimals stand after a comma, by what can be one thing only."""
    commas = points = 0
    for cell in cells:
        if cell[:1] not in _FIRST_OF_A_NUMBER or ("." not in cell and "," not in cell):
            continue  # most cells of a report are told by this
        whole = _SPACED.sub("", cell) if len(cell.split(None, 1)) > 1 else cell
        first = whole.partition(" ")[0].rstrip("KMGTP%")
        if "," in first or first.count(".") > 1:  # else it cannot match
            commas += _WITH_POINT.fullmatch(first.translate(_MARKS)) is not None
        if "." in first or first.count(",") > 1:
            points += _WITH_POINT.fullmatch(first) is not None
    return Numbers(commas > points)
