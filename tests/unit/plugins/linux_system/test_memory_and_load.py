"""free, /proc/meminfo, loadavg, uptime, pressure and ps: values from the text."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"
STAMP = "@tunebench at 2026-11-21T00:00:{:02}Z\n"


@pytest.fixture
def take(load, read):
    return lambda entry, data, **context: read(load("linux_system", entry), data, **context)


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def test_free_in_a_loop(take):
    data = fixture("free-k-loop.txt")
    reading = take("free:FreeParser", data)
    rows = re.findall(r"^Mem: +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$", data.decode(), re.MULTILINE)
    assert len(rows) == 4
    names = ("total", "used", "free", "shared", "buff/cache", "available")
    for column, name in enumerate(names):
        assert reading.values("memory", f"Mem: {name}") == [float(row[column]) for row in rows]
    assert reading.values("memory", "Swap: total") == [0.0] * 4
    assert reading.of("memory", "Mem: used")[1].line == 7
    assert [(item.subject, item.value) for item in reading.ledger.assumptions] == [("unit", "KiBy")]


@pytest.mark.parametrize(
    "above",
    [
        "[root@db01 ~]# free -m\n",
        "oracle@db01:~$ free -m\n",
        "# free -m\n",
        "Last login: Fri Jul 17 18:22:41 2026 from 10.0.0.5\n[root@db01 ~]# free -m\n",
        "마지막 로그인: 금  7월 17 18:22:41 KST 2026 일시 pts/0\n$ free -m\n",
    ],
)
def test_a_prompt_and_a_login_take_no_round_of_their_own(take, above):
    start = datetime(2026, 11, 21, 12, tzinfo=UTC)
    reading = take("free:FreeParser", above.encode() + fixture("free-m.txt"), start=start)
    assert reading.times("memory_mebi", "Mem: used") == ["2026-11-21 12:00:00"]
    assert "interval_s" not in reading.ledger.needs
    assert reading.skipped() == {"wrapper": above.count("\n")}


MANUAL = """Before a run of the memory test, look at how much memory is free on the system:

    $ free -m
                  total        used        free      shared  buff/cache   available
    Mem:            997         166         100           1         730         640

The memory test can be used to benchmark sequential memory reads or writes. Each thread
can access either a global or a local block for all memory operations, which depends on the
command line options. The size of the block that is used for the test is given by the option
--memory-block-size, and the total size of the data to transfer by --memory-total-size. It is
advisable to leave enough memory for the file system, because a system that pages would
measure the speed of the disks instead of what the test is meant to show about the memory.
"""
BANNER = "This computer system is for authorized users only and all activity on it may be monitored.\n" * 8


def test_a_manual_that_shows_free_is_no_capture_and_a_login_above_one_is_none_either(load):
    parser = load("linux_system", "free:FreeParser")
    assert parser.sniff(MANUAL.encode(), "sysbench.txt") == 0.0
    assert parser.sniff(BANNER.encode() + fixture("free-m.txt"), "free.txt") == 0.95


@pytest.mark.parametrize(
    ("name", "table", "total"),
    [
        ("free-bw.txt", "memory_bytes", 25276502016.0),
        ("free-m.txt", "memory_mebi", 24105.0),
        ("free-kltv.txt", "memory", 24684084.0),
        ("free-h-w.txt", "memory_human", 23.0 * 1024**3),
    ],
)
def test_the_table_s_name_tells_the_unit(take, name, table, total):
    reading = take("free:FreeParser", fixture(name))
    assert reading.values(table, "Mem: total") == [total]
    assert (reading.ledger.warnings == ("rounded_units",)) == (table == "memory_human")


def test_free_in_gigabytes(take):
    text = b"              total        used        free      shared  buff/cache   available\nMem:            251         180          12           3          58          66\n"
    assert take("free:FreeParser", text).values("memory_gibi", "Mem: available") == [66.0]


def test_rows_of_low_total_and_committed_memory(take):
    reading = take("free:FreeParser", fixture("free-kltv.txt"))
    assert reading.values("memory", "Low: used") == [1297424.0]
    assert reading.values("memory", "Total: free") == [23386660.0]
    assert reading.values("memory", "Comm: used") == [110960.0]


def test_a_mailed_loop_without_stamps(take):
    reading = take("free:FreeParser", fixture("free-s-mailed.txt"), interval_s=1.0)
    assert reading.values("memory", "Mem: used") == [499896.0, 499972.0, 499816.0]
    assert "start" in reading.ledger.needs


def test_free_of_procps_3_2_and_the_command_line_above_it(take):
    text = b"""[oracle@db1 ~]$ free -m
             total       used       free     shared    buffers     cached
