"""Base class of parsers for captures made of rounds: a stamp, then the output of one command, again and again.

    @tunebench at 2026-11-21T02:48:00.123456789Z
                   total        used        free      shared  buff/cache   available
    Mem:        24684084      740412    19211408       11148     5067616    23943672
    Swap:              0           0           0
    @tunebench at 2026-11-21T02:48:05.130001000Z
    ...

Other loops' stamps are read as well (`tunebench.sdk.round_stamps`). Without any stamp a round begins where the
parser says so (`begins_round`), and its time is start + i x interval (`ParseContext`, asked for where unknown).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest

from tunebench.core.records import record
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.line_stamps import SHELL_LINE
from tunebench.sdk.lines import LineParser
from tunebench.sdk.number_table import Attributes, NumberTable
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.round_clock import RoundClock
from tunebench.sdk.round_stamps import MARK, RoundStamp, read_collector, read_frame, read_stamp

NS_PER_S = 1_000_000_000
MOST_BYTES = 64 << 20
"""A round that takes more memory is read in parts, all of its time: a text without rounds must not be held whole."""
_LINE_BYTES = 120  # what a line takes beside its text
_HEAD_LINES = 200


@record
class Round:
    """One round.

    Attributes:
        time_ns: UTC nanoseconds.
        lines: (1-based line number, line without its end); blank lines and stamps are left out.
        previous_ns: time of the round before, where differences of counters over the time between are
            meant: no gap and no new start of the command lies there. None: no difference.
    """

    time_ns: int
    lines: tuple[tuple[int, bytes], ...]
    previous_ns: int | None = None

    @property
    def seconds(self) -> float:
        """Since the round before; NaN where there is none."""
        return float("nan") if self.previous_ns is None else (self.time_ns - self.previous_ns) / NS_PER_S


class OpenRound:
    """The lines of the round that is not over yet."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, bytes]] = []
        self._bytes = 0
        self._begun: tuple[int, int | None] | None = None  # the times of a round of which a part was read already

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def is_open(self) -> bool:
        return bool(self._lines) or self._begun is not None

    @property
    def is_full(self) -> bool:
        return self._bytes > MOST_BYTES

    def add(self, number: int, line: bytes) -> None:
        self._lines.append((number, line))
        self._bytes += len(line) + _LINE_BYTES

    def holds_only(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether every line of the round is such a line."""
        return self._begun is None and all(pattern.match(line) for _, line in self._lines)

    def take_last(self, number: int) -> bytes | None:
        """The last line, where it is the line of this number."""
        return self._lines.pop()[1] if self._lines and self._lines[-1][0] == number else None

    def take_lines(self) -> tuple[tuple[int, bytes], ...]:
        lines, self._lines, self._bytes = tuple(self._lines), [], 0
        return lines

    def times(self, clock: RoundClock, timeless: bool) -> tuple[int, int | None]:
        """UTC ns of all parts of the round, and of the round before."""
        if self._begun is None:
            self._begun = (0, None) if timeless and clock.stamp is None else clock.next_round()
        return self._begun

    def end(self) -> None:
        self._begun = None


class StampedParser(LineParser):
    """A subclass reads whole rounds in `read_round`, books each of their lines, and puts rows into `table`.

    Attributes:
        round_clock: the last stamp and the interval, for a subclass that reads more of them.
        open_round: what waits for the round's end; its length is the number of lines.
    """

    tool = ""
    os = ""
    timeless = False
    """A capture of facts alone: nobody is asked when its rounds were taken."""
    ends_lines = False
    """The tool ends every line: a last one without an end was cut off in anybody's capture, not in ours alone."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = self.tool, self.os
        self.round_clock = RoundClock(context, self.times, self.book)
        self.open_round = OpenRound()
        self.__tables: dict[str, NumberTable] = {}
        self.__counters: dict[str, CounterSteps] = {}
        self.__finished: list[SampleBatch] = []
        self.__outside = False  # after the end of one start and before the next

    # -- for subclasses --------------------------------------------------------------------------

    def read_round(self, one: Round) -> None:
        """Reads one round and books its lines."""
        raise NotImplementedError

    def begins_round(self, line: bytes) -> bool:
        """Whether `line` is the first of a round (its heading); asked where our stamps are not."""
        return False

    def other_stamp(self, line: bytes) -> RoundStamp | None:
        """The stamp that `line` is in the tool's own manner (``2011년 04월 19일 ...``); None where it is none."""
        return None

    def table(
        self,
        name: str,
        headings: Sequence[str],
        key_attribute: str | None = None,
        column_attributes: Sequence[Attributes] | None = None,
    ) -> NumberTable:
        """The table `name`; another heading than before closes the rows under the old one."""
        current = self.__tables.get(name)
        if current is not None and current.headings == tuple(headings):
            return current
        if current is not None:
            self.__finished.extend(current.flush())
        table = self.__tables[name] = NumberTable(name, headings, key_attribute, column_attributes)
        return table

    def add_counters(
        self,
        one: Round,
        number: int,
        table: str,
        headings: Sequence[str],
        key_attribute: str,
        key: str,
        values: Sequence[float],
    ) -> None:
        """A thing's counters into ``counters_<table>``, what they rose per second into `table` as ``<heading>/s``."""
        self.table(f"counters_{table}", headings, key_attribute).row(one.time_ns, number, key, values)
        steps = self.__counters.setdefault(table, CounterSteps())
        risen = steps.step(one, key, values)
        if risen is not None:
            rates = self.table(table, tuple(f"{heading}/s" for heading in headings), key_attribute)
            rates.row(one.time_ns, number, key, [step / one.seconds for step in risen])
        if steps.fell:
            self.book.warn("counter_fell")

    def skip_line(self, number: int, line: bytes, reason: str = "not_a_table") -> None:
        """Books a line that is no output of the tool, or (`reason`) not to be read."""
        if b"\0" in line:
            reason = "nul_bytes"
        elif SHELL_LINE.match(line):
            reason = "wrapper"
        self.book.skip(reason, number, line)

    # -- reading ---------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self.place_line(number, line)
        if self.is_ending:  # only a last line without an end arrives as late as this
            self.__drop_cut_line(first_line + len(lines) - 1)
        return self.__take_finished()

    def close_tables(self) -> Iterable[SampleBatch]:
        self.__close_round()
        return self.__take_finished()

    def place_line(self, number: int, line: bytes) -> None:
        """One line, into the round it belongs to; a subclass may book it itself, or give another instead."""
        if not line or line.isspace():
            self.book.blank()
        elif line.startswith(MARK) and (self.__read_frame(line) or self.__read_stamp(line)):
            self.book.header()
        elif MARK in line and self.__read_frame(line[line.index(MARK) :]):
            self.book.skip("truncated", number, line)  # torn where the connection broke; the next start follows
        elif self.__outside:
            self.book.skip("wrapper", number, line)
        elif self.__read_collector(line) or self.__read_stamp(line):
            self.book.header()
        else:
            self.__add_to_round(number, line)

    def __add_to_round(self, number: int, line: bytes) -> None:
        begins = self.round_clock.is_unstamped and self.begins_round(line)
        if begins and self.open_round.is_open and not self.open_round.holds_only(SHELL_LINE):
            self.__close_round()
        if not self.open_round.is_open:
            self.round_clock.note_line_stamp()
        self.open_round.add(number, line)
        if self.open_round.is_full:
            self.__read_part()

    def __read_collector(self, line: bytes) -> bool:
        """The line above the first stamp by which a collector names itself; what stands before it is advice."""
        host = read_collector(line) if self.round_clock.stamp is None else None
        if host is None:
            return False
        self.__skip_what_waits()
        self.book.hostname = self.book.hostname or host
        return True

    def __skip_what_waits(self) -> None:
        for number, line in self.open_round.take_lines():
            self.book.skip("wrapper", number, line)

    def __drop_cut_line(self, number: int) -> None:
        """In a capture of ours every whole line has an end: the last one without was cut off."""
        if self.ends_lines or not self.round_clock.is_unstamped:
            line = self.open_round.take_last(number)
            if line is not None:
                self.book.skip("truncated", number, line)

    def __read_frame(self, line: bytes) -> bool:
        frame = read_frame(line)
        if frame is None:
            return False
        if self.round_clock.stamp is None and frame.kind == "begin":  # a login's words before the first start
            self.__skip_what_waits()
        self.__close_round()
        self.__outside = frame.kind != "begin"
        if frame.kind == "begin":
            self.round_clock.begin_segment(frame.interval_s)
        return True

    def __read_stamp(self, line: bytes) -> bool:
        stamp = read_stamp(line) or self.other_stamp(line)
        if stamp is None:
            return False
        self.__close_round()
        self.round_clock.read(stamp)
        return True

    # -- rounds ----------------------------------------------------------------------------------

    def __close_round(self) -> None:
        self.__read_part()
        self.open_round.end()

    def __read_part(self) -> None:
        """Reads the lines that came of the open round: all of them, unless it is too large."""
        if len(self.open_round):
            time_ns, previous_ns = self.open_round.times(self.round_clock, self.timeless)
            self.read_round(Round(time_ns, self.open_round.take_lines(), previous_ns))

    def __take_finished(self) -> list[SampleBatch]:
        for table in self.__tables.values():
            self.__finished.extend(table.flush())
        finished, self.__finished = self.__finished, []
        return finished


class CounterSteps:
    """Counters of things (devices, interfaces): what each rose by since the round before."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, Sequence[float]]] = {}
        self.fell = False
        """Whether a counter ever fell (a restart, or its bits ran over); such a step is missing."""

    def step(self, one: Round, key: str, values: Sequence[float]) -> list[float] | None:
        """The increases, NaN for a counter that fell or is new; None where there is nothing to compare with.

        A counter keeps its place among the values; new ones come behind.
        """
        before = self._last.get(key)
        self._last[key] = (one.time_ns, values)
        if before is None or before[0] != one.previous_ns or len(before[1]) > len(values):
            return None
        nan = float("nan")
        steps = [now - then for now, then in zip_longest(values, before[1], fillvalue=nan)]
        if any(step < 0 for step in steps):
            self.fell = True
            return [step if step >= 0 else nan for step in steps]
        return steps


def body_lines(head: bytes) -> list[bytes]:
    """The first lines of the tool in a capture's head, without stamps, frames, banners before them and blanks.

    For `sniff`; a text with NUL bytes has none.
    """
    return list(_body_lines(head))


@lru_cache(maxsize=2)  # dozens of parsers sniff at one head, one after the other
def _body_lines(head: bytes) -> tuple[bytes, ...]:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    if b"\0" in head:
        return ()
    lines = [line.rstrip(b"\r") for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[: 2 * _HEAD_LINES]]
    begin = next((index for index, line in enumerate(lines) if _is_begin(line)), -1)
    kept = [line for line in lines[begin + 1 :] if line.strip() and not line.startswith(MARK)]
    return tuple(line for line in kept if read_stamp(line) is None)[:_HEAD_LINES]


def _is_begin(line: bytes) -> bool:
    frame = read_frame(line) if line.startswith(MARK) else None
    return frame is not None and frame.kind == "begin"
