"""Damaged and hostile recordings: what is kept of them does not grow with them."""

from __future__ import annotations

import itertools
import random
import sys
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from tests.unit.plugins.conftest import load_parser, read_capture
from tunebench.sdk import ParseContext, series_account

PER_VALUE = load_parser("sysstat_sadf", "per_value:SadfPerValueParser")
DELIMITED = load_parser("sysstat_sadf", "delimited:SadfDelimitedParser")
JSON = load_parser("sysstat_sadf", "sadf_json:SadfJsonParser")
SKETCH, MEMBER = (cast("Any", load_parser("sysstat_sadf", f"sketch:{name}")) for name in ("Sketch", "Member"))
PIECE = 128 << 10
MIB = 1 << 20


def stamp(second: int) -> bytes:
    return f"{datetime(2026, 11, 21, tzinfo=UTC) + timedelta(seconds=second):%Y-%m-%d %H:%M:%S} UTC".encode()


def per_value(second: int, thing: int) -> bytes:
    return b"db\t1\t%s\tdev%d\ttps\t1.00\n" % (stamp(second), thing)


def delimited(second: int, thing: int) -> bytes:
    return b"db;1;%s;dev%d;1.00;2.00\n" % (stamp(second), thing)


def sample(second: int, thing: int) -> bytes:
    day, time = stamp(second).split()[:2]
    return b'{"timestamp": {"date": "%s", "time": "%s", "utc": 1}, "disk": [{"disk-device": "d%d", "tps": 1.0}]},\n' % (
        day,
        time,
        thing,
    )


HEADING = b"# hostname;interval;timestamp;DEV;tps;rkB/s\n"
DOCUMENT = b'{"sysstat": {"hosts": [{"nodename": "db", "statistics": [\n'
FORMS = {
    "sadf -p": (PER_VALUE, b"", per_value, 1),
    "sadf -d": (DELIMITED, HEADING, delimited, 2),
    "sadf -j": (JSON, DOCUMENT, sample, 1),
}


