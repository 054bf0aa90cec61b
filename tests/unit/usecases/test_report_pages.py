"""A report in HTML is cut into pages that hold every row, and lose nothing."""

from __future__ import annotations

from tests.made.awr import report, workload
from tunebench.sdk.html_tables import HtmlDocument
from tunebench.usecases.importing.report_pages import PAGE_BYTES, ReportPages, row_at


def test_a_report_without_tables_and_a_form_around_lose_nothing() -> None:
    data = b"<html><body><form action='http://x/'>" + b"<p>word</p>\n" * 30_000 + b"<p>last</p></form></body></html>"
    pages = ReportPages(HtmlDocument(data))
    whole = "".join(pages.html(page) for page in range(pages.count))
    assert whole.count("<p>word</p>") >= 30_000 - pages.count and "last" in whole and "http://x/" not in whole


def test_a_large_report_is_cut_into_pages_that_hold_every_row() -> None:
    data = report("19c", top=300, workload=workload(seed=3, statements=300)).data
    document = HtmlDocument(data)
    pages = ReportPages(document)
    assert pages.count > 10 and max(len(pages.html(page)) for page in range(pages.count)) < 2 * PAGE_BYTES
    section = next(own for own in pages.sections if own.title == "SQL ordered by Elapsed Time")
    for row in (section.table.rows[0], section.table.rows[150], section.table.rows[-1]):
        assert pages.section_at(row.line) is section and row_at(section, row.line, "") == row.cells
        page = pages.page_of(section, row.line, row.cells)
        sql_id = next(cell for cell in row.cells if len(cell) == 13)
        assert sql_id in pages.html(page)


# -- time line ---------------------------------------------------------------------------------------
