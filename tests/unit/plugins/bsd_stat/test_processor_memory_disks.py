"""vmstat, iostat and gstat of the BSDs and macOS."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS, ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "bsd"


@pytest.fixture
def parse(load, read):
    def parse(entry: str, data: bytes | str, **context):
        if isinstance(data, str):
            data = (FIXTURES / data).read_bytes()
        return read(load("bsd_stat", entry), data, **context)

    return parse


# -- vmstat --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "disks"), [("freebsd", ("ad0", "da0")), ("netbsd", ("w0", "c0")), ("openbsd", ("wd0", "cd0"))]
)
def test_vmstat_of_the_corpus(parse, load, system, disks):
    paths = list((CORPUS / "wild" / "vmstat-bsd").glob(f"*{system}_001_vmstat"))
    if not paths:
        pytest.skip("the corpus is not beside the project")
    data = paths[0].read_bytes()
    found = parse("vmstat:VmstatParser", data, interval_s=1.0)
    rows = [[float(cell) for cell in line.split()] for line in data.decode().splitlines()[2:] if line.strip()]
    assert found.ledger.os == system
    assert (found.ledger.lines.data, found.ledger.lines.header) == (len(rows), 2)
    assert found.values("vmstat", "fre") == [row[4] for row in rows]
    assert found.values("vmstat", "disk", device=disks[1]) == [row[12] for row in rows]
    assert found.values("vmstat", "id") == [row[-1] for row in rows]
    assert [sample.since_boot for sample in found.of("vmstat", "r")] == [True, *[False] * (len(rows) - 1)]
    assert load("bsd_stat", "vmstat:VmstatParser").sniff(data, "vmstat") > 0.9


def test_the_two_sy_are_calls_and_processor_time(parse):
    found = parse("vmstat:VmstatParser", "vmstat-freebsd.txt")
    assert found.values("vmstat", "sy", group="faults") == [292.0, 9120.0, 12044.0]
    assert found.values("vmstat", "sy", group="cpu") == [0.0, 9.0, 17.0]


def test_sizes_for_people_become_kilobytes(parse):
    found = parse("vmstat:VmstatParser", "vmstat-freebsd.txt")
    assert found.values("vmstat", "avm") == [514 * 1024, 514 * 1024, 530 * 1024]
    assert found.values("vmstat", "fre") == pytest.approx([1.9 * 1024**2, 1.9 * 1024**2, 812 * 1024])


def test_openbsd_counts_sleepers_and_spells_its_own_headings(parse):
    found = parse("vmstat:VmstatParser", "vmstat-openbsd.txt")
    assert found.values("vmstat", "s") == [91.0, 91.0]
    assert found.values("vmstat", "sys") == [166.0, 5120.0]
    assert found.values("vmstat", "int") == [8.0, 95.0]
    assert found.values("vmstat", "disk", device="sd0") == [1.0, 44.0]


def test_each_round_of_a_loop_begins_with_an_average_since_boot(parse):
    found = parse("vmstat:VmstatParser", "vmstat-loop.txt", interval_s=1.0, piece=5)
    assert [sample.since_boot for sample in found.of("vmstat", "r")] == [True, False, True, False]
    assert found.times("vmstat", "r") == [
        "2026-11-21 02:48:00",
        "2026-11-21 02:48:01",
        "2026-11-21 02:49:00",
        "2026-11-21 02:49:01",
    ]


def test_a_heading_of_the_next_page_is_no_new_run(parse):
    lines = (FIXTURES / "vmstat-loop.txt").read_bytes().splitlines(keepends=True)
    page = lines[1] + lines[2] + lines[4] * 20
    found = parse("vmstat:VmstatParser", page + page, interval_s=1.0)
    assert sum(sample.since_boot for sample in found.of("vmstat", "r")) == 1


@pytest.mark.parametrize(
    "heading",
    [
        b" r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n",  # AIX
        b"         r     b     w      avm    free   re   at    pi   po    fr   de    sr     in     sy    cs  us sy id\n",
        b" r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id\n",  # Solaris
        b" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",  # Linux
    ],
)
def test_vmstat_of_others_is_left_alone(load, heading):
    assert load("bsd_stat", "vmstat:VmstatParser").sniff(heading + b" 1 0 0 1 2 3\n", "vmstat") == 0.0


# -- iostat --------------------------------------------------------------------------------------------


def test_extended_statistics(parse):
    found = parse("iostat:IostatParser", "iostat-x-freebsd.txt", interval_s=1.0, piece=9)
    assert found.ledger.lines.balanced
    assert (found.ledger.os, found.ledger.variant) == ("freebsd", "-x")
    assert (found.ledger.lines.data, found.ledger.lines.header) == (6, 4)
    assert found.values("device", "kr/s", device="ada0") == [0.2, 10543.8]
    assert found.values("device", "ms/w", device="ada0") == [3.0, 9.0]
    assert found.values("device", "%b", device="ada1") == [0.0, 0.0]
    assert [sample.since_boot for sample in found.of("device", "qlen", device="pass0")] == [True, False]


def test_older_extended_columns_are_taken_by_name(parse):
    text = b"                        extended device statistics\n"
    text += (
        b"device     r/s   w/s    kr/s    kw/s qlen svc_t  %b\nad0        2.0  33.0    12.1   901.2    3   7.1  19\n"
    )
    found = parse("iostat:IostatParser", text)
    assert found.values("device", "svc_t", device="ad0") == [7.1]
    assert found.values("device", "qlen", device="ad0") == [3.0]


def test_terminal_and_processor_beside_the_first_device(parse):
    text = b"                        extended device statistics             tty         cpu\n"
    text += b"device     r/s   w/s    kr/s    kw/s qlen svc_t  %b  tin tout us ni sy in id\n"
    text += b"ad0        2.0  33.0    12.1   901.2    3   7.1  19    0   11  4  0  2  0 94\n"
    text += b"ad1        0.0   0.0     0.0     0.0    0   0.0   0\n"
    found = parse("iostat:IostatParser", text)
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.ledger.lines.header) == (2, 2)
    assert found.values("system", "id") == [94.0]
    assert found.values("device", "kw/s", device="ad1") == [0.0]


def test_columns_of_each_disk(parse):
    found = parse("iostat:IostatParser", "iostat-freebsd.txt", interval_s=2.0)
    assert found.ledger.lines.balanced
    assert found.values("disk", "tps", device="ada0") == [3.0, 492.0, 2.0]
    assert found.values("disk", "KB/t", device="ada1") == [0.0, 64.0, 0.0]
    assert found.values("system", "in") == [0.0, 1.0, 0.0]
    assert found.values("system", "tout") == [12.0, 231.0, 77.0]
    assert [sample.since_boot for sample in found.of("disk", "MB/s", device="ada0")] == [True, False, False]


def test_macos_prints_the_load_beside_three_disks(parse):
    found = parse("iostat:IostatParser", "iostat-macos.txt")
    assert found.ledger.os == "darwin"
    assert found.values("disk", "KB/t", device="disk5") == [1017.11, 0.0, 0.0]
    assert found.values("system", "15m") == [2.18, 2.18, 2.17]
    assert found.values("system", "id") == [86.0, 92.0, 91.0]


def test_iostat_with_amounts_of_the_interval(load, read):
    """Headings as usr.sbin/iostat/iostat.c of FreeBSD prints them with -I and -x; the first block is since boot."""
    heading = (
        "                        extended device statistics  \n"
        "device           r/i         w/i         kr/i         kw/i qlen   tsvc_t/i      sb/i  \n"
    )
    rows = (
        "ada0      152107298.0 125540885.0 5735055021.5 2229765260.0    0  1553713.6  533244.6 \n",
        "ada0           50.0       100.0        800.0       2000.0    1        0.3       0.5 \n",
    )
    parser = load("bsd_stat", "iostat:IostatParser")
    text = "".join(heading + row for row in rows).encode()
    assert parser.sniff(text, "iostat.txt") > 0.8
    found = read(parser, text)
    assert found.values("device", "r/i", device="ada0") == [152107298.0, 50.0]
    assert found.values("device", "tsvc_t/i", device="ada0") == [1553713.6, 0.3]
    assert found.values("device", "sb/i", device="ada0") == [533244.6, 0.5]
    assert [sample.since_boot for sample in found.of("device", "kw/i", device="ada0")] == [True, False]
    assert found.ledger.os == "freebsd" and found.ledger.lines.data == 2 and found.skipped() == {}


def test_iostat_of_others_is_left_alone(load):
    sniff = load("bsd_stat", "iostat:IostatParser").sniff
    solaris = b"device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b\nsd0 1 2 3 4 5 6 7 8 9\n"
    assert sniff(solaris, "iostat.txt") == 0.0
    assert sniff(b"tty:      tin         tout    avg-cpu: % user % sys % idle % iowait\n", "iostat.txt") == 0.0


# -- gstat ---------------------------------------------------------------------------------------------


def test_gstat_in_a_loop(parse):
    found = parse("gstat:GstatParser", "gstat-loop.txt", piece=3)
    assert found.ledger.lines.balanced
    assert found.values("provider", "%busy", device="ada0") == [111.8, 2.1]
    assert found.values("provider", "kBps", device="ada0", direction="read") == [36079.0, 32.0]
    assert found.values("provider", "kBps", device="ada1", direction="write") == [1474.0, 0.0]
    assert found.values("provider", "L(q)", device="gpt/my disk") == [0.0, 0.0]
    assert found.times("provider", "ops/s", device="ada0") == ["2026-11-21 02:48:00", "2026-11-21 02:48:10"]
    assert not any(sample.since_boot for sample in found.of("provider", "ops/s", device="ada0"))


def test_gstat_with_deletes_tells_its_own_interval(parse):
    found = parse("gstat:GstatParser", "gstat-d-mailed.txt")
    assert found.values("provider", "kBps", device="ada0", direction="discard") == [2048.0, 0.0]
    assert found.values("provider", "ms/d", device="ada0") == [1.5, 0.0]
    first, second = (sample.time_ns for sample in found.of("provider", "d/s", device="ada0"))
    assert second - first == 3 * 10**9
    assert found.ledger.needs == ("start",)
