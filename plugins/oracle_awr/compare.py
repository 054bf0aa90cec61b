"""Reports that compare two periods: ``awrddrpt`` of an instance, ``awrgdrpt`` of a cluster. Two records come out.

    <title>AWR Compare Period Report for DB: ORCL, Inst: orcl, Snaps: 91-92, DB: ORCL, Inst: orcl, Snaps: 88-89</title>

What such a report says of statements are shares of a total and rounded averages. A share of a total that is printed
exactly beside it gives the statement's own total; averages are left out, and so is the difference that Oracle printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tunebench.families.confidence import CERTAIN
from tunebench.families.database_series import period_batches
from tunebench.families.oracle.header import Clock
from tunebench.families.oracle.html_reports import HtmlReport, HtmlReportParser
from tunebench.families.oracle.values import numbers_of
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern
from tunebench.sdk.databases import DatabaseRecord

from .compare_sections import CompareReport

_TITLE = lazy_pattern(rb"<title[^<>]{0,200}>\s{0,200}AWR (?:RAC |Global )?(?:Compar|Diff)[a-z]*", re.IGNORECASE)
_HEADING = lazy_pattern(rb">\s{0,200}WORKLOAD REPOSITORY (?:RAC |GLOBAL )?COMPARE PERIOD", re.IGNORECASE)
_OTHERS = lazy_pattern(rb"DAMENG|OceanBase|openGauss|GaussDB|Tibero", re.IGNORECASE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_END = lazy_pattern(rb"</html\s{0,9}>|End of Report", re.IGNORECASE)
_ENOUGH_CELLS = 4000
_OPENING = 16_384


class AwrCompareParser(HtmlReportParser):
    """The first period's record, then the second's."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "awr"
        self._clock = Clock(self.times)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if head.startswith(_UTF16):
            head = head.decode("utf-16", "replace").encode()
        return CERTAIN if _is_ours(head) else 0.0

    def read_report(self, report: HtmlReport) -> Iterable[DatabaseRecord]:
        document = report.document
        if not _is_ours(document.data):
            return []
        reader = CompareReport(numbers_of(_cells(report)))
        for table in document.tables:
            if reader.read(table):
                report.use(table)
        whole = _END.search(document.data, max(0, len(document.data) - 20_000)) is not None
        first_line = document.line_at(len(document.data) - len(document.data.lstrip()))
        records = reader.records(self._clock, document.title, first_line, whole)
        if records:
            self._describe(report, records)
        return records

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        return period_batches(records)

    def _describe(self, report: HtmlReport, records: Sequence[DatabaseRecord]) -> None:
        book = self.book
        if report.encoding == "replaced":
            book.warn("encoding_replaced")
        book.variant = " ".join(filter(None, ("compare", "" if report.encoding == "utf-8" else report.encoding)))
        book.tool_version = book.tool_version or records[0].identity.version
        hosts = {record.identity.host for record in records if record.identity.host}
        book.hostname = next(iter(hosts)) if len(hosts) == 1 else ""


def _is_ours(data: bytes) -> bool:
    end = data.find(b"<table", 0, _OPENING)
    opening = data[: end if end >= 0 else _OPENING]
    return bool(_TITLE.search(opening) or _HEADING.search(opening)) and _OTHERS.search(opening) is None


def _cells(report: HtmlReport) -> Iterable[str]:
    """Enough cells to tell decimal commas from points."""
    left = _ENOUGH_CELLS
    for table in report.document.tables:
        for row in table.rows:
            yield from row.cells
            left -= len(row.cells)
        if left < 0:
            return
