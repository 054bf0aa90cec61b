"""Archives that were cut off or altered: what stands before the damage is there, and nothing crashes or hangs."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import see, tar_bytes, zip_bytes
from tests.unit.transport.containers.test_forms import put
from tunebench.core import zstd

FILES = {f"d/capture{number}.txt": b"%d line of text\n" % number * (200 + 50 * number) for number in range(8)}
MAKE: dict[str, Callable[[], bytes]] = {
    "tar": lambda: tar_bytes(FILES),
    "tar.gz": lambda: gzip.compress(tar_bytes(FILES)),
    "tar.bz2": lambda: bz2.compress(tar_bytes(FILES)),
    "tar.xz": lambda: lzma.compress(tar_bytes(FILES)),
    "tar.zst": lambda: zstd.compress(tar_bytes(FILES), 3),
    "zip": lambda: zip_bytes(FILES),
    "stored.zip": lambda: zip_bytes(FILES, zipfile.ZIP_STORED),
    "nested.zip": lambda: zip_bytes({"in.tar.gz": gzip.compress(tar_bytes(FILES)), "in.zip": zip_bytes(FILES)}),
}


def right(name: str, data: bytes) -> bool:
    """Whether bytes given as a whole member are those that were packed."""
    return FILES.get(name.rpartition("!/")[2]) == data


@pytest.mark.parametrize("form", MAKE)
def test_cut_off_anywhere(tmp_path: Path, form: str) -> None:
    packed = MAKE[form]()
    began = time.monotonic()
    for share in range(1, 40):
        cut = packed[: len(packed) * share // 40]
        seen = see(put(tmp_path, f"x.{form}", cut))
        assert seen.left or seen.torn or not seen.form or len(seen.whole) == len(FILES), "the damage is named"
        assert all(right(name, data) for name, data in seen.whole.items()) or seen.form == ""
        torn = {name.rpartition("!/")[2]: data for name, data in seen.torn.items()}
        assert all(FILES[name].startswith(data) for name, data in torn.items() if name in FILES)
    assert time.monotonic() - began < 20


def test_members_before_the_cut_are_whole(tmp_path: Path) -> None:
    for form in ("tar", "tar.gz", "stored.zip", "zip"):
        packed = MAKE[form]()
        seen = see(put(tmp_path, f"x.{form}", packed[: len(packed) * 3 // 4]))
        assert "d/capture0.txt" in seen.whole and len(seen.whole) >= 3, form
        assert "bundle_damaged" in seen.reasons().values()


@pytest.mark.parametrize("form", MAKE)
def test_flipped_bits_anywhere(tmp_path: Path, form: str) -> None:
    packed = MAKE[form]()
    chance = random.Random(5)
    began = time.monotonic()
    for _ in range(60):
        bad = bytearray(packed)
        for _ in range(chance.randint(1, 6)):
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        see(put(tmp_path, f"x.{form}", bytes(bad)))
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("form", MAKE)
def test_spliced_and_filled_with_zeros(tmp_path: Path, form: str) -> None:
    packed = MAKE[form]()
    chance = random.Random(6)
    for _ in range(40):
        at, length = chance.randrange(len(packed)), chance.randrange(1, 3000)
        see(put(tmp_path, f"x.{form}", packed[:at] + packed[at + length :]))
        see(put(tmp_path, f"x.{form}", packed[:at] + bytes(length) + packed[at + length :]))
        see(put(tmp_path, f"x.{form}", packed[:at] + packed[at // 2 : at] + packed[at:]))


def test_a_broken_header_is_named_and_what_follows_is_found(tmp_path: Path) -> None:
    packed = bytearray(tar_bytes({"a": b"1" * 600, "b": b"2", "c": b"3"}))
    packed[1536 + 150] ^= 0xFF  # checksum of b's header
    seen = see(put(tmp_path, "x.tar", bytes(packed)))
    assert seen.whole == {"a": b"1" * 600, "c": b"3"}
    assert seen.reasons() == {"": "bundle_damaged"}


def test_a_checksum_that_differs_is_damage(tmp_path: Path) -> None:
    packed = bytearray(zip_bytes({"v": b"1234567890"}, zipfile.ZIP_STORED))
    packed[packed.find(b"1234567890")] = ord("9")
    seen = see(put(tmp_path, "x.zip", bytes(packed)))
    assert not seen.whole
    assert set(seen.torn) == {"v"}


def test_an_archive_without_its_end_mark(tmp_path: Path) -> None:
    packed = tar_bytes({"v": b"1"})[:1024]
    seen = see(put(tmp_path, "x.tar", packed))
    assert (seen.whole, seen.reasons()) == ({"v": b"1"}, {"": "bundle_damaged"})


def test_archives_one_behind_the_other(tmp_path: Path) -> None:
    """``cat a.tar b.tar``: the first end mark does not hide the second archive."""
    seen = see(put(tmp_path, "x.tar", tar_bytes({"a": b"1"}) + tar_bytes({"b": b"2"})))
    assert (seen.whole, seen.left) == ({"a": b"1", "b": b"2"}, {})


def test_a_damaged_archive_in_a_good_one_costs_only_itself(tmp_path: Path) -> None:
    inner = gzip.compress(tar_bytes(FILES))
    packed = tar_bytes({"bad.tgz": inner[: len(inner) // 2], "bad.zip": zip_bytes(FILES)[:-60], "v": b"1"})
    seen = see(put(tmp_path, "x.tar", packed))
    assert seen.whole["v"] == b"1" and seen.reasons()["bad.tgz"] == "bundle_damaged"
    assert seen.reasons()["bad.zip"] == "bundle_damaged"
    assert sum(name.startswith("bad.zip!/") for name in seen.whole) == len(FILES), "all members stand before the damage"


MAGIC = [b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"]


@pytest.mark.parametrize("junk", MAGIC)
def test_magic_and_nothing_behind(tmp_path: Path, junk: bytes) -> None:
    chance = random.Random(7)
    for size in (0, 1, 30, 5000):
        see(put(tmp_path, "x", junk + chance.randbytes(size)))
