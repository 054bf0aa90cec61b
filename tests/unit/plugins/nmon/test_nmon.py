"""nmon: values typed from the text, or read by cutting the lines at their commas."""

from __future__ import annotations

import codecs
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.sdk.testkit_runs import context_for, parse

FIXTURES = ROOT / "tests" / "fixtures" / "nmon"
AIX = (FIXTURES / "aix.nmon").read_bytes()
LINUX = (FIXTURES / "linux.nmon").read_bytes()
WILD = CORPUS / "wild" / "nmon"
SNAPSHOT_KINDS = {"AAA", "ZZZZ", "UARG"}


@pytest.fixture
def nmon(load):
    return load("nmon", "nmon:NmonParser")


@pytest.fixture
def take(nmon, read):
    return lambda data, **context: read(nmon, data, **{"zone": "Asia/Seoul"} | context)


def facts_of(parser, data: bytes) -> dict[tuple[str, str], str]:
    outcome = parse(parser, context_for(Path("x.nmon")), data)
    return {(fact.section, fact.name): fact.value for fact in outcome.facts}


def rows_of(text: bytes, section: str) -> list[list[str]]:
    """The rows of a section, cut at the commas: an independent reading."""
    lines = text.decode("utf-8", "replace").splitlines()
    cells = [line.split(",") for line in lines if line.startswith(f"{section},T")]
    return [row for row in cells if row[1][1:].isdigit()]


# -- values and names --------------------------------------------------------------------------------


def test_the_ledger_knows_host_system_and_version(take):
    ledger = take(AIX).ledger
    assert (ledger.tool, ledger.tool_version, ledger.variant) == ("nmon", "TOPAS-NMON", "topas_nmon")
    assert (ledger.os, ledger.os_version, ledger.hostname, ledger.interval_s) == ("aix", "7.1.3.30", "db1", 10.0)
    assert ledger.lines.balanced
    linux = take(LINUX).ledger
    assert (linux.os, linux.os_version, linux.tool_version, linux.hostname) == (
        "linux",
        "6.1.0-13-amd64",
        "16n",
        "dbtest01",
    )


def test_processors_are_one_table_and_an_empty_busy_is_missing(take):
    reading = take(AIX)
    assert reading.values("CPU", "User%", cpu="1") == [21.5, 22.5, 23.5]
    assert reading.values("CPU", "User%", cpu="2") == [31.5, 32.5, 33.5]
    assert reading.values("CPU", "Idle%", cpu="all") == [62.0, 61.0, 60.0]
    assert reading.values("CPU", "Busy", cpu="all") == []
    assert reading.values("CPU", "PhysicalCPUs", cpu="all") == [2.0, 2.0, 2.0]
    assert reading.of("CPU", "User%", cpu="1")[0].line == next(
        number for number, line in enumerate(AIX.splitlines(), 1) if line.startswith(b"CPU01,T0001")
    )


def test_times_pass_midnight_in_the_hosts_zone(take):
    reading = take(AIX)
    assert reading.times("CPU", "User%", cpu="all") == [
        "2015-12-31 14:59:45",
        "2015-12-31 14:59:55",
        "2015-12-31 15:00:05",
    ]


@pytest.mark.parametrize("section", ["DISKBUSY", "DISKREAD", "DISKXFER", "DISKRXFER", "DISKSERV"])
def test_split_sections_are_one_table(take, section):
    reading = take(AIX)
    first, second = rows_of(AIX, section), rows_of(AIX, f"{section}1")
    for disk in range(8):
        rows, column = (first, disk) if disk < 4 else (second, disk - 4)
        expected = [float(row[2 + column]) for row in rows]
        assert reading.values(section, section, device=f"hdisk{disk}") == expected
    assert {key.table for key in reading.samples if key.table.startswith(section)} == {section}


