"""Cuts a stream of JSON into njmon's snapshots, by its brackets, whatever its lines are."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.sdk import lazy_pattern, record

_MARK = lazy_pattern(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_LONGEST = 32 << 20
_DEEPEST = 50


@record
class Cut:
    """One snapshot.

    Attributes:
        text: its JSON; None for what turned out to be the beginning of ``{"samples": [``.
        line: 1-based line that it begins on.
        lines: whole lines of it that came before the line it ends on.
    """

    text: bytes | None
    line: int
    lines: int


class SnapshotCutter:
    """Objects of the outermost level, of an outermost list, or of ``{"samples": [ ... ]}``."""

    def __init__(self) -> None:
        self._open = 0  # brackets
        self._base = -1  # brackets that were open where the snapshot began; -1: none is open
        self._named = True  # whether the snapshot's first name was seen
        self._parts: list[bytes] = []
        self._bytes = 0
        self._line = 0
        self._lines = 0

    @property
    def is_inside(self) -> bool:
        return self._base >= 0

    def add_line(self) -> None:
        """The line ended inside the snapshot."""
        self._lines += 1

    def cut(self, number: int, line: bytes) -> Iterator[Cut]:
        """The snapshots that end on this line."""
        start = 0
        for match in _MARK.finditer(line):
            mark = match[0]
            if mark in (b"{", b"["):
                if mark == b"{" and not self.is_inside:
                    self._begin(number)
                    start = match.start()
                self._open = min(self._open + 1, _DEEPEST)
            elif mark in (b"}", b"]"):
                self._open = max(self._open - 1, 0)
                if self.is_inside and self._open <= self._base:
                    self._keep(line[start : match.end()])
                    yield self._end()
            elif not self._named:
                self._named = True
                if mark == b'"samples"':
                    self._base = -1
                    yield Cut(None, self._line, self._lines)
                    self._clear()
        if self.is_inside:
            self._keep(line[start:])

    def give_up(self) -> Cut:
        """The snapshot that is open has no end; reading goes on as at the beginning of a text."""
        ended = self._end()
        self._open = 0
        return ended

    def _begin(self, number: int) -> None:
        self._base, self._line, self._named = self._open, number, False

    def _end(self) -> Cut:
        ended = Cut(b"".join(self._parts), self._line, self._lines)
        self._clear()
        return ended

    def _clear(self) -> None:
        self._base, self._named = -1, True
        self._parts = []
        self._bytes = self._lines = 0

    def _keep(self, text: bytes) -> None:
        self._bytes += len(text)
        if self._bytes > _LONGEST:  # no snapshot is as long as this
            self._parts = []
        else:
            self._parts.append(text)
