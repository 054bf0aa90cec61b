"""AWR reports in HTML: ``awrrpt`` of one instance and ``awrgrpt`` of a cluster, 10g to 23ai.

    <html><head><title>AWR Report for DB: ORCL, Inst: orcl, Snaps: 100-101</title> ...
    <h1 class="awr">WORKLOAD REPOSITORY report for</h1>
    <table ... summary="This table displays database instance information">
    ...
    </body></html>                                              a report without it was cut off

Reports of compared periods, ADDM and ASH look alike and are not read here; nor are those of Dameng, OceanBase and
openGauss.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tunebench.families.confidence import CERTAIN
from tunebench.families.database_series import period_batches
from tunebench.families.oracle.header import Clock
from tunebench.families.oracle.html_reports import HtmlDocument, HtmlReport, HtmlReportParser
from tunebench.families.oracle.values import numbers_of
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern
from tunebench.sdk.databases import DatabaseRecord

from .cluster import ClusterReport
from .sections import CLUSTER_SECTIONS, SECTIONS, SectionTable, find_sections
from .single import SingleReport

_TITLE = lazy_pattern(rb"<title[^<>]{0,200}>\s{0,200}AWR (?:RAC )?Report for (?:DB|PDB)\b", re.IGNORECASE)
_HEADING = lazy_pattern(rb">\s{0,200}WORKLOAD REPOSITORY (?:report for|REPORT \(RAC\)|PDB report)", re.IGNORECASE)
_GLOBAL = lazy_pattern(
    rb"<title[^<>]{0,200}>\s{0,200}AWR RAC Report|WORKLOAD REPOSITORY REPORT \(RAC\)"
    rb"|summary=.Database Instances Included",
    re.IGNORECASE,
)
_OTHERS = lazy_pattern(
    rb"<title[^<>]{0,200}>(?:(?!for DB)[^<]){0,300}?(?:Compar|Differ|ADDM|\bASH\b|\bWDR\b|Tibero)"
    rb"|WORKLOAD REPOSITORY COMPARE|Report for DB: (?:DAMENG|DMSERVER)\b|\bDM Database Server\b"
    rb"|OceanBase|openGauss|GaussDB|Workload Diagnosis Report",
    re.IGNORECASE,
)
_RELEASE = lazy_pattern(r"(?:1[0-9]|2[0-9])\.[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}(?:\.[0-9]{1,2})?")
_END = lazy_pattern(rb"</html\s{0,9}>|End of Report", re.IGNORECASE)
_SYSTEMS = {
    "linux": "linux",
    "solaris[": "sunos",
    "solaris ": "sunos",
    "aix": "aix",
    "hp-ux": "hp-ux",
    "windows": "windows",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 16_384
_ENOUGH_CELLS = 4000


class AwrHtmlParser(HtmlReportParser):
    """One record per report of an instance; of a cluster's report, one of the cluster and one of each instance."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "awr"
        self._clock = Clock(self.times)
        self._hosts: dict[str, None] = {}
        self._forms: dict[str, None] = {}
        self._languages: dict[str, None] = {}
        self._elapsed: list[float] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if head.startswith(_UTF16):
            head = head.decode("utf-16", "replace").encode()
        if not (_TITLE.search(head) or _HEADING.search(head)) or _OTHERS.search(_opening(head)):
            return 0.0
        return CERTAIN if _is_of_oracle(head) else 0.0

    def read_report(self, report: HtmlReport) -> Iterable[DatabaseRecord]:
        data = report.document.data
        if not (_TITLE.search(data) or _HEADING.search(data)) or _OTHERS.search(_opening(data)):
            return []
        is_global = _GLOBAL.search(data, 0, _HEAD_BYTES) is not None
        sections = find_sections(report.document.tables, CLUSTER_SECTIONS if is_global else SECTIONS)
        records = self._read_global(report, sections) if is_global else self._read_single(report, sections)
        if records:
            self._describe(report, records, is_global)
        return records

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        return period_batches(records)

    def _read_single(self, report: HtmlReport, sections: Sequence[SectionTable]) -> list[DatabaseRecord]:
        reader = SingleReport(numbers_of(_cells(sections)))
        reader.read(sections, report)
        document = report.document
        record = reader.record(self._clock, document.title, _first_line(document), _is_whole(document))
        if record is None:
            return []
        self._note(reader.header.language, reader.into.numbers.decimal_comma, reader.into.warnings)
        return [record]

    def _read_global(self, report: HtmlReport, sections: Sequence[SectionTable]) -> list[DatabaseRecord]:
        reader = ClusterReport(numbers_of(_cells(sections)))
        reader.read(sections, report)
        document = report.document
        records = reader.records(self._clock, document.title, _first_line(document), _is_whole(document))
        for language in reader.languages or [""]:
            self._note(language, reader.numbers.decimal_comma, reader.warnings)
        return records

    def _note(self, language: str, decimal_comma: bool, warnings: Iterable[str]) -> None:
        self._languages |= dict.fromkeys(filter(None, (language, "1.234,5" if decimal_comma else "")))
        for key in warnings:
            self.book.warn(key)

    def _describe(self, report: HtmlReport, records: Sequence[DatabaseRecord], is_global: bool) -> None:
        """What the ledger says of the captures of this file."""
        encoding = "" if report.encoding == "utf-8" else report.encoding
        self._forms |= dict.fromkeys(["RAC" if is_global else "", encoding])
        self._hosts |= {record.identity.host: None for record in records if record.identity.host}
        self._elapsed += [record.elapsed_s for record in records[:1] if record.elapsed_s and record.elapsed_s > 0]
        if report.encoding == "replaced":
            self.book.warn("encoding_replaced")
        book = self.book
        book.tool_version = book.tool_version or records[0].identity.version
        platform = next((record.identity.platform for record in records if record.identity.platform), "")
        book.os = book.os or _system_of(platform)
        book.hostname = next(iter(self._hosts)) if len(self._hosts) == 1 else ""
        book.variant = " ".join(filter(None, self._forms))
        book.locale = " ".join(self._languages)
        book.interval_s = sorted(self._elapsed)[len(self._elapsed) // 2] if self._elapsed else None


def _opening(data: bytes) -> bytes:
    """Title and first heading; what stands in tables may speak of any database."""
    end = data.find(b"<table", 0, _HEAD_BYTES)
    return data[: end if end >= 0 else _HEAD_BYTES]


def _is_of_oracle(head: bytes) -> bool:
    """Whether a table names a release as Oracle numbers them; others print this title over tables of their own."""
    sections = find_sections(HtmlDocument(head).tables[:12], (*SECTIONS[:1], *CLUSTER_SECTIONS[:2]))
    releases = [row.cells for one in sections if one.section is not None for row in list(one.table.rows)[:4]]
    return any(one.section is not None and one.section.name == "summary" for one in sections) or any(
        _RELEASE.fullmatch(cell) for cells in releases for cell in cells
    )


def _is_whole(document: HtmlDocument) -> bool:
    return _END.search(document.data, max(0, len(document.data) - 20_000)) is not None


def _first_line(document: HtmlDocument) -> int:
    """The number of the report's first line that is not blank."""
    return document.line_at(len(document.data) - len(document.data.lstrip()))


def _cells(sections: Sequence[SectionTable]) -> Iterable[str]:
    """Enough cells to tell decimal commas from points."""
    left = _ENOUGH_CELLS
    for one in sections:
        for row in one.table.rows if one.section is not None else ():
            yield from row.cells
            left -= len(row.cells)
        if left < 0:
            return


def _system_of(platform: str) -> str:
    return next((name for word, name in _SYSTEMS.items() if word in platform.casefold()), "")
