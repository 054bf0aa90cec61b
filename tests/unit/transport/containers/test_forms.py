"""Every kind of container gives the very bytes that were packed, under the names they had."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import FILES, see, tar_bytes, tar_info, zip_bytes
from tunebench.core import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstd.compress(data, 3),
}


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_of_every_dialect(tmp_path: Path, form: int) -> None:
    seen = see(put(tmp_path, "x.tar", tar_bytes(form=form)))
    assert (seen.whole, seen.left, seen.stopped, seen.form) == (FILES, {}, None, "tar")


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_tar(tmp_path: Path, suffix: str) -> None:
    seen = see(put(tmp_path, f"x.tar.{suffix}", PACKERS[suffix](tar_bytes())))
    assert (seen.whole, seen.left, seen.form) == (FILES, {}, f"tar.{suffix}")


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_single_compressed_file_is_a_container_of_one(tmp_path: Path, suffix: str) -> None:
    data = bytes(range(256)) * 9000  # more than one step of any reader
    seen = see(put(tmp_path, f"sar21.{suffix}", PACKERS[suffix](data)))
    assert (seen.whole, seen.left, seen.form) == ({"sar21": data}, {}, suffix)


@pytest.mark.parametrize("suffix", PACKERS)
def test_streams_in_a_row_are_one_file(tmp_path: Path, suffix: str) -> None:
    pack = PACKERS[suffix]
    seen = see(put(tmp_path, f"x.{suffix}", pack(b"one\n" * 1000) + pack(b"") + pack(b"two\n" * 1000)))
    assert seen.whole == {"x": b"one\n" * 1000 + b"two\n" * 1000}


@pytest.mark.parametrize("tool", ["gzip", "xz", "zstd", "bzip2"])
def test_what_the_real_tools_write(tmp_path: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    data = b"".join(b"%d some line of a capture\n" % number for number in range(60_000))
    packed = subprocess.run([tool, "-c"], input=data, capture_output=True, check=True).stdout
    assert see(put(tmp_path, "capture", packed)).whole == {"capture": data}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_of_every_method(tmp_path: Path, method: int) -> None:
    seen = see(put(tmp_path, "x.zip", zip_bytes(method=method)))
    assert (seen.whole, seen.left, seen.form) == (FILES, {}, "zip")


def test_the_bytes_tell_what_it_is_and_not_the_name(tmp_path: Path) -> None:
    assert see(put(tmp_path, "x.zip", tar_bytes())).whole == FILES
    assert see(put(tmp_path, "capture.txt", zip_bytes())).whole == FILES
    plain = see(put(tmp_path, "y.tar.gz", b"procs -----\n"))
    assert (plain.whole, plain.form) == ({"": b"procs -----\n"}, "")


def test_a_folder_with_archives_in_it(tmp_path: Path) -> None:
    top = tmp_path / "db1"
    (top / "day").mkdir(parents=True)
    put(top, "vmstat.txt", b"v")
    put(top / "day", "iostat.dat.gz", gzip.compress(b"i"))
    put(top / "day", "os.zip", zip_bytes({"sar/sar21": b"s"}))
    seen = see(top)
    assert seen.whole == {"vmstat.txt": b"v", "day/iostat.dat.gz!/iostat.dat": b"i", "day/os.zip!/sar/sar21": b"s"}
    assert seen.form == "folder"
    assert seen.places == {
        "vmstat.txt": "db1/vmstat.txt",
        "day/iostat.dat.gz!/iostat.dat": "db1/day/iostat.dat",
        "day/os.zip!/sar/sar21": "db1/day/os.zip/sar/sar21",
    }


def test_a_folder_is_read_in_order_without_droppings(tmp_path: Path) -> None:
    top = tmp_path / "in"
    for name in ("b.txt", "a/vmstat.txt", ".hidden/x", "a/.swp", "Thumbs.db"):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    seen = see(top)
    assert list(seen.whole) == ["b.txt", "a/vmstat.txt"]
    assert {out.name: out.kind for out in seen.left.values()} == dict.fromkeys(
        (".hidden", "Thumbs.db", "a/.swp"), "hidden"
    )


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = gzip.compress(tar_bytes({"sa/sar21.xz": lzma.compress(b"sar")}))
    seen = see(put(tmp_path, "x.zip", zip_bytes({"host1/sos.tgz": inner, "in.zip": zip_bytes({"v": b"1"})})))
    assert seen.whole == {"host1/sos.tgz!/sa/sar21.xz!/sar21": b"sar", "in.zip!/v": b"1"}
    assert seen.places["host1/sos.tgz!/sa/sar21.xz!/sar21"] == "x.zip/host1/sos.tar/sa/sar21"


def test_a_zip_in_a_tar_is_larger_than_memory_may_be(tmp_path: Path) -> None:
    data = b"".join(b"%d\n" % (number * 7919) for number in range(3_000_000))
    inner = zip_bytes({"big": data}, zipfile.ZIP_STORED)
    assert len(inner) > 16 << 20, "goes through a file"
    assert see(put(tmp_path, "x.tar", tar_bytes({"in.zip": inner}))).whole == {"in.zip!/big": data}


def test_long_names_of_each_dialect(tmp_path: Path) -> None:
    long = "/".join(["여기에_아주_긴_폴더_이름"] * 9) + "/vmstat.txt"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        assert see(put(tmp_path, "x.tar", tar_bytes({long: b"1"}, form=form))).whole == {long: b"1"}
    assert see(put(tmp_path, "x.zip", zip_bytes({long: b"1"}))).whole == {long: b"1"}


def test_pax_headers_may_give_the_size(tmp_path: Path) -> None:
    info = tar_info("big", b"12345")
    info.pax_headers = {"size": "5", "comment": "온갖 것", "mtime": "1713229200.5"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(b"12345"))
    assert see(put(tmp_path, "x.tar", packed.getvalue())).whole == {"big": b"12345"}


def test_v7_archives_without_a_magic(tmp_path: Path) -> None:
    """As AIX and old Solaris wrote them: the header ends behind the link name."""
    header = bytearray(512)
    header[0:10] = b"iostat.out"
    header[100:108], header[108:116], header[116:124] = b"000644 \0", b"000000 \0", b"000000 \0"
    header[124:136], header[136:148] = b"00000000005 ", b"11111111111 "
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    packed = bytes(header) + b"12345".ljust(512, b"\0") + bytes(1024)
    assert see(put(tmp_path, "x.tar", packed)).whole == {"iostat.out": b"12345"}


def test_korean_names_of_windows_zips(tmp_path: Path) -> None:
    """Windows writes the code page's bytes and no mark; the standard library reads them as CP437."""
    raw = "튜닝전/서버1_vmstat.txt".encode("cp949")
    place_holder = b"x" * len(raw)
    packed = zip_bytes({place_holder.decode(): b"1"}).replace(place_holder, raw)
    assert see(put(tmp_path, "x.zip", packed)).whole == {"튜닝전/서버1_vmstat.txt": b"1"}


