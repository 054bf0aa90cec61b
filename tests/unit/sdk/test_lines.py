"""Lines out of pieces, and the account of the base class."""

from __future__ import annotations

import codecs
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sdk import LineParser, ParseContext, SampleBatch, SeriesKey
from app.sdk.lines import LONGEST_LINE, LineReader


def split(data: bytes, cuts: list[int]) -> tuple[list[bytes], int]:
    reader = LineReader()
    lines: list[bytes] = []
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        lines += reader.feed(data[start:end])
    lines += reader.finish()
    return lines, reader.total


CASES = [
    (b"", []),
    (b"\n", [b""]),
    (b"a", [b"a"]),
    (b"a\n", [b"a"]),
    (b"a\nb", [b"a", b"b"]),
    (b"a\r\nb\r\n", [b"a", b"b"]),
    (b"a\r\n\r\nb", [b"a", b"", b"b"]),
    (b"a\r\nb\r", [b"a", b"b"]),
    (b"\xef\xbb\xbfa\nb\n", [b"a", b"b"]),
    (b"\xef\xbb\xbf", []),
    ("가\n나\n".encode("utf-16"), ["가".encode(), "나".encode()]),
    (codecs.BOM_UTF16_BE + "a\r\n가".encode("utf-16-be"), [b"a", "가".encode()]),
    (codecs.BOM_UTF16_LE, []),
    (b"ab", [b"ab"]),
]


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_lines_whatever_the_pieces(data, expected):
    for size in range(1, len(data) + 2):
        lines, total = split(data, list(range(0, len(data), size)))
        assert (lines, total) == (expected, len(expected)), size


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"", b"\xec\x8b\x9c"]), max_size=40).map(b"".join),
       st.lists(st.integers(0, 60), max_size=8))
def test_pieces_do_not_change_the_lines(data, cuts):
    whole, total = split(data, [])
    assert split(data, cuts) == (whole, total)
    assert len(whole) == total
    pieces = data.split(b"\n")
    assert whole == [line.removesuffix(b"\r") for line in (pieces if pieces[-1] else pieces[:-1])]


def test_a_text_without_line_ends_does_not_grow_without_bound():
    reader = LineReader()
    lines = [line for _ in range(5) for line in reader.feed(b"x" * (LONGEST_LINE // 2 + 1))]
    lines += reader.finish()
    assert sum(map(len, lines)) == 5 * (LONGEST_LINE // 2 + 1)
    assert len(lines) == reader.total == 3


class _Echo(LineParser):
    """Counts every line as data and gives one sample per line."""

    def read_lines(self, first_line, lines):
        self.book.data(len(lines))
        for offset, _ in enumerate(lines):
            number = first_line + offset
            one = np.array([number])
            yield SampleBatch("t", one, (SeriesKey("t", "n"),), np.array([[1.0]]), np.array([False]), one)


def test_the_account_of_the_base_class():
    parser = _Echo(ParseContext())
    batches = [*parser.feed(b"a\nb\nc"), *parser.feed(b"\nd"), *parser.finish()]
    assert [int(batch.line_numbers[0]) for batch in batches] == [1, 2, 3, 4]
    ledger = parser.ledger()
    assert ledger.lines.balanced
    assert (ledger.lines.total, ledger.series, ledger.samples) == (4, 1, 4)
    assert (ledger.first_ns, ledger.last_ns) == (1, 4)
    assert list(parser.take_records()) == []
