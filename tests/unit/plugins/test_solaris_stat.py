"""Solaris iostat, vmstat, vmstat -s and sar: figures against a naive reading, and the tools' many forms."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.plugins.conftest import load_parser, read_capture
from tunebench.domain.engagement import EventKind

PARSERS = {
    "iostat": "iostat:IostatParser",
    "vmstat": "vmstat:VmstatParser",
    "vmstat_s": "vmstat_counters:VmstatCountersParser",
    "sar": "sar:SarParser",
}
START = {"start": datetime(2026, 1, 1), "interval_s": 5.0}


@pytest.fixture
def solaris(load):
    return lambda tool: load("solaris_stat", PARSERS[tool])


def second_of(sample) -> int:
    return sample.time_ns // 10**9 % 86400


# -- iostat ------------------------------------------------------------------------------------------------


def test_iostat_of_a_real_host_equals_a_naive_reading(solaris, read, corpus):
    [path] = (corpus / "wild/iostat-solaris").iterdir()
    data = path.read_bytes()
    assert solaris("iostat").sniff(data[:65536], path.name) > 0.9
    reading = read(solaris("iostat"), data, **START)
    expected: Counter[tuple[int, str, str, float]] = Counter()
    block, columns = -1, []
    for line in data.decode().splitlines():
        words = line.split()
        if words[-1] == "device":
            block, columns = block + 1, words[:-1]
        elif words[0] != "extended":
            for column, cell in zip(columns, words, strict=False):
                expected[block * 5, words[-1], column, float(cell)] += 1
    found: Counter[tuple[int, str, str, float]] = Counter()
    for key, samples in reading.samples.items():
        for sample in samples:
            found[second_of(sample), dict(key.attributes)["device"], key.native, sample.value] += 1
    assert found == expected
    assert reading.ledger.lines.balanced
    assert reading.skipped() == {}
    some = next(iter(reading.samples.values()))
    assert [sample.since_boot for sample in some] == [True] + [False] * 11
    assert reading.ledger.variant == "-xn"


EXTENDED = """                 extended device statistics
device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
sd0       {0}.4    1.0   75.3  120.5  0.0  0.2   11.9   0   9
nfs1      0.0    0.0    0.0    0.0  0.0  0.0    0.0   0   0
"""


def test_iostat_x_blocks_are_an_interval_apart_and_the_first_is_since_boot(solaris, read):
    text = "".join(EXTENDED.format(i) for i in range(4))
    reading = read(solaris("iostat"), text.encode(), **START)
    assert reading.values("device", "r/s", device="sd0") == [0.4, 1.4, 2.4, 3.4]
    assert reading.times("device", "r/s", device="nfs1") == [f"2026-01-01 00:00:{s:02d}" for s in (0, 5, 10, 15)]
    assert [s.since_boot for s in reading.of("device", "r/s", device="sd0")] == [True, False, False, False]
    assert [s.line for s in reading.of("device", "r/s", device="sd0")] == [3, 7, 11, 15]
    assert reading.ledger.warnings == ()


def test_iostat_with_a_time_above_each_block(solaris, read):
    text = "".join(f"Tue Apr 19 23:59:5{4 + 2 * i} 2011\n" + EXTENDED.format(i) for i in range(2))
    text += "Wed Apr 20 00:00:00 2011\n" + EXTENDED.format(9)
    reading = read(solaris("iostat"), text.encode(), zone="Asia/Seoul")
    assert reading.times("device", "%b", device="sd0") == [
        "2011-04-19 14:59:54",
        "2011-04-19 14:59:56",
        "2011-04-19 15:00:00",
    ]
    assert [s.since_boot for s in reading.of("device", "%b", device="sd0")] == [True, False, False]
    assert reading.ledger.needs == ()
    assert reading.ledger.interval_s == 2


def test_iostat_with_epoch_times(solaris, read):
    text = "".join(f"{1303247761 + 10 * i}\n" + EXTENDED.format(i) for i in range(3))
    reading = read(solaris("iostat"), text.encode(), zone="Asia/Seoul")
    assert reading.times("device", "%b", device="sd0") == [f"2011-04-19 21:16:{s}" for s in ("01", "11", "21")]
    assert reading.ledger.zone_source == "stamp"


@pytest.mark.parametrize(
    ("line", "utc"),
    [
        ("Tue Apr 19 21:16:01 2011", "2011-04-19 12:16:01"),
        ("Tue Apr 19 21:16:01 KST 2011", "2011-04-19 12:16:01"),
        ("Tue Apr 19 21:16:01 UTC 2011", "2011-04-19 21:16:01"),
        ("Tuesday, April 19, 2011 09:16:01 PM KST", "2011-04-19 12:16:01"),
        ("2011년 04월 19일 (화) 오후 09시 16분 01초", "2011-04-19 12:16:01"),
        ("2011년 4월 19일 화요일 오전 12시 16분 01초 KST", "2011-04-18 15:16:01"),
    ],
)
def test_the_forms_of_a_time_line(solaris, read, line, utc):
    reading = read(solaris("iostat"), f"{line}\n{EXTENDED.format(1)}".encode(), zone="Asia/Seoul")
    assert reading.times("device", "%b", device="sd0") == [utc]


def test_a_time_above_each_run_of_a_loop(solaris, read):
    """``while :; do date; iostat -x 5 2; done``: each run's first block is since boot."""
    text = "".join(
        f"Tue Apr 19 21:{minute}:00 KST 2011\n" + EXTENDED.format(1) + EXTENDED.format(2) for minute in (10, 20, 30)
    )
    reading = read(solaris("iostat"), text.encode(), zone="Asia/Seoul", interval_s=5.0)
    assert reading.times("device", "r/s", device="sd0") == [
        f"2011-04-19 12:{minute}:0{second}" for minute in (10, 20, 30) for second in (0, 5)
    ]
    assert [s.since_boot for s in reading.of("device", "r/s", device="sd0")] == [True, False] * 3
    assert (reading.ledger.gaps, reading.ledger.interval_s) == (0, 5)


