"""What the numbers of a column have in common, by the compiled way and the plain one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from app.sdk.scanning import column_form, compiled
from app.sdk.scanning.choice import PLAIN
from app.sdk.scanning.column_form import CONSTANT, column_decimals, column_decimals_plainly
from app.store.codec import pack_numbers, unpack_numbers

KNOWN = [
    ([1.0, 2.0, 1e15], 0),
    ([0.1, 0.2, 0.3], 1),
    ([0.25, 100.0], 2),
    ([0.125, 1.0], 3),
    ([0.0625, 1.0], None),
    ([0.1 + 0.2, 1.0], None),
    ([7.5, 7.5, 7.5], CONSTANT),
    ([0.0, -0.0], 0),
    ([float("nan"), 1.0], None),
    ([float("inf"), 1.0], None),
    ([1e300, 1.0], None),
    ([float("nan")] * 3, CONSTANT),
]


@pytest.mark.parametrize(("numbers", "decimals"), KNOWN)
@pytest.mark.parametrize("form", [column_decimals, column_decimals_plainly])
def test_decimals_are_those_that_were_printed(form, numbers, decimals):
    assert form(np.array(numbers)) == decimals


def _columns():
    chance = np.random.default_rng(16)
    for decimals in range(6):
        for count in (1, 2, 100, 1023, 1024, 5000):
            column = np.round(chance.normal(0, 10.0 ** random.Random(count).randrange(-2, 7), count), decimals)
            few = chance.random(count) < 0.1
            yield column
            yield np.cumsum(np.abs(column))
            for other in (-0.0, np.nan, np.inf, 5e-324, 1.7e308, 2.0**51, -(2.0**53)):
                yield np.where(few, other, column)


def test_both_ways_say_the_same():
    assert compiled.load(compiled.library_path()) is None or column_form._library() is not None
    assert [c for c in _columns() if column_decimals(c) != column_decimals_plainly(c)] == []


@pytest.mark.parametrize("quick", [False, True])
def test_columns_of_any_form_come_back_bit_for_bit(quick):
    for column in _columns():
        assert unpack_numbers(pack_numbers(column, quick), len(column)).tobytes() == column.tobytes()


def test_without_the_compiled_library_the_plain_way_serves(monkeypatch):
    monkeypatch.setenv(PLAIN, "1")
    column_form._library.cache_clear()
    try:
        assert column_form._library() is None
        assert column_decimals(np.array([0.5, 1.5])) == 1
    finally:
        monkeypatch.undo()
        column_form._library.cache_clear()
