"""Numbers, flags and bytes come back bit for bit, and damage is noticed."""

from __future__ import annotations

import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tunebench.store import codec
from tunebench.store.errors import DamagedData


@given(arrays(np.float64, st.integers(0, 200)))
def test_any_floats(values: np.ndarray) -> None:
    blob = codec.pack_numbers(values)
    assert codec.is_intact(blob)
    assert codec.unpack_numbers(blob, len(values)).tobytes() == values.tobytes()


@given(arrays(np.int64, st.integers(0, 200)))
def test_any_integers(values: np.ndarray) -> None:
    blob = codec.pack_numbers(values, quick=True)
    assert codec.unpack_numbers(blob, len(values), np.int64).tobytes() == values.tobytes()


@given(arrays(np.float32, st.integers(1, 100), elements=st.floats(width=32, allow_nan=False)))
def test_short_floats_come_back_long(values: np.ndarray) -> None:
    found = codec.unpack_numbers(codec.pack_numbers(values), len(values))
    assert found.dtype == np.float64
    assert np.array_equal(found, values.astype(np.float64))


@pytest.mark.parametrize("value", [0.0, -0.0, 100.0, np.inf, np.nan])
def test_equal_numbers_take_thirteen_bytes(value: float) -> None:
    values = np.full(8192, value)
    blob = codec.pack_numbers(values)
    assert len(blob) == 13
    assert codec.unpack_numbers(blob, 8192).tobytes() == values.tobytes()


def test_a_zero_with_another_sign_is_another_number() -> None:
    values = np.array([0.0, -0.0, 0.0])
    assert codec.unpack_numbers(codec.pack_numbers(values), 3).tobytes() == values.tobytes()


@given(arrays(np.bool_, st.integers(0, 100)))
def test_any_flags(flags: np.ndarray) -> None:
    assert np.array_equal(codec.unpack_bits(codec.pack_bits(flags), len(flags)), flags)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    assert codec.decompress_bytes(codec.compress_bytes(data), len(data)) == data


@pytest.mark.parametrize("position", range(0, 60, 3))
def test_one_flipped_bit_is_noticed(position: int) -> None:
    values = np.round(np.random.default_rng(0).random(100), 1)
    blob = bytearray(codec.pack_numbers(values))
    assert len(blob) > 60
    blob[position] ^= 4
    with pytest.raises(DamagedData):
        codec.unpack_numbers(bytes(blob), 100)


@pytest.mark.parametrize("count", [0, 99, 101])
def test_another_count_is_damage(count: int) -> None:
    with pytest.raises(DamagedData):
        codec.unpack_numbers(codec.pack_numbers(np.arange(100.0)), count)


def test_damaged_flags_and_bytes_are_noticed() -> None:
    flags = codec.pack_bits(np.ones(100, dtype=bool))
    data = codec.compress_bytes(b"svc_t 137.8")
    with pytest.raises(DamagedData):
        codec.unpack_bits(flags[:-1], 100)
    with pytest.raises(DamagedData):
        codec.unpack_bits(flags, 200)
    for damaged in (data[:-3], data[:-1] + bytes([data[-1] ^ 1]), b"", b"noise"):
        with pytest.raises(DamagedData):
            codec.decompress_bytes(damaged, 11)
    with pytest.raises(DamagedData):
        codec.decompress_bytes(data, 12)


def test_what_a_blob_says_of_its_size_takes_no_memory() -> None:
    """The frame names 4 GiB, and so does the file: RFC 8878, 3.1.1.1 (single segment, an eight-byte content size)."""
    frame = bytes.fromhex("28b52ffd") + b"\xe0" + (4 << 30).to_bytes(8, "little") + bytes.fromhex("010000")
    with pytest.raises(DamagedData):
        codec.decompress_bytes(frame, 100)
    with pytest.raises(DamagedData):
        codec.decompress_bytes(frame, 4 << 30)
    bomb = zlib.compress(bytes(64 << 20))
    tracemalloc.start()
    with pytest.raises(DamagedData):
        codec.unpack_bits(bomb, 100)
    with pytest.raises(DamagedData):
        codec.unpack_numbers(codec.pack_numbers(np.zeros(100)), 600_000_000)
    with pytest.raises(DamagedData):
        codec.unpack_bits(bomb, 1 << 40)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20


@pytest.mark.parametrize("body", [b"", b"pco", b"pco!\x03\x00\x00\x04\x01\x00", b"x" * 40])
@pytest.mark.parametrize("tag", [b"C", b"P"])
def test_numbers_that_were_never_packed_are_damage_though_their_checksum_is_right(tag: bytes, body: bytes) -> None:
    blob = tag + zlib.crc32(body, zlib.crc32(tag)).to_bytes(4, "little") + body
    for dtype in (np.float64, np.int64):
        with pytest.raises(DamagedData):
            codec.unpack_numbers(blob, 7, dtype)
