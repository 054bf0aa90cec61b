"""What the readers of Linux tools' texts share: the banner, wrappers, the time of a block."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from datetime import datetime

from tunebench.families.page_reading import LINE_STAMP_FORMS, read_collector
from tunebench.families.runs import read_command
from tunebench.families.scanned_lines import ScanningParser
from tunebench.families.timed_commands import TimedCommands
from tunebench.sdk import LedgerBook, ParseContext, SampleBatch, TableBuilder, TimeKeeper, decode_text, lazy_pattern

from .stamps import NS_PER_S, Hints, StampReader, is_of_another_time, time_of_day_s

# Linux 6.18.44 (dbtest01) \t11/21/26 \t_x86_64_\t(2 CPU)      Linux 2.6.18-194.el5 (host) \t03/24/2015
_BANNER = lazy_pattern(
    rb"^Linux (?P<release>\S+) \((?P<host>\S*)\)\s+(?P<date>.*?)\s*(?:\s_\S+_\s*)?(?:\(\d+ CPU\))?\s*$"
)
_COMMAND = lazy_pattern(
    rb"(?:^|[\s#$>;|])(?:\S*/)?(?P<tool>iostat|vmstat|mpstat|pidstat)(?P<arguments>(?:\s+[^\s;|&<>]+)*)"
)
_SAMPLE_INTERVAL = lazy_pattern(rb"[Ii]nterval\W{1,3}(?P<seconds>\d+(?:\.\d+)?)\s*(?:s\b|sec)")
_LONGEST_COMMAND = 1000  # where a prompt ends is tried at every place
# The first heading or banner behind a stamp tells the stamp's form for all lines: ``09:00:02,10`` may be a fraction, or
# a comma and the first number.
_PREFIXES = tuple(form.pattern for form in LINE_STAMP_FORMS)
_DECIMALS = lazy_pattern(rb"\s\d+[.,]\d\d?(?:\s|$)")
SMALL_FEED_LINES = 200  # a live tail: give what there is at once
_FLUSH_ROWS = 4000
_HEAD_LINES = 60


def head_text(head: bytes) -> bytes:
    """The head of a capture for `sniff`, UTF-16 as UTF-8; empty where it is no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "replace").encode()
    return b"" if b"\0" in head else head


def behind_stamps(line: bytes) -> list[bytes]:
    """What stands behind a wrapper's stamp, in every way to read the stamp; for `sniff`."""
    return [match["rest"] for prefix in _PREFIXES if (match := prefix.match(line))]


