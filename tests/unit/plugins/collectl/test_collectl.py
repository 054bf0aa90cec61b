"""collectl: values typed from the recordings; rates of raw files worked out from two blocks by hand."""

from __future__ import annotations

from datetime import date

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "collectl"
PLOT = (FIXTURES / "collectl-P.txt").read_bytes()
SEPARATED = (FIXTURES / "collectl-P-sep.txt").read_bytes()
BRIEF = (FIXTURES / "collectl-brief.txt").read_bytes()
BRIEF_TIMES = (FIXTURES / "collectl-brief-oT.txt").read_bytes()
VERBOSE = (FIXTURES / "collectl-verbose-oT.txt").read_bytes()
VERBOSE_DATES = (FIXTURES / "collectl-verbose-oD.txt").read_bytes()
RAW = (FIXTURES / "collectl.raw").read_bytes()
GIB, MIB = 1024.0**3, 1024.0**2


@pytest.fixture
def take(load, read):
    return lambda kind, data, **context: read(load("collectl", f"{kind}:{kind.title()}Parser"), data, **context)


def as_samples(reading):
    return {key: [(s.time_ns, s.value) for s in samples] for key, samples in reading.samples.items() if samples}


# -- plot format --------------------------------------------------------------------------------------


def test_plot_columns_by_table(take):
    reading = take("plot", PLOT, zone="Asia/Seoul")
    assert reading.values("CPU", "[CPU]User%") == [23.0, 44.0, 45.0, 46.0, 54.0, 51.0]
    assert reading.values("CPU", "[CPU]L-Avg15") == [1.70, 1.70, 1.69, 1.69, 1.69, 1.69]
    assert reading.values("MEM", "[MEM]Free")[0] == 18958892.0
    assert reading.values("DSK", "[DSK]ReadKBTot") == [9844.0, 20072.0, 12196.0, 5565.0, 5018.0, 4803.0]
    assert reading.times("CPU", "[CPU]User%")[0] == "2026-11-21 07:10:24"
    assert reading.of("CPU", "[CPU]User%")[0].line == 3
    assert reading.skipped() == {"message": 1}
    assert reading.ledger.lines.data == 6


def test_plot_details_are_the_same_columns_with_a_name(take):
    reading = take("plot", SEPARATED)
    rows = [line.split(",") for line in SEPARATED.decode().splitlines()[2:]]
    heading = SEPARATED.decode().splitlines()[1].split(",")
    place = heading.index("[DSK:vda]Writes")
    assert reading.values("DSK", "[DSK]Writes", device="vda") == [float(row[place]) for row in rows]
    assert reading.values("CPU", "[CPU]Idle%", cpu="1") == [float(row[heading.index("[CPU:1]Idle%")]) for row in rows]
    assert reading.values("NET", "[NET]RxPkt", interface="eth0") == [
        float(row[heading.index("[NET:eth0]RxPkt")]) for row in rows
    ]
    assert not any("Name" in key.native for key in reading.samples)
    assert reading.skipped() == {"message": 1}


HEADER = b"""################################################################################
# Collectl:   V4.0.5-1  HiRes: 1  Options: -scdmn -P -f./col1.txt
# Host:       saturn  DaemonOpts:
# Booted:     1606157348.36 [20201123-18:49:08]
# Distro:     debian buster/sid, Ubuntu 18.04.4 LTS  Platform: Unknown
# Date:       20201123-185752  Secs: 1606157872 TZ: -0400
# SubSys:     cdmn Options:  Interval: 1 NumCPUs: 4 [HYPER] NumBud: 0 Flags: i
# Kernel:     4.9.0-14-amd64  Memory: 15404688 kB  Swap: 0 kB
################################################################################
"""


def test_a_recordings_heading_tells_host_version_and_zone(take):
    text = HEADER + b"#Date Time [CPU]User% [CPU]Sys%\n20201123 18:57:53 1 2\n20201123 18:57:54.250 3 4\n"
    reading = take("plot", text, zone="Asia/Seoul")
    ledger = reading.ledger
    assert (ledger.hostname, ledger.tool_version, ledger.os_version) == ("saturn", "4.0.5-1", "4.9.0-14-amd64")
    assert (ledger.zone, ledger.zone_source, ledger.interval_s) == ("-0400", "stamp", 1.0)
    assert reading.times("CPU", "[CPU]User%") == ["2020-11-23 22:57:53", "2020-11-23 22:57:54"]
    assert reading.of("CPU", "[CPU]User%")[1].time_ns % 10**9 == 250_000_000
    assert ledger.lines.header == 10
    mine = take("plot", text, zone="Asia/Seoul", zone_source="user")
    assert mine.times("CPU", "[CPU]User%")[0] == "2020-11-23 09:57:53"


