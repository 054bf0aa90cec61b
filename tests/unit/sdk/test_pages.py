"""A page against Python's own splitting of the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.sdk.pages import WIDEST_COLUMNS, page_of

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


def test_columns_may_reach_past_the_end_of_the_text():
    page = page_of([b"abc", b"d"])
    assert page.columns(page.starts, 3).tobytes() == b"abcd\n\0"
    assert page.columns(page.starts, 10_000).shape == (2, WIDEST_COLUMNS)
