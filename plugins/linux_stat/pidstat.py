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
not be read: missing. Of thousands of short-lived processes only busy ones get series (`tunebench.families.processes`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from tunebench.families.cells import is_number
from tunebench.families.page_reading import Key, Scan, ScannedRows, ScanTable
from tunebench.families.processes import BUSY_PCT, ProcessLimit, ProcessRows
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, decode_text, lazy_pattern, parse_cell

from .stamped_tables import Integers, StampedTable, StampedTablesParser, stamp_s
from .stamps import time_of_day_s

_TABLES = {
    "%usr": "cpu", "%user": "cpu", "minflt/s": "memory", "kB_rd/s": "io", "cswch/s": "switches", "StkSize": "stack",
    "threads": "kernel_tables", "prio": "scheduling", "usr-ms": "child_cpu", "minflt-nr": "child_memory",
}  # fmt: skip
_WORDS = frozenset({"policy"})
_HALVES = frozenset({b"AM", b"PM"})
_KIBIBYTES = frozenset({"VSZ", "RSS", "StkSize", "StkRef", "kB_rd/s", "kB_wr/s", "kB_ccwr/s"})
_FORBIDDEN = "kB_"  # may not be read without rights: -1, under --human -1.0B
_NEGATIVE = lazy_pattern(rb"-[0-9]")
_MOST_STAMP_WORDS = 5
_MOST_NAMED = 20_000  # processes that the scanner remembers, most of them long over


@dataclass(frozen=True)
class ProcessTable:
    """One heading.

    Attributes:
        names: the columns between the pid and the command.
        before: words between stamp and pid (the user), 0 or 1.
        words: how many words the stamp of a row has; under -h one more with a half day.
        stamp: the heading's own stamp; None under -h, whose heading says ``# Time``.
        threads: TGID and TID stand in place of PID.
    """

    table: str
    names: tuple[str, ...]
    before: int
    words: int
    stamp: str | None = field(compare=False)
    threads: bool

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in _WORDS)


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
        1 if horizontal else len(stamp),
        None if horizontal else " ".join(stamp),
        threads,
    )