def test_iostat_with_commas(solaris, read):
    text = (
        "extended device statistics\ndevice,r/s,w/s,kr/s,kw/s,wait,actv,svc_t,%w,%b,\n"
        "sd0,492.4,0.0,10543.8,0.0,0.0,0.5,1.1,1,48\nsd0,a,2.0,0.0,3.0,0.0,0.0,0.5,1.1,1,4\n"
        "extended device statistics\nr/s,w/s,kr/s,kw/s,wait,actv,wsvc_t,asvc_t,%w,%b,device\n"
        "1.0,0.0,2.0,0.0,0.0,0.0,0.0,12.5,0,1,c0t0d0s0\n"
    )
    reading = read(solaris("iostat"), text.encode(), **START)
    assert solaris("iostat").sniff(text.encode(), "") > 0.9
    assert reading.values("device", "kr/s", device="sd0") == [10543.8]
    assert reading.values("device", "r/s", device="sd0,a") == [2]
    assert reading.values("device", "asvc_t", device="c0t0d0s0") == [12.5]
    assert reading.ledger.lines.balanced


def test_iostat_names_last_of_any_length_and_errors_beside(solaris, read):
    text = (
        "                            extended device statistics       ---- errors ---\n"
        "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b s/w h/w trn tot device\n"
        "    0.9    0.1    7.2    0.4  0.0  0.0    0.0   11.9   0   0   0   2   1   3 c0t60060E8021534B005060534B00000d0\n"
        "    1.0    0.0    0.0    0.0  0.0  0.0    0.0    0.0   0   0   0   0   0   0 filer01:/vol/vol0/home\n"
        "    2.0    0.0    0.0    0.0  0.0  0.0    0.0    0.0   0   0   0   0   0   0 db1:vold(pid 321)\n"
    )
    reading = read(solaris("iostat"), text.encode(), **START)
    assert reading.values("device", "asvc_t", device="c0t60060E8021534B005060534B00000d0") == [11.9]
    assert reading.values("device", "tot", device="c0t60060E8021534B005060534B00000d0") == [3]
    assert reading.values("device", "r/s", device="filer01:/vol/vol0/home") == [1]
    assert reading.values("device", "r/s", device="db1:vold(pid 321)") == [2]


