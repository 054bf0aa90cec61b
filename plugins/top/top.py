"""top -b of procps (2 to 4) and of busybox: `summary` tells the lines above, `processes` the table below.

A report begins with its title, which has a time of day and no date: the date comes from a stamp above it
(OSWatcher's zzz line, a loop's date) or is asked for. busybox prints no time at all.

The first report up to procps 3.2 shows averages since boot, and since each process began. From procps 3.3 on it covers
the fraction of a second that top took to begin; a warning says so. Processes beyond the first few hundred get series
only where they are busy (`tunebench.families.processes`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from tunebench.families.page_reading import (
    MOST_TABLES,
    Dialect,
    Key,
    Scan,
    Scanner,
    ScanTable,
    new_scanner,
    read_collector,
)
from tunebench.families.processes import ProcessLimit, ProcessRows, process_key
from tunebench.families.runs import RunParser, text_of_head
from tunebench.sdk import ParseContext

from .processes import (
    SUFFIXES,
    ProcessHeading,
    cells_of,
    number_text,
    read_cells,
    read_heading,
    suffix_factor,
    value_of,
)
from .summary import SummaryRow, read_summary, read_title
from .summary_old import OldSummary

_RATES = frozenset({"cpu", "process", "thread"})
_SURE, _AMONG_OTHERS = 0.97, 0.6
_FEW_LINES = 40
_MOST_NAMED = 20_000  # processes of one heading: then the scanner forgets them
_NOT_A_NUMBER = (b"rt", b"-")  # in columns of numbers
_BELOW_TITLE = (b"Tasks:", b"Threads:", b"Cpu", b"%Cpu", b"KiB ", b"MiB ", b"GiB ", b"Mem")


class TopParser(RunParser):
    """See the module."""

    tool, os = "top", "linux"
    scanner: Scanner

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: ProcessHeading | None = None
        self._processes = ProcessRows(ProcessLimit(), self.book)
        self.scanner = new_scanner(Dialect(b".,", absent=_NOT_A_NUMBER))
        self._scan_tables: dict[tuple[str, ...], ScanTable] = {}  # by the words of a heading
        self._stamped_anew = True  # a stamp or a command stands above the next report
        self._first = True
        self._since_boot = False
        self._threads = False
        self._rows_of_report: set[str] = set()  # what this report's summary told
        self._only_since_boot = True
        self._old = OldSummary()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [line for line in text_of_head(head).split(b"\n") if line.strip()]
        for index, line in enumerate(lines):
            below = lines[index + 1 : index + 4]
            if read_title(line.rstrip()) is not None:
                begins = any(row.startswith(_BELOW_TITLE) or b" processes: " in row for row in below)
            else:
                begins = line.startswith(b"Mem: ") and any(b"% usr " in row for row in below[:1])
            if begins:
                return _SURE if index < _FEW_LINES else _AMONG_OTHERS
        return 0.0

    def take(self, number: int, text: bytes) -> bool:
        if self._heading is not None and self._take_process(number, text):
            return True
        title = read_title(text)
        if title is not None:
            self._begin(title.tod_s)
            self._add(number, title.row)
            return True
        heading = read_heading(text)
        if heading is not None:
            self._heading = heading
            self._know(heading)
            self.book.header()
            return True
        if self._old.is_heading(text):
            self.book.header()
            return True
        rows = read_summary(text) or self._old.read(text)
        if rows:
            for index, row in enumerate(rows):
                self._take_row(number, row, first_of_line=index == 0)
            return True
        return self._take_collector(text)

    # -- many rows at once -----------------------------------------------------------------------

    @property
    def may_scan(self) -> bool:
        return self.open_table() is not None

    def open_table(self) -> ScanTable | None:
        return None if self._heading is None else self._scan_tables.get(self._heading.words)

    def _know(self, heading: ProcessHeading) -> None:
        """The scanner reads rows below this heading, if it can."""
        cells = cells_of(heading)
        if not cells or heading.words in self._scan_tables or len(self.scanner.tables) >= MOST_TABLES:
            return
        suffixes = self.scanner.dialect.suffixes
        self._scan_tables[heading.words] = self.scanner.table(
            cells,
            Key.AROUND,
            np.asarray([[suffix_factor(word, bytes([one])) for one in suffixes] for word in heading.numbers]),
            words=heading.words.index("PID"),
            accepts=lambda key: key.partition(b" ")[0].isdigit(),
            indented=True,
        )

    def take_scan(self, scan: Scan) -> None:
        """Rows of one report: whatever is none of them is read line by line."""
        self.book.blank(scan.blanks)
        assert self._heading is not None
        numbers = self._heading.numbers
        for rows in scan.rows:
            names, values = list(rows.table.names), rows.values
            busy_pct = values[:, numbers.index("%CPU")] if "%CPU" in numbers else np.full(len(values), np.nan)
            name = "thread" if self._threads else "process"
            time_ns, _ = self.block()
            kept = self._processes.add(
                self.table(name, numbers, "process"),
                time_ns,
                rows.lines,
                self.scanned_line,
                [_process_of(names[key]) for key in rows.keys.tolist()],
                busy_pct.tolist(),
                values,
                self._since_boot and name in _RATES,
            )
            if kept.any():
                self._flag(name)
            if len(names) > _MOST_NAMED:
                self.scanner.forget_keys(rows.table)

    def _warn_of_rounding(self) -> None:
        """A figure was rounded to a larger unit. Once that is said, the scanner reads such figures."""
        self.book.warn("rounded_units")
        if not self.scanner.dialect.suffixes:
            self.scanner = new_scanner(Dialect(b".,", SUFFIXES, _NOT_A_NUMBER))
            self._scan_tables.clear()
            if self._heading is not None:
                self._know(self._heading)

    # -- line by line ----------------------------------------------------------------------------

    def end_of_text(self) -> None:
        if self._since_boot and self._only_since_boot:
            self.book.warn("since_boot_only")

    def end_block(self) -> None:
        super().end_block()
        self._stamped_anew = True

    def begin_run(self) -> None:
        self._heading = None

    # -- reports ---------------------------------------------------------------------------------

    def _begin(self, tod_s: int | None) -> None:
        self._first = self._stamped_anew
        super().end_block()
        self._stamped_anew, self._heading, self._since_boot = False, None, False
        self._threads = False
        self._rows_of_report.clear()
        self.block(tod_s)

    def _take_row(self, number: int, row: SummaryRow, first_of_line: bool) -> None:
        name = f"{row.table}/{row.key}/{row.headings[0].partition(':')[0]}"
        if self._block is None or name in self._rows_of_report:  # busybox: a report begins with its first line
            self._begin(None)
        self._rows_of_report.add(name)
        self._threads = self._threads or row.table == "threads"
        if row.table == "cpu" and self._first:
            self._since_boot = row.since_boot
            if not row.since_boot:
                self.book.warn("top_first_instant")
        self._add(number, row, booked=not first_of_line)

    def _add(self, number: int, row: SummaryRow, booked: bool = False) -> None:
        time_ns, _ = self.block()
        key_attribute = "cpu" if row.table == "cpu" else None
        if row.rounded:
            self.book.warn("rounded_units")
        table = self.table(row.table, row.headings, key_attribute)
        table.row(time_ns, number, row.key.encode(), _cells(row.values), self._flag(row.table))
        if not booked:
            self.book.data()

    def _flag(self, table: str) -> bool:
        """Whether a row is an average since boot."""
        if table not in _RATES:
            return False
        self._only_since_boot = self._only_since_boot and self._since_boot
        return self._since_boot

    def _take_process(self, number: int, text: bytes) -> bool:
        heading = self._heading
        assert heading is not None
        cells = read_cells(heading, text)
        pid = cells.get("PID") if cells is not None else None
        if cells is None or pid is None or not pid.isdigit():
            return False
        if number == self._unended_line and not heading.command_stands_last:
            self.book.skip("truncated", number, text)
            return True
        key = process_key(cells.get("COMMAND", b""), pid).encode()
        if not self._processes.keeps(key, value_of("%CPU", cells.get("%CPU"))):
            self.book.skip("too_many_processes", number, text)
            return True
        numbers = [number_text(word, cells.get(word)) for word in heading.numbers]
        if any(rounded for _, rounded in numbers):
            self._warn_of_rounding()
        name = "thread" if self._threads else "process"
        time_ns, _ = self.block()
        table = self.table(name, heading.numbers, "process")
        tail = b" ".join([cell for cell, _ in numbers])
        table.row(time_ns, number, key, tail, self._flag(name))
        self.book.data()
        return True

    def _take_collector(self, text: bytes) -> bool:
        host = read_collector(text) if text.startswith(b"Linux ") else None
        if host is None:
            return False
        self.book.hostname = self.book.hostname or host
        self.book.header()
        return True


@lru_cache(maxsize=8192)
def _process_of(key: bytes) -> bytes:
    """``fio[22]`` of the scanner's ``22 /usr/bin/fio --minimal``."""
    pid, _, command = key.partition(b" ")
    return process_key(command, pid).encode()


def _cells(values: Iterable[float]) -> bytes:
    return b" ".join(b"-" if value != value else repr(value).encode() for value in values)
