"""Numbers of rows, read many at once or one by one, against Python's own `float`."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.sdk import decode_rows, parse_cell


def _same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


@given(
    st.integers(1, 6).flatmap(
        lambda columns: st.lists(
            st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 4)), min_size=columns, max_size=columns),
            min_size=1,
            max_size=80,
        )
    ),
    st.integers(5, 14),
)
def test_padded_rows_equal_float(table, width):
    decimals = [places for _, places in table[0]]  # a column has a fixed number of decimals, as printf gives
    cells = [
        [f"{number / 10**places:{width}.{places}f}" for (number, _), places in zip(row, decimals, strict=True)]
        for row in table
    ]
    rows = [" ".join(row).encode() for row in cells]
    values, readable = decode_rows(rows, len(decimals))
    assert readable.all()
    assert values.tolist() == [[float(cell) for cell in row] for row in cells]


@given(st.lists(st.lists(st.floats(-1e12, 1e12, allow_nan=False), min_size=3, max_size=3), min_size=1, max_size=60))
def test_unpadded_and_negative_rows_equal_float(table):
    cells = [[f"{number:.2f}" for number in row] for row in table]
    values, readable = decode_rows([" ".join(row).encode() for row in cells], 3)
    assert readable.all()
    assert values.tolist() == [[float(cell) for cell in row] for row in cells]


def test_a_column_that_overflows_among_many_regular_rows():
    random.seed(7)
    numbers = [[random.choice([1.0, 99.99, 12345678901.25]) for _ in range(4)] for _ in range(300)]
    rows = ["".join(f"{number:9.2f}" for number in row) for row in numbers]
    separate = [row if len(row.split()) == 4 else None for row in rows]
    values, readable = decode_rows([row.encode() for row in rows], 4)
    for text, value, good in zip(separate, values.tolist(), readable.tolist(), strict=True):
        assert good == (text is not None)
        if text is not None:
            assert value == [float(cell) for cell in text.split()]


def test_numbers_of_other_widths_in_rows_of_one_length():
    """``1 23`` and ``12 3`` have one length and different columns."""
    rows = [b"1 23", b"12 3"] * 40
    values, readable = decode_rows(rows, 2)
    assert readable.all()
    assert values.tolist() == [[1, 23], [12, 3]] * 40


def test_rows_with_too_few_or_too_many_numbers_are_unreadable_and_nan():
    rows = [b"1.00 2.00 3.00"] * 60 + [b"1.00 2.00     ", b"1.0 2.0 3.0 4.", b"", b"a.00 2.00 3.00"]
    values, readable = decode_rows(rows, 3)
    assert readable.tolist() == [True] * 60 + [False] * 4
    assert np.isnan(values[60:]).all()


def test_absent_cells_are_nan_in_either_road():
    rows = [b"1.00  -   3.00"] * 60
    values, readable = decode_rows(rows, 3)
    assert readable.all()
    assert values[:, 0].tolist() == [1.0] * 60
    assert np.isnan(values[:, 1]).all()


def test_units_follow_the_columns():
    values, readable = decode_rows([b"18.1G 5.7M 1.5%"], 3, [1024.0, 1024.0, 1.0])
    assert readable.all()
    assert values.tolist() == [[18.1 * 1024**2, 5.7 * 1024, 1.5]]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (b"12.5", 12.5),
        (b"12,5", 12.5),
        (b"-0", 0.0),
        (b"0", 0.0),
        (b"-3.25", -3.25),
        (b"1.5%", 1.5),
        (b"12,5%", 12.5),
        (b"5.7M", 5.7 * 1024**2),
        (b"304k", 304 * 1024.0),
        (b"2K", 2048.0),
        (b"100%", 100.0),
        (b"-", math.nan),
        (b"--", math.nan),
        (b"nan", math.nan),
        (b"-nan", math.nan),
        (b"n/a", math.nan),
        (b"1e3", 1000.0),
        (b".5", 0.5),
        (b"007", 7.0),
    ],
)
def test_cells(cell, value):
    assert _same(parse_cell(cell), value)


@pytest.mark.parametrize(
    "cell",
    [
        b"sda",
        b"1.2.3",
        b"1_000",
        b"inf",
        b"-inf",
        b"0x10",
        b"12:30",
        b"%",
        b"k",
        b"1,234,567",
        b"\xec\x8b\x9c",
        b"infinity",
        b"1.5%%",
        b"M5",
    ],
)
def test_what_is_no_number_raises(cell):
    with pytest.raises(ValueError, match=r"."):
        parse_cell(cell)


@given(st.binary(max_size=30))
def test_no_cell_raises_anything_but_value_error(cell):
    try:
        number = parse_cell(cell)
    except ValueError:
        return
    assert not math.isinf(number)


CELLS = st.sampled_from(
    b"0 -0 7 1.5 12,5 +3 -2.25 .5 5. 1e3 - -- nan -nan NS 1.5% 5.7M 18,1G -2k 304B 1_0 inf 9007199254740993 1.2.3 x".split()
)


@given(
    st.lists(st.lists(CELLS, max_size=4).map(b" ".join) | st.binary(max_size=25), min_size=32, max_size=60),
    st.integers(1, 4),
)
def test_a_row_is_read_alike_alone_and_among_many(rows, columns):
    bases = [1024.0, 1.0, 512.0, 1.0][:columns]
    values, readable = decode_rows(rows, columns, bases)
    assert np.isnan(values[~readable]).all()
    alone = [decode_rows([row], columns, bases) for row in rows]
    assert readable.tolist() == [good[0] for _, good in alone]
    assert values.tobytes() == np.vstack([value for value, _ in alone]).tobytes()


@given(st.integers(1, 10**15 - 1), st.integers(1, 6))
def test_long_numbers_round_once(number, places):
    digits = str(number).rjust(places + 1, "0")
    cell = f"{digits[:-places]}.{digits[-places:]}"
    values, readable = decode_rows([cell.encode()] * 60, 1)
    assert readable.all()
    assert values[:, 0].tolist() == [float(cell)] * 60


@given(st.lists(st.integers(0, 10**14), min_size=20, max_size=60))
def test_numbers_of_any_length_among_others_equal_float(numbers):
    rows = [f"{number:16d} {number % 977:8.2f}".encode() for number in numbers]
    values, readable = decode_rows(rows, 2)
    assert readable.all()
    assert values.tolist() == [[float(number), float(number % 977)] for number in numbers]


@pytest.mark.parametrize("cell", [b"0,1_0", b"1_0", b"0,1e400", b"1e400%", b"1_0k", b"_1", b"nan%"])
def test_figures_that_no_tool_prints(cell):
    with pytest.raises(ValueError):
        parse_cell(cell)
