"""The journal keeps what it was given, byte for byte, whatever happens to the process or to the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunebench.capture.journal import SIGNATURE, JournalKind, JournalRecord, JournalWriter, journal_files, read_journal
from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.sealing import Key, OpenedBy

LINES = [b"one\n", b"", b"\xab\x1fTB half a marker\n", b"\x00\xff" * 40, b"last, without an end"]


def written(folder: Path, payloads: list[bytes] = LINES, **options: int) -> Path:
    writer = JournalWriter(folder, **options)
    for number, payload in enumerate(payloads):
        writer.append(JournalKind.DATA, "db01/vmstat", 1000 + number, number, payload)
        writer.sync()
    writer.close()
    return folder


def payloads(folder: Path) -> list[bytes]:
    return [record.payload for record in read_journal(folder) if record.kind is JournalKind.DATA]


def torn(folder: Path) -> list[dict]:
    events = [record.event for record in read_journal(folder) if record.kind is JournalKind.EVENT]
    return [event for event in events if event["event"] == "torn"]


def test_gives_back_what_it_took(tmp_path: Path) -> None:
    folder = written(tmp_path / "host")
    records = list(read_journal(folder))
    assert [record.payload for record in records] == LINES
    assert records[1] == JournalRecord(JournalKind.DATA, "db01/vmstat", 1001, 1, b"", 1)
    assert not torn(folder)


def test_tells_streams_and_kinds_apart(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path)
    writer.append(JournalKind.DATA, "a", 1, 1, b"of a")
    writer.append(JournalKind.STDERR, "b", 2, 2, b"of b")
    writer.append(JournalKind.EVENT, "", 3, 3, json.dumps({"event": "mark", "text": "색인"}).encode())
    writer.append(JournalKind.DATA, "a", 4, 4, b"again")
    writer.close()
    found = [(record.kind, record.stream, record.payload) for record in read_journal(tmp_path)]
    assert found[0] == (JournalKind.DATA, "a", b"of a")
    assert found[1] == (JournalKind.STDERR, "b", b"of b")
    assert found[3] == (JournalKind.DATA, "a", b"again")
    assert [record.event for record in read_journal(tmp_path)][2]["text"] == "색인"


def test_nothing_before_a_torn_tail_is_lost_wherever_it_was_cut(tmp_path: Path) -> None:
    folder = written(tmp_path / "host")
    path = journal_files(folder)[1]
    whole = path.read_bytes()
    ends = record_ends(whole)
    for length in range(len(SIGNATURE), len(whole)):
        path.write_bytes(whole[:length])
        kept = max((number for number, end in enumerate(ends) if end <= length), default=0)
        assert payloads(folder) == LINES[: max(kept, 0)], length
        lost = length - max(end for end in [len(SIGNATURE), *ends] if end <= length)
        assert sum(event["lost_bytes"] for event in torn(folder)) == lost, length


def record_ends(data: bytes) -> list[int]:
    """End of every record, the name's first, by the format in the module's own words."""
    ends, at = [], len(SIGNATURE)
    while at < len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        at += 4 + 4 + 1 + 1 + 2 + 8 + 8 + length + 4
        ends.append(at)
    return ends


def test_one_flipped_bit_costs_one_record(tmp_path: Path) -> None:
    folder = written(tmp_path / "host")
    path = journal_files(folder)[1]
    data = bytearray(path.read_bytes())
    data[record_ends(bytes(data))[2] - 10] ^= 1  # inside the third record, the second of data
    path.write_bytes(data)
    assert payloads(folder) == [LINES[0], *LINES[2:]]
    assert len(torn(folder)) == 1


def test_whoever_continues_begins_a_new_file(tmp_path: Path) -> None:
    folder = written(tmp_path / "host", [b"before"])
    path = journal_files(folder)[1]
    path.write_bytes(path.read_bytes()[:-3])
    written(folder, [b"after"])
    assert list(journal_files(folder)) == [1, 2]
    assert payloads(folder) == [b"after"]
    assert len(torn(folder)) == 1


def test_a_full_file_is_followed_by_the_next(tmp_path: Path) -> None:
    many = [b"x" * 100 for _ in range(50)]
    folder = written(tmp_path / "host", many, file_bytes=1000)
    assert len(journal_files(folder)) > 4
    assert payloads(folder) == many
    assert {record.stream for record in read_journal(folder)} == {"db01/vmstat"}


def record(kind: int, stream: int, wall_ns: int, steady_ns: int, payload: bytes) -> bytes:
    """By the table in the module's own words."""
    numbers = ((len(payload), 4), (kind, 1), (0, 1), (stream, 2), (wall_ns, 8), (steady_ns, 8))
    whole = b"\xab\x1fTB" + b"".join(number.to_bytes(size, "little") for number, size in numbers) + payload
    return whole + zlib.crc32(whole).to_bytes(4, "little")


