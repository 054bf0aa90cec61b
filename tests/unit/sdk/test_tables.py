"""Rows to batches."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from tunebench.sdk import LedgerBook, SeriesKey, TableBuilder, tables
from tunebench.sdk.scanning.scanner import Cell, Key, ScannedRows, ScanTable


def builder(key="device", headings=("r/s", "w/s"), **more):
    book = LedgerBook()
    return TableBuilder("device", headings, key, book, **more), book


def cells(batch):
    """{(series' attributes and native, time): value}; NaN left out."""
    return {
        (*[value for _, value in key.attributes], key.native, int(time)): value
        for column, key in enumerate(batch.series)
        for time, value in zip(batch.times_ns, batch.values[:, column].tolist(), strict=True)
        if not math.isnan(value)
    }


def test_rows_of_one_time_stand_side_by_side():
    table, _ = builder()
    table.row(10, 1, b"sda", b"1.00 2.00")
    table.row(10, 2, b"sdb", b"3.00 4.00")
    table.row(20, 3, b"sda", b"5.00 6.00")
    table.row(20, 4, b"sdb", b"7.00 8.00")
    [batch] = table.flush(final=True)
    assert batch.times_ns.tolist() == [10, 20]
    assert batch.line_numbers.tolist() == [1, 3]
    assert batch.series[0] == SeriesKey("device", "r/s", (("device", "sda"),))
    assert batch.values.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_the_last_time_waits_for_its_companions():
    table, _ = builder()
    table.row(10, 1, b"sda", b"1 2")
    assert list(table.flush()) == []
    table.row(10, 2, b"sdb", b"3 4")
    table.row(20, 3, b"sda", b"5 6")
    [batch] = table.flush()
    assert batch.times_ns.tolist() == [10]
    assert len(table) == 1
    table.row(20, 4, b"sdb", b"7 8")
    [rest] = table.flush(final=True)
    assert cells(rest) == {("sda", "r/s", 20): 5, ("sda", "w/s", 20): 6, ("sdb", "r/s", 20): 7, ("sdb", "w/s", 20): 8}
    assert list(table.flush(final=True)) == []


def test_flushing_after_every_row_gives_the_same_samples():
    rows = [
        (10, b"sda", b"1 2"),
        (10, b"sdb", b"3 4"),
        (20, b"sdb", b"5 6"),
        (30, b"sda", b"7 8"),
        (30, b"sdc", b"9 0"),
    ]
    whole, _ = builder()
    piecewise, _ = builder()
    found = {}
    for line, (time, key, tail) in enumerate(rows, 1):
        whole.row(time, line, key, tail)
        piecewise.row(time, line, key, tail)
        for batch in piecewise.flush():
            found |= cells(batch)
    for batch in piecewise.flush(final=True):
        found |= cells(batch)
    [batch] = whole.flush(final=True)
    assert found == cells(batch)
    assert len(found) == 10


def test_a_device_that_is_missing_is_nan_not_zero():
    table, _ = builder()
    table.row(10, 1, b"sda", b"1 2")
    table.row(20, 2, b"sdb", b"3 4")
    [batch] = table.flush(final=True)
    assert [math.isnan(value) for value in batch.values[0]] == [False, False, True, True]
    assert [math.isnan(value) for value in batch.values[1]] == [True, True, False, False]


def test_a_thing_that_stands_twice_at_one_time_is_told_apart():
    table, _ = builder()
    for time in (10, 20):
        for value in (b"1 2", b"3 4", b"5 6"):
            table.row(time, time, b"sda", value)
    [batch] = table.flush(final=True)
    assert [dict(key.attributes)["device"] for key in batch.series] == [
        "sda",
        "sda",
        "sda#2",
        "sda#2",
        "sda#3",
        "sda#3",
    ]
    assert batch.values.tolist() == [[1, 2, 3, 4, 5, 6]] * 2


def test_rows_without_keys_are_all_kept_though_two_have_one_time():
    table, _ = builder(key=None)
    table.row(10, 1, b"", b"1 2")
    table.row(10, 2, b"", b"3 4")
    [batch] = table.flush(final=True)
    assert (batch.times_ns.tolist(), batch.values.tolist()) == ([10, 10], [[1, 2], [3, 4]])


def test_since_boot_rows_are_flagged():
    table, _ = builder()
    table.row(10, 1, b"sda", b"1 2", since_boot=True)
    table.row(20, 2, b"sda", b"3 4")
    [batch] = table.flush(final=True)
    assert batch.since_boot.tolist() == [True, False]


def test_unreadable_rows_leave_the_data_and_are_booked():
    table, book = builder()
    for line in range(1, 41):
        book.data()
        table.row(line, line, b"sda", b"1 2" if line % 10 else b"1 x")
    [batch] = table.flush(final=True)
    assert len(batch.times_ns) == 36
    assert 10 not in batch.times_ns
    ledger = book.close()
    assert (ledger.lines.data, ledger.lines.skipped) == (36, 4)
    assert [(s.reason, s.count, s.first_line) for s in ledger.skipped] == [("unreadable_numbers", 4, 10)]


def test_nothing_readable_gives_nothing():
    table, book = builder()
    book.data()
    table.row(1, 1, b"sda", b"x y")
    assert list(table.flush(final=True)) == []
    assert book.close().lines.data == 0


def test_decimal_commas_and_column_attributes():
    table, _ = builder(key=None, column_attributes=[(("group", "faults"),), (("group", "cpu"),)])
    table.row(1, 1, b"", b"1,5 2,25")
    [batch] = table.flush(final=True)
    assert batch.values.tolist() == [[1.5, 2.25]]
    assert [key.attributes for key in batch.series] == [(("group", "faults"),), (("group", "cpu"),)]


def test_names_in_the_korean_code_page():
    table, _ = builder()
    table.row(1, 1, "디스크".encode("cp949"), b"1 2")
    [batch] = table.flush(final=True)
    assert batch.series[0].attributes == (("device", "디스크"),)


def test_rows_of_text_and_rows_that_are_read_stand_in_one_table():
    table, book = builder()
    table.row(10, 1, b"sda", b"1,5 2")
    table.rows(10, 2, [b"sdb", b"sdc"], list(np.asarray([[3.25, math.nan], [5.0, 6.0]])))
    table.row(20, 4, b"sda", b"7 x")
    table.row(20, 5, b"sdb", np.asarray([8.0, 9.0]))
    book.data(5)
    [batch] = table.flush(final=True)
    assert cells(batch) == {
        ("sda", "r/s", 10): 1.5,
        ("sda", "w/s", 10): 2,
        ("sdb", "r/s", 10): 3.25,
        ("sdc", "r/s", 10): 5,
        ("sdc", "w/s", 10): 6,
        ("sdb", "r/s", 20): 8,
        ("sdb", "w/s", 20): 9,
    }
    assert book.data_lines == 4
    assert [(one.reason, one.first_line) for one in book.close().skipped] == [("unreadable_numbers", 4)]


@pytest.mark.parametrize("key", ["device", None])
@pytest.mark.parametrize("repeats", [False, True])
def test_scanned_rows_are_what_the_same_rows_are_one_by_one(monkeypatch, key, repeats):
    """In parts of any size, with times that go on from one part to the next, and things that come and go."""
    monkeypatch.setattr(tables, "_FEWEST_ROWS", 4)
    chance = random.Random(7)
    names = [b"sda", b"sdb", b"sdc", b"sdd"]
    rows = []
    for time_ns in range(10, 3000, 10):
        there = chance.sample(range(4), chance.randrange(1, 5)) if key else [0] * chance.choice([1, 1, 2])
        there += there[:1] if repeats and chance.random() < 0.1 else []
        rows += [(time_ns, one, [chance.random(), math.nan], time_ns < 30) for one in there]
    one_by_one, _ = builder(key)
    for line, (time_ns, one, values, boot) in enumerate(rows, 1):
        one_by_one.row(time_ns, line, names[one] if key else b"", np.asarray(values), boot)
    wanted = [*one_by_one.flush(final=True)]
    table, _ = builder(key)
    scanned = ScanTable(0, (Cell.NUMBER,) * 2, Key.FIRST, np.ones((2, 0)), 9)
    scanned.names = {name: number for number, name in enumerate(names)}
    none = np.zeros((0, 6), dtype=np.int64)
    found, at = [], 0
    while at < len(rows):
        part = rows[at : at + chance.choice([1, 3, 5, 40])]
        at_ns, keys, numbers, boots = (np.asarray(column) for column in zip(*part, strict=True))
        lines = np.arange(at + 1, at + 1 + len(part))
        found += table.scanned(ScannedRows(scanned, lines, keys.astype(np.int32), numbers, none, 9), at_ns, boots)
        at += len(part)
    found += table.flush(final=True)

    def all_of(batches):
        return sorted(
            (
                int(batch.line_numbers[row]),
                int(batch.times_ns[row]),
                bool(batch.since_boot[row]),
                series.attributes,
                value,
            )
            for batch in batches
            for row in range(len(batch.times_ns))
            for series, value in zip(batch.series, batch.values[row].tolist(), strict=True)
            if not math.isnan(value)
        )

    assert all_of(found) == all_of(wanted)
    assert len(all_of(found)) == len(rows)
