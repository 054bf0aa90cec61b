"""Base class of parsers for views of a database, one or many, once or in rounds.

    @tunebench at 2026-11-21T02:48:00.123456789Z      before each round of a capture of ours
    @section pg_stat_statements                       before each view of a round
    queryid,query,calls,...
    1485918269066925717,"select ...",70
    @section pg_stat_database
    ...
    @end                                              a round without it was cut off

A customer's export is one view without any of these lines: its heading says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.analysis.database.record import DatabaseRecord
from app.sdk.batches import SampleBatch
from app.sdk.lines import LineParser
from app.sdk.parsing import ParseContext
from app.sdk.round_stamps import read_frame, read_stamp
from app.sdk.times import utc_ns
from app.sdk.view_rows import RowReader

_SECTION = re.compile(rb"^@section\s+(?P<name>[\w.$-]{1,80})\s*$")
_END = re.compile(rb"^@end\s*$")
_OWN_MARK = re.compile(rb"^@(?:section [\w.$-]{1,80}|end|tunebench at \S+)\s*$")
_FOOTER = re.compile(
    rb"^\(?\d+ (?:rows?|row\(s\))[^,;|]{0,60}\)?$|^(?:COPY|SET|SELECT|BEGIN|COMMIT|ROLLBACK)(?: \d+)?$"
)
MOST_ROWS = 2_000_000
"""A view of more rows is not kept in memory; what is beyond is skipped and said."""


@dataclass(slots=True)
class View:
    """One view of one round.

    Attributes:
        name: what ``@section`` called it, lower case; empty in a file of one view.
        columns: its heading, lower case.
        rows: texts; an empty one is NULL or empty.
        lines: 1-based line where each row begins.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[Sequence[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def column(self, *names: str) -> list[str] | None:
        """The texts of the first of these columns that there is, one per row; None where there is none."""
        for name in names:
            if name in self.columns:
                place = self.columns.index(name)
                return [row[place] for row in self.rows]
        return None

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(slots=True)
class Dump:
    """One round: all views of a database at one moment.

    Attributes:
        time_ns: when, as the capture, the user or the file says; None where nobody does.
        whole: whether nothing of it was cut off.
    """

    time_ns: int | None
    first_line: int
    views: list[View] = field(default_factory=list)
    whole: bool = True

    def view(self, *names: str) -> View | None:
        """The first of these views that there is."""
        return next((view for name in names for view in self.views if view.name == name), None)


class ViewDumpParser(LineParser):
    """A subclass says in `name_of` what a heading is of and makes a record of each dump in `read_dump`."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.__records: list[DatabaseRecord] = []
        self.__dump: Dump | None = None
        self.__view: View | None = None
        self.__reader: RowReader | None = None
        self.__sectioned = False
        self.__section = ""
        self.__next_line = 1

    # -- for subclasses --------------------------------------------------------------------------

    def name_of(self, columns: Sequence[str]) -> str:
        """The view that a heading (lower case) is of; empty where it is none that is known."""
        raise NotImplementedError

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        """The records of one round."""
        raise NotImplementedError

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        """Series out of the records of one round; none here."""
        return ()

    # -- reading ---------------------------------------------------------------------------------

    def take_records(self) -> Sequence[DatabaseRecord]:
        taken, self.__records = self.__records, []
        return taken

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            if self.__holds and not _OWN_MARK.match(line):
                self.__read_row(number, line)
            elif not line.strip():
                self.book.blank()
            elif not self.__is_mark(line):
                self.__read_row(number, line)
            else:
                yield from self.__take_mark(number, line)
        self.__next_line = first_line + len(lines)

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self.__close_dump(self.__next_line, ended=not self.__sectioned)

    @property
    def __holds(self) -> bool:
        """Whether a quoted cell goes on."""
        return self.__reader is not None and self.__reader.held_lines > 0

    @staticmethod
    def __is_mark(line: bytes) -> bool:
        return line[:1] == b"@" or read_stamp(line) is not None

    def __take_mark(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        self.book.header()
        section = _SECTION.match(line)
        stamp = None if section else read_stamp(line)
        if section is not None:
            self.__close_view(number)
            self.__sectioned, self.__section = True, section["name"].decode().lower()
            self.__open_dump(number)
        elif _END.match(line):
            yield from self.__close_dump(number, ended=True)
        elif stamp is not None:
            yield from self.__close_dump(number, ended=not self.__sectioned)
            moment = stamp.moment if stamp.moment.tzinfo else stamp.moment.replace(tzinfo=self.context.zone)
            self.__dump = Dump(utc_ns(moment), number)
        elif read_frame(line) is None:
            self.book.header_lines -= 1
            self.book.skip("not_a_table", number, line)

    def __open_dump(self, number: int) -> Dump:
        if self.__dump is None:
            self.__dump = Dump(self.__assumed_ns(), number)
        return self.__dump

    def __assumed_ns(self) -> int | None:
        """The moment of a dump without a stamp: the user's word, else when the file was written."""
        if self.context.start is not None:
            start = self.context.start
            self.book.assume("start", start.isoformat(), "user")
            return utc_ns(start if start.tzinfo else start.replace(tzinfo=self.context.zone))
        if self.context.modified_ns:
            written = datetime.fromtimestamp(self.context.modified_ns / 1e9, tz=UTC)
            self.book.assume("start", written.isoformat(), "mtime")
            return self.context.modified_ns
        self.book.need("start")
        return None

    def __read_row(self, number: int, line: bytes) -> None:
        if self.__reader is None:
            self.__open_view(number, line)
            return
        reader, view = self.__reader, self.__view
        before = reader.held_lines
        if not before and (reader.is_ruler(line) or _FOOTER.match(line)):
            self.book.header()
            if not reader.is_ruler(line):
                self.__close_view(number)  # another table may follow
            return
        cells = reader.read(line)
        if cells is None and reader.held_lines:
            return
        lines, first = before + 1, number - before
        if view is None:
            self.book.skip("section_unknown", first, line, lines)
        elif cells is None or len(cells) != len(view.columns):
            self.book.skip("message" if not cells or len(cells) == 1 else "unreadable_numbers", first, line, lines)
        elif len(view.rows) >= MOST_ROWS:
            self.book.skip("too_many_rows", first, line, lines)
        else:
            view.rows.append(cells)
            view.lines.append(first)
            self.book.data(lines)

    def __open_view(self, number: int, line: bytes) -> None:
        if re.match(rb"^\+[-+=]+\+\s*$", line):  # the upper edge of a framed table
            self.book.header()
            return
        reader = RowReader(line)
        name = self.__section or self.name_of(reader.columns)
        if not name or len(reader.columns) < 2 and not self.__section:
            self.book.skip("not_a_table", number, line)
            return
        self.book.header()
        self.__reader = reader
        known = self.name_of(reader.columns)
        self.__view = View(self.__section or known, reader.columns) if known or self.__section else None
        if self.__view is not None:
            self.__open_dump(number).views.append(self.__view)

    def __close_view(self, next_line: int) -> None:
        if self.__reader is not None and self.__reader.held_lines:
            held = self.__reader.take_held()
            self.book.skip("truncated", next_line - len(held), held[0], len(held))
            if self.__dump is not None:
                self.__dump.whole = False
        self.__reader = self.__view = None
        self.__section = ""

    def __close_dump(self, next_line: int, ended: bool) -> Iterable[SampleBatch]:
        self.__close_view(next_line)
        dump, self.__dump = self.__dump, None
        self.__sectioned = False
        if dump is None or not dump.views:
            return
        dump.whole = dump.whole and ended
        if not dump.whole:
            self.book.warn("snapshot_cut_off")
        records = list(self.read_dump(dump))
        self.__records += records
        yield from self.batches_of(records)
