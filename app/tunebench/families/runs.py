"""Base of parsers for tools that print one block after the other and say little or nothing of the time.

vmstat, iostat and their like of the commercial Unixes: a block of lines per interval, the first an average since
boot, and around them whatever the collecting script or a terminal left behind.

    root@db1:/ # iostat 5 3                      the prompt tells host and interval
    Sat Nov 21 16:15:32 KST 2026                 a stamp (`tunebench.sdk.round_stamps`), above one block or above a run
    AIX OSWbb v8.1.2                             OSWatcher's first line, and its stamps
    zzz ***Sat Nov 21 16:15:32 KST 2026
    @tunebench at 2026-11-21T07:15:32Z
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact
from tunebench.families.lost_rows import LostRows, is_lost_row
from tunebench.families.scanned_lines import ScanningParser
from tunebench.families.timed_commands import TimedCommands
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.round_stamps import MARK, RoundStamp, read_collector, read_frame, read_stamp
from tunebench.sdk.tables import TableBuilder
from tunebench.sdk.times import TimeKeeper

Attributes = tuple[tuple[str, str], ...]
_COMMAND = lazy_pattern(
    rb"^(?P<prompt>[^#$%>]{0,80}[#$%>])\s*(?:\w+=\S+\s+)*(?:\S*/)?(?P<tool>[a-z]{3,12})(?P<arguments>(?:\s[^|>;&]*)?)"
)
_PROMPT = lazy_pattern(rb"^(?:[\w.-]+@[\w.-]+[^#$%>]{0,40}\s?[#$%>]|[#$])\s*\S")
_HOST = lazy_pattern(rb"@(?P<host>[\w.-]+)")
_NUMBER_WORD = lazy_pattern(rb"\d{1,7}(?:\.\d+)?")
_TIME_OF_DAY = lazy_pattern(rb"([012]\d):([0-5]\d):([0-6]\d)")
_LONGEST_BELOW_STAMP_S = 366 * 86_400.0
_HALF_A_DAY_S = 43_200
_MOST_FACTS, _MOST_TABLES, _MOST_COUNTERS = 2000, 256, 200
_HEAD_LINES = 400


@record
class ToolCommand:
    """A command line that started a tool. `interval_s` is None where it names none."""

    tool: str
    interval_s: float | None
    host: str
    flags: str


def read_command(text: bytes, tools: frozenset[str]) -> ToolCommand | None:
    """The command of a line that shows a prompt and one of `tools`."""
    match = _COMMAND.match(text)
    if match is None or match["tool"].decode() not in tools:
        return None
    words = match["arguments"].split()
    numbers = [float(word) for word in words if _NUMBER_WORD.fullmatch(word)]
    host = _HOST.search(match["prompt"])
    return ToolCommand(
        match["tool"].decode(),
        numbers[0] if numbers and numbers[0] > 0 else None,
        host["host"].decode() if host else "",
        b"".join(word[1:] for word in words if word.startswith(b"-")).decode("ascii", "replace"),
    )


def is_prompt(text: bytes) -> bool:
    """Whether a line shows a shell prompt with any command."""
    return _PROMPT.match(text) is not None


def time_of_day_s(cell: bytes) -> int | None:
    """``11:44:31`` in seconds since midnight, None where the cell is no time."""
    match = _TIME_OF_DAY.fullmatch(cell)
    if match is None:
        return None
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds if seconds <= 86_400 else None


def day_after(moment: datetime, tod_s: int, zone: ZoneInfo) -> date:
    """The day of a time of day that is of `moment` or soon after it, beyond midnight maybe."""
    local = moment.astimezone(zone) if moment.tzinfo else moment
    passed_midnight = local.hour * 3600 + local.minute * 60 + local.second - tod_s > _HALF_A_DAY_S
    return local.date() + timedelta(days=passed_midnight)


@lru_cache(maxsize=2)  # dozens of parsers sniff at one head, one after the other
def text_of_head(head: bytes) -> bytes:
    """The head of a capture as `sniff` needs it: UTF-8, without our frames; empty where it is no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    if b"\0" in head[:4096]:
        return b""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_HEAD_LINES]
    begins = [index for index, line in enumerate(lines) if line.startswith(MARK) and b" begin " in line]
    kept = lines[begins[0] + 1 :] if begins else lines  # what a login says before the first start
    return b"\n".join(line.rstrip(b"\r") for line in kept if not line.startswith(MARK))