def test_iostat_megabytes_totals_and_partitions(solaris, read):
    text = (
        "device    r/i    w/i   Mr/i   Mw/i wait actv  svc_t  %w  %b\nsd0,a  4.0 0.0 1.5 0.0 0.0 0.0 3.0 0 1\n"
        "device    r/s    w/s   Mr/s   Mw/s wait actv  svc_t  %w  %b\nsd0,a  5.0 0.0 2.5 0.0 0.0 0.0 4.0 0 1\n"
    )
    reading = read(solaris("iostat"), text.encode(), **START)
    assert solaris("iostat").sniff(text.encode(), "") > 0.9
    assert reading.values("device", "Mr/i", device="sd0,a") == [1.5]
    assert reading.values("device", "Mr/s", device="sd0,a") == [2.5]


def test_iostat_xtc_has_the_system_beside_the_first_device_only(solaris, read):
    text = (
        "                 extended device statistics                    tty         cpu\n"
        "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b  tin tout  us sy wt id\n"
        "sd0       0.9    0.1    7.2    0.4  0.0  0.0   11.9   0   0    3  102   1  2  4 93\n"
        "sd1       0.5    0.1    7.2    0.4  0.0  0.0   12.9   0   0\n"
    )
    reading = read(solaris("iostat"), text.encode(), **START)
    assert reading.values("device", "svc_t", device="sd1") == [12.9]
    assert [reading.values("system", name) for name in ("tin", "tout", "us", "sy", "wt", "id")] == [
        [3],
        [102],
        [1],
        [2],
        [4],
        [93],
    ]


def test_iostat_xnc_has_cpu_above_the_devices_of_one_block(solaris, read):
    block = (
        "     cpu\n us sy wt id\n  {0}  2  0 97\n                    extended device statistics\n"
        "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
        "    {0}.9    0.1    7.2    0.4  0.0  0.0    0.0   11.9   0   0 c0t0d0\n"
    )
    reading = read(solaris("iostat"), "".join(block.format(i) for i in (1, 2, 3)).encode(), **START)
    assert reading.values("system", "us") == [1, 2, 3]
    assert reading.times("system", "us") == reading.times("device", "r/s", device="c0t0d0")
    assert [s.since_boot for s in reading.of("system", "us")] == [True, False, False]


PLAIN = """   tty        sd0           sd1           nfs1           cpu
 tin tout kps tps serv  kps tps serv  kps tps serv   us sy wt id
"""


def test_plain_iostat(solaris, read):
    rows = [f"   0   1{i}   {i}   2   16    3   4    5    6   7    8    1  2  3 94\n" for i in range(3)]
    text = PLAIN + rows[0] + rows[1] + PLAIN + rows[2]
    assert solaris("iostat").sniff(text.encode(), "") > 0.9
    reading = read(solaris("iostat"), text.encode(), **START)
    assert reading.values("disk", "kps", device="sd0") == [0, 1, 2]
    assert reading.values("disk", "serv", device="nfs1") == [8, 8, 8]
    assert reading.values("system", "tout") == [10, 11, 12]
    assert reading.values("system", "id") == [94, 94, 94]
    assert reading.times("disk", "tps", device="sd1") == [f"2026-01-01 00:00:{s:02d}" for s in (0, 5, 10)]
    assert [s.since_boot for s in reading.of("system", "id")] == [True, False, False]
    assert reading.ledger.lines.header == 4


def test_iostat_of_disks_alone_and_of_cpu_alone(solaris, read):
    disks = "    sd0           c0t1d0\nkps tps serv  kps tps serv\n  1   2   3    4   5   6\n  7   8   9   10  11  12\n"
    reading = read(solaris("iostat"), disks.encode(), **START)
    assert reading.values("disk", "serv", device="c0t1d0") == [6, 12]
    assert reading.skipped() == {}
    cpu = "     cpu\n us sy wt id\n  1  2  0 97\n  3  4  0 93\n"
    reading = read(solaris("iostat"), cpu.encode(), **START)
    assert reading.values("system", "us") == [1, 3]
    assert reading.times("system", "us") == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]


def test_iostat_z_may_give_a_block_without_rows(solaris, read):
    heading = "\n".join(EXTENDED.splitlines()[:2]) + "\n"
    reading = read(solaris("iostat"), (EXTENDED.format(1) + heading + EXTENDED.format(2)).encode(), **START)
    assert reading.values("device", "r/s", device="sd0") == [1.4, 2.4]
    assert reading.ledger.lines.balanced


