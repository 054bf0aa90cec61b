"""Base class of parsers for views of a database, one or many, once or in rounds.

    @tunebench at 2026-11-21T02:48:00.123456789Z      before each round of a capture of ours
    @section pg_stat_statements                       before each view of a round
    queryid,query,calls,...
    1485918269066925717,"select ...",70
    @section pg_stat_database
    ...
    @end                                              a round without it was cut off

A customer's export is one view without any of these lines: its heading says what it is. Exports may follow each
other in one file, with the stamps of somebody's loop between them or without; a view that comes again begins a round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import UTC, datetime

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.families.lines import RecordParser
from tunebench.families.views.records import RecordReader, record_number
from tunebench.families.views.rows import RowReader, is_frame
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.round_stamps import read_frame, read_stamp
from tunebench.sdk.times import utc_ns

_SECTION = lazy_pattern(rb"^@section\s+(?P<name>[\w.$-]{1,80})\s*$")
_END = lazy_pattern(rb"^@end\s*$")
_OWN_MARK = lazy_pattern(rb"^@(?:section [\w.$-]{1,80}|end|tunebench at \S+)\s*$")
_FOOTER = lazy_pattern(
    rb"^\(\d+ ?[^\s,;|()\d][^,;|()]{0,30}\)$|^\(?\d+ (?:rows?|row\(s\))[^,;|]{0,60}\)?$"
    rb"|^(?:COPY|SET|SELECT|BEGIN|COMMIT|ROLLBACK)(?: \d+)?$"
)
_HEADING = lazy_pattern(rb'^[\s"|]*[A-Za-z_][\w$#]*(?:[\s"]*[,;|~\t][\s"]*[A-Za-z_][\w$#]*)+[\s"|]*$')
MOST_ROWS = 2_000_000
"""A view of more rows is not kept in memory; what is beyond is skipped and said."""


@record(frozen=False)
class View:
    """One view of one round.

    Attributes:
        name: what ``@section`` called it, lower case; else what `ViewDumpParser.name_of` makes of its heading.
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
                index = self.columns.index(name)
                return [row[index] for row in self.rows]
        return None

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@record(frozen=False)
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


