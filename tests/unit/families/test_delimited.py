"""Cells between commas: every road reads the double nearest to the printed decimal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.families.delimited import decode_delimited

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9)


@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=6), min_size=1, max_size=20))
def test_every_number_is_what_float_makes_of_it(rows):
    texts = [[f"{value}" for value in row] for row in rows]
    cells = decode_delimited([",".join(row).encode() for row in texts])
    assert cells.values.tolist() == [float(text) for row in texts for text in row]
    assert cells.widths.tolist() == [len(row) for row in rows]
    assert not cells.text.any()


def test_what_is_missing_and_what_is_text():
    cells = decode_delimited([b"1.5,,x,-", b"", b" 7,- 5,1.2.3,12345678901234567890"])
    assert cells.first.tolist() == [0, 4, 5, 9]
    assert [None if math.isnan(value) else value for value in cells.values.tolist()] == [
        1.5,
        None,
        None,
        None,
        None,
        7.0,
        None,
        None,
        12345678901234567890.0,
    ]
    assert np.flatnonzero(cells.text).tolist() == [2, 6, 7]


@pytest.mark.parametrize("delimiter", [b" ", b";", b"|"])
def test_other_delimiters(delimiter):
    assert decode_delimited([delimiter.join([b"1", b"2.25", b"-3"])], delimiter).values.tolist() == [1.0, 2.25, -3.0]


def test_no_rows():
    assert decode_delimited([]).first.tolist() == [0]