class RunClock:
    """Gives each block its time, and says whether it is the since-boot one.

    Three kinds of captures: no times at all (start and interval are asked for), a stamp above each block, a
    stamp above each run of several blocks (``date; iostat 5 12`` in a loop). Where the tool itself prints the
    time of day, that is used (`at_time_of_day`).
    """

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook) -> None:
        self._context = context
        self._times = times
        self._book = book
        self._interval_s: float | None = None
        self._stamp: RoundStamp | None = None
        self._below_stamp = 0
        self._dated = False  # whether the tool's times of day have a day from the stamp, or from the start
        self._runs_are_stamped = False
        self._first_of_run = True
        self._blocks = self._interval_blocks = 0
        self.last_ns: int | None = None  # of the last block

    @property
    def interval_s(self) -> float | None:
        """The interval in seconds by the user's word, else the command's."""
        return self._context.interval_s if self._context.interval_s is not None else self._interval_s

    def command(self, command: ToolCommand) -> None:
        """A prompt with the command: a new run begins."""
        self.new_run()
        self._interval_s = command.interval_s
        self._stamp = None
        if command.host and not self._book.hostname:
            self._book.hostname = command.host

    def new_run(self) -> None:
        self._first_of_run = True

    def stamp(self, stamp: RoundStamp) -> None:
        if stamp.zone:
            self._times.set_zone_abbreviation(stamp.zone)
        if stamp.interval_s is not None:
            self._interval_s = stamp.interval_s
        if self._runs_are_stamped:
            self.new_run()
        self._stamp, self._below_stamp, self._dated = stamp, 0, False

    def next_block(self, tod_s: int | None = None) -> tuple[int, bool]:
        """UTC ns of the block that begins now, and whether it is the first of its run."""
        if self._first_of_run and self._stamp is not None:
            self._times.restart(None)  # the pause between two runs of a loop is no gap
        time_ns = self._next_time() if tod_s is None else self._at_time_of_day(tod_s)
        self.last_ns = time_ns
        first, self._first_of_run = self._first_of_run, False
        self._blocks += 1
        self._interval_blocks += not first
        return time_ns, first

    def describe(self) -> None:
        """Warns of a capture that holds nothing but averages since boot."""
        if self._blocks and not self._interval_blocks:
            self._book.warn("since_boot_only")

    def _at_time_of_day(self, tod_s: int) -> int:
        """The tool's own time, on the day of the stamp above it or of the capture's start, or just after it."""
        before = self._times.line_stamp
        earlier = self._stamp.moment if self._stamp is not None else before.moment if before else self._context.start
        if earlier is not None and not self._dated and (self._stamp is not None or self._context.date is None):
            self._times.set_day(day_after(earlier, tod_s, self._context.zone))
        self._dated = True
        return self._times.at_time_of_day(tod_s)

    def _next_time(self) -> int:
        if self._stamp is None or self._times.line_stamp is not None:
            return self._times.next_unstamped(self._interval_s)
        blocks, self._below_stamp = self._below_stamp, self._below_stamp + 1
        later_s = 0.0
        if blocks:
            self._runs_are_stamped = True  # a second block below one stamp: the stamp is not each block's own
            later_s = min(blocks * self._step_s(), _LONGEST_BELOW_STAMP_S)
        return self._times.at_datetime(self._stamp.moment + timedelta(seconds=later_s))

    def _step_s(self) -> float:
        return self._book.guess_interval() if self.interval_s is None else self.interval_s


