"""What real reports do to a reader: each has a test of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.made.awr import report, workload
from tests.made.awr.reports import mail_folder
from tunebench.sdk.databases import Fault
from tunebench.sdk.testkit_runs import difference


def test_processor_time_comes_from_the_time_model(one, rows):
    """The list of ten prints three digits (``14K``)."""
    made = report("19c")
    found = one(made)
    assert b"K</td>" in made.data
    assert rows(found, "time_model", "name")["db_cpu"]["time_s"] == made.truth.db_cpu_s
    assert "DB CPU" not in rows(found, "wait_event", "event")
    assert "DB CPU" not in rows(found, "wait_class", "wait_class")


def test_without_a_time_model_processor_time_is_what_is_left(one, rows):
    made = report("19c", without=["Time Model Statistics"])
    times = rows(one(made), "time_model", "name")
    assert set(times) == {"db_cpu"}
    assert times["db_cpu"]["time_s"] == pytest.approx(made.truth.db_cpu_s, abs=51)


def test_averages_that_do_not_fit_their_column(one):
    """``############ns``; no figure of ours hangs on them."""
    assert one(report("19c", overflow=True)).tables == one(report("19c")).tables


@pytest.mark.parametrize("version", ["10.2", "11.2", "19c"])
def test_a_heading_without_its_table(one, rows, version):
    """The next table is about something else: buffer pools are no tablespaces."""
    whole, found = one(report(version)), one(report(version, without=["Tablespace IO Stats"]))
    kinds = {key[0] for key in rows(found, "io", "kind", "name", "file")}
    assert "tablespace" in {key[0] for key in rows(whole, "io", "kind", "name", "file")}
    assert "tablespace" not in kinds
    assert {"file", "buffer_pool"} <= kinds


@pytest.mark.parametrize(
    ("title", "table"),
    [
        ("Load Profile", "load"),
        ("Time Model Statistics", ""),
        ("Foreground Wait Class", ""),
        ("Complete List of SQL Text", ""),
        ("init.ora Parameters", ""),
        ("Segments by Logical Reads", "segment"),
    ],
)
def test_sections_that_are_missing_are_said(one, title, table):
    found = one(report("19c", without=[title]))
    assert found.absent == ((table,) if table else ())
    assert found.valid


def test_one_summary_on_two_kinds_of_tables(outcome):
    """MTTR advisory and buffer pool advisory; neither is read, and neither is taken for pools."""
    made = report("19c")
    assert made.data.count(b"This table displays MTTR advisory") == 2
    (record,) = outcome(made.data).records
    io = record.table("io")
    names = zip(io.text("kind"), io.text("name"), strict=True)
    assert [name for kind, name in names if kind == "buffer_pool"] == ["D", "K"]


def test_one_summary_on_the_database_and_its_instance(one):
    made = report("19c")
    assert made.data.count(b"This table displays database instance information") == 2
    identity = one(made).identity
    assert (identity.name, identity.instance, identity.edition, identity.role) == ("ORCL", "orcl1", "EE", "PRIMARY")


def test_line_ends_within_a_summary(one, rows):
    made = report("19c")
    assert b"statistics for \n                    different types of cache" in made.data
    assert ("cache", "Buffer Cache") in rows(one(made), "state", "scope", "name")


@pytest.mark.parametrize(
    ("old", "new"), [(b"table displays", b"TABLE  displays"), (b'summary="This', b'summary=" This')]
)
def test_summaries_are_compared_without_case_and_blanks(one, old, new):
    made = report("19c")
    assert one(replace(made, data=made.data.replace(old, new))).tables == one(made).tables


def test_columns_may_stand_in_any_order(one, rows):
    made = report("19c")
    text = made.data.decode()
    swapped = text.replace(
        '<th class="awrbg" scope="col">Time (s)</th><th class="awrbg" scope="col">% of DB Time</th>',
        '<th class="awrbg" scope="col">% of DB Time</th><th class="awrbg" scope="col">Time (s)</th>',
    )
    assert swapped != text
    first, second = (rows(one(replace(made, data=data.encode())), "time_model", "name") for data in (text, swapped))
    assert first["parse"]["time_s"] == second["parse"]["share_pct"]
    assert first["parse"]["share_pct"] == second["parse"]["time_s"]


