"""Binary sar files of every format, cut, mixed up and overwritten: a damage that has a name, and never anything else."""

from __future__ import annotations

import lzma
import random
import struct
import time
import warnings

from tests.unit.transport.test_sar import VERSIONS, made
from tunebench.transport.containers.members import Damaged
from tunebench.transport.sar.document import SarText
from tunebench.transport.sar.formats import sa_format

ROUNDS = 60
_MOST_S = 5.0


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes overwritten, mostly with numbers that are limits, a stretch left out, doubled or cut off."""
    found = bytearray(data)
    for _ in range(chance.choice((0, 1, 3, 20))):
        width = chance.choice((1, 2, 4, 8))
        place = chance.randrange(8, max(min(len(found), chance.choice((600, 3000, 1 << 30))) - 8, 9))
        number = chance.choice((0, 1, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, chance.getrandbits(64)))
        found[place : place + width] = struct.pack(chance.choice("<>") + "Q", number)[:width]
    if chance.random() < 0.4:
        start = chance.randrange(len(found))
        end = start + chance.choice((1, 4, 40, 4000))
        found[start:end] = found[start:end] * chance.choice((0, 2))
    if chance.random() < 0.3:
        del found[chance.randrange(len(found)) :]
    return bytes(found)


def read(data: bytes, piece: int) -> None:
    file = sa_format(data[:400])
    if file is None or not file.is_readable:
        return
    text = SarText((data[start : start + piece] for start in range(0, len(data), piece)), file)
    began = time.process_time()
    try:
        printed = b"".join(text)
    except Damaged:
        return
    assert printed.endswith(b"}}\n")
    assert time.process_time() - began < _MOST_S


def walk(seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    originals = [lzma.decompress(path.read_bytes()) for path in sorted(VERSIONS.glob("sa-*.xz"))]
    originals += [made(order, long) for order in "<>" for long in (4, 8)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(rounds):
            read(damaged(chance.choice(originals), chance), chance.choice((997, 1 << 20)))


def test_damaged_sar_files_have_a_named_damage() -> None:
    walk(17, ROUNDS)