def test_a_file_is_what_its_description_says(tmp_path: Path) -> None:
    """The files of every release are read for ever."""
    writer = JournalWriter(tmp_path)
    writer.append(JournalKind.DATA, "a", 11, 1, b"of a")
    writer.append(JournalKind.STDERR, "b", 12, 2, b"of b")
    writer.append(JournalKind.EVENT, "", 13, 3, b'{"event": "mark"}')
    writer.close()
    path = journal_files(tmp_path)[1]
    assert path.read_bytes() == SIGNATURE + b"".join(
        [
            record(0, 0, 11, 1, b"a"),
            record(1, 0, 11, 1, b"of a"),
            record(0, 1, 12, 2, b"b"),
            record(2, 1, 12, 2, b"of b"),
            record(0, 2, 13, 3, b""),
            record(3, 2, 13, 3, b'{"event": "mark"}'),
        ]
    )
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("file_bytes", "files"), [(123, [1, 2]), (124, [1])])
def test_a_file_that_has_grown_to_its_size_is_followed_by_the_next(
    tmp_path: Path, file_bytes: int, files: list[int]
) -> None:
    """8 bytes of signature, and two records of 32 and their payload: 11 of the stream's name and 40."""
    writer = JournalWriter(tmp_path, file_bytes)
    writer.append(JournalKind.DATA, "db01/vmstat", 1, 1, b"x" * 40)
    writer.sync()
    assert list(journal_files(tmp_path)) == files
    writer.close()


def test_a_file_whose_beginning_is_damaged_is_read_from_its_first_sound_record_on(tmp_path: Path) -> None:
    folder = written(tmp_path / "host")
    path = journal_files(folder)[1]
    path.write_bytes(b"damaged" + path.read_bytes()[len(SIGNATURE) :])
    assert payloads(folder) == LINES
    assert torn(folder) == [{"event": "torn", "file": 1, "offset": 0, "lost_bytes": len(b"damaged")}]


def test_much_at_once_becomes_several_records(tmp_path: Path) -> None:
    much = os.urandom((2 << 20) + 17)
    folder = written(tmp_path / "host", [much, much[: 1 << 20]])
    assert payloads(folder) == [much[: 1 << 20], much[1 << 20 : 2 << 20], much[2 << 20 :], much[: 1 << 20]]


