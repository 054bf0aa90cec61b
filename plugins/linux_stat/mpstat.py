"""mpstat of sysstat 5 to 12, text: -P, -I, -N, -T, -A, and a single report since boot.

    16:10:21     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
    16:10:23     all   10.80   22.11   23.62    0.25    0.00    0.25    0.25    0.00    0.00   42.71
    04:10:21 PM  CPU   %user   %nice %system %iowait    %irq   %soft   %idle    intr/s
    18시 13분 55초  CPU    %usr   %nice ...
    16:10:21     CPU       24/s       25/s ...  NMI/s      LOC/s

With an interval the heading carries the time of the block before; without one mpstat prints the averages
since boot below a heading with the same time.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from app.families.cells import is_number
from app.sdk import Page, ParseContext, TableBuilder, decode_text

from .capture import LinuxTextParser, behind_stamps, head_text
from .mpstat_blocks import PlainBlocks, find_plain
from .stamps import time_of_day_s

_KEYS = {b"CPU": "cpu", b"NODE": "node"}
_TOPOLOGY = [b"CORE", b"SOCK", b"NODE"]
_MOST_STAMP_WORDS = 4
_INTERRUPT = re.compile(rb"^(?:\d+|NMI|LOC|RES|CAL|HI|TIMER|NET_TX|NET_RX|[A-Z]{3})/s$")
_SOFT = frozenset({"HI/s", "TIMER/s", "NET_RX/s", "TASKLET/s", "SCHED/s", "RCU/s"})
_KEY_END = re.compile(rb"\d\d:\d\d:\d\d +CPU")
_PAST_ALL = 86_400
_EPOCH = re.compile(r"^1?\d{9}$")


class CpuTable:
    """One heading: its table, and how its rows are split.

    Attributes:
        words: how many words the stamp before the key has.
        stamp: the heading's own stamp; None in the closing averages.
    """

    def __init__(self, table: str, names: tuple[str, ...], words: int, stamp: str, topology: bool) -> None:
        self.table = table
        self.names = names
        self.width = len(names)
        self.words = words
        self.stamp = stamp
        self.topology = topology


def read_heading(line: bytes) -> CpuTable | None:
    """The table a heading begins; sar's CPU tables have other columns and are left to sar's parser."""
    cells = line.split()
    if cells and cells[0] in _KEYS:
        return None
    for words in range(1, min(_MOST_STAMP_WORDS, len(cells) - 1)):
        kind = _KEYS.get(cells[words])
        if kind is None:
            continue
        names = cells[words + 1 :]
        topology = names[:3] == _TOPOLOGY
        if not _is_mpstat(names[3:] if topology else names):
            return None
        english = tuple(map(decode_text, names))
        return CpuTable(_table_of(kind, english), english, words, decode_text(b" ".join(cells[:words])), topology)
    return None


def _is_mpstat(names: list[bytes]) -> bool:
    if not names:
        return False
    if b"intr/s" in names or (b"%iowait" in names and names.index(b"%iowait") + 1 < len(names)):
        return b"intr/s" in names or names[names.index(b"%iowait") + 1] == b"%irq"
    return all(_INTERRUPT.match(name) or name.endswith(b"/s") for name in names) and any(
        _INTERRUPT.match(name) for name in names
    )


def _table_of(kind: str, names: tuple[str, ...]) -> str:
    if any(name.startswith("%") for name in names):
        return kind
    if names == ("intr/s",):
        return "interrupts"
    return "softirq" if _SOFT.intersection(names) else "irq"


class MpstatParser(LinuxTextParser):
    """Text of mpstat; see the module's forms."""

    tool = "mpstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._layout: CpuTable | None = None
        self._heading = b""
        self._row_s = -1  # second of the day of the last row
        self._builder: TableBuilder | None = None
        self._last_stamp: list[bytes] = []
        self._time_ns = 0
        self._shortest = 0
        self._since_boot = False
        self._seconds: dict[str, int | None] = {}
        self._tables: dict[str, bytes] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = head_text(head).split(b"\n")[:200]
        banner = any(line.lstrip(b"\xef\xbb\xbf").startswith(b"Linux ") for line in lines[:20])
        for line, row in pairwise(lines):
            layouts = (layout for text in (line, *behind_stamps(line)) if (layout := read_heading(text)))
            layout = next(layouts, None)
            if layout is not None and len(row.split()) > layout.words + 1:
                return 0.96 if banner else 0.9
        return 0.0

    def is_heading(self, line: bytes) -> bool:
        layout = read_heading(line)
        return layout is not None and (self._seconds_of(layout.stamp) is not None or bool(_EPOCH.match(layout.stamp)))

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif self._read_row(number, line):
            pass
        elif self._new_heading(line):
            self.book.header()
        elif _is_average(line):
            self.book.skip("average", number, line)
        elif not self.read_surroundings(number, line):
            self.skip_any(number, line)

    def read_many(self, first_line: int, page: Page) -> None:
        at = 0
        for blocks in self._plain_blocks(page):
            self.read_all(first_line + at, page.lines(at, blocks.begin))
            at = blocks.begin
            if self._row_s >= blocks.row_s[0]:
                break
            self._take_blocks(first_line, page, blocks)
            at = blocks.end
        self.read_all(first_line + at, page.lines(at, len(page)))

    def _plain_blocks(self, page: Page) -> list[PlainBlocks]:
        layout = self._layout
        if layout is None or self._builder is None or layout.topology or layout.table == "node":
            return []
        stamp, key_end = layout.stamp.encode(), _KEY_END.match(self._heading)
        if key_end is None or not stamp or not self._heading.startswith(stamp + b" ") or self.clock.prefixed:
            return []
        return find_plain(page, self._heading, key_end.end(), self._row_s)

    def _take_blocks(self, first_line: int, page: Page, blocks: PlainBlocks) -> None:
        layout, builder = self._layout, self._builder
        assert layout is not None and builder is not None
        times_ns = []
        for heading_s, row_s in zip(blocks.heading_s, blocks.row_s, strict=True):
            self.times.begin_table(layout.table, heading_s)
            times_ns.append(self.times.at_time_of_day(row_s))
        self.give(builder.whole_times(page, blocks.rows, blocks.keys, np.asarray(times_ns), first_line))
        self.book.data(len(blocks.rows))
        self.book.header(len(times_ns))
        self.book.blank(len(times_ns))
        self.flags(since_boot=False)
        last = page.line(blocks.end - 2)
        self._new_layout(page.line(blocks.end - len(blocks.keys) - 2))
        self._time_ns, self._last_stamp, self._since_boot = times_ns[-1], last.split(None, 1)[:1], False
        self._row_s = blocks.row_s[-1]
        self._shortest = min(map(len, page.lines(blocks.end - len(blocks.keys) - 1, blocks.end - 1)))

    def _new_layout(self, line: bytes) -> None:
        """The heading of the last block is the one that holds: its stamp is another."""
        layout = read_heading(line)
        assert layout is not None
        self._layout, self._heading = layout, line

    def began(self, restarted: bool) -> None:
        if restarted:
            self._layout = None

    # -- headings --------------------------------------------------------------------------------

    def _new_heading(self, line: bytes) -> bool:
        layout = read_heading(line)
        if layout is None:
            return False
        seconds = self._seconds_of(layout.stamp)
        if seconds is None and _EPOCH.match(layout.stamp) is None:  # the closing averages
            self._layout = None
            return True
        self.times.begin_table(layout.table, seconds)
        self._layout, self._heading = layout, line
        self._shortest = 0
        self._last_stamp = []
        self._builder = self._builder_of(layout)
        return True

    def _builder_of(self, layout: CpuTable) -> TableBuilder:
        key = "|".join((layout.table, *layout.names)).encode()
        before = self._tables.get(layout.table)
        if before is not None and before != key:
            self.close_builder(self.builders[before])
        self._tables[layout.table] = key
        if key not in self.builders:
            self.builders[key] = TableBuilder(layout.table, layout.names, "cpu", self.book)
        return self.builders[key]

    def _seconds_of(self, stamp: str) -> int | None:
        if stamp not in self._seconds:
            self._seconds[stamp] = time_of_day_s(stamp)
        return self._seconds[stamp]

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        layout = self._layout
        if layout is None or self._builder is None:
            return False
        cells = line.split(None, layout.words + 1)
        if len(cells) != layout.words + 2:
            return False
        stamp, key, tail = cells[: layout.words], cells[-2], cells[-1]
        if not (key.isdigit() or key == b"all"):
            return False
        if self.is_cut_off(number, line, self._shortest):
            self.book.skip("truncated", number, line)
            return True
        if stamp != self._last_stamp and not self._take_stamp(stamp, layout):
            return False
        numbers = tail.split()
        if layout.topology and len(numbers) == layout.width - len(_TOPOLOGY):
            tail = b"- - - " + tail
        elif len(numbers) != layout.width or not is_number(numbers[-1]):
            return False
        self._shortest = min(self._shortest or len(line), len(line))
        self.book.data()
        self.flags(self._since_boot)
        thing = b"node " + key if layout.table == "node" else key
        self._builder.row(self._time_ns, number, thing, tail, self._since_boot)
        return True

    def _take_stamp(self, stamp: list[bytes], layout: CpuTable) -> bool:
        text = decode_text(b" ".join(stamp))
        if _EPOCH.match(text):
            self._row_s = _PAST_ALL
            self._time_ns = self.times.at_epoch(int(text))
        else:
            seconds = self._seconds_of(text)
            if seconds is None:
                return False
            self._row_s = seconds
            self._time_ns = self.times.at_time_of_day(seconds)
        self._since_boot = text == layout.stamp
        self._last_stamp = stamp
        return True

    def looks_like_row(self, line: bytes) -> bool:
        return self._layout is not None and time_of_day_s(decode_text(line[:40])) is not None

    def describe_variant(self) -> str:
        options = {"node": "-N", "interrupts": "-I SUM", "irq": "-I CPU", "softirq": "-I SCPU"}
        return " ".join(option for table, option in options.items() if table in self._tables)


def _is_average(line: bytes) -> bool:
    """``Average:``, ``평균값:``, ``Moyenne :`` ...: a first word that ends in a colon and is no time."""
    cells = line.split(None, 2)
    if len(cells) < 3 or cells[0][:1].isdigit():
        return False
    return cells[0].endswith((b":", "：".encode())) or cells[1] in (b":", "：".encode())
