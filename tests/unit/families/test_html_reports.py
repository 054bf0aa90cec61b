"""Reports in a file: several after each other, lines of each accounted for, too large ones left out."""

from __future__ import annotations

import time
from typing import cast

import pytest

from tunebench.families.oracle.html_reports import HtmlReportParser
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Moment, Reach
from tunebench.sdk.parsing import ParseContext, Parser
from tunebench.sdk.testkit_runs import difference, parse


class OneTable(HtmlReportParser):
    """Reads tables whose summary is ``mine``."""

    def read_report(self, report):
        mine = [table for table in report.document.tables if table.key == "mine"]
        for table in mine:
            report.use(table)
        for table in report.document.tables:
            if table.key == "odd":
                report.refuse(table, "columns_unknown")
        names = [row.cells[0] for table in mine for row in table.rows]
        return [record(name, report.document.first_line) for name in names[:1]]


def record(name, line):
    identity = DatabaseIdentity("oracle", name=name)
    return DatabaseRecord("awr_html", Reach.PERIOD, identity, Moment(time_ns=line), Moment(time_ns=0), first_line=line)


def page(name):
    return (
        f'<html>\n<h1>{name}</h1>\n\n<table summary="mine">\n<tr><td>{name}</td></tr>\n\n</table>\n'
        '<table summary="other">\n<tr><td>1</td></tr>\n</table>\n<table summary="odd"><tr><td>1</td></tr></table>\n</html>\n'
    )


def read(text, piece=0):
    data = text if isinstance(text, bytes) else text.encode()
    return parse(cast("type[Parser]", OneTable), ParseContext(), data, piece)


def counts(outcome):
    lines = outcome.ledger.lines
    skipped = {entry.reason: (entry.count, entry.first_line, entry.example) for entry in outcome.ledger.skipped}
    return (lines.total, lines.data, lines.header, lines.blank), skipped


def test_every_line_is_accounted_for():
    outcome = read(page("A"))
    assert counts(outcome) == ((12, 3, 3, 2), {"section_not_read": (3, 8, "other"), "columns_unknown": (1, 11, "odd")})
    assert outcome.ledger.lines.balanced
    assert [one.identity.name for one in outcome.records] == ["A"]


def test_several_reports_in_one_file():
    mail = "From: a@example.com\nSubject: two reports\n\n"
    outcome = read(mail + page("A") + mail + page("B"))
    assert [(one.identity.name, one.first_line) for one in outcome.records] == [("A", 4), ("B", 19)]
    assert outcome.ledger.lines.total == 30
    assert counts(outcome)[1]["prose"] == (4, 1, "From: a@example.com")
    assert outcome.ledger.lines.balanced


def test_a_report_that_begins_in_the_line_where_another_ends():
    outcome = read(page("A").rstrip("\n") + page("B"))
    assert [(one.identity.name, one.first_line) for one in outcome.records] == [("A", 1), ("B", 12)]
    assert outcome.ledger.lines.total == 23
    assert outcome.ledger.lines.balanced


def test_what_is_none_of_ours_is_text():
    outcome = read("<html>\n<table summary='x'>\n<tr><td>1</td></tr></table>\n")
    assert counts(outcome) == ((3, 0, 0, 0), {"prose": (3, 1, "<html>")})


@pytest.mark.parametrize("piece", [1, 7, 64])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_pieces_make_no_difference(piece, encoding):
    data = (page("A") + page("나")).replace("\n", "\r\n").encode(encoding)
    assert difference(read(data), read(data, piece)) == ""
    assert [one.identity.name for one in read(data).records] == ["A", "나"]


def test_records_are_given_as_they_are_complete():
    parser = OneTable(ParseContext())
    list(parser.feed((page("A") + page("B")).encode()))
    assert [one.identity.name for one in parser.take_records()] == ["A"]
    list(parser.finish())
    assert [one.identity.name for one in parser.take_records()] == ["B"]
    assert parser.take_records() == []


def test_a_report_that_is_too_large_is_skipped_and_the_next_one_read(monkeypatch):
    monkeypatch.setattr("tunebench.families.oracle.html_reports.MOST_BYTES", 2000)
    large = "<html>\n" + "<p>more and more</p>\n" * 200
    outcome = read(page("A") + large + page("B"), piece=100)
    assert [one.identity.name for one in outcome.records] == ["A", "B"]
    assert counts(outcome)[1]["report_too_large"] == (201, 13, "")
    assert outcome.ledger.lines.balanced


def test_a_report_of_nothing_but_tags_is_skipped_before_it_is_in_memory_a_hundredfold():
    """64 MiB of ``<td>`` took 4.4 GB and 30 s."""
    tags = "<html><table><tr>\n" + "<td>" * 2_000_000 + "\n</table></html>\n"
    begin_s = time.process_time()
    outcome = read(page("A") + tags + page("B"), piece=1 << 20)
    assert [one.identity.name for one in outcome.records] == ["A", "B"]
    assert "report_too_large" in counts(outcome)[1]
    assert outcome.ledger.lines.balanced
    assert time.process_time() - begin_s < 5


def test_the_ledger_covers_the_time_of_the_records():
    ledger = read("\n" + page("A") + page("B")).ledger
    assert (ledger.first_ns, ledger.last_ns) == (0, 14)
