"""Columns of a text report: the dashes under a heading say where each begins and ends.

Cells are never told apart by blanks: names contain some, cells may be empty, and full cells touch their neighbours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from tunebench.sdk import lazy_pattern

_RUN = lazy_pattern(r"[-~]+")
_RULER = lazy_pattern(r"\s*(?:[-~]+\s+)*[-~]+\s*")
_TOKEN = lazy_pattern(r"\S+")
_END = lazy_pattern(r"\s{5,}-{40,}\s*")
_NOISE = lazy_pattern(r"[-~`]+")


def is_ruler(text: str) -> bool:
    """A line of dashes under headings; one of tildes alone underlines a title."""
    return "--" in text and _RULER.fullmatch(text) is not None and not is_end(text)


def is_end(text: str) -> bool:
    """The line that closes a section."""
    return _END.fullmatch(text) is not None


def bare(text: str) -> str:
    """A heading for comparing: without blanks, whatever its case."""
    return "".join(text.split()).casefold()


class Columns:
    """The columns below one ruler.

    Args:
        ruler: the line of dashes.
        heads: lines of headings above it.
    """

    def __init__(self, ruler: str, heads: Sequence[str]) -> None:
        self.edges = [match.span() for match in _RUN.finditer(ruler)]
        self._heads = heads

    @cached_property
    def names(self) -> list[str]:
        """Each column's heading, `bare`."""
        return [bare(name) for name in self.titles]

    @cached_property
    def titles(self) -> list[str]:
        """Each column's heading; a word belongs to the column that it stands over, or is nearest to."""
        words: list[list[str]] = [[] for _ in self.edges]
        for head in self._heads:
            for token in _TOKEN.finditer(head):
                if not _NOISE.fullmatch(token[0]):
                    words[self._nearest(token.start(), token.end())].append(token[0].lstrip("`"))
        return [" ".join(parts) for parts in words]

    def _nearest(self, start: int, stop: int) -> int:
        overlaps = [min(stop, right) - max(start, left) for left, right in self.edges]
        return overlaps.index(max(overlaps))

    def place(self, *names: str) -> int | None:
        """Which column is called one of these (`bare`); the first name that there is counts."""
        return next((self.names.index(name) for name in names if name in self.names), None)

    def width(self, column: int) -> int:
        left, right = self.edges[column]
        return right - left

    def cells(self, text: str) -> list[str]:
        """What stands in each column, blanks around it taken off.

        A line with wide letters was padded by characters, by columns of a terminal or by bytes: it is the first of
        these that leaves the gaps between the columns empty.
        """
        if text.isascii():
            return self._cut(text, self.edges)
        for measure in (_characters, _terminal_columns, _bytes):
            edges = _moved(text, self.edges, measure)
            if all(not text[right:left].strip() for (_, right), (left, _) in pairwise(edges)):
                return self._cut(text, edges)
        return self._cut(text, self.edges)

    @staticmethod
    def _cut(text: str, edges: Sequence[tuple[int, int]]) -> list[str]:
        cells = [text[left:right].strip() for left, right in edges]
        if edges and text[edges[-1][1] : edges[-1][1] + 1].strip():  # longer than its column, as a last one may be
            cells[-1] = text[edges[-1][0] :].strip()
        return cells


def _characters(_: str) -> int:
    return 1


def _terminal_columns(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _bytes(letter: str) -> int:
    return len(letter.encode("utf-8", "replace"))


def _moved(text: str, edges: Sequence[tuple[int, int]], measure: Callable[[str], int]) -> list[tuple[int, int]]:
    """The edges as places in `text`, when letters are as wide as `measure` says."""
    at = 0
    places: dict[int, int] = {}
    for index, letter in enumerate(text):
        places.setdefault(at, index)
        at += measure(letter)
        places.setdefault(at - 1, index)
    end = len(text)
    return [(places.get(left, end), places.get(right, end)) for left, right in edges]
