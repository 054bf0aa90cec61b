"""The checksum of POSIX ``cksum``, which every server has.

It is the CRC of zlib's polynomial over bytes whose bits run the other way, begun with zero and with the length
appended; so zlib does the work (measured against the tool in the tests).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def told_cksum(text: str) -> tuple[int, int] | None:
    """Checksum and size as ``cksum`` prints them; None where it did not."""
    fields = text.split()[:2]
    return (int(fields[0]), int(fields[1])) if len(fields) == 2 and all(map(str.isdecimal, fields)) else None


def posix_cksum(pieces: Iterable[bytes]) -> int:
    register, size = 0xFFFFFFFF, 0
    for piece in pieces:
        register = zlib.crc32(piece.translate(_REVERSED), register)
        size += len(piece)
    length = size.to_bytes((size.bit_length() + 7) // 8, "little")
    register = zlib.crc32(length.translate(_REVERSED), register)
    return int(f"{register:032b}"[::-1], 2)
