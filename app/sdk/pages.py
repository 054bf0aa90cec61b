"""Complete lines of a capture as one array of bytes, for parsers that read many lines with one operation.

A line of a capture costs Python 0.3 to 1 µs wherever it is touched, however little is done with it. A page
is touched as a whole: where its lines begin and end, and the bytes at some columns of many lines, are numpy
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_NEWLINE = 10
_PADDING = bytes(256)
WIDEST_COLUMNS = len(_PADDING)
"""`Page.columns` gives no more bytes of a line than these."""


class Page:
    """Lines that follow each other.

    Args:
        text: whole lines, each with its ``\\n``; no ``\\r`` before it.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._windows: dict[int, NDArray[np.uint8]] = {}

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        """Of lines; many a page is asked for no more than this and its text."""
        return self.text.count(b"\n")

    @cached_property
    def data(self) -> NDArray[np.uint8]:
        """uint8, the text and some NULs behind it."""
        return np.frombuffer(self.text + _PADDING, dtype=np.uint8)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64[lines], where the ``\\n`` stands."""
        return np.flatnonzero(self.data == _NEWLINE)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """int64[lines]."""
        starts = np.zeros(len(self.ends), dtype=np.int64)
        starts[1:] = self.ends[:-1] + 1
        return starts

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """int64[lines], bytes without the line end."""
        lengths: NDArray[np.int64] = self.ends - self.starts
        return lengths

    def line(self, index: int) -> bytes:
        return self.text[self.starts[index] : self.ends[index]]

    def lines(self, start: int, stop: int) -> list[bytes]:
        """Lines `start` to `stop` - 1."""
        return split_lines(self.slice(start, stop))

    def slice(self, start: int, stop: int) -> bytes:
        """The text of lines `start` to `stop` - 1, with their line ends."""
        if stop <= start:
            return b""
        if start == 0 and stop == len(self):
            return self.text
        return self.text[self.starts[start] : self.ends[stop - 1] + 1]

    def columns(self, starts: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
        """The `width` bytes from each of `starts` on: uint8[len(starts), width]; they may reach past a line's end."""
        windows = self._windows.get(width)
        if windows is None:
            windows = self._windows[width] = sliding_window_view(self.data, min(width, WIDEST_COLUMNS))
        return windows[starts]


def split_lines(text: bytes) -> list[bytes]:
    """The lines of a text of whole lines, without their ends."""
    lines = text.split(b"\n")
    lines.pop()
    return lines


def page_of(lines: Sequence[bytes]) -> Page:
    """The page of these lines, which have no line ends."""
    return Page(b"".join([line + b"\n" for line in lines]))
