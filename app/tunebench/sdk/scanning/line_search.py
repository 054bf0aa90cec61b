"""Finds the few lines of a text with which something else may begin, past those that cannot.

Only compiled: where no compiler was, whoever looks asks a pattern about every line.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tunebench.sdk.scanning.choice import chosen_library


class Usual(NamedTuple):
    """A line that does not count where the first two lines below it that are not blank begin with these; any digit is
    as good as another.

    Attributes:
        widths: as many bytes of the two are compared; one of `below` that has fewer is a whole line.
        within: bytes from the line on, and `lines` below it, among which the two stand whole.
    """

    line: bytes
    below: tuple[bytes, bytes]
    widths: tuple[int, int]
    within: int
    lines: int


class _Search(ctypes.Structure):
    _fields_ = [
        ("places", ctypes.c_void_p),
        ("beginnings", ctypes.c_void_p),
        ("signs", ctypes.c_void_p),
        ("has_signs", ctypes.c_int64),
        ("usual", ctypes.c_char_p),
        ("usual_length", ctypes.c_int64),
        ("below", ctypes.c_char_p * 2),
        ("below_lengths", ctypes.c_int64 * 2),
        ("below_widths", ctypes.c_int64 * 2),
        ("below_bytes", ctypes.c_int64),
        ("below_lines", ctypes.c_int64),
    ]


class LineSearch:
    """Looks for lines that begin with one of these, in which a digit is any digit and a blank any number of blanks.

    Args:
        signs: a line with one of these bytes is found as well, where it is asked for.
    """

    def __init__(self, library: ctypes.CDLL, beginnings: Sequence[bytes], signs: bytes) -> None:
        self._find = library.find_line
        self._find.argtypes = [ctypes.POINTER(_Search), ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64]
        self._find.restype = ctypes.c_int64
        self._places = np.full(256, -1, dtype=np.int32)
        packed = bytearray()
        for first in range(256):
            here = [beginning for beginning in beginnings if _may_begin(beginning, first)]
            if here:
                self._places[first] = len(packed)
                packed += b"".join(bytes([len(beginning)]) + beginning for beginning in here) + b"\0"
        self._beginnings = np.frombuffer(bytes(packed), dtype=np.uint8)
        self._signs = np.zeros(256, dtype=np.uint8)
        self._signs[list(signs)] = 1
        arrays = [array.ctypes.data for array in (self._places, self._beginnings, self._signs)]
        self._searches = {has_signs: _Search(*arrays, has_signs) for has_signs in (False, True)}

    def find(self, text: bytes, at: int, *, signs: bool = False, usual: Usual | None = None) -> int:
        """Where the first such line of `text` begins, -1 where there is none; `at` is the beginning of a line."""
        search = self._searches[signs]
        if usual is not None:
            search = _Search.from_buffer_copy(search)
            search.usual, search.usual_length = usual.line, len(usual.line)
            search.below[:] = usual.below
            search.below_lengths[:] = [len(line) for line in usual.below]
            search.below_widths[:] = usual.widths
            search.below_bytes, search.below_lines = usual.within, usual.lines
        return int(self._find(search, text, len(text), at))


def line_search(beginnings: Sequence[bytes], signs: bytes) -> LineSearch | None:
    """The compiled search; None where nothing was compiled."""
    library = chosen_library()
    return None if library is None else LineSearch(library, beginnings, signs)


def _may_begin(beginning: bytes, first: int) -> bool:
    if beginning[:1] == b" ":
        return first in b" \t"
    return first in b"0123456789" if beginning[:1].isdigit() else beginning[0] == first
