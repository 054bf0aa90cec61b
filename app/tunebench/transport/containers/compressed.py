"""Single compressed streams: gzip, bzip2, xz and Zstandard, several in a row as the tools allow it."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from typing import Protocol

from tunebench.core import zstd
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.limits import Budget, OverLimit
from tunebench.transport.containers.members import ByteSource, Damaged

_INPUT_BYTES = 256 << 10
_OUTPUT_BYTES = 1 << 20
_LARGEST_DICTIONARY_BYTES = 512 << 20
"""``xz -9`` needs 65 MiB."""
_ERRORS = (zlib.error, lzma.LZMAError, zstd.ZstdError, OSError, EOFError, ValueError)


class _Stream(Protocol):
    """One stream from its magic bytes to its end, in steps of bounded size, as the readers of bz2 and lzma are."""

    def decompress(self, data: bytes, max_length: int) -> bytes: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


class _Gzip:
    def __init__(self) -> None:
        self._stream = zlib.decompressobj(31)
        self._full = False

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self._full = len(out) == max_length  # more may wait inside though all input was taken
        return out

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail and not self._full

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data


class _Zstd(zstd.FrameReader):
    """What it gives in one step is bounded by what it is given."""

    needs_input = True

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return super().decompress(data)


FORMS: dict[str, tuple[bytes, Callable[[], _Stream], int]] = {
    "gz": (b"\x1f\x8b\x08", _Gzip, _INPUT_BYTES),
    "bz2": (b"BZh", bz2.BZ2Decompressor, _INPUT_BYTES),
    "xz": (b"\xfd7zXZ\x00", partial(lzma.LZMADecompressor, memlimit=_LARGEST_DICTIONARY_BYTES), _INPUT_BYTES),
    "zst": (b"\x28\xb5\x2f\xfd", _Zstd, 1 << 10),
}
"""By suffix: the bytes a stream begins with, what reads it, and how much it is given at a time."""


class Unpacked:
    """The bytes behind a compressed source; a `ByteSource`."""

    def __init__(self, source: ByteSource, form: str, budget: Budget, name: str) -> None:
        self._source = source
        self._magic, self._begin, self._input_bytes = FORMS[form]
        self._budget = budget
        self._name = name
        self._stream = self._begin()
        self._ready = bytearray()
        self._rest = memoryview(b"")  # read, but not yet given to the stream
        self._packed = self._unpacked = 0
        self._ended = False
        self._broken: Damaged | OverLimit | None = None

    def read(self, size: int) -> bytes:
        while len(self._ready) < size and not self._ended and self._broken is None:
            try:
                self._ready += self._more()
            except (Damaged, OverLimit) as broken:
                self._broken = broken
            except _ERRORS as error:
                self._broken = damage_of(error)
        out = bytes(self._ready[:size])
        del self._ready[:size]
        if not out and self._broken is not None:
            raise self._broken
        return out

    def _more(self) -> bytes:
        if self._stream.eof:
            self._next_stream()
            return b""
        data = b""
        if self._stream.needs_input:
            data = self._take_input(self._input_bytes)
            if not data:
                raise Damaged("cut_off")
        out = self._stream.decompress(data, _OUTPUT_BYTES)
        self._unpacked += len(out)
        self._budget.count_unpacked(len(out), self._unpacked, self._packed, self._name)
        return out

    def _take_input(self, size: int) -> bytes:
        if not self._rest:
            self._rest = memoryview(self._source.read(_INPUT_BYTES))
            self._packed += len(self._rest)
        data, self._rest = self._rest[:size], self._rest[size:]
        return bytes(data)

    def _next_stream(self) -> None:
        """Another stream right behind (``cat a.gz b.gz``); padding, and whatever else follows, ends the whole."""
        rest = self._stream.unused_data + bytes(self._rest)
        while len(rest) < len(self._magic):
            self._rest = memoryview(b"")
            more = self._take_input(_INPUT_BYTES)
            if not more:
                break
            rest += more
        self._rest = memoryview(rest)
        if rest.startswith(self._magic):
            self._stream = self._begin()
        else:
            self._ended = True