class ViewDumpParser(RecordParser):
    """A subclass says in `name_of` what a heading is of and makes a record of each dump in `read_dump`."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.__dump: Dump | None = None
        self.__view: View | None = None
        self.__reader: RowReader | None = None
        self.__record: RecordReader | None = None
        self.__sectioned = False
        self.__section = ""
        self.__unstamped = 0
        self.__next_line = 1

    # -- for subclasses --------------------------------------------------------------------------

    def name_of(self, columns: Sequence[str]) -> str:
        """The view that a heading (lower case) is of; empty where it is none that is known."""
        raise NotImplementedError

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        """The records of one round."""
        raise NotImplementedError

    def knows(self, name: str, columns: Sequence[str]) -> bool:
        """Whether a view is read that ``@section`` or `name_of` calls so (lower case) and that has these columns."""
        return True

    def moment_of(self, dump: Dump) -> int | None:
        """When a dump without a stamp was taken, where one of its views tells: UTC, ns."""
        return None

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        """Series out of the records of one round; none here."""
        return ()

    def cleaned(self, line: bytes) -> bytes:
        """A line without what a client puts in front of it; not asked inside of a quoted cell."""
        return line

    def takes_message(self, number: int, line: bytes) -> bool:
        """Whether a line is what a client says between the rows; a subclass has then booked it."""
        return False

    def repeats_headings(self) -> bool:
        """Whether a heading that comes again is that of the next page, without ``@section`` as well."""
        return False

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            if self.__holds and not _OWN_MARK.match(line):
                yield from self.__read_row(number, line)
                continue
            line = self.cleaned(line)  # noqa: PLW2901
            if not line.strip():
                self.book.blank()
            elif self.__is_mark(line):
                yield from self.__take_mark(number, line)
            elif not self.takes_message(number, line):
                yield from self.__read_row(number, line)
        self.__next_line = first_line + len(lines)

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self.__close_dump(self.__next_line, ended=not self.__sectioned)

    @property
    def __holds(self) -> bool:
        """Whether a quoted cell goes on."""
        return self.__reader is not None and self.__reader.held_lines > 0

    def __is_mark(self, line: bytes) -> bool:
        if line[:1] == b"@" and line[1:2] != b"@":  # a row may begin with @@datadir
            return True
        # in a table of one column a row may be a time
        return (self.__reader is None or len(self.__reader.columns) > 1) and read_stamp(line) is not None

    def __take_mark(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        section = _SECTION.match(line)
        stamp = None if section else read_stamp(line)
        if section is not None:
            yield from self.__close_view(number)
            self.__sectioned, self.__section = True, section["name"].decode().lower()
            self.__open_dump(number)
        elif _END.match(line):
            yield from self.__close_dump(number, ended=True)
        elif stamp is not None:
            yield from self.__close_dump(number, ended=not self.__sectioned)
            moment = stamp.moment if stamp.moment.tzinfo else stamp.moment.replace(tzinfo=self.context.zone)
            self.__dump = Dump(utc_ns(moment), number)
        elif read_frame(line) is None:
            self.book.skip("not_a_table", number, line)
            return
        self.book.header()

    def __open_dump(self, number: int) -> Dump:
        if self.__dump is None:
            self.__dump = Dump(None, number)
        return self.__dump

    # -- rows ------------------------------------------------------------------------------------

    def __read_row(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        record = None if self.__holds else record_number(line)
        if record is not None:
            yield from self.__close_view(number, keep_section=True)
            self.book.header()
            self.__record = RecordReader(line, number)
            if record == 1:
                self.__view = None
        elif self.__record is not None:
            yield from self.__read_column(number, line)
        elif self.__reader is None:
            yield from self.__open_view(number, line)
        else:
            yield from self.__read_cells(self.__reader, number, line)

    def __read_column(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        assert self.__record is not None
        if not _FOOTER.match(line) and self.__record.take(line):
            return
        yield from self.__close_view(number, keep_section=True)
        if _FOOTER.match(line):
            self.book.header()
        else:
            yield from self.__open_view(number, line)

    def __read_cells(self, reader: RowReader, number: int, line: bytes) -> Iterable[SampleBatch]:
        before = reader.held_lines
        if not before:
            if reader.take_ruler(line):
                self.book.header()
                return
            if _FOOTER.match(line):
                self.book.header()
                yield from self.__close_view(number)  # another table may follow
                return
            if _HEADING.match(line) and self.__is_heading(reader, line):
                yield from self.__open_next(reader, number, line)
                return
        cells = reader.read(line)
        if cells is None and reader.held_lines:
            return
        self.__add_row(number - before, before + 1, line, cells)

    def __add_row(self, first: int, lines: int, line: bytes, cells: list[str] | None) -> None:
        view = self.__view
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

    # -- tables ----------------------------------------------------------------------------------

    def __is_heading(self, reader: RowReader, line: bytes) -> bool:
        columns = RowReader(line).columns
        return columns == reader.columns or not self.__sectioned and self.name_of(columns) != ""

    def __open_next(self, reader: RowReader, number: int, line: bytes) -> Iterable[SampleBatch]:
        """A heading below rows: that of the next page of the same table, or of another table."""
        if (self.__sectioned or self.repeats_headings()) and RowReader(line).columns == reader.columns:
            self.book.header()
            return
        yield from self.__close_view(number)
        yield from self.__open_view(number, line)

    def __open_view(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        if is_frame(line):
            self.book.header()
            return
        reader = RowReader(line)
        name = self.__section or self.name_of(reader.columns)
        if b":" in line or not name or len(reader.columns) < 2 and not self.__section:
            self.book.skip("message" if b":" in line and self.__section else "not_a_table", number, line)
            return
        self.book.header()
        self.__reader = reader
        yield from self.__begin_view(name, reader.columns, number)

    def __begin_view(self, name: str, columns: tuple[str, ...], number: int) -> Iterable[SampleBatch]:
        if not self.knows(name, columns):
            self.__view = None
            return
        if not self.__sectioned and self.__dump is not None and self.__dump.view(name) is not None:
            reader = self.__reader
            yield from self.__close_dump(number, ended=True, comes_again=True)
            self.__reader = reader
        self.__view = View(name, columns)
        self.__open_dump(number).views.append(self.__view)

    def __close_view(self, next_line: int, keep_section: bool = False) -> Iterable[SampleBatch]:
        if self.__record is not None:
            yield from self.__close_record(self.__record)
        if self.__reader is not None and self.__reader.held_lines:
            held = self.__reader.take_held()
            self.book.skip("truncated", next_line - len(held), held[0], len(held))
            if self.__dump is not None:
                self.__dump.whole = False
        self.__reader = None
        if not keep_section:
            self.__view = None
            self.__section = ""

    def __close_record(self, record: RecordReader) -> Iterable[SampleBatch]:
        self.__record = None
        if not record.lines:
            return
        names = None if self.__view is None else self.__view.columns
        if names is not None and len(record.columns) < len(names) and names[: len(record.columns)] == record.columns:
            self.book.skip("truncated", record.first_line + 1, ", ".join(record.columns), record.lines)
            self.__open_dump(record.first_line).whole = False
            return
        if names != record.columns:
            name = self.__section or self.name_of(record.columns)
            self.__view = None
            if not name:
                self.book.skip("not_a_table", record.first_line + 1, ", ".join(record.columns), record.lines)
                return
            yield from self.__begin_view(name, record.columns, record.first_line)
        self.__add_row(record.first_line, record.lines, b"", record.cells)

    def __close_dump(self, next_line: int, ended: bool, comes_again: bool = False) -> Iterable[SampleBatch]:
        """`comes_again`: the next one follows without a stamp, so that the file's time is not this one's."""
        yield from self.__close_view(next_line)
        dump, self.__dump = self.__dump, None
        self.__sectioned = False
        if dump is None or not dump.views:
            return
        dump.whole = dump.whole and ended
        if not dump.whole:
            self.book.warn("snapshot_cut_off")
        if dump.time_ns is None:
            dump.time_ns = self.moment_of(dump)
        if dump.time_ns is None:
            dump.time_ns = self.__assumed_ns(comes_again)
            self.__unstamped += 1
        records = list(self.read_dump(dump))
        self._keep_records(records)
        yield from self.batches_of(records)

    def __assumed_ns(self, comes_again: bool) -> int | None:
        """The moment of a dump without a stamp: the user's word, else when the file was written."""
        if self.context.start is not None and not self.__unstamped:
            start = self.context.start
            self.book.assume("start", start.isoformat(), "user")
            return utc_ns(start if start.tzinfo else start.replace(tzinfo=self.context.zone))
        if self.context.modified_ns and not comes_again and self.context.start is None:
            written = datetime.fromtimestamp(self.context.modified_ns / 1e9, tz=UTC)
            self.book.assume("start", written.isoformat(), "mtime")
            return self.context.modified_ns
        self.book.need("start")
        return None
