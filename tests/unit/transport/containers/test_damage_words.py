"""What is wrong with an archive is said in the reader's language, whatever library noticed it."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import tar_bytes, zip_bytes
from tests.unit.transport.containers.test_forms import put
from tunebench.core import zstd
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.bundle import BundleMember, MemberState
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.members import Damaged
from tunebench.transport.containers.walking import Walk

TEXT = b"".join(b"%d a line of some capture\n" % number for number in range(4000))


def altered(packed: bytes, at: int, by: int = 0xFF) -> bytes:
    bad = bytearray(packed)
    bad[at] ^= by
    return bytes(bad)


def stored_zip() -> bytes:
    return zip_bytes({"v": b"1234567890" * 20}, zipfile.ZIP_STORED)


def two_members() -> bytes:
    return tar_bytes({"a": b"1" * 600, "b": b"2"})


BROKEN: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "gz cut": ("cut_off", "x.gz", lambda: gzip.compress(TEXT)[:-2000]),
    "gz checksum": ("checksum", "x.gz", lambda: altered(gzip.compress(TEXT), -7)),
    "gz length": ("checksum", "x.gz", lambda: altered(gzip.compress(TEXT), -1)),
    "gz block": ("packed", "x.gz", lambda: gzip.compress(TEXT)[:10] + b"\x07" + gzip.compress(TEXT)[11:]),
    "bz2": ("packed", "x.bz2", lambda: altered(bz2.compress(TEXT), len(bz2.compress(TEXT)) // 2)),
    "xz": ("packed", "x.xz", lambda: altered(lzma.compress(TEXT), len(lzma.compress(TEXT)) // 2)),
    "zst checksum": ("checksum", "x.zst", lambda: altered(zstd.compress(TEXT, 3), -1)),
    "tar header": ("header", "x.tar", lambda: altered(two_members(), 1536 + 150)),
    "tar end": ("no_end_mark", "x.tar", lambda: tar_bytes({"v": b"1"})[:1024]),
    "tar cut": ("cut_off", "x.tar", lambda: two_members()[:700]),
    "zip cut": ("contents_missing", "x.zip", lambda: zip_bytes({"v": TEXT})[:-60]),
    "zip contents": ("contents", "x.zip", lambda: stored_zip().replace(b"PK\x01\x02", b"PK\x01\x00")),
    "zip entry": ("member_header", "x.zip", lambda: stored_zip().replace(b"\0\0v1", b"\0\0w1")),
    "zip checksum": ("checksum", "x.zip", lambda: stored_zip().replace(b"1234567890", b"9234567890", 1)),
}


def refusal_of(path: Path) -> UserError:
    """What the walk or the reading of a member says."""
    for found in Walk(path).entries():
        if hasattr(found, "error"):
            return found.error
        try:
            for _ in found.pieces():
                continue
        except Damaged as damage:
            return damage.refusal("member_damaged", found.name)
    raise AssertionError("nothing was found to be wrong")


@pytest.mark.parametrize("case", BROKEN)
def test_the_kind_of_damage_is_known(tmp_path: Path, case: str) -> None:
    kind, name, make = BROKEN[case]
    error = refusal_of(put(tmp_path, name, make()))
    assert error.facts["reason"] == f"damage.{kind}"
    korean = catalogue("ko").error(error).replace(str(error.facts["path"]), "")
    assert not re.search(r"[A-Za-z]{4,}", korean), korean
    assert catalogue("en").text(f"damage.{kind}") in catalogue("en").error(error)


def test_a_disk_s_words_and_unknown_ones_are_quoted() -> None:
    disk = damage_of(OSError(errno.EIO, "Input/output error")).refusal("bundle_damaged", "x.zip")
    assert "“Input/output error”" in catalogue("ko").error(disk) and "디스크" in catalogue("ko").error(disk)
    strange = damage_of(zipfile.BadZipFile("the moon is full")).refusal("bundle_damaged", "x.zip")
    assert strange.facts["reason"] == "damage.other"
    assert "“the moon is full”" in catalogue("ko").error(strange)


def test_an_error_without_words_is_named() -> None:
    assert damage_of(EOFError()).kind == "cut_off"
    assert damage_of(ValueError()).detail == "ValueError"
    assert damage_of(zlib.error("Error -5 while decompressing data: incomplete or truncated stream")).kind == "cut_off"


def test_what_an_older_account_keeps_is_shown_as_it_is() -> None:
    kept = BundleMember("v", MemberState.REFUSED, reason="bundle_damaged", facts={"path": "v", "reason": "no end mark"})
    assert kept.refusal is not None
    assert "(no end mark)" in catalogue("ko").error(kept.refusal)