def test_korean_names_of_old_tars(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="euc-kr") as archive:
        archive.addfile(tar_info("수집/iostat.txt", b"1"), io.BytesIO(b"1"))
    assert see(put(tmp_path, "x.tar", packed.getvalue())).whole == {"수집/iostat.txt": b"1"}


def test_names_of_macos_are_composed(tmp_path: Path) -> None:
    import unicodedata

    packed = zip_bytes({unicodedata.normalize("NFD", "수집/결과.txt"): b"1", "__MACOSX/수집/._결과.txt": b"2"})
    seen = see(put(tmp_path, "x.zip", packed))
    assert seen.whole == {"수집/결과.txt": b"1"}
    assert [out.kind for out in seen.left.values()] == ["hidden"]


def test_office_documents_are_files(tmp_path: Path) -> None:
    assert list(see(put(tmp_path, "report.xlsx", zip_bytes())).whole) == [""]


def test_what_a_member_knows(tmp_path: Path) -> None:
    from tunebench.transport.containers.members import Member
    from tunebench.transport.containers.walking import Walk

    (member,) = (m for m in Walk(put(tmp_path, "x.tar", tar_bytes({"d/v.txt": b"12"}))).entries())
    assert isinstance(member, Member)
    assert (member.name, member.file_name, member.size_bytes) == ("d/v.txt", "v.txt", 2)
    assert member.modified_ns == 1_713_229_200 * 10**9