Mem:          7872       7720        152          0        237       5987
-/+ buffers/cache:       1495       6377
Swap:        16383         12      16371
"""
    reading = take("free:FreeParser", text)
    assert reading.values("memory_mebi", "-/+ buffers/cache: free") == [6377.0]
    assert reading.values("memory_mebi", "Mem: cached") == [5987.0]
    assert reading.values("memory_mebi", "Swap: used") == [12.0]
    assert reading.skipped() == {"wrapper": 1}
    assert [item.subject for item in reading.ledger.assumptions if item.subject == "unit"] == []


def test_meminfo_in_a_loop(take):
    data = fixture("meminfo-loop.txt")
    reading = take("meminfo:MeminfoParser", data)
    for name in ("MemFree", "Active(anon)", "HugePages_Total", "Committed_AS"):
        printed = re.findall(rf"^{re.escape(name)}: +(\d+)", data.decode(), re.MULTILINE)
        assert reading.values("memory", name) == [float(value) for value in printed]
    assert reading.ledger.lines.skipped == 0


def test_loadavg_and_uptime(take):
    reading = take("loadavg:LoadavgParser", fixture("loadavg-loop.txt"))
    assert reading.values("loadavg", "load 1m") == [0.12, 0.12, 0.11, 0.11]
    assert reading.values("loadavg", "running") == [3.0, 2.0, 2.0, 2.0]
    assert reading.values("loadavg", "threads") == [113.0, 113.0, 113.0, 112.0]
    reading = take("loadavg:LoadavgParser", fixture("uptime-loop.txt"))
    assert reading.values("uptime", "load 15m") == [0.14] * 4
    assert reading.values("uptime", "users") == [0.0] * 4


@pytest.mark.parametrize(
    ("line", "averages", "users"),
    [
        (" 11:57:35 up  3:16,  2 users,  load average: 0.04, 0.05, 0.21", (0.04, 0.05, 0.21), [2.0]),
        ("11:57am  up 10 day(s), 20:01,  1 user,  load average: 0.12, 0.08, 0.05", (0.12, 0.08, 0.05), [1.0]),
        (" 11:57:35 up 1 min,  load average: 12,40, 3,05, 1,00", (12.4, 3.05, 1.0), []),
        ("11:57AM  up 3 days,  2:01, 2 users, load averages: 0.12 0.08 0.05", (0.12, 0.08, 0.05), [2.0]),
    ],
)
def test_uptime_of_other_systems_and_locales(take, line, averages, users):
    reading = take("loadavg:LoadavgParser", line.encode() + b"\n")
    assert tuple(reading.values("uptime", f"load {name}")[0] for name in ("1m", "5m", "15m")) == averages
    assert reading.values("uptime", "users") == users


def uptimes(*times: str) -> bytes:
    return "".join(
        f" {time}  up 10 days,  3:16,  2 users,  load average: 0.04, 0.05, 0.21\n" for time in times
    ).encode()


@pytest.mark.parametrize(
    ("above", "times", "known", "expected", "needs"),
    [
        ("", ("11:57:35", "11:58:35", "11:59:36"), {}, ("21 11:57:35", "21 11:58:35", "21 11:59:36"), ("date",)),
        ("", ("11:58pm", "11:59pm", "12:00am"), {}, ("21 23:58:00", "21 23:59:00", "22 00:00:00"), ("date",)),
        ("", ("11:57", "11:57", "11:58"), {"interval_s": 30}, ("21 11:57:00", "21 11:57:30", "21 11:58:00"), ("date",)),
        ("Sat Nov 21 11:57:30 UTC 2026\n", ("11:57:35", "11:58:35"), {}, ("21 11:57:35", "21 11:58:35"), ()),
        ("Sat Nov 21 23:59:59 UTC 2026\n", ("00:00:00", "00:01:00"), {}, ("22 00:00:00", "22 00:01:00"), ()),
        ("", ("00:00:01",), {"start": datetime(2026, 11, 21, 23, 59, 59)}, ("22 00:00:01",), ()),
    ],
)
def test_each_uptime_is_of_the_time_it_prints(take, above, times, known, expected, needs):
    modified_ns = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()) * 10**9
    reading = take("loadavg:LoadavgParser", above.encode() + uptimes(*times), modified_ns=modified_ns, **known)
    assert reading.times("uptime", "load 1m") == [f"2026-11-{time}" for time in expected]
    assert set(reading.ledger.needs) - {"zone"} == set(needs)


def test_pressure_by_file_and_its_share_of_the_interval(take):
    data = fixture("pressure-loop.txt")
    reading = take("pressure:PressureParser", data)
    assert reading.values("cpu some averages", "cpu some avg10")[:2] == [0.14, 0.11]
    assert reading.values("io full averages", "io full avg60")[0] == 0.10
    # total grew by 76048775 - 75860988 us between stamps 33.014829590 and 33.961017042
    expected = (76048775 - 75860988) / 1e6 / (33.961017042 - 33.014829590) * 100
    assert reading.values("io some", "io some")[0] == pytest.approx(expected, rel=1e-6)


def test_pressure_behind_file_names_of_grep_without_stamps(take):
    line = "/proc/pressure/io:some avg10=1.50 avg60=0.19 avg300=0.25 total={}\n"
    text = line.format(1_000_000) + line.replace("some", "full").format(0) + line.format(3_000_000)
    reading = take("pressure:PressureParser", text.encode(), interval_s=10.0)
    assert reading.values("io some", "io some") == [20.0]  # 2 s of 10 s
    assert reading.values("io full averages", "io full avg10") == [1.5]


def test_ps_by_program_and_pid(take):
    text = (
        STAMP.format(0)
        + """    PID    PPID USER     %CPU %MEM   RSS    VSZ STAT     ELAPSED     TIME COMMAND
   4711       1 oracle    3.4 12.5 3145728 9437184 Ss  1-02:03:04 00:53:20 oracle
     77       2 root      0.4  0.0     0      0 S       03:16:26 00:00:49 kworker/1:1H-kblockd
"""
    )
    reading = take("ps:PsParser", text.encode())
    assert reading.values("process", "RSS", process="oracle[4711]") == [3145728.0]
    assert reading.values("process", "TIME", process="oracle[4711]") == [53 * 60 + 20.0]
    assert reading.values("process", "%CPU", process="kworker/1:1H-kblockd[77]") == [0.4]
    assert {key.native for key in reading.samples} == {"%CPU", "%MEM", "RSS", "VSZ", "TIME"}


def test_ps_aux_names_the_program_without_its_folder(take):
    text = b"""USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root           1  0.3  0.0  54484 20612 ?        Ss   08:40   0:41 /sbin/init splash
root          22  0.0  0.0      0     0 ?        I    Nov20 1-02:00:00 [kworker/R-rcu_g]
"""
    reading = take("ps:PsParser", text)
    assert reading.values("process", "TIME", process="init[1]") == [41.0]
    assert reading.values("process", "TIME", process="[kworker/R-rcu_g][22]") == [26 * 3600.0]
