"""Binary sar files: who wrote them, who can read them, and the text that this machine's `sadf` makes of them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.messages import catalogue
from app.transport.sadf import (
    Reading,
    SadfProgram,
    SaFormat,
    can_read,
    command_for_server,
    convert,
    machine_sadf,
    sa_format,
)
from tests.conftest import ROOT

RECORDING = ROOT / "tests" / "fixtures" / "sadf" / "sa21"
NOBODY = SadfProgram(Path("/nowhere/sadf"), "12.6.1")


@pytest.fixture
def program() -> SadfProgram:
    found = machine_sadf()
    if found is None:
        pytest.skip("sysstat's sadf is not installed here")
    return found


def head(mark: str, *, size: int = 400) -> bytes:
    return bytes.fromhex(mark).ljust(size, b"\0")


def old_head(place: int, word: bytes) -> bytes:
    """The header of sysstat 4 to 8.1.2: small counts, the format word, the date, the system's name."""
    data = bytearray(400)
    data[place : place + 2] = word
    data[place + 8 : place + 14] = b"Linux\0"
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (head("96d57521 0c060100 50010000"), SaFormat(0x2175, False, "12.6.1")),
        (head("96d57521 0c010700"), SaFormat(0x2175, False, "12.1.7")),
        (head("d5962175 0b050500 00000148"), SaFormat(0x2175, True, "11.5.5")),
        (head("96d57321 0b000300"), SaFormat(0x2173, False, "11.0.3")),
        (head("96d57121 0a010500"), SaFormat(0x2171, False, "10.1.5")),
        (head("96d57021 09000400"), SaFormat(0x2170, False, "9.0.4")),
        (head("96d57011 09000400"), SaFormat(0x1170, False, "9.0.4")),
        (head("96d57521 0c060102"), SaFormat(0x2175, False, "12.6.1.2")),
        (old_head(36, b"\x69\x21"), SaFormat(0x2169, False, "4.1.6-8.1.2")),
        (old_head(40, b"\x21\x6e"), SaFormat(0x216E, True, "4.1.6-8.1.2")),
    ],
)
def test_the_header_says_who_wrote_the_file(data: bytes, expected: SaFormat) -> None:
    assert sa_format(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x96",
        b"\x96\xd5\x75",
        b"Linux 5.4 (host) 11/21/26\n\n16:10:13 CPU %user\n",
        bytes(400),
        b"\xfd7zXZ\0" + bytes(100),
        b"\x7fELF" + bytes(100),
        b"\x96\xd6\x75\x21" + bytes(100),
        bytes(36) + b"\x69\x21" + bytes(100),
    ],
)
def test_other_files_are_no_binary_sar_files(data: bytes) -> None:
    assert sa_format(data) is None


@pytest.mark.parametrize(
    ("word", "version", "reading"),
    [
        (0x2175, "12.6.1", Reading.DIRECT),
        (0x2175, "11.7.1", Reading.DIRECT),
        (0x2175, "13.0", Reading.DIRECT),
        (0x2175, "11.6.6", Reading.NONE),
        (0x2173, "12.6.1", Reading.CONVERTED),
        (0x2171, "12.0.0", Reading.CONVERTED),
        (0x2171, "11.7.1", Reading.NONE),
        (0x2173, "11.0.3", Reading.DIRECT),
        (0x2171, "10.1.5", Reading.DIRECT),
        (0x2170, "12.6.1", Reading.NONE),
        (0x1170, "12.6.1", Reading.NONE),
        (0x2169, "12.6.1", Reading.NONE),
        (0x2180, "12.6.1", Reading.NONE),
    ],
)
def test_which_sadf_reads_which_format(word: int, version: str, reading: Reading) -> None:
    program = SadfProgram(Path("/usr/bin/sadf"), version)
    assert can_read(SaFormat(word, False, "1.0.0"), program) is reading
    assert can_read(SaFormat(word, False, "1.0.0"), None) is Reading.NONE


