"""vmstat's tables of things: -d (disks), -p (a partition), -m (slabs). All of them are counters since boot.

disk- ------------reads------------ ------------writes----------- -----IO------
       total merged sectors      ms  total merged sectors      ms    cur    sec
vda   222137  31999 15037474  178250 126430 158508 41622000  185585      0     34

vda             reads      read sectors      writes  requested writes
               101565           4231122      123677           7542912

Cache                       Num  Total   Size  Pages
TCP                          26     26   2368     13
"""

from __future__ import annotations

from itertools import pairwise

from tunebench.sdk import ParseContext, TableBuilder, decode_text, record

from .capture import LinuxTextParser, head_text
from .stamps import iso_moment
from .vmstat_headings import is_group_line, locale_of_text

_DISK_NAMES = ("total", "merged", "sectors", "ms", "total", "merged", "sectors", "ms", "cur", "sec")
_DISK_GROUPS = ("reads",) * 4 + ("writes",) * 4 + ("IO",) * 2
_PARTITION_WORDS = [b"reads", b"read", b"sectors", b"writes", b"requested", b"writes"]
_PARTITION_NAMES = ("reads", "read sectors", "writes", "requested writes")
_SLAB_WORDS = [b"Cache", b"Num", b"Total", b"Size", b"Pages"]


@record
class ThingTable:
    """One table: what its rows are about, and its columns in English."""

    name: str
    attribute: str
    names: tuple[str, ...]
    groups: tuple[str, ...] = ()
    key: bytes = b""  # the rows are about this one thing; empty: each row names its own
    zone: str = ""


def read_heading(line: bytes) -> ThingTable | None:
    """The table a heading begins; -d's heading may be translated: it repeats its four words."""
    words = line.split()
    named = not any(word.isdigit() or not word.strip(b"-=") for word in words)
    if len(words) in (10, 11) and words[:4] == words[4:8] and named:
        zone = decode_text(words[10]) if len(words) == 11 else ""
        return ThingTable("disk", "device", _DISK_NAMES, _DISK_GROUPS, zone=zone)
    if words[1:7] == _PARTITION_WORDS:
        return ThingTable("partition", "device", _PARTITION_NAMES, key=words[0])
    if words[:5] == _SLAB_WORDS:
        return ThingTable("slab", "group", tuple(map(decode_text, words[1:])))
    return None


class VmstatTablesParser(LinuxTextParser):
    """vmstat -d, -p and -m."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._head_seen = True
        self._table: ThingTable | None = None
        self._builder: TableBuilder | None = None
        self._in_block: set[bytes] = set()
        self._block_ns = 0
        self._shortest = 0
        self._names: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = head_text(head).split(b"\n")[:100]
        for line, row in pairwise(lines):
            table = read_heading(line)
            if table is None:
                continue
            cells = row.split()
            width = len(table.names) + (not table.key)
            if len(cells) in (width, width + 2) and cells[-1][-1:].isdigit():
                return 0.95
        return 0.0

    def is_heading(self, line: bytes) -> bool:
        return is_group_line(line) or read_heading(line) is not None

    def began(self, restarted: bool) -> None:
        self._in_block.clear()

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif self._read_row(number, line):
            pass
        elif is_group_line(line):
            self.book.header()
            self.book.locale = self.book.locale or locale_of_text(decode_text(line))
        elif self._new_heading(line):
            self.book.header()
        elif not self.read_surroundings(number, line):
            self.skip_any(number, line)

    def looks_like_row(self, line: bytes) -> bool:
        return self._table is not None and any(cell.isdigit() for cell in line.split())

    def _new_heading(self, line: bytes) -> bool:
        table = read_heading(line)
        if table is None:
            return False
        if table != self._table:
            if self._builder is not None:
                self.close_builder(self._builder)
            attributes = [(("group", group),) for group in table.groups] or None
            self._builder = self.builders[line] = TableBuilder(
                table.name, table.names, table.attribute, self.book, column_attributes=attributes
            )
            self._table = table
            self._shortest = 0
            self._names[table.name] = None
        if table.zone:
            self.times.set_zone_abbreviation(table.zone)
        return True

    def _read_row(self, number: int, line: bytes) -> bool:
        table = self._table
        if table is None or self._builder is None:
            return False
        cells = line.split()
        key = table.key
        if not key and cells:
            key = cells.pop(0)
        width = len(table.names)
        if len(cells) not in (width, width + 2) or not all(cell.isdigit() for cell in cells[:width]):
            return False
        if self.is_cut_off(number, line, self._shortest):
            self.book.skip("truncated", number, line)
            return True
        stamp = cells[width:]
        if not self._set_time(key, stamp):
            return False
        self._shortest = min(self._shortest or len(line), len(line))
        self.book.data()
        self.flags(since_boot=False)
        self._builder.row(self._block_ns, number, key, b" ".join(cells[:width]))
        return True

    def _set_time(self, key: bytes, stamp: list[bytes]) -> bool:
        """The row's own stamp; else a block ends where one of its things appears again."""
        if stamp:
            moment = iso_moment(stamp[0] + b" " + stamp[1])
            if moment is None:
                return False
            self._block_ns = self.times.at_datetime(moment)
            return True
        if not self._in_block or key in self._in_block:
            self._in_block.clear()
            self._block_ns = self.clock.next_block()
        self._in_block.add(key)
        return True

    def describe_variant(self) -> str:
        options = {"disk": "-d", "partition": "-p", "slab": "-m"}
        return " ".join(options[name] for name in self._names)
