"""Which binary sar file it is (``sa21``, ``sa20260121``), and what the customer is asked for where it cannot be read.

    96 d5 75 21 0c 06 01 00 ...     0xd596, format word 0x2175, then the sysstat that wrote it: 12.6.1
    d5 96 21 75 0b 05 05 00 ...     the same, written by a big-endian machine
    ... 69 21 at byte 36            sysstat 4 to 8.1.2 (RHEL 4 and 5), which had no mark at the beginning

0x1170 is what RHEL 6.5 calls 0x2170.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record

FIRST_OF_KINDS = "11.7.1"
READABLE = frozenset({0x1170, 0x2170, 0x2171, 0x2173, 0x2175})
_MARK = 0xD596
_HEADER_BYTES = 8
_OLD_FORMATS = range(0x2162, 0x2170)
_OLD_OFFSETS = (36, 40)
_OLD_VERSIONS = "4.1.6-8.1.2"
_JSON_SINCE = (10, 1, 0)
_CACHES_FREE_SINCE, _CACHES_FREE_BEFORE = (11, 7, 4), (11, 6, 4)


@record
class SaFormat:
    """What the first bytes of a binary sar file say.

    Attributes:
        word: the format word, such as 0x2175.
        big_endian: byte order of the machine that wrote it.
        version: the sysstat that wrote it, such as ``12.6.1``; ``4.1.6-8.1.2`` where only the range is known.
    """

    word: int
    big_endian: bool
    version: str

    @property
    def is_readable(self) -> bool:
        return self.word in READABLE

    @property
    def is_of_kinds(self) -> bool:
        """The layout that says how many long long, long and int an activity begins with."""
        return self.word == 0x2175

    @property
    def sums_processors(self) -> bool:
        """Whether its sar takes the sum of all processors for "all", or what the kernel says of them."""
        return self.is_of_kinds and self.version != FIRST_OF_KINDS

    @property
    def can_print_json(self) -> bool:
        """Whether the server's own `sadf` has -j."""
        return self.word not in _OLD_FORMATS and self._numbers >= _JSON_SINCE

    @property
    def frees_caches(self) -> bool:
        """Whether its sar takes memory in buffers, cache and slab for free."""
        return self._numbers >= _CACHES_FREE_SINCE or _CACHES_FREE_BEFORE <= self._numbers < (11, 7)

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(map(int, re.findall(r"\d+", self.version)))


def sa_format(head: bytes) -> SaFormat | None:
    """What binary sar file begins with `head` (some 300 bytes will do); None where it is none."""
    if len(head) < _HEADER_BYTES:
        return None
    for big_endian, order in ((False, "<"), (True, ">")):
        mark, word = struct.unpack_from(f"{order}HH", head)
        if mark == _MARK:
            return SaFormat(word, big_endian, _version_in(head))
        for offset in _OLD_OFFSETS:
            if _is_old(head, offset, order):
                (word,) = struct.unpack_from(f"{order}H", head, offset)
                return SaFormat(word, big_endian, _OLD_VERSIONS)
    return None


def command_for_server(file: SaFormat, name: str) -> str:
    """The command whose output the customer should send instead; it is run where `sadf` fits the file."""
    output = Path(name).name or "sa"
    if file.can_print_json:
        return f"LC_ALL=C sadf -j {output} -- -A > {output}.json"
    return f"LC_ALL=C sar -A -f {output} > {output}.txt"


def refusal(key: str, file: SaFormat, name: str, **facts: str) -> UserError:
    """The sentence `key` about a file that cannot be read: who wrote it and what to ask the customer for."""
    return UserError(key, path=name, version=file.version, command=command_for_server(file, name), **facts)


def _version_in(head: bytes) -> str:
    version, patch, sub, extra = head[4:8]
    text = f"{version}.{patch}.{sub}"
    return f"{text}.{extra}" if extra else text


def _is_old(head: bytes, offset: int, order: str) -> bool:
    """The old header: counts of small numbers, the format word, then the system's name."""
    if len(head) < offset + 8:
        return False
    (word,) = struct.unpack_from(f"{order}H", head, offset)
    return word in _OLD_FORMATS and b"Linux\0" in head[offset + 4 : offset + 16]
