"""What mail, SQL*Plus and customers do to reports, and reports that must not be used."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.made.awr import report, text, workload
from tunebench.sdk.databases import Fault


@pytest.mark.parametrize(
    "given",
    [
        {"crlf": True},
        {"form_feeds": True},
        {"tabs": True},
        {"encoding": "cp949"},
        {"encoding": "utf-16"},
        {"locale": "ko", "encoding": "cp949"},
        {"page": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize(("kind", "version"), [("statspack", "11.2"), ("awr", "11.2"), ("statspack", "9.2")])
def test_the_same_out_of_other_bytes(outcome, kind, version, given):
    """Line ends, form feeds, tabulators and encodings change neither figures nor texts."""
    made, changed = text(kind, version), text(kind, version, **given)
    (expected,) = outcome(made.data, kind).records
    found = outcome(changed.data, kind)
    (record,) = found.records
    for name, table in expected.tables.items():
        assert record.tables[name].texts == table.texts, name
        for column, values in table.figures.items():
            assert record.tables[name].figures[column].tolist() == pytest.approx(values.tolist(), nan_ok=True), (
                name,
                column,
            )
    encoding = given.get("encoding", "")
    assert found.ledger.variant == encoding


@pytest.mark.parametrize("piece", [1, 7, 64, 4096])
def test_pieces_change_nothing(outcome, piece):
    data = text("statspack").data
    whole, pieces = outcome(data), outcome(data, piece=piece)
    assert whole.records == pieces.records
    assert whole.ledger == pieces.ledger


def test_bytes_of_no_encoding_are_told(outcome):
    data = text("statspack").data.replace(b"JDBC Thin Client", b"JDBC \xff\xff\x00 Client")
    found = outcome(data)
    assert "encoding_replaced" in found.ledger.warnings
    assert len(found.records) == 1


def test_several_reports_with_mail_between(outcome):
    first = workload(seed=3)
    later = first.later(minutes=30)
    data = (
        b"From: dba@example.com\n\n"
        + text(workload=first).data
        + b"\n-- \nsent from my phone\n"
        + text(workload=later, version="19c").data
    )
    found = outcome(data)
    assert [record.end.snapshot for record in found.records] == [1001, 1002]
    assert found.records[1].first_line > found.records[0].first_line > 1
    assert all(record.faults == () for record in found.records)
    assert {skipped.reason for skipped in found.ledger.skipped} <= {"prose", "section_not_read"}
    for record in found.records:
        lines = data.split(b"\n")
        table = record.table("statement_text")
        for line, words in zip(table.lines.tolist(), table.text("text"), strict=True):
            assert lines[line - 1].decode().strip()[:20] == words.strip()[:20]


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize(("kind", "version"), [("statspack", "11.2"), ("awr", "19c")])
def test_a_report_that_was_cut_off(outcome, kind, version, share):
    found = outcome(text(kind, version, truncated=share).data, kind)
    for record in found.records:
        assert Fault.TRUNCATED in record.faults
    if share >= 0.1:
        (record,) = found.records
        whole = outcome(text(kind, version).data, kind).records[0]
        assert set(record.tables) | set(record.absent) >= set(whole.tables) & {"statement", "io", "parameter"}
    if share == 0.3:
        assert "parameter" in record.absent


def test_a_restart_inside(one):
    made = text(workload=workload(restarted=True))
    record = one(made)
    assert Fault.RESTART in record.faults
    assert not record.valid
    assert record.begin.started_ns is None


def test_processors_that_changed(one):
    assert Fault.CPU_COUNT in one(text(workload=workload(end_cpus=64))).faults
    assert Fault.CPU_COUNT not in one(text()).faults


def test_a_counter_that_fell(one):
    work = workload()
    record = one(text(workload=replace(work, activity={**work.activity, "user calls": -5})))
    assert Fault.NEGATIVE in record.faults


def test_an_end_before_the_begin(one):
    work = replace(workload(), begin=datetime(2026, 11, 20, 12, 0), end=datetime(2026, 11, 20, 11, 0))
    assert Fault.RESTART in one(text(workload=work)).faults


def test_own_statements_are_left_out(one, rows):
    record = one(text(top=40, workload=workload(own_statement=True)))
    assert not any("tunebench" in row["text"] for row in rows(record, "statement_text", "statement_id").values())
    assert rows(record, "fact", "scope", "name")["capture", "own_statements"]["value"] == "1"


def test_points_in_a_count_part_thousands(one, rows):
    """As one edited by hand has them; the list's rates would show it otherwise."""
    made = text("statspack")
    statement = max(made.truth.statements, key=lambda one: one.elapsed_s)
    printed = f"{statement.executions:,}".encode()
    data = made.data.replace(
        printed, printed.replace(b",", b".", 1) if printed.count(b",") == 1 else printed.replace(b",", b"."), 1
    )
    assert data != made.data
    found = rows(one(replace(made, data=data)), "statement", "statement_id")
    assert {row["executions"] for row in found.values() if "executions" in row} >= {float(statement.executions)}


def test_text_that_looks_like_a_row(one, rows):
    """A statement's text may hold numbers and names as long as an SQL_ID."""
    work = workload(statements=3)
    odd = f"{'1.0':>15} {'2':>12} and abcdefghijklm is no row of figures"
    work = replace(work, statements=tuple(replace(one, text=odd, module="m") for one in work.statements))
    record = one(text("awr", "11.2", workload=work), "awr")
    assert len(record.table("statement")) == len(
        {one for names in text("awr", "11.2", workload=work).lists.values() for one in names}
    )


def test_sections_that_are_not_read_are_named(outcome):
    skipped = {one.reason: one for one in outcome(text().data).ledger.skipped}
    assert set(skipped) == {"section_not_read"}
    read = outcome(text().data).ledger.lines
    assert read.data > read.skipped


@pytest.mark.parametrize("version", ["9.2", "11.2"])
def test_which_file_is_whose(parsers, version):
    for kind in ("statspack", "awr") if version != "9.2" else ("statspack",):
        head = text(kind, version).data[:65_536]
        for name, parser in parsers.items():
            assert (parser.sniff(head, "report.txt") > 0.9) == (name == kind)
        assert parsers[kind].sniff(head.decode().encode("utf-16"), "report.txt") > 0.9


@pytest.mark.parametrize(
    "data",
    [
        report().data,
        b"",
        b"WORKLOAD REPOSITORY report for\n",
        b"STATSPACK report for\n\nnothing\n",
        b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n\nDB Id\n",
        b"AWR Report for DB: DAMENG\nWORKLOAD REPOSITORY report for\nDB Id Snap Id\n",
    ],
)
def test_files_of_others(parsers, outcome, data):
    for kind, parser in parsers.items():
        assert parser.sniff(data[:65_536], "x.txt") == 0.0
        assert outcome(data[:20_000], kind).records == ()


def test_series(outcome):
    found = outcome(text("statspack").data)
    assert found.batches
    assert all(found_one.times_ns.tolist() == [found.records[0].end.time_ns] for found_one in found.batches)
