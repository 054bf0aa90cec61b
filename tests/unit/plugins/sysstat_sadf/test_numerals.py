"""Numbers out of running text: the same doubles as Python's own float, whatever the form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.plugins.conftest import load_parser

Runs: Any = load_parser("sysstat_sadf", "numerals:Runs")

DIGITS = st.integers(min_value=0, max_value=10**19).map(str)
DECIMALS = st.tuples(st.integers(0, 10**16), st.integers(0, 99)).map(lambda pair: f"{pair[0]}.{pair[1]:02}")
ODD = st.sampled_from(["0.5", "1.234", "00.01", ".5", "5.", ".", "1.2.3", "999999999999.99", "9999999999999.99"])


def own(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@given(st.lists(DIGITS | DECIMALS | ODD, min_size=1, max_size=30))
def test_runs_are_found_and_read_as_float_reads_them(texts: list[str]) -> None:
    runs = Runs(("x" + "; ".join(texts)).encode())
    found = [runs.text[start:end].decode() for start, end in zip(runs.starts, runs.ends, strict=True)]
    assert found == texts
    values = runs.numbers(runs.starts, runs.ends)
    assert np.array_equal(values, np.array([own(text) for text in texts]), equal_nan=True)


def test_fields_that_are_no_numbers() -> None:
    texts = [b"-3.85", b"nan", b"1:00", b"1;2", b"12PM", b"?", b"", b"1e5", b"inf", b"1_0", b"1,25", b"\xff\xff"]
    text = b"|".join(texts)
    ends = np.cumsum([len(one) + 1 for one in texts]) - 1
    starts = np.append(0, ends[:-1] + 1)
    values = Runs(text).numbers(starts, ends)
    expected = [
        -3.85,
        math.nan,
        math.nan,
        math.nan,
        math.nan,
        math.nan,
        math.nan,
        1e5,
        math.nan,
        math.nan,
        1.25,
        math.nan,
    ]
    assert np.array_equal(values, np.array(expected), equal_nan=True)