def test_a_known_section_with_unknown_columns_is_said(outcome):
    made = report("19c")
    outcome_ = outcome(made.data.replace(b"Statistic Name", b"Name of it"))
    reasons = {entry.reason: entry.example for entry in outcome_.ledger.skipped}
    assert reasons["columns_unknown"].startswith("This table displays different time model statistics")
    (record,) = outcome_.records
    assert record.absent == ()
    assert list(record.table("time_model").text("name")) == ["db_cpu"]


@pytest.mark.parametrize("share", [0.03, 0.1, 0.25, 0.5, 0.75, 0.97, 0.9995])
def test_reports_cut_off_in_the_middle(outcome, share):
    whole = report("19c")
    (expected,) = outcome(whole.data).records
    (found,) = outcome(report("19c", truncated=share).data).records
    assert Fault.TRUNCATED in found.faults
    assert set(found.absent) == set(found.absent) - set(found.tables)
    assert set(found.tables) | set(found.absent) | {"fact", "plan"} >= set(expected.tables)
    for name, table in found.tables.items():
        if name in ("activity", "parameter", "io", "segment"):
            complete = dict(zip(expected.tables[name].keys(), expected.tables[name].lines.tolist(), strict=True))
            assert all(complete[key] == line for key, line in zip(table.keys(), table.lines.tolist(), strict=True))


def test_a_report_cut_off_before_anything_is_no_report(outcome):
    made = report("19c")
    end = made.data.index(b"<table")
    found = outcome(made.data[:end])
    assert found.records == ()
    assert {entry.reason for entry in found.ledger.skipped} == {"prose"}


def test_several_reports_in_one_file(outcome, seoul):
    """A folder of mails: whole reports, one that is cut off, and letters between them."""
    first = workload(seed=1)
    second = first.later()
    makes = [report(workload=second), report(workload=first, truncated=0.5), report("11.2", workload=second.later())]
    found = outcome(mail_folder(makes))
    assert [record.begin.time_ns for record in found.records] == [seoul(made.truth.begin) for made in makes]
    assert [Fault.TRUNCATED in record.faults for record in found.records] == [False, True, False]
    alone = [outcome(made.data).records[0] for made in makes]
    assert [record.identity for record in found.records] == [record.identity for record in alone]
    for record, single in zip(found.records, alone, strict=True):
        for name, table in record.tables.items():
            assert table.keys() == single.tables[name].keys()
    assert found.events == ()  # reports in any order are no clock that was set back
    assert found.ledger.warnings == ()
    assert found.ledger.hostname == "dbsrv01"


def test_reports_of_several_hosts_name_none(outcome):
    data = mail_folder([report(workload=workload(host="a")), report(workload=workload(host="b"))])
    assert outcome(data).ledger.hostname == ""


@pytest.mark.parametrize(
    "given",
    [
        {"crlf": True},
        {"blank_lines": 5},
        {"encoding": "utf-16"},
        {"mail": True},
        {"mail": True, "encoding": "cp949"},
        {"charset": True, "encoding": "euc-kr"},
    ],
)
def test_forms_of_files(outcome, parser, given):
    made, plain = report("19c", **given), report("19c")
    assert parser.sniff(made.data[: 1 << 16], "a.html") > 0.9
    (found,), (expected,) = outcome(made.data).records, outcome(plain.data).records
    assert found.identity == expected.identity
    assert (found.begin, found.end, found.faults) == (expected.begin, expected.end, ())
    for name, table in expected.tables.items():
        assert (found.tables[name].texts, len(found.tables[name])) == (table.texts, len(table))
    assert found.first_line == 1 + given.get("blank_lines", 0) + ("mail" in given)  # a comment of the mail program's


def test_encodings_are_remembered(outcome):
    assert outcome(report(encoding="cp949").data).ledger.variant == "cp949"
    assert outcome(report(encoding="utf-16").data).ledger.variant == "utf-16"
    assert outcome(report().data).ledger.variant == ""
    damaged = report().data.replace("거래내역".encode(), b"\xff\xfe\x81")
    ledger = outcome(damaged).ledger
    assert (ledger.variant, ledger.warnings) == ("replaced", ("encoding_replaced",))


@pytest.mark.parametrize("piece", [1000, 65_536])
def test_pieces_make_no_difference(outcome, piece):
    data = mail_folder([report(truncated=0.4), report("11.2", crlf=True)])
    assert difference(outcome(data), outcome(data, piece=piece)) == ""


