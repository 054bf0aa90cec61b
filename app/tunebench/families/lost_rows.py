"""Rows that were damaged on their way: each keeps the time it took, so that no later row takes its place."""

from __future__ import annotations

from tunebench.sdk.scanning.rows import count_rows


def is_lost_row(line: bytes) -> bool:
    """Whether a line that cannot be read is what is left of a row that began with a number."""
    text = line.replace(b"\0", b" ").lstrip()
    return text[:1].isdigit() and count_rows(text).rows > 0


class LostRows:
    """Tells the damaged rows of one capture apart."""

    def __init__(self) -> None:
        self._line = self._cells = 0  # of the last one

    def begins(self, number: int, line: bytes, width: int) -> bool:
        """Whether an unreadable line is a damaged row of `width` cells, and not the rest of the one above it.

        A row that was broken in two lines has all of its cells in both, and one more where a number was cut in two.
        """
        if not is_lost_row(line):
            return False
        cells = len(line.split())
        goes_on = number == self._line + 1 and self._cells + cells in (width, width + 1)
        self._line, self._cells = number, 0 if goes_on else cells
        return not goes_on