class RunParser(ScanningParser):
    """A subclass reads the tool's own lines in `take` and puts rows into `table`; the rest is done here.

    One that has a scanner reads the rows that it knows in `take_scan`.
    """

    tool = ""
    os = ""
    tools: frozenset[str] = frozenset()

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = self.tool, self.os
        self.clock = RunClock(context, self.times, self.book)
        self._timed = TimedCommands(self.book)
        self._lost = LostRows()
        self._tables: dict[tuple[object, ...], TableBuilder] = {}
        self._finished: list[SampleBatch] = []
        self._block: tuple[int, bool] | None = None
        self._shortest: dict[str, int] = {}
        self._facts: dict[tuple[str, str], str] = {}

    # -- for subclasses --------------------------------------------------------------------------

    def take(self, number: int, text: bytes) -> bool:
        """Reads and books one line (not blank, without blanks at its end); False where it is none of the tool's."""
        raise NotImplementedError

    def begin_run(self) -> None:
        """Begins a new start of the tool: no heading holds any more."""

    def block(self, tod_s: int | None = None) -> tuple[int, bool]:
        """(UTC ns, since boot) of the block that is being read."""
        if self._block is None:
            self._block = self.clock.next_block(tod_s)
        return self._block

    def end_block(self) -> None:
        self._block = None

    @property
    def row_width(self) -> int:
        """Cells of the rows that may come next, where each is a block of its own without a time of day; else 0."""
        return 0

    def table(
        self,
        name: str,
        headings: Sequence[str],
        key_attribute: str | None = None,
        attributes: Sequence[Attributes] | None = None,
    ) -> TableBuilder:
        """The table `name` with these headings, made where it is new."""
        key = (name, tuple(headings), key_attribute, tuple(attributes or ()))
        builder = self._tables.pop(key, None)
        if builder is None:
            if len(self._tables) >= _MOST_TABLES:
                self._drop_old_tables()
            builder = TableBuilder(name, headings, key_attribute, self.book, attributes)
        self._tables[key] = builder  # the latest stands last
        return builder

    def _drop_old_tables(self) -> None:
        """A text of ever new headings must not be held in memory; the latest tables are still in use."""
        for key in list(self._tables)[: -_MOST_TABLES // 4]:
            self._finished.extend(self._tables.pop(key).flush(final=True))

    def skip_row(self, number: int, text: bytes) -> None:
        """Books a line that stands in a table and cannot be read."""
        self._keep_time(number, text)
        reason = "nul_bytes" if b"\0" in text else "unreadable_numbers"
        self.book.skip("truncated" if number == self._unended_line else reason, number, text)

    def _keep_time(self, number: int, text: bytes) -> None:
        """A damaged row that would have been a block keeps the time of one."""
        if self.row_width and self._lost.begins(number, text, self.row_width):
            self.end_block()
            self.block()
            self.end_block()

    def is_cut_off(self, number: int, text: bytes, table: str) -> bool:
        """Whether a row is the last line, has no end, and is shorter than every row of its table before it.

        Its last number may have lost digits. The tools pad their columns, so a whole row is hardly shorter.
        """
        shortest = self._shortest.get(table)
        if number == self._unended_line:
            return shortest is not None and len(text) < shortest
        if shortest is None or len(text) < shortest:
            self._shortest[table] = len(text)
        return False

    def fact(self, section: str, name: str, value: str) -> bool:
        """Remembers a fact of the configuration; True where it was another one before."""
        before = self._facts.get((section, name))
        if len(self._facts) < _MOST_FACTS:
            self._facts[section, name] = value
        return before is not None and before != value

    # -- reading ---------------------------------------------------------------------------------

    def facts(self) -> Sequence[SystemFact]:
        return [SystemFact(section, name, value) for (section, name), value in self._facts.items()]

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        self._note_unended(first_line, lines)
        self.read_all(first_line, lines)
        self._flush(final=False)
        return self._take_finished()

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        if self.scanner is None:
            return super().read_page(first_line, text)
        self.read_text(first_line, text)
        self._flush(final=False)
        return self._take_finished()

    def read_line(self, number: int, line: bytes) -> None:
        text = line.rstrip()
        if not text:
            self.book.blank()
        elif not self.take(number, text):
            self._take_other(number, text)

    def close_tables(self) -> Iterable[SampleBatch]:
        self.end_of_text()
        self._timed.end()
        self.clock.describe()
        self._flush(final=True)
        return self._take_finished()

    def end_of_text(self) -> None:
        """The capture ends; whatever waited for more lines is booked now."""

    def _take_other(self, number: int, text: bytes) -> None:
        if text.startswith(MARK) and read_frame(text) is not None:
            self.book.header()
            self._new_run()
            return
        stamp = read_stamp(text)
        if stamp is not None:
            self.book.header()
            self.end_block()
            self.clock.stamp(stamp)
            return
        collector = read_collector(text)
        if collector is not None:
            self.book.header()
            self.book.hostname = self.book.hostname or collector
            return
        command = read_command(text, self.tools or frozenset({self.tool}))
        if command is not None:
            self._new_run()
            self.clock.command(command)
            self.book.skip("wrapper", number, text)
        elif self._timed.take(number, text, self.clock.last_ns):
            self.end_block()
        elif self.row_width and is_lost_row(text):
            self.skip_row(number, text)
        elif b"\0" in text:
            self.book.skip("nul_bytes", number, text)
        elif number == self._unended_line:
            self.book.skip("truncated", number, text)
        else:
            self.book.skip("wrapper" if is_prompt(text) else "prose", number, text)

    def _new_run(self) -> None:
        self.end_block()
        self.begin_run()
        self.clock.new_run()

    def _flush(self, final: bool) -> None:
        for builder in self._tables.values():
            self._finished.extend(builder.flush(final))
        self._finished.extend(self._timed.flush())

    def _take_finished(self) -> list[SampleBatch]:
        finished, self._finished = self._finished, []
        return finished


class CountersParser(RunParser):
    """Counters since boot, one a line: a snapshot is one row of a table, a name that comes again begins the next.

    A counter is as of now, no average of an interval: no row is flagged since boot.
    """

    snapshots: tuple[str, ...] = ("counters",)  # the tables

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._snapshot: dict[str, dict[str, tuple[int, bytes]]] = {table: {} for table in self.snapshots}
        self.book.variant = "-s"

    def count(self, number: int, name: str, value: bytes, table: str = "counters") -> None:
        columns = self._snapshot[table]
        if name in columns or len(columns) >= _MOST_COUNTERS:
            self.end_block()
        columns[name] = (number, value)

    def end_block(self) -> None:
        for table, columns in self._snapshot.items():
            if columns:
                time_ns, _ = self.block()
                lines, values = zip(*columns.values(), strict=True)
                self.table(table, list(columns)).row(time_ns, lines[0], b"", b" ".join(values))
                columns.clear()
                if table == "counters":
                    self.book.warn("since_boot_only")
        super().end_block()

    def end_of_text(self) -> None:
        self.end_block()
