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

from dataclasses import dataclass, field
from itertools import pairwise

from tunebench.families.cells import is_number
from tunebench.sdk import decode_text, lazy_pattern

from .capture import behind_stamps, head_text
from .stamped_tables import StampedTable, StampedTablesParser, stamp_s
from .stamps import time_of_day_s

_KEYS = {b"CPU": "cpu", b"NODE": "node"}
_TOPOLOGY = [b"CORE", b"SOCK", b"NODE"]
_MOST_STAMP_WORDS = 4
_INTERRUPT = lazy_pattern(rb"^(?:\d+|NMI|LOC|RES|CAL|HI|TIMER|NET_TX|NET_RX|[A-Z]{3})/s$")
_SOFT = frozenset({"HI/s", "TIMER/s", "NET_RX/s", "TASKLET/s", "SCHED/s", "RCU/s"})


@dataclass(frozen=True)
class CpuTable:
    """One heading, and how its rows are split.

    Attributes:
        words: how many words the stamp before the key has.
        topology: CORE, SOCK and NODE stand before the figures, in the row of a single processor alone.
    """

    table: str
    names: tuple[str, ...]
    words: int
    stamp: str = field(compare=False)
    topology: bool


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


class MpstatParser(StampedTablesParser[CpuTable]):
    """Text of mpstat; see the module's forms."""

    tool = "mpstat"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = head_text(head).split(b"\n")[:200]
        banner = any(line.lstrip(b"\xef\xbb\xbf").startswith(b"Linux ") for line in lines[:20])
        for line, row in pairwise(lines):
            if not any(key in line for key in _KEYS):
                continue
            layouts = (layout for text in (line, *behind_stamps(line)) if (layout := read_heading(text)))
            layout = next(layouts, None)
            if layout is not None and len(row.split()) > layout.words + 1:
                return 0.96 if banner else 0.9
        return 0.0

    def is_heading(self, line: bytes) -> bool:
        layout = read_heading(line)
        return layout is not None and stamp_s(layout.stamp) is not None

    def make_table(self, heading: CpuTable) -> StampedTable[CpuTable]:
        is_node = heading.table == "node"
        return StampedTable(
            heading,
            self.builder_of(heading.table, heading.names, "cpu"),
            self.scanner.table(len(heading.names), accepts=_is_key),
            _name_node if is_node else bytes,
        )

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif self._read_row(number, line):
            pass
        elif (heading := read_heading(line)) is not None:
            self.begin(heading, line)
        elif _is_average(line):
            self.book.skip("average", number, line)
        elif not self.read_surroundings(number, line):
            self.skip_any(number, line)

    def _read_row(self, number: int, line: bytes) -> bool:
        table = self.open
        if table is None:
            return False
        heading = table.heading
        cells = line.split(None, heading.words + 1)
        if len(cells) != heading.words + 2 or not _is_key(cells[-2]):
            return False
        if self.is_cut_off(number, line, table.shortest):
            self.book.skip("truncated", number, line)
            return True
        if not self.take_stamp(line, cells[: heading.words]):
            return False
        tail = cells[-1]
        numbers = tail.split()
        if heading.topology and len(numbers) == len(heading.names) - len(_TOPOLOGY):
            tail = b"- - - " + tail
        elif len(numbers) != len(heading.names) or not is_number(numbers[-1]):
            return False
        table.shortest = min(table.shortest or len(line), len(line))
        self.book.data()
        self.flags(self.since_boot)
        table.builder.row(self.time_ns, number, table.name_of(cells[-2]), tail, self.since_boot)
        return True

    def looks_like_row(self, line: bytes) -> bool:
        return self.open is not None and time_of_day_s(decode_text(line[:40])) is not None

    def describe_variant(self) -> str:
        options = {"node": "-N", "interrupts": "-I SUM", "irq": "-I CPU", "softirq": "-I SCPU"}
        return " ".join(option for table, option in options.items() if table in self.names)


def _is_key(key: bytes) -> bool:
    return key.isdigit() or key == b"all"


def _name_node(key: bytes) -> bytes:
    return b"node " + key


def _is_average(line: bytes) -> bool:
    """``Average:``, ``평균값:``, ``Moyenne :`` ...: a first word that ends in a colon and is no time."""
    cells = line.split(None, 2)
    if len(cells) < 3 or cells[0][:1].isdigit():
        return False
    return cells[0].endswith((b":", "：".encode())) or cells[1] in (b":", "：".encode())