@pytest.mark.parametrize(("bytes_left", "kept"), [(10, []), (35, []), (36, [b"fits"]), (100, [b"fits"])])
def test_a_full_disk_is_told_and_leaves_whole_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_left: int, kept: list[bytes]
) -> None:
    writer = JournalWriter(tmp_path)
    writer.append(JournalKind.DATA, "a", 1, 1, b"safe")
    writer.sync()
    real, room = os.write, [bytes_left]

    def until_full(descriptor: int, data: memoryview) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        written = real(descriptor, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr("tunebench.capture.journal.os.write", until_full)
    writer.append(JournalKind.DATA, "a", 2, 2, b"fits")  # 32 bytes of frame and 4 of payload
    writer.append(JournalKind.DATA, "a", 3, 3, b"fits not" * 20)
    with pytest.raises(UserError) as refusal:
        writer.sync()
    writer.abandon()
    assert refusal.value.key == "capture_disk_full"
    assert payloads(tmp_path) == [b"safe", *kept]
    assert not torn(tmp_path)


WRITER = """
import sys, time
from pathlib import Path
from tunebench.capture.journal import JournalKind, JournalWriter
writer = JournalWriter(Path(sys.argv[1]))
number = 0
while True:
    writer.append(JournalKind.DATA, "a", number, number, b"%d\\n" % number * 50)
    writer.sync()
    print(number, flush=True)
    number += 1
"""


def test_kill_9_loses_nothing_that_was_synced(tmp_path: Path, project_root: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)], stdout=subprocess.PIPE, cwd=project_root
    )
    assert child.stdout is not None
    for _ in range(200):
        last = int(child.stdout.readline())
    child.kill()
    last = int((child.stdout.read().split() or [str(last).encode()])[-1])
    child.wait(10)
    child.stdout.close()
    found = payloads(tmp_path)
    assert len(found) >= last + 1
    assert found == [b"%d\n" % number * 50 for number in range(len(found))]


def test_a_writer_closes_its_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of a closed file may be another's by then."""
    writer = JournalWriter(tmp_path)
    writer.append(JournalKind.DATA, "a", 1, 1, b"of a")
    closed: list[int] = []
    monkeypatch.setattr("tunebench.capture.journal.os.close", closed.append)
    for end in (writer.abandon, writer.abandon, writer.close):
        end()
    assert len(closed) == 1
    monkeypatch.undo()
    os.close(closed[0])


# -- of an encrypted project ---------------------------------------------------------------------------


@pytest.fixture
def sealed_folder(tmp_path: Path) -> Iterator[Path]:
    key = Key(sealing.new_salt(OpenedBy.PASSPHRASE), b"7" * 32)
    sealing.hold(key)
    uncover = sealing.cover(tmp_path, key)
    yield tmp_path / "host"
    uncover()
    sealing.drop(key.salt)


def test_a_sealed_journal_gives_back_what_it_took_and_shows_nothing(sealed_folder: Path) -> None:
    folder = written(sealed_folder, [*LINES, b"PAYROLL" * 200_000], file_bytes=4000)
    assert b"".join(payloads(folder)) == b"".join([*LINES, b"PAYROLL" * 200_000])
    assert not torn(folder)
    assert len(journal_files(folder)) > 1
    for file in journal_files(folder).values():
        assert not any(words in file.read_bytes() for words in (b"PAYROLL", b"vmstat", b"one\n", b"last, without"))


def test_a_sealed_journal_that_was_cut_off_loses_its_end_alone(sealed_folder: Path) -> None:
    folder = written(sealed_folder)
    (file,) = journal_files(folder).values()
    file.write_bytes(file.read_bytes()[:-5])
    assert payloads(folder) == LINES[:-1]
    assert torn(folder)


def test_a_record_of_a_sealed_journal_that_was_changed_is_left_out(sealed_folder: Path) -> None:
    """Whoever has no key can recompute the checksum, but not the seal."""
    folder = written(sealed_folder, [b"first", b"second"])
    (file,) = journal_files(folder).values()
    data = bytearray(file.read_bytes())
    at = data.rindex(b"\xab\x1fTB")
    data[-5] ^= 1
    data[-4:] = zlib.crc32(bytes(data[at:-4])).to_bytes(4, "little")
    file.write_bytes(data)
    assert payloads(folder) == [b"first"]
    assert torn(folder)


def test_a_sealed_journal_without_its_key_is_refused(sealed_folder: Path) -> None:
    folder = written(sealed_folder)
    sealing._held.clear()
    with pytest.raises(UserError, match="capture_spool_unreadable"):
        list(read_journal(folder))
