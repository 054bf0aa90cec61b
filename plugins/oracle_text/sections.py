"""A report cut into its sections, with what becomes of each of its lines.

A section begins with a line that names it and the database, in one of two forms::

    SQL ordered by CPU  DB/Inst: ORCL/orcl  Snaps: 100-101
    SQL ordered by Elapsed time for DB: ORCL  Instance: orcl  Snaps: 100 -101

and is begun anew, with its remarks and headings, at the top of every page. Before the first of them stand the sections
of the summary, which name no database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from tunebench.sdk import lazy_pattern, record

from .ruler import Columns, bare, is_end, is_ruler

Line = tuple[int, str]
"""Number in the capture, and text."""

_NAMED = lazy_pattern(
    r"(?P<title>\S.{1,120}?)\s{0,80}(?:DB/Inst:\s{1,3}(?P<db>[^\s/]{1,30})/(?P<instance>\S{1,30})"
    r"|for\s+DB:\s{1,3}(?P<db2>\S{1,30})\s+Instance:\s{1,3}(?P<instance2>\S{1,30}))(?:\s|$)"
)
_SUMMARY_TITLES = (
    "cache sizes",
    "load profile",
    "instance efficiency",
    "shared pool statistics",
    "top 5 timed",
    "top 10 foreground",
    "top 5 call time",
    "top 5 wait events",
    "top 10 timed",
    "top timed events",
    "wait classes by total wait time",
    "host cpu",
    "instance cpu",
    "memory statistics",
    "io profile",
    "top addm findings",
    "report summary",
)
_TITLE_WORDS = lazy_pattern(r"^\s*(?:\([^()]*\)|\S|\s{1,2}(?=\S))+")
"""A title with headings behind it: ``Top 5 Timed Events                      Avg %Total``."""
_NOTHING = "no data exists for this section of the report"


@record(frozen=False)
class Table:
    """Headings and the lines below them.

    Attributes:
        second: of a section whose rows take two lines, the columns of the second.
        rows: lines as printed, blank ones among them.
    """

    columns: Columns
    rows: list[Line] = field(default_factory=list)
    second: Columns | None = None

    def filled(self) -> Iterator[Line]:
        return ((number, text) for number, text in self.rows if text.strip())


@record(frozen=False)
class Section:
    """One section with all its pages.

    Attributes:
        title: as printed; `key` for comparing.
        remarks: lines between its title and its headings.
        loose: lines that stand below no ruler.
    """

    title: str
    first_line: int
    tables: list[Table] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    loose: list[Line] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def key(self) -> str:
        return " ".join(self.title.split()).casefold()

    def table(self, *names: str) -> Table | None:
        """All rows of the tables that have these columns, as one; None where there is none."""
        tables = [one for one in self.tables if all(one.columns.place(name) is not None for name in names)]
        if not tables:
            return None
        return Table(tables[0].columns, [row for one in tables for row in one.rows], tables[0].second)


@record(frozen=False)
class Report:
    """One report.

    Attributes:
        head: lines before the first section.
        db_name: as the titles of the sections give it.
    """

    head: list[Line]
    sections: list[Section]
    db_name: str = ""
    instance: str = ""


def read_sections(lines: Sequence[Line]) -> Report:
    report = Report([], [])
    page: list[Line] = report.head
    named = False
    for number, text in lines:
        match = _NAMED.match(text)
        title = match["title"] if match else "" if named else _summary_title(text)
        if match is not None:
            named = True
            report.db_name = report.db_name or match["db"] or match["db2"]
            report.instance = report.instance or match["instance"] or match["instance2"]
        if title:
            last = report.sections[-1] if report.sections else None
            if last is None or bare(last.title) != bare(title):
                report.sections.append(Section(title, number))
            page = report.sections[-1].lines
        page.append((number, text))
    for section in report.sections:
        _read_pages(section)
    return report


def _summary_title(text: str) -> str:
    start = " ".join(text.split()).casefold()
    return next((title for title in _SUMMARY_TITLES if start.startswith(title)), "")


def _read_pages(section: Section) -> None:
    """Finds the rulers, the headings over them and the rows below."""
    pending: list[Line] = []  # since the last line that can be no heading
    rows: list[Line] | None = None
    for number, text in section.lines:
        is_title = _NAMED.match(text) is not None
        if is_title or is_end(text):
            section.remarks += [line for _, line in pending]
            pending, rows = [], None
        elif is_ruler(text):
            rows = _begin_table(section, text, pending, rows)
            pending = []
        elif rows is not None:
            rows.append((number, text))
        elif _NOTHING not in text.casefold():
            pending.append((number, text))
            if not text.strip() or text.startswith("->"):
                section.remarks += [line for _, line in pending]
                section.loose += pending
                pending = []
    section.loose += pending


def _begin_table(section: Section, ruler: str, pending: list[Line], rows: list[Line] | None) -> list[Line] | None:
    """The rows below this ruler; the same ones where it only stands above a sum."""
    if rows is None:
        first = section.first_line
        heads = [_TITLE_WORDS.sub(_blanked, text) if number == first else text for number, text in pending]
        table = Table(Columns(ruler, heads))
        section.tables.append(table)
        return table.rows
    table = section.tables[-1]
    above = _trailing(rows)
    if above and len(above) == len(rows) and table.second is None:
        table.second = Columns(ruler, [text for _, text in above])
        rows.clear()
        return rows
    if not above or len(above) > 4 or any(any(map(str.isdigit, text)) for _, text in above):
        return rows
    del rows[len(rows) - len(above) :]
    table = Table(Columns(ruler, [text for _, text in above]))
    section.tables.append(table)
    return table.rows


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _trailing(rows: Sequence[Line]) -> list[Line]:
    """The lines directly above, down from the last blank one."""
    count = 0
    while count < len(rows) and rows[-1 - count][1].strip():
        count += 1
    return list(rows[len(rows) - count :])
