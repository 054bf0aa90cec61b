"""A report in HTML in its own markup, cut into pages that a text browser shows at once: at its tables, long tables at
their rows. Nothing in them runs, and nothing is fetched from anywhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from html import unescape

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.sdk.html_tables import HtmlDocument, HtmlTable

PAGE_BYTES = 60_000
"""A browser lays out this much in about a fifth of a second."""
_STYLE = lazy_pattern(rb"<style\b[^<>]{0,200}>.{0,60000}?</style\s{0,9}>", re.IGNORECASE | re.DOTALL)
_ACTIVE = lazy_pattern(
    rb"<script\b.*?(?:</script\s{0,9}>|$)"
    rb"|</?(?:iframe|object|embed|applet|svg|form|input|link|meta|base|img)\b[^<>]{0,4000}>",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = lazy_pattern(rb"<h[1-6]\b[^<>]{0,400}>(.{0,400}?)</h[1-6]", re.IGNORECASE | re.DOTALL)
_TAG = lazy_pattern(rb"<[^<>]{0,4000}>")
_ROW = lazy_pattern(rb"<tr[\s>]", re.IGNORECASE)
_NAME = lazy_pattern(rb"""<a\b[^<>]{0,200}?\b(?:name|id)\s{0,9}=\s{0,9}["']?([^"'\s<>]{1,200})""", re.IGNORECASE)
_LONGEST_TITLE = 90


@record
class Section:
    """A table of the report, under the heading above it.

    Attributes:
        page: on which it begins.
        anchor: by which the browser finds it there.
    """

    title: str
    page: int
    anchor: str
    table: HtmlTable


@record
class _Piece:
    """A part of the report; `opening` and `closing` make a part of a table one of its own."""

    start: int
    end: int
    opening: bytes = b""
    closing: bytes = b""


class ReportPages:
    """One report. `count` pages, each made when it is asked for."""

    def __init__(self, document: HtmlDocument, page_bytes: int = PAGE_BYTES) -> None:
        self._data = document.data
        self._page_bytes = page_bytes
        self._style = b"".join(match[0] for match in _STYLE.finditer(self._data, 0, 200_000))
        self._pages: list[list[_Piece]] = []
        self._anchors: dict[int, bytes] = {}
        self.sections: list[Section] = []
        self._cut(document)
        self._first_lines = [section.table.first_line for section in self.sections]
        self._starts = [pieces[0].start for pieces in self._pages]

    @property
    def count(self) -> int:
        return len(self._pages)

    # --- cutting
    def _cut(self, document: HtmlDocument) -> None:
        size, end = 0, 0
        for number, table in enumerate(document.tables):
            pieces = self._pieces_of(table)
            for piece in pieces:
                length = piece.end - piece.start
                if not self._pages or size + length > self._page_bytes:
                    self._pages.append([])
                    size = 0
                self._pages[-1].append(piece)
                size += length
                if piece is pieces[0]:
                    self._add_section(number, table)
            end = table.place[2]
        whole = len(self._data)
        for start in range(end, whole, self._page_bytes):
            piece = _Piece(start, min(whole, start + self._page_bytes))
            if self._pages and size + piece.end - start <= self._page_bytes:
                self._pages[-1].append(piece)
            else:
                self._pages.append([piece])

    def _add_section(self, number: int, table: HtmlTable) -> None:
        before, start, _ = table.place
        headings = list(_HEADING.finditer(self._data, before, start))
        anchor = f"tunebench-{number}"
        self._anchors[headings[-1].start() if headings else start] = f'<a name="{anchor}"></a>'.encode()
        title = _plain(headings[-1][1]) if headings else ""
        if not title and self.sections and not table.summary:
            title = self.sections[-1].title
        self.sections.append(Section((title or table.summary)[:_LONGEST_TITLE], len(self._pages) - 1, anchor, table))

    def _pieces_of(self, table: HtmlTable) -> list[_Piece]:
        before, start, end = table.place
        if end - before <= self._page_bytes:
            return [_Piece(before, end)]
        rows = [match.start() for match in _ROW.finditer(self._data, start, end)]
        if len(rows) < 2:
            return [_Piece(before, end)]
        opening = self._data[start : self._data.find(b">", start) + 1]
        first = self._data[rows[0] : rows[1]]
        heading = first if b"<th" in first.lower() else b""
        cuts = [before]
        for row in rows[2:]:
            if row - cuts[-1] > self._page_bytes:
                cuts.append(row)
        spans = zip(cuts, [*cuts[1:], end], strict=True)
        pieces = [_Piece(begin, last, opening + heading, b"</table>") for begin, last in spans]
        return [_Piece(before, pieces[0].end, b"", b"</table>"), *pieces[1:]]

    # --- showing
    def html(self, page: int) -> str:
        """What the browser is given: nothing in it runs, nothing in it is fetched."""
        body = b"".join(piece.opening + self._with_anchors(piece) + piece.closing for piece in self._pages[page])
        body = _ACTIVE.sub(b"", _STYLE.sub(b"", body))
        return f"<html><head>{self._text(self._style)}</head><body>{self._text(body)}</body></html>"

    def _with_anchors(self, piece: _Piece) -> bytes:
        inside = sorted(offset for offset in self._anchors if piece.start <= offset < piece.end)
        parts, at = [], piece.start
        for offset in inside:
            parts += [self._data[at:offset], self._anchors[offset]]
            at = offset
        return b"".join([*parts, self._data[at : piece.end]])

    @staticmethod
    def _text(data: bytes) -> str:
        return data.decode("utf-8", "replace")

    # --- finding
    def section_at(self, line: int) -> Section | None:
        """The section whose table holds this line of the capture, or is the next below it."""
        index = bisect_right(self._first_lines, line) - 1
        if index < 0:
            return self.sections[0] if self.sections else None
        if self.sections[index].table.last_line < line and index + 1 < len(self.sections):
            index += 1
        return self.sections[index]

    def page_of(self, section: Section, line: int, row: tuple[str, ...]) -> int:
        """The page of a row; a long table goes over several pages."""
        if self.pages_of(section) == 1 or not row:
            return section.page
        _, start, end = section.table.place
        rows = [match.start() for match in _ROW.finditer(self._data, start, end)]
        skipped = len(rows) - len(section.table.rows)
        index = next((n for n, entry in enumerate(section.table.rows) if entry.line == line and entry.cells == row), 0)
        return max(section.page, bisect_right(self._starts, rows[min(index + skipped, len(rows) - 1)]) - 1)

    def pages_of(self, section: Section) -> int:
        end = section.table.place[2]
        return max(bisect_right(self._starts, end - 1) - section.page, 1)

    def link(self, name: str) -> tuple[int, str] | None:
        """(page, anchor) of a place inside the report that one of its own links leads to."""
        for match in _NAME.finditer(self._data):
            if match[1].decode("utf-8", "replace") == name:
                return max(bisect_right(self._starts, match.start()) - 1, 0), name
        return None


def row_at(section: Section, line: int, words: str) -> tuple[str, ...]:
    """The cells of the row on that line, of several the one that holds `words`; empty where there is none."""
    rows = [row.cells for row in section.table.rows if row.line == line]
    return next((cells for cells in rows if words and words in cells), rows[0] if rows else ())


def _plain(markup: bytes) -> str:
    return " ".join(unescape(_TAG.sub(b" ", markup).decode("utf-8", "replace")).split())