def peak_bytes(parser_class, pieces) -> int:
    """The most memory that reading took; nothing of what comes out is kept."""
    parser = parser_class(ParseContext())
    tracemalloc.start()
    try:
        for piece in pieces:
            for _ in parser.feed(piece):
                pass
        for _ in parser.finish():
            pass
        assert parser.ledger().lines.balanced
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS)
def test_series_are_bounded(form, monkeypatch):
    """A device that was never seen before at each time: the first are kept, the others counted as lines alone."""
    parser, head, row, columns = FORMS[form]
    monkeypatch.setattr(series_account, "MOST_SERIES", 10)
    reading = read_capture(parser, head + b"".join(row(number, number) for number in range(30)) + row(31, 3))
    assert reading.ledger.lines.balanced
    assert "too_many_series" in reading.ledger.warnings
    assert (reading.ledger.lines.data, reading.ledger.series) == (31, 10)
    kept = {dict(key.attributes)["device"].removeprefix("dev").removeprefix("d") for key in reading.samples}
    assert kept == {str(number) for number in range(10 // columns)}
    assert len(next(rows for key, rows in reading.samples.items() if key.attributes[0][1].endswith("3"))) == 2


@pytest.mark.parametrize("form", FORMS)
def test_things_that_come_once_make_no_square(form):
    """Six thousand things at six thousand times would be 290 MB of missing values."""
    parser, head, row, _ = FORMS[form]
    text = head + b"".join(row(number, number) for number in range(500 if form == "sadf -j" else 6_000))
    assert peak_bytes(parser, [text]) < 80 * MIB


ENDLESS = {
    "blank lines": (b"\n" * PIECE, 3, 16),
    "short lines": (b"x\n" * (PIECE // 2), 3, 16),
    "a line": (b"x" * PIECE, 200, 30),
    "separators": (b"\t;" * (PIECE // 2), 200, 30),
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("form", ["sadf -p", "sadf -d"])
def test_nothing_is_kept_of_what_is_no_row(form, kind, monkeypatch):
    """In the pieces of an import; every one of these lines once took a hundred bytes until its stretch was read."""
    parser, head, row, _ = FORMS[form]
    monkeypatch.setattr(sys.modules[parser.__module__.rpartition(".")[0] + ".stretches"], "STRETCH_BYTES", 2 * PIECE)
    piece, times, most = ENDLESS[kind]
    assert peak_bytes(parser, [head + row(0, 0), *[piece] * times]) < most * MIB


@pytest.mark.parametrize("piece", [20 * MIB, 300_000])
def test_a_line_too_long_is_one_line(piece):
    """The rows around it are read, and their lines are where they stand."""
    text = per_value(0, 1) + per_value(1, 1) + b"x" * (5 * MIB) + b"\n" + per_value(2, 1) + b"y" * (5 * MIB)
    reading = read_capture(PER_VALUE, text, piece=piece)
    assert reading.skipped() == {"too_long": 2}
    assert [one.line for one in reading.of("device", "tps", device="dev1")] == [1, 2, 4]
    assert (reading.ledger.lines.total, reading.ledger.lines.data) == (5, 3)


def test_many_short_lines_leave_the_rows_of_a_time_together():
    """Blank lines between the rows of one time, more than are read at once."""
    blanks = b"\n" * 150_000
    text = b"".join(per_value(second, thing) for second in range(3) for thing in range(2)) + blanks  # a batch's line
    whole = read_capture(PER_VALUE, text + text)
    assert whole.ledger.lines.blank == 300_000
    assert [one.line for one in whole.of("device", "tps", device="dev1")] == [1, 3, 5, 150_007, 150_009, 150_011]


def test_headings_and_tables_without_end():
    """Sar has fifty activities; a text of ever new ones is read in time, and the first are kept."""
    rows = b"".join(
        b"# hostname;interval;timestamp;n%d/s\ndb;1;%s;1.00\n" % (number, stamp(number)) for number in range(700)
    )
    reading = read_capture(DELIMITED, rows)
    assert (reading.ledger.series, reading.ledger.lines.data) == (500, 500)
    assert "too_many_series" in reading.ledger.warnings
    values = b"".join(b"db\t1\t%s\tx\tn%d\t1.00\n" % (stamp(number), number) for number in range(700))
    reading = read_capture(PER_VALUE, values)
    assert (reading.ledger.series, reading.ledger.lines.data) == (500, 700)
    assert "too_many_series" in reading.ledger.warnings


def test_one_thing_listed_again_and_again():
    """A sample that never ends: the thousandth line of one disk is told apart as quickly as the second."""
    disk = b'{"disk-device": "sda", "tps": %d.0}'
    document = DOCUMENT + b'{"timestamp": {"date": "2026-11-21", "time": "07:10:15", "utc": 1}, "disk": [%s]}\n]}]}}\n'
    started = time.thread_time()
    reading = read_capture(JSON, document % b", ".join(disk % number for number in range(1500)))
    assert time.thread_time() - started < 3.0
    assert reading.ledger.series == 1500
    assert reading.values("device", "tps", device="sda") == [0.0]
    assert reading.values("device", "tps", device="sda#1500") == [1499.0]


@pytest.mark.parametrize("seed", range(5))
def test_things_listed_again_take_the_first_name_that_is_free(seed):
    """Lines of one thing with other columns each: every line gets the lowest number at which none of them was told."""
    chance = random.Random(seed)
    lines = [chance.sample(["tps", "rkB", "wkB", "await"], chance.randrange(1, 4)) for _ in range(40)]
    sketch, told, expected = SKETCH(), set(), []
    for columns in lines:
        turn = next(turn for turn in itertools.count(1) if told.isdisjoint((name, turn) for name in columns))
        told.update((name, turn) for name in columns)
        expected += [(name, "sda" if turn == 1 else f"sda#{turn}") for name in columns]
        sketch.add(["", "disk"], [MEMBER("disk-device", b"sda", 0), *(MEMBER(name, b"1.0", 0) for name in columns)])
    assert [(figure.key.native, dict(figure.key.attributes)["device"]) for figure in sketch.figures] == expected


def test_facts_of_a_document_are_few():
    text = DOCUMENT + b"".join(b'"machine": "m%d",\n' % number for number in range(5000))
    parser = JSON(ParseContext())
    parser.feed(text)
    parser.finish()
    assert len(parser.facts()) == 100


def test_a_processor_that_goes_off_is_known_to_the_interrupts():
    """Processor 1 is off at the second time: the second column is processor 2's then, and its own again later."""
    cpu = b"# hostname;interval;timestamp;CPU;%user\n"
    own = {0: (-1, 0, 1, 2), 1: (-1, 0, 2), 2: (-1, 0, 1, 2)}
    rows = b"".join(b"db;1;%s;%d;1.00\n" % (stamp(second), one) for second, all_of in own.items() for one in all_of)
    interrupts = b"# hostname;interval;timestamp;INTR;CPU*\n" + b"".join(
        b"db;1;%s;-1;%s\n" % (stamp(second), b";".join(b"%d.00" % (10 * second + one) for one in all_of))
        for second, all_of in own.items()
    )
    reading = read_capture(DELIMITED, cpu + rows + interrupts)
    assert reading.values("interrupts", "intr/s", state="sum", cpu="2") == [2.0, 12.0, 22.0]
    assert reading.values("interrupts", "intr/s", state="sum", cpu="1") == [1.0, 21.0]
