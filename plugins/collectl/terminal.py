"""Parser of what collectl prints on a terminal: brief (one line per interval) and verbose (sections).

    waiting for 1 second sample...
    #<--------CPU--------><-----------Memory-----------><----------Disks----------->
    #cpu sys inter  ctxsw Free Buff Cach Inac Slab  Map KBRead  Reads KBWrit Writes
      54  30  2642   4256  18G  33M   4G   2G 460M 338M   9860    854   3796    303

    ### RECORD    1 >>> db1 <<< (1795245025.005) (Sat Nov 21 16:10:25 2026) ###
    # DISK STATISTICS (/sec)
    #                   <---------reads---------------><---------writes------------->
    #Time     Name       KBytes Merged  IOs Size  Wait  KBytes Merged  IOs Size  Wait
    16:10:25 vda          14937      1  867   17     0    3197      0  322   10     0

The table of brief lines is ``brief``, that of a section its title. A heading that stands in several groups is told
apart by the group above it. ``18G`` of memory is in units of 1024 and becomes bytes (a plain 0 is 0 bytes, too); a
rate that was too wide for its column is in units of 1000. Brief lines have a time with -oT or -oD only, a date with
-oD only; RECORD lines have the time since 1970.

Source: collectl 4.3.1, Data-brief.html, Data-verbose.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tunebench.families.lines import EndingParser
from tunebench.families.lost_rows import LostRows
from tunebench.sdk import NumberTable, ParseContext, SampleBatch, SystemFact, decode_text, lazy_pattern, parse_cell

from .headings import Heading, is_group_line, read_heading, read_title
from .recording import Recording
from .stamps import STAMP, epoch_moment, is_plausible_epoch, time_of

_RECORD = lazy_pattern(
    rb"^### RECORD\s+\d+ >>> (?P<host>.*?) <<< \((?P<epoch>\d{9,10}(?:\.\d{1,6})?)\)"
    rb"(?: \((?P<local>[^)]*)\))?"
)
_WAITING = lazy_pattern(rb"^waiting for (\d+(?:\.\d+)?) second sample")
_BRIEF_WORDS = frozenset(
    {"cpu", "inter", "KBRead", "KBIn", "Free", "free", "Tcp", "Reads", "Alloc", "Handle", "PureAcks"}
)
_MEMORY_GROUP = lazy_pattern(r"memory|mem|swap", re.IGNORECASE)
_MEMORY_NAMES = frozenset(
    {"Free", "Buff", "Cach", "Inac", "Slab", "Map", "free", "buff", "cach", "inac", "slab", "map", "Bytes"}
)
_SURE_OF = (  # so many of these headings, so sure
    ({"cpu", "sys", "inter", "ctxsw"}, 3, 0.95),
    ({"KBRead", "KBWrit", "KBIn", "KBOut"}, 2, 0.95),
    ({"free", "buff", "cach", "inac", "slab"}, 4, 0.9),
    ({"Free", "Buff", "Cach", "Slab"}, 4, 0.9),
)
_SUFFIX = {b"K": 1e3, b"M": 1e6, b"G": 1e9, b"T": 1e12}
_HEAD_LINES = 200


class TerminalParser(EndingParser):
    """A heading is valid until another one or another title comes."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "collectl", "linux", "brief"
        self._recording = Recording(self.book)
        self._tables: dict[str, NumberTable] = {}
        self._closed: list[SampleBatch] = []
        self._title = ""
        self._group_line = b""
        self._heading: Heading | None = None
        self._record_ns: int | None = None
        self._interval_s: float | None = None
        self._rounded = False
        self._lost = LostRows()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return _sniff(head)

    def facts(self) -> list[SystemFact]:
        return self._recording.facts()

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        for table in self._tables.values():
            self._closed.extend(table.flush())
        ready, self._closed = self._closed, []
        return ready

    def _read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif line.startswith(b"#"):
            self._read_comment(number, line)
        elif (waiting := _WAITING.match(line)) is not None:
            self._interval_s = float(waiting[1]) or None
            self.book.skip("message", number, line)
        elif not self._read_row(number, line):
            self._keep_time(number, line)
            reason = "truncated" if self.is_ending else "nul_bytes" if b"\0" in line else "not_a_table"
            self.book.skip(reason, number, line)

    # -- headings --------------------------------------------------------------------------------

    def _read_comment(self, number: int, line: bytes) -> None:
        record = _RECORD.match(line)
        if record is not None and is_plausible_epoch(record["epoch"]):
            self._read_record(record)
        elif self._recording.read(line):
            pass
        elif (title := read_title(line)) is not None:
            self._title, self._heading, self._group_line = title, None, b""
            self.book.variant = "verbose"
        elif is_group_line(line):
            self._group_line = line if line.strip(b"# \t") else self._group_line
        else:
            self._read_heading(number, line)
            return
        self.book.header()

    def _read_record(self, record: re.Match[bytes]) -> None:
        host = decode_text(record["host"]).strip()
        if self.book.hostname and host != self.book.hostname:
            self.book.warn("several_hosts")
        self.book.hostname = self.book.hostname or host
        self._record_ns = self.times.at_datetime(epoch_moment(record["epoch"], record["local"] or b""))
        self._title, self._heading, self._group_line = "", None, b""

    def _read_heading(self, number: int, line: bytes) -> None:
        heading = read_heading(line, self._title, self._group_line)
        if heading is None or (not self._title and not _BRIEF_WORDS & set(heading.names)):
            self._heading = None
            self.book.skip("comment", number, line)
            return
        self._heading = heading
        self.book.header()

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        heading = self._heading
        if heading is None:
            return False
        stamp = STAMP.match(line)
        cells = line[stamp.end() if stamp else 0 :].split()
        if len(cells) != heading.keys + len(heading.names):
            cells = _glued(cells, heading)
        if len(cells) != heading.keys + len(heading.names):
            return False
        values = _numbers(cells[heading.keys :], heading)
        time_ns = self._time(stamp) if values is not None else None
        if values is None or time_ns is None:
            return False
        if not self._rounded and any(cell[-1:] in _SUFFIX for cell in cells[heading.keys :]):
            self._rounded = True
            self.book.warn("rounded_units")
        key = decode_text(cells[heading.keys - 1]).removesuffix(":") if heading.keys else ""
        self._table(heading).row(time_ns, number, key, values)
        self.book.data()
        return True

    def _keep_time(self, number: int, line: bytes) -> None:
        """A damaged row of brief output without a stamp keeps the time it took."""
        heading = self._heading
        if heading is None or heading.keys or STAMP.match(line) or (self._record_ns is not None and self._title):
            return
        if self._lost.begins(number, line, len(heading.names)):
            self.times.next_unstamped(self._interval_s)

    def _time(self, stamp: re.Match[bytes] | None) -> int | None:
        if self._record_ns is not None and self._title:
            return self._record_ns
        if stamp is not None:
            return time_of(stamp, self.times, self._recording, self.context)
        return self.times.next_unstamped(self._interval_s)

    def _table(self, heading: Heading) -> NumberTable:
        table = self._tables.get(heading.table)
        if table is None or table.headings != heading.names:
            if table is not None:
                self._closed.extend(table.flush())
            table = self._tables[heading.table] = NumberTable(
                heading.table, heading.names, heading.attribute or None, _attributes(heading)
            )
        return table


