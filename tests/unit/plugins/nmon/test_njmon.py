"""njmon: values typed from the documents, or read by json itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tunebench.sdk.testkit_runs import context_for, parse

FIXTURES = ROOT / "tests" / "fixtures" / "nmon"
AIX = (FIXTURES / "njmon-aix.json").read_bytes()
LINUX = (FIXTURES / "njmon-linux-samples.json").read_bytes()


@pytest.fixture
def njmon(load):
    return load("nmon", "njmon:NjmonParser")


@pytest.fixture
def take(njmon, read):
    return lambda data, **context: read(njmon, data, **context)


def as_samples(reading):
    return {key: [(s.time_ns, s.value) for s in samples] for key, samples in reading.samples.items() if samples}


def test_one_document_per_line_of_aix(take):
    reading = take(AIX)
    assert reading.values("disks", "xfers", device="hdisk10") == [14.997, 8.399]
    assert reading.values("disks", "xfers", device="hdisk11") == [1.5]
    assert reading.values("cpu_util", "user_pct") == [95.336, 90.5]
    assert reading.values("cpu_logical", "idle", cpu="1") == [19.0, 19.0]
    assert reading.values("network_interfaces", "ibytes", interface="en1") == [1319.968] * 2
    assert reading.values("filesystems", "used_percent", mountpoint="/usr") == [88.034] * 2
    assert reading.values("paging_spaces", "mb_used", device="hd6") == [2102.0] * 2
    assert reading.times("cpu_util", "user_pct") == ["2020-12-20 08:58:40", "2020-12-20 08:58:45"]
    ledger = reading.ledger
    assert (ledger.os, ledger.os_version, ledger.hostname, ledger.zone) == ("aix", "7.1", "db1", "+0900")
    assert (ledger.tool_version, ledger.interval_s) == ("njmon4AIX-v65-@07/07/2020-AIX71", 5.0)
    assert ledger.lines.data == 2


def test_a_list_of_samples_over_many_lines_of_linux(take):
    reading = take(LINUX)
    samples = json.loads(LINUX)["samples"]
    assert reading.values("cpu_total", "user") == [one["cpu_total"]["user"] for one in samples] == [12.5, 13.5, 14.5]
    assert reading.values("disks", "rkb", device="sda") == [420.0] * 3
    assert reading.values("networks", "obytes", interface="eth0") == [800.25] * 3
    assert (reading.ledger.os, reading.ledger.os_version) == ("linux", "Ubuntu 18.04.2 LTS")
    assert reading.ledger.lines.balanced
    first = next(n for n, line in enumerate(LINUX.splitlines(), 1) if line.strip() == b"{" and n > 1)
    assert reading.of("cpu_total", "user")[0].line == first


@pytest.mark.parametrize("layout", ["one line", "list", "lines", "indented", "list on one line"])
def test_the_layout_does_not_matter(take, layout):
    samples = json.loads(LINUX)["samples"]
    text = {
        "one line": json.dumps({"samples": samples}),
        "list": json.dumps(samples, indent=1),
        "lines": "\n".join(json.dumps(one) for one in samples),
        "indented": "\n".join(json.dumps(one, indent=3) for one in samples),
        "list on one line": json.dumps(samples),
    }[layout]
    reading = take(text.encode())
    assert as_samples(reading) == as_samples(take(LINUX))
    assert reading.ledger.lines.balanced
    assert reading.skipped() == {}


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_pieces_do_not_matter(take, piece):
    assert as_samples(take(LINUX, piece=piece)) == as_samples(take(LINUX))


def test_a_recording_that_was_cut_keeps_its_whole_snapshots(take):
    cut = LINUX[: LINUX.rindex(b'"networks"')]
    reading = take(cut)
    assert reading.values("cpu_total", "user") == [12.5, 13.5]
    assert set(reading.skipped()) == {"truncated"}
    assert reading.ledger.lines.balanced


def test_a_broken_snapshot_does_not_hide_the_next(take):
    first, second = AIX.splitlines(keepends=True)
    cut = take(first[:700] + b"\n" + second)
    assert cut.values("cpu_util", "user_pct") == [90.5]
    assert cut.skipped() == {"truncated": 1}
    odd = take(first.replace(b'"user_pct": 95.336', b'"user_pct": oops') + second)
    assert odd.values("cpu_util", "user_pct") == [90.5]
    assert odd.skipped() == {"not_a_table": 1}


def test_braces_inside_strings_are_text(take):
    text = AIX.replace(b'"MPIO IBM 2076 FC Disk"', b'"a } b { [ \\" c"')
    assert as_samples(take(text)) == as_samples(take(AIX))


def test_descriptions_are_facts_and_no_series(njmon, take):
    outcome = parse(njmon, context_for(Path("x.json")), AIX)
    facts = {(fact.section, fact.name): fact.value for fact in outcome.facts}
    assert facts["disks", "hdisk10 vg"] == "datavg"
    assert facts["config", "processorMHz"] == "4157.0"
    assert facts["identity", "hostname"] == "db1"
    assert not any(key.table in ("identity", "config", "timestamp") for key in take(AIX).samples)


def test_other_json_is_not_taken(njmon):
    assert njmon.sniff(AIX, "x") > 0.9
    assert njmon.sniff(LINUX, "x") > 0.9
    assert njmon.sniff(b'{"sysstat": {"hosts": []}}', "x.json") == 0.0
    assert njmon.sniff(b'[{"timestamp": 1, "value": 2}]', "x.json") == 0.0
