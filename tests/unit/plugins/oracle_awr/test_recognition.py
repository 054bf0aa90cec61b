"""What is an AWR report of Oracle and what only looks like one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.made.awr import report, workload
from tests.made.awr.fixtures import fixtures
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.testkit_runs import parse

PARSERS = [
    ("oracle_awr", "awr_html:AwrHtmlParser"),
    ("oracle_awr", "compare:AwrCompareParser"),
    ("oracle_text", "text_reports:StatspackParser"),
    ("oracle_text", "text_reports:AwrTextParser"),
]
VERSIONS = ["10.2", "11.2", "12.2", "19c", "21c", "23ai"]
OTHERS = {
    "compare": (
        "AWR Compare Period Report for DB: ORCL, Inst: o, Snaps: 1-2",
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT",
    ),
    "compare of clusters": (
        "AWR RAC Compare Period Report for DB: ORCL",
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT (RAC)",
    ),
    "ADDM": ("ADDM Report for Task 'ADDM:1_2'", "ADDM Report"),
    "ASH": ("ASH Report - From 01-Jan-26", "ASH Report For ORCL/orcl"),
    "Dameng": ("AWR Report for DB: DAMENG, Inst: DMSERVER, Snaps: 1-2", "WORKLOAD REPOSITORY report for"),
    "openGauss": ("openGauss WDR Workload Diagnosis Report", "Workload Diagnosis Report"),
    "OceanBase": ("OceanBase ASH Report", "ASH Report"),
    "prose": ("How to read it", "Our AWR reports"),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_reports_of_an_instance(parser, version):
    assert parser.sniff(report(version).data[: 1 << 16], "awrrpt_1_100_101.html") > 0.9


def test_reports_of_a_cluster(parser):
    assert parser.sniff(report(scope="global").data[: 1 << 16], "awrgrpt.html") > 0.9


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_looks_like_one(parser, outcome, name):
    title, heading = OTHERS[name]
    made = report("19c").data.decode().replace("WORKLOAD REPOSITORY report for", heading)
    start, end = made.index("<title>") + len("<title>"), made.index("</title>")
    data = (made[:start] + title + made[end:]).encode()
    assert parser.sniff(data[: 1 << 16], "awr.html") == 0.0
    assert outcome(data).records == ()


def test_another_engine_under_the_same_title(parser, outcome):
    """Its release is not one of Oracle's."""
    data = report("19c").data.replace(b"19.0.0.0.0", b"DM Database 8")
    assert parser.sniff(data[: 1 << 16], "awr.html") == 0.0


@pytest.mark.parametrize("name", ["DIFFDB", "ASHDB", "WDR"])
def test_a_database_may_have_any_name(parser, outcome, name):
    made = report("19c", workload=workload(db_name=name))
    assert parser.sniff(made.data[: 1 << 16], "awr.html") > 0.9
    assert outcome(made.data).records[0].identity.name == name


def test_statements_may_speak_of_any_database(parser, outcome):
    work = workload(statements=1)
    spoken = replace(
        work,
        statements=(replace(work.statements[0], text="select 'OceanBase, openGauss, DM Database Server' from dual"),),
    )
    made = report("19c", workload=spoken)
    assert parser.sniff(made.data[: 1 << 16], "awr.html") > 0.9
    assert outcome(made.data).records


@pytest.mark.parametrize(
    "data", [b"", b"<html>", b"AWR Report for DB: ORCL", b"<title>AWR Report for DB: X</title>", b"\xff\xfe", b"{}"]
)
def test_nothing_to_go_by(parser, data):
    assert parser.sniff(data, "x.html") == 0.0


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
def test_the_fixtures_are_what_the_generator_makes(load, path):
    """And exactly one parser knows each of them."""
    data = path.read_bytes()
    assert data == fixtures()[path]
    (sure,) = [one for one in (load(*entry) for entry in PARSERS) if one.sniff(data[: 1 << 16], path.name)]
    assert parse(sure, ParseContext(), data).records
