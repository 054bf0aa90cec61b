"""A zip archive without its table of contents (cut off, or still being sent): what stands before the damage."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import IO

from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.limits import Budget, OverLimit
from tunebench.transport.containers.members import Damaged, Entry
from tunebench.transport.containers.names import decode_name

_LOCAL, _DESCRIPTOR = b"PK\x03\x04", b"PK\x07\x08"
_HEADER = struct.Struct("<4sHHHHHLLLHH")
_ENCRYPTED, _SIZES_BEHIND, _UTF8 = 0x1, 0x8, 0x800
_STORED, _DEFLATED = 0, 8
_INPUT_BYTES, _OUTPUT_BYTES = 64 << 10, 1 << 20


def salvage(file: IO[bytes], budget: Budget, name: str) -> Iterator[Entry]:
    """The deflated and stored members up to the first that cannot be read, in their order.

    Raises:
        Damaged: always, at the end.
    """
    file.seek(0)
    while True:
        start = file.tell()
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or header[:4] != _LOCAL:
            raise Damaged("contents_missing")
        _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _HEADER.unpack(header)
        raw = file.read(name_length)
        file.seek(extra_length, 1)
        readable = method == _DEFLATED or (method == _STORED and not flags & _SIZES_BEHIND)
        if flags & _ENCRYPTED or not readable or len(raw) < name_length:
            raise Damaged("contents_missing")
        path = raw.decode("utf-8", "replace") if flags & _UTF8 else decode_name(raw)
        expected_crc = None if flags & _SIZES_BEHIND else crc
        data = _Salvaged(file, method, packed, expected_crc, budget, f"{name}!/{path}")
        yield Entry(path, size, 0, "folder" if path.endswith("/") else "file", data, packed_bytes=packed)
        data.skip()
        if flags & _SIZES_BEHIND:
            _pass_descriptor(file)
        if file.tell() <= start:
            raise Damaged("contents_missing")


def _pass_descriptor(file: IO[bytes]) -> None:
    """Checksum and sizes behind the bytes, with or without a signature, of 4 or 8 bytes each."""
    at = file.tell()
    ahead = file.read(28)
    for length in (16, 24, 12, 20):
        if ahead[length : length + 4] in (_LOCAL, b"PK\x01\x02") or len(ahead) == length:
            file.seek(at + length)
            return
    file.seek(at + (16 if ahead[:4] == _DESCRIPTOR else 12))


class _Salvaged:
    """The bytes of one member; leaves the file where they end."""

    def __init__(self, file: IO[bytes], method: int, packed: int, crc: int | None, budget: Budget, name: str) -> None:
        self._file, self._budget, self._name = file, budget, name
        self._left = packed
        self._stream = zlib.decompressobj(-15) if method == _DEFLATED else None
        self._told_crc = crc
        self._crc = 0
        self._given = self._taken = 0
        self._waiting = b""
        self._ended = False
        self._broken: Damaged | OverLimit | None = None

    def read(self, size: int) -> bytes:
        if self._broken is not None:
            raise self._broken
        try:
            out = self._stored(size) if self._stream is None else self._inflated(size)
            self._count(out)
        except (Damaged, OverLimit) as broken:
            self._broken = broken
            raise
        except zlib.error as error:
            self._broken = damage_of(error)
            raise self._broken from error
        return out

    def skip(self) -> None:
        while self.read(_OUTPUT_BYTES):
            continue

    def _stored(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left))
        if not data and self._left:
            raise Damaged("cut_off")
        self._left -= len(data)
        self._taken += len(data)
        return data

    def _inflated(self, size: int) -> bytes:
        assert self._stream is not None
        while not self._ended:
            if not self._waiting:
                self._waiting = self._file.read(_INPUT_BYTES)
                self._taken += len(self._waiting)
            before = len(self._waiting)
            out = self._stream.decompress(self._waiting, min(size, _OUTPUT_BYTES))
            self._waiting = self._stream.unconsumed_tail
            if self._stream.eof:
                self._ended = True
                self._file.seek(-len(self._stream.unused_data), 1)
            elif not before and not out:
                raise Damaged("cut_off")
            if out:
                return out
        return b""

    def _count(self, out: bytes) -> None:
        self._crc = zlib.crc32(out, self._crc)
        self._given += len(out)
        self._budget.count_unpacked(len(out), self._given, max(self._taken, 1), self._name)
        if not out and self._told_crc is not None and self._told_crc != self._crc:
            self._told_crc = None
            raise Damaged("checksum")
