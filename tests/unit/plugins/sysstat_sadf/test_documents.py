"""sadf -j and -x: clocks, versions from RHEL 5 to sysstat 12.7, layouts, damage. Figures typed from the texts."""

from __future__ import annotations

import json
import re

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import EventKind

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "sadf"
JSON = load_parser("sysstat_sadf", "sadf_json:SadfJsonParser")
XML = load_parser("sysstat_sadf", "sadf_xml:SadfXmlParser")


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def document(*samples: str, restarts: str = "", comments: str = "", zone: str = "KST") -> bytes:
    """A document in the layout of sysstat 12."""
    text = (
        '{"sysstat": {\n\t"hosts": [\n\t\t{\n\t\t\t"nodename": "db1",\n\t\t\t"sysname": "Linux",\n\t\t\t"release": "5.14.0",\n'
        '\t\t\t"machine": "x86_64",\n\t\t\t"number-of-cpus": 8,\n\t\t\t"file-date": "2026-11-21",\n'
        f'\t\t\t"file-utc-time": "07:00:00",\n\t\t\t"timezone": "{zone}",\n\t\t\t"statistics": [\n'
    )
    bodies = ",\n".join("\t\t\t\t{\n" + sample + "\n\t\t\t\t}" for sample in samples)
    tail = f'\n\t\t\t],\n\t\t\t"restarts": [\n{restarts}\t\t\t]'
    tail += f',\n\t\t\t"comments": [\n{comments}\t\t\t]' if comments else ""
    return (text + bodies + tail + "\n\t\t}\n\t]\n}}\n").encode()


def sample(time: str, body: str, zone: str = '"utc": 1', date: str = "2026-11-21") -> str:
    stamp = f'\t\t\t\t\t"timestamp": {{"date": "{date}", "time": "{time}", {zone}, "interval": 10}},\n'
    return stamp + body


def interfaces(*names: str) -> str:
    rows = ",\n".join(
        f'\t\t\t\t\t\t\t{{"iface": "{name}", "rxpck": {i}.50, "txpck": 2.00}}' for i, name in enumerate(names)
    )
    return f'\t\t\t\t\t"network": {{\n\t\t\t\t\t\t"net-dev": [\n{rows}\n\t\t\t\t\t\t]\n\t\t\t\t\t}}'


QUEUE = '\t\t\t\t\t"queue": {"runq-sz": %d, "plist-sz": 160, "ldavg-1": 2.38, "ldavg-5": 2.67, "ldavg-15": 1.70, "blocked": 0}'


