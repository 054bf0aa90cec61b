"""Tables out of an HTML report: what names them, their headings, their cells as text, and the line of every row.

A report is cut into its tables by their tags alone, so that one which ends in the middle gives what is there; the
markup inside a table is left to lxml. A table is parsed when somebody asks for its rows.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import unescape
from typing import Any

import numpy as np

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

MOST_BYTES = 64 << 20
"""A report of more is not kept in memory."""
MOST_TAGS = 2_000_000
"""Of a report, their ends counted as well: lxml needs some 300 bytes for each, and a real report has one in 20."""
_TABLE_TAG = lazy_pattern(rb"<(/?)table\b([^<>]{0,4000})(?:>|(?=<)|$)", re.IGNORECASE)
_SUMMARY = lazy_pattern(r"""summary\s{0,9}=\s{0,9}(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+))""", re.IGNORECASE)
_TAG = lazy_pattern(rb"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})[^<>]{0,4000}>")
_ROW_TAG = lazy_pattern(rb"<tr[\s>]", re.IGNORECASE)
_TITLE = lazy_pattern(rb"<title[^<>]{0,200}>([^<]{0,2000})", re.IGNORECASE)
_CHARSET = lazy_pattern(
    rb"""<meta[^<>]{0,300}?charset\s{0,9}=\s{0,9}["']?(utf-8|euc-(?:kr|jp|cn)|ks_c_5601-1987|cp\d{3,4}|shift_jis|gbk"""
    rb"""|gb2312|gb18030|big5|windows-\d{3,4}|iso-8859-\d{1,2}|koi8-[ru])\b""",
    re.IGNORECASE,
)
_HIDDEN = frozenset({b"style", b"script", b"title", b"head"})
_ONE_BYTE = lazy_pattern(r"iso-?8859|latin|ascii|cp125|windows-125")
_CELLS = frozenset({"th", "td"})
_MOST_SPANNED = 200
_LAST_SOURCE_LINE = 65_535  # libxml2 counts no further


@record
class HtmlRow:
    """Cells of one row, blanks and &#160; around them taken off; `line` is 1-based."""

    line: int
    cells: tuple[str, ...]


@record
class HtmlNote:
    """A text between two tables: a heading, an item of a list, a sentence."""

    line: int
    text: str


def collapsed(text: str) -> str:
    """Any white space, also the one that does not break, as single blanks."""
    return " ".join(text.split())


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()


