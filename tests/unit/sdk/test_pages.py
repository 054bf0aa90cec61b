"""A page against Python's own splitting of the text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.sdk import Page, page_of
from app.sdk.pages import WIDEST_COLUMNS

LINES = st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=30)


@given(LINES)
def test_lines_and_slices(lines):
    page = page_of(lines)
    assert len(page) == len(lines)
    assert page.lines(0, len(page)) == lines
    assert [page.line(index) for index in range(len(page))] == lines
    assert page.lengths.tolist() == [len(line) for line in lines]
    for start in range(len(lines) + 1):
        assert page.lines(start, len(lines)) == lines[start:]
        assert page.slice(0, start) == b"".join(line + b"\n" for line in lines[:start])


@given(LINES, st.binary(min_size=1, max_size=2).filter(lambda text: b"\n" not in text))
def test_where_a_text_stands(lines, text):
    assert page_of(lines).where(text).tolist() == [index for index, line in enumerate(lines) if text in line]


@given(st.lists(st.sampled_from([b"a", b"ab", b"b", b"a" * 600, b"a" * 599 + b"b", b""]), max_size=20))
def test_which_lines_are_equal(lines):
    page = page_of(lines)
    every = np.arange(len(lines))
    for wanted in (b"ab", b"a" * 600, b""):
        assert page.equal(every, wanted).tolist() == [line == wanted for line in lines]


def test_columns_may_reach_past_the_end_of_the_text():
    page = page_of([b"abc", b"d"])
    assert page.columns(page.starts, 3).tobytes() == b"abcd\n\0"
    assert page.columns(page.starts, 10_000).shape == (2, WIDEST_COLUMNS)


def test_points_for_commas():
    assert Page(b"1,5 a,b\n").with_points[:8].tobytes() == b"1.5 a.b\n"