def test_interfaces_adapters_and_file_systems_are_named_in_the_headings(take):
    reading = take(AIX)
    assert reading.values("NET", "write-KB/s", interface="en1") == [6.1, 6.2, 6.3]
    assert reading.values("NETPACKET", "reads/s", interface="lo0") == [0.3, 0.3, 0.3]
    assert reading.values("NETERROR", "collisions", interface="en1") == [0.0, 0.0, 0.0]
    assert reading.values("IOADAPT", "read-KB/s", device="fcs0") == [279.1, 279.2, 279.3]
    assert reading.values("SEA", "read-KB/s", interface="ent5") == [100.1, 100.2, 100.3]
    assert reading.values("FCREAD", "FCREAD", device="fcs1") == [12.0, 12.0, 12.0]
    assert reading.values("JFSFILE", "JFSFILE", mountpoint="/usr") == [64.1, 64.2, 64.3]
    assert reading.values("PAGING", "PAGING", device="hd6") == [8120.0] * 3
    assert reading.values("MEMUSE", "lruable pages") == [10609280.0] * 3
    assert reading.values("LPAR", "PhysicalCPU") == [1.157, 1.257, 1.357]


def test_linux_names_interfaces_with_hyphens_and_doubles_commas_in_a_heading(take):
    text = (
        b"AAA,progname,nmon\nAAA,OS,Linux,4.1.3,x,x86_64\nAAA,host,app\n"
        b"NETPACKET,Network Packets app,virbr1-nic-read/s,,lo-read/s,,virbr1-nic-write/s,,lo-write/s,,\n"
        b"NET,Network I/O app,virbr1-nic-read-KB/s,lo-read-KB/s,virbr1-nic-write-KB/s,lo-write-KB/s,\n"
        b"ZZZZ,T0001,10:24:26,18-AUG-2015\n"
        b"NETPACKET,T0001,1.0,2.0,3.0,4.0\nNET,T0001,5.0,6.0,7.0,8.0\n"
    )
    reading = take(text)
    assert reading.values("NETPACKET", "read/s", interface="lo") == [2.0]
    assert reading.values("NETPACKET", "write/s", interface="virbr1-nic") == [3.0]
    assert reading.values("NET", "write-KB/s", interface="virbr1-nic") == [7.0]
    assert reading.ledger.warnings == ()


def test_what_linux_does_not_tell_is_missing_and_not_minus_one(take):
    reading = take(LINUX)
    assert b"MEM,T0001,24105.6,-0.0,-0.0,0.0,21041.5" in LINUX
    assert reading.values("MEM", "hightotal") == []
    assert reading.values("MEM", "bigfree") == []
    assert reading.values("MEM", "swaptotal") == [0.0] * 4
    assert reading.values("MEM", "memtotal") == [24105.6] * 4
    assert reading.values("PROC", "syscall") == []
    assert reading.values("PROC", "Runnable") == [float(row[2]) for row in rows_of(LINUX, "PROC")]


def test_processes_have_series_and_their_command_lines_are_facts(take, nmon):
    reading = take(AIX)
    assert reading.values("TOP", "%CPU", process="j2pg[2555992]") == [9.64, 9.64]
    assert reading.values("TOP", "%Sys", process="<defunct Zombie>[32571428]") == [0.52, 0.53]
    assert reading.times("TOP", "%CPU", process="j2pg[2555992]")[0] == "2015-12-31 14:59:55"
    facts = facts_of(nmon, LINUX)
    assert facts["processes", "batch[26098]"] == "/opt/batch/run --mode full,quick --input orders.csv"


def test_processes_are_bounded(take):
    head = AIX[: AIX.index(b"ZZZZ,")]
    rows = b"".join(b"TOP,%d,T0001,1.0,1.0,0.0,1,5,0,5,0,0,0,sh,Unclassified\n" % pid for pid in range(1, 1501))
    reading = take(head + b"ZZZZ,T0001,10:00:00,01-JAN-2016\n" + rows)
    assert len({key.attributes for key in reading.samples if key.table == "TOP"}) == 1000
    assert reading.skipped() == {"nmon_process_limit": 500}
    assert reading.ledger.lines.balanced


def test_configuration_becomes_facts(nmon):
    facts = facts_of(nmon, AIX)
    assert facts["nmon", "AIX"] == "7.1.3.30"
    assert facts["nmon", "cpus"] == "8,2"
    assert facts["lpar", "Entitled Capacity"] == "1.3"
    assert facts["volume groups", "rootvg PP SIZE"] == "64 megabyte(s)"
    assert facts["disk layout", "hdisk0 hd2"] == "57 57 00..00..57..00..00 /usr"
    assert facts["network interfaces", "en1"] == "MTU 1500, Mbits 10240, Name Standard Ethernet Network Interface"
    assert facts["disk adapters", "fcs0"].endswith("Description Virtual Fibre Channel Client Adapter")
    assert facts["lsconf", "System Model"] == "IBM,8205-E6C"
    assert facts["volatile", "uptime line"].startswith("11:59PM up 35 days, 17:53")
    linux = facts_of(nmon, LINUX)
    assert linux["lscpu", "Architecture"] == "x86_64"
    assert linux["/etc/release", "PRETTY_NAME"] == "Debian GNU/Linux 12 (bookworm)"
    assert linux["nmon", "cpus"] == "2"