def test_the_server_is_asked_for_json_where_its_sadf_can() -> None:
    new, old, oldest = SaFormat(0x2175, False, "12.6.1"), SaFormat(0x2170, False, "9.0.4"), old_head(36, b"\x69\x21")
    assert command_for_server(new, "/mnt/x/sa21") == "LC_ALL=C sadf -j sa21 -- -A > sa21.json"
    assert command_for_server(old, "sa07") == "LC_ALL=C sar -A -f sa07 > sa07.txt"
    known = sa_format(oldest)
    assert known is not None
    assert command_for_server(known, "sa07") == "LC_ALL=C sar -A -f sa07 > sa07.txt"


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("file", "program", "key"),
    [
        (SaFormat(0x2175, False, "12.6.1"), None, "sa_without_sadf"),
        (SaFormat(0x2170, False, "9.0.4"), NOBODY, "sa_other_version"),
    ],
)
def test_a_refusal_names_the_writer_and_the_command(
    language: str, file: SaFormat, program: SadfProgram | None, key: str
) -> None:
    with pytest.raises(UserError) as refusal:
        list(convert(RECORDING, file, program))
    assert refusal.value.key == key
    sentence = catalogue(language).text(f"error.{key}", **refusal.value.facts)
    assert file.version in sentence
    assert command_for_server(file, "sa21") in sentence


def test_without_sadf_in_the_path_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine_sadf() is None


def test_a_sadf_without_json_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path, "echo 'sysstat version 9.0.4'")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert machine_sadf() is None


