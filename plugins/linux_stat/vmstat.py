"""vmstat of Linux (procps), one line per sample: plain, -a, -w, -t, -n, -S, and under wrappers.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST
    35  0      0 19215932  32204 5034356    0    0  2934  8121  758 2075 37 17 45  1  0 2026-11-21 16:10:21

The first row of a run is an average since boot. The heading repeats with every page of the terminal, and
it repeats too where a wrapper starts vmstat anew for each sample; a new run is told by what stands above
the heading (a wrapper's stamp, a blank line) or by pages that are too short for a terminal.
"""

from __future__ import annotations

from collections import deque
from datetime import datetime

import numpy as np

from tunebench.families.lost_rows import LostRows
from tunebench.families.page_reading import Dialect, Key, Mark, Scan, Scanner, ScanTable, new_scanner
from tunebench.families.running_clock import KnownStamps, RunningClock, running_clock
from tunebench.sdk import ParseContext, TableBuilder, decode_text

from .capture import LinuxTextParser, head_text
from .stamps import iso_moment
from .vmstat_headings import GROUP_OF, VmstatHeading, is_group_line, read_heading

_SHORTEST_PAGE = 5  # rows between two headings of one run; a page of a terminal has more
_TABLE = "vmstat"


class VmstatParser(LinuxTextParser):
    """Rows of vmstat; see the module's forms."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._head_seen = True  # nothing in vmstat's rows depends on the locale
        self._headings: dict[bytes, VmstatHeading] = {}
        self._heading: VmstatHeading | None = None
        self._heading_line = b""
        self._group_line = b""
        self._builder: TableBuilder | None = None
        self.scanner: Scanner = new_scanner(Dialect(b""))
        self.scanner.stops_at_blanks = True
        self._tables: dict[bytes, ScanTable] = {}
        self._table: ScanTable | None = None
        self._heading_mark: Mark | None = None
        self._group_mark: Mark | None = None
        self._wrappers = KnownStamps(self.scanner)
        self._clocks: dict[ScanTable, RunningClock] = {}  # of the stamps that the scanner knows
        self._width = 0
        self._shortest = 0
        self._rows = 0  # since the heading
        self._run_begins = True
        self._content = False
        self._options: dict[str, None] = {}
        self._stamped = False
        self._lost = LostRows()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = head_text(head).split(b"\n")[:200]
        for index, line in enumerate(lines):
            heading = _heading_in(line)
            if heading is None:
                continue
            rows = [row.split() for row in lines[index + 1 : index + 4] if row.strip()]
            if rows and len(rows[0]) >= len(heading.names) and rows[0][-1][:1].isdigit():
                return 0.95
            return 0.6
        return 0.0

    def is_heading(self, line: bytes) -> bool:
        return is_group_line(line) or read_heading(decode_text(line).split()) is not None

    def read_line(self, number: int, line: bytes) -> None:
        heading = self._headings.get(line)
        if heading is not None:
            self._begin(heading, line)
        elif self._read_row(number, line):
            pass
        elif not line or line.isspace():
            self.book.blank()
            if self._rows:
                self._new_run()
        elif is_group_line(line):
            self.book.header()
            if line != self._group_line:
                self._group_line = line
                self._know()
            if self._rows < _SHORTEST_PAGE:
                self._new_run()
        elif not self._new_heading(line) and not self.read_surroundings(number, line):
            self._keep_time(number, line)
            self.skip_any(number, line)

    # -- many lines at once ----------------------------------------------------------------------

    def open_table(self) -> ScanTable | None:
        return self._table

    def take_scan(self, scan: Scan) -> None:
        self.book.header(len(scan.marks))
        begins, wrappers = self._begins_of_runs(scan), self._wrappers.places_in(scan)
        for rows in scan.rows:
            count, shortest, clock = len(rows.lines), rows.shortest, self._clocks.get(rows.table)
            since_boot = np.zeros(count, dtype=bool)
            since_boot[begins] = not self._follows_cut()
            if clock is None:
                ends = np.searchsorted(scan.mark_lines, rows.lines).tolist()
                times_ns = np.asarray([self._next_block(scan, wrappers, end) for end in ends], dtype=np.int64)
            else:
                times_ns = clock.times(self.times, rows.fields)
            if self._builder is not None:
                self.give(self._builder.scanned(rows, times_ns, since_boot))
            self.book.data(count)
            self._shortest = min(self._shortest or shortest, shortest)
            for flag in {False, True}.intersection(since_boot.tolist()):
                self.flags(flag)
        self._pass_wrappers(scan, wrappers, len(scan.marks))

    def _next_block(self, scan: Scan, wrappers: deque[int], end: int) -> int:
        """UTC ns of the row without a stamp below the mark `end`."""
        if wrappers:
            self._pass_wrappers(scan, wrappers, end)
        return self.clock.next_block()

    def _pass_wrappers(self, scan: Scan, wrappers: deque[int], end: int) -> None:
        moment = self._wrappers.last_before(scan, wrappers, end)
        if moment is not None:
            self.clock.wrapper(moment)

    def _begins_of_runs(self, scan: Scan) -> list[int]:
        """Which rows of the scan are the first of a run; keeps count of the rows since the heading."""
        lines = scan.rows[0].lines if scan.rows else np.zeros(0, dtype=np.int64)
        page, begins, wrapper = -self._rows, [0] if self._run_begins else [], self._wrappers.place
        for mark, above in zip(scan.marks.tolist(), np.searchsorted(lines, scan.mark_lines).tolist(), strict=True):
            if mark == wrapper or above - page < _SHORTEST_PAGE:
                begins.append(above)
                page = above
            if self.scanner.marks[mark] is self._heading_mark:
                page = above
        self._rows = len(lines) - page
        self._run_begins = len(lines) in begins
        return sorted({begin for begin in begins if begin < len(lines)})

    def _know(self) -> None:
        """The scanner reads rows, and the two lines of this heading alone, from now on."""
        if self._table is None:
            return
        for mark in (self._heading_mark, self._group_mark):
            if mark is not None:
                self.scanner.forget(mark)
        self._heading_mark = self.scanner.know(self._heading_line, self._table)
        self._group_mark = self.scanner.know(self._group_line, self._table) if self._group_line else None
        self._wrappers.forget()  # they leave this table open

    def _know_stamp(self, line: bytes, moment: datetime) -> None:
        """The scanner reads rows whose stamp differs from this one in nothing but the clock."""
        stamp = line.split(None, self._width)[-1]
        clock = running_clock(stamp, moment)
        if self._table is None or clock is None or self.clock.prefixed:
            return
        before = self._clocks.get(self._table)
        if before is None or before.form != clock.form:
            self._clocks[self._table] = clock
            self.scanner.stamp_rows(self._table, stamp, clock.fields)

    def _new_run(self) -> None:
        """The tool is started anew, as far as can be told: its first row will be since boot."""
        self._run_begins = True
        self._rows = 0

    def began(self, restarted: bool) -> None:
        self._new_run()
        if restarted:
            self._wrappers.forget()  # what they leave unsaid may be another: the banner's year

    def know_wrapper(self, line: bytes, moment: datetime) -> None:
        if not self.clock.prefixed:
            self._wrappers.know(line, moment, self._table)

    # -- headings --------------------------------------------------------------------------------

    def _new_heading(self, line: bytes) -> bool:
        heading = read_heading(decode_text(line).split())
        if heading is None:
            return False
        self._headings[line] = heading
        self._begin(heading, line)
        return True

    def _begin(self, heading: VmstatHeading, line: bytes) -> None:
        self.book.header()
        if self._heading is not None and self._rows < _SHORTEST_PAGE:
            self._new_run()
        self._rows = 0
        if heading is self._heading:
            return
        self._shortest = 0
        if self._builder is not None:
            self.close_builder(self._builder)
        attributes = [(("group", GROUP_OF[name]),) for name in heading.names]
        self._builder = self.builders[line] = TableBuilder(
            _TABLE, heading.names, None, self.book, column_attributes=attributes
        )
        self._heading, self._heading_line, self._width = heading, line, len(heading.names)
        if line not in self._tables:
            self._tables[line] = self.scanner.table(self._width, Key.NONE)
        self._table = self._tables[line]
        self._know()
        if heading.locale:
            self.book.locale = heading.locale
        if heading.zone:
            self.times.set_zone_abbreviation(heading.zone)

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        if self._builder is None:
            return False
        cells = line.split()
        width = self._width
        if len(cells) < width or not _all_whole(cells[:width]):
            return False
        if self.is_cut_off(number, line, self._shortest):
            self.book.skip("truncated", number, line)
            return True
        if len(cells) == width:
            time_ns, tail = self.clock.next_block(), line
        elif len(cells) in (width + 2, width + 3):
            moment = self._row_moment(cells[width:])
            if moment is None:
                return False
            time_ns, tail = self.times.at_datetime(moment), b" ".join(cells[:width])
            if len(cells) == width + 2:
                self._know_stamp(line, moment)
        else:
            return False
        self._shortest = min(self._shortest or len(line), len(line))
        since_boot = self._run_begins and not self._follows_cut()
        self._run_begins = False
        self._rows += 1
        self.flags(since_boot)
        self._builder.row(time_ns, number, b"", tail, since_boot)
        self.book.data()
        return True

    def _keep_time(self, number: int, line: bytes) -> None:
        """A damaged row without a stamp keeps the time it took, and may have been the average since boot."""
        if self._builder is None or self._stamped or self.clock.prefixed:
            return
        if self._lost.begins(number, line, self._width):
            self.clock.next_block()
            self._run_begins = False
            self._rows += 1

    def _row_moment(self, cells: list[bytes]) -> datetime | None:
        """``2026-11-21 16:10:21``, older with the zone behind it in every row."""
        moment = iso_moment(cells[0] + b" " + cells[1])
        if moment is None:
            return None
        if len(cells) == 3:
            self.times.set_zone_abbreviation(decode_text(cells[2]))
        self._stamped = True
        return moment

    def _follows_cut(self) -> bool:
        """A file whose head was cut off begins with rows, not with a heading: they are no average since boot."""
        return self._content

    def looks_like_row(self, line: bytes) -> bool:
        """Whether it is a row below a heading, most of it numbers; also notes a row above the first heading."""
        cells = line.split()
        numbers = sum(cell.isdigit() for cell in cells)
        mostly_numbers = numbers > len(cells) // 2
        self._content = self._content or mostly_numbers and numbers > 3 and self._heading is None
        return mostly_numbers and self._heading is not None

    # -- describing ------------------------------------------------------------------------------

    def read_options(self, arguments: str) -> None:
        words = arguments.split()
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word.startswith("-S"):
                self._options["-S " + (word[2:] or following)] = None
                self.book.warn("memory_unit")
            elif word in ("-n", "--one-header"):
                self._options["-n"] = None
            elif word in ("-y", "--no-first"):
                self._run_begins = False

    def describe_variant(self) -> str:
        names = {name for heading in self._headings.values() for name in heading.names}
        wide = any(line.startswith((b"   r", b"  r")) for line in self._headings)
        parts = ["-a" if "active" in names else "", "-w" if wide else "", "-t" if self._stamped else "", *self._options]
        return " ".join(part for part in parts if part)


def _all_whole(cells: list[bytes]) -> bool:
    try:
        list(map(int, cells))
    except ValueError:
        return False
    return True


def _heading_in(line: bytes) -> VmstatHeading | None:
    """The heading of a line, also behind a wrapper's stamp."""
    words = decode_text(line).split()
    for start in range(min(len(words), 8)):
        if words[start] in ("r", "procs") or start == 0:
            heading = read_heading(words[start:])
            if heading is not None:
                return heading
    return None
