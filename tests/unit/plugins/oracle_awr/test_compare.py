"""Reports of two compared periods: each side as it is printed, and nothing that is not."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from tests.made.awr import report, workload
from tests.made.awr.compare import LISTS, TOTALS, compare_report
from tests.made.awr.markup import Style
from tunebench.sdk.databases import Fault
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.testkit_runs import parse

BEFORE = workload(seed=5)
AFTER = replace(
    BEFORE.later(minutes=30, factors={BEFORE.statements[0].id: {"elapsed_s": 0.1, "block_gets": 0.02}}),
    cpus=64,
    end_cpus=64,
)


@pytest.fixture(scope="module")
def compare(load):
    parser = load("oracle_awr", "compare:AwrCompareParser")

    def read(text, piece=0):
        data = text if isinstance(text, bytes) else text.encode()
        found = parse(parser, ParseContext(zone=ZoneInfo("Asia/Seoul"), zone_source="host"), data, piece)
        assert found.ledger.lines.balanced
        return found

    return read


@pytest.fixture(scope="module")
def sides(compare):
    return compare(compare_report(Style(), BEFORE, AFTER)).records


def test_two_periods(sides, seoul):
    for record, work in zip(sides, (BEFORE, AFTER), strict=True):
        assert (record.begin.time_ns, record.end.time_ns) == (seoul(work.begin), seoul(work.end))
        assert (record.begin.snapshot, record.end.snapshot) == (work.begin_snapshot, work.end_snapshot)
        assert record.elapsed_s == work.elapsed_s
        assert record.identity.name == work.db_name
        assert (record.identity.db_id, record.identity.instance, record.identity.cpu_count) == (
            work.db_id,
            work.instance,
            work.cpus,
        )
        assert (record.identity.instance_number, record.identity.clustered, record.identity.version) == (
            1,
            False,
            "19.0.0.0.0",
        )
        assert record.identity.memory_bytes == pytest.approx(work.memory_gb * 1024**3, rel=1e-3)
        assert record.db_time_s == work.time_model["DB time"]
        assert record.faults == ()


def test_times_and_waits(sides, rows):
    for record, work in zip(sides, (BEFORE, AFTER), strict=True):
        times = rows(record, "time_model", "name")
        assert times["db_cpu"]["time_s"] == work.time_model["DB CPU"]
        assert times["sql_execution"]["time_s"] == work.time_model["sql execute elapsed time"]
        waits = rows(record, "wait_event", "event")
        for place, event in enumerate(work.events):
            row = waits[event.name]
            assert (row["time_s"], row["wait_class"]) == (event.time_s, event.wait_class)
            assert ("waits" in row) == (place < 4 or (place == 5 and record is sides[0]))  # a rounded rate is no count
            if "waits" in row:
                assert row["waits"] == event.waits
    assert "smon timer" not in rows(sides[0], "wait_event", "event")  # a blank cell
    assert rows(sides[1], "wait_event", "event")["smon timer"]["time_s"] == 394_795.34


def test_statements(sides, rows):
    for place, (record, work) in enumerate(zip(sides, (BEFORE, AFTER), strict=True)):
        found = rows(record, "statement", "statement_id")
        by_id = {one.id: one for one in work.statements}
        for name, figure, *_ in LISTS:
            leading = sorted(by_id.values(), key=lambda one: -one.figure(figure))[:8]
            assert {one.id for one in leading} == {key for key, row in found.items() if name in row["seen_in"].split()}
            for one in leading:
                share = round(one.figure(figure) / TOTALS[figure] * 100, 2)
                if share:
                    assert found[one.id][figure] == pytest.approx(share / 100 * TOTALS[figure])
                    assert abs(found[one.id][figure] - one.figure(figure)) <= 0.0000501 * TOTALS[figure]
                else:
                    assert figure not in found[one.id]
                assert found[one.id]["executions"] == one.executions
        lists = rows(record, "statement_list", "figure")
        assert lists["elapsed_s"]["covered_pct"] == (90.5, 121.95)[place]
        texts = rows(record, "statement_text", "statement_id")
        assert all(
            texts[name]["text"] == " ".join(by_id[name].text.split()) or texts[name]["text"] == by_id[name].text
            for name in found
        )


def test_numbers_of_plans(sides, rows):
    plans = [
        {name[1]: row["value"] for name, row in rows(record, "fact", "scope", "name").items() if name[0] == "plans"}
        for record in sides
    ]
    assert plans[0]
    assert set(plans[0].values()) == {"1"}


def test_other_databases_show_every_statement_in_two_halves(compare, rows):
    """Each half is of its own side; nothing is taken for zero."""
    moved = replace(AFTER, db_id="99", db_name="CLOUD")
    first, second = compare(compare_report(Style(), BEFORE, moved)).records
    expected = compare(compare_report(Style(), BEFORE, AFTER)).records
    assert (first.identity.db_id, second.identity.db_id) == (BEFORE.db_id, "99")
    for record, same in zip((first, second), expected, strict=True):
        found, there = rows(record, "statement", "statement_id"), rows(same, "statement", "statement_id")
        assert found.keys() == there.keys()
        for name, row in found.items():
            assert {key: value for key, value in row.items() if key != "line"} == {
                key: value for key, value in there[name].items() if key != "line"
            }


def test_ranges_dashes_and_words_are_no_numbers(sides, rows):
    facts = rows(sides[0], "fact", "scope", "name")
    assert facts["host_cpu", "Load at Start Snapshot"]["value"] == "18.05 - 86.71"
    assert "-" not in rows(sides[1], "wait_event", "event")


def test_a_cluster(compare):
    first, second = compare(compare_report(Style(), BEFORE, AFTER, instances=2)).records
    assert (first.identity.instance, first.identity.clustered) == ("*", True)
    assert first.elapsed_s == BEFORE.elapsed_s
    assert second.end.snapshot == AFTER.end_snapshot


@pytest.mark.parametrize("locale", ["de", "ko"])
def test_other_languages(compare, sides, locale):
    found = compare(compare_report(Style(locale), BEFORE, AFTER)).records
    for record, same in zip(found, sides, strict=True):
        assert record.begin == same.begin
        for name in ("time_model", "statement"):
            assert record.table(name) == same.table(name)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_cut_off(compare, share):
    text = compare_report(Style(), BEFORE, AFTER).encode()
    for record in compare(text[: round(len(text) * share)]).records:
        assert Fault.TRUNCATED in record.faults


def test_pieces_and_refusals(compare, load):
    text = compare_report(Style(), BEFORE, AFTER)
    assert compare(text, piece=333).records == compare(text).records
    parser, single = load("oracle_awr", "compare:AwrCompareParser"), load("oracle_awr", "awr_html:AwrHtmlParser")
    assert parser.sniff(text.encode(), "x.html") > 0.9
    assert single.sniff(text.encode(), "x.html") == 0.0
    assert parser.sniff(report().data, "x.html") == 0.0
    assert parser.sniff(b"<html><head><title>Compare Period Report</title>", "x.html") == 0.0  # of Database Replay
    assert compare(report().data).records == ()
