"""Whether the first block of a run of iostat is the average since boot.

With -y two blank lines follow the banner where otherwise there is one. Mail programs and kernel messages leave other
lines there: what is neither proves nothing, and the first block is taken for the average. Where the command itself
stands in the capture it is what counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from tunebench.families.cells import is_number
from tunebench.sdk import LedgerBook, lazy_pattern

_BLANKS, _BLANKS_OF_Y = 1, 2  # lines below the banner
_OPTION_OR_NUMBER = lazy_pattern(r"-[\w=-]+|\d+(?:\.\d+)?")
_Y = lazy_pattern(r"-\w*y")


class FirstBlock:
    """Hears what the lines above the blocks are; a doubt is booked."""

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._run_begins = True  # the next block is the first of a run
        self._skips_boot: bool | None = None  # whether the command line has -y; None where none tells
        self._banner_line = 0
        self._heading_line = 0
        self._last_line = 0  # that was read by itself and is not blank
        self._counts_cpus = False
        self._taken_for_y = False  # the block that is open, by the blank lines above it
        self._double_spaced = False
        self._rows_without_heading = False

    # -- what is read ----------------------------------------------------------------------------

    def begin_run(self) -> None:
        self._run_begins = True

    def read_options(self, words: Sequence[str]) -> None:
        """Reads the options of the command line."""
        self._skips_boot = _has_y(words)

    def read_banner(self, number: int, line: bytes) -> None:
        self._banner_line = number
        self._counts_cpus = line.rstrip().endswith(b"CPU)")  # sysstat 9 and later; -y came with 10

    def read_heading(self, number: int) -> None:
        self._heading_line = number

    def read_remark(self, line: bytes) -> None:
        """A line that is nothing known."""
        self._rows_without_heading = self._rows_without_heading or _looks_like_row(line)

    def end_line(self, number: int) -> None:
        """A line that is not blank has been read, whatever it was."""
        self._last_line = number

    # -- what follows from it --------------------------------------------------------------------

    def begins_with_boot(self, number: int) -> bool:
        """Whether the block that begins on this line is the average since boot; a run has no second."""
        self._taken_for_y = False
        since_boot = self._run_begins and not self._skips_boot and self._starts_with_boot(number)
        self._run_begins = False
        return since_boot

    def _starts_with_boot(self, number: int) -> bool:
        if not self._banner_line:
            return not self._rows_without_heading  # cut off at its head: it does not begin with the average
        if not self._counts_cpus:
            return True
        blanks = number - self._banner_line - 1 if self._last_line == self._banner_line else None
        self._taken_for_y = blanks == _BLANKS_OF_Y and not self._double_spaced and self._skips_boot is None
        if not self._taken_for_y and blanks != _BLANKS:
            self._book.warn("likely_since_boot")
        return not self._taken_for_y

    def is_boot_after_all(self, first_row: int) -> bool:
        """Whether the block was taken for one below -y, and its first row shows that all lines are doubled.

        The tool leaves no blank line between a heading and its rows.
        """
        if first_row != self._heading_line + 2 or self._last_line != self._heading_line:
            return False
        self._double_spaced = True
        if not self._taken_for_y:
            return False
        self._taken_for_y = False
        self._book.warn("likely_since_boot")
        return True


def _has_y(words: Sequence[str]) -> bool | None:
    """Whether -y is among a command's words; None where others stand there: ``iostat without -y`` is a sentence."""
    options = list(takewhile(_OPTION_OR_NUMBER.fullmatch, words))
    if any(_Y.match(word) for word in options):
        return True
    return False if len(options) == len(words) else None


def _looks_like_row(line: bytes) -> bool:
    cells = line.split()
    return 2 * sum(map(is_number, cells)) > len(cells)
