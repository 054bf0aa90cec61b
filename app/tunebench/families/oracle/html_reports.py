"""Base class of parsers for reports in HTML: one or several in a file, each read as a whole when its end is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.families.lines import RecordParser
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.html_tables import MOST_BYTES, MOST_TAGS, HtmlDocument, HtmlNote, HtmlRow, HtmlTable
from tunebench.sdk.parsing import ParseContext

__all__ = ["HtmlDocument", "HtmlNote", "HtmlReport", "HtmlReportParser", "HtmlRow", "HtmlTable"]

_BEGIN = lazy_pattern(rb"<html(?=[\s>])", re.IGNORECASE)
_HEADER, _BLANK, _DATA, _SKIPPED, _PROSE = range(5)


@record(frozen=False)
class HtmlReport:
    """One report and what became of its tables.

    Attributes:
        encoding: of the bytes of the capture; ``replaced`` where some fit none.
        used: tables whose rows were read.
        refused: tables that were not read although they are known, with the reason (below ``ledger.skipped.``).
    """

    document: HtmlDocument
    encoding: str
    used: list[HtmlTable] = field(default_factory=list)
    refused: list[tuple[HtmlTable, str]] = field(default_factory=list)

    def use(self, table: HtmlTable) -> None:
        self.used.append(table)

    def refuse(self, table: HtmlTable, reason: str) -> None:
        self.refused.append((table, reason))


class HtmlReportParser(RecordParser):
    """A subclass reads one report in `read_report`; a file may hold many, one after the other.

    The ledger counts the lines of tables that were used as data, those of others as skipped (`section_not_read`, with
    the table's summary as the example), what stands before a report's first tag and behind its end as skipped, and
    other markup as heading.
    """

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.__parts: list[bytes] = []
        self.__size = 0
        self.__tags = 0
        self.__lines = 0  # ends of lines in the report that is being collected
        self.__first_line = 1
        self.__inside_line = False  # whether its first line began with the report before it
        self.__too_large = False

    # -- for subclasses --------------------------------------------------------------------------

    def read_report(self, report: HtmlReport) -> Iterable[DatabaseRecord]:
        """The records of one report; none where it is not of this parser's kind."""
        raise NotImplementedError

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        """Series out of the records of one report; none here."""
        return ()

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        return self.__take(b"\n".join((*lines, b"")) if lines else b"")

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        return self.__take(text)

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self.__close()

    def __take(self, text: bytes) -> Iterable[SampleBatch]:
        at = 0
        for begin in _BEGIN.finditer(text):
            self.__keep(text[at : begin.start()])
            at = begin.start()
            if any(part.strip() for part in self.__parts) or self.__too_large:
                yield from self.__close()
        self.__keep(text[at:])

    def __keep(self, text: bytes) -> None:
        self.__lines += text.count(b"\n")
        self.__size += len(text)
        self.__tags += text.count(b"<")
        if self.__size > MOST_BYTES or self.__tags > MOST_TAGS:
            self.__parts.clear()
            self.__too_large = True
        elif text:
            self.__parts.append(text)

    def __close(self) -> Iterable[SampleBatch]:
        data = b"".join(self.__parts)
        lines, first, inside = self.__lines, self.__first_line, self.__inside_line
        if self.__too_large:
            self.book.skip("report_too_large", first, b"", lines - inside)
            records: list[DatabaseRecord] = []
        else:
            records = self.__read(data, first, inside)
        self.__first_line = first + lines
        self.__inside_line = bool(data) and not data.endswith(b"\n")
        self.__parts, self.__size, self.__tags, self.__lines, self.__too_large = [], 0, 0, 0, False
        yield from self.batches_of(records)

    def __read(self, data: bytes, first_line: int, inside_line: bool) -> list[DatabaseRecord]:
        document = HtmlDocument(data, first_line)
        report = HtmlReport(document, "utf-16" if self.is_utf16 else document.encoding)
        records = list(self.read_report(report)) if data.strip() else []
        self.__account(report, data, inside_line, bool(records))
        self._keep_records(records)
        return records

    def __account(self, report: HtmlReport, data: bytes, inside_line: bool, is_ours: bool) -> None:
        lines = data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        if inside_line:
            del lines[:1]
        first = report.document.first_line + inside_line
        kinds = np.full(len(lines), _HEADER, dtype=np.uint8)
        if not is_ours:
            kinds[:] = _PROSE
        elif b"<" in data:
            kinds[: max(0, data.count(b"\n", 0, data.index(b"<")) - inside_line)] = _PROSE
            end = max(data.rfind(b"</html"), data.rfind(b"</HTML"))
            if end >= 0:
                kinds[max(0, data.count(b"\n", 0, end) + 1 - inside_line) :] = _PROSE
        reasons = self.__mark_skipped(report, kinds, first) if is_ours else {}
        for table in report.used if is_ours else ():
            kinds[max(0, table.first_line - first) : table.last_line - first + 1] = _DATA
        for index, line in enumerate(lines):
            if not line.strip():
                kinds[index] = _BLANK
        self.__book_lines(lines, kinds, first, reasons)

    @staticmethod
    def __mark_skipped(report: HtmlReport, kinds: NDArray[np.uint8], first: int) -> dict[int, tuple[str, str]]:
        """Marks the lines of tables that were not read; gives reason and example for each such line's place."""
        reasons: dict[int, tuple[str, str]] = {}
        refused = {id(table): reason for table, reason in report.refused}
        used = {id(table) for table in report.used}
        for table in report.document.tables:
            if id(table) in used:
                continue
            start, stop = max(0, table.first_line - first), table.last_line - first + 1
            kinds[start:stop] = _SKIPPED
            why = refused.get(id(table), "section_not_read"), table.summary
            reasons.update(dict.fromkeys(range(start, min(stop, len(kinds))), why))
        return reasons

    def __book_lines(
        self, lines: Sequence[bytes], kinds: NDArray[np.uint8], first: int, reasons: dict[int, tuple[str, str]]
    ) -> None:
        counts = np.bincount(kinds, minlength=5)
        self.book.header(int(counts[_HEADER]))
        self.book.blank(int(counts[_BLANK]))
        self.book.data(int(counts[_DATA]))
        for index in np.flatnonzero(kinds == _SKIPPED).tolist():
            reason, example = reasons[index]
            self.book.skip(reason, first + index, example or lines[index])
        prose = np.flatnonzero(kinds == _PROSE)
        if len(prose):
            self.book.skip("prose", first + int(prose[0]), lines[int(prose[0])], len(prose))
