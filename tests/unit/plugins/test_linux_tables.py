"""The bulk road of iostat's rows gives what the line-by-line road gives."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tunebench.sdk import LedgerBook, TableBuilder

FIXTURES = Path(__file__).parents[2] / "fixtures" / "linux"
MIDNIGHT_NS = int(datetime(2026, 11, 21, tzinfo=timezone(timedelta(hours=9))).timestamp()) * 10**9
HEADINGS = ["r/s", "rkB/s", "await", "%util"]


def builder(key: str | None = "device") -> tuple[TableBuilder, LedgerBook]:
    book = LedgerBook()
    return TableBuilder("device", HEADINGS, key, book), book


def random_capture(seed: int, blocks: int) -> tuple[str, dict[tuple[str, str], list[float]]]:
    """A day's worth in small: devices leave and come back, a value overflows its column now and then."""
    random = Random(seed)
    lines = ["Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(8 CPU)", ""]
    expected: dict[tuple[str, str], list[float]] = {}
    start = datetime(2026, 11, 21)
    devices = ["sda", "sdb", "nvme0n1", "dm-0", "mapper-with-a-long-name"]
    for index in range(blocks):
        lines.append((start + timedelta(seconds=index)).strftime("%Y-%m-%dT%H:%M:%S+0900"))
        lines.append("Device            r/s     rkB/s   await  %util")
        for device in devices:
            if random.random() < 0.1:
                continue
            values = [random.choice([0.0, 1.25, 99.99, 12345.67, 1e7 * random.random()]) for _ in HEADINGS]
            cells = [f"{value:.2f}" for value in values]
            lines.append(f"{device:<13} {cells[0]:>7} {cells[1]:>9} {cells[2]:>7} {cells[3]:>6}")
            for heading, cell in zip(HEADINGS, cells, strict=True):
                expected.setdefault((device, heading), []).append(float(cell))
        lines.extend(["", ""])
    return "\n".join(lines), expected


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("piece", [1 << 20, 65536, 777])
def test_bulk_rows_and_single_rows_agree_with_the_text(load, read, seed, piece):
    text, expected = random_capture(seed, 300)
    reading = read(load("linux_stat", "iostat:IostatParser"), text.encode(), piece=piece)
    given = {
        (dict(key.attributes)["device"], key.native): [sample.value for sample in samples]
        for key, samples in reading.samples.items()
    }
    assert given == expected
    lines = text.split("\n")
    for sample in reading.of("device", "r/s", device="sda"):
        seconds = (sample.time_ns - MIDNIGHT_NS) // 10**9
        stamp = (datetime(2026, 11, 21) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S+0900")
        assert stamp in lines[sample.line - 3 : sample.line]
    rows = sum(len(values) for (_, heading), values in expected.items() if heading == "r/s")
    assert reading.ledger.lines.data == rows
    assert reading.ledger.lines.balanced


def test_rows_of_one_time_in_bulk():
    one, _ = builder()
    other, _ = builder()
    tails = [b"  1.00 2.00 3.00 4.00", b"  5.00 6.00 7.00 8.00"]
    for time_ns, line in ((10, 5), (20, 9)):
        one.rows(time_ns, line, [b"sda", b"sdb"], tails, since_boot=time_ns == 10)
        for offset, (key, tail) in enumerate(zip([b"sda", b"sdb"], tails, strict=True)):
            other.row(time_ns, line + offset, key, tail, since_boot=time_ns == 10)
    (first,), (second,) = one.flush(final=True), other.flush(final=True)
    np.testing.assert_array_equal(first.values, [[1, 2, 3, 4, 5, 6, 7, 8]] * 2)
    np.testing.assert_array_equal(first.values, second.values)
    assert first.series == second.series
    assert first.times_ns.tolist() == second.times_ns.tolist() == [10, 20]
    assert first.line_numbers.tolist() == second.line_numbers.tolist() == [5, 9]
    assert first.since_boot.tolist() == second.since_boot.tolist() == [True, False]


def test_the_same_devices_give_the_same_series_again():
    table, _ = builder()
    batches = []
    for time_ns in (10, 20, 30):
        table.rows(time_ns, 1, [b"sda"], [b"1 2 3 4"])
        batches.extend(table.flush())
    batches.extend(table.flush(final=True))
    assert len(batches) == 3
    assert len({id(batch.series) for batch in batches}) == 1


def test_a_device_twice_at_one_time_is_kept_apart():
    table, _ = builder()
    table.rows(10, 1, [b"sda", b"sda", b"sdb"], [b"1 1 1 1", b"2 2 2 2", b"3 3 3 3"])
    (batch,) = table.flush(final=True)
    assert [dict(key.attributes)["device"] for key in batch.series[:: len(HEADINGS)]] == ["sda", "sda#2", "sdb"]
    np.testing.assert_array_equal(batch.values[0, :: len(HEADINGS)], [1, 2, 3])


def test_rows_without_keys_stand_alone_at_one_time():
    table, _ = builder(None)
    table.row(10, 1, b"", b"1 1 1 1")
    table.row(10, 2, b"", b"2 2 2 2")
    (batch,) = table.flush(final=True)
    assert batch.times_ns.tolist() == [10, 10]
    np.testing.assert_array_equal(batch.values[:, 0], [1, 2])


def test_an_unreadable_row_in_bulk_is_booked_with_its_line():
    table, book = builder()
    book.data(3)
    table.rows(10, 7, [b"sda", b"sdb", b"sdc"], [b"1 2 3 4", b"1 2 x 4", b"1 2 3"])
    (batch,) = table.flush(final=True)
    ledger = book.close()
    assert ledger.lines.data == 1
    assert [(entry.reason, entry.count, entry.first_line) for entry in ledger.skipped] == [("unreadable_numbers", 2, 8)]
    assert np.isnan(batch.values[0, len(HEADINGS) :]).all()


def test_the_first_example_of_a_reason_is_the_first_line_whenever_it_was_booked():
    book = LedgerBook()
    book.skip("average", 30, "late")
    book.skip("not_a_table", 20, "middle")
    book.skip("average", 10, "early")
    skipped = book.close().skipped
    assert [(entry.reason, entry.count, entry.first_line, entry.example) for entry in skipped] == [
        ("average", 2, 10, "early"),
        ("not_a_table", 1, 20, "middle"),
    ]


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("[root@db01 ~]# vmstat 5 3", "db01"),
        ("oracle@db01.corp:/home/oracle> /usr/bin/vmstat 5 3", "db01.corp"),
        ("[root@jump ~]# ssh db01 vmstat 5 3", ""),  # where it ran is not where it was asked for
        ("# vmstat 5 3", ""),
    ],
)
def test_a_prompt_names_the_host_of_a_tool_that_does_not(load, read, prompt, host):
    parser = load("linux_stat", "vmstat:VmstatParser")
    reading = read(parser, f"{prompt}\n".encode() + (FIXTURES / "vmstat.txt").read_bytes())
    assert (reading.ledger.hostname, reading.ledger.interval_s) == (host, 5.0)
