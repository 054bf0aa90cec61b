"""Numbers anywhere in a text: the same doubles as Python's own float, whatever the form."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.sdk.numerals import Numerals

WHOLE = st.integers(min_value=0, max_value=10**19).map(str)
POINTED = st.tuples(st.integers(0, 10**12), st.integers(1, 12), st.integers(0, 10**12)).map(
    lambda parts: f"{parts[0]}.{parts[2] % 10 ** parts[1]:0{parts[1]}d}"
)
ODD = st.sampled_from(
    [
        "",
        ".",
        "5.",
        ".5",
        ".12345678",
        "1.2.3",
        "-1",
        "-0.5",
        "1e5",
        "nan",
        "inf",
        "x",
        "1x",
        "1:00",
        "0x10",
        "1_0",
        "00.0",
    ]
)


def places(texts: list[str]) -> tuple[Numerals, np.ndarray, np.ndarray]:
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    return Numerals(";".join(texts).encode()), np.append(0, ends[:-1] + 1), ends


def own(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) and "_" not in text else math.nan


def is_plain(text: str) -> bool:
    return text.count(".") < 2 and text.replace(".", "", 1).isdigit() and text.isascii()


@given(st.lists(WHOLE | POINTED | ODD, min_size=1, max_size=40))
def test_numbers_are_what_float_reads(texts: list[str]) -> None:
    numerals, starts, ends = places(texts)
    expected = np.asarray([own(text) for text in texts])
    assert np.array_equal(numerals.numbers(starts, ends), expected, equal_nan=True)
    values, plain = numerals.plain_numbers(starts, ends)
    assert np.array_equal(values[plain], expected[plain])
    assert not any(read and not is_plain(text) for text, read in zip(texts, plain.tolist(), strict=True))
    short = [len(text) < 9 and is_plain(text) and not text.endswith(".") for text in texts]
    assert plain[short].all()


@given(st.lists(WHOLE | POINTED | ODD, min_size=1, max_size=40))
def test_whole_numbers_are_digits_alone(texts: list[str]) -> None:
    numerals, starts, ends = places(texts)
    values, whole = numerals.whole_numbers(starts, ends)
    assert whole.tolist() == [text.isdigit() and len(text) < 16 for text in texts]
    assert values[whole].tolist() == [float(text) for text, read in zip(texts, whole.tolist(), strict=True) if read]


def test_more_numbers_than_are_read_at_once() -> None:
    texts = [f"{number * number}.{number % 100:02}" for number in range(40_000)]
    numerals, starts, ends = places(texts)
    shape = (200, 200)
    values, plain = numerals.plain_numbers(starts.reshape(shape), ends.reshape(shape))
    assert plain.all()
    assert values.ravel().tolist() == list(map(float, texts))
