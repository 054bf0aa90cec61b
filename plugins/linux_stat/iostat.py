"""iostat of sysstat 5 to 12, text.

    avg-cpu:  %user   %nice %system %iowait  %steal   %idle
              37.46    0.01   16.73    0.63    0.26   44.92

    Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util   (5-8)
    Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s ...  f/s f_await  aqu-sz  %util    (12)
    vda            169.78   5844.07    25.00  12.83    0.82    34.42   96.45 ... 18.18    0.05    0.28   2.66
         tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd Device                     (-h)
      117.94         1.0M         1.9M       367.6k       2.0G       3.6G     707.2M vda
    Filesystem:              rBlk_nor/s   wBlk_nor/s   rBlk_dir/s ...                                          (-n)

Columns are known by their headings alone. The first block of a run without -y is an average since boot;
with -y two blank lines follow the banner where otherwise there is one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from app.families.cells import is_number
from app.sdk import Page, ParseContext, TableBuilder, decode_text

from .capture import LinuxTextParser, head_text
from .iostat_blocks import Blocks, StampColumns, find_blocks, stamp_columns
from .iostat_headings import HEADING_WORDS, Layout, all_numbers, may_be_heading, read_heading, sniff_text, suffix_base
from .stamps import NS_PER_S, iso_moment, time_of_day_s

_HUMAN = re.compile(rb"\d[.,]?\d*[kMGTPBs%](?:\s|$)")
_TIME_LABEL = re.compile(r"^\s*[^\W\d]{2,12}\s?[:：]\s*\S")
_KNOWN_DEVICES = 100_000


class IostatParser(LinuxTextParser):
    """Text of iostat; see the module's forms."""

    tool = "iostat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._layouts: dict[bytes, Layout] = {}
        self._of_table: dict[str, Layout] = {}
        self._layout: Layout | None = None
        self._shown: set[int] = set()  # layouts of the block
        self._block_ns = 0
        self._in_block = False
        self._since_boot = False
        self._run_begins = True  # the next block is the first of a run
        self._skips_boot = False  # -y on a command line
        self._banner_line = 0
        self._counts_cpus = False
        self._content = False
        self._stamp_ns: int | None = None
        self._stamp_columns: StampColumns | None = None  # of the last stamp
        self._leader: Layout | None = None  # whose heading began the block, in a capture without stamps
        self._pending: tuple[int, bytes] | None = None  # a name on a line of its own
        self._kinds: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_text(head_text(head))

    def is_heading(self, line: bytes) -> bool:
        return read_heading(line) is not None

    # -- the fast road ---------------------------------------------------------------------------

    def read_all(self, first_line: int, lines: list[bytes]) -> None:
        layouts, read_line, total = self._layouts, self.read_line, len(lines)
        index = blanks = 0
        while index < total:
            line = lines[index]
            if not line:
                blanks += 1
                index += 1
                continue
            layout = layouts.get(line)
            if layout is None:
                read_line(first_line + index, line)
                index += 1
                continue
            self._begin(layout, first_line + index)
            index += 1
            try:
                end = lines.index(b"", index)
            except ValueError:
                end = total
            if end > index and layout.looked and not self.is_ending:
                index = self._read_block(layout, first_line, lines, index, end)
        self.book.blank(blanks)

    def _read_block(self, layout: Layout, first_line: int, lines: list[bytes], index: int, end: int) -> int:
        """Takes the rows up to a blank line at once, where all of them are plainly rows; else none."""
        builder = layout.builder
        assert builder is not None
        if not layout.keyed:
            row = lines[index]
            if end - index == 1 and row[:1] == b" " and not row.isspace() and not may_be_heading(row):
                layout.shortest = min(layout.shortest, len(row))
                builder.row(self._block_ns, first_line + index, b"", row, self._since_boot)
                self.book.data_lines += 1
                return end
            return index
        if layout.key_last:
            return index
        block = lines[index:end]
        parts = [line.partition(b" ") for line in block]
        keys = [part[0] for part in parts]
        if not layout.known.issuperset(keys):
            return index
        layout.shortest = min(layout.shortest, *map(len, block))
        tails = [part[2] for part in parts]
        builder.rows(self._block_ns, first_line + index, keys, tails, self._since_boot)
        self.book.data_lines += end - index
        return end

    # -- many blocks at once ---------------------------------------------------------------------

    def read_many(self, first_line: int, page: Page) -> None:
        usual = [(line, layout) for line, layout in self._layouts.items() if self._is_usual(layout)]
        led_by = self._leader
        leader = next((number for number, (_, layout) in enumerate(usual) if layout is led_by), -1)
        stamp = self._stamp_columns
        if not usual or (stamp is None if self.stamped else leader < 0) or self._state() != self._STEADY:
            self.read_all(first_line, page.lines(0, len(page)))
            return
        blocks = find_blocks(page, usual, leader, stamp if self.stamped else None)
        at = 0
        for first, last in blocks.plain_runs():
            begin, end = int(blocks.begins[first]), int(blocks.begins[last])
            self.read_all(first_line + at, page.lines(at, begin))
            at = begin
            steady = self._state() == self._STEADY and all(self._is_usual(layout) for _, layout in usual)
            steady = steady and self.stamped == (blocks.stamp is not None) and (self.stamped or self._leader is led_by)
            if not steady or not self._follows(blocks, first):
                break
            self._take_blocks(first_line, page, blocks, first, last)
            at = end
        self.read_all(first_line + at, page.lines(at, len(page)))

    _STEADY = (False, False, False)

    def _state(self) -> tuple[bool, bool, bool]:
        return self._run_begins, self._pending is not None, self.clock.prefixed

    def _is_usual(self, layout: Layout) -> bool:
        ready = layout.looked and not layout.key_last and layout.builder is not None
        return ready and self._of_table.get(layout.table) is layout

    def _follows(self, blocks: Blocks, first: int) -> bool:
        """Whether the block's stamp is later than the block read last, and of its day."""
        stamp = blocks.stamp
        if stamp is None:
            return True
        later = stamp.time_ns + int(blocks.seconds[first]) * NS_PER_S > self._block_ns
        latest = self._stamp_columns
        return later and latest is not None and stamp.tells_the_day_of(latest.line)

    def _take_blocks(self, first_line: int, page: Page, blocks: Blocks, first: int, last: int) -> None:
        """Plain blocks `first` to `last` - 1."""
        times_ns = self._times_of_blocks(blocks, first, last)
        for table in blocks.tables:
            builder, layout, rows = table.layout.builder, table.layout, table.rows.of_times(first, last)
            if len(rows) and builder is not None:
                self.give(builder.whole_times(page, rows, table.keys, times_ns, first_line))
                self.book.data(len(rows))
                layout.shortest = min(layout.shortest, int(page.lengths[rows.line].min()))
        begin, end = int(blocks.begins[first]), int(blocks.begins[last])
        headings = blocks.headings[begin:end]
        self.book.header(int(np.count_nonzero(headings >= 0)) + (last - first if self.stamped else 0))
        self.book.blank(int(np.count_nonzero(page.lengths[begin:end] == 0)))
        self._block_ns = int(times_ns[-1])
        self._stamp_ns = self._block_ns if self.stamped else None
        self._since_boot = False
        self.flags(since_boot=False)
        self._reread_last_block(page, blocks, last)

    def _times_of_blocks(self, blocks: Blocks, first: int, last: int) -> NDArray[np.int64]:
        stamp = blocks.stamp
        if stamp is None:
            return np.asarray([self.clock.next_block() for _ in range(first, last)], dtype=np.int64)
        since_s = blocks.seconds[first:last]
        if stamp.aware:
            return self.times.at_rising(stamp.time_ns + since_s * NS_PER_S)
        return self.times.at_times_of_day(stamp.day_s + since_s)

    def _reread_last_block(self, page: Page, blocks: Blocks, last: int) -> None:
        """The state that line by line would have left: the last block is open, its headings are shown."""
        begin, end = int(blocks.begins[last - 1]), int(blocks.begins[last])
        headings = begin + np.flatnonzero(blocks.headings[begin:end] >= 0)
        shown = [self._layouts[page.line(line)] for line in headings.tolist()]
        self._in_block = True
        self._shown = {id(layout) for layout in shown}
        self._layout = shown[-1]

    # -- the slow road ---------------------------------------------------------------------------

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
            return
        layout = self._layouts.get(line) or self._new_layout(line)
        if layout is not None:
            self._begin(layout, number)
        elif self._read_row(number, line):
            pass
        elif self._read_stamp(number, line):
            self.book.header()
        elif line.startswith(b"Linux ") and self.read_surroundings(number, line):
            self._banner_line = number
            self._counts_cpus = line.rstrip().endswith(b"CPU)")  # sysstat 9 and later; -y came with 10
        elif not self.read_surroundings(number, line):
            self._content = self._content or _looks_like_row(line)
            self._drop_pending()
            if not self._wait_for_row(number, line):
                self.skip_any(number, line)

    def _new_layout(self, line: bytes) -> Layout | None:
        layout = read_heading(line)
        if layout is None:
            return None
        key = "device" if layout.keyed else None
        bases = [suffix_base(heading) for heading in layout.headings]
        builder = TableBuilder(layout.table, layout.headings, key, self.book, suffix_base=bases)
        layout.builder = self.builders[line] = builder
        self._layouts[line] = layout
        return layout

    def _begin(self, layout: Layout, number: int) -> None:
        """A heading: the block goes on, or a new one begins."""
        self.book.header_lines += 1
        if self._pending is not None:
            self._drop_pending()
        if not self._in_block or id(layout) in self._shown:
            self._begin_block(self._unstamped_time(), number)
            self._leader = layout
        self._shown.add(id(layout))
        self._layout = layout
        other = self._of_table.get(layout.table)
        if other is not layout:
            if other is not None and other.builder is not None:
                self.close_builder(other.builder)
            self._of_table[layout.table] = layout

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
        self._since_boot = self._run_begins and not self._skips_boot and self._starts_with_boot(number)
        self._run_begins = False
        self.flags(self._since_boot)

    def _starts_with_boot(self, number: int) -> bool:
        if self._banner_line:
            return not (self._counts_cpus and number - self._banner_line > 2)
        return not self._content  # a file cut off at its head does not begin with the average since boot

    def began(self, restarted: bool) -> None:
        self._layout = None
        self._in_block = False
        self._stamp_ns = None
        self._shown.clear()
        if restarted:
            self._run_begins = True

    def read_options(self, arguments: str) -> None:
        self._skips_boot = re.search(r"(?:^|\s)-\w*y", arguments) is not None

    # -- stamps ----------------------------------------------------------------------------------

    def _read_stamp(self, number: int, line: bytes) -> bool:
        """``11/21/26 16:10:13``, ``Time: 03:49:57 PM``: the block's own time."""
        if self.clock.prefixed or not (line[:1].isdigit() or b":" in line[:40] or not line.isascii()):
            return False
        time_ns = self._stamp_time(line)
        if time_ns is None:
            return False
        self._layout = None
        self._stamp_ns = time_ns
        self._stamp_columns = stamp_columns(line, time_ns)
        self._begin_block(time_ns, number)
        return True

    def _stamp_time(self, line: bytes) -> int | None:
        if line[4:5] == b"-" and line[10:11] == b"T":
            moment = iso_moment(line)
            return None if moment is None else self.times.at_datetime(moment)
        text = decode_text(line)
        if not self._looks_like_stamp(text):
            return None
        if _TIME_LABEL.match(text):
            seconds = time_of_day_s(text)
            return None if seconds is None else self.times.at_time_of_day(seconds)
        moment = self.stamps.moment(text)
        return None if moment is None else self.times.at_datetime(moment)

    def _looks_like_stamp(self, text: str) -> bool:
        letters = re.sub(r"[년월일시분초年月日時分秒时\s\d:./,+-]|[AaPp]\.?[Mm]|오전|오후|午前|午後", "", text)
        return len(letters) == 0 or (_TIME_LABEL.match(text) is not None and len(text) < 40)

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        layout = self._layout
        if layout is None or layout.builder is None:
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
            self._look(layout, tail)
        if len(layout.known) < _KNOWN_DEVICES and not line[:1].isspace() and key not in HEADING_WORDS:
            layout.known.add(key)
        layout.builder.row(self._block_ns, number, key, tail, self._since_boot)
        self.book.data()
        return True

    def _split_row(self, layout: Layout, line: bytes) -> tuple[bytes, bytes] | None:
        """(name, numbers) of a row; None where the line is no row of the table."""
        if layout.looked and not layout.key_last:  # what the fast road takes; the builder books damaged numbers
            if not layout.keyed:
                if line[:1] == b" ":
                    return b"", line
            else:
                known, _, tail = line.partition(b" ")
                if known in layout.known:
                    return known, tail
        cells = line.split()
        width = layout.width
        if not layout.keyed:
            return (b"", line) if len(cells) == width and all_numbers(cells) else None
        if layout.key_last:
            name, numbers = cells[width:], cells[:width]
        else:
            name, numbers = cells[: len(cells) - width], cells[len(cells) - width :]
        if not name and len(cells) == width and self._pending is not None:
            name = [self._pending[1].strip()]
            self.book.data()
            self._pending = None
        if not name or len(numbers) != width or not all_numbers(numbers):
            return None
        if len(name) > 1 and all(is_number(cell) for cell in name):
            return None
        if len(name) == 1 and not layout.key_last and not line[:1].isspace():
            return name[0], line.partition(b" ")[2]
        return b" ".join(name), b" ".join(numbers)

    def _look(self, layout: Layout, tail: bytes) -> None:
        layout.looked = True
        if _HUMAN.search(tail):
            self.book.warn("rounded_units")
            self._kinds["human"] = None

    def _wait_for_row(self, number: int, line: bytes) -> bool:
        """A long name stands on a line of its own, its numbers on the next (sysstat before 12, -h and -n)."""
        layout = self._layout
        if layout is None or not layout.keyed or layout.key_last or len(line.split()) != 1:
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
        tables = {layout.table for layout in self._layouts.values()}
        headings = {heading for layout in self._layouts.values() for heading in layout.headings}
        parts = [
            "-x" if headings & {"%util", "svctm"} else "",
            "-c" if tables == {"cpu"} else "-d" if "cpu" not in tables else "",
            "-h" if any(layout.key_last for layout in self._layouts.values()) else "",
            "-n" if "nfs" in tables else "",
            "-t" if self.stamped else "",
            *self._kinds,
        ]
        return " ".join(part for part in parts if part)


def _looks_like_row(line: bytes) -> bool:
    cells = line.split()
    return 2 * sum(map(is_number, cells)) > len(cells)
