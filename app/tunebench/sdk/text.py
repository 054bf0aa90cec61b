"""Text of a customer's file."""

from __future__ import annotations

import codecs

UTF16_TELLING_BYTES = 64
"""The first bytes of a text without a mark, of which nearly every second one is zero in UTF-16."""
_FEWEST_CHARACTERS = 8


def decode_text(data: bytes) -> str:
    """Text of a customer's file: UTF-8, else the Korean code page, else Latin-1. Never raises."""
    for encoding in ("utf-8", "cp949"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def utf16_of(head: bytes) -> str:
    """The name of the encoding of a text in UTF-16, by its mark or by its zeros; empty for any other, also for one with
    the mark of UTF-8."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.startswith(codecs.BOM_UTF8):
        return ""
    first = head[: min(UTF16_TELLING_BYTES, len(head) // 2 * 2)]
    even, odd = first[::2], first[1::2]
    if len(even) < _FEWEST_CHARACTERS:
        return ""
    little, big = _are_upper_halves(odd, even), _are_upper_halves(even, odd)
    return "utf-16-le" if little else "utf-16-be" if big else ""


def _are_upper_halves(these: bytes, others: bytes) -> bool:
    """Mostly zero, as those of Latin letters are; of the other halves hardly one is."""
    return 4 * these.count(0) >= 3 * len(these) and 8 * others.count(0) <= len(others)