class HtmlTable:
    """One table; a table that holds tables is the part before the first of them.

    Attributes:
        summary: the attribute, white space collapsed, typing errors kept; empty where there is none.
        first_line: of ``<table``, 1-based.
        last_line: of what ends it.
        whole: whether its end was there.
    """

    def __init__(self, document: HtmlDocument, start: int, end: int, before: int, attributes: bytes, whole: bool):
        self._document = document
        self._start, self._end, self._before = start, end, before
        summary = _SUMMARY.search(attributes.decode("utf-8", "replace"))
        self.summary = collapsed(next(filter(None, summary.groups()), "")) if summary else ""
        self.first_line = document.line_at(start)
        self.last_line = document.line_at(max(start, end - 1))
        self.whole = whole

    @property
    def place(self) -> tuple[int, int, int]:
        """Offsets in the document's `data`: of the text before the table, of the table, and of its end."""
        return self._before, self._start, self._end

    @cached_property
    def key(self) -> str:
        """`summary` for comparing, whatever its case."""
        return self.summary.casefold()

    @cached_property
    def notes(self) -> tuple[HtmlNote, ...]:
        """Headings and sentences since the table before it."""
        return tuple(self._document.texts(self._before, self._start))

    @property
    def header(self) -> tuple[tuple[str, ...], ...]:
        """For each column its headings from top to bottom, a heading over several columns in each of them."""
        return self._content[0]

    @property
    def rows(self) -> Sequence[HtmlRow]:
        return self._content[1]

    def column(self, name: str, group: str = "", after: str = "") -> int | None:
        """Which column has this heading, blanks and case aside; None where none has.

        Args:
            group: a heading above it, where two columns are called alike (``Avg`` below ``Wait Time``).
            after: a column left of it, where there is no heading above (``Data per sec`` after ``Writes: Data``).
        """
        start = 0
        if after:
            left = self.column(after)
            if left is None:
                return None
            start = left + 1
        wanted, above = _bare(name), _bare(group)
        for index, names in enumerate(self._bare_header[start:], start):
            if names and names[-1] == wanted and (not above or above in names[:-1]):
                return index
        return None

    def has(self, *names: str) -> bool:
        """Whether there is a column for each of these names."""
        return all(self.column(name) is not None for name in names)

    @cached_property
    def _bare_header(self) -> list[tuple[str, ...]]:
        return [tuple(_bare(name) for name in names) for names in self.header]

    @cached_property
    def _content(self) -> tuple[tuple[tuple[str, ...], ...], list[HtmlRow]]:
        fragment = self._document.data[self._start : self._end]
        elements = _rows_of(fragment)
        lines = _lines_of(fragment, elements, self.first_line)
        heads: list[Any] = []
        rows: list[HtmlRow] = []
        for line, element in zip(lines, elements, strict=True):
            tags = [cell.tag for cell in element]
            cells = [cell for cell, tag in zip(element, tags, strict=True) if tag in _CELLS]
            if "th" in tags and _are_headings(cells):
                heads += [] if rows else [cells]  # a heading that is repeated further down names nothing new
            elif cells:
                rows.append(HtmlRow(line, tuple(_texts_of(cells))))
        return _header_of(heads), rows


class HtmlDocument:
    """One report.

    Args:
        data: its bytes, in any encoding that `decoded` knows.
        first_line: number of its first line in the capture.
    """

    def __init__(self, data: bytes, first_line: int = 1) -> None:
        if len(data) > MOST_BYTES or data.count(b"<") > MOST_TAGS:
            raise ValueError("too large to be read as one report")
        self.data, self.encoding = decoded(data)
        self.first_line = first_line
        self._ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == 10)

    def line_at(self, offset: int) -> int:
        """The line of the capture that holds this byte."""
        return self.first_line + int(np.searchsorted(self._ends, offset))

    @cached_property
    def title(self) -> str:
        title = _TITLE.search(self.data)
        return collapsed(_unescaped(title[1])) if title else ""

    @cached_property
    def tables(self) -> tuple[HtmlTable, ...]:
        """The tables in their order, without those that only hold others and have no row of their own."""
        return tuple(self._tables())

    def texts(self, start: int, end: int) -> Iterator[HtmlNote]:
        """What is written between two places of `data`, between its tags."""
        at, hidden = start, b""
        for tag in _TAG.finditer(self.data, start, end):
            if not hidden:
                yield from self._text(at, tag.start())
            name = tag[2].lower()
            if not hidden and not tag[1] and name in _HIDDEN:
                hidden = name
            elif tag[1] and name == hidden:
                hidden = b""
            at = tag.end()
        if not hidden:
            yield from self._text(at, end)

    def _text(self, start: int, end: int) -> Iterator[HtmlNote]:
        raw = self.data[start:end]
        text = collapsed(_unescaped(raw)) if raw.strip() else ""
        if text:
            yield HtmlNote(self.line_at(start + len(raw) - len(raw.lstrip())), text)

    def _tables(self) -> Iterator[HtmlTable]:
        before = 0
        begun: re.Match[bytes] | None = None
        for tag in _TABLE_TAG.finditer(self.data):
            if begun is not None:
                closing = bool(tag[1])
                end = tag.end() if closing else tag.start()
                if closing or _ROW_TAG.search(self.data, begun.end(), end):
                    yield HtmlTable(self, begun.start(), end, before, begun[2], closing)
                    before = end
            begun = None if tag[1] else tag
        if begun is not None:
            yield HtmlTable(self, begun.start(), len(self.data), before, begun[2], False)


