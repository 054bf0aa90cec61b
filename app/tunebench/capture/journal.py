"""The journal of a capture: what came over the wires, exactly as it came, before anybody looks at it.

One folder per host, ``journal-0001.tbj`` and so on; a file is only ever added to, and whoever continues after a
crash begins a new one. A file is a signature and then records:

    marker   4 bytes   where a reader finds its feet again after damage
    length   uint32    of the payload
    kind     uint8     `JournalKind`
    spare    uint8     0
    stream   uint16    number of the stream in this file; a ``NAME`` record says its id before its first use
    wall     int64     this machine's clock, UTC nanoseconds
    steady   int64     this machine's monotonic clock, nanoseconds
    payload  bytes     of the stream, of its stderr, or one JSON object (``EVENT``)
    crc      uint32    CRC-32 of everything before it, marker included

all little-endian. The journal of an encrypted project is sealed: another signature, the head of a `Sealer`, and each
record's payload sealed together with the head of its record. A process killed in the middle of a write leaves half a
record at the end of the file: the reader cuts it off, says so with a ``torn`` event, and loses nothing before it.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any

from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.plain_files import read_plain
from tunebench.core.sealing import SEALED_MORE_BYTES, Sealed, Sealer, covering
from tunebench.core.whole_files import make_private_folder

SIGNATURE = b"TBJNL\x01\r\n"
SEALED_SIGNATURE = b"TBJNS\x01\r\n"
LARGEST_PAYLOAD_BYTES = 1 << 20
FILE_BYTES = 32 << 20
"""A file that has grown to this is followed by the next one."""
_MOST_FILE_BYTES = 4 * FILE_BYTES  # it is left behind with the record that filled it

_MARKER = b"\xab\x1fTB"
_HEAD = struct.Struct("<4sIBBHqq")
_CRC = struct.Struct("<I")
_FILE = lazy_pattern(r"journal-(\d{4,})\.tbj")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class JournalKind(IntEnum):
    NAME = 0
    DATA = 1
    STDERR = 2
    EVENT = 3


@records.record
class JournalRecord:
    """One record. `stream` is the command's id, empty for what concerns the whole host; `file` is the file's number."""

    kind: JournalKind
    stream: str
    wall_ns: int
    steady_ns: int
    payload: bytes
    file: int = 0

    @property
    def event(self) -> dict[str, Any]:
        """The object of an ``EVENT`` record; empty for the others."""
        return dict(json.loads(self.payload)) if self.kind is JournalKind.EVENT else {}


class JournalWriter:
    """Appends to a host's journal. One thread writes; nothing is safe before `sync` came back.

    Raises:
        UserError: capture_disk_full, capture_write_failed; what was written before stays readable.
    """

    def __init__(self, folder: Path, file_bytes: int = FILE_BYTES) -> None:
        self.folder = folder
        self._file_bytes = file_bytes
        self._pending = bytearray()
        self._ends: list[int] = []
        self._names: dict[str, int] = {}
        self._size = 0
        self._descriptor = -1
        self._key = covering(folder)
        self._sealer: Sealer | None = None
        with _sorted_errors(folder):
            make_private_folder(folder)
            self.file = max(journal_files(folder), default=0)
            self._open_next()

    def append(self, kind: JournalKind, stream: str, wall_ns: int, steady_ns: int, payload: bytes) -> None:
        """Takes one record in; more than a megabyte of data becomes several."""
        number = self._number_of(stream, wall_ns, steady_ns)
        for first in range(0, max(len(payload), 1), LARGEST_PAYLOAD_BYTES):
            piece = payload[first : first + LARGEST_PAYLOAD_BYTES]
            self._take_in(_packed(kind, number, wall_ns, steady_ns, piece, self._sealer))

    def sync(self) -> None:
        """Everything taken in so far is on the disk when this returns."""
        with _sorted_errors(self.folder):
            self._write()
            _sync_data(self._descriptor)
            if self._size >= self._file_bytes:
                self._open_next()

    def close(self) -> None:
        """Writes what is left and closes; closing twice is allowed."""
        if self._descriptor < 0:
            return
        try:
            self.sync()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Closes without writing: the disk refused."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _number_of(self, stream: str, wall_ns: int, steady_ns: int) -> int:
        number = self._names.get(stream)
        if number is None:
            number = self._names[stream] = len(self._names)
            self._take_in(_packed(JournalKind.NAME, number, wall_ns, steady_ns, stream.encode(), self._sealer))
        return number

    def _take_in(self, record: bytes) -> None:
        self._pending += record
        self._ends.append(len(self._pending))

    def _write(self) -> None:
        """Where the disk takes no more, what fitted stays; a record that did not fit whole is cut off again."""
        view = memoryview(self._pending)
        written = 0
        try:
            while written < len(view):
                written += os.write(self._descriptor, view[written:])
        except OSError:
            fitted = bisect_right(self._ends, written)
            os.ftruncate(self._descriptor, self._size + (self._ends[fitted - 1] if fitted else 0))
            raise
        finally:
            view.release()
        self._size += written
        self._pending.clear()
        self._ends.clear()

    def _open_next(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self.file += 1
        self._names.clear()
        path = self.folder / f"journal-{self.file:04d}.tbj"
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        self._sealer = Sealer(self._key) if self._key is not None else None
        head = SIGNATURE if self._sealer is None else SEALED_SIGNATURE + self._sealer.head
        self._size = os.write(self._descriptor, head)
        _sync_folder(self.folder)


def journal_files(folder: Path) -> dict[int, Path]:
    """Number -> file, in the order in which they were written."""
    files = ((_FILE.fullmatch(path.name), path) for path in folder.iterdir()) if folder.is_dir() else ()
    return dict(sorted((int(match[1]), path) for match, path in files if match))


def read_journal(folder: Path, first_file: int = 0) -> Iterator[JournalRecord]:
    """All records of a host in the order in which they came.

    What cannot be read is left out and reported in its place by an event of our own,
    ``{"event": "torn", "file": ..., "offset": ..., "lost_bytes": ...}``.
    """
    for number, path in journal_files(folder).items():
        if number >= first_file:
            yield from _records(path, number)


def read_streams(folder: Path, void_bytes: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    """Stream and bytes of the streams named, in the order in which they came.

    Args:
        void_bytes: by stream, how many of its first bytes do not count (a fetched file that began anew).
    """
    left_out = dict(void_bytes)
    for record in read_journal(folder):
        if record.kind is JournalKind.DATA and record.stream in left_out:
            piece = record.payload[left_out[record.stream] :]
            left_out[record.stream] -= len(record.payload) - len(piece)
            if piece:
                yield record.stream, piece


# -- reading -------------------------------------------------------------------------------------------


def _records(path: Path, number: int) -> Iterator[JournalRecord]:
    try:
        data = read_plain(path, _MOST_FILE_BYTES)
    except OSError as error:
        detail = f"{path.name}: {error.strerror or error}"
        raise UserError("capture_spool_unreadable", folder=str(path.parent), detail=detail) from error
    names: dict[int, str] = {}
    last_ns = 0
    at, sealer = _beginning(data, path)
    if not at:
        at = _next_whole(data, 0)
        yield _torn(number, 0, at, last_ns)
    while at < len(data):
        record = _record_at(data, at)
        if record is None:
            after = _next_whole(data, at + 1)
            yield _torn(number, at, after - at, last_ns)
            at = after
            continue
        kind, stream, wall_ns, steady_ns, payload, at = record
        last_ns = wall_ns
        if sealer is not None:
            try:
                payload = sealer.open(payload, _head(kind, stream, wall_ns, steady_ns, len(payload)))
            except Sealed:
                yield _torn(number, at, len(payload), last_ns)
                continue
        if kind is JournalKind.NAME:
            names[stream] = payload.decode()
        else:
            yield JournalRecord(kind, names.get(stream, ""), wall_ns, steady_ns, payload, number)


def _beginning(data: bytes, path: Path) -> tuple[int, Sealer | None]:
    """Where the records begin, 0 where the signature is none, and what opens them.

    Raises:
        UserError: capture_spool_unreadable where it is sealed with a key that nobody here holds.
    """
    if data.startswith(SIGNATURE):
        return len(SIGNATURE), None
    if not data.startswith(SEALED_SIGNATURE):
        return 0, None
    first, end = len(SEALED_SIGNATURE), len(SEALED_SIGNATURE) + Sealer.HEAD_BYTES
    if len(data) < end:  # cut off before its first record
        return len(data), None
    try:
        return end, Sealer(head=data[first:end])
    except Sealed as error:
        raise UserError("capture_spool_unreadable", folder=str(path.parent), detail=path.name) from error


def _record_at(data: bytes, at: int) -> tuple[JournalKind, int, int, int, bytes, int] | None:
    """The record that begins here and where it ends; None where none does, or where it is not whole."""
    if len(data) - at < _HEAD.size + _CRC.size:
        return None
    marker, length, kind, _spare, stream, wall_ns, steady_ns = _HEAD.unpack_from(data, at)
    first, end = at + _HEAD.size, at + _HEAD.size + length
    if marker != _MARKER or length > LARGEST_PAYLOAD_BYTES + SEALED_MORE_BYTES or end + _CRC.size > len(data):
        return None
    if kind > max(JournalKind) or _CRC.unpack_from(data, end)[0] != zlib.crc32(memoryview(data)[at:end]):
        return None
    return JournalKind(kind), stream, wall_ns, steady_ns, data[first:end], end + _CRC.size


def _next_whole(data: bytes, at: int) -> int:
    """Where the next sound record begins; the end where none follows."""
    while (at := data.find(_MARKER, at)) >= 0:
        if _record_at(data, at) is not None:
            return at
        at += 1
    return len(data)


def _torn(file: int, offset: int, lost_bytes: int, wall_ns: int) -> JournalRecord:
    facts = {"event": "torn", "file": file, "offset": offset, "lost_bytes": lost_bytes}
    return JournalRecord(JournalKind.EVENT, "", wall_ns, 0, json.dumps(facts).encode(), file)


# -- writing -------------------------------------------------------------------------------------------


def _head(kind: JournalKind, stream: int, wall_ns: int, steady_ns: int, length: int) -> bytes:
    return _HEAD.pack(_MARKER, length, kind, 0, stream, wall_ns, steady_ns)


def _packed(
    kind: JournalKind, stream: int, wall_ns: int, steady_ns: int, payload: bytes, sealer: Sealer | None
) -> bytes:
    head = _head(kind, stream, wall_ns, steady_ns, len(payload) + (SEALED_MORE_BYTES if sealer else 0))
    whole = head + (payload if sealer is None else sealer.seal(payload, head))
    return whole + _CRC.pack(zlib.crc32(whole))


def _sync_data(descriptor: int) -> None:
    getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS and Windows have no fdatasync


def _sync_folder(folder: Path) -> None:
    """The new file's name is on the disk too; Windows cannot and need not."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _sorted_errors(folder: Path) -> Iterator[None]:
    """Turns what the disk says into a refusal with a sentence."""
    try:
        yield
    except OSError as error:
        key = "capture_disk_full" if error.errno in _FULL else "capture_write_failed"
        raise UserError(key, folder=str(folder), detail=error.strerror or str(error)) from error
