"""HP-UX sar, vmstat, iostat and swapinfo: figures against a naive reading, and the tools' many forms."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "hpux"
SAR = load_parser("hpux_stat", "sar:SarParser")
VMSTAT = load_parser("hpux_stat", "vmstat:VmstatParser")
COUNTERS = load_parser("hpux_stat", "vmstat_counters:VmstatCountersParser")
IOSTAT = load_parser("hpux_stat", "iostat:IostatParser")
SWAPINFO = load_parser("hpux_stat", "swapinfo:SwapinfoParser")
START: dict[str, Any] = {"start": datetime(2026, 1, 1), "interval_s": 5.0}


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


# -- sar ---------------------------------------------------------------------------------------------------


def test_sar_of_a_real_host_equals_a_naive_reading(corpus):
    [path] = (corpus / "wild/sar-hpux").iterdir()
    data = path.read_bytes()
    assert SAR.sniff(data[:65536], path.name) > 0.9
    expected: Counter[tuple[str, str, str, float]] = Counter()
    stamp, columns = "", []
    for line in data.decode().splitlines():
        words = line.split()
        if not words or words[0] in ("HP-UX", "Average"):
            continue
        if words[0][2:3] == ":":
            stamp, words = words[0], words[1:]
        if words[0] in ("%usr", "device"):
            columns = words
            continue
        name = words.pop(0) if columns[0] == "device" else ""
        for column, cell in zip(columns[-len(words) :], words, strict=True):
            expected[stamp, name, column, float(cell)] += 1
    reading = read_capture(SAR, data)
    found: Counter[tuple[str, str, str, float]] = Counter()
    for key, rows in reading.samples.items():
        for row in rows:
            found[f"{row.utc:%H:%M:%S}", dict(key.attributes).get("device", ""), key.native, row.value] += 1
    assert found == expected
    assert {f"{row.utc:%Y-%m-%d}" for rows in reading.samples.values() for row in rows} == {"2018-03-21"}
    assert reading.skipped() == {"average": 1}
    assert (reading.ledger.hostname, reading.ledger.os_version, reading.ledger.os) == ("lasv", "B.11.31", "hp-ux")
    assert reading.values("device", "avserv", device="disk103")[0] == 10.89


def test_sar_of_each_processor():
    reading = read_capture(SAR, fixture("sar_M.txt"))
    assert reading.values("cpu", "%usr", cpu="0") == [20, 3]
    assert reading.values("cpu", "%idle", cpu="all") == [87, 97]
    assert reading.times("cpu", "%usr", cpu="1") == ["2002-12-20 14:48:04", "2002-12-20 14:48:06"]
    assert reading.skipped() == {"average": 3}


def test_sar_in_turn_with_tables_that_are_not_counted():
    reading = read_capture(SAR, fixture("sar_wv.txt"))
    assert reading.values("swapping", "pswch/s") == [1724, 1458, 1999]
    assert reading.values("kernel_tables", "inod-sz", state="used") == [1677, 1678, 1678]
    assert reading.values("kernel_tables", "file-sz", state="limit") == [63498] * 3
    assert reading.values("kernel_tables", "text-sz", state="used") == []
    assert reading.values("kernel_tables", "ov", group="proc-sz") == [0, 0, 0]
    assert reading.values("device", "avserv", device="c1t2d0") == [10.70, 9.10]
    assert reading.times("device", "avserv", device="c1t2d0") == ["2002-12-20 14:47:21", "2002-12-20 14:47:23"]


def test_a_time_without_a_device_and_an_average_before_each_device():
    text = """HP-UX db1 B.11.23 U ia64    11/21/26

10:00:00   device   %busy   avque   r+w/s  blks/s  avwait  avserv
10:05:00    disk1    8.35   10.17      39     578   12.74    3.96
10:10:00
10:15:00    disk1    2.82    0.50       8     111    0.00    4.19

Average     disk1    5.59    5.34      24     345    6.37    4.08
Average     disk2    5.59    5.34      24     345    6.37    4.08
"""
    reading = read_capture(SAR, text.encode())
    assert reading.values("device", "%busy", device="disk1") == [8.35, 2.82]
    assert reading.skipped() == {"average": 2}
    assert reading.ledger.lines.header == 3


def test_a_processor_set_stands_before_the_processor():
    text = """HP-UX db1 B.11.23 U ia64    11/21/26

10:00:00    pset     cpu    %usr    %sys    %wio   %idle
10:05:00       0       0      20       2       1      77
               1       2       1       1       0      98