def test_prose_and_prompts_around_iostat(solaris, read):
    text = (
        "db1# uname -a\nSunOS db1 5.9\nroot@db1 # iostat -xn 30 5\n"
        + EXTENDED.format(1)
        + "r/s is the number of reads per second, sd0 1 2 3 4 5 6 7 8 9\nsd0 1 2 3 4 5 6 7 8 9\nroot@db1 #\n"
    )
    reading = read(solaris("iostat"), text.encode(), start=datetime(2026, 1, 1))
    assert reading.values("device", "r/s", device="sd0") == [1.4]
    assert reading.ledger.interval_s == 30
    assert reading.ledger.hostname == "db1"
    assert reading.ledger.lines.data == 2
    assert reading.ledger.lines.balanced


# -- vmstat ------------------------------------------------------------------------------------------------


def test_vmstat_of_a_real_host_equals_a_naive_reading(solaris, read, corpus):
    [path] = (corpus / "wild/vmstat-solaris").iterdir()
    data = path.read_bytes()
    reading = read(solaris("vmstat"), data, **START)
    rows = [list(map(float, line.split())) for line in data.decode().splitlines() if line.split()[0].isdigit()]
    heading = [
        "r",
        "b",
        "w",
        "swap",
        "free",
        "re",
        "mf",
        "pi",
        "po",
        "fr",
        "de",
        "sr",
        "s0",
        "s1",
        "s2",
        "s3",
        "in",
        "sy",
        "cs",
        "us",
        "sy",
        "id",
    ]
    for index, name in enumerate(heading):
        if name == "sy":
            found = reading.values("vmstat", "sy", group="faults" if index == 17 else "cpu")
        elif re.fullmatch(r"s\d", name):
            found = reading.values("vmstat", "disk", device=name)
        else:
            found = reading.values("vmstat", name)
        assert found == [row[index] for row in rows], name
    assert [s.since_boot for s in reading.of("vmstat", "id")] == [True] + [False] * (len(rows) - 1)
    assert (reading.skipped(), reading.ledger.lines.balanced) == ({}, True)
    assert solaris("vmstat").sniff(data, path.name) > 0.9


def test_vmstat_with_four_disks_of_one_name_and_procs(solaris, read):
    text = (
        " procs     memory            page            disk          faults      cpu\n"
        " r b w   swap  free  re  mf pi po fr de sr s2 s2 s2 s2   in   sy   cs us sy id\n"
        " 0 0 0 1424532 583002 110 271 23  4  1  0  0  1  2  3  4 6950 7310 6957  5  6 89\n"
    )
    reading = read(solaris("vmstat"), text.encode(), **START)
    assert [reading.values("vmstat", "disk", device=name) for name in ("s2", "s2#2", "s2#3", "s2#4")] == [
        [1],
        [2],
        [3],
        [4],
    ]
    assert reading.values("vmstat", "sy", group="faults") == [7310]
    assert reading.values("vmstat", "sy", group="cpu") == [6]


def test_vmstat_s_upper_case_and_paging(solaris, read):
    swapping = (
        " kthr      memory            page            disk          faults      cpu\n"
        " r b w   swap  free  si  so pi po fr de sr m0 m1 -- --   in   sy   cs us sy id\n"
        " 0 0 0 1424532 583002  7   8 23  4  1  0  0  1  2  0  0 6950 7310 6957  5  6 89\n"
    )
    reading = read(solaris("vmstat"), swapping.encode(), **START)
    assert (reading.values("vmstat", "si"), reading.values("vmstat", "so")) == ([7], [8])
    assert reading.ledger.variant == "-S"
    paging = (
        "     memory           page          executable      anonymous      filesystem\n"
        "   swap  free  re  mf  fr  de  sr  epi  epo  epf  api  apo  apf  fpi  fpo  fpf\n"
        " 46715224 891296 24 350 1 0 2 3 4 5 6 7 8 9 10 11\n"
    )
    assert solaris("vmstat").sniff(paging.encode(), "") > 0.9
    reading = read(solaris("vmstat"), paging.encode(), **START)
    assert reading.values("vmstat_p", "swap") == [46715224]
    assert reading.values("vmstat_p", "fpf") == [11]
    assert reading.ledger.variant == "-p"


