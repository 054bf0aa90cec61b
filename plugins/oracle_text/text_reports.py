"""Parsers of the text reports: ``awrrpt`` of 10g to 23ai, and ``spreport`` (Statspack) of 9i to 19c.

    STATSPACK report for                                         WORKLOAD REPOSITORY report for

    Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC
    ~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---
              1234567890 orcl                1 01-Nov-26 03:15 19.0.0.0.0  NO
    ...
    End of Report ( sp_11_12.lst )                               a report without it was cut off

A file may hold several. Encoding: UTF-8, else the Korean code page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tunebench.families.confidence import CERTAIN
from tunebench.families.database_series import period_batches
from tunebench.families.lines import RecordParser
from tunebench.families.oracle.header import Clock
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern
from tunebench.sdk.databases import DatabaseRecord

from .reports import TextReport
from .ruler import is_end, is_ruler
from .sections import Section

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = lazy_pattern(rb"<(?:html|head|body|h1|table)\b", re.IGNORECASE)
_IDENTITY = lazy_pattern(rb"^[^\r\n]{0,80}\bDB ?Id\b|^[^\r\n]{0,60}\bSnap ?Id\b", re.MULTILINE)
_OTHERS = lazy_pattern(rb"DAMENG|OceanBase|openGauss|GaussDB|Tibero", re.IGNORECASE)
_SYSTEMS = {
    "linux": "linux",
    "solaris[": "sunos",
    "solaris ": "sunos",
    "aix": "aix",
    "hp-ux": "hp-ux",
    "windows": "windows",
}
_MOST_BYTES = 64 << 20
_LONGEST_LINE = 4000
_HEADER, _BLANK, _DATA, _SKIPPED, _REFUSED = range(5)


class OracleTextParser(RecordParser):
    """Collects the lines of a report and reads them when the next one begins or the file ends."""

    TOOL = ""
    SOURCE = ""
    BEGIN: re.Pattern[bytes]

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = self.TOOL
        self._clock = Clock(self.times)
        self._lines: list[tuple[int, bytes]] = []
        self._size = 0
        self._inside = False
        self._hosts: dict[str, None] = {}
        self._encodings: dict[str, None] = {}
        self._languages: dict[str, None] = {}
        self._elapsed: list[float] = []

    @classmethod
    def _confidence(cls, head: bytes) -> float:
        if head.startswith(_UTF16):
            head = head.decode("utf-16", "replace").encode()
        begin = cls.BEGIN.search(head)
        if begin is None or _MARKUP.search(head, 0, begin.end() + 200) or _OTHERS.search(head, 0, begin.end() + 2000):
            return 0.0
        return CERTAIN if _IDENTITY.search(head, begin.end(), begin.end() + 4000) else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            if self.BEGIN.match(line):
                yield from self._close()
                self._inside = True
            if self._inside:
                self._keep(number, line)
            elif line.strip():
                self.book.skip("prose", number, line)
            else:
                self.book.blank()

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self._close()

    def _keep(self, number: int, line: bytes) -> None:
        self._size += len(line)
        if self._size > _MOST_BYTES:
            for kept, text in self._lines:
                self.book.skip("report_too_large", kept, text)
            self._lines.clear()
            self.book.skip("report_too_large", number, line)
        else:
            self._lines.append((number, line))

    def _close(self) -> Iterable[SampleBatch]:
        lines, self._lines, self._size = self._lines, [], 0
        if not lines:
            return
        texts, encoding = _decoded([line for _, line in lines])
        numbered = [(number, text) for (number, _), text in zip(lines, texts, strict=True)]
        report = TextReport(numbered)
        record = report.record(self._clock, self.SOURCE)
        self._account(report, numbered, record is not None)
        if record is not None:
            self._keep_records([record])
            self._describe(report, record, encoding)
            yield from period_batches([record])

    # -- the account -----------------------------------------------------------------------------

    def _account(self, report: TextReport, lines: Sequence[tuple[int, str]], recognised: bool) -> None:
        kinds = {number: _DATA if recognised else _SKIPPED for number, _ in report.report.head}
        used, refused = set(map(id, report.used)), set(map(id, report.refused))
        for section in report.report.sections:
            kind = _DATA if id(section) in used else _REFUSED if id(section) in refused else _SKIPPED
            kinds |= _kinds_of(section, kind)
        for number, text in lines:
            kind = kinds.get(number, _SKIPPED)
            if not text.strip():
                self.book.blank()
            elif kind in (_SKIPPED, _REFUSED):
                reason = "columns_unknown" if kind == _REFUSED else "section_not_read" if recognised else "prose"
                self.book.skip(reason, number, text)
            elif kind == _HEADER or is_ruler(text) or is_end(text):
                self.book.header()
            else:
                self.book.data()

    def _describe(self, report: TextReport, record: DatabaseRecord, encoding: str) -> None:
        """What the ledger says of the captures of this file."""
        book, identity = self.book, record.identity
        encoding = "utf-16" if self.is_utf16 else encoding
        self._encodings |= dict.fromkeys(filter(None, [encoding]))
        comma = "1.234,5" if report.into.numbers.decimal_comma else ""
        self._languages |= dict.fromkeys(filter(None, (report.header.language, comma)))
        self._hosts |= {identity.host: None} if identity.host else {}
        self._elapsed += [record.elapsed_s] if record.elapsed_s and record.elapsed_s > 0 else []
        for key in (*report.into.warnings, *(["encoding_replaced"] if encoding == "replaced" else [])):
            book.warn(key)
        book.tool_version = book.tool_version or identity.version
        platform = identity.platform.casefold()
        book.os = book.os or next((name for word, name in _SYSTEMS.items() if word in platform), "")
        book.hostname = next(iter(self._hosts)) if len(self._hosts) == 1 else ""
        book.variant = " ".join(self._encodings)
        book.locale = " ".join(self._languages)
        book.interval_s = sorted(self._elapsed)[len(self._elapsed) // 2] if self._elapsed else None


class StatspackParser(OracleTextParser):
    """``spreport`` of 9i to 19c."""

    TOOL = "statspack"
    SOURCE = "statspack"
    BEGIN = lazy_pattern(rb"^[ \t\f]{0,20}STATSPACK (?:Statistics )?report for\b", re.IGNORECASE | re.MULTILINE)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return StatspackParser._confidence(head)


class AwrTextParser(OracleTextParser):
    """``awrrpt`` with report type ``text``."""

    TOOL = "awr"
    SOURCE = "awr_text"
    BEGIN = lazy_pattern(
        rb"^[ \t\f]{0,20}WORKLOAD REPOSITORY (?:report for|PDB report)\b", re.IGNORECASE | re.MULTILINE
    )

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return AwrTextParser._confidence(head)


def _decoded(lines: Sequence[bytes]) -> tuple[list[str], str]:
    """Texts of lines, and their encoding where it is not UTF-8; ``replaced`` where some bytes fit none."""
    data = b"\n".join(line[:_LONGEST_LINE].replace(b"\0", b" ") for line in lines)
    for encoding in ("utf-8", "cp949"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return [_plain(line) for line in text.split("\n")], "" if encoding == "utf-8" else encoding
    return [_plain(line) for line in data.decode("utf-8", "replace").split("\n")], "replaced"


def _plain(line: str) -> str:
    return line.expandtabs(8).replace("\f", "").replace("\xa0", " ").rstrip()


def _kinds_of(section: Section, kind: int) -> dict[int, int]:
    """Rows are what the section is; titles, remarks and headings of one that was read are headings."""
    if kind != _DATA:
        return dict.fromkeys((number for number, _ in section.lines), kind)
    rows = {number for table in section.tables for number, _ in table.rows}
    if not rows:
        rows = {number for number, _ in section.lines} - {section.first_line}
    return {number: _DATA if number in rows else _HEADER for number, _ in section.lines}