class LinuxTextParser(ScanningParser):
    """Base of the text parsers.

    A subclass says in `is_heading` which lines begin a table.
    """

    tool = ""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = self.tool
        self.book.os = "linux"
        self.hints = Hints()
        self.stamps = StampReader(context, self.times, self.book, self.hints)
        self.clock = BlockClock(context, self.times, self.book, self.stamps)
        self.builders: dict[bytes, TableBuilder] = {}
        self._timed = TimedCommands(self.book)
        self._finished: list[SampleBatch] = []
        self._held: list[bytes] = []
        self._held_first = 1
        self._head_seen = False
        self._head_lines = 0
        self._prefix: re.Pattern[bytes] | None = None
        self._measured = False  # a row that is no average since boot
        self._since_boot_rows = False

    # -- for subclasses --------------------------------------------------------------------------

    def is_heading(self, line: bytes) -> bool:
        raise NotImplementedError

    def began(self, restarted: bool) -> None:
        """A banner or a wrapper's stamp was read: what follows is a new run of the tool (if `restarted`)."""

    def is_cut_off(self, number: int, line: bytes, shortest: int) -> bool:
        """Whether a row is the capture's last, has no line end and is shorter than every row before it.

        Its last number may have lost digits. The tools pad their columns, so a whole row is never shorter.
        """
        return number == self._unended_line and len(line) < shortest

    def skip_row(self, number: int, line: bytes) -> None:
        """Books a line that stands in a table and is no row of it."""
        if b"\0" in line:
            self.book.skip("nul_bytes", number, line)
        elif number == self._unended_line:
            self.book.skip("truncated", number, line)
        else:
            self.book.skip("unreadable_numbers", number, line)

    def looks_like_row(self, line: bytes) -> bool:
        """Whether a line that could not be read stands in a table."""
        return False

    def skip_any(self, number: int, line: bytes) -> None:
        if self.looks_like_row(line):
            self.skip_row(number, line)
        else:
            self.skip_line(number, line)

    def skip_line(self, number: int, line: bytes) -> None:
        """Books a line that belongs to no table."""
        if self._timed.take(number, line, max(filter(None, (self.times.last_ns, self.clock.now_ns)), default=None)):
            return
        collector = read_collector(line)
        if collector is not None:  # OSWatcher's first line
            self.book.hostname = self.book.hostname or collector
            self.book.header()
            return
        self.book.skip("nul_bytes" if b"\0" in line else "not_a_table", number, line)

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        self._note_unended(first_line, lines)
        if not self._head_seen:
            if not self._hold(first_line, lines):
                return ()
            first_line, lines = self._held_first, self._held
            self._held = []
        self._read(first_line, lines)
        return self._ready(len(lines) < SMALL_FEED_LINES)

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        while text and not self._is_under_way:  # the head, and a wrapper's stamps: line by line
            *lines, text = text.split(b"\n", _HEAD_LINES if self._prefix is None else -1)
            yield from self.read_lines(first_line, lines)
            first_line += len(lines)
        self.read_text(first_line, text)
        yield from self._ready(at_once=False)

    @property
    def _is_under_way(self) -> bool:
        return self._head_seen and self._prefix is None and bool(self.builders)

    def close_tables(self) -> Iterable[SampleBatch]:
        if not self._head_seen:
            self._head_seen = True
            self._read(self._held_first, self._held)
            self._held = []
        self.end_of_text()
        for builder in self.builders.values():
            self._finished.extend(builder.flush(final=True))
        self._timed.end()
        self._describe()
        return self._take_finished()

    def end_of_text(self) -> None:
        """The capture ends; whatever waited for more lines is booked now."""

    def describe_variant(self) -> str:
        return ""

    def _describe(self) -> None:
        self.book.locale = self.book.locale or self.hints.name(self.stamps.dates_seen)
        self.book.variant = self.describe_variant()
        if self._since_boot_rows and not self._measured:
            self.book.warn("since_boot_only")

    def _hold(self, first_line: int, lines: list[bytes]) -> bool:
        """Keeps the first lines back until they show the locale (a row with decimals)."""
        if not self._held:
            self._held_first = first_line
        for line in lines:
            if self._head_seen:
                break
            self.hints.look(line)
            self._head_lines += 1
            self._head_seen = self._head_lines >= _HEAD_LINES or _DECIMALS.search(line) is not None
        self._held.extend(lines)
        return self._head_seen

    def _read(self, first_line: int, lines: list[bytes]) -> None:
        if self._prefix is not None:
            self._read_prefixed(self._prefix, first_line, lines)
            return
        if not self.builders:  # before the first table: a wrapper may have put a stamp before every line
            for index, line in enumerate(lines):
                self._prefix = self._prefix_of(line)
                if self._prefix is not None:
                    self.read_all(first_line, lines[:index])
                    self._read_prefixed(self._prefix, first_line + index, lines[index:])
                    return
                if self.is_heading(line):
                    break
        self.read_all(first_line, lines)

    def _prefix_of(self, line: bytes) -> re.Pattern[bytes] | None:
        """What finds the stamp of each line, where this one is a heading or a banner behind a stamp."""
        readings = ((prefix, match["rest"]) for prefix in _PREFIXES if (match := prefix.match(line)))
        return next((prefix for prefix, rest in readings if self.is_heading(rest) or _BANNER.match(rest)), None)

    def _read_prefixed(self, prefix: re.Pattern[bytes], first_line: int, lines: list[bytes]) -> None:
        """``2026-11-21 16:15:32 <line>`` (awk, ts): the stamp times the rest. ``> <line>``: a mail quotes it."""
        for number, line in enumerate(lines, first_line):
            match = prefix.match(line)
            if match is None:
                self.read_line(number, line)
                continue
            if match["stamp"]:
                self.clock.line_stamp(match["stamp"])
            self.read_line(number, match["rest"].rstrip())

    def _ready(self, at_once: bool) -> list[SampleBatch]:
        for builder in self.builders.values():
            if at_once or len(builder) > _FLUSH_ROWS:
                self._finished.extend(builder.flush())
        return self._take_finished()

    def _take_finished(self) -> list[SampleBatch]:
        finished, self._finished = [*self._finished, *self._timed.flush()], []
        return finished

    def close_builder(self, builder: TableBuilder) -> None:
        """Another heading takes over the builder's table: its rows come first."""
        self._finished.extend(builder.flush(final=True))

    def give(self, batches: Iterable[SampleBatch]) -> None:
        self._finished.extend(batches)

    def flags(self, since_boot: bool) -> None:
        if since_boot:
            self._since_boot_rows = True
        else:
            self._measured = True

    # -- lines that belong to no table -----------------------------------------------------------

    def read_surroundings(self, number: int, line: bytes) -> bool:
        """Banner, wrapper's stamp, command line; False where the line is none of them (nothing is booked then)."""
        if line.startswith(b"Linux ") and self._read_banner(line):
            self.book.header()
            return True
        command = _COMMAND.search(line[:_LONGEST_COMMAND])
        of_another_time = is_of_another_time(decode_text(line[:_LONGEST_COMMAND]))
        if of_another_time or (command is not None and self._read_command(command)):
            self.book.skip("wrapper", number, line)
            prompted = read_command(line[:_LONGEST_COMMAND], frozenset({self.tool}))
            self.book.hostname = self.book.hostname or (prompted.host if prompted else "")
            return True
        interval = _SAMPLE_INTERVAL.search(line)
        if interval is not None:
            self.clock.interval_s = float(interval["seconds"])
        moment = self.stamps.wrapper_moment(line)
        if moment is not None:
            self.clock.wrapper(moment)
            self.began(restarted=False)
            self.book.header()
            if interval is None:
                self.know_wrapper(line, moment)
            return True
        return False

    def know_wrapper(self, line: bytes, moment: datetime) -> None:
        """A wrapper's stamp was read; a scanner may know others like it."""

    def _read_banner(self, line: bytes) -> bool:
        match = _BANNER.match(line)
        if match is None:
            return False
        self.book.os_version = decode_text(match["release"])
        self.book.hostname = decode_text(match["host"])
        self.stamps.set_banner_day(decode_text(match["date"]))
        self.began(restarted=True)
        return True

    def _read_command(self, match: re.Match[bytes]) -> bool:
        """``# vmstat -S M 5 720``: the interval is the first bare number."""
        if decode_text(match["tool"]) != self.tool:
            return False
        numbers = [word for word in match["arguments"].split() if re.fullmatch(rb"\d+(?:\.\d+)?", word)]
        options = [word for word in match["arguments"].split() if word.startswith(b"-")]
        if not numbers and not options:
            return False
        if numbers and float(numbers[0]) > 0:
            self.clock.interval_s = float(numbers[0])
        self.read_options(decode_text(match["arguments"]))
        return True

    def read_options(self, arguments: str) -> None:
        """The options of a command line that the capture shows."""


