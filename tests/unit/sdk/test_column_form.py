"""What the numbers of a column have in common, by the compiled way and the plain one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tunebench.sdk.scanning import compiled
from tunebench.sdk.scanning.choice import PLAIN, chosen_library
from tunebench.sdk.scanning.column_form import (
    MORE,
    BinColumns,
    ColumnForms,
    column_forms,
    fill_bins,
    fill_bins_plainly,
    fill_forms_plainly,
)
from tunebench.store.codec import pack_numbers, unpack_numbers

NOT_A_NUMBER = float("nan")
KNOWN = [
    ([1.0, 2.0, 1e15], 0),
    ([0.1, 0.2, 0.3], 1),
    ([0.25, 100.0], 2),
    ([0.125, 1.0], 3),
    ([0.0625, 1.0], MORE),
    ([0.1 + 0.2, 1.0], MORE),
    ([7.5, 7.5, 7.5], 1),
    ([0.0, -0.0], MORE),
    ([NOT_A_NUMBER, 1.0], 0),
    ([float("inf"), 1.0], MORE),
    ([1e300, 1.0], MORE),
    ([NOT_A_NUMBER] * 3, MORE),
    ([2.0**51, 1.0], MORE),
    ([2.0**51 - 1, 1.0], 0),
]


def forms_plainly(values):
    forms = ColumnForms.empty(*values.shape)
    fill_forms_plainly(values, forms)
    return forms


@pytest.mark.parametrize(("numbers", "decimals"), KNOWN)
@pytest.mark.parametrize("forms_of", [column_forms, forms_plainly])
def test_decimals_are_those_that_were_printed(forms_of, numbers, decimals):
    (form,) = forms_of(np.array([numbers])).of_each()
    assert form.decimals == decimals


def _columns():
    chance = np.random.default_rng(16)
    for decimals in range(6):
        for count in (1, 2, 100, 1023, 1024, 5000):
            column = np.round(chance.normal(0, 10.0 ** random.Random(count).randrange(-2, 7), count), decimals)
            few = chance.random(count) < 0.1
            yield column
            yield np.cumsum(np.abs(column))
            for other in (-0.0, np.nan, np.inf, 5e-324, 1.7e308, 2.0**31, 2.0**51, -(2.0**53)):
                yield np.where(few, other, column)


def _tables():
    chance = np.random.default_rng(5)
    for rows in (1, 3, 15, 16, 17, 64, 1000):
        values = np.round(chance.normal(0, 100, (5, rows)), 2)
        for share in (0.0, 0.1, 0.9, 1.0):
            yield np.where(chance.random(values.shape) < share, np.nan, values)
        yield np.where(chance.random(values.shape) < 0.1, np.inf, -values)
        yield np.where(chance.random(values.shape) < 0.5, np.nan, 7.25)
        yield np.round(values * 1e9)
    yield from (column[np.newaxis] for column in _columns())


def test_what_is_known_of_many_columns_is_what_their_numbers_say():
    for values in _tables():
        for found in (column_forms(values), forms_plainly(values)):
            for column, form, whole in zip(values, found.of_each(), found.whole, strict=True):
                there = column[~np.isnan(column)]
                assert form.holes == len(column) - len(there)
                expected = (there.min(), there.max()) if len(there) else (np.nan, np.nan)
                assert np.array_equal((form.minimum, form.maximum), expected, equal_nan=True)
                assert form.is_one == (len({there.tobytes()[at : at + 8] for at in range(0, 8 * len(there), 8)}) == 1)
                if form.decimals != MORE and not form.is_wide:
                    printed = [f"{number}e-{form.decimals}" for number in whole[: len(there)].tolist()]
                    assert list(map(float, printed)) == there.tolist()
                    assert form.total == sum(whole[: len(there)].tolist())
                assert form.is_wide == (
                    form.decimals != MORE and np.abs(there).max() * 10.0**form.decimals >= 2**31 - 1
                )


def test_both_ways_say_the_same():
    assert compiled.load(compiled.library_path()) is None or chosen_library() is not None
    for values in _tables():
        one, other = column_forms(values), forms_plainly(values)
        assert one.forms.tobytes() == other.forms.tobytes()
        for form, left, right in zip(one.of_each(), one.whole, other.whole, strict=True):
            if form.decimals != MORE and not form.is_wide:
                kept = values.shape[1] - form.holes
                assert np.array_equal(left[:kept], right[:kept])


def test_a_column_may_stand_in_a_wider_array():
    values = np.round(np.random.default_rng(3).normal(0, 50, (4, 100)), 2)
    wide = np.full((4, 300), np.nan)
    wide[:, :100] = values
    assert column_forms(wide[:, :100]).forms.tobytes() == column_forms(values).forms.tobytes()


def _bins_one_by_one(column, size):
    for at in range(0, len(column) // size * size, size):
        there = [value for value in column[at : at + size].tolist() if value == value]
        yield (min(there), max(there), sum(there), len(there)) if there else (np.nan, np.nan, np.nan, 0)


@pytest.mark.parametrize("size", [1, 4, 16])
@pytest.mark.parametrize("fill", [fill_bins, lambda values, size, low, into: fill_bins_plainly(values, size, into)])
def test_bins_hold_extremes_sums_and_counts(fill, size):
    for values in _tables():
        into = BinColumns.empty(len(values), values.shape[1] // size)
        fill(values, size, 0, into)
        for number, column in enumerate(values):
            found = [array[number].tolist() for array in into]
            expected = [list(each) for each in zip(*_bins_one_by_one(column, size), strict=True)] or [[], [], [], []]
            assert np.array_equal(found, expected, equal_nan=True)


def test_bins_go_to_the_columns_they_are_of():
    into = BinColumns.empty(3, 1)
    for array in into:
        array.fill(-1)
    fill_bins(np.array([[1.0, 2.0, 9.0]]), 2, 1, into)
    assert [array[:, 0].tolist() for array in into] == [[-1, 1, -1], [-1, 2, -1], [-1, 3, -1], [-1, 2, -1]]


@pytest.mark.parametrize("quick", [False, True])
def test_columns_of_any_form_come_back_bit_for_bit(quick):
    for column in _columns():
        assert unpack_numbers(pack_numbers(column, quick), len(column)).tobytes() == column.tobytes()


def test_without_the_compiled_library_the_plain_way_serves(monkeypatch):
    monkeypatch.setenv(PLAIN, "1")
    assert chosen_library() is None
    assert column_forms(np.array([[0.5, 1.5]])).of_each()[0].decimals == 1
