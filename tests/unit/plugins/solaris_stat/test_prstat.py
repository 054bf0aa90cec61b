"""prstat of Solaris: processes, threads, zones, users; units; a bounded number of series."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "solaris_stat"
HEADING = "   PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP\n"
TOTAL = "Total: 1000 processes, 2000 lwps, load averages: 12.05, 11.06, 9.11\n"


@pytest.fixture
def prstat(load, read):
    parser = load("solaris_stat", "prstat:PrstatParser")
    return lambda data, **context: read(parser, data, **context)


def test_processes_and_zones(prstat):
    found = prstat((FIXTURES / "prstat-Z.txt").read_bytes(), interval_s=5.0, piece=13)
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.ledger.lines.header) == (13, 4)
    assert found.values("process", "SIZE", process="173/rcapd") == [17 * 1024**2] * 2
    assert found.values("process", "RSS", process="17676/prstat") == [3468 * 1024.0] * 2
    assert found.values("process", "TIME", process="173/rcapd") == [3 * 3600 + 18 * 60 + 42] * 2
    assert found.values("process", "NICE", process="5/zpool-rpool") == [-20.0]
    assert found.values("zone", "SWAP", process="zone refdb1") == [13 * 1024.0**3] * 2
    assert found.values("zone", "MEMORY", process="zone refapp1") == [7.2, 7.2]
    assert found.values("zone", "TIME", process="zone refdb1") == [16 * 3600 + 51 * 60 + 18] * 2
    assert found.values("total", "load average 15m") == [0.11, 0.11]
    assert found.values("total", "lwps") == [709.0, 709.0]
    times = [sample.time_ns for sample in found.of("total", "processes")]
    assert times[1] - times[0] == 5 * 10**9
    assert times == [sample.time_ns for sample in found.of("process", "CPU", process="173/rcapd")]
    assert not any(sample.since_boot for sample in found.of("process", "CPU", process="173/rcapd"))


def test_microstates_of_threads(prstat):
    found = prstat((FIXTURES / "prstat-mLc.txt").read_bytes())
    assert found.ledger.variant == "-mL"
    assert found.ledger.interval_s == 5.0  # from the prompt
    assert found.skipped() == {"wrapper": 1, "message": 1}
    java = {"process": "26330/java/8"}
    assert found.values("thread", "USR", **java) == [81.0, 83.0]
    assert found.values("thread", "LAT", **java) == [2.5, 2.9]
    assert [sample.since_boot for sample in found.of("thread", "USR", **java)] == [True, False]
    assert found.values("thread", "SCL", process="74241/dnx/29") == [11_000.0] * 2  # K of counts is 1000
    assert found.values("thread", "VCX", process="74241/dnx/29") == [917.0, 100_000.0]  # .1M
    assert found.values("thread", "LCK", process="74241/dnx/29") == [0.0]  # a hyphen is missing, not 0


def test_users_below_processes(prstat):
    data = (ROOT / "tests" / "fixtures" / "fake_hosts" / "sunos" / "data" / "prstat_a").read_bytes()
    found = prstat(data.replace(b"%%\n", b""))
    assert found.values("user", "NPROC", process="user oracle") == [41.0]
    assert found.values("user", "RSS", process="user root") == [192 * 1024.0**2]


def test_decimal_commas(prstat):
    row = "   812 root       13M 9624K sleep   59    0   0:00:31 0,1% nscd/27\n"
    total = "Total: 103 processes, 412 lwps, load averages: 0,61, 0,40, 0,33\n"
    found = prstat((HEADING + row + total).encode())
    assert found.values("process", "CPU", process="812/nscd") == [0.1]
    assert found.values("total", "load average 1m") == [0.61]


def test_a_thousand_processes_are_not_a_thousand_times_six_series(prstat):
    """The first 300 and the busy are kept; the rest is booked, not lost in silence."""
    idle = "".join(f"{pid:6} oracle   1218M 1190M sleep   59    0   0:12:41 0.0% oracle/11\n" for pid in range(1, 1001))
    busy = "  4711 oracle   1218M 1190M cpu1    49    0   0:12:41  11% oracle/11\n"
    found = prstat((HEADING + idle + busy + TOTAL).encode())
    processes = {dict(key.attributes)["process"] for key in found.samples if key.table == "process"}
    assert len(processes) == 301
    assert "4711/oracle" in processes
    assert found.skipped() == {"too_many_processes": 700}
    assert found.ledger.lines.balanced


def test_ten_thousand_busy_processes_are_bounded(prstat):
    busy = "".join(f"{pid:6} oracle   1218M 1190M cpu1    49    0   0:12:41  11% oracle/11\n" for pid in range(10_000))
    found = prstat((HEADING + busy + TOTAL).encode())
    assert len({dict(key.attributes).get("process") for key in found.samples if key.table == "process"}) == 2000


def test_two_processes_of_one_name_are_two(prstat):
    rows = "".join(f"{pid:6} oracle   1218M 1190M cpu1    49    0   0:12:41  {pid}% ora lgwr/11\n" for pid in (4, 5))
    found = prstat((HEADING + rows + TOTAL).encode())
    assert found.values("process", "CPU", process="4/ora lgwr") == [4.0]
    assert found.values("process", "CPU", process="5/ora lgwr") == [5.0]
