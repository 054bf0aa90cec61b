"""Lines out of pieces, and the account of the base class."""

from __future__ import annotations

import codecs
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.sdk import LineParser, ParseContext, Round, SampleBatch, SeriesKey, StampedParser
from tunebench.sdk.lines import LONGEST_LINE, LineReader


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
    ("procs memory\r\n 1 2\n가나 3".encode("utf-16-le"), [b"procs memory", b" 1 2", "가나 3".encode()]),
    ("procs memory\n 1 2\n가나 3\n".encode("utf-16-be"), [b"procs memory", b" 1 2", "가나 3".encode()]),
    (b"0123456789 \0 \0", [b"0123456789 \0 \0"]),
    (b"ab", [b"ab"]),
]


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_lines_whatever_the_pieces(data, expected):
    for size in range(1, len(data) + 2):
        lines, total = split(data, list(range(0, len(data), size)))
        assert (lines, total) == (expected, len(expected)), size


@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"", b"\xec\x8b\x9c"]), max_size=40).map(b"".join),
    st.lists(st.integers(0, 60), max_size=8),
)
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


NATURAL_NAMES = (
    "reader", "buffer", "next_line", "line", "lines", "first_ns", "last_ns", "series", "samples", "given", "open", "take",
    "tables", "table", "rows", "counters", "finished", "stamp", "interval_s", "steps_ns", "outside", "ending", "total",
    "note_series", "seen", "place", "previous", "flush", "clock", "first", "last", "state", "count", "data", "pending",
    "account", "below_stamp", "close_round", "read_stamp", "take_finished", "time_of_round", "rest", "started", "page",
)  # fmt: skip


class _Anybody(LineParser):
    """Lines ``<seconds> <number>``; its author knows nothing of what the base keeps."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._rows: list[tuple[int, int, float]] = []
        claim(self)

    def read_lines(self, first_line: int, lines: list[bytes]):
        for number, line in enumerate(lines, first_line):
            seconds, value = line.split()
            self.book.data()
            yield batch_of(self.times.at_epoch(int(seconds)), number, float(value))


class _AnybodysRounds(StampedParser):
    """A number per round."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        claim(self)

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            self.add_counters(one, number, "t", ("n",), "device", "d", (float(line),))
            self.book.data()


def claim(parser: LineParser) -> None:
    """Takes every natural private name for the subclass' own, as attributes that nothing of the base could use."""
    for name in NATURAL_NAMES:
        setattr(parser, f"_{name}", object())


def batch_of(time_ns: int, line: int, value: float) -> SampleBatch:
    return SampleBatch(
        "t", np.array([time_ns]), (SeriesKey("t", "x"),), np.array([[value]]), np.array([False]), np.array([line])
    )


def test_a_subclass_is_free_in_its_names():
    parser = _Anybody(ParseContext())
    batches = [batch for piece in (b"10 1\n2", b"0 2\n", b"30 3") for batch in parser.feed(piece)] + [*parser.finish()]
    assert [(int(one.times_ns[0]), float(one.values[0, 0]), int(one.line_numbers[0])) for one in batches] == [
        (10 * 10**9, 1.0, 1),
        (20 * 10**9, 2.0, 2),
        (30 * 10**9, 3.0, 3),
    ]
    ledger = parser.ledger()
    assert (ledger.series, ledger.samples, ledger.first_ns, ledger.last_ns) == (1, 3, 10 * 10**9, 30 * 10**9)
    assert ledger.lines.balanced and ledger.lines.total == 3 and list(parser.events()) == []
    large = _Anybody(ParseContext())
    assert sum(len(one.times_ns) for one in large.feed(b"10 1\n" * 10_000)) == 10_000  # by the page
    assert large.ledger().lines.total == 10_000


def test_a_subclass_of_rounds_is_free_in_its_names():
    parser = _AnybodysRounds(ParseContext())
    text = b"zzz ***Tue Apr 16 10:00:10 UTC 2024\n5\nzzz ***Tue Apr 16 10:00:20 UTC 2024\n25\n"
    batches = [*parser.feed(text), *parser.finish()]
    assert [float(value) for one in batches for value in one.values.ravel() if one.table == "counters_t"] == [5.0, 25.0]
    assert [float(value) for one in batches for value in one.values.ravel() if one.table == "t"] == [2.0]  # 20 in 10 s
    assert parser.ledger().lines.balanced


def test_the_bases_keep_nothing_under_a_plain_private_name():
    """A subclass' attribute or method of any such name would take its place without a word."""
    own = ("__", "_LineParser__", "_StampedParser__")
    kept = [*vars(LineParser), *vars(StampedParser), *vars(StampedParser(ParseContext()))]
    assert [name for name in kept if name.startswith("_") and not name.startswith(own)] == []
