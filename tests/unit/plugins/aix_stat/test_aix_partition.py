"""lparstat, mpstat, svmon and lsps: figures typed from the fixtures, rows since boot, facts of the partition."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.sdk import ParseContext

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "aix"
LPARSTAT = load_parser("aix_stat", "lparstat:LparstatParser")
MPSTAT = load_parser("aix_stat", "mpstat:MpstatParser")
SVMON = load_parser("aix_stat", "svmon:SvmonParser")
LSPS = load_parser("aix_stat", "lsps:LspsParser")
START: dict[str, Any] = {"start": datetime(2026, 1, 1), "interval_s": 5.0}
ONCE: dict[str, Any] = {"start": datetime(2026, 1, 1)}


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def facts_of(parser_class, data: bytes) -> dict[tuple[str, str], str]:
    parser = parser_class(ParseContext())
    list(parser.feed(data))
    list(parser.finish())
    return {(fact.section, fact.name): fact.value for fact in parser.facts()}


def test_figures_wider_than_their_columns():
    reading = read_capture(LPARSTAT, fixture("lparstat_app.txt"), **START)
    assert reading.values("lpar", "vcsw") == [919, 6133902387]
    assert reading.values("lpar", "phint") == [0, 210796057]
    assert reading.values("lpar", "%nsp") == [101, 101]
    assert reading.values("lpar", "%utcyc") == [1.39, 1.21]
    assert reading.values("lpar", "app") == [45.26, 44.90]
    assert [row.since_boot for row in reading.of("lpar", "physc")] == [False, False]
    assert facts_of(LPARSTAT, fixture("lparstat_app.txt"))["cpu", "psize"] == "60"


def test_a_single_row_without_an_interval_is_since_boot():
    reading = read_capture(LPARSTAT, fixture("lparstat_once.txt"), **ONCE)
    assert [(row.value, row.since_boot) for row in reading.of("lpar", "vcsw")] == [(9482541321, True)]
    assert reading.ledger.warnings == ("since_boot_only",)
    with_interval = read_capture(LPARSTAT, fixture("lparstat_once.txt"), **START)
    assert [row.since_boot for row in with_interval.of("lpar", "vcsw")] == [False]


def test_a_donating_partition_has_fewer_columns():
    reading = read_capture(LPARSTAT, fixture("lparstat_dedicated.txt"), **START)
    assert reading.values("lpar", "vcsw") == [56065, 412]
    assert sorted(key.native for key in reading.samples) == ["%idle", "%sys", "%user", "%wait", "physc", "vcsw"]


def test_memory_statistics_leave_out_what_is_not_there():
    text = """System configuration: lcpu=4 mem=7936MB mpsz=0.00GB iome=7936.00MB iomp=16 ent=0.20

physb   hpi  hpit  pmem  iomin   iomu   iomf  iohwm iomaf %entc  vcsw
----- ----- ----- ----- ------ ------ ------ ------ ----- ----- -----
 0.63     0     0  7.75   46.8   -     -     -       0   4.1 1249045057
