"""Rows whose snapshot has no time yet, kept in bounded memory.

A file that was put in order with ``sort`` (as nmon's own notes ask for before a spreadsheet) has all its ZZZZ lines
behind all its rows. The rows are kept deflated, section by section, about a seventh of the text.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

MOST_BYTES = 64 << 20
"""Deflated; about half a gigabyte of text. Beyond it the times are worked out from start and interval."""
_PLAIN_BYTES = 32 << 10


class HeldRows:
    """Lines by section, in the order they came."""

    def __init__(self) -> None:
        self.held_bytes = 0
        self._plain: dict[bytes, list[bytes]] = {}
        self._plain_bytes: dict[bytes, int] = {}
        self._deflated: dict[bytes, list[bytes]] = {}

    def __bool__(self) -> bool:
        return bool(self._plain)

    @property
    def is_full(self) -> bool:
        return self.held_bytes > MOST_BYTES

    def add(self, section: bytes, number: int, line: bytes) -> None:
        record = b"%d %s" % (number, line)
        self._plain.setdefault(section, []).append(record)
        size = self._plain_bytes[section] = self._plain_bytes.get(section, 0) + len(record) + 1
        self.held_bytes += len(record) + 1
        if size > _PLAIN_BYTES:
            packed = zlib.compress(b"\n".join(self._plain[section]), 1)
            self._deflated.setdefault(section, []).append(packed)
            self._plain[section] = []
            self._plain_bytes[section] = 0
            self.held_bytes += len(packed) - size

    def sections(self) -> tuple[bytes, ...]:
        return tuple(self._plain)

    def lines(self, section: bytes) -> Iterator[tuple[int, bytes]]:
        for packed in self._deflated.get(section, ()):
            yield from map(_split, zlib.decompress(packed).split(b"\n"))
        yield from map(_split, self._plain.get(section, ()))


def _split(record: bytes) -> tuple[int, bytes]:
    number, _, line = record.partition(b" ")
    return int(number), line
