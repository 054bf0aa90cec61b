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
from tunebench.sdk.scanning.column_form import MORE, ColumnForm, column_forms
from tunebench.store.errors import DamagedData

CODEC_NAMES = {
    "codec.numbers": (
        "behind a tag and a crc32: C one number; P pcodec standalone; W a byte, decimals and 128 where the numbers "
        "have 64 bits, then whole numbers of 10^-decimals, pcodec standalone"
    ),
    "codec.bits": "packbits little, zlib",
    "codec.artefacts": "zstd",
}
"""Written into every file, so that another program can read it without this one."""

_LEVEL, _QUICK_LEVEL = 5, 1


@cache
def _config(level: int, is_wide: int, is_smooth: int) -> ChunkConfig:
    """How pcodec is told to pack whole numbers: as they are, or their differences where they are smooth.

    Left to itself it also looks for what repeats itself. Measured with and without, nanoseconds and bytes a value: made
    series 20 and 1.24, 14 and 1.22; a minute of iostat over and over 19 and 0.74, 12 and 0.79; of sar 27 and 0.41, 13
    and 0.94.
    """
    config = ChunkConfig(compression_level=level, mode_spec=ModeSpec.classic())
    if not is_wide:
        config.delta_spec = DeltaSpec.try_consecutive(1) if is_smooth else DeltaSpec.no_op()
    return config


_CONSTANT, _PACKED, _WHOLE = b"C", b"P", b"W"
_WIDE = 128
_ZSTD_LEVEL = 2
_HEAD_BYTES = 5
MOST_ROWS = 1 << 24
"""Rows that a table of a database record may be said to have. A file that claims more than these is damaged, and takes
no memory for it."""
_MOST_IN_CHUNK = 1 << 16
_MOST_BYTES = 256 << 20


def pack_numbers(values: NDArray[Any], quick: bool = False) -> bytes:
    """Packs a contiguous 1-D array of 4- or 8-byte numbers, bit for bit; equal numbers take 13 bytes."""
    level = _QUICK_LEVEL if quick else _LEVEL
    if len(values) and _are_one(values):
        return _with_head(_CONSTANT, values[:1].tobytes())
    if len(values) and values.dtype == np.float64:
        forms = column_forms(values[np.newaxis])
        (form,) = forms.of_each()
        if not form.holes:
            return pack_column(values, form, forms.whole[0], level)
    return _with_head(_PACKED, standalone.simple_compress(values, ChunkConfig(compression_level=level)))


def pack_quickly(values: NDArray[np.float64]) -> list[bytes]:
    """`pack_numbers` of each row of a table, in less time and more bytes."""
    forms = column_forms(values)
    return [
        pack_numbers(row, quick=True) if form.holes else pack_column(row, form, whole, _QUICK_LEVEL)
        for row, form, whole in zip(values, forms.of_each(), forms.whole, strict=True)
    ]


def pack_column(present: NDArray[np.float64], form: ColumnForm, whole: NDArray[np.int32], level: int = _LEVEL) -> bytes:
    """Packs the numbers of a column without its holes.

    Args:
        whole: as in `ColumnForms`.
    """
    if form.is_one:
        return _with_head(_CONSTANT, present[:1].tobytes())
    if form.decimals == MORE:
        return _with_head(_PACKED, standalone.simple_compress(present, ChunkConfig(compression_level=level)))
    numbers = wide_numbers(present, form.decimals) if form.is_wide else whole[: len(present)]
    packed = standalone.simple_compress(numbers, _config(level, form.is_wide, form.is_smooth))
    return _with_head(_WHOLE, bytes([form.decimals | (_WIDE if form.is_wide else 0)]) + packed)


def wide_numbers(values: NDArray[np.float64], decimals: int) -> NDArray[np.int64]:
    """The whole numbers of 10^-decimals that these are."""
    return np.rint(values * 10.0**decimals).astype(np.int64)


def _are_one(values: NDArray[Any]) -> bool:
    bits = values.view(np.int64 if values.itemsize == 8 else np.int32)
    return bits[0] == bits[-1] and bool((bits == bits[0]).all())


def unpack_numbers(
    blob: bytes, count: int, dtype: type[np.generic] = np.float64, most: int = _MOST_IN_CHUNK
) -> NDArray[Any]:
    """The `count` numbers that were packed; float32 blobs come back as float64 where that is asked.

    Raises:
        DamagedData: the blob is not what was written, or is said to hold more than `most`.
    """
    require_count(count, most)
    values = np.empty(count, dtype=dtype)
    unpack_into(blob, values, most)
    return values


def unpack_into(blob: bytes, values: NDArray[Any], most: int = _MOST_IN_CHUNK) -> None:
    """`unpack_numbers` of as many as there is room for, into a contiguous array."""
    tag, body = blob[:1], _checked_body(blob)
    require_count(len(values), most)
    if tag == _WHOLE and values.dtype == np.float64:
        _unpack_whole(body, values)
    elif tag == _CONSTANT:
        kind = np.dtype(np.float32) if len(body) == 4 else values.dtype
        if len(body) != kind.itemsize:
            raise DamagedData(f"{len(body)} bytes where one number was packed")
        values.fill(np.frombuffer(body, dtype=kind)[0])
    else:
        _unpack_plain(body, values)


def _unpack_whole(body: bytes, values: NDArray[np.float64]) -> None:
    """The doubles nearest to the decimals: both the number and the power of ten are exact, and rounded is once."""
    kind = body[0] if body else 0
    numbers = np.empty(len(values), np.int64 if kind & _WIDE else np.int32)
    try:
        _decompress(body[1:], numbers)
    except RuntimeError as error:
        raise DamagedData(str(error)) from error
    np.divide(numbers, 10.0 ** (kind & ~_WIDE), out=values)


def _unpack_plain(body: bytes, values: NDArray[Any]) -> None:
    try:
        _decompress(body, values)
        return
    except RuntimeError as error:  # the numbers are of another kind, or none
        if values.dtype != np.float64:
            raise DamagedData(str(error)) from error
    single = np.empty(len(values), np.float32)
    try:
        _decompress(body, single)
    except RuntimeError as error:
        raise DamagedData(str(error)) from error
    values[:] = single


def _decompress(body: bytes, values: NDArray[Any]) -> None:
    """Into an array of the size that is expected: what the blob says of its size is not believed."""
    done = standalone.simple_decompress_into(body, values)
    if done.n_processed != len(values) or not done.finished:
        raise DamagedData(f"other than the {len(values)} numbers that were packed")


def require_count(count: int, most: int = _MOST_IN_CHUNK) -> None:
    """Raises DamagedData where a file tells a number of rows that no blob of ours has."""
    if not 0 <= count <= most:
        raise DamagedData(f"{count} rows in one blob")


def is_intact(blob: bytes) -> bool:
    """Whether a packed array still has the bytes that were written."""
    return _has_sum_of(blob, blob[_HEAD_BYTES:])


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
    body = blob[_HEAD_BYTES:]
    if not _has_sum_of(blob, body):
        raise DamagedData("checksum of packed numbers differs")
    return body


def _has_sum_of(blob: bytes, body: bytes) -> bool:
    """Whether the blob's head has the checksum of its tag and of the body behind it, which is cut off once."""
    return len(blob) >= _HEAD_BYTES and _checksum(blob[:1], body) == blob[1:_HEAD_BYTES]