class BlockClock:
    """The time of each block: the tool's own stamp, else a wrapper's, else start + i x interval."""

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook, stamps: StampReader) -> None:
        self._context = context
        self._times = times
        self._book = book
        self._stamps = stamps
        self._wrapper: datetime | None = None
        self._wrapper_fresh = False
        self._line_stamp: bytes | None = None
        self._last_stamp = b""
        self._now_ns = 0
        self.interval_s: float | None = None

    @property
    def now_ns(self) -> int | None:
        """UTC ns of the last block that had no stamp of its own."""
        return self._now_ns or None

    @property
    def prefixed(self) -> bool:
        return self._line_stamp is not None

    def line_stamp(self, stamp: bytes) -> None:
        """The stamp a wrapper put before this line."""
        self._line_stamp = stamp

    def wrapper(self, moment: datetime) -> None:
        """A wrapper's stamp on a line of its own: the next block begins here."""
        self._wrapper = moment
        self._wrapper_fresh = True

    def next_block(self) -> int:
        """UTC ns of a block that has no stamp of its own."""
        if self._line_stamp is not None:
            self._now_ns = self._at_prefix(self._line_stamp)
        elif self._wrapper is None:
            self._now_ns = self._times.next_unstamped(self.interval_s)
        elif self._wrapper_fresh:
            self._wrapper_fresh = False
            self._now_ns = self._times.at_datetime(self._wrapper)
        else:
            self._now_ns += round(self._interval_between() * NS_PER_S)
        return self._now_ns

    def _interval_between(self) -> float:
        """Seconds between two blocks below one wrapper's stamp."""
        book, context = self._book, self._context
        if context.interval_s is not None:
            book.assume("interval_s", f"{context.interval_s:g}", "user")
            return context.interval_s
        if self.interval_s is not None:
            book.assume("interval_s", f"{self.interval_s:g}", "wrapper")
            return self.interval_s
        return book.guess_interval()

    def _at_prefix(self, stamp: bytes) -> int:
        if stamp == self._last_stamp:
            return self._now_ns
        self._last_stamp = stamp
        text = decode_text(stamp).strip("[]():,| ")
        times = self._times
        moment = self._stamps.moment(text)
        if moment is not None:
            return times.at_datetime(moment)
        if re.fullmatch(r"1\d{9}\.\d+", text):
            return times.at_epoch(float(text))
        seconds = time_of_day_s(text) if len(text) == len("16:10:13") else None
        if seconds is not None:
            return times.at_time_of_day(seconds)
        return self._now_ns or times.next_unstamped(self.interval_s)  # a damaged stamp