def test_the_recording_in_json():
    reading = read_capture(JSON, fixture("sadf-j.json"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "usr", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.values("cpu", "usr", cpu="all")[:2] == [38.30, 50.64]
    assert reading.values("cpu", "idle", cpu="1")[0] == 11.22
    assert reading.values("device", "wkB", device="vda")[0] == 232618.00
    assert reading.values("memory", "memfree")[0] == 19019192
    assert reading.values("pressure_cpu", "some_avg300")[0] == 27.91
    text = fixture("sadf-j.json").decode().splitlines()
    row = reading.of("device", "wkB", device="vda")[0]
    assert '"disk-device": "vda"' in text[row.line - 1]
    assert "wkB" in text[row.line - 1]
    ledger = reading.ledger
    assert (ledger.hostname, ledger.os_version, ledger.tool, ledger.variant) == (
        "dbtest01",
        "6.18.44-fc-v669",
        "sar",
        "sadf -j",
    )
    assert (ledger.zone, ledger.needs, ledger.interval_s, ledger.gaps, ledger.restarts) == ("UTC", (), 2.0, 0, 1)
    assert [(event.kind, event.text) for event in reading.events] == [
        (EventKind.RESTART, "2 CPU"),
        (EventKind.COMMENT, "tuning change: buffer pool 1G -> 2G"),
    ]


def test_the_recording_in_xml_with_decimal_commas():
    """As an old sadf prints it in a German or French locale: the same numbers, and names keep their commas."""
    points = fixture("sadf-x.xml").replace(b'dev="vda"', b'dev="1,5"')
    assert points.count(b'dev="1,5"') > 1
    commas = re.sub(rb'(?<=[">])(-?[0-9]+)\.([0-9]+)(?=["<])', rb"\1,\2", points)
    assert commas.count(b",") > 300
    reading, expected = read_capture(XML, commas), read_capture(XML, points)
    assert reading.samples == expected.samples and len(expected.samples) == 25
    assert reading.values("cpu", "user", cpu="all")[:2] == [38.30, 50.64]
    assert reading.values("memory", "memused-percent")[0] == 1.46
    assert reading.values("device", "util-percent", device="1,5")[0] == 15.20
    assert (reading.ledger.lines, reading.skipped()) == (expected.ledger.lines, expected.skipped())
    assert read_capture(XML, commas, piece=997).samples == expected.samples


def test_the_recording_in_xml():
    reading = read_capture(XML, fixture("sadf-x.xml"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "user", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.values("cpu", "user", cpu="all")[:2] == [38.30, 50.64]
    assert reading.values("memory", "memused-percent")[0] == 1.46
    assert reading.values("device", "util-percent", device="vda")[0] == 15.20
    assert reading.ledger.lines.balanced
    assert reading.ledger.restarts == 1


def test_facts_of_the_host():
    parser = JSON(read_context())
    list(parser.feed(document(sample("07:00:10", QUEUE % 2))))
    list(parser.finish())
    assert list(parser.facts()) == [SystemFact("cpu", "Architecture", "x86_64"), SystemFact("cpu", "CPU(s)", "8")]


def read_context():
    from tunebench.sdk import ParseContext

    return ParseContext(file_name="sa21.json")


# -- clocks ----------------------------------------------------------------------------------------------


def test_local_time_is_read_in_the_zone_of_the_header_and_said_so():
    """-t and -T print utc 0 and no zone; the header has the server's (KST)."""
    reading = read_capture(JSON, fixture("sadf-j-t.json"), zone="UTC", zone_source="engagement")
    assert reading.times("load", "runq-sz")[0] == "2026-11-21 07:10:15"
    assert "sadf_local_time" in reading.ledger.warnings
    assert reading.ledger.zone == "Asia/Seoul"
    assert (reading.ledger.gaps, reading.ledger.restarts, reading.ledger.interval_s) == (0, 1, 2.0)
    assert "clock_went_back" not in reading.ledger.warnings
    told = read_capture(JSON, fixture("sadf-j-t.json"), zone="Europe/Berlin", zone_source="user")
    assert told.times("load", "runq-sz")[0] == "2026-11-21 15:10:15"


@pytest.mark.parametrize(
    ("stamp", "zone", "utc"),
    [
        ('"tz": "UTC"', "KST", "07:00:10"),
        ('"tz": "KST"', "", "22:00:10"),
        ('"utc": 1', "EST", "07:00:10"),
        ('"tz": "+09"', "", "22:00:10"),
        ('"utc": 0', "+0530", "01:30:10"),
    ],
)
def test_what_a_stamp_says_of_its_zone(stamp: str, zone: str, utc: str):
    data = document(sample("07:00:10", QUEUE % 2, stamp), zone=zone)
    reading = read_capture(JSON, data, zone="America/New_York", zone_source="engagement")
    assert reading.times("load", "runq-sz")[0].endswith(utc)
    assert reading.ledger.needs == ()


@pytest.mark.parametrize("zone", ["EST", ""])
def test_a_zone_that_cannot_be_known_is_asked_for(zone: str):
    data = document(sample("07:00:10", QUEUE % 2, '"utc": 0'), zone=zone)
    reading = read_capture(JSON, data, zone="Asia/Seoul", zone_source="engagement")
    assert "zone" in reading.ledger.needs


def test_a_restart_between_samples_is_no_gap():
    boot = (
        '\t\t\t\t{\n\t\t\t\t\t"boot": {"date": "2026-11-21", "time": "08:00:00", "utc": 1, "cpu_count": 8}\n\t\t\t\t}\n'
    )
    times = ["07:00:10", "07:00:20", "07:00:30", "08:00:10", "08:00:20"]
    with_boot = read_capture(JSON, document(*(sample(time, QUEUE % 2) for time in times), restarts=boot))
    without = read_capture(JSON, document(*(sample(time, QUEUE % 2) for time in times)))
    assert (with_boot.ledger.gaps, with_boot.ledger.restarts) == (0, 1)
    assert (without.ledger.gaps, without.ledger.restarts) == (1, 0)


# -- what differs from sample to sample ------------------------------------------------------------------


def test_things_come_and_go_and_change_their_names():
    """A name that differs in a digit alone must not be taken for the other."""
    names = [
        ("lo", "eth0"),
        ("lo", "eth1"),
        ("lo", "eth0"),
        ("lo", "eth0", "veth1"),
        ("lo", "eth0", "veth12"),
        ("lo", "eth0"),
    ]
    data = document(*(sample(f"07:00:{i}0", interfaces(*own)) for i, own in enumerate(names)))
    reading = read_capture(JSON, data)
    for name in ("lo", "eth0", "eth1", "veth1", "veth12"):
        expected = [i for i, own in enumerate(names) if name in own]
        assert [int(time[-2:]) // 10 for time in reading.times("interface", "rxpck", interface=name)] == expected
        assert set(reading.values("interface", "rxpck", interface=name)) == {names[expected[0]].index(name) + 0.5}
    assert reading.ledger.lines.data == sum(map(len, names))


def test_numbers_of_every_length():
    values = [
        "0.00",
        "9.99",
        "12345678901.25",
        "0",
        "7",
        "12345678",
        "123456789",
        "18446744073709551615",
        "0.5",
        "1.234",
        "-3.85",
    ]
    members = ", ".join(f'"new{chr(97 + i)}": {value}' for i, value in enumerate(values))
    data = document(*(sample(f"07:00:{i}0", f'\t\t\t\t\t"future": {{{members}}}') for i in range(3)))
    reading = read_capture(JSON, data)
    for i, value in enumerate(values):
        assert reading.values("future", f"new{chr(97 + i)}") == [float(value)] * 3


def test_what_is_no_number_is_missing():
    body = '\t\t\t\t\t"power-management": {\n\t\t\t\t\t\t"temperature": [\n\t\t\t\t\t\t\t{"number": 1, "degC": %s, "percent-temp": 5.00, "device": "core"}\n\t\t\t\t\t\t]\n\t\t\t\t\t}'
    data = document(
        *(sample(f"07:00:{i}0", body % value) for i, value in enumerate(["34.00", "-nan", "-4.50", "35.00"]))
    )
    reading = read_capture(JSON, data)
    assert reading.values("temperature", "degC", device="1 core") == [34.0, -4.5, 35.0]
    assert len(reading.values("temperature", "percent-temp", device="1 core")) == 4
    assert reading.skipped() == {}


@pytest.mark.parametrize("first", range(3))
def test_an_exponent_is_part_of_a_number(first: int):
    """RFC 8259; wherever it comes first, and 1.5e3 is neither 1.5 nor a word."""
    values = ["2.50", "1.5e3", "-2E-2"]
    values = values[first:] + values[:first]
    data = document(*(sample(f"07:00:{i}0", f'\t"paging": {{"pgpgin": {one}}}') for i, one in enumerate(values)))
    reading = read_capture(JSON, data)
    assert (reading.values("paging", "pgpgin"), reading.skipped()) == ([float(one) for one in values], {})


@pytest.mark.parametrize("value", ["1,5e+03", "2.400,50", "0x10", "12PM"])
def test_a_sample_with_what_is_no_number_is_not_read_in_part_and_is_counted(value: str):
    """All of it in one line, as jq -c prints it: the sample is named as a row of numbers that was not kept."""
    values = ["1.00", value, "3.00"]
    data = document(*(sample(f"07:00:{i}0", f'"paging": {{"pgpgin": {one}}}') for i, one in enumerate(values)))
    reading = read_capture(JSON, data.replace(b"\n", b" ").replace(b'{ \t\t\t\t\t"timestamp"', b'\n{"timestamp"'))
    assert reading.values("paging", "pgpgin") == [1.0, 3.0]
    assert (reading.skipped(), reading.ledger.rows_lost) == ({"unreadable_numbers": 1}, 1)
    assert "rows_lost" in reading.ledger.warnings


def test_old_and_new_name_of_one_figure_are_kept_once():
    """sysstat 12 prints sectors beside kB; sysstat 11 has sectors only."""
    old = '\t\t\t\t\t"disk": [\n\t\t\t\t\t\t{"disk-device": "sda", "tps": 1.00, "rd_sec": 8.00}\n\t\t\t\t\t]'
    new = '\t\t\t\t\t"disk": [\n\t\t\t\t\t\t{"disk-device": "sda", "tps": 1.00, "rd_sec": %d.00, "rkB": 4.00}\n\t\t\t\t\t]'
    assert read_capture(JSON, document(sample("07:00:10", old))).values("device", "rd_sec", device="sda") == [8.0]
    data = document(*(sample(f"07:00:{i}0", new % (i + 8)) for i in range(3)))
    natives = {key.native for key in read_capture(JSON, data).samples}
    assert natives == {"tps", "rkB"}


# -- layouts -----------------------------------------------------------------------------------------------


def test_other_layouts_of_the_same_document():
    """What a JSON tool makes of it: one line, or one member per line."""
    data = fixture("sadf-j.json")
    whole = read_capture(JSON, data)
    numbers = {key: [(one.time_ns, one.value) for one in rows] for key, rows in whole.samples.items()}
    for text in (
        json.dumps(json.loads(data)),
        json.dumps(json.loads(data), indent=2),
        json.dumps(json.loads(data), separators=(",", ":")),
    ):
        reading = read_capture(JSON, text.encode(), piece=4096)
        assert {key: [(one.time_ns, one.value) for one in rows] for key, rows in reading.samples.items()} == numbers
        assert reading.ledger.lines.balanced
        assert reading.ledger.lines.data > 0
        assert reading.ledger.restarts == 1


@pytest.mark.parametrize("name", ["sadf-j.json", "sadf-x.xml"])
def test_pieces_line_ends_and_encodings_change_nothing(name: str):
    parser = JSON if name.endswith("json") else XML
    data = fixture(name)
    whole = read_capture(parser, data)
    for changed in (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.decode().encode("utf-16")):
        reading = read_capture(parser, changed, piece=977)
        assert reading.samples == whole.samples
        assert reading.ledger.lines == whole.ledger.lines
        assert parser.sniff(changed[:65536], name) > 0.9


def test_two_documents_one_behind_the_other():
    first, second = document(sample("07:00:10", QUEUE % 2)), document(sample("07:00:20", QUEUE % 3))
    reading = read_capture(JSON, first + second.replace(b'"db1"', b'"db2"'))
    assert reading.values("load", "runq-sz") == [2, 3]
    assert "several_hosts" in reading.ledger.warnings
    assert reading.ledger.lines.balanced


# -- damage ------------------------------------------------------------------------------------------------


def test_a_document_that_is_cut_off_keeps_its_whole_samples():
    data = document(*(sample(f"07:00:{i}0", QUEUE % i) for i in range(4)))
    cut = data[: data.index(b'"ldavg-15": 1.70', data.index(b"07:00:30"))]
    reading = read_capture(JSON, cut)
    assert reading.values("load", "runq-sz") == [0, 1, 2]
    assert set(reading.skipped()) == {"truncated"}
    assert reading.ledger.lines.balanced
    assert reading.ledger.lines.total == cut.count(b"\n") + 1


def test_lines_of_others_around_a_document():
    data = b"$ sadf -j sa21\n@tunebench 4f1c begin id=a\n" + document(sample("07:00:10", QUEUE % 2)) + b"Killed\n"
    reading = read_capture(JSON, data)
    assert reading.values("load", "runq-sz") == [2]
    assert reading.skipped() == {"not_a_table": 2}


def test_a_sample_without_a_real_date_is_left_out():
    data = document(sample("07:00:10", QUEUE % 2), sample("25:00:10", QUEUE % 3), sample("07:00:30", QUEUE % 4))
    reading = read_capture(JSON, data)
    assert reading.values("load", "runq-sz") == [2, 4]
    assert reading.skipped() == {"unreadable_numbers": 4}
    assert reading.ledger.lines.balanced


def test_a_damaged_sample_does_not_take_the_others_with_it():
    data = document(*(sample(f"07:00:{i}0", interfaces("lo", "eth0")) for i in range(4)))
    place = data.index(b"]", data.index(b"07:00:10"))
    reading = read_capture(JSON, data[:place] + b"}" + data[place + 1 :])
    assert [time[-2:] for time in reading.times("interface", "rxpck", interface="lo")] == ["00", "20", "30"]
    assert reading.ledger.lines.balanced


# -- RHEL 5 ------------------------------------------------------------------------------------------------

RHEL5 = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Configure PUBLIC "DTD v1.0 sysstat //EN"
"http://perso.orange.fr/sebastien.godard/sysstat.dtd">
<sysstat>
\t<sysdata-version>1.0</sysdata-version>
\t<host nodename="old5">
\t\t<sysname>Linux</sysname>
\t\t<release>2.6.18-348.el5</release>
\t\t<statistics>
\t\t\t<timestamp date="2012-09-22" time="04:11:46" interval="1">
\t\t\t\t<processes per="second" proc="0.50"/>
\t\t\t\t<context-switch per="second" cswch="458.00"/>
\t\t\t\t<interrupts>
\t\t\t\t\t<int-global per="second">
\t\t\t\t\t\t<irq intr="sum" value="232.00"/>
\t\t\t\t\t</int-global>
\t\t\t\t\t<int-proc per="second">
\t\t\t\t\t\t<irqcpu cpu="3" intr="23" value="1.00"/>
\t\t\t\t\t\t<irqcpu cpu="5" intr="57" value="2.00"/>
\t\t\t\t\t</int-proc>
\t\t\t\t</interrupts>
\t\t\t\t<io per="second">
\t\t\t\t\t<tps>16.00</tps>
\t\t\t\t\t<io-reads rtps="0.00" bread="0.00"/>
\t\t\t\t\t<io-writes wtps="16.00" bwrtn="168.00"/>
\t\t\t\t</io>
\t\t\t\t<network per="second">
\t\t\t\t\t<net-device iface="eth0">
\t\t\t\t\t\t<net-dev rxpck="4.00" txpck="3.00" rxbyt="272.00" txbyt="209.00" rxcmp="0.00" txcmp="0.00" rxmcst="1.00"/>
\t\t\t\t\t\t<net-edev rxerr="0.00" txerr="0.25" coll="0.00" rxdrop="0.00" txdrop="0.00"/>
\t\t\t\t\t</net-device>
\t\t\t\t</network>
\t\t\t\t<memory per="second" unit="kB">
\t\t\t\t\t<memfree>14043016</memfree>
\t\t\t\t\t<swpused-percent>0.00</swpused-percent>
\t\t\t\t\t<frmpg>-1.50</frmpg>
\t\t\t\t</memory>
\t\t\t\t<kernel per="second">
\t\t\t\t\t<file-sz>11840</file-sz>
\t\t\t\t</kernel>
\t\t\t</timestamp>
\t\t</statistics>
\t\t<restarts>
\t\t</restarts>
\t</host>
</sysstat>
"""


def test_the_xml_of_rhel_5():
    """No word on UTC; an interface's two tables stand inside it; processes and switches stand apart."""
    assert XML.sniff(RHEL5, "x") > 0.9
    reading = read_capture(XML, RHEL5, zone="Asia/Seoul", zone_source="engagement")
    assert reading.values("tasks", "cswch") == [458.0]
    assert reading.values("interrupts", "value", state="sum") == [232.0]
    assert reading.values("interrupts", "value", state="57", cpu="5") == [2.0]
    assert reading.values("io", "tps") == [16.0]
    assert reading.values("io", "bwrtn") == [168.0]
    assert reading.values("interface", "rxbyt", interface="eth0") == [272.0]
    assert reading.values("interface_errors", "txerr", interface="eth0") == [0.25]
    assert reading.values("memory", "frmpg") == [-1.5]
    assert "zone" in reading.ledger.needs
    assert reading.ledger.lines.balanced
    assert reading.ledger.lines.data == len(re.findall(rb"(?m)^\t{4,}<.*(?:=\"|>)-?\d.*$", RHEL5))


def test_a_figure_may_change_its_sign():
    body = '\t\t\t\t\t"memory": {"memfree": 5, "frmpg": %s, "bufpg": %s}'
    values = [("-1.50", "2.00"), ("0.25", "-12345678901.25"), ("-0.75", "-3.00"), ("1.00", "4.00")]
    data = document(*(sample(f"07:00:{i}0", body % pair) for i, pair in enumerate(values)))
    reading = read_capture(JSON, data)
    assert reading.values("memory", "frmpg") == [float(one) for one, _ in values]
    assert reading.values("memory", "bufpg") == [float(one) for _, one in values]
    spaced = data.replace(b'": ', b'":')
    assert read_capture(JSON, spaced).values("memory", "bufpg") == [float(one) for _, one in values]
