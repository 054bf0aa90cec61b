"""iostat of sysstat 5 to 12, text.

    avg-cpu:  %user   %nice %system %iowait  %steal   %idle
              37.46    0.01   16.73    0.63    0.26   44.92

    Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util   (5-8)
    Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s ...  f/s f_await  aqu-sz  %util    (12)
    vda            169.78   5844.07    25.00  12.83    0.82    34.42   96.45 ... 18.18    0.05    0.28   2.66
         tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd Device                     (-h)
      117.94         1.0M         1.9M       367.6k       2.0G       3.6G     707.2M vda
    Filesystem:              rBlk_nor/s   wBlk_nor/s   rBlk_dir/s ...                                          (-n)

Columns are known by their headings alone. The first block of a run without -y is an average since boot.
"""

from __future__ import annotations

import re
from collections import deque
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.families.cells import is_number
from tunebench.families.page_reading import CELLS, Key, Mark, Scan, Scanner, ScanTable, new_scanner, suffix_factors
from tunebench.families.running_clock import KnownStamps
from tunebench.sdk import ParseContext, TableBuilder, decode_text, lazy_pattern

from .capture import LinuxTextParser, head_text
from .first_block import FirstBlock
from .iostat_headings import HEADING_WORDS, Heading, all_numbers, options_of, read_heading, sniff_text, suffix_base
from .stamps import NS_PER_S, StampReader, iso_moment, time_of_day_s

_HUMAN = lazy_pattern(rb"\d[.,]?\d*[kMGTPBs%](?:\s|$)")
_TIME_LABEL = lazy_pattern(r"^\s*[^\W\d]{2,12}\s?[:：]\s*\S")
_KNOWN_DEVICES = 100_000


class Layout:
    """The rows below one heading, as far as they are known."""

    def __init__(self, line: bytes, heading: Heading, builder: TableBuilder, rows: ScanTable) -> None:
        self.line = line
        self.heading = heading
        self.builder = builder
        self.rows = rows
        self.mark: Mark | None = None  # while the scanner knows the heading
        self.known: set[bytes] = set()  # names of rows seen to be well-formed, line by line
        self.looked = False
        self.shortest = 0  # bytes of the shortest row, 0 before the first

    def plain_row(self, line: bytes) -> tuple[bytes, bytes] | None:
        """(name, numbers) of what is plainly a row; the builder books damaged numbers."""
        if not self.looked or self.heading.key_last:
            return None
        if not self.heading.keyed:
            return (b"", line) if line[:1] == b" " else None
        name, _, tail = line.partition(b" ")
        is_row = name in self.known or (name in self.rows.names and name not in HEADING_WORDS)
        return (name, tail) if is_row else None