def test_the_recording_becomes_json_in_utc(program: SadfProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recording was made at 16:10:15 in Seoul; 38.30 is what sar -u prints first of it."""
    monkeypatch.setenv("TZ", "Asia/Seoul")
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    file = sa_format(RECORDING.read_bytes()[:300])
    assert file == SaFormat(0x2175, False, "12.6.1")
    conversion = convert(RECORDING, file, program)
    host = json.loads(b"".join(conversion))["sysstat"]["hosts"][0]
    first = host["statistics"][0]
    assert (first["timestamp"]["date"], first["timestamp"]["time"]) == ("2026-11-21", "07:10:15")
    assert first["cpu-load"][0]["usr"] == 38.30
    assert len(host["statistics"]) == 18
    assert host["restarts"][0]["boot"]["time"] == "07:10:27"
    assert host["comments"][0]["comment"]["com"] == "tuning change: buffer pool 1G -> 2G"
    assert not conversion.truncated
    assert conversion.messages == ""


def test_bytes_of_an_archive_are_read_like_a_file(program: SadfProgram) -> None:
    data = RECORDING.read_bytes()
    file = sa_format(data)
    assert file is not None
    pieces = (data[start : start + 10_000] for start in range(0, len(data), 10_000))
    assert b"".join(convert(pieces, file, program, "sa21")) == b"".join(convert(RECORDING, file, program))


def test_a_file_cut_off_is_read_up_to_there_and_said_so(program: SadfProgram, tmp_path: Path) -> None:
    cut = tmp_path / "sa21"
    cut.write_bytes(RECORDING.read_bytes()[:60_000])
    file = sa_format(cut.read_bytes()[:300])
    assert file is not None
    conversion = convert(cut, file, program)
    host = json.loads(b"".join(conversion))["sysstat"]["hosts"][0]
    assert 5 < len(host["statistics"]) < 18
    assert conversion.exit_status == 0
    assert conversion.truncated


def test_a_damaged_file_is_refused_with_what_sadf_said(program: SadfProgram, tmp_path: Path) -> None:
    damaged = tmp_path / "sa21"
    damaged.write_bytes(RECORDING.read_bytes()[:76] + b"\xff" * 4000)
    with pytest.raises(UserError) as refusal:
        list(convert(damaged, SaFormat(0x2175, False, "12.6.1"), program))
    assert refusal.value.key == "sa_unreadable"
    assert "Invalid system activity file" in str(refusal.value.facts["reason"])


def test_the_corpus_of_damaged_and_foreign_files(program: SadfProgram, corpus: Path) -> None:
    """Five files of sysstat's own tests say something false of their layout; the others can be read."""
    refused = {}
    for path in sorted((corpus / "wild" / "sa-binary").iterdir()):
        file = sa_format(path.read_bytes()[:300])
        assert file is not None, path.name
        assert file.big_endian == ("ppc" in path.name)
        try:
            text = b"".join(convert(path, file, program))
        except UserError as error:
            refused[path.name.rpartition("data-")[2]] = error.key
        else:
            assert text.startswith(b'{"sysstat"')
    assert set(refused.values()) == {"sa_unreadable"}
    assert set(refused) == {
        "12.6.0-file_act-MAP_SIZE_types_nr-err",
        "12.6.0-file_act-nr-err",
        "12.6.0-file_act-size-err",
        "12.6.0-file_hdr-act_size-err",
        "12.6.0-file_hdr-sa_act_nr-err",
    }


# -- programs that behave badly ----------------------------------------------------------------------


def script(folder: Path, text: str) -> SadfProgram:
    path = folder / "sadf"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return SadfProgram(path, "12.6.1")


def test_a_silent_sadf_is_given_up(tmp_path: Path) -> None:
    program = script(tmp_path, "exec sleep 60")
    started = time.monotonic()
    with pytest.raises(UserError) as refusal:
        list(convert(RECORDING, SaFormat(0x2175, False, "12.6.1"), program, stall_s=0.3))
    assert refusal.value.key == "sa_stalled"
    assert time.monotonic() - started < 40


def test_leaving_early_ends_sadf_and_removes_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = script(tmp_path, f"echo $$ > {tmp_path}/pid; echo '{{'; exec sleep 60")
    conversion = convert([b"x" * 1000], SaFormat(0x2175, False, "12.6.1"), program, "sa21")
    assert next(iter(conversion)) == b"{\n"
    assert list(tmp_path.glob("tunebench-sa-*"))
    conversion.close()
    number = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert list(tmp_path.glob("tunebench-sa-*")) == []


def test_an_old_file_is_brought_up_to_date_first(tmp_path: Path) -> None:
    """The two steps: ``sadf -c`` makes a new file, which is printed then."""
    program = script(tmp_path, 'case $1 in -c) printf "new:"; cat "$2";; *) printf "json of "; cat "$3";; esac')
    old = tmp_path / "sa07"
    old.write_bytes(b"old")
    file = SaFormat(0x2171, False, "10.1.5")
    assert b"".join(convert(old, file, program)) == b"json of new:old"


def test_an_old_file_that_cannot_be_converted_is_refused(tmp_path: Path) -> None:
    program = script(tmp_path, "echo 'srealloc: Cannot allocate memory' >&2; exit 4")
    old = tmp_path / "sa07"
    old.write_bytes(b"old")
    with pytest.raises(UserError) as refusal:
        list(convert(old, SaFormat(0x2171, False, "10.1.5"), program))
    assert (refusal.value.key, refusal.value.facts["version"]) == ("sa_unreadable", "10.1.5")
    assert "srealloc" in str(refusal.value.facts["reason"])


@pytest.mark.parametrize("crash", ["-c", "-j"])
def test_a_sadf_that_crashes_says_nothing_against_the_file(tmp_path: Path, crash: str) -> None:
    program = script(tmp_path, f'case $1 in {crash}) kill -SEGV $$;; *) cat "$2";; esac')
    old = tmp_path / "sa07"
    old.write_bytes(b"old")
    with pytest.raises(UserError) as refusal:
        list(convert(old, SaFormat(0x2171, False, "10.1.6"), program))
    assert (refusal.value.key, refusal.value.facts["command"]) == (
        "sa_other_version",
        "LC_ALL=C sadf -j sa07 -- -A > sa07.json",
    )


def test_what_a_sadf_printed_before_it_crashed_is_called_cut_off(tmp_path: Path) -> None:
    conversion = convert(RECORDING, SaFormat(0x2175, False, "12.6.1"), script(tmp_path, "echo '{'; kill -SEGV $$"))
    assert b"".join(conversion) == b"{\n"
    assert conversion.truncated


def test_the_recording_itself_is_real(program: SadfProgram) -> None:
    """The fixture is what sar -u of the same program prints of it, so that the numbers above are not ours."""
    text = subprocess.run(
        ["sar", "-u", "-f", str(RECORDING)],
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
        capture_output=True,
        check=True,
    ).stdout
    assert b"07:10:15        all     38.30" in text