def test_a_negative_time_is_a_restart(one):
    made = report("19c")
    minus = f">{made.truth.db_time_s:,.2f}</td>".encode()
    assert made.data.count(minus) == 1
    found = one(replace(made, data=made.data.replace(minus, b">-65.00</td>")))
    assert found.faults == (Fault.RESTART,)
    assert not found.valid
    assert found.db_time_s == -65.0


def test_a_counter_that_fell_is_said(one):
    made = report("19c")
    calls = f">{made.truth.activity['user calls']:,}</td>".encode()
    found = one(replace(made, data=made.data.replace(calls, b">-3.59642166618E+13</td>")))
    assert found.faults == (Fault.NEGATIVE,)


def test_a_restart_is_an_event_and_a_start_at_the_first_snapshot_is_none(outcome, seoul):
    made = report(workload=workload(restarted=True))
    found = outcome(made.data)
    (record,) = found.records
    assert record.faults == (Fault.RESTART,)
    assert [(event.kind, event.start_ns) for event in found.events] == [("restart", seoul(made.truth.started))]
    assert found.ledger.restarts == 1
    assert record.begin.started_ns is None
    truth = workload()
    at_begin = report(workload=replace(truth, started=truth.begin.replace(second=0)))
    assert outcome(at_begin.data).records[0].faults == ()  # printed to the minute


def test_months_that_nobody_knows_leave_the_time_open(one):
    made = report("19c")
    found = one(replace(made, data=made.data.replace(b"-Nov-", b"-Xyz-")))
    assert found.faults == (Fault.UNTIMED,)
    assert (found.begin.time_ns, found.begin.snapshot, found.end.time_ns) == (None, 1000, None)
    assert found.elapsed_s == pytest.approx(3612.0)


def test_the_zone_is_assumed_where_nobody_said_it(outcome):
    made = report("19c")
    assumed = outcome(made.data, source="engagement").ledger
    assert (assumed.zone, assumed.zone_source, assumed.needs) == ("Asia/Seoul", "engagement", ("zone",))
    said = outcome(made.data, zone="Europe/Berlin", source="user")
    assert (said.ledger.zone, said.ledger.zone_source, said.ledger.needs) == ("Europe/Berlin", "user", ())
    moved = said.records[0].begin.time_ns - outcome(made.data).records[0].begin.time_ns
    assert moved == 8 * 3600 * 10**9


def test_an_end_in_the_repeated_hour_follows_its_begin(outcome):
    """Berlin, 25 October 2026: the hour from 2 to 3 comes twice."""
    work = replace(workload(), begin=datetime(2026, 10, 25, 2, 30, 10), end=datetime(2026, 10, 25, 2, 30, 20))
    (record,) = outcome(report(workload=work).data, zone="Europe/Berlin").records
    assert record.end.time_ns - record.begin.time_ns == 10 * 10**9
    work = replace(work, begin=datetime(2026, 10, 25, 2, 40), end=datetime(2026, 10, 25, 2, 20))
    found = outcome(report(workload=work).data.replace(b"-20.00 (mins)", b"40.00 (mins)"), zone="Europe/Berlin")
    (record,) = found.records
    assert record.end.time_ns - record.begin.time_ns == 40 * 60 * 10**9
    assert (record.elapsed_s, record.faults) == (2400.0, ())


def test_an_end_before_its_begin_is_no_period(outcome):
    work = replace(workload(), begin=datetime(2026, 11, 20, 12, 0), end=datetime(2026, 11, 20, 11, 0))
    found = outcome(report(workload=work).data)
    assert found.records[0].faults == (Fault.RESTART,)
    assert found.events == ()


def test_what_the_ledger_says(outcome, seoul):
    made = report("19c")
    ledger = outcome(made.data).ledger
    assert (ledger.tool, ledger.tool_version, ledger.os, ledger.hostname) == ("awr", "19.0.0.0.0", "linux", "dbsrv01")
    assert (ledger.first_ns, ledger.last_ns) == (seoul(made.truth.begin), seoul(made.truth.end))
    assert ledger.interval_s == pytest.approx(3612.0)
    assert {entry.reason for entry in ledger.skipped} == {"section_not_read"}
