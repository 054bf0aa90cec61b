"""Chunks, tiles and totals of a capture: the same with one thread and two, and what their numbers say."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tunebench.core import beside
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.store.codec import unpack_bits, unpack_numbers
from tunebench.store.packing import PackedColumn
from tunebench.store.sample_packing import PackedRows, SamplePacker

ROWS = 30_000


def _columns(chance, names):
    decimals = {name: index % 5 for index, name in enumerate(names)}
    scale = {name: 10.0 ** (index % 7) for index, name in enumerate(names)}
    return lambda name, rows: np.round(chance.gamma(0.7, scale[name], rows), decimals[name])


def _capture(seed):
    """Batches of two tables: devices come and go, numbers are missing, the first rows are averages since boot, one column
    needs 64 bits and one is of numbers that nobody printed so."""
    chance, pick = np.random.default_rng(seed), random.Random(seed)
    names = [f"sd{index}" for index in range(12)] + ["wide", "odd", "idle"]
    column = _columns(chance, names)
    at = {"device": 0, "cpu": 0}
    while min(at.values()) < ROWS:
        table = pick.choice(list(at))
        rows = pick.choice([1, 7, 300, 4000])
        own = names if table == "cpu" or pick.random() < 0.5 else pick.sample(names, 9)
        values = np.stack([column(name, rows) for name in own], axis=1)
        values[:, [index for index, name in enumerate(own) if name == "wide"]] *= 1e6
        values[:, [index for index, name in enumerate(own) if name == "odd"]] /= 3
        values[:, [index for index, name in enumerate(own) if name == "idle"]] = 0.1
        values[chance.random(values.shape) < pick.choice([0.0, 0.0, 0.2])] = np.nan
        lines = np.arange(at[table], at[table] + rows)
        series = tuple(SeriesKey(table, "x", (("device", name),)) for name in own)
        yield SampleBatch(table, lines * 10**9, series, values, lines < 2, lines + 1)
        at[table] += rows


def _parts(batches):
    packer = SamplePacker()
    parts = [part for batch in batches for part in packer.append(batch)]
    return parts + [part for some in packer.finish() for part in some]


@pytest.fixture(scope="module", params=[1, 2])
def batches(request):
    return list(_capture(request.param))


def test_two_threads_give_the_same_parts_in_the_same_order(batches, monkeypatch):
    monkeypatch.setattr(beside, "cores", lambda: 2)
    monkeypatch.delenv(beside.ONE_THREAD, raising=False)
    two = _parts(batches)
    monkeypatch.setenv(beside.ONE_THREAD, "1")
    assert _parts(batches) == two


def test_chunks_hold_what_the_batches_did(batches):
    expected: dict[SeriesKey, list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]]] = {}
    for batch in batches:
        for column, key in enumerate(batch.series):
            expected.setdefault(key, []).append((batch.times_ns, batch.values[:, column], batch.since_boot))
    keys: dict[str, list[SeriesKey]] = {}
    got: dict[SeriesKey, list[tuple[NDArray[np.int64], NDArray[np.float64], PackedColumn]]] = {}
    for part in _parts(batches):
        if isinstance(part, PackedRows):
            keys.setdefault(part.table, []).extend(part.keys)
            times_ns = unpack_numbers(part.chunk.times, part.chunk.rows, np.int64)
            for packed in part.chunk.columns:
                there = np.ones(part.chunk.rows, dtype=bool)
                if packed.missing is not None:
                    there = ~unpack_bits(packed.missing, part.chunk.rows)
                numbers = unpack_numbers(packed.data, int(there.sum()))
                got.setdefault(keys[part.table][packed.series_index], []).append((times_ns[there], numbers, packed))
    for key, pieces in expected.items():
        times_ns, values, since_boot = map(np.concatenate, zip(*pieces, strict=True))
        there = ~np.isnan(values)
        chunks = got[key]
        assert np.concatenate([chunk[0] for chunk in chunks]).tolist() == times_ns[there].tolist()
        assert np.concatenate([chunk[1] for chunk in chunks]).tobytes() == values[there].tobytes()
        measured = there & ~since_boot
        assert sum(chunk[2].valid for chunk in chunks) == int(measured.sum())
        minima = [chunk[2].minimum for chunk in chunks if chunk[2].minimum is not None]
        maxima = [chunk[2].maximum for chunk in chunks if chunk[2].maximum is not None]
        assert (min(minima), max(maxima)) == (values[measured].min(), values[measured].max())
        for own_times, numbers, packed in chunks:
            _check_total(key, own_times >= 2 * 10**9, numbers, packed)


def _check_total(key, measured, numbers, column):
    """Of printed numbers the sum is the decimal one, rounded once."""
    if dict(key.attributes)["device"] == "odd" or not column.valid:
        return
    printed = [Fraction(repr(number)) for number in numbers[measured].tolist()]
    if all(
        number.denominator in (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000) for number in printed
    ):
        assert column.total == float(sum(printed))
