"""The lines of a System V sar taken apart: stamps, headings, cells in columns, used/size."""

from __future__ import annotations

import re

from tunebench.core.patterns import lazy_pattern
from tunebench.families.runs import Attributes

_HEADING_WORD = lazy_pattern(r"[%A-Za-z][\w%/+.-]*")
_PAIR = lazy_pattern(rb"(\d+|-|N/A)/(\d+|-|A)")
_NOT_COUNTED = b"N/A"
_NO_CELL = b"-"
_MOST_WORDS = 40


def stamp_s(text: bytes) -> int | None:
    """Seconds since midnight of ``HH:MM:SS`` at the beginning of a line."""
    hour, minute, second = text[0:2], text[3:5], text[6:8]
    if not (hour.isdigit() and minute.isdigit() and len(second) == 2 and second.isdigit()):
        return None
    if text[8:9] not in (b"", b" ", b"\t") or hour > b"24" or minute > b"59" or second > b"60":
        return None
    return int(hour) * 3600 + int(minute) * 60 + int(second)


def is_number(cell: bytes) -> bool:
    return cell in (_NO_CELL, _NOT_COUNTED) or cell.replace(b".", b"", 1).replace(b",", b"", 1).isdigit()


def heading_words(rest: bytes, plain: frozenset[str] = frozenset()) -> list[str]:
    """The words of a heading; empty where a cell is a figure.

    Args:
        plain: first words of headings that look like a sentence (``freemem freeswap``).
    """
    words = rest.decode("ascii", "replace").split()
    if not words or len(words) > _MOST_WORDS or not all(_HEADING_WORD.fullmatch(word) for word in words):
        return []
    is_heading = words[0] in plain or any(mark in word for word in words for mark in "/%-")
    return words if is_heading else []


def name_columns(words: list[str], pairs: frozenset[int]) -> tuple[list[str], list[Attributes]]:
    """Native names and attributes: a used/size cell gives two; a repeated word belongs to the one before it."""
    natives: list[str] = []
    attributes: list[Attributes] = []
    owner = ""
    for index, word in enumerate(words):
        if index in pairs:
            natives += [word, word]
            attributes += [(("state", "used"),), (("state", "limit"),)]
            owner = word
        elif words.count(word) > 1 and owner:
            natives.append(word)
            attributes.append((("group", owner),))
        else:
            natives.append(word)
            attributes.append(())
            owner = word
    return natives, attributes


def align(text: bytes, ends: list[int], leading: int) -> list[bytes]:
    """Cells of a row with blank ones, by the columns' right edges; the first `leading` cells are no figures."""
    cells = [_NO_CELL] * len(ends)
    for match in list(re.finditer(rb"\S+", text))[leading:]:
        nearest = min(range(len(ends)), key=lambda index: abs(ends[index] - match.end()))
        cells[nearest] = match[0]
    return cells


def split_pairs(cells: list[bytes], pairs: frozenset[int]) -> bytes:
    """The cells as one row of numbers, used/size as two."""
    out: list[bytes] = []
    for index, cell in enumerate(cells):
        pair = _PAIR.fullmatch(cell) if index in pairs and cell != _NOT_COUNTED else None
        if pair:
            out += [pair[1], pair[2]]
        elif index in pairs and cell in (_NO_CELL, _NOT_COUNTED):
            out += [_NO_CELL, _NO_CELL]
        else:
            out.append(cell)  # a wrong number of cells, or no number: the builder books it
    return b" ".join(out)