def test_facts_are_bounded(take, nmon):
    many = b"".join(b'BBBP,%03d,lsattr,"attribute%d: value %d"\n' % (n, n, n) for n in range(6000))
    assert len(facts_of(nmon, AIX + many)) == 4000
    assert take(AIX + many).ledger.warnings == ("nmon_facts_limited",)


def test_an_unknown_section_is_kept_under_its_own_names(take):
    text = AIX.replace(b"TOP,%CPU", b"XNEWSEC,A section of tomorrow db1,gizmos/s,widgets\nTOP,%CPU", 1)
    text += b"XNEWSEC,T0003,3.25,7\n"
    reading = take(text)
    assert reading.values("XNEWSEC", "gizmos/s") == [3.25]
    assert reading.values("XNEWSEC", "widgets") == [7.0]


# -- traps -------------------------------------------------------------------------------------------


def as_samples(reading):
    return {key: [(s.time_ns, s.value) for s in samples] for key, samples in reading.samples.items() if samples}


@pytest.mark.parametrize("text", [AIX, LINUX], ids=["aix", "linux"])
def test_a_sorted_file_is_the_same_series(take, text):
    straight = take(text)
    in_order = take(b"\n".join(sorted(text.rstrip(b"\n").split(b"\n"))) + b"\n")
    assert as_samples(in_order) == as_samples(straight)
    assert in_order.ledger.lines.balanced
    assert in_order.skipped() == {}
    assert in_order.ledger.warnings == straight.ledger.warnings


def test_a_long_sorted_file_is_held_deflated(take, load, monkeypatch):
    module = sys.modules[load("nmon", "nmon:NmonParser").__module__]
    monkeypatch.setattr(module, "_PLAIN_ROWS", 10)
    test_a_sorted_file_is_the_same_series(take, AIX)
    monkeypatch.setattr(sys.modules[module.HeldRows.__module__], "_PLAIN_BYTES", 200)
    test_a_sorted_file_is_the_same_series(take, AIX)


def test_a_sorted_file_that_is_too_long_gets_times_from_start_and_interval(take, load, monkeypatch):
    module = sys.modules[load("nmon", "nmon:NmonParser").__module__]
    monkeypatch.setattr(module, "_PLAIN_ROWS", 10)
    monkeypatch.setattr(sys.modules[module.HeldRows.__module__], "MOST_BYTES", 500)
    reading = take(b"\n".join(sorted(AIX.rstrip(b"\n").split(b"\n"))) + b"\n")
    assert {"nmon_too_long_sorted", "nmon_times_worked_out"} <= set(reading.ledger.warnings)
    assert reading.times("CPU", "User%", cpu="1") == [
        "2015-12-31 14:59:35",
        "2015-12-31 14:59:45",
        "2015-12-31 14:59:55",
    ]
    assert reading.ledger.lines.balanced


def test_a_snapshots_time_may_follow_its_rows(take):
    blocks = AIX.split(b"ZZZZ,")
    later = blocks[0]
    for block in blocks[1:]:
        stamp, _, rows = block.partition(b"\n")
        later += rows + b"ZZZZ," + stamp + b"\n"
    assert as_samples(take(later)) == as_samples(take(AIX))


def test_a_missing_time_is_worked_out_between_its_neighbours(take):
    reading = take(AIX.replace(b"ZZZZ,T0002,23:59:55,31-DEC-2015\n", b""))
    assert reading.times("CPU", "User%", cpu="all") == [
        "2015-12-31 14:59:45",
        "2015-12-31 14:59:55",
        "2015-12-31 15:00:05",
    ]
    assert reading.ledger.warnings == ("nmon_times_worked_out",)


def test_without_any_snapshot_line_times_count_from_the_beginning(take):
    text = b"\n".join(line for line in AIX.splitlines() if not line.startswith(b"ZZZZ")) + b"\n"
    reading = take(text)
    assert reading.times("MEM", "Real Free %") == ["2015-12-31 14:59:35", "2015-12-31 14:59:45", "2015-12-31 14:59:55"]
    assert ("start", "banner") in [(one.subject, one.source) for one in reading.ledger.assumptions]


