"""What no archive may do: lead out, explode, loop, hide; each has its own reason, and nothing is written."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import struct
import subprocess
import tarfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import see, tar_bytes, tar_info, zip_bytes
from tests.unit.transport.containers.test_forms import put
from tunebench.core import zstd
from tunebench.transport.containers.limits import Limits
from tunebench.transport.containers.names import clean_name


def test_names_that_lead_out_are_refused(tmp_path: Path) -> None:
    bad = {"../outside.txt": b"1", "a/../../outside.txt": b"2", "..\\outside.txt": b"3", "fine": b"4"}
    for name, packed in (("x.tar", tar_bytes(bad)), ("x.zip", zip_bytes(bad))):
        seen = see(put(tmp_path, name, packed))
        assert seen.whole == {"fine": b"4"}
        assert set(seen.reasons().values()) == {"member_outside"} and len(seen.left) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.tar", "x.zip"], "nothing was unpacked"
    assert not (tmp_path.parent / "outside.txt").exists()


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("/var/log/sa/sar21", "var/log/sa/sar21"),
        ("C:\\logs\\os\\vmstat.txt", "logs/os/vmstat.txt"),
        ("\\\\server\\share\\v.txt", "v.txt"),
        ("./a//b/./c", "a/b/c"),
    ],
)
def test_the_root_of_a_name_is_taken_off_and_said(told: str, name: str) -> None:
    cleaned = clean_name(told, "", 1024)
    assert cleaned.text == name and bool(cleaned.note) == (not told.startswith("."))


def test_a_rooted_name_is_noted_with_its_member(tmp_path: Path) -> None:
    seen = see(put(tmp_path, "x.tar", tar_bytes({"/var/log/sar21": b"1", "etc/hostname": b"2"})))
    assert seen.notes == {"var/log/sar21": "rooted_name", "etc/hostname": ""}


def test_control_characters_do_not_reach_the_screen() -> None:
    assert clean_name("a\x1b[31m\u202egnp.txt\n", "", 1024).text == "a\ufffd[31m\ufffdgnp.txt\ufffd"


def test_links_and_devices_are_passed_over(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tar_info("passwd", type_=tarfile.SYMTYPE, link="/etc/passwd"))
        archive.addfile(tar_info("hard", type_=tarfile.LNKTYPE, link="../../etc/passwd"))
        archive.addfile(tar_info("null", type_=tarfile.CHRTYPE))
        archive.addfile(tar_info("pipe", type_=tarfile.FIFOTYPE))
        archive.addfile(tar_info("folder", type_=tarfile.DIRTYPE))
        archive.addfile(tar_info("v", b"1"), io.BytesIO(b"1"))
    seen = see(put(tmp_path, "x.tar", packed.getvalue()))
    assert seen.whole == {"v": b"1"}
    assert {name: out.kind for name, out in seen.left.items()} == {
        "passwd": "link",
        "hard": "link",
        "null": "special",
        "pipe": "special",
    }


def test_links_in_zips_and_folders(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert [out.kind for out in see(put(tmp_path, "x.zip", packed.getvalue())).left.values()] == ["link"]
    folder = tmp_path / "f"
    folder.mkdir()
    put(folder, "v", b"1")
    try:
        (folder / "loop").symlink_to(folder)
        (folder / "secret").symlink_to(tmp_path / "x.zip")
        os.mkfifo(folder / "pipe")
    except (OSError, AttributeError, NotImplementedError):
        pytest.skip("this system makes no links or pipes")
    seen = see(folder)
    assert seen.whole == {"v": b"1"}
    assert {name: out.kind for name, out in seen.left.items()} == {"loop": "link", "secret": "link", "pipe": "special"}


def test_a_name_twice_is_read_once(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for data in (b"first", b"again"):
            archive.addfile(tar_info("./v.txt" if data == b"again" else "v.txt", data), io.BytesIO(data))
    seen = see(put(tmp_path, "x.tar", packed.getvalue()))
    assert (seen.whole, seen.reasons()) == ({"v.txt": b"first"}, {"v.txt": "member_name_twice"})


def test_an_endless_name(tmp_path: Path) -> None:
    seen = see(put(tmp_path, "x.tar", tar_bytes({"n" * 2000: b"1", "v": b"2"})))
    assert (seen.whole, list(seen.reasons().values())) == ({"v": b"2"}, ["member_name_long"])


def test_encrypted_members(tmp_path: Path) -> None:
    if shutil.which("zip") is None:
        pytest.skip("zip is not installed")
    put(tmp_path, "secret.txt", b"procs " * 99)
    command = ["zip", "-q", "-j", "-P", "password", "x.zip", "secret.txt"]
    subprocess.run(command, cwd=tmp_path, check=True)
    seen = see(tmp_path / "x.zip")
    assert (seen.whole, seen.reasons()) == ({}, {"secret.txt": "member_encrypted"})


def test_methods_that_cannot_be_read(tmp_path: Path) -> None:
    packed = bytearray(zip_bytes({"v": b"1" * 50, "w": b"2" * 50}))
    at = packed.find(b"PK\x01\x02")
    packed[at + 10 : at + 12] = struct.pack("<H", 98)
    packed[8:10] = struct.pack("<H", 98)
    seen = see(put(tmp_path, "x.zip", bytes(packed)))
    assert (seen.whole, seen.reasons()) == ({"w": b"2" * 50}, {"v": "member_method"})
    assert seen.left["v"].error.facts["method"] == "PPMd"


@pytest.mark.parametrize(
    ("magic", "form"), [(b"Rar!\x1a\x07\x01\x00", "RAR"), (b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"ALZ\x01", "ALZip")]
)
def test_archives_of_other_kinds_are_named(tmp_path: Path, magic: bytes, form: str) -> None:
    seen = see(put(tmp_path, "x.bin", magic + bytes(600)))
    assert (seen.left[""].error.key, seen.left[""].error.facts["format"]) == ("archive_format", form)


# --- bombs
SMALL = Limits(
    members=20,
    member_bytes=1 << 20,
    total_bytes=3 << 20,
    ratio=50,
    ratio_from_bytes=64 << 10,
    depth=2,
    spool_bytes=1 << 20,
)


def text(size: int) -> bytes:
    """Lines that do not pack well."""
    return b"".join(b"%x\n" % pow(7, number, 2**127 - 1) for number in range(size // 30))


@pytest.mark.parametrize("name", ["x.gz", "x.tar.gz", "x.zip", "x.zst"])
def test_a_stream_that_explodes_is_stopped(tmp_path: Path, name: str) -> None:
    big = bytes(24 << 20)
    packed = {
        "x.gz": lambda: gzip.compress(big),
        "x.tar.gz": lambda: gzip.compress(tar_bytes({"v": big})),
        "x.zip": lambda: zip_bytes({"v": big}),
        "x.zst": lambda: zstd.compress(big, 1),
    }[name]()
    seen = see(put(tmp_path, name, packed), Limits(ratio_from_bytes=1 << 20))
    assert seen.whole == {}
    assert "bundle_bomb" in seen.reasons().values()


def test_memory_stays_small_while_a_bomb_is_read(tmp_path: Path) -> None:
    import tracemalloc

    path = put(tmp_path, "x.zst", zstd.compress(bytes(1 << 30), 1))
    tracemalloc.start()
    from tunebench.transport.containers.members import Member
    from tunebench.transport.containers.walking import Walk

    for found in Walk(path, Limits(ratio=10**9)).entries():
        if isinstance(found, Member):
            assert sum(len(piece) for piece in found.pieces()) == 1 << 30
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 96 << 20


def test_too_many_members_end_the_bundle(tmp_path: Path) -> None:
    files = {f"f{number}": b"1" for number in range(30)}
    seen = see(put(tmp_path, "x.tar", tar_bytes(files)), SMALL)
    assert len(seen.whole) == 20 and seen.stopped is not None and seen.stopped.key == "bundle_too_many"


def test_too_many_empty_members_end_the_bundle(tmp_path: Path) -> None:
    """A tar of 200,000 of them is 1.6 MB packed."""
    files = {f"f{number}": b"" for number in range(12)} | {"last": b"1"}
    for name, packed in (("x.tar", tar_bytes(files)), ("x.zip", zip_bytes(files))):
        path = put(tmp_path, name, packed)
        seen = see(path, replace(SMALL, empty_members=10))
        assert seen.stopped is not None and seen.stopped.key == "bundle_too_many"
        assert seen.stopped.facts["most"] == "10"
        assert see(path, replace(SMALL, empty_members=12)).stopped is None


def test_an_archive_of_more_members_than_one_may_have_ends_alone(tmp_path: Path) -> None:
    """What lies beside it is read, and a folder of this machine may hold more."""
    files = {f"f{number}": b"1" for number in range(12)}
    limits = Limits(archive_members=10)
    for name, packed, before in (("x.tar", tar_bytes(files), 10), ("x.zip", zip_bytes(files), 0)):
        outer = tar_bytes({name: packed, "after": b"2"})
        seen = see(put(tmp_path, "outer.tar", outer), limits)
        inner = {f"{name}!/f{number}": b"1" for number in range(before)}
        assert (seen.whole, seen.stopped) == ({**inner, "after": b"2"}, None)
        assert [error.error.facts["most"] for error in seen.left.values()] == ["10"]
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(12):
        put(folder, f"f{number}", b"1")
    assert len(see(folder, limits).whole) == 12


def test_a_hundred_thousand_empty_members_are_a_sentence_with_their_count(tmp_path: Path) -> None:
    path = put(tmp_path, "x.zip", zip_bytes({f"d/f{number}.txt": b"" for number in range(100_000)}))
    begin_s = time.process_time()
    seen = see(path)
    assert time.process_time() - begin_s < 10
    assert (seen.whole, seen.reasons()) == ({}, {"": "archive_too_many"})
    assert seen.left[""].error.facts["count"] == "100,000"


def _said_to_be_short(packed: bytes) -> bytes:
    """The same archive with a second end of its table of contents, that of a short one: readers take the long one."""
    at = packed.rfind(b"PK\x05\x06")
    _, size, start = struct.unpack("<HLL", packed[at + 10 : at + 20])
    long_end = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 12, 12, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    short_end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 1, 1, 46, start, 0)
    return packed[:at] + long_end + locator + short_end


def test_what_an_archive_says_of_its_table_of_contents_is_not_believed(tmp_path: Path) -> None:
    packed = zip_bytes({f"f{number}": b"1" for number in range(12)})
    for told in (
        packed,
        _said_to_be_short(packed),
        packed.replace(b"PK\x05\x06\0\0\0\0\x0c\0", b"PK\x05\x06\0\0\0\0\x01\0"),
    ):
        path = put(tmp_path, "x.zip", told)
        assert len(see(path).whole) == 12, "it is read as any other"
        assert set(see(path, Limits(archive_members=10)).reasons().values()) == {"archive_too_many"}
        assert set(see(path, Limits(directory_bytes=100)).reasons().values()) == {"bundle_too_many"}


def test_too_much_in_all_ends_the_bundle(tmp_path: Path) -> None:
    files = {f"f{number}": text(900_000) for number in range(5)}
    for name, packed in (("x.tar.gz", gzip.compress(tar_bytes(files))), ("x.zip", zip_bytes(files))):
        seen = see(put(tmp_path, name, packed), SMALL)
        assert seen.stopped is not None and seen.stopped.key == "bundle_too_large"
        assert 2 <= len(seen.whole) <= 3, "what came before stays"


def test_one_member_too_large(tmp_path: Path) -> None:
    files = {"big": text(2_500_000), "v": b"1"}
    for name, packed in (("x.tar", tar_bytes(files)), ("x.zip", zip_bytes(files))):
        seen = see(put(tmp_path, name, packed), SMALL)
        assert (seen.whole, seen.reasons()) == ({"v": b"1"}, {"big": "member_too_large"})


def test_archives_nested_too_deep(tmp_path: Path) -> None:
    packed = zip_bytes({"v": b"1"})
    for _ in range(4):
        packed = zip_bytes({"in.zip": packed, "here": b"2"}, zipfile.ZIP_STORED)
    seen = see(put(tmp_path, "x.zip", packed), SMALL)
    assert set(seen.whole) == {"here", "in.zip!/here"}
    assert seen.reasons() == {"in.zip!/in.zip": "member_too_deep"}


def test_an_archive_that_holds_itself_ends(tmp_path: Path) -> None:
    """As the well-known quine archives do; here as deep as the limit lets it."""
    packed = b"core"
    for _ in range(60):
        packed = gzip.compress(packed)
    seen = see(put(tmp_path, "x.gz", packed))
    assert list(seen.reasons().values()) == ["member_too_deep"]


def test_an_inner_zip_too_large_to_be_kept_aside(tmp_path: Path) -> None:
    packed = tar_bytes({"in.zip": zip_bytes({"v": text(3 << 20)}, zipfile.ZIP_STORED), "v": b"1"})
    seen = see(put(tmp_path, "x.tar", packed), Limits(spool_bytes=1 << 20))
    assert (seen.whole, seen.reasons()) == ({"v": b"1"}, {"in.zip": "member_too_large"})


def test_a_table_of_contents_too_long_to_be_read(tmp_path: Path) -> None:
    seen = see(put(tmp_path, "x.zip", zip_bytes({f"f{n}": b"" for n in range(200)})), Limits(directory_bytes=2000))
    assert seen.reasons() == {"": "bundle_too_many"}


def test_an_lzma_member_may_not_ask_for_any_memory(tmp_path: Path) -> None:
    packed = bytearray(zip_bytes({"v": b"1" * 99}, zipfile.ZIP_LZMA))
    at = packed.find(b"PK\x03\x04") + 30 + 1
    assert packed[at + 2 : at + 4] == b"\x05\x00"
    packed[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    seen = see(put(tmp_path, "x.zip", bytes(packed)))
    assert list(seen.torn) == ["v"]