class PidstatParser(StampedTablesParser[ProcessTable]):
    """See the module."""

    tool = "pidstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._leader = b""  # command of the process whose threads follow
        self._times_of_horizontal: set[int] = set()
        self._processes = ProcessRows(ProcessLimit(), self.book)
        self._kept: dict[ScanTable, NDArray[np.bool_]] = {}  # which rows of the scan

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
        return layout is not None and (layout.stamp is None or stamp_s(layout.stamp) is not None)

    def read_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif line.split(None, 1)[0].endswith((b":", "：".encode())):
            self.book.skip("average", number, line)
        elif self._read_row(number, line):
            pass
        elif (heading := read_heading(line)) is not None:
            self.begin(heading, line)
            self._leader = b""
        elif not self.read_surroundings(number, line):
            self.skip_any(number, line)

    def looks_like_row(self, line: bytes) -> bool:
        return self.open is not None and time_of_day_s(decode_text(line[:40])) is not None

    def make_table(self, heading: ProcessTable) -> StampedTable[ProcessTable]:
        bases = [1024.0 if name in _KIBIBYTES else 1.0 for name in heading.numbers]
        builder = self.builder_of(heading.table, heading.numbers, "process", bases)
        rows = None
        if heading.numbers == heading.names and not heading.threads:
            rows = self.scanner.table(len(heading.names), Key.AROUND, words=heading.before, accepts=_is_key)
        return StampedTable(heading, builder, rows, _process_of)

    # -- many rows at once -----------------------------------------------------------------------

    def take_scan(self, scan: Scan) -> None:
        self._kept = self._keep(scan)
        super().take_scan(scan)
        for rows in scan.rows:
            if len(rows.table.names) > _MOST_NAMED:
                self.scanner.forget_keys(rows.table)

    def _keep(self, scan: Scan) -> dict[ScanTable, NDArray[np.bool_]]:
        """Which rows are of processes that have, or get, series of their own; asked in the order of the lines."""
        kept, asked = {}, []
        for table, rows in self.tables_in(scan):
            row_names, numbers = list(rows.table.names), table.heading.numbers
            used = np.flatnonzero(np.bincount(rows.keys))
            processes = {key: _process_of(row_names[key]) for key in used.tolist()}
            settled = np.zeros(len(row_names), dtype=bool)
            settled[used] = [self._processes.has(process) for process in processes.values()]
            of_rows = kept[rows.table] = settled[rows.keys]
            cpu = numbers.index("%CPU") if "%CPU" in numbers else None
            for row in np.flatnonzero(~of_rows).tolist():
                busy_pct = BUSY_PCT if cpu is None else float(rows.values[row, cpu])
                asked.append((int(rows.lines[row]), of_rows, row, processes[int(rows.keys[row])], busy_pct))
        refused = []
        for line, of_rows, row, process, busy_pct in sorted(asked, key=itemgetter(0)):
            of_rows[row] = self._processes.keeps(process, busy_pct)
            if not of_rows[row]:
                refused.append(line)
        if refused:
            self.book.skip("too_many_processes", refused[0], self.scanned_line(refused[0]), len(refused))
        return kept

    def take_rows(
        self, table: StampedTable[ProcessTable], rows: ScannedRows, times_ns: Integers, since_boot: NDArray[np.bool_]
    ) -> None:
        if table.heading.stamp is None:
            self._times_of_horizontal |= {int(times_ns.min()), int(times_ns.max())}
        kept = self._kept[rows.table]
        values = rows.values[kept]
        hidden = [name.startswith(_FORBIDDEN) for name in table.heading.names]
        values[(values < 0) & hidden] = np.nan
        rows = replace(rows, lines=rows.lines[kept], keys=rows.keys[kept], values=values)
        super().take_rows(table, rows, times_ns[kept], since_boot[kept])

    # -- rows ------------------------------------------------------------------------------------

    def _read_row(self, number: int, line: bytes) -> bool:
        table = self.open
        if table is None:
            return False
        layout, words = table.heading, table.heading.words
        if layout.stamp is None and line.split(None, 2)[1:2] and line.split(None, 2)[1] in _HALVES:
            words = 2
        fixed = words + layout.before + 1 + layout.threads
        cells = line.split(None, fixed + len(layout.names))
        if len(cells) != fixed + len(layout.names) + 1:
            return False
        process = self._process(cells[words + layout.before : fixed], cells[-1].strip(), layout)
        tail = self._tail(cells[fixed:-1], layout) if process else None
        if tail is None or not self.take_stamp(line, cells[:words]):
            return False
        if layout.stamp is None and len(self._times_of_horizontal) < 2:
            self._times_of_horizontal.add(self.time_ns)
        if not self._processes.keeps(process, self._busy_pct(layout, tail)):
            self.book.skip("too_many_processes", number, line)
            return True
        self.flags(self.since_boot)
        table.builder.row(self.time_ns, number, process, tail, self.since_boot)
        self.book.data()
        return True

    @staticmethod
    def _busy_pct(layout: ProcessTable, tail: bytes) -> float:
        """The share of a processor in percent; where the table does not tell, whoever is listed was active."""
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
            kept.append(b"-" if name.startswith(_FORBIDDEN) and _NEGATIVE.match(cell) else cell)
        return b" ".join(kept) if all(map(is_number, kept)) else None

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
        names = [options.get(table.removesuffix("_threads"), "") for table in self.names]
        threads = "-t" if any(table.endswith("_threads") for table in self.names) else ""
        return " ".join(dict.fromkeys(name for name in (*names, threads) if name))


def _is_key(key: bytes) -> bool:
    return key.partition(b" ")[0].isdigit()


def _process_of(key: bytes) -> bytes:
    """``fio[22]`` of the scanner's ``22 fio``."""
    pid, _, command = key.partition(b" ")
    return b"%b[%b]" % (command, pid)
