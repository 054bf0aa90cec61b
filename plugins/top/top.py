"""top -b of procps (2 to 4) and of busybox: `summary` tells the lines above, `processes` the table below.

A report begins with its title, which has a time of day and no date: the date comes from a stamp above it
(OSWatcher's zzz line, a loop's date) or is asked for. busybox prints no time at all.

The first report up to procps 3.2 shows averages since boot, and since each process began. From procps 3.3 on it covers
the fraction of a second that top took to begin; a warning says so. Processes beyond the first few hundred get series
only where they are busy (`app.families.processes`).
"""

from __future__ import annotations

from collections.abc import Iterable

from app.families.page_reading import PageCells, read_collector
from app.families.processes import ProcessLimit, ProcessRows, process_key
from app.families.runs import RunParser, text_of_head
from app.sdk import Page, ParseContext, SampleBatch

from .processes import ProcessHeading, number_text, read_cells, read_heading, value_of
from .report_rows import ReportRows
from .summary import SummaryRow, read_summary, read_title
from .summary_old import OldSummary

_RATES = frozenset({"cpu", "process", "thread"})
_SURE, _AMONG_OTHERS = 0.97, 0.6
_FEW_LINES = 40
_FEWEST_AT_ONCE = 8  # rows; fewer are read line by line
_BELOW_TITLE = (b"Tasks:", b"Threads:", b"Cpu", b"%Cpu", b"KiB ", b"MiB ", b"GiB ", b"Mem")


class TopParser(RunParser):
    """See the module."""

    tool, os = "top", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: ProcessHeading | None = None
        self._processes = ProcessRows(ProcessLimit(), self.book)
        self._page: PageCells | None = None
        self._rows: ReportRows | None = None
        self._page_line = self._looked_until = 0  # line numbers
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

    def read_page(self, first_line: int, page: Page) -> Iterable[SampleBatch]:
        self._page = PageCells(page)
        self._page_line = self._looked_until = first_line
        batches = super().read_page(first_line, page)
        self._page = self._rows = None
        return batches

    def take_rows(self, number: int, lines: list[bytes], start: int) -> int:
        heading = self._heading
        if self._page is None or heading is None or not heading.command_stands_last:
            return 0
        if number >= self._looked_until:  # each stretch is looked at once
            at = number - self._page_line
            end = self._page.end_of_stretch(at)
            self._looked_until = self._page_line + max(end, at + 1)
            self._rows = ReportRows(heading, self._page, at, end) if end - at >= _FEWEST_AT_ONCE else None
        if self._rows is None or self._rows.heading is not heading:
            return 0
        return self._take_processes(number, self._rows)

    def _take_processes(self, number: int, rows: ReportRows) -> int:
        """The plain rows from line `number` on; gives how many."""
        found = rows.plain_from(number - self._page_line)
        if not found.count:
            return 0
        name = "thread" if self._threads else "process"
        time_ns, _ = self.block()
        kept = self._processes.add(
            self.table(name, rows.heading.numbers, "process"),
            time_ns,
            number,
            found.lines,
            found.processes,
            found.busy_pct,
            found.values,
            self._since_boot and name in _RATES,
        )
        if kept.any():
            self._flag(name)
        if (found.rounded & kept).any():
            self.book.warn("rounded_units")
        return found.count

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
            self.book.warn("rounded_units")
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


def _cells(values: Iterable[float]) -> bytes:
    return b" ".join(b"-" if value != value else repr(value).encode() for value in values)