"""
    reading = read_capture(LPARSTAT, text.encode(), **START)
    assert reading.values("memory", "pmem") == [7.75]
    assert reading.values("memory", "iohwm") == []
    assert reading.values("memory", "vcsw") == [1249045057]


def test_what_the_partition_is():
    data = fixture("lparstat_i.txt")
    facts = facts_of(LPARSTAT, data)
    assert LPARSTAT.sniff(data, "lparstat_i.txt") > 0.9
    assert facts["cpu", "Entitled Capacity"] == "0.30"
    assert facts["cpu", "Online Memory"] == "12288 MB"
    assert facts["cpu", "Type"] == "Shared-SMT-4"
    assert ("cpu", "Unallocated Capacity") not in facts
    reading = read_capture(LPARSTAT, data)
    assert (reading.ledger.hostname, reading.ledger.variant, reading.ledger.needs) == ("nodeDemo1", "-i", ())
    assert reading.ledger.lines.data == 14


def test_processors_with_their_unused_share_and_the_whole():
    reading = read_capture(MPSTAT, fixture("mpstat.txt"), **START)
    assert reading.values("cpu", "sysc", cpu="0") == [1434, 1500]
    assert reading.values("cpu", "pc", cpu="U") == [0.99, 0.97]
    assert reading.values("cpu", "cs", cpu="all") == [341, 344]
    assert reading.values("cpu", "lpa", cpu="1") == []
    assert reading.values("cpu", "us", cpu="U") == []
    assert reading.times("cpu", "id", cpu="1") == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]
    assert not any(row.since_boot for rows in reading.samples.values() for row in rows)
    assert reading.ledger.lines.data == 8


def test_one_block_without_an_interval_is_since_boot():
    reading = read_capture(MPSTAT, fixture("mpstat_once.txt"), **ONCE)
    assert reading.values("cpu", "sysc", cpu="all") == [10259260740]
    assert all(row.since_boot for rows in reading.samples.values() for row in rows)
    assert "since_boot_only" in reading.ledger.warnings


@pytest.mark.parametrize(
    "heading",
    [
        "cpu    cs   ics bound   rq  push S3pull S3grd  S0rd  S1rd  S2rd  S3rd  S4rd  S5rd  ilcs  vlcs",
        "cpu mpcs mpcr    dev   soft    dec     ph",
        "cpu    pc   ilcs   vlcs",
    ],
)
def test_the_other_reports_by_their_headings(heading):
    names = heading.split()[1:]
    rows = [
        " ".join([cpu.rjust(3), *(f"{index + shift}.5" for index in range(len(names)))])
        for cpu, shift in (("0", 0), ("1", 100), ("ALL", 200))
    ]
    data = "\n".join(["System configuration: lcpu=2 ent=0.2 mode=Uncapped", "", heading, *rows, ""]).encode()
    assert MPSTAT.sniff(data, "mpstat.txt") > 0.9
    reading = read_capture(MPSTAT, data, **START)
    for index, name in enumerate(names):
        assert reading.values("cpu", name, cpu="1") == [index + 100.5]
        assert reading.values("cpu", name, cpu="all") == [index + 200.5]


def test_threads_of_a_core():
    reading = read_capture(MPSTAT, fixture("mpstat_s.txt"), **START)
    assert reading.values("smt", "%", cpu="Proc0") == [49.63, 20.0]
    assert reading.values("smt", "%", cpu="cpu3") == [46.49, 15.0]
    assert reading.times("smt", "%", cpu="cpu0") == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]


def test_the_mpstat_of_others_is_not_claimed():
    linux = b"10:26:54     CPU   %user   %nice %system %iowait    %irq   %soft   %idle    intr/s\n"
    solaris = b"CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n"
    assert MPSTAT.sniff(linux, "") == MPSTAT.sniff(solaris, "") == 0


def test_memory_by_kind_in_rounds():
    stamps = [b"@tunebench at 2026-11-21T02:48:%02dZ\n" % second for second in (0, 30)]
    data = stamps[0] + fixture("svmon_G.txt") + stamps[1] + fixture("svmon_G.txt").replace(b"   8836", b"   9000")
    assert SVMON.sniff(data, "svmon.txt") > 0.9
    reading = read_capture(SVMON, data)
    assert reading.values("memory", "memory free") == [8836, 9000]
    assert reading.values("memory", "pg space inuse") == [2574, 2574]
    assert reading.values("memory", "pin other") == [34592, 34592]
    assert reading.values("memory", "in use clnt") == [564747, 564747]
    assert reading.values("page_size", "pgsp", group="64 KB") == [0, 0]
    assert reading.values("page_size", "inuse", group="4 KB") == [666956, 666956]
    assert reading.values("page_size", "PoolSize", group="4 KB") == []
    assert reading.times("memory", "memory inuse") == ["2026-11-21 02:48:00", "2026-11-21 02:48:30"]
    assert facts_of(SVMON, data) == {("memory", "mmode"): "Ded"}


def test_paging_spaces():
    data = b"@tunebench at 2026-11-21T02:48:00Z\n" + fixture("lsps_a.txt")
    reading = read_capture(LSPS, data)
    assert reading.values("paging_space", "Size", device="hd6") == [8192]
    assert reading.values("paging_space", "Size", device="paging00") == [4096]
    assert reading.values("paging_space", "%Used", device="paging00") == [12]
    total = read_capture(LSPS, b"Total Paging Space   Percent Used\n      30528MB               1%\n", **ONCE)
    assert total.values("paging_space", "Size", device="total") == [30528]


def test_single_reports_in_a_loop_are_each_since_boot():
    for parser_class, name, table, native, attributes in (
        (LPARSTAT, "lparstat_once.txt", "lpar", "physc", {}),
        (MPSTAT, "mpstat_once.txt", "cpu", "pc", {"cpu": "all"}),
    ):
        dates = [f"Tue Apr 19 21:{minute}:00 KST 2011\n".encode() for minute in (10, 20)]
        data = b"".join(stamp + fixture(name) for stamp in dates)
        reading = read_capture(parser_class, data)
        rows = reading.of(table, native, **attributes)
        assert [row.since_boot for row in rows] == [True, True]
        assert reading.times(table, native, **attributes) == ["2011-04-19 12:10:00", "2011-04-19 12:20:00"]
