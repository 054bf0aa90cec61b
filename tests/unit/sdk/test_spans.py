"""Batches stay near the size of their text, whatever comes and goes."""

from __future__ import annotations

import tracemalloc

import numpy as np

from tunebench.sdk import series_account
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.lines import LineParser
from tunebench.sdk.number_table import NumberTable
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.spans import MOST_CELLS, dense_spans, repeated_cells
from tunebench.sdk.tables import TableBuilder


def test_a_usual_table_is_one_batch():
    times = np.repeat(np.arange(1000), 100)
    assert dense_spans(times, np.tile(np.arange(100), 1000), 12) == [(0, 100_000)]
    assert dense_spans(times[:0], times[:0], 12) == []


def test_things_that_come_and_go_are_cut_at_times():
    times = np.repeat(np.arange(2000), 3)
    spans = dense_spans(times, np.arange(6000), 10)
    assert [low for low, _ in spans[1:]] == [high for _, high in spans[:-1]]
    assert (spans[0][0], spans[-1][1]) == (0, 6000)
    assert all(times[low - 1] != times[low] for low, _ in spans[1:])
    cells = [(times[high - 1] - times[low] + 1) * (high - low) * 10 for low, high in spans]
    assert max(cells) <= MOST_CELLS


def test_one_time_is_never_cut():
    assert dense_spans(np.zeros(50_000, dtype=np.int64), np.arange(50_000), 100) == [(0, 50_000)]


def values_of(batches):
    found = {}
    for batch in batches:
        for row, time in enumerate(batch.times_ns.tolist()):
            for column, key in enumerate(batch.series):
                if not np.isnan(batch.values[row, column]):
                    found[time, key.native, key.attributes] = (batch.values[row, column], batch.line_numbers[row])
    return found


def test_builders_give_the_same_figures_in_several_batches():
    text, numbers = TableBuilder("cpu", ["a", "b"], "process", LedgerBook()), NumberTable("cpu", ["a", "b"], "process")
    for number in range(1500):
        text.row(number // 2, number + 1, b"p%d" % number, b"%d %d" % (number, number + 1))
        number_row = (float(number), float(number + 1))
        numbers.row(number // 2, number + 1, f"p{number}", number_row)
    from_text, from_numbers = list(text.flush(final=True)), list(numbers.flush())
    assert len(from_text) > 1 and len(from_numbers) > 1
    assert values_of(from_text) == values_of(from_numbers)
    assert len(values_of(from_text)) == 3000
    assert values_of(from_text)[7, "b", (("process", "p15"),)] == (16.0, 15)


def test_a_thing_may_be_named_many_times_in_a_moment():
    table = NumberTable("disk", ["x"], "device")
    for number in range(50_000):  # was quadratic once
        table.row(0, number + 1, "sda", (1.0,))
    (batch,) = table.flush()
    assert len(set(batch.series)) == 50_000
    assert dict(batch.series[2].attributes) == {"device": "sda#3"}


def test_a_second_name_that_is_taken_is_passed_over():
    table = NumberTable("disk", ["x"], "device")
    for line, name in enumerate(("sda", "sda#2", "sda", "sda#2", "sda"), 1):
        table.row(0, line, name, (float(line),))
    (batch,) = table.flush()
    assert len(set(batch.series)) == 5


class _Wide(LineParser):
    """A new series per line."""

    def read_lines(self, first_line, lines):
        table = TableBuilder("t", ["x"], "device", self.book)
        for number, line in enumerate(lines, first_line):
            table.row(number, number, line, b"1")
            self.book.data()
        return table.flush(final=True)


def test_series_are_bounded(monkeypatch):
    monkeypatch.setattr(series_account, "MOST_SERIES", 10)
    parser = _Wide(ParseContext())
    batches = [batch for number in range(30) for batch in parser.feed(b"d%d\n" % number)]
    batches += parser.feed(b"d3\n")
    parser.finish()
    ledger = parser.ledger()
    assert (ledger.series, ledger.warnings, ledger.lines.data) == (10, ("too_many_series",), 31)
    assert sum(len(batch.times_ns) for batch in batches) == 11


def test_cells_that_come_again():
    """Counted where there are few, sorted where there are many: the same answer."""
    few = np.array([0, 3, 1, 3, 2, 1, 5], dtype=np.int64)
    assert repeated_cells(few).tolist() == [1, 3]
    assert repeated_cells(few * 10**12).tolist() == [10**12, 3 * 10**12]
    assert repeated_cells(np.arange(5) * 10**15).tolist() == []
    assert repeated_cells(np.zeros(0, dtype=np.int64)).tolist() == []


def test_things_that_come_once_make_no_square():
    """Eight thousand processes, each at a time of its own: a cell for each at every time would be half a gigabyte."""
    builder = TableBuilder("t", ["x"], "process", LedgerBook())
    for number in range(8000):
        builder.row(number, number, b"p%d" % number, b"1")
    tracemalloc.start()
    try:
        rows = sum(len(batch.times_ns) for batch in builder.flush(final=True))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows == 8000
    assert peak < 100 << 20