HEADING = (
    " kthr      memory            page            disk          faults      cpu\n"
    " r b w   swap  free  re  mf pi po fr de sr s0 s1 -- --   in   sy   cs us sy id\n"
)
ROW = " 0 0 0 1424532 583002 110 271 23  4  1  0  0  1  2  0  0 6950 7310 6957  5  6 {0}\n"


PAGING = (
    "     memory           page          executable      anonymous      filesystem\n"
    "   swap  free  re  mf  fr  de  sr  epi  epo  epf  api  apo  apf  fpi  fpo  fpf\n"
)
PAGING_ROW = " 46715224 891296 24 350 1 0 2 3 4 5 6 7 8 9 10 {0}\n"


@pytest.mark.parametrize("first_page", [18, 19])
@pytest.mark.parametrize(
    ("heading", "row", "series"),
    [
        (HEADING, ROW, ("vmstat", "id")),
        (HEADING.replace("re  mf", "si  so"), ROW, ("vmstat", "id")),
        (PAGING, PAGING_ROW, ("vmstat_p", "fpf")),
    ],
    ids=["plain", "-S", "-p"],
)
def test_vmstat_heading_of_the_next_page_is_no_new_run(solaris, read, heading, row, series, first_page):
    """vmstat.c: the heading is printed before the 19th row (in some releases the 20th), and every 19 rows from there."""
    rows = [row.format(number) for number in range(60)]
    pages = [rows[:first_page], rows[first_page : first_page + 19], rows[first_page + 19 :][:19]]
    reading = read(solaris("vmstat"), "".join(heading + "".join(page) for page in pages).encode(), **START)
    assert reading.values(*series) == list(range(first_page + 38))
    assert [s.since_boot for s in reading.of(*series)] == [True] + [False] * (first_page + 37)


def test_vmstat_heading_too_soon_is_a_new_run(solaris, read):
    text = "".join(f"Tue Apr 19 21:1{i}:00 KST 2011\n" + HEADING + ROW.format(1) + ROW.format(2) for i in range(3))
    reading = read(solaris("vmstat"), text.encode(), zone="Asia/Seoul", interval_s=1.0)
    assert [s.since_boot for s in reading.of("vmstat", "id")] == [True, False] * 3
    assert reading.times("vmstat", "id") == [f"2011-04-19 12:1{i}:0{s}" for i in range(3) for s in (0, 1)]


def test_vmstat_runs_one_after_the_other_without_times(solaris, read):
    text = (HEADING + "".join(ROW.format(i) for i in range(3))) * 3
    reading = read(solaris("vmstat"), text.encode(), **START)
    assert [s.since_boot for s in reading.of("vmstat", "id")] == [True, False, False] * 3


def test_vmstat_with_a_time_above_each_row(solaris, read):
    text = f"Tue Apr 19 21:10:00 2011\n{HEADING}{ROW.format(1)}" + "".join(
        f"Tue Apr 19 21:10:0{i} 2011\n{ROW.format(i)}" for i in range(1, 5)
    )
    reading = read(solaris("vmstat"), text.encode(), zone="Asia/Seoul")
    assert [s.since_boot for s in reading.of("vmstat", "id")] == [True] + [False] * 4
    assert reading.times("vmstat", "id") == [f"2011-04-19 12:10:0{i}" for i in range(5)]
    epoch = f"1303247760\n{HEADING}{ROW.format(1)}1303247761\n{ROW.format(2)}"
    assert read(solaris("vmstat"), epoch.encode()).times("vmstat", "id") == [
        "2011-04-19 21:16:00",
        "2011-04-19 21:16:01",
    ]


def test_vmstat_numbers_that_stick_together_are_skipped_with_a_reason(solaris, read):
    stuck = ROW.format(7).replace("1424532 583002", "1424532583002")
    reading = read(solaris("vmstat"), (HEADING + ROW.format(1) + stuck + ROW.format(3)).encode(), **START)
    assert reading.values("vmstat", "id") == [1, 3]
    assert reading.skipped() == {"unreadable_numbers": 1}
    assert reading.ledger.lines.balanced


def test_vmstat_that_ends_within_a_row(solaris, read):
    reading = read(solaris("vmstat"), (HEADING + ROW.format(1) + ROW.format(2)[:50]).encode(), **START)
    assert reading.values("vmstat", "id") == [1]
    assert reading.skipped() == {"truncated": 1}


