"""Base of the parsers of rows (-d and -p): which lines are rows, restarts and remarks, and what their stamps say.

2026-11-21 07:10:15 UTC         the default
2026-11-21 16:10:15             -t, -T
2026-11-21 16:10:15 KST         -t of sysstat 12.7
1795245015                      -U

A row of which the scanner knows nothing is read by itself; it reads the next whose host is the same, and the stamp but
for its clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tunebench.families.page_reading import Dialect, Field, Scan, ScannedRows, Scanner, ScanTable, new_scanner
from tunebench.families.running_clock import RunningClock, running_clock
from tunebench.families.scanned_lines import ScannedLines
from tunebench.sdk import ParseContext, SampleBatch, decode_text, is_plausible, lazy_pattern

from .numbers import NO_NUMBERS
from .stretches import StretchParser

_RESTART = lazy_pattern(rb"LINUX-RESTART\b\s*(?:\((?P<text>[^)]*)\))?.*", re.DOTALL)
_COMMENT = lazy_pattern(rb"COM\b\s*(?P<text>.*)", re.DOTALL)
_PROMPT = lazy_pattern(rb"(?:\S+\s?)?[#$%>] ?(?:\S+=\S+ )*(?:\S*/)?(?:sar|sadc|sadf|date)\b|^\[?\w+@[\w.-]+")
_STAMP = lazy_pattern(rb"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?: (?P<zone>[A-Z]{1,5}|[+-]\d\d(?:\d\d)?))?")
_EPOCH = lazy_pattern(rb"\d{9,10}")
_LAST_EPOCH_S = 7_258_118_400  # the year 2200
_UTC = frozenset({b"UTC", b"GMT"})
_LONGEST_INTERVAL = 9  # digits
_LEAP_SECOND = 60
LONGEST_LINE = 4 << 20
"""A longer line is no row: with ``-h`` ten thousand devices fill one megabyte."""
_FIXED = 3


class Head(NamedTuple):
    """Host, interval and stamp of a row.

    Attributes:
        fields: the interval, and what runs of the stamp.
    """

    text: bytes
    fields: list[Field]
    clock: RunningClock


class RowParser(StretchParser, ScannedLines):
    """A subclass reads the fields behind the stamp.

    Attributes:
        ready: what is to be given.
        moment: the stamp of the last row; naive where it is local.
        last_row: the last line that could be read as a row.
    """

    scanner: Scanner
    separator = b";"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.scanner = new_scanner(Dialect(b".,", absent=NO_NUMBERS, separator=self.separator))
        self.ready: list[SampleBatch] = []
        self.moment: datetime | None = None
        self.clocks: dict[ScanTable, RunningClock] = {}  # of the rows that the scanner knows
        self._heads: dict[ScanTable, tuple[bytes, int, bytes]] = {}
        self.last_row = b""
        self._is_cut = False  # the line that is read has no end
        self._in_long_line = False  # the rest of a line that is too long is passed by

    # -- for subclasses --------------------------------------------------------------------------

    def take_heading(self, line: bytes) -> bool:
        """Takes a line that is a heading; the rows below are its."""
        raise NotImplementedError

    def take_row(self, number: int, line: bytes, stamp: bytes, cells: list[bytes]) -> ScanTable | None:
        """Reads and books a row: what stands behind its stamp. Gives what the scanner may read its like with."""
        raise NotImplementedError

    def take_rows(self, rows: ScannedRows, clock: RunningClock) -> None:
        """Takes rows that the scanner read; the fields of their stamps but the first are the clock's."""
        raise NotImplementedError

    def flush(self, final: bool) -> None:
        """What was collected becomes ready; `final`: at a restart, or the end of the capture."""
        raise NotImplementedError

    def time_of(self, table: str, stamp: bytes) -> int | None:
        """UTC ns of a row of a table."""
        self.moment = _read_stamp(stamp)
        if self.moment is None:
            return None
        self.times.begin_table(table)
        return self._at(self.moment, stamp)

    def take_data(self, line: bytes) -> None:
        """Books a row that could be read."""
        self.book.data()
        self.last_row = line
        host = decode_text(line[: line.index(self.separator)])
        self.book.hostname = self.book.hostname or host
        if host != self.book.hostname:
            self.book.warn("several_hosts")

    # -- reading ---------------------------------------------------------------------------------

    def work(self, final: bool) -> Iterable[SampleBatch]:
        text, start = self.pieces.take(), 0
        if self._in_long_line:
            start = text.find(b"\n") + 1 or len(text)
            self._in_long_line = not text.endswith(b"\n", 0, start)
        end = text.rfind(b"\n") + 1
        whole, rest = text[start:end].replace(b"\r\n", b"\n"), text[max(start, end) :]
        self.read_text(self.next_line, whole)
        self.next_line += whole.count(b"\n")
        if len(rest) > LONGEST_LINE or (final and rest):
            self._is_cut, self._in_long_line = final, True
            self.read_line(self.next_line, rest.removesuffix(b"\r"))
            self.next_line += 1
            rest = b""
        self.pieces.put_back(rest)
        self.flush(final)
        ready, self.ready = self.ready, []
        return ready

    def take_scan(self, scan: Scan) -> None:
        self.book.blank(scan.blanks)
        for rows in scan.rows:
            self.take_rows(rows, self.clocks[rows.table])
            self.book.data(len(rows.lines))
            self.last_row = self.last_scanned_line.rstrip(b" ")

    def read_line(self, number: int, line: bytes) -> None:
        if len(line) > LONGEST_LINE:
            self.book.skip("too_long", number, line)
            return
        cells = line.split(self.separator, _FIXED)
        if self._is_cut and self._is_cut_off(line):
            self.book.skip("truncated", number, line)
        elif len(cells) <= _FIXED or line.startswith(b"#") or cells[1] == b"-1":
            self._take_other(number, line, cells)
        else:
            table = self.take_row(number, line, cells[2], cells[3].split(self.separator))
            if table is not None:
                self._know_rows(table, cells)

    def head_of(self, cells: Sequence[bytes]) -> Head | None:
        """What stands before the figures of the last row; None where its like are to be read by themselves."""
        host, interval, stamp = cells[:_FIXED]
        clock = None if self.moment is None else running_clock(stamp, self.moment)
        if clock is None or not interval.isdigit() or len(interval) > _LONGEST_INTERVAL:
            return None
        begin, behind = len(host) + 1, len(host) + len(interval) + 2
        fields = [Field(one.start + behind, one.stop + behind, one.most) for one in clock.fields]
        fields.insert(0, Field(begin, begin + len(interval), 10 ** len(interval) - 1))
        return Head(self.separator.join(cells[:_FIXED]), fields, clock)

    def _know_rows(self, table: ScanTable, cells: Sequence[bytes]) -> None:
        host, interval = cells[:2]
        head = self.head_of(cells)
        if head is None or self._heads.get(table) == (row_form := (host, len(interval), head.clock.form)):
            return
        self.scanner.stamp_rows(table, head.text, head.fields, first=True)
        self._heads[table], self.clocks[table] = row_form, head.clock

    def _take_other(self, number: int, line: bytes, cells: list[bytes]) -> None:
        """A line that is no row."""
        text = line.strip()
        if not text:
            self.book.blank()
        elif line.startswith(b"@tunebench ") or (line.startswith(b"#") and self.take_heading(line)):
            self.book.header()
        elif len(cells) > _FIXED and cells[1] == b"-1":
            self._take_event(number, line, cells)
        else:
            reason = "nul_bytes" if b"\0" in line else "wrapper" if _PROMPT.match(text) else "not_a_table"
            self.book.skip(reason, number, line)

    def _take_event(self, number: int, line: bytes, cells: list[bytes]) -> None:
        restart, comment = _RESTART.fullmatch(cells[3].strip()), _COMMENT.fullmatch(cells[3].strip())
        if restart is not None:
            self.flush(final=True)
        self.times.begin_table("#")
        self.times.restart(None)  # such a stamp makes no step with the one before
        moment = None if restart is None and comment is None else _read_stamp(cells[2])
        if moment is None:
            self.book.skip("not_a_table", number, line)
            return
        self.book.header()
        time_ns = self._at(moment, cells[2])
        if comment is not None:
            self.times.comment(time_ns, decode_text(comment["text"]))
        elif restart is not None:
            self.times.restart(time_ns, decode_text(restart["text"] or b""))
            self.times.continue_here()

    def _at(self, moment: datetime, stamp: bytes) -> int:
        if moment.tzinfo is None and stamp.count(b" ") > 1:
            self.times.set_zone_abbreviation(stamp.rpartition(b" ")[2].decode())
        return self.times.at_datetime(moment)

    def _is_cut_off(self, line: bytes) -> bool:
        """Whether the last line, which has no end, stops inside a row: compared with the row before."""
        if line.startswith(b"#"):
            return False
        cells, usual = line.split(self.separator), self.last_row.split(self.separator)
        if len(cells) <= _FIXED:
            return len(cells) > 1 and cells[0] == usual[0]
        if len(cells) != len(usual):
            return len(cells) < len(usual)
        decimals = len(cells[-1].replace(b",", b".").partition(b".")[2])
        return decimals < len(usual[-1].replace(b",", b".").partition(b".")[2])


def _read_stamp(stamp: bytes) -> datetime | None:
    """What a stamp says: in UTC, or without a zone; None where it is none."""
    if _EPOCH.fullmatch(stamp):
        return datetime.fromtimestamp(int(stamp), UTC) if int(stamp) < _LAST_EPOCH_S else None
    match = _STAMP.fullmatch(stamp)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    zone = UTC if match["zone"] in _UTC else None
    try:
        moment = datetime(year, month, day, hour, minute, tzinfo=zone) + timedelta(seconds=second)
    except ValueError:
        return None
    return moment if second <= _LEAP_SECOND and is_plausible(moment) else None