def _attributes(heading: Heading) -> list[tuple[tuple[str, str], ...]]:
    """The group above a heading, and a number where a heading comes twice in one group."""
    taken = "group" if heading.attribute == "group" else ""
    seen: dict[tuple[str, str], int] = {}
    attributes: list[tuple[tuple[str, str], ...]] = []
    for name, group in zip(heading.names, heading.groups, strict=True):
        times = seen[name, group] = seen.get((name, group), 0) + 1
        value = f"{group}#{times}" if times > 1 else group
        where = "state" if taken else "group"  # the thing itself is a group
        attributes.append(((where, value),) if value else ())
    return attributes


def _numbers(cells: list[bytes], heading: Heading) -> list[float] | None:
    try:
        return list(map(_number, cells, _memory_columns(heading)))
    except ValueError:
        return None


@lru_cache(maxsize=16_384)  # counts are small and sizes are rounded: most cells come again
def _number(cell: bytes, is_memory: bool) -> float:
    suffix = _SUFFIX.get(cell[-1:])
    if suffix is None or is_memory:
        return parse_cell(cell)
    return parse_cell(cell[:-1]) * suffix


@lru_cache(maxsize=256)
def _memory_columns(heading: Heading) -> tuple[bool, ...]:
    return tuple(_is_memory(heading, name, group) for name, group in zip(heading.names, heading.groups, strict=True))


def _is_memory(heading: Heading, name: str, group: str) -> bool:
    if heading.table == "brief":
        return bool(_MEMORY_GROUP.search(group)) if group else name in _MEMORY_NAMES
    return heading.is_memory and group != "Paging"


def _glued(cells: list[bytes], heading: Heading) -> list[bytes]:
    """A process' command has blanks."""
    wanted = heading.keys + len(heading.names)
    if heading.names[-1] == "Command" and len(cells) > wanted:
        return [*cells[: wanted - 1], b" ".join(cells[wanted - 1 :])]
    return cells


def _sniff(head: bytes) -> float:
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:_HEAD_LINES] if line.strip()]
    if any(line.startswith((b">>> ", b"#Date Time [", b"#Date,Time,[")) for line in lines):
        return 0.0
    if any(_RECORD.match(line) for line in lines):
        return 0.97
    marked = sum(line.startswith(b"#") for line in lines)
    titled = any(read_title(line) for line in lines if line.startswith(b"# "))
    group_line = b""
    for line in lines:
        if line.startswith(b"#") and is_group_line(line):
            group_line = line
        elif line.startswith(b"#"):
            heading = read_heading(line, "", group_line)
            names = set(heading.names) if heading else set()
            sure = next((sure for headings, least, sure in _SURE_OF if len(names & headings) >= least), 0.0)
            if sure:
                return sure
    waiting = any(_WAITING.match(line) for line in lines)
    return 0.9 if titled and (waiting or b"<-" in head) and marked < len(lines) else 0.0
