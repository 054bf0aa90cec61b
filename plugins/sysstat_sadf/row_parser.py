"""Base of the parsers of rows (-d and -p): which lines are rows, restarts and remarks, and what is kept for later.

The rows of one time stay together: the last time's rows of a stretch wait for those that may follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.sdk import ParseContext, SampleBatch, decode_text

from .fields import Fields
from .numerals import Places
from .row_clock import RowClock
from .stretches import StretchParser

_RESTART = re.compile(rb"LINUX-RESTART\b\s*(?:\((?P<text>[^)]*)\))?.*", re.DOTALL)
_COMMENT = re.compile(rb"COM\b\s*(?P<text>.*)", re.DOTALL)
_PROMPT = re.compile(rb"(?:\S+\s?)?[#$%>] ?(?:\S+=\S+ )*(?:\S*/)?(?:sar|sadc|sadf|date)\b|^\[?\w+@[\w.-]+")
_NO_NUMBERS = frozenset({b"nan", b"-nan", b"inf", b"-inf", b""})
_LONGEST_WAIT = 8 << 20  # for the end of a time's rows: a hundred thousand of them
LONGEST_LINE = 4 << 20
"""A longer line is no row: with ``-h`` ten thousand devices fill one megabyte."""
MOST_LINES = 100_000
"""Read at once: rows are so long that no stretch has as many, and each line costs its places."""
_FIXED = 3
_ROWS_BACK = 1000


class RowParser(StretchParser):
    """A subclass reads rows that have the same number of fields."""

    separator = b";"
    fewest = 3

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.clock = RowClock(self.times)
        self._last_row = b""
        self._in_long_line = False  # the rest of a line that is too long is passed by

    def take_heading(self, line: bytes) -> bool:
        """Takes a line that is a heading; the rows below are its."""
        raise NotImplementedError

    def read_rows(self, fields: Fields, low: int, high: int) -> Iterator[SampleBatch]:
        """Reads the lines `low` to `high`, books them; `next_line` is the number of the first."""
        raise NotImplementedError

    def end_of_rows(self) -> Iterator[SampleBatch]:
        """A restart or the end of the capture: what was collected is given."""
        return iter(())

    # -- for subclasses --------------------------------------------------------------------------

    def numbers(self, fields: Fields, starts: Places, ends: Places) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The numbers of some fields, and which rows hold nothing else: float64[rows, columns], bool[rows]."""
        values = fields.numerals.numbers(starts, ends)
        readable = np.ones(len(values), dtype=bool)
        for row, column in zip(*np.nonzero(np.isnan(values)), strict=True):
            cell = fields.text[starts[row, column] : ends[row, column]]
            readable[row] &= cell.strip() in _NO_NUMBERS
        return values, readable

    def book_rows(self, fields: Fields, low: int, good: NDArray[np.bool_]) -> None:
        self._name_host(fields, low, good)
        self.book.data(int(np.count_nonzero(good)))
        for index in np.flatnonzero(~good).tolist():
            self.book.skip("unreadable_numbers", self.next_line + index, fields.line(low + index))

    def _name_host(self, fields: Fields, low: int, good: NDArray[np.bool_]) -> None:
        rows = low + np.flatnonzero(good)
        if not len(rows):
            return
        host = self._host_of(fields, int(rows[0]))
        begin, end = int(fields.starts[low]), int(fields.ends[low + len(good) - 1])
        own = fields.text.count(b"\n" + host + self.separator, max(begin - 1, 0), end) + (not begin)
        hosts = [host] if own == len(good) else [self._host_of(fields, row) for row in rows.tolist()]
        for name in dict.fromkeys(decode_text(one) for one in hosts):
            self.book.hostname = self.book.hostname or name
            if name != self.book.hostname:
                self.book.warn("several_hosts")

    def _host_of(self, fields: Fields, row: int) -> bytes:
        begin = int(fields.starts[row])
        return fields.text[begin : fields.text.find(self.separator, begin)]

    def skip_lines(self, fields: Fields, low: int, high: int, reason: str) -> None:
        if high > low:
            self.book.skip(reason, self.next_line, fields.line(low), high - low)

    # -- reading ---------------------------------------------------------------------------------

    def work(self, final: bool) -> Iterator[SampleBatch]:
        text, start = self.pieces.take(), 0
        if self._in_long_line:
            start = text.find(b"\n") + 1 or len(text)
            self._in_long_line = not text.endswith(b"\n", 0, start)
        while text.count(b"\n", start) > MOST_LINES:
            whole = self._complete(text[start : start + MOST_LINES])
            end = start + whole if whole else text.index(b"\n", start + MOST_LINES) + 1
            yield from self._read(text[start:end], final=False)
            start = end
        yield from self._read_last(text[start:], final)
        if final:
            yield from self.end_of_rows()

    def _read_last(self, text: bytes, final: bool) -> Iterator[SampleBatch]:
        """Reads what is complete; the rest waits, but for a line that is too long."""
        end, unended = len(text) if final else self._complete(text), text.rfind(b"\n") + 1
        too_long = not final and len(text) - unended > LONGEST_LINE
        if too_long:
            end = unended
        if end:
            yield from self._read(text[:end], final)
        if too_long:
            self._in_long_line = True
            self._skip_long_line(text[end:])
        self.pieces.put_back(b"" if too_long else text[end:])

    def _skip_long_line(self, line: bytes) -> None:
        self.book.skip("too_long", self.next_line, line)
        self.next_line += 1

    def _complete(self, text: bytes) -> int:
        """Where the rows of the last time begin, or what follows the last line; 0 where nothing is complete."""
        end = text.rfind(b"\n") + 1
        last = text.rfind(b"\n", 0, max(end - 1, 0)) + 1
        head = _stamped(text[last:end], self.separator)
        if not head or end - last > _LONGEST_WAIT:
            return end
        while last > 0:
            before = text.rfind(b"\n", 0, last - 1) + 1
            if not text.startswith(head, before):
                break
            last = before
        return last if len(text) - last < _LONGEST_WAIT else end

    def _read(self, text: bytes, final: bool) -> Iterator[SampleBatch]:
        fields = Fields(text, self.separator)
        count = len(fields)
        lengths = fields.ends - fields.starts
        if final and count and not text.endswith(b"\n") and self._is_cut_off(fields, count - 1):
            count -= 1
        special = fields.counts[:count] < self.fewest
        special |= fields.begins(b"#")[:count]
        special |= lengths[:count] > LONGEST_LINE
        special |= self._without_interval(fields, count)
        low = 0
        for index in np.flatnonzero(special).tolist():
            if index > low:
                yield from self._read_block(fields, low, index)
            low = index + 1
            if lengths[index] > LONGEST_LINE:
                self._skip_long_line(fields.line(index))
                continue
            if lengths[index]:
                yield from self._take_line(fields.line(index))
            else:
                self.book.blank()
            self.next_line += 1
        yield from self._read_block(fields, low, count)
        if count < len(fields):
            self.book.skip("truncated", self.next_line, fields.line(count))
            self.next_line += 1

    def _without_interval(self, fields: Fields, count: int) -> NDArray[np.bool_]:
        """Restarts and remarks: their interval is -1."""
        found = np.zeros(count, dtype=bool)
        long = np.flatnonzero(fields.counts[:count] >= 2)
        if len(long):
            mark = int.from_bytes(b"-1" + self.separator, "little")
            words = fields.numerals.word_at(fields.separator_place(long, 0) + 1)
            found[long] = (words & np.uint64(0xFFFFFF)) == mark
        return found

    def _read_block(self, fields: Fields, low: int, high: int) -> Iterator[SampleBatch]:
        """Lines between headings; those of one number of fields at a time."""
        if high <= low:
            return
        changes = (np.flatnonzero(np.diff(fields.counts[low:high])) + 1 + low).tolist()
        for start, end in pairwise([low, *changes, high]):
            yield from self.read_rows(fields, start, end)
            self._last_row = fields.line(end - 1)
            self.next_line += end - start

    def _take_line(self, line: bytes) -> Iterator[SampleBatch]:
        """A line that is no row."""
        text = line.strip()
        cells = line.split(self.separator, _FIXED)
        if not text:
            self.book.blank()
        elif line.startswith(b"@tunebench ") or (line.startswith(b"#") and self.take_heading(line)):
            self.book.header()
        elif len(cells) > _FIXED and cells[1] == b"-1":
            yield from self._take_event(line, cells)
        else:
            reason = "nul_bytes" if b"\0" in line else "wrapper" if _PROMPT.match(text) else "not_a_table"
            self.book.skip(reason, self.next_line, line)

    def _take_event(self, line: bytes, cells: list[bytes]) -> Iterator[SampleBatch]:
        restart, comment = _RESTART.fullmatch(cells[3].strip()), _COMMENT.fullmatch(cells[3].strip())
        if restart is None and comment is None:
            self.book.skip("not_a_table", self.next_line, line)
            return
        if restart is not None:
            yield from self.end_of_rows()
        time_ns = self.clock.moment(cells[2])
        if time_ns is None:
            self.book.skip("not_a_table", self.next_line, line)
            return
        self.book.header()
        if comment is not None:
            self.times.comment(time_ns, decode_text(comment["text"]))
        elif restart is not None:
            self.times.restart(time_ns, decode_text(restart["text"] or b""))
            self.times.continue_here()

    def _is_cut_off(self, fields: Fields, index: int) -> bool:
        """Whether the last line, which has no end, stops inside a row: compared with the row before."""
        line, count = fields.line(index), int(fields.counts[index])
        if line.startswith(b"#") or len(line) > LONGEST_LINE:
            return False
        start = max(index - _ROWS_BACK, 0)
        rows = np.flatnonzero(
            (fields.counts[start:index] >= max(count, self.fewest)) & ~fields.begins(b"#")[start:index]
        )
        before = fields.line(start + int(rows[-1])) if len(rows) else self._last_row
        cells, usual = line.split(self.separator), before.split(self.separator)
        if count < self.fewest:
            return count > 0 and cells[0] == usual[0]
        if len(cells) != len(usual):
            return len(cells) < len(usual)
        decimals = len(cells[-1].replace(b",", b".").partition(b".")[2])
        return decimals < len(usual[-1].replace(b",", b".").partition(b".")[2])


def _stamped(line: bytes, separator: bytes) -> bytes:
    """Host, interval and stamp of a row with the separator behind them; empty where it is no row."""
    place = -1
    for _ in range(_FIXED):
        place = line.find(separator, place + 1)
        if place < 0:
            return b""
    return b"" if line.startswith(b"#") else line[: place + 1]