def test_snapshots_above_9999(take):
    text = AIX.replace(b"T0001", b"T9999").replace(b"T0002", b"T10000").replace(b"T0003", b"T10001")
    assert as_samples(take(text)) == as_samples(take(AIX))
    in_order = take(b"\n".join(sorted(text.rstrip(b"\n").split(b"\n"))) + b"\n")
    assert sorted(in_order.values("CPU", "User%", cpu="1")) == [21.5, 22.5, 23.5]
    assert [s.value for s in sorted(in_order.of("CPU", "User%", cpu="1"), key=lambda s: s.time_ns)] == [
        21.5,
        22.5,
        23.5,
    ]


def test_a_heading_that_changes_later_is_valid_for_the_rows_below_it(take):
    place = AIX.index(b"ZZZZ,T0003")
    grown = AIX[place:].replace(b"JFSFILE,T0003,39.4,10.4,64.3", b"JFSFILE,T0003,39.4,77.7,10.4,64.3")
    text = AIX[:place] + b"JFSFILE,JFS Filespace %Used db1,/,/new,/home,/usr\n" + grown
    reading = take(text)
    assert reading.values("JFSFILE", "JFSFILE", mountpoint="/usr") == [64.1, 64.2, 64.3]
    assert reading.values("JFSFILE", "JFSFILE", mountpoint="/new") == [77.7]


def test_more_cells_than_headings_are_kept_by_their_number(take):
    reading = take(AIX.replace(b"JFSINODE,T0002,13.0,0.2,15.1", b"JFSINODE,T0002,13.0,0.2,15.1,99.5"))
    assert reading.values("JFSINODE", "column 4") == [99.5]
    assert reading.ledger.warnings == ("nmon_more_cells",)


def test_text_in_a_numbers_place_is_missing_and_told(take):
    reading = take(AIX.replace(b"NETSIZE,T0002,74.8,", b"NETSIZE,T0002,oops,"))
    assert reading.values("NETSIZE", "readsize", interface="en1") == [74.8, 74.8]
    assert reading.ledger.warnings == ("nmon_text_cells",)
    gone = take(AIX.replace(b"PAGING,T0002,8120", b"PAGING,T0002,full"))
    assert gone.skipped() == {"unreadable_numbers": 1}
    assert gone.ledger.lines.balanced


def test_the_last_line_without_an_end_is_cut_off(take):
    reading = take(AIX[:-40])
    assert reading.skipped() == {"truncated": 1}
    assert reading.values("TOP", "%CPU", process="<defunct Zombie>[32571428]") == [1.98]


def test_two_files_in_one_have_their_own_snapshots(take):
    second = (
        AIX.replace(b"31-DEC-2015", b"02-FEB-2016")
        .replace(b"01-JAN-2016", b"03-FEB-2016")
        .replace(b"hdisk7", b"hdisk9")
    )
    reading = take(AIX + second)
    assert reading.times("MEM", "Real Free %") == [
        "2015-12-31 14:59:45",
        "2015-12-31 14:59:55",
        "2015-12-31 15:00:05",
        "2016-02-02 14:59:45",
        "2016-02-02 14:59:55",
        "2016-02-02 15:00:05",
    ]
    assert len(reading.values("DISKBUSY", "DISKBUSY", device="hdisk7")) == 3
    assert len(reading.values("DISKBUSY", "DISKBUSY", device="hdisk9")) == 3
    other = take(AIX + second.replace(b"AAA,host,db1", b"AAA,host,db2"))
    assert "several_hosts" in other.ledger.warnings


@pytest.mark.parametrize(
    ("text", "locale"),
    [("31-DEZ-2015", "de"), ("31-DÉC-2015", ""), ("31-12월-2015", "ko"), ("31-dic-2015", ""), ("31-12-2015", "")],
)
def test_months_in_other_languages(take, text, locale):
    reading = take(AIX.replace(b"31-DEC-2015", text.encode()))
    assert reading.times("MEM", "Real Free %")[0] == "2015-12-31 14:59:45"
    assert reading.ledger.locale == locale


