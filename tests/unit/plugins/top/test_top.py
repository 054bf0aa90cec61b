"""top of procps and busybox: values from the text."""

from __future__ import annotations

import re
from datetime import date

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.families.processes import MOST

FIXTURES = ROOT / "tests" / "fixtures" / "top"
WILD = CORPUS / "wild" / "top-linux"


@pytest.fixture
def parser(load):
    return load("top", "top:TopParser")


@pytest.fixture
def top(parser, read):
    return lambda data, **context: read(parser, data, zone="Asia/Seoul", **context)


def test_three_reports(top):
    reading = top((FIXTURES / "top-b.txt").read_bytes(), date=date(2026, 11, 21))
    assert reading.times("load", "load 1m") == ["2026-11-21 07:10:22", "2026-11-21 07:10:24", "2026-11-21 07:10:26"]
    assert reading.values("load", "load 15m") == [1.70, 1.70, 1.69]
    assert reading.values("tasks", "running") == [8.0, 1.0, 1.0]
    assert reading.values("tasks", "zombie") == [3.0, 0.0, 0.0]
    assert reading.values("cpu", "sy", cpu="all") == [100.0, 24.2, 13.2]
    assert reading.values("memory_mebi", "Mem: used") == [725.1, 959.2, 959.2]
    assert reading.values("memory_mebi", "Mem: avail Mem") == [23380.4, 23146.3, 23146.3]
    assert reading.values("process", "%CPU", process="fio[22]") == [0.0, 4.0, 4.0]
    assert reading.values("process", "TIME+", process="fio[22]") == [0.39, 0.47, 0.55]
    assert reading.of("process", "RES", process="fio[17]")[0].line == 8  # the first process of its time
    assert reading.ledger.lines.balanced
    assert reading.ledger.needs == ()
    assert "top_first_instant" in reading.ledger.warnings
    assert not any(sample.since_boot for sample in reading.of("cpu", "id", cpu="all"))


def test_without_a_date_it_is_asked_for(top):
    reading = top((FIXTURES / "top-b.txt").read_bytes())
    assert "date" in reading.ledger.needs


def test_processors_two_abreast_and_threads(top):
    reading = top((FIXTURES / "top-threads-per-cpu.txt").read_bytes())
    assert reading.values("cpu", "us", cpu="0") == [100.0, 91.5]
    assert reading.values("cpu", "id", cpu="1") == [100.0, 0.0]
    assert reading.values("memory_mebi", "Swap: total") == [0.0, 0.0]
    assert reading.values("threads", "sleeping") == [127.0, 119.0]
    assert reading.values("thread", "%CPU", process="python[4671]") == [25.0, 25.7]
    assert "process" not in {key.table for key in reading.samples}


def test_old_procps_below_a_collector_s_stamp(top):
    reading = top((FIXTURES / "top-procps-3.2-osw.txt").read_bytes())
    assert reading.times("cpu", "us", cpu="all") == ["2012-02-29 02:01:53", "2012-02-29 02:01:56"]
    assert [sample.since_boot for sample in reading.of("cpu", "us", cpu="all")] == [True, False]
    assert [sample.since_boot for sample in reading.of("process", "%CPU", process="oracle[16401]")] == [True, False]
    assert [sample.since_boot for sample in reading.of("memory", "Mem: free")] == [False, False]
    assert reading.values("memory", "Mem: cached") == [598568.0, 598568.0]  # printed in the line of the swap
    assert reading.values("process", "VIRT", process="oracle[16401]")[0] == 12.9 * 1024**2
    assert reading.values("process", "TIME+", process="oracle[16401]") == [207361.0, 207362.0]  # minutes:seconds
    assert "PR" not in {
        key.native
        for key in reading.samples
        if dict(key.attributes).get("process") == "migration/0[3]" and reading.samples[key]
    }
    assert reading.ledger.needs == ()
    assert "rounded_units" in reading.ledger.warnings


def test_busybox_prints_no_time(top):
    reading = top((FIXTURES / "top-busybox.txt").read_bytes())
    assert reading.values("cpu", "usr", cpu="all") == [95.0, 95.0]
    assert reading.values("memory", "Mem: cached") == [2927588.0, 2927628.0]
    assert reading.values("load", "running") == [6.0, 4.0]
    assert reading.values("process", "VSZ", process="bash[733]") == [5128.0]
    assert {"start", "interval_s"} <= set(reading.ledger.needs)


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        (b"KiB Mem : 19785972+total,  2179340 free, 17681568+used, 18864712 buff/cache", "Mem: total", 19785972.0),
        (b"KiB Mem :  3861332 total,  3446476 free,   216940 used,   197916 buff/cache", "Mem: buff/cache", 197916.0),
        (b"KiB Swap:  2097148 total,        0 used,  2097148 free.   612345 cached Mem", "Mem: cached Mem", 612345.0),
        (b"Mem:    385904k total,   381572k used,     4332k free,   137244k buffers", "Mem: buffers", 137244.0),
    ],
)
def test_lines_of_memory(top, line, column, value):
    reading = top(b"top - 16:10:22 up 21 min,  0 user,  load average: 2.27, 2.65, 1.70\n" + line + b"\n")
    assert reading.values("memory", column) == [value]


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        (b"%Cpu(s):  5,6 us, 11,1 sy,  0,0 ni, 83,3 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st", "sy", 11.1),
        (b"Cpu(s):  12.3% user,   5.1% system,   0.0% nice,  82.6% idle", "system", 5.1),
        (b"Cpu(s):  1.3% us,  1.3% sy,  0.0% ni, 97.5% id,  0.0% wa,  0.0% hi,  0.0% si", "id", 97.5),
    ],
)
def test_lines_of_processors(top, line, column, value):
    reading = top(b"top - 16:10:22 up 1 day,  2:03,  3 users,  load average: 0,27, 0,65, 0,70\n" + line + b"\n")
    assert reading.values("cpu", column, cpu="all") == [value]
    assert reading.values("load", "load 5m") == [0.65]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [("0:01.47", 1.47), ("123:45", 7425.0), ("27,07", 97620.0), ("123h", 442800.0), ("5d", 432000.0)],
)
def test_times_of_processes(top, cell, seconds):
    text = (
        "top - 16:10:22 up 21 min,  0 user,  load average: 2.27, 2.65, 1.70\n\n  PID %CPU    TIME+ COMMAND\n"
        f"   42  1.0 {cell:>8} ora pmon\n"
    )
    assert top(text.encode()).values("process", "TIME+", process="ora[42]") == [seconds]


