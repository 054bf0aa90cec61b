"""What the readers of the formats say of damaged bytes, as kinds that have words in both languages."""

from __future__ import annotations

import lzma
import re
import zlib

from tunebench.core import zstd
from tunebench.transport.containers.members import Damaged

_LONGEST_DETAIL = 200
_MESSAGES: tuple[tuple[str, type[BaseException], str], ...] = (
    ("cut_off", zlib.error, r"incomplete or truncated"),
    ("checksum", zlib.error, r"incorrect (?:data|length) check"),
    ("packed", zlib.error, r""),
    ("memory", lzma.LZMAError, r"Memory usage limit"),
    ("packed", lzma.LZMAError, r"Corrupt input|Input format not supported|Invalid or unsupported"),
    ("memory", zstd.ZstdError, r"too much memory"),
    ("checksum", zstd.ZstdError, r"match checksum"),
    ("packed", zstd.ZstdError, r""),
    ("packed", OSError, r"Invalid data stream"),  # bz2
    ("contents_missing", Exception, r"File is not a zip file"),
    ("contents", Exception, r"central directory|Corrupt (?:extra|zip64)"),
    ("several_files", Exception, r"span multiple disks"),
    ("member_header", Exception, r"file header|File name in directory|Overlapped entries"),
    ("checksum", Exception, r"Bad CRC-32"),
    ("cut_off", EOFError, r""),
    ("memory", MemoryError, r""),
)
"""Kind, what was raised, and a pattern of its words; the first that fits counts."""


def damage_of(error: BaseException) -> Damaged:
    """What an error of zipfile, zlib, lzma, bz2, zstd or the system says; ``other`` where that is not known."""
    detail = (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:_LONGEST_DETAIL]
    if isinstance(error, OSError) and error.errno is not None:
        return Damaged("disk", detail)
    kinds = (
        kind for kind, raised, pattern in _MESSAGES if isinstance(error, raised) and re.search(pattern, str(error))
    )
    return Damaged(next(kinds, "other"), detail)