def test_vmstat_s_twice_with_times(solaris, read):
    one = "        0 swap ins\n  1318405 system calls\n   {0} total name lookups (cache hits {1}%)\n"
    text = "Tue Apr 19 21:10:00 2011\n" + one.format(100, 96) + "Tue Apr 19 21:20:00 2011\n" + one.format(250, 97)
    reading = read(solaris("vmstat_s"), text.encode())
    assert reading.values("counters", "total name lookups") == [100, 250]
    assert reading.values("counters", "cache hits") == [96, 97]
    assert reading.times("counters", "swap ins") == ["2011-04-19 21:10:00", "2011-04-19 21:20:00"]
    assert not any(s.since_boot for samples in reading.samples.values() for s in samples)
    assert solaris("vmstat_s").sniff(text.encode(), "") > 0.9


# -- sar ---------------------------------------------------------------------------------------------------


def naive_sar(text: str) -> Counter[tuple[int, str, str, float]]:
    found: Counter[tuple[int, str, str, float]] = Counter()
    heading: list[str] = []
    second, averaging = 0, False
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] == "SunOS":
            continue
        if words[0] == "Average":
            averaging = True
            continue
        stamp = re.fullmatch(r"(\d\d):(\d\d):(\d\d)", words[0])
        if stamp:
            averaging = False
            second = int(stamp[1]) * 3600 + int(stamp[2]) * 60 + int(stamp[3])
            words = words[1:]
            if not re.search(r"\d", words[-1]) and "/" not in words[0][:1] and not words[-1].replace(".", "").isdigit():
                heading = words
                continue
        if averaging:
            continue
        columns, thing = heading, ""
        if heading[0] == "device":
            columns, thing, words = heading[1:], words[0], words[1:]
        for column, word in zip(columns, words, strict=True):
            for figure in word.split("/"):
                found[second, thing, column, float(figure)] += 1
    return found


def test_sar_of_real_hosts_equals_a_naive_reading(solaris, read, corpus):
    for path in sorted((corpus / "wild/sar-solaris").iterdir()):
        data = path.read_bytes()
        reading = read(solaris("sar"), data)
        found: Counter[tuple[int, str, str, float]] = Counter()
        for key, samples in reading.samples.items():
            for sample in samples:
                found[second_of(sample), dict(key.attributes).get("device", ""), key.native, sample.value] += 1
        assert found == naive_sar(data.decode()), path.name
        assert set(reading.skipped()) == {"average"}
        assert reading.ledger.lines.balanced
        assert reading.ledger.interval_s == 1200
        assert solaris("sar").sniff(data[:65536], path.name) > 0.9


def test_sar_says_whose_it_is(solaris, read, corpus):
    [path] = (corpus / "wild/sar-solaris").glob("*testSolaris*")
    ledger = read(solaris("sar"), path.read_bytes(), zone="Asia/Seoul").ledger
    assert (ledger.tool, ledger.os, ledger.os_version, ledger.hostname) == ("sar", "sunos", "5.10", "the_hostname")
    assert ledger.needs == ()


SAR = "\nSunOS db1 5.10 Generic_125100-05 sun4u    {0}\n\n"


def test_sar_used_and_limit_and_repeated_headings(solaris, read):
    text = SAR.format("08/19/2010") + (
        "00:00:05  proc-sz    ov  inod-sz    ov  file-sz    ov   lock-sz\n"
        "00:20:03  278/16394    0 97608/97609    1 2599/2600    2    0/0\n\n"
        "00:00:05 sml_mem   alloc  fail  lg_mem   alloc  fail  ovsz_alloc  fail\n"
        "00:20:03 318621696 136869895     0 1131732992 623786112     4    61734912     5\n"
    )
    reading = read(solaris("sar"), text.encode())
    assert reading.values("kernel_tables", "proc-sz", state="used") == [278]
    assert reading.values("kernel_tables", "proc-sz", state="limit") == [16394]
    assert reading.values("kernel_tables", "inod-sz", state="limit") == [97609]
    assert reading.values("kernel_tables", "ov", group="inod-sz") == [1]
    assert reading.values("kernel_tables", "ov", group="file-sz") == [2]
    assert reading.values("kernel_memory", "alloc", group="lg_mem") == [623786112]
    assert reading.values("kernel_memory", "fail", group="ovsz_alloc") == [5]
    assert reading.times("kernel_memory", "sml_mem") == ["2010-08-19 00:20:03"]