"""
    reading = read_capture(SAR, text.encode())
    assert reading.values("cpu", "%idle", cpu="1/2") == [98]


def test_the_sar_of_others_is_not_claimed():
    body = b"\n00:00:01    %usr    %sys    %wio   %idle\n00:05:01      19       8      29      45\n"
    assert SAR.sniff(b"HP-UX lasv B.11.31 U ia64    03/21/18\n" + body, "sar.txt") > 0.9
    for banner in (b"SunOS h 5.10 Generic_1 sun4u    08/19/2010\n", b"AIX h 2 7 00F93CFF4C00    04/20/20\n", b""):
        assert SAR.sniff(banner + body, "sar.txt") == 0


# -- vmstat ------------------------------------------------------------------------------------------------


def test_vmstat():
    data = fixture("vmstat.txt")
    reading = read_capture(VMSTAT, data, **START)
    assert reading.values("vmstat", "avm") == [285470, 274412, 274412]
    assert reading.values("vmstat", "sy", group="faults") == [92569, 5033, 3645]
    assert reading.values("vmstat", "sy", group="cpu") == [4, 1, 0]
    assert reading.values("vmstat", "id") == [83, 99, 98]
    assert [row.since_boot for row in reading.of("vmstat", "re")] == [True, False, False]
    assert VMSTAT.sniff(data, "vmstat.txt") > 0.9


def test_vmstat_with_disks_and_swapping():
    reading = read_capture(VMSTAT, fixture("vmstat_dS.txt"), **START)
    assert reading.values("disk", "xfer/sec", device="dk0") == [3, 12]
    assert reading.values("disk", "xfer/sec", device="dk1") == [0, 1]
    assert reading.values("vmstat", "so") == [0, 0]
    assert reading.times("disk", "xfer/sec", device="dk1") == reading.times("vmstat", "si")
    assert [row.since_boot for row in reading.of("vmstat", "si")] == [True, False]
    assert (reading.ledger.variant, reading.skipped()) == ("-d", {})


def test_disks_on_lines_of_their_own():
    text = fixture("vmstat.txt").decode().splitlines()
    data = "\n".join(
        [
            *text[:3],
            "",
            "                  Disk Transfers",
            "      device    xfer/sec",
            "      c1t2d0           5",
            "      c2t2d0           7",
            "",
        ]
    ).encode()
    reading = read_capture(VMSTAT, data, **START)
    assert reading.values("disk", "xfer/sec", device="c2t2d0") == [7]


def test_vmstat_for_narrow_terminals():
    reading = read_capture(VMSTAT, fixture("vmstat_n.txt"), **START)
    assert reading.values("vmstat", "free") == [37870, 37638]
    assert reading.values("cpu", "us", cpu="0") == [8, 93]
    assert reading.values("cpu", "id", cpu="1") == [95, 85]
    assert reading.values("cpu", "r", cpu="1") == []
    assert reading.times("cpu", "us", cpu="1") == reading.times("vmstat", "free")
    assert reading.skipped() == {}


def test_counters_since_boot_and_forks():
    data = fixture("vmstat_s.txt")
    assert COUNTERS.sniff(data, "vmstat_s.txt") > 0.95  # Solaris prints some of these lines as well
    reading = read_capture(COUNTERS, data + b"12345 forks, 678901 pages, average=  54.99\n", **START)
    assert reading.values("counters", "intransit blocking page faults") == [13]
    assert reading.values("counters", "system calls") == [40112033]
    assert reading.values("counters", "forks") == [12345]
    assert reading.ledger.lines.data == 26


# -- iostat and swapinfo -----------------------------------------------------------------------------------


def test_iostat():
    reading = read_capture(IOSTAT, fixture("iostat.txt"), **START)
    assert reading.values("device", "bps", device="c1t2d0") == [36, 120]
    assert reading.values("device", "sps", device="c1t0d0") == [0.0, 2.0]
    assert [row.since_boot for row in reading.of("device", "bps", device="c2t2d0")] == [True, False]
    assert reading.times("device", "bps", device="c2t2d0") == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]
    assert IOSTAT.sniff(fixture("iostat.txt"), "iostat.txt") > 0.9


def test_iostat_with_terminals_and_processors():
    reading = read_capture(IOSTAT, fixture("iostat_t.txt"), **START)
    assert reading.values("system", "tout") == [58, 12]
    assert reading.values("system", "ni") == [0, 0]
    assert reading.values("device", "bps", device="c1t2d0") == [36, 40]
    assert reading.times("system", "id") == reading.times("device", "bps", device="c1t2d0")


def test_swap_areas_in_rounds():
    stamps = [b"@tunebench at 2026-11-21T02:48:%02dZ\n" % second for second in (0, 30)]
    later = fixture("swapinfo_tam.txt").replace(b"     215", b"     300")
    reading = read_capture(SWAPINFO, stamps[0] + fixture("swapinfo_tam.txt") + stamps[1] + later)
    assert reading.values("swap_mebi", "USED", device="/dev/vg00/lvol2") == [215, 300]
    assert reading.values("swap_mebi", "PCT USED", device="total") == [29, 29]
    assert reading.values("swap_mebi", "FREE", device="reserve") == [-466, -466]
    assert reading.values("swap_mebi", "AVAIL", device="reserve") == []
    assert reading.values("swap_mebi", "PRI", device="/dev/vg00/lvol2") == [1, 1]
    assert reading.ledger.needs == ()


@pytest.mark.parametrize(
    "heading",
    [
        " r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa",  # AIX
        " r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id",  # Solaris
        " r b w     avm     fre  flt  re  pi  po   fr   sr ad0 ad1   in    sy    cs us sy id",  # FreeBSD
    ],
)
def test_the_vmstat_of_others_is_not_claimed(heading):
    assert VMSTAT.sniff(heading.encode() + b"\n 0 0 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5\n", "vmstat.txt") == 0
