"""How numbers and bytes are packed into blobs. The only module that knows pcodec.

Every packed array carries a checksum, because SQLite does not notice a flipped bit inside a blob.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, standalone

from tunebench.core import zstd
from tunebench.sdk.scanning.column_form import CONSTANT, MORE, column_decimals
from tunebench.store.errors import DamagedData

CODEC_NAMES = {
    "codec.numbers": "pcodec standalone after a tag (C constant, P packed) and a crc32",
    "codec.bits": "packbits little, zlib",
    "codec.artefacts": "zstd",
}
"""Written into every file, so that another program can read it without this one."""

_LEVEL, _QUICK_LEVEL = 4, 1
_FEW = 1024  # of fewer numbers a search for repetitions costs more than it finds


@cache
def _config(level: int, decimals: int, is_short: bool) -> ChunkConfig:
    """How pcodec is told to pack. Printed decimals that it is told of need not be found out, and are never missed.

    Measured, with decimals told and left to it, nanoseconds and bytes a value: iostat 28 and 0.86, not 31 and 0.87; sar
    40 and 0.43, not 45 and 0.49; 128 values of iostat 49 and 1.50, not 161 and 2.93. Level 6 takes 3 to 12 % more time
    for 9 % fewer bytes.
    """
    config = ChunkConfig(compression_level=level)
    if decimals != MORE:
        config.mode_spec = ModeSpec.try_float_mult(10.0**-decimals)
        if is_short:
            config.delta_spec = DeltaSpec.no_op()
    return config


_CONSTANT, _PACKED = b"C", b"P"
_ZSTD_LEVEL = 3
_HEAD_BYTES = 5
MOST_ROWS = 1 << 24
"""Rows that a table of a database record may be said to have. A file that claims more than these is damaged, and takes
no memory for it."""
_MOST_IN_CHUNK = 1 << 16
_MOST_BYTES = 256 << 20


def pack_numbers(values: NDArray[Any], quick: bool = False, decimals: int | None = None) -> bytes:
    """Packs a contiguous 1-D array of 4- or 8-byte numbers, bit for bit; equal numbers take 13 bytes.

    Args:
        decimals: see `ColumnForms`, where it is known.
    """
    if decimals is None:
        decimals = _decimals_of(values)
    if decimals == CONSTANT:
        return _with_head(_CONSTANT, values[:1].tobytes())
    config = _config(_QUICK_LEVEL if quick else _LEVEL, decimals, len(values) < _FEW)
    return _with_head(_PACKED, standalone.simple_compress(values, config))


def _decimals_of(values: NDArray[Any]) -> int:
    if not len(values):
        return MORE
    if values.dtype == np.float64:
        return column_decimals(values)
    bits = values.view(np.int64 if values.itemsize == 8 else np.int32)
    return CONSTANT if bits[0] == bits[-1] and bool((bits == bits[0]).all()) else MORE


def unpack_numbers(
    blob: bytes, count: int, dtype: type[np.generic] = np.float64, most: int = _MOST_IN_CHUNK
) -> NDArray[Any]:
    """The `count` numbers that were packed; float32 blobs come back as float64 where that is asked.

    Raises:
        DamagedData: the blob is not what was written, or is said to hold more than `most`.
    """
    tag, body = blob[:1], _checked_body(blob)
    require_count(count, most)
    if tag == _CONSTANT:
        kind = np.dtype(np.float32) if len(body) == 4 else np.dtype(dtype)
        if len(body) != kind.itemsize:
            raise DamagedData(f"{len(body)} bytes where one number was packed")
        return np.full(count, np.frombuffer(body, dtype=kind)[0], dtype=dtype)
    try:
        return _unpacked(body, count, dtype)
    except RuntimeError as error:  # the numbers are of another kind, or none
        if dtype is not np.float64:
            raise DamagedData(str(error)) from error
    try:
        return _unpacked(body, count, np.float32).astype(np.float64)
    except RuntimeError as error:
        raise DamagedData(str(error)) from error


def _unpacked(body: bytes, count: int, dtype: type[np.generic]) -> NDArray[Any]:
    """Into an array of the size that is expected: what the blob says of its size is not believed."""
    values = np.empty(count, dtype=dtype)
    done = standalone.simple_decompress_into(body, values)
    if done.n_processed != count or not done.finished:
        raise DamagedData(f"other than the {count} numbers that were packed")
    return values


def require_count(count: int, most: int = _MOST_IN_CHUNK) -> None:
    """Raises DamagedData where a file tells a number of rows that no blob of ours has."""
    if not 0 <= count <= most:
        raise DamagedData(f"{count} rows in one blob")


def is_intact(blob: bytes) -> bool:
    """Whether a packed array still has the bytes that were written."""
    return len(blob) >= _HEAD_BYTES and _checksum(blob[:1], blob[_HEAD_BYTES:]) == blob[1:_HEAD_BYTES]


def pack_bits(flags: NDArray[np.bool_]) -> bytes:
    return zlib.compress(np.packbits(flags, bitorder="little").tobytes(), 1)


def unpack_bits(blob: bytes, count: int, most: int = _MOST_IN_CHUNK) -> NDArray[np.bool_]:
    """The `count` flags that were packed (zlib has its own checksum)."""
    require_count(count, most)
    size = (count + 7) // 8
    stream = zlib.decompressobj()
    try:
        packed = np.frombuffer(stream.decompress(blob, size + 1), dtype=np.uint8)
    except zlib.error as error:
        raise DamagedData(str(error)) from error
    if len(packed) != size or not stream.eof:
        raise DamagedData(f"other than {size} bytes of flags for {count} rows")
    return np.unpackbits(packed, count=count, bitorder="little").astype(bool)


def compress_bytes(data: bytes) -> bytes:
    return zstd.compress(data, _ZSTD_LEVEL)


def decompress_bytes(blob: bytes, size_bytes: int) -> bytes:
    """Raises DamagedData where the bytes are not what was compressed."""
    if not 0 <= size_bytes <= _MOST_BYTES:
        raise DamagedData(f"{size_bytes} bytes in one blob")
    try:
        data = zstd.decompress(blob, size_bytes)
    except zstd.ZstdError as error:
        raise DamagedData(str(error)) from error
    if len(data) != size_bytes:
        raise DamagedData(f"{len(data)} bytes where {size_bytes} were compressed")
    return data


def _with_head(tag: bytes, body: bytes) -> bytes:
    return tag + _checksum(tag, body) + body


def _checksum(tag: bytes, body: bytes) -> bytes:
    return zlib.crc32(body, zlib.crc32(tag)).to_bytes(4, "little")


def _checked_body(blob: bytes) -> bytes:
    if not is_intact(blob):
        raise DamagedData("checksum of packed numbers differs")
    return blob[_HEAD_BYTES:]
