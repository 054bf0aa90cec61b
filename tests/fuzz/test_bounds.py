"""What a parser may need: memory that does not grow with the capture, time that grows no faster than it.

The suite tries each parser on a few endless captures of 100 kB; the soak tests on all of them, and longer ones.
"""

from __future__ import annotations

import time
import tracemalloc
from functools import cache

import pytest

from tests.fuzz.adversarial import ENDLESS, first_bytes, new_thing_in_every_row, open_brackets
from tests.fuzz.samples import Sample, host, samples
from tests.fuzz.verdict import CONTEXT
from tunebench.sdk.testkit_runs import count_lines

PARSERS = sorted(entry.id for entry in host().parsers())
PIECE_BYTES = 128 << 10
KEPT_BYTES = 40 << 20  # the cells of a line without end, the series of things that came once, a moment that is not over
BYTES_PER_BYTE = 40  # of the piece that is being read
SLOWER = 3.0  # twice the text may take so many times as long


def endless(parser: str, kind, size: int) -> tuple[Sample, bytes]:
    sample = _sample(parser)
    if sample is None:
        pytest.skip("no capture of this kind is at hand")
    return sample, first_bytes(kind(sample.data), size)


@cache
def _sample(parser: str) -> Sample | None:
    """The longest of those that are short enough to come several times."""
    return max(samples()[parser], key=lambda one: len(one.data) % 20_000, default=None)


def read(sample: Sample, data: bytes) -> None:
    """In pieces; nothing of what comes out is kept."""
    parser = sample.entry.create(CONTEXT)
    for start in range(0, len(data), PIECE_BYTES):
        for _ in parser.feed(data[start : start + PIECE_BYTES]):
            pass
    for _ in parser.finish():
        pass
    lines = parser.ledger().lines
    assert lines.balanced and lines.total == count_lines(data)


def cpu_s(sample: Sample, data: bytes) -> float:
    started = time.thread_time()
    read(sample, data)
    return time.thread_time() - started


@pytest.mark.parametrize("kind", [new_thing_in_every_row, open_brackets], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("parser", PARSERS)
def test_endless_captures_are_read(parser, kind):
    sample, data = endless(parser, kind, 100_000)
    assert cpu_s(sample, data) < 2.5
    assert 0.0 <= sample.entry.sniff(data[: 1 << 16], "capture.txt") <= 1.0


BOMBS = {
    "JSON, 10,000 deep": b'{"sysstat": {"hosts": [{"statistics": [' + b'{"a": [' * 10_000,
    "JSON, 10,000 deep, closed": b'{"sysstat": {"hosts": [{"statistics": ['
    + b'{"a": [' * 10_000
    + b"]}" * 10_000
    + b"]}]}}",
    "XML entities": b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "&a%d;&a%d;&a%d;">\n' % (level + 1, level, level, level) for level in range(40))
    + b"]>\n<sysstat><host nodename='&a40;'><statistics><timestamp>&a40;</timestamp></statistics></host></sysstat>\n",
    "XML, 10,000 deep": b"<sysstat><host nodename='a'><statistics>" + b"<timestamp>" * 10_000 + b"\n",
    "nmon without a ZZZZ": b"AAA,progname,nmon\nCPU_ALL,CPU Total a,User%,Sys%,Wait%,Idle%\n"
    + b"".join(b"CPU_ALL,T%04d,1.0,2.0,3.0,94.0\n" % number for number in range(5_000)),
    "a line of a megabyte": b"Linux 6.1.0 (a) \t11/21/26\n\n" + b"16:10:13 " * 120_000,
    "a megabyte of nothing": b"\0" * (1 << 20),
    "nothing but line ends": b"\n" * (1 << 14),
    "nothing but blanks": b" \t" * (1 << 15),
    "blank lines": b" \r\n" * (1 << 14),
    "digits": b"9" * (1 << 16),
    "a word": b"x" * (1 << 16),
    "colons": b"a: " * (1 << 15),
    "numbers": b"1 " * (1 << 15),
    "points": b"1.1." * (1 << 14),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(bomb):
    """Every parser, also those that would never be asked."""
    data = BOMBS[bomb]
    slow = {}
    for entry in host().parsers():
        sample = Sample(entry, bomb, data)
        started = time.thread_time()
        assert 0.0 <= entry.sniff(data[: 1 << 16], "capture.txt") <= 1.0
        read(sample, data)
        taken_s = time.thread_time() - started
        if taken_s > 3.0:
            slow[entry.id] = taken_s
    assert slow == {}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ENDLESS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("parser", PARSERS)
def test_memory_is_bounded(parser, kind):
    sample, data = endless(parser, kind, 600_000)
    read(sample, data[:1000])  # what is imported and remembered once
    tracemalloc.start()
    try:
        read(sample, data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < KEPT_BYTES + BYTES_PER_BYTE * PIECE_BYTES


@pytest.mark.soak
@pytest.mark.parametrize("kind", ENDLESS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("parser", PARSERS)
def test_time_is_linear(parser, kind):
    """Least of three: the machine may be busy, a loop inside a loop is slow each time."""
    sample, data = endless(parser, kind, 600_000)
    quarter, half, whole = (min(cpu_s(sample, data[: len(data) // part]) for _ in range(3)) for part in (4, 2, 1))
    assert whole < 0.2 or whole < SLOWER * half or half < SLOWER * quarter, (quarter, half, whole)
