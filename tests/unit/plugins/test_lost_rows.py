"""A damaged row of a capture without stamps keeps the time it took, and the others keep theirs: start + i x interval."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
START = {"start": datetime(2026, 3, 2, 10, 0), "interval_s": 10.0}
ROWS = 6
# what stands above the rows, and a row that has {n} in a column, by reader
LINUX = "procs ---memory--- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
AIX = "kthr memory page faults cpu\n r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n"
FREEBSD = " procs memory page disks faults cpu\n r b w     avm    fre   flt  re  pi  po    fr  sr ad0   in   sy   cs us sy id\n"
HPUX = "procs memory page faults cpu\n r b w avm free re at pi po fr de sr in sy cs us sy id\n"
SOLARIS = "kthr memory page disk faults cpu\n r b w swap free re mf pi po fr de sr s0 s1 s2 -- in sy cs us sy id\n"
MPSTAT = "CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n"
SOLARIS_IOSTAT = "   tty          sd0           cpu\n tin tout kps tps serv   us sy wt id\n"
FREEBSD_IOSTAT = "       tty            ada0            cpu\n tin  tout KB/t  tps  MB/s  us ni sy in id\n"
DSTAT = "----total-cpu-usage---- -dsk/total-\nusr sys idl wai hiq siq| read  writ\n"
DSTAT_CSV = (
    '"Dstat 0.8.0 CSV output"\n"total cpu usage",,,,,"dsk/total",\n"usr","sys","idl","wai","stl","read","writ"\n'
)
COLLECTL = "#<--------CPU--------><----------Disks----------->\n#cpu sys inter  ctxsw KBRead  Reads KBWrit Writes\n"
TOOLS = [
    ("linux_stat", "vmstat:VmstatParser", LINUX, " {n}  0      0 899999 1000  50000    0    0     1     2  100  200 3  1 92  1  0"),
    ("aix_stat", "vmstat:VmstatParser", AIX, " {n}  0 1771122  9342   0   0   0   0    0   0  11  852 360  0  0 99  0"),
    ("bsd_stat", "vmstat:VmstatParser", FREEBSD, " {n} 0 0   63720  339504  1158   0   0   0  1022   0   0  246 1201  336 22 15 63"),
    ("hpux_stat", "vmstat:VmstatParser", HPUX, " {n} 2 0 24895 37870 1 0 0 0 0 0 0 173 1347 145 8 2 90"),
    ("solaris_stat", "vmstat:VmstatParser", SOLARIS, " {n} 0 0 17876888 15717136 0 4 0 0 0 0 0 0 0 0 0 336 140 184 0 0 100"),
    ("solaris_stat", "vmstat:VmstatParser", SOLARIS, " {n} 0 0 17876888 15717136 0 4 0 0 0 0 0 0 0 0 0 336 140\n184 0 0 100"),
    ("solaris_stat", "mpstat:MpstatParser", MPSTAT, "  0    {n}   0   63   411  310  226    1    8    2    0   108    1   1   0  98"),
    ("solaris_stat", "iostat:IostatParser", SOLARIS_IOSTAT, "   {n}   16   1   0    9    0  0  0 99"),
    ("bsd_stat", "iostat:IostatParser", FREEBSD_IOSTAT, "   {n}    92 20.17   12  0.24   2  0  1  0 97"),
    ("dstat", "terminal:TerminalParser", DSTAT, "  {n}   0  98   0   0   0|  40k   50k"),
    ("dstat", "csv_file:CsvParser", DSTAT_CSV, "{n},16.4,37.1,0.6,0.2,12121480.3,21005974.6"),
    ("collectl", "terminal:TerminalParser", COLLECTL, "   {n}   0   120    200      0      0     12      3"),
]  # fmt: skip


def damaged(row: str, how: str) -> str:
    first, _, rest = row.partition("\n")
    half = len(first) * 2 // 3
    first = {
        "message": f"{first[:half]} read error",
        "cut": first[:half],
        "nul": first[:half] + "\0\0" + first[half + 2 :],
    }[how]
    return f"{first}\n{rest}" if rest else first


def rows_of(reading) -> set[tuple[int, int, bool]]:
    """(line, seconds since the start, since boot)"""
    start_ns = 1_772_445_600 * 10**9  # 2026-03-02 10:00 UTC
    samples = (sample for samples in reading.samples.values() for sample in samples)
    return {(each.line, (each.time_ns - start_ns) // 10**9, each.since_boot) for each in samples}


@pytest.mark.parametrize("how", ["message", "cut", "nul"])
@pytest.mark.parametrize("lost", [0, 2, 4])
@pytest.mark.parametrize(("folder", "entry", "heading", "row"), TOOLS)
def test_the_other_rows_keep_their_times(load, read, folder, entry, heading, row, lost, how):
    parser = load(folder, entry)
    rows = [row.format(n=number + 1) for number in range(ROWS)]
    whole = rows_of(read(parser, (heading + "\n".join(rows) + "\n").encode(), **START))
    height = row.count("\n") + 1
    first = heading.count("\n") + 1
    boots = folder != "collectl"
    assert whole == {(first + height * at, 10 * at, boots and at == 0) for at in range(ROWS)}
    rows[lost] = damaged(rows[lost], how)
    reading = read(parser, (heading + "\n".join(rows) + "\n").encode(), **START)
    assert rows_of(reading) == {each for each in whole if each[0] != first + height * lost}
    assert sum(reading.skipped().values()) == height


def test_a_row_broken_in_two_is_one_row(load, read):
    """A mail program's break within the fourth row; what it left is lost, its time is not."""
    _, _, heading, row = TOOLS[0]
    rows = [row.format(n=number + 1) for number in range(ROWS)]
    rows[3] = rows[3][:40] + "\n" + rows[3][40:]
    reading = read(load("linux_stat", "vmstat:VmstatParser"), (heading + "\n".join(rows) + "\n").encode(), **START)
    assert sorted(at for _, at, _ in rows_of(reading)) == [0, 10, 20, 40, 50]


def test_the_fourth_value_is_of_the_fourth_time(load, read):
    data = (FIXTURES / "linux" / "vmstat-damaged-row.txt").read_bytes()
    reading = read(load("linux_stat", "vmstat:VmstatParser"), data, **START)
    seconds = [at for _, at, _ in sorted(rows_of(reading))]
    assert list(zip(reading.values("vmstat", "r", group="procs"), seconds, strict=True)) == [
        (1, 0),
        (2, 10),
        (4, 30),
        (5, 40),
        (6, 50),
    ]