class IostatParser(LinuxTextParser):
    """Text of iostat; see the module's forms."""

    tool = "iostat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.scanner: Scanner = new_scanner(CELLS)
        self._layouts: dict[bytes, Layout] = {}
        self._of_rows: dict[ScanTable, Layout] = {}
        self._of_table: dict[str, Layout] = {}
        self._layout: Layout | None = None
        self._shown: set[ScanTable] = set()  # of the block
        self._block_ns = 0
        self._in_block = False
        self._since_boot = False
        self._first_block = FirstBlock(self.book)
        self._stamp_ns: int | None = None
        self._own_stamps = KnownStamps(self.scanner)
        self._wrappers = KnownStamps(self.scanner)
        self._pending: tuple[int, bytes] | None = None  # a name on a line of its own
        self._kinds: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_text(head_text(head))

    def is_heading(self, line: bytes) -> bool:
        return read_heading(line) is not None

    # -- many lines at once ----------------------------------------------------------------------

    @property
    def may_scan(self) -> bool:
        return self._pending is None

    def open_table(self) -> ScanTable | None:
        layout = self._layout
        return layout.rows if layout is not None and layout.looked else None

    def take_scan(self, scan: Scan) -> None:
        self.book.header(len(scan.marks))
        self.book.blank(scan.blanks)
        begins = self._begins_of_blocks(scan)
        lines = scan.mark_lines[begins]
        since_boot = np.zeros(len(begins) + 1, dtype=bool)
        since_boot[0] = self._since_boot
        times_ns = np.append(np.int64(self._block_ns), self._times_of_blocks(scan, begins))
        if len(begins):
            since_boot[1] = self._since_boot = self._is_since_boot(int(lines[0]))
        if len(begins) > 1:
            self._since_boot = False
            self.flags(since_boot=False)
        for rows in scan.rows:
            layout, block = self._of_rows[rows.table], np.searchsorted(lines, rows.lines)
            layout.shortest = min(layout.shortest, rows.shortest)
            self.give(layout.builder.scanned(rows, times_ns[block], since_boot[block]))
            self.book.data(len(rows.lines))

    def _begins_of_blocks(self, scan: Scan) -> NDArray[np.int64]:
        """Which of the marks begin a block: every stamp, and a heading that the block showed already."""
        tables, wrapper = [mark.table for mark in self.scanner.marks], self._wrappers.place
        begins, shown, in_block, table = self._plain_stamps(scan, tables), self._shown, self._in_block, None
        start = begins.pop() if begins else 0
        for index, mark in enumerate(scan.marks[start:].tolist(), start):
            table = tables[mark]
            if mark == wrapper:
                shown.clear()
                in_block = False
            elif table is None or not in_block or table in shown:
                begins.append(index)
                shown.clear()
                in_block = True
            if table is not None:
                shown.add(table)
        self._in_block = in_block
        if len(scan.marks):
            self._layout = None if table is None else self._of_rows[table]
        return np.asarray(begins, dtype=np.int64)

    def _plain_stamps(self, scan: Scan, tables: list[ScanTable | None]) -> list[int]:
        """The marks that are stamps, where between any two of them no heading comes twice: each begins a block, and
        nothing else does. Empty where that is not so of all marks before the last stamp."""
        is_stamp = np.array([table is None for table in tables], dtype=bool)[scan.marks]
        stamps = np.flatnonzero(is_stamp).tolist()
        if not stamps or (scan.marks == self._wrappers.place).any():
            return []
        before = [tables[mark] for mark in scan.marks[: stamps[0]].tolist()]
        headings = (np.cumsum(is_stamp) * len(tables) + scan.marks)[~is_stamp]
        goes_on = not before or (self._in_block and self._shown.isdisjoint(before))
        return stamps if goes_on and np.bincount(headings).max(initial=0) < 2 else []

    def _times_of_blocks(self, scan: Scan, begins: NDArray[np.int64]) -> NDArray[np.int64]:
        """UTC ns of the blocks that these marks begin; the last is the block's that is open."""
        stamped = scan.marks[begins] == self._own_stamps.place
        times_ns = np.empty(len(begins), dtype=np.int64)
        edges = [0, *(np.flatnonzero(stamped[1:] != stamped[:-1]) + 1).tolist(), len(begins)]
        wrappers = self._wrappers.places_in(scan)
        for low, high in pairwise(edges):
            if low < high and stamped[low] and self._own_stamps.clock is not None:
                self._pass_wrappers(scan, wrappers, int(begins[high - 1]))
                times_ns[low:high] = self._own_stamps.clock.times(self.times, scan.fields[begins[low:high]])
                self._stamp_ns = self._block_ns = int(times_ns[high - 1])
            else:
                for index in range(low, high):
                    self._pass_wrappers(scan, wrappers, int(begins[index]))
                    times_ns[index] = self._block_ns = self._unstamped_time()
        self._pass_wrappers(scan, wrappers, len(scan.marks))
        return times_ns

    def _pass_wrappers(self, scan: Scan, wrappers: deque[int], end: int) -> None:
        """A wrapper's stamps before the mark `end`: the last of them times the next block without one of its own."""
        moment = self._wrappers.last_before(scan, wrappers, end)
        if moment is not None:
            self.clock.wrapper(moment)
            self._stamp_ns = None

    def _know(self, layout: Layout) -> None:
        """The scanner reads the layout's headings and rows from now on."""
        if layout.mark is None:
            layout.mark = self.scanner.know(layout.line, layout.rows)

    # -- line by line ----------------------------------------------------------------------------

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
            return
        self._read_text(number, line)
        self._first_block.end_line(number)

    def _read_text(self, number: int, line: bytes) -> None:
        """A line that is not blank."""
        layout = self._layouts.get(line) or self._new_layout(line)
        if layout is not None:
            self._begin(layout, number)
        elif self._read_row(number, line):
            pass
        elif self._read_stamp(number, line):
            self.book.header()
        elif line.startswith(b"Linux ") and self.read_surroundings(number, line):
            self._first_block.read_banner(number, line)
        elif not self.read_surroundings(number, line):
            self._first_block.read_remark(line)
            self._drop_pending()
            if not self._wait_for_row(number, line):
                self.skip_any(number, line)

    def _new_layout(self, line: bytes) -> Layout | None:
        heading = read_heading(line)
        if heading is None:
            return None
        key = "device" if heading.keyed else None
        bases = [suffix_base(name) for name in heading.headings]
        builder = TableBuilder(heading.table, heading.headings, key, self.book, suffix_base=bases)
        key_cell = Key.LAST if heading.key_last else Key.FIRST if heading.keyed else Key.NONE
        rows = self.scanner.table(heading.width, key_cell, suffix_factors(bases), most_keys=_KNOWN_DEVICES)
        layout = self._layouts[line] = self._of_rows[rows] = Layout(line, heading, builder, rows)
        self.builders[line] = builder
        return layout

    def _begin(self, layout: Layout, number: int) -> None:
        """A heading: the block goes on, or a new one begins."""
        self._first_block.read_heading(number)
        self.book.header_lines += 1
        if self._pending is not None:
            self._drop_pending()
        if not self._in_block or layout.rows in self._shown:
            self._begin_block(self._unstamped_time(), number)
        self._shown.add(layout.rows)
        self._layout = layout
        other = self._of_table.get(layout.heading.table)
        if other is layout:
            return
        if other is not None:  # rows of the two are never read at once
            self.close_builder(other.builder)
            if other.mark is not None:
                self.scanner.forget(other.mark)
                other.mark = None
        self._of_table[layout.heading.table] = layout
        if layout.looked:
            self._know(layout)

    def _unstamped_time(self) -> int:
        """UTC ns of a block without a stamp; below stamps it was damaged, and the block follows the last."""
        if self.stamped:
            return self._block_ns + round((self.times.interval_s or 1.0) * NS_PER_S)
        return self.clock.next_block()

    @property
    def stamped(self) -> bool:
        return self._stamp_ns is not None

    def _begin_block(self, time_ns: int, number: int) -> None:
        self._block_ns = time_ns
        self._in_block = True
        self._shown.clear()
        self._since_boot = self._is_since_boot(number)

    def _is_since_boot(self, number: int) -> bool:
        since_boot = self._first_block.begins_with_boot(number)
        self.flags(since_boot)
        return since_boot

    def began(self, restarted: bool) -> None:
        self._layout = None
        self._in_block = False
        self._stamp_ns = None
        self._shown.clear()
        if restarted:
            self._first_block.begin_run()
            self._own_stamps.forget()  # what they leave unsaid may be another: the banner's year
            self._wrappers.forget()

    def read_options(self, arguments: str) -> None:
        self._first_block.read_options(arguments.split())

    # -- stamps ----------------------------------------------------------------------------------

    def _read_stamp(self, number: int, line: bytes) -> bool:
        """``11/21/26 16:10:13``, ``Time: 03:49:57 PM``: the block's own time."""
        if self.clock.prefixed or not (line[:1].isdigit() or b":" in line[:40] or not line.isascii()):
            return False
        moment = _moment(line, self.stamps)
        if moment is None:
            return False
        at_time, at_datetime = self.times.at_time_of_day, self.times.at_datetime
        self._stamp_ns = at_time(moment) if isinstance(moment, int) else at_datetime(moment)
        self._layout = None
        self._own_stamps.know(line, moment)
        self._begin_block(self._stamp_ns, number)
        return True

    def know_wrapper(self, line: bytes, moment: datetime) -> None:
        if not self.clock.prefixed:
            self._wrappers.know(line, moment)

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        layout = self._layout
        if layout is None:
            return False
        row = self._split_row(layout, line)
        if row is None:
            return False
        key, tail = row
        if layout.looked and self.is_cut_off(number, line, layout.shortest):
            self.book.skip("truncated", number, line)
            return True
        layout.shortest = min(layout.shortest, len(line)) if layout.looked else len(line)
        if not layout.looked:
            if self._first_block.is_boot_after_all(number):
                self._since_boot = True
                self.flags(since_boot=True)
            self._look(layout, tail)
        if len(layout.known) < _KNOWN_DEVICES and not line[:1].isspace() and key not in HEADING_WORDS:
            layout.known.add(key)
        layout.builder.row(self._block_ns, number, key, tail, self._since_boot)
        self.book.data()
        return True

    def _split_row(self, layout: Layout, line: bytes) -> tuple[bytes, bytes] | None:
        """(name, numbers) of a row; None where the line is no row of the table."""
        plainly = layout.plain_row(line)
        if plainly is not None:
            return plainly
        cells, heading = line.split(), layout.heading
        if not heading.keyed:
            return (b"", line) if len(cells) == heading.width and all_numbers(cells) else None
        name, numbers = heading.parts(cells)
        if not name and len(cells) == heading.width and self._pending is not None:
            name = [self._pending[1].strip()]
            self.book.data()
            self._pending = None
        if not name or len(numbers) != heading.width or not all_numbers(numbers):
            return None
        if len(name) > 1 and all(is_number(cell) for cell in name):
            return None
        return b" ".join(name), b" ".join(numbers)

    def _look(self, layout: Layout, tail: bytes) -> None:
        layout.looked = True
        self._know(layout)
        if _HUMAN.search(tail):
            self.book.warn("rounded_units")
            self._kinds["human"] = None

    def _wait_for_row(self, number: int, line: bytes) -> bool:
        """A long name stands on a line of its own, its numbers on the next (sysstat before 12, -h and -n)."""
        layout = self._layout
        heading = None if layout is None else layout.heading
        if heading is None or not heading.keyed or heading.key_last or len(line.split()) != 1:
            return False
        self._pending = (number, line)
        return True

    def _drop_pending(self) -> None:
        if self._pending is not None:
            self.book.skip("not_a_table", *self._pending)
            self._pending = None

    def looks_like_row(self, line: bytes) -> bool:
        return self._layout is not None and any(is_number(cell) for cell in line.split()[1:])

    def end_of_text(self) -> None:
        self._drop_pending()

    def describe_variant(self) -> str:
        shown = options_of([layout.heading for layout in self._layouts.values()])
        return " ".join([*shown, *(["-t"] if self.stamped else []), *self._kinds])


def _moment(line: bytes, stamps: StampReader) -> datetime | int | None:
    """What a stamp says; seconds since midnight where it has no date."""
    if line[4:5] == b"-" and line[10:11] == b"T":
        return iso_moment(line)
    text = decode_text(line)
    if not _looks_like_stamp(text):
        return None
    return time_of_day_s(text) if _TIME_LABEL.match(text) else stamps.moment(text)


def _looks_like_stamp(text: str) -> bool:
    letters = re.sub(r"[년월일시분초年月日時分秒时\s\d:./,+-]|[AaPp]\.?[Mm]|오전|오후|午前|午後", "", text)
    return len(letters) == 0 or (_TIME_LABEL.match(text) is not None and len(text) < 40)
