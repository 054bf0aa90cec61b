"""Every figure stands in the text, on the line that it names: read by a regular expression that knows no tool.

For each parser the captures at hand (the repository's and the corpus') are read; each sample must be one of the numbers
printed from its line up to the next row's line. What a parser works out (rates of counters, bytes of ``1.5G``) is proven
in its own tests; `WORKED_OUT` lists those columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from tests.fuzz.samples import Sample, host, samples
from tests.fuzz.verdict import outcome_of
from tunebench.sdk import SampleBatch

PARSERS = sorted(entry.id for entry in host().parsers())
NO_SERIES = {"mysql.innodb_status", "linux.configuration", "solaris.configuration", "tunebench.inventory"}
MOST_CAPTURES, MOST_BYTES = 6, 40_000
NONE_SHORT = {"oracle.awr_html", "solaris.sar"}
"""Their captures are longer; the figures are proven in the plug-ins' own tests."""
_POINT = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(rb"[+-]?\d+,\d+")
_SIZE = re.compile(rb"((?:\d+[.,])?\d+|\.\d+)\s?([kmgtp])i?b?\b", re.IGNORECASE)
_CLOCK = re.compile(rb"(?:(?:(\d+)[-d])?(\d+)[:h])?(\d+)[:m] ?(\d+(?:[.,]\d+)?)")

WORKED_OUT = {
    "aix.iostat_d": r".*serv|.*time",  # 1.5S among milliseconds
    "aix.lsps": "Size",  # 4GB among megabytes
    "benchmarks.bonnie": r".*",  # KiB/s in bytes, latencies in seconds
    "benchmarks.dd": r".*",
    "benchmarks.fio": r".*_s",  # nanoseconds and microseconds in seconds
    "benchmarks.iozone": r".*",
    "benchmarks.sysbench": r".*_s|events",  # milliseconds in seconds, MiB/s in bytes
    "bsd.netstat_i": r".*/s",  # rates of counters
    "bsd.top": r".*",
    "bsd.vmstat": r"avm|fre",  # 36.1G
    "bsd.vmstat_s": "cache hits",
    "collectl.raw": r".*",  # rates of counters
    "collectl.terminal": r".*",
    "linux.atop": r".*",
    "linux.atop_parseable": r".*",  # shares of ticks
    "linux.diskstats": r".*",  # rates of counters
    "linux.netstat_i": r".*/s",
    "linux.netstat_s": r".*/s",
    "linux.numastat": r".*/s",
    "linux.proc_counters": r"%.*|.*/s",  # shares of ticks, rates of counters
    "linux.pressure": r"(?:cpu|io|memory|irq) (?:some|full)",  # share of the interval, from the totals
    "oracle.awr_compare": r".*",  # sessions: times over the length of the period
    "oracle.awr_text": r".*",
    "oracle.statspack": r".*",
    "oracle.views": r".*",  # rates of counters
    "pgbench.log": r".*",  # averages of transactions
    "mysql.slow_log": r".*",  # events per second of an hour
    "mysql.views": r".*",  # rates of counters, idle sessions
    "postgresql.views": r".*",  # rates of counters, sessions added up
    "solaris.kstat": r".*/s|cache hits",
    "solaris.netstat_i": r".*/s",
}
"""Parser -> pattern of the headings whose figures are not printed as such; checked by the plug-in's own tests."""


def figures(text: bytes) -> set[float]:
    found = {float(one) for one in _POINT.findall(text)}
    found |= {float(one.replace(b",", b".")) for one in _COMMA.findall(text)}
    for number, unit in _SIZE.findall(text):
        power = b"kmgtp".index(unit.lower()) + 1
        plain = float(number.replace(b",", b"."))
        found |= {plain * 1000.0**power, plain * 1024.0**power, plain * 1024.0 ** (power - 1)}  # 125.1m among KiB
    for days, hours, minutes, seconds in _CLOCK.findall(text):
        whole_s = (int(days or 0) * 24 + int(hours or 0)) * 3600 + int(minutes) * 60
        found.add(round(whole_s + float(seconds.replace(b",", b".")), 6))
    return found


def strangers(sample: Sample, lines: list[bytes], batches: tuple[SampleBatch, ...]) -> Iterator[tuple[str, float, int]]:
    """(heading, value, line) of the samples that do not stand in their text."""
    rows: dict[str, set[int]] = {}
    for batch in batches:
        rows.setdefault(batch.table, set()).update(batch.line_numbers.tolist())
    ends = {table: np.array([*sorted(found), len(lines) + 1]) for table, found in rows.items()}
    pattern = re.compile(WORKED_OUT.get(sample.entry.id, "$"))
    for batch in batches:
        for row, line in enumerate(batch.line_numbers.tolist()):
            end = int(ends[batch.table][np.searchsorted(ends[batch.table], line, "right")])
            have = figures(b"\n".join(lines[line - 1 : end - 1]))
            for key, value in zip(batch.series, batch.values[row].tolist(), strict=True):
                if value != value or value in have or round(value, 6) in have:
                    continue
                if not pattern.fullmatch(key.native):
                    yield key.native, value, line


@pytest.mark.parametrize("parser", [parser for parser in PARSERS if parser not in NO_SERIES | NONE_SHORT])
def test_every_figure_stands_on_its_line(parser):
    utf16 = (b"\xff\xfe", b"\xfe\xff")
    small = [one for one in samples()[parser] if len(one.data) < MOST_BYTES and not one.data.startswith(utf16)]
    if not small:
        pytest.skip("no capture of this kind is at hand")
    checked = 0
    for sample in sorted(small, key=lambda one: len(one.data))[-MOST_CAPTURES:]:
        batches = outcome_of(sample.entry, sample.data).batches
        wrong = list(strangers(sample, sample.data.replace(b"\r\n", b"\n").split(b"\n"), batches))
        assert wrong == [], sample.name
        checked += sum(int(np.count_nonzero(~np.isnan(batch.values))) for batch in batches)
    assert checked > 0
