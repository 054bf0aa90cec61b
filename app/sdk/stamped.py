"""Base class of parsers for captures made of rounds: a stamp, then the output of one command, again and again.

    @tunebench at 2026-11-21T02:48:00.123456789Z
                   total        used        free      shared  buff/cache   available
    Mem:        24684084      740412    19211408       11148     5067616    23943672
    Swap:              0           0           0
    @tunebench at 2026-11-21T02:48:05.130001000Z
    ...

Other loops' stamps are read as well (`app.sdk.round_stamps`). Without any stamp a round begins where the
parser says so (`begins_round`), and its time is start + i x interval (`ParseContext`, asked for where unknown).
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import zip_longest

from app.domain.series import GAP_FACTOR
from app.sdk.batches import SampleBatch
from app.sdk.lines import LineParser
from app.sdk.number_table import Attributes, NumberTable
from app.sdk.parsing import ParseContext
from app.sdk.round_stamps import MARK, RoundStamp, read_collector, read_frame, read_stamp

NS_PER_S = 1_000_000_000
MOST_LINES = 50_000
"""A round of more lines is closed: a text without rounds must not be held in memory whole."""
_PROMPT = re.compile(rb"^(?:[\w.-]+@[\w.-]+[^#$%>]{0,40}\s?[#$%>]|[#$] )\s*\S")
_HEAD_LINES = 200
_LONGEST_BELOW_STAMP_S = 366 * 86_400.0


@dataclass(frozen=True, slots=True)
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


class StampedParser(LineParser):
    """A subclass reads whole rounds in `read_round`, books each of their lines, and puts rows into `table`."""

    tool = ""
    os = ""
    timeless = False
    """A capture of facts alone: nobody is asked when its rounds were taken."""
    ends_lines = False
    """The tool ends every line: a last one without an end was cut off in anybody's capture, not in ours alone."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = self.tool, self.os
        self._tables: dict[str, NumberTable] = {}
        self._counters: dict[str, CounterSteps] = {}
        self._finished: list[SampleBatch] = []
        self._lines: list[tuple[int, bytes]] = []
        self._stamp: RoundStamp | None = None
        self._below_stamp = 0  # rounds that stand below the stamp
        self._interval_s: float | None = context.interval_s
        self._last_ns_of_segment: int | None = None
        self._steps_ns: list[int] = []
        self._outside = False  # after the end of one start and before the next
        self._ending = False

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
        known = self._tables.get(name)
        if known is not None and known.headings == tuple(headings):
            return known
        if known is not None:
            self._finished.extend(known.flush())
        made = self._tables[name] = NumberTable(name, headings, key_attribute, column_attributes)
        return made

    def add_counters(
        self, one: Round, number: int, table: str, headings: Sequence[str], key_attribute: str, key: str,
        values: Sequence[float],
    ) -> None:  # fmt: skip
        """A thing's counters into ``counters_<table>``, what they rose per second into `table` as ``<heading>/s``."""
        self.table(f"counters_{table}", headings, key_attribute).row(one.time_ns, number, key, values)
        steps = self._counters.setdefault(table, CounterSteps())
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
        elif _PROMPT.match(line):
            reason = "wrapper"
        self.book.skip(reason, number, line)

    # -- reading ---------------------------------------------------------------------------------

    def finish(self) -> Iterable[SampleBatch]:
        self._ending = True
        return super().finish()

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._place(number, line)
        if self._ending:  # only a last line without an end arrives as late as this
            self._drop_cut_line(first_line + len(lines) - 1)
        return self._take_finished()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._close_round()
        return self._take_finished()

    def _place(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
        elif line.startswith(MARK) and self._read_mark(line):
            self.book.header()
        elif MARK in line and self._read_frame(line[line.index(MARK) :]):
            self.book.skip("truncated", number, line)  # torn where the connection broke; the next start follows
        elif self._outside:
            self.book.skip("wrapper", number, line)
        elif self._stamp is None and self._read_collector(line):
            self.book.header()
        elif not self._read_stamp(line):
            if self._is_unstamped() and self.begins_round(line) and self._lines:
                self._close_round()
            self._lines.append((number, line))
            if len(self._lines) >= MOST_LINES:
                self._close_round()
        else:
            self.book.header()

    def _read_collector(self, line: bytes) -> bool:
        """The line by which a collector names itself; what stands before it is advice to its reader."""
        host = read_collector(line)
        if host is None:
            return False
        for words in self._lines:
            self.book.skip("wrapper", *words)
        self._lines = []
        self.book.hostname = self.book.hostname or host
        return True

    def _is_unstamped(self) -> bool:
        return self._stamp is None or not self._stamp.own

    def _drop_cut_line(self, number: int) -> None:
        """In a capture of ours every whole line has an end: the last one without was cut off."""
        cut_off = self.ends_lines or not self._is_unstamped()
        if self._lines and self._lines[-1][0] == number and cut_off:
            self.book.skip("truncated", *self._lines.pop())

    def _read_mark(self, line: bytes) -> bool:
        return self._read_frame(line) or self._read_stamp(line)

    def _read_frame(self, line: bytes) -> bool:
        frame = read_frame(line)
        if frame is None:
            return False
        if self._stamp is None and frame.kind == "begin":  # a login's words before the first start
            for noise in self._lines:
                self.book.skip("wrapper", *noise)
            self._lines = []
        self._close_round()
        self._outside = frame.kind != "begin"
        if frame.kind == "begin":
            self._last_ns_of_segment = None
            self._interval_s = self.context.interval_s or frame.interval_s or self._interval_s
        return True

    def _read_stamp(self, line: bytes) -> bool:
        stamp = read_stamp(line) or self.other_stamp(line)
        if stamp is None:
            return False
        self._close_round()
        self._stamp, self._below_stamp = stamp, 0
        if stamp.interval_s is not None and self.context.interval_s is None:
            self._interval_s = stamp.interval_s
        if stamp.zone:
            self.times.set_zone_abbreviation(stamp.zone)
        return True

    # -- rounds ----------------------------------------------------------------------------------

    def _close_round(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        time_ns = self._time_of_round()
        previous_ns = self._previous(time_ns)
        self._last_ns_of_segment = time_ns
        self.read_round(Round(time_ns, tuple(lines), previous_ns))

    def _time_of_round(self) -> int:
        stamp = self._stamp
        if stamp is None and self.timeless:
            return 0
        if stamp is None:
            return self.times.next_unstamped(self._interval_s)
        later_s = 0.0
        if self._below_stamp and not stamp.own:
            later_s = min(self._below_stamp * self._interval_below_stamp(), _LONGEST_BELOW_STAMP_S)
        self._below_stamp += 1
        return self.times.at_datetime(stamp.moment + timedelta(seconds=later_s))

    def _interval_below_stamp(self) -> float:
        if self._interval_s is not None:
            return self._interval_s
        self.book.assume("interval_s", "1", "default")
        self.book.need("interval_s")
        return 1.0

    def _previous(self, time_ns: int) -> int | None:
        """The time of the round before, unless a gap lies between (its counters' mean would hide the gap)."""
        before_ns = self._last_ns_of_segment
        if before_ns is None or time_ns <= before_ns:
            return None
        step_ns = time_ns - before_ns
        typical_ns = self._steps_ns[len(self._steps_ns) // 2] if self._steps_ns else step_ns
        if self._interval_s is not None:
            typical_ns = max(typical_ns if self._steps_ns else 0, round(self._interval_s * NS_PER_S))
        insort(self._steps_ns, step_ns)
        return before_ns if step_ns <= GAP_FACTOR * typical_ns else None

    def _take_finished(self) -> list[SampleBatch]:
        for table in self._tables.values():
            self._finished.extend(table.flush())
        finished, self._finished = self._finished, []
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