def decoded(data: bytes) -> tuple[bytes, str]:
    """The text in UTF-8, and which encoding it was in; ``replaced`` where no encoding fits every byte.

    UTF-8, else what the report declares, else the Korean code page. A code page of one byte per letter fits
    anything, so that its declaration counts only where the Korean one does not fit.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").replace("\0", " ").encode(), "utf-16"
    data = data.removeprefix(codecs.BOM_UTF8).replace(b"\0", b" ")
    charset = _CHARSET.search(data[:4096])
    declared = charset[1].decode("ascii").lower() if charset else ""
    candidates = ["utf-8", "cp949", declared] if _ONE_BYTE.search(declared) else ["utf-8", declared, "cp949"]
    for encoding in filter(None, candidates):
        try:
            text = data.decode(encoding)
        except (LookupError, ValueError):  # a name that is none, or bytes that do not fit
            continue
        return (data if encoding == "utf-8" else text.encode("utf-8", "replace")), encoding
    return data.decode("utf-8", "replace").encode(), "replaced"


def _unescaped(text: bytes) -> str:
    return unescape(text.decode("utf-8", "replace"))


def _rows_of(fragment: bytes) -> list[Any]:
    from lxml import etree  # a library that not everybody has, who reads no report in HTML

    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(fragment, parser)
    except (etree.LxmlError, ValueError):  # nothing in it, or nothing that could be mended
        return []
    return [] if root is None else list(root.iter("tr"))


def _lines_of(fragment: bytes, elements: Sequence[Any], first_line: int) -> list[int]:
    """The line of each row; counted by its tags where libxml2 has stopped counting."""
    lines = [int(element.sourceline or 1) for element in elements]
    if lines and max(lines) >= _LAST_SOURCE_LINE:
        ends = np.flatnonzero(np.frombuffer(fragment, dtype=np.uint8) == 10)
        starts = [tag.start() for tag in _ROW_TAG.finditer(fragment)]
        if len(starts) == len(lines):
            lines = (np.searchsorted(ends, starts) + 1).tolist()
    return [first_line + line - 1 for line in lines]


def _text_of(cell: Any) -> str:
    if len(cell):
        for line_break in cell.iter("br"):
            line_break.tail = "\n" + (line_break.tail or "")
        text = "".join(cell.itertext())
    else:
        text = cell.text or ""
    return text.replace("\xa0", " ").strip()


def _texts_of(cells: Sequence[Any]) -> Iterator[str]:
    for cell in cells:
        yield _text_of(cell)
        if cell.get("colspan"):
            yield from [""] * (_span(cell, "colspan") - 1)


def _are_headings(cells: Sequence[Any]) -> bool:
    """The corner above the names of rows may be an empty cell of the table's body."""
    return all(cell.tag == "th" or not _text_of(cell) for cell in cells)


def _span(cell: Any, attribute: str) -> int:
    value = (cell.get(attribute) or "").strip()
    return min(max(int(value), 1), _MOST_SPANNED) if value.isascii() and value.isdigit() and len(value) < 5 else 1


def _header_of(heads: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], ...]:
    """Headings per column; a cell that reaches down counts in the rows below it as well."""
    taken: dict[tuple[int, int], str] = {}
    for level, cells in enumerate(heads):
        column = 0
        for cell in cells:
            while (level, column) in taken:
                column += 1
            text = collapsed(_text_of(cell))
            for _ in range(_span(cell, "colspan")):
                for below in range(min(_span(cell, "rowspan"), len(heads) - level)):
                    taken[level + below, column] = text
                column += 1
    width = 1 + max((column for _, column in taken), default=-1)
    columns: list[list[str]] = [[] for _ in range(width)]
    for (_, column), text in sorted(taken.items()):
        names = columns[column]
        if not names or names[-1] != text:
            names.append(text)
    return tuple(tuple(names) for names in columns)