DEVICES = """00:00:05   device        %busy   avque   r+w/s  blks/s  avwait  avserv

{0}   sd5               1     0.1       2       7     4.0    31.3
           sd5,a             0     0.0       0       0     0.0     0.0
           fp0               2     0.0       0       0     0.0     0.0

{1}   sd5               3     0.1       2       7     4.0    31.3
           10/md200          4     0.0       0       0     0.0     0.0

Average    sd5               2     0.1       2       7     4.0    31.3
           10/md200          4     0.0       0       0     0.0     0.0

"""


def test_sar_devices_carry_on_without_a_time_and_come_later(solaris, read):
    reading = read(solaris("sar"), (SAR.format("08/19/2010") + DEVICES.format("00:20:03", "00:40:03")).encode())
    assert reading.values("device", "%busy", device="sd5") == [1, 3]
    assert reading.times("device", "%busy", device="sd5,a") == ["2010-08-19 00:20:03"]
    assert reading.times("device", "%busy", device="10/md200") == ["2010-08-19 00:40:03"]
    assert reading.values("device", "%busy", device="fp0") == [2]
    assert reading.skipped() == {"average": 2}


def test_sar_words_between_the_rows_are_no_heading(solaris, read):
    text = (
        SAR.format("08/19/2010")
        + "00:00:05 %usr %sys %wio %idle\n00:20:03 1 2 3 94\n   no data here\n00:40:03 2 2 2 94\n"
    )
    reading = read(solaris("sar"), text.encode())
    assert reading.values("cpu", "%usr") == [1, 2]
    assert reading.skipped() == {"message": 1}