def test_midnight(top):
    title = "top - {} up 21 min,  0 user,  load average: 2.27, 2.65, 1.70\n"
    reading = top((title.format("23:59:58") + title.format("00:00:03")).encode(), date=date(2026, 11, 21))
    assert reading.times("load", "load 1m") == ["2026-11-21 14:59:58", "2026-11-21 15:00:03"]


def test_short_lived_processes_are_bounded(top):
    rows = "".join(f"{pid:7d} root 20 0 0 0 0 S 3.0 0.0 0:00.01 sh\n" for pid in range(1, MOST + 501))
    text = (
        "top - 16:10:22 up 21 min,  0 user,  load average: 2.27, 2.65, 1.70\n"
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n" + rows
    )
    reading = top(text.encode())
    assert len({dict(key.attributes)["process"] for key in reading.samples if key.table == "process"}) == MOST
    assert reading.skipped() == {"too_many_processes": 500}


@pytest.mark.parametrize("name", ["top-b.txt", "top-threads-per-cpu.txt", "top-procps-3.2-osw.txt", "top-busybox.txt"])
def test_pieces_make_no_difference(parser, read, name):
    data = (FIXTURES / name).read_bytes()
    assert read(parser, data).samples == read(parser, data, piece=7).samples


def test_real_reports(parser, read):
    if not WILD.is_dir():
        pytest.skip("the corpus is not beside the project")
    for path in sorted(WILD.iterdir()):
        data = path.read_bytes()
        reading = read(parser, data, date=date(2020, 1, 1))
        rows = len(re.findall(rb"(?m)^ +\d+ \w", data))
        assert reading.ledger.lines.balanced
        assert reading.skipped() == {}, path.name
        seen = [key for key in reading.samples if key.native == "VIRT"]
        assert sum(len(reading.samples[key]) for key in seen) == rows, path.name


def test_all_fields_of_a_real_report(parser, read):
    path = WILD / "kellyjonbrazil+jc__tests_fixtures_ubuntu-20.10_top-b-allfields.out"
    if not path.is_file():
        pytest.skip("the corpus is not beside the project")
    reading = read(parser, path.read_bytes(), date=date(2020, 1, 1))
    assert reading.values("process", "nMin", process="systemd[1]") == [27 * 1024.0]
    assert reading.values("process", "DATA", process="systemd[1]") == [20504.0]
    assert reading.values("process", "USED", process="systemd[1]") == [13212.0]
    assert reading.values("process", "nMaj", process="systemd[1]") == [99.0]
    assert reading.values("process", "vMj", process="top[4810]") == [0.0]


def test_neighbours_are_not_taken(parser):
    assert (
        parser.sniff(
            b"  PID USER     %CPU %MEM   RSS    VSZ     TIME COMMAND\n   77 root      0.4  0.0     0      0 00:00:49 a\n",
            "",
        )
        == 0.0
    )
    assert parser.sniff(b"last pid: 12345;  load averages:  0.10,  0.20,  0.30  up 1+02:03:04  16:10:22\n", "") == 0.0


PROCPS_2 = b""" 15:55:05  up 9 days,  3:40,  3 users,  load average: 0.09, 0.05, 0.00
60 processes: 59 sleeping, 1 running, 0 zombie, 0 stopped
CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle
           total    0.4%    0.0%    0.8%   0.0%     0.0%    0.0%   98.6%
           cpu00    0.0%    0.0%    1.6%   0.0%     0.0%    0.0%   98.2%
           cpu01    0.8%    0.0%    0.0%   0.0%     0.0%    0.0%   99.0%
Mem:  1028408k av,  999832k used,   28576k free,       0k shrd,  153432k buff
                    692700k actv,  103108k in_d,   20300k in_c
Swap: 2048276k av,  113924k used, 1934352k free                  589612k cached

  PID USER     PRI  NI  SIZE  RSS SHARE STAT %CPU %MEM   TIME CPU COMMAND
 4711 oracle    15   0  512M 120M  100M S     0.9 11.9   3:07   1 oracle
"""


def test_procps_2(parser, top):
    reading = top(PROCPS_2, date=date(2006, 3, 1))
    assert parser.sniff(PROCPS_2, "top.txt") > 0.9
    assert reading.times("load", "users") == ["2006-03-01 06:55:05"]
    assert reading.values("tasks", "sleeping") == [59.0]
    assert reading.values("cpu", "system", cpu="0") == [1.6]
    assert reading.values("cpu", "idle", cpu="all") == [98.6]
    assert reading.of("cpu", "idle", cpu="all")[0].since_boot
    assert reading.values("memory", "Mem: av") == [1028408.0]
    assert reading.values("memory", "Mem: in_d") == [103108.0]
    assert reading.values("memory", "Mem: cached") == [589612.0]
    assert reading.values("process", "RSS", process="oracle[4711]") == [120 * 1024.0]
    assert reading.values("process", "TIME", process="oracle[4711]") == [187.0]
    assert reading.skipped() == {}
