"""pidstat of sysstat 9 to 12: -u -r -d -w -s -v -R -T -t -l -U --human, one table per activity, or -h all in one.

    16:10:21      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
    16:10:23        0        22    2.45    0.98    0.00    1.47    3.43     0  fio
    04:10:21 PM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
    16:10:21      UID      TGID       TID   cswch/s nvcswch/s  Command                       -t
    16:10:23        0         -        22   1326.24      0.99  |__fio
    # Time        UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command          -h
     1646859221     0         6      0.00      0.00       0       0   0.00  ksoftirqd/0      -h before 12.1
    03:42:44 PM       PID    %usr %system  %guest    %CPU   CPU  Command                     before 10.1
    Average:        0        22    1.11    2.22 ...                                          left out

A process is ``fio[22]``: command and pid. Its rows under -t are in tables of their own (``cpu_threads``). A
report whose rows have the heading's own time is an average since boot. -1.00 kB/s means that the counter may
not be read: missing. Of thousands of short-lived processes only busy ones get series (`app.families.processes`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.families.cells import is_number
from app.families.processes import BUSY_PCT, ProcessLimit, ProcessRows
from app.families.runs import text_of_head
from app.sdk import Page, ParseContext, TableBuilder, decode_text, parse_cell

from .capture import LinuxTextParser
from .pidstat_rows import PageOfRows
from .stamps import time_of_day_s

_TABLES = {
    "%usr": "cpu", "%user": "cpu", "minflt/s": "memory", "kB_rd/s": "io", "cswch/s": "switches", "StkSize": "stack",
    "threads": "kernel_tables", "prio": "scheduling", "usr-ms": "child_cpu", "minflt-nr": "child_memory",
}  # fmt: skip
_WORDS = frozenset({"policy"})
_HALVES = frozenset({b"AM", b"PM"})
_KIBIBYTES = frozenset({"VSZ", "RSS", "StkSize", "StkRef", "kB_rd/s", "kB_wr/s", "kB_ccwr/s"})
_FORBIDDEN = "kB_"  # may not be read without rights: -1, under --human -1.0B
_EPOCH = re.compile(rb"^1?\d{9}$")
_MOST_STAMP_WORDS = 5
_FEWEST_AT_ONCE = 8  # rows; fewer are read line by line


@dataclass(frozen=True)
class ProcessTable:
    """One heading.

    Attributes:
        names: the columns between the pid and the command.
        before: words between stamp and pid (the user), 0 or 1.
        stamp: the heading's own stamp; None under -h, whose heading says ``# Time``.
        threads: TGID and TID stand in place of PID.
    """

    table: str
    names: tuple[str, ...]
    before: int
    stamp: str | None
    stamp_words: int
    threads: bool

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in _WORDS)

    @property
    def words(self) -> bool:
        """Not all columns are numbers."""
        return len(self.numbers) < len(self.names)


def read_heading(line: bytes) -> ProcessTable | None:
    words = decode_text(line).split()
    if len(words) < 4 or words[-1] != "Command":
        return None
    threads = "TGID" in words and "TID" in words
    pid = words.index("TGID") if threads else words.index("PID") if "PID" in words else 0
    if not 0 < pid <= _MOST_STAMP_WORDS + 1:
        return None
    before = 1 if words[pid - 1] in ("UID", "USER") else 0
    stamp = words[: pid - before]
    names = tuple(words[pid + 1 + threads : -1])
    horizontal = stamp == ["#", "Time"]
    table = "processes" if horizontal else _TABLES.get(names[0], "") if names else ""
    if not table or not stamp or not any(name in _TABLES for name in names):
        return None
    return ProcessTable(
        f"{table}_threads" if threads else table,
        names,
        before,
        None if horizontal else " ".join(stamp),
        1 if horizontal else len(stamp),
        threads,
    )


class PidstatParser(LinuxTextParser):
    """See the module."""

    tool = "pidstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._layout: ProcessTable | None = None
        self._builder: TableBuilder | None = None
        self._keys: dict[str, bytes] = {}  # table -> key of its present builder
        self._last_stamp: list[bytes] = []
        self._time_ns = 0
        self._since_boot = False
        self._leader = b""  # command of the process whose threads follow
        self._tables: dict[str, None] = {}
        self._times_of_horizontal: set[int] = set()
        self._processes = ProcessRows(ProcessLimit(), self.book)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = text_of_head(head).split(b"\n")[:200]
        for index, line in enumerate(lines):
            layout = read_heading(line)
            if layout is None:
                continue
            banner = any(before.lstrip(b"\xef\xbb\xbf").startswith(b"Linux ") for before in lines[:index])
            return 0.97 if banner else 0.9
        return 0.0

    def is_heading(self, line: bytes) -> bool:
        layout = read_heading(line)
        return layout is not None and (layout.stamp is None or time_of_day_s(layout.stamp) is not None)

    def began(self, restarted: bool) -> None:
        if restarted:
            self._layout = None

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif line.split(None, 1)[0].endswith((b":", "：".encode())):
            self.book.skip("average", number, line)
        elif self._read_row(number, line):
            pass
        elif self._new_heading(line):
            self.book.header()
        elif not self.read_surroundings(number, line):
            self.skip_any(number, line)

    def looks_like_row(self, line: bytes) -> bool:
        return self._layout is not None and time_of_day_s(decode_text(line[:40])) is not None

    # -- many rows at once -----------------------------------------------------------------------

    def read_many(self, first_line: int, page: Page) -> None:
        rows = PageOfRows(page, self.hints.comma_decimals)
        at = 0
        for blank in [*np.flatnonzero(page.lengths == 0).tolist(), len(page)]:
            if not at:  # the page may begin in the midst of a block
                at = self._take_rows(first_line, rows, 0, blank)
            if at < blank:
                self.read_line(first_line + at, page.line(at))
                at += 1
                at += self._take_rows(first_line, rows, at, blank)
            self.read_all(first_line + at, page.lines(at, min(blank + 1, len(page))))
            at = blank + 1

    def _take_rows(self, first_line: int, page: PageOfRows, begin: int, end: int) -> int:
        """Reads plain rows from line `begin` on, at most to `end` - 1; gives how many."""
        layout, builder = self._layout, self._builder
        if end - begin < _FEWEST_AT_ONCE or layout is None or builder is None or layout.threads or layout.words:
            return 0
        hidden = [index for index, name in enumerate(layout.names) if name.startswith(_FORBIDDEN)]
        plain = page.plain_rows(begin, end, layout.stamp_words, layout.before, len(layout.names), hidden)
        if not plain.count:
            return 0
        stamp = page.stamp(begin, layout.stamp_words)
        if stamp != self._last_stamp and not self._take_stamp(stamp, layout):
            return 0
        cpu = layout.names.index("%CPU") if "%CPU" in layout.names else None
        busy_pct = [BUSY_PCT] * plain.count if cpu is None else plain.values[:, cpu].tolist()
        kept = self._processes.add(
            builder,
            self._time_ns,
            first_line + begin,
            page.page.lines(begin, begin + plain.count),
            plain.processes(),
            busy_pct,
            plain.values,
            self._since_boot,
        )
        if kept.any():
            self.flags(self._since_boot)
        return plain.count

    # -- headings --------------------------------------------------------------------------------

    def _new_heading(self, line: bytes) -> bool:
        layout = read_heading(line)
        if layout is None:
            return False
        seconds = None
        if layout.stamp is not None:
            seconds = time_of_day_s(layout.stamp)
            if seconds is None and not _EPOCH.match(layout.stamp.encode()):  # the closing averages
                self._layout = None
                return True
        self.times.begin_table(layout.table, seconds)
        self._layout, self._last_stamp, self._leader = layout, [], b""
        self._tables[layout.table] = None
        self._builder = self._builder_of(layout)
        return True

    def _builder_of(self, layout: ProcessTable) -> TableBuilder:
        key = "|".join((layout.table, *layout.numbers)).encode()
        before = self._keys.get(layout.table)
        if before is not None and before != key:
            self.close_builder(self.builders.pop(before))
        self._keys[layout.table] = key
        if key not in self.builders:
            bases = [1024.0 if name in _KIBIBYTES else 1.0 for name in layout.numbers]
            self.builders[key] = TableBuilder(layout.table, layout.numbers, "process", self.book, suffix_base=bases)
        return self.builders[key]

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        layout, builder = self._layout, self._builder
        if layout is None or builder is None:
            return False
        stamp_words = layout.stamp_words
        if layout.stamp is None and line.split(None, 2)[1:2] and line.split(None, 2)[1] in _HALVES:
            stamp_words = 2
        fixed = stamp_words + layout.before + 1 + layout.threads
        cells = line.split(None, fixed + len(layout.names))
        if len(cells) != fixed + len(layout.names) + 1:
            return False
        process = self._process(cells[stamp_words + layout.before : fixed], cells[-1].strip(), layout)
        tail = self._tail(cells[fixed:-1], layout) if process else None
        if tail is None:
            return False
        stamp = cells[:stamp_words]
        if stamp != self._last_stamp and not self._take_stamp(stamp, layout):
            return False
        if not self._processes.keeps(process, self._busy_pct(layout, tail)):
            self.book.skip("too_many_processes", number, line)
            return True
        self.flags(self._since_boot)
        builder.row(self._time_ns, number, process, tail, self._since_boot)
        self.book.data()
        return True

    @staticmethod
    def _busy_pct(layout: ProcessTable, tail: bytes) -> float:
        """Its share of a processor; where the table does not tell, whoever is listed was active."""
        if "%CPU" not in layout.numbers:
            return BUSY_PCT
        return parse_cell(tail.split()[layout.numbers.index("%CPU")])

    def _process(self, ids: list[bytes], command: bytes, layout: ProcessTable) -> bytes:
        """``fio[22]``; a thread is ``fio[22]/fio[23]``. Empty where the ids are none."""
        if not layout.threads:
            return b"%s[%s]" % (command, ids[0]) if ids[0].isdigit() else b""
        process, thread = ids
        if process.isdigit():
            self._leader = b"%s[%s]" % (command, process)
            return self._leader
        own = b"%s[%s]" % (command.removeprefix(b"|__"), thread)
        return (b"%s/%s" % (self._leader, own) if self._leader else own) if thread.isdigit() else b""

    def _tail(self, cells: list[bytes], layout: ProcessTable) -> bytes | None:
        kept = []
        for name, cell in zip(layout.names, cells, strict=True):
            if name in _WORDS:
                continue
            if cell[-1:].isalpha() or cell.endswith(b"%"):
                self.book.warn("rounded_units")
            kept.append(b"-" if name.startswith(_FORBIDDEN) and cell.startswith(b"-1") else cell)
        return b" ".join(kept) if all(map(is_number, kept)) else None

    def _take_stamp(self, stamp: list[bytes], layout: ProcessTable) -> bool:
        text = decode_text(b" ".join(stamp))
        if _EPOCH.match(stamp[0]):
            self._time_ns = self.times.at_epoch(int(stamp[0]))
        else:
            seconds = time_of_day_s(text)
            if seconds is None:
                return False
            self._time_ns = self.times.at_time_of_day(seconds)
        self._since_boot = text == layout.stamp
        if layout.stamp is None and len(self._times_of_horizontal) < 2:
            self._times_of_horizontal.add(self._time_ns)
        self._last_stamp = stamp
        return True

    def end_of_text(self) -> None:
        if len(self._times_of_horizontal) == 1:
            self.book.warn("maybe_since_boot")

    def describe_variant(self) -> str:
        options = {
            "cpu": "-u",
            "memory": "-r",
            "io": "-d",
            "switches": "-w",
            "stack": "-s",
            "kernel_tables": "-v",
            "scheduling": "-R",
            "processes": "-h",
        }
        names = [options.get(table.removesuffix("_threads"), "") for table in self._tables]
        threads = "-t" if any(table.endswith("_threads") for table in self._tables) else ""
        return " ".join(dict.fromkeys(name for name in (*names, threads) if name))