def test_sar_restart_in_each_section_is_one_restart(solaris, read):
    section = "{0}\n00:20:00 {1}\n00:40:00 {1}\n05:03:11  unix restarts\n05:20:00 {1}\n05:40:00 {1}\n\nAverage {1}\n\n"
    text = SAR.format("08/19/2010") + section.format("00:00:00 %usr %sys %wio %idle", "1 2 3 94")
    text += section.format("00:00:00 msg/s sema/s", "1.00 2.00")
    reading = read(solaris("sar"), text.encode())
    assert [(e.kind, e.start_ns // 10**9 % 86400) for e in reading.events] == [
        (EventKind.RESTART, 5 * 3600 + 3 * 60 + 11)
    ]
    assert (reading.ledger.restarts, reading.ledger.gaps) == (1, 0)
    assert reading.times("messages", "sema/s") == [f"2010-08-19 {t}:00" for t in ("00:20", "00:40", "05:20", "05:40")]


def test_sar_cells_left_blank(solaris, read):
    """-q prints nothing where there was no queue."""
    text = SAR.format("08/19/2010") + (
        "00:00:05 runq-sz %runocc swpq-sz %swpocc\n"
        "00:20:03     1.2       3\n"
        "00:40:03                     2.0      50\n"
        "01:00:03     1.0       1     3.0      60\n"
    )
    reading = read(solaris("sar"), text.encode())
    assert reading.values("queue", "runq-sz") == [1.2, 1.0]
    assert reading.values("queue", "swpq-sz") == [2, 3]
    assert reading.times("queue", "%swpocc") == ["2010-08-19 00:40:03", "2010-08-19 01:00:03"]
    assert reading.ledger.lines.balanced


def test_sar_live_with_several_headings_at_once(solaris, read):
    text = SAR.format("04/19/2011") + (
        "23:59:50    %usr    %sys    %wio   %idle\n"
        "           device        %busy   avque   r+w/s  blks/s  avwait  avserv\n"
        "          runq-sz %runocc swpq-sz %swpocc\n\n"
        "23:59:55       1       2       3      94\n"
        "           sd0               5     0.1       2       7     4.0    31.3\n"
        "           sd1               6     0.1       2       7     4.0    31.3\n"
        "              1.0       1     0.0       0\n\n"
        "00:00:00       2       2       3      93\n"
        "           sd0               7     0.1       2       7     4.0    31.3\n"
        "           sd1               8     0.1       2       7     4.0    31.3\n"
        "              2.0       1     0.0       0\n"
    )
    reading = read(solaris("sar"), text.encode())
    times = ["2011-04-19 23:59:55", "2011-04-20 00:00:00"]
    assert reading.values("cpu", "%usr") == [1, 2]
    assert reading.values("device", "%busy", device="sd1") == [6, 8]
    assert reading.values("queue", "runq-sz") == [1, 2]
    assert reading.times("cpu", "%usr") == reading.times("queue", "runq-sz") == times
    assert reading.times("device", "%busy", device="sd0") == times
    assert reading.skipped() == {}


def test_sar_of_hpux_and_aix_is_refused(solaris, corpus):
    data = next((corpus / "wild/sar-hpux").iterdir()).read_bytes()
    aix = b"AIX tacora1 2 7 00F93CFF4C00    04/20/20\n\nSystem configuration: lcpu=96 mode=Capped\n\n"
    aix += b"00:00:00    %usr    %sys    %wio   %idle   physc\n00:05:00       1       2       0      97    1.00\n"
    for text in (data, aix):
        assert [solaris(tool).sniff(text[:65536], "sar.txt") for tool in PARSERS] == [0, 0, 0, 0]


# -- all of them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", PARSERS)
def test_sniffing_leaves_other_systems_alone(solaris, corpus, tool):
    own = {"sar-solaris", "iostat-solaris", "vmstat-solaris"}
    for path in sorted(corpus.rglob("*")):
        if path.is_file() and path.parent.parent.name in ("made", "wild"):
            head = path.read_bytes()[:65536]
            certainty = solaris(tool).sniff(head, path.name)
            right = path.parent.name == f"{tool}-solaris"
            assert certainty > 0.9 if right else certainty <= 0.3, (path, certainty)
    assert own


@pytest.mark.parametrize("tool", ["iostat", "vmstat", "sar"])
def test_pieces_of_any_size_give_the_same(solaris, read, corpus, tool):
    for path in (corpus / f"wild/{tool}-solaris").iterdir():
        data = path.read_bytes()[:60000]
        whole = read(solaris(tool), data, **START)
        for piece in (13, 997, 16384):
            part = read(solaris(tool), data, piece=piece, **START)
            assert (part.samples, part.ledger, part.events) == (whole.samples, whole.ledger, whole.events), piece


LINES = [
    *HEADING.encode().splitlines(),
    *ROW.format(3).encode().splitlines(),
    *EXTENDED.format(1).encode().splitlines(),
    *PLAIN.encode().splitlines(),
    *DEVICES.format("00:20:03", "00:40:03").encode().splitlines(),
    SAR.format("08/19/2010").strip().encode(),
    b"00:00:05 runq-sz %runocc swpq-sz %swpocc",
    b"00:20:03     1.2       3",
    b"05:03:11  unix restarts",
    b"Average 1 2",
    b"Tue Apr 19 21:16:01 2011",
    b"1303247761",
    b"root@db1 # vmstat 3",
    b"0 0 0 3018824   906752   0",
    b"182   0    0 100",
    b"cs    us  sy  id",
    b"\xff\xfe\0\x80",
    b"",
    b"0 swap ins",
    b"r b w   swap     free   re  mf  pi po fr de sr s1 s2 s3 -- in   sy",
    b"126424 total name lookups (cache hits 96%)",
    "부팅 후부터".encode(),
    b"SunOS db1 5.10 Generic sun4u 13/45/2010",
    b"%",
    b",",
    b"device,",
    b"-",
    b"cpu",
    b"tty cpu",
]


@settings(max_examples=120)
@given(st.sampled_from(sorted(PARSERS)), st.lists(st.sampled_from(LINES), max_size=30), st.integers(1, 60))
def test_any_mixture_of_lines_is_accounted_for(tool, lines, piece):
    parser = load_parser("solaris_stat", PARSERS[tool])
    data = b"\n".join(lines)
    whole, part = read_capture(parser, data), read_capture(parser, data, piece=piece)
    assert whole.ledger.lines.balanced
    assert (whole.samples, whole.ledger, whole.events) == (part.samples, part.ledger, part.events)