def test_another_heading_and_a_cut_row(take):
    text = b"#Date Time [CPU]User% [DSK]ReadTot\n20201123 18:57:53 1 2\n"
    text += b"#Date Time [CPU]User% [NET]RxPktTot [DSK]ReadTot\n20201123 18:57:54 3 4 5\n20201123 18:57:55 6 7"
    reading = take("plot", text)
    assert reading.values("DSK", "[DSK]ReadTot") == [2.0, 5.0]
    assert reading.values("NET", "[NET]RxPktTot") == [4.0]
    assert reading.skipped() == {"truncated": 1}


def test_epoch_stamps_and_another_separator(take):
    reading = take("plot", b"#UTC;[CPU]User%;[CPU]Sys%\n1606157873.500;1;2\n1606157874.500;3;4\n")
    assert reading.values("CPU", "[CPU]Sys%") == [2.0, 4.0]
    assert reading.of("CPU", "[CPU]Sys%")[0].time_ns == 1_606_157_873_500_000_000
    assert reading.ledger.needs == ()


# -- terminal -----------------------------------------------------------------------------------------


def test_brief_lines_without_times(take):
    reading = take("terminal", BRIEF, file_name="collectl-20261121-161024.txt")
    assert reading.values("brief", "cpu", group="CPU") == [54.0, 63.0, 53.0, 51.0, 59.0, 52.0, 52.0, 52.0]
    assert reading.values("brief", "Free", group="Memory") == [18 * GIB] * 8
    assert reading.values("brief", "Buff", group="Memory")[:3] == [33 * MIB, 33 * MIB, 32 * MIB]
    assert reading.values("brief", "KBRead", group="Disks")[1] == 20008.0
    assert reading.times("brief", "cpu", group="CPU")[:2] == ["2026-11-21 16:10:24", "2026-11-21 16:10:25"]
    ledger = reading.ledger
    assert ledger.needs == ("start",)
    assert ("interval_s", "1", "wrapper") in [(one.subject, one.value, one.source) for one in ledger.assumptions]
    assert ledger.warnings == ("rounded_units",)
    assert reading.skipped() == {"message": 1}


def test_brief_lines_with_a_time_of_day(take):
    reading = take("terminal", BRIEF_TIMES, date=date(2026, 11, 21))
    assert reading.times("brief", "inter", group="CPU") == [
        "2026-11-21 18:20:58",
        "2026-11-21 18:21:00",
        "2026-11-21 18:21:02",
    ]
    assert reading.values("brief", "KBWrit", group="Disks") == [14.0, 78.0, 17842.0]


def test_brief_lines_with_dates_without_groups_and_of_old_versions(take):
    text = b"#\n#Date    Time      free buff cach inac slab  map   Tcp  Udp  Raw Frag\n"
    text += b"20070830 08:29:00   64M 529M   2G 483M    0    0    89   17    0    0\n"
    reading = take("terminal", text)
    assert reading.values("brief", "buff") == [529 * MIB]
    assert reading.values("brief", "Tcp") == [89.0]
    assert reading.times("brief", "Tcp") == ["2007-08-30 08:29:00"]


def test_verbose_sections_have_the_records_time(take):
    reading = take("terminal", VERBOSE)
    assert reading.values("SINGLE CPU STATISTICS", "User", cpu="1") == [45.0, 88.0, 99.0, 100.0]
    assert reading.of("SINGLE CPU STATISTICS", "User", cpu="0")[0].time_ns == 1_795_245_025_005_000_000
    table = "DISK STATISTICS"
    assert reading.values(table, "IOs", device="vda", group="reads")[:2] == [867.0, 681.0]
    assert reading.values(table, "IOs", device="vda", group="writes")[:2] == [322.0, 362.0]
    assert reading.values(table, "Wait", device="vda", group="averages")[:2] == [0.0, 0.0]
    assert reading.values(table, "QLen", device="vda", group="averages")[:2] == [14.0, 15.0]
    assert reading.values("MEMORY STATISTICS", "Used", group="0")[0] == 5571 * MIB
    ledger = reading.ledger
    assert (ledger.hostname, ledger.zone, ledger.variant) == ("dbtest01", "+0900", "verbose")
    assert ledger.lines.data == 16


def test_verbose_summaries_with_dates_below_headings_that_lack_them(take):
    reading = take("terminal", VERBOSE_DATES)
    assert reading.values("MEMORY SUMMARY", "Total", group="Physical Memory")[0] == 24105 * MIB
    first = next(line for line in VERBOSE_DATES.decode().splitlines() if line.endswith("11     0    2  346"))
    assert first.startswith("20261121 18:21:07")
    assert reading.values("MEMORY SUMMARY", "Fault", group="Paging")[0] == 11.0
    assert reading.values("MEMORY SUMMARY", "In", group="Swap")[0] == 0.0
    assert reading.values("MEMORY SUMMARY", "In", group="Paging")[0] == 2.0
    assert reading.values("TCP STACK SUMMARY", "SegIn", group="Tcp")[0] == 0.0
    assert reading.skipped() == {"message": 1}