def test_an_unknown_month_counts_on_from_the_files_date(take):
    reading = take(AIX.replace(b"45,31-DEC-2015", b"45,31-QQQ-2015"))
    assert reading.times("MEM", "Real Free %")[0] == "2015-12-31 14:59:45"
    assert reading.ledger.warnings == ("nmon_date_unknown",)


def test_a_point_in_the_time_of_day_and_no_date(take):
    text = AIX.replace(b",31-DEC-2015\n", b"\n").replace(b",01-JAN-2016\n", b"\n")
    text = text.replace(b"AAA,date\n", b"AAA,date,31-DEC-2015\n").replace(b"AAA,time,23:59:35", b"AAA,time,23:59.35")
    reading = take(text)
    assert reading.times("MEM", "Real Free %") == ["2015-12-31 14:59:45", "2015-12-31 14:59:55", "2015-12-31 15:00:05"]


def test_korean_names_in_the_old_code_page(take, nmon):
    text = AIX.replace(b"AAA,host,db1", b"AAA,host," + "운영디비".encode("cp949"))
    text = text.replace(b",/,/home,/usr", b",/,/" + "자료".encode("cp949") + b",/usr")
    reading = take(text)
    assert reading.ledger.hostname == "운영디비"
    assert reading.values("JFSFILE", "JFSFILE", mountpoint="/자료") == [10.4] * 3


def test_utf16_bom_and_windows_line_ends(take):
    expected = as_samples(take(AIX))
    assert as_samples(take(codecs.BOM_UTF16_LE + AIX.decode().encode("utf-16-le"))) == expected
    assert as_samples(take(codecs.BOM_UTF8 + AIX)) == expected
    assert as_samples(take(AIX.replace(b"\n", b"\r\n"))) == expected


@pytest.mark.parametrize("piece", [1, 13, 4096])
def test_pieces_do_not_matter(take, piece):
    text = AIX[:9000] if piece == 1 else AIX
    assert as_samples(take(text, piece=piece)) == as_samples(take(text))


def test_a_part_of_a_file_without_its_beginning_is_recognised(nmon, take):
    part = AIX[AIX.index(b"LPAR,Logical") :]
    assert nmon.sniff(part, "x") > 0.5
    reading = take(part)
    assert reading.ledger.os == "aix"
    assert reading.values("JFSINODE", "JFSINODE", mountpoint="/") == [13.0] * 3
    assert reading.skipped()["not_a_table"] > 0
    assert reading.ledger.lines.balanced


# -- files of other people ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(WILD.glob("*")) if WILD.is_dir() else [], ids=lambda path: path.name[:24])
def test_wild_files_are_accounted_for(take, path):
    data = path.read_bytes()
    reading = take(data)
    lines = data.decode("utf-8", "replace").split("\n")
    kinds = Counter(
        line.split(",")[0] for line in lines if line.split(",")[1:2] and line.split(",")[1][:2] in ("T0", "T1")
    )
    rows = sum(count for kind, count in kinds.items() if kind not in SNAPSHOT_KINDS)
    rows += sum(
        line.startswith("TOP,") and line.split(",")[2:3] != [] and line.split(",")[2][:2] == "T0" for line in lines
    )
    assert reading.ledger.lines.balanced
    told = sum(line.startswith("BBB") for line in lines)  # those that are no heading give a fact
    assert rows <= reading.ledger.lines.data <= rows + told


@pytest.mark.parametrize(
    ("name", "section", "column", "table", "native", "attributes"),
    [
        ("adejoux+nmon2influxdb__samples_aixlpar.nmon.gz", "DISKSERV", 2, "DISKSERV", "DISKSERV", {"device": "hdisk6"}),
        ("adejoux+nmon2influxdb__samples_aixlpar.nmon.gz", "CPU28", 5, "CPU", "Idle%", {"cpu": "28"}),
        ("getperf+getperf__lib_test_AIX_aix01_nmon_base.csv", "LPAR", 2, "LPAR", "PhysicalCPU", {}),
        (
            "adejoux+nmon2influxdb__samples_linux_150818_1024.nmon.gz",
            "DISKWRITE",
            5,
            "DISKWRITE",
            "DISKWRITE",
            {"device": "sdb"},
        ),
    ],
)
def test_wild_values(take, name, section, column, table, native, attributes):
    if not (WILD / name).is_file():
        pytest.skip("these captures are not beside the project")
    data = (WILD / name).read_bytes()
    assert take(data).values(table, native, **attributes) == [float(row[column]) for row in rows_of(data, section)]