def test_a_rate_that_was_too_wide_is_in_thousands(take):
    text = BRIEF.replace(b"  54  30  2642   4256 ", b"  54  30   26K     4M ")
    reading = take("terminal", text)
    assert reading.values("brief", "inter", group="CPU")[0] == 26_000.0
    assert reading.values("brief", "ctxsw", group="CPU")[0] == 4_000_000.0


# -- raw ----------------------------------------------------------------------------------------------


def blocks(text: bytes) -> list[tuple[float, dict[str, list[str]]]]:
    """(seconds since 1970, first words -> cells) of each block: an independent reading."""
    found: list[tuple[float, dict[str, list[str]]]] = []
    for line in text.decode().splitlines():
        words = line.split()
        if line.startswith(">>> "):
            found.append((float(words[1]), {}))
        elif found and words:
            key = " ".join(words[:2]) if words[0] in ("Net", "int") else words[0]
            found[-1][1][key] = words
    return found


def test_raw_counters_become_rates(take):
    reading = take("raw", RAW)
    (t0, one), (t1, two) = blocks(RAW)[:2]
    seconds = t1 - t0

    def rise(key: str, place: int) -> float:
        return float(two[key][place]) - float(one[key][place])

    ticks = [rise("cpu", place) for place in range(1, 9)]
    assert reading.values("CPU", "[CPU]User%", cpu="all")[0] == pytest.approx(100 * ticks[0] / sum(ticks))
    assert reading.values("CPU", "[CPU]Wait%", cpu="all")[0] == pytest.approx(100 * ticks[4] / sum(ticks))
    assert reading.values("load", "[CPU]Ctx/sec")[0] == pytest.approx(rise("ctxt", 1) / seconds)
    assert reading.values("DSK", "[DSK]WKBytes", device="vda")[0] == pytest.approx(rise("disk", 10) / 2 / seconds)
    writes = rise("disk", 8)
    assert reading.values("DSK", "[DSK]WaitW", device="vda")[0] == pytest.approx(rise("disk", 11) / writes)
    assert reading.values("NET", "[NET]RxPkt", interface="eth0")[0] == pytest.approx(rise("Net eth0:", 3) / seconds)
    assert reading.values("vmstat", "pgfault/s")[0] == pytest.approx(rise("pgfault", 1) / seconds)
    assert reading.values("meminfo", "MemFree")[0] == float(one["MemFree:"][1])
    assert reading.values("load", "[CPU]L-Avg1")[0] == float(one["load"][1])


def test_raw_has_no_rate_in_its_first_block(take):
    reading = take("raw", RAW)
    count = len(blocks(RAW))
    assert len(reading.values("meminfo", "MemFree")) == count
    assert len(reading.values("DSK", "[DSK]Reads", device="vda")) == count - 1
    assert reading.of("DSK", "[DSK]Reads", device="vda")[0].time_ns == 1_795_285_247_001_000_000
    assert reading.ledger.interval_s == 2.0
    assert reading.ledger.hostname == "dbtest01"
    assert reading.ledger.lines.balanced
    assert reading.skipped() == {}


def test_a_raw_file_without_its_beginning_and_its_end(take):
    start = RAW.index(b"MemTotal")
    reading = take("raw", RAW[start : RAW.rindex(b"Net") - 7])
    assert reading.skipped()["truncated"] > 1
    assert len(reading.values("meminfo", "MemFree")) == len(blocks(RAW)) - 1
    assert reading.ledger.lines.balanced


def test_a_restart_gives_no_rate(take):
    text = RAW.replace(b"ctxt 1", b"ctxt 0", 2)
    assert b"ctxt 0" in text
    place = text.rindex(b"pgfault ")
    text = text[:place] + b"pgfault 5\n" + text[text.index(b"\n", place) + 1 :]
    reading = take("raw", text)
    assert len(reading.values("vmstat", "pgfault/s")) == len(blocks(RAW)) - 2
    assert "counter_fell" in reading.ledger.warnings


def test_processes_of_a_raw_file_are_counted(take):
    text = RAW.replace(b"load ", b"proc:77 stat 77 (java) S 1 77\nload ")
    reading = take("raw", text)
    assert reading.skipped() == {"collectl_processes": len(blocks(RAW))}


# -- all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text"),
    [("plot", PLOT), ("plot", SEPARATED), ("terminal", BRIEF), ("terminal", VERBOSE), ("raw", RAW)],
    ids=["plot", "separated", "brief", "verbose", "raw"],
)
def test_encodings_pieces_and_sniffing(take, load, kind, text):
    expected = as_samples(take(kind, text))
    assert as_samples(take(kind, text.replace(b"\n", b"\r\n"))) == expected
    assert as_samples(take(kind, b"\xef\xbb\xbf" + text)) == expected
    assert as_samples(take(kind, text, piece=61)) == expected
    sure = {
        name: load("collectl", f"{name}:{name.title()}Parser").sniff(text, "x") for name in ("plot", "terminal", "raw")
    }
    assert max(sure, key=sure.__getitem__) == kind
    assert sorted(sure.values())[1] == 0.0
