"""Lines out of bytes that arrive in pieces, and the base class of line-oriented parsers."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.beside import Asked
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import Ledger
from tunebench.sdk.batches import SampleBatch
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.line_stamps import LineStamps
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.scanning.rows import Rows, count_line_ends, count_rows
from tunebench.sdk.series_account import SeriesAccount
from tunebench.sdk.text import UTF16_TELLING_BYTES, utf16_of
from tunebench.sdk.times import TimeKeeper

FEWEST_PAGE_BYTES = 32 << 10
"""A smaller piece (a live tail) is given out as lines."""
_TEXTS_BESIDE = 4  # of which the rows are yet to be counted
LONGEST_LINE = 1 << 20
"""A line longer than this many bytes is no line of a text capture; it is cut and skipped."""


class LineReader:
    """Splits a byte stream into lines, whatever the pieces' boundaries.

    Strips ``\\r\\n`` and a UTF-8 mark; turns UTF-16 into UTF-8. `total` counts the lines of
    the stream; a last line without an end counts.
    """

    def __init__(self) -> None:
        self.total = 0
        self._rest = b""
        self._started = False
        self._pending = b""
        self._utf16: codecs.IncrementalDecoder | None = None

    @property
    def is_utf16(self) -> bool:
        return self._utf16 is not None

    def feed(self, data: bytes) -> list[bytes]:
        """The complete lines of what came so far, without their ends."""
        lines = _split_lines(self.feed_text(data))
        self.total += len(lines)
        return lines

    def feed_text(self, data: bytes) -> bytes:
        """`feed` as one text: whole lines, each with its ``\\n``; adding them to `total` is left to the caller."""
        if not self._started:
            self._pending += data
            if len(self._pending) < (UTF16_TELLING_BYTES if b"\0" in self._pending[:3] else 3):
                return b""
            data = self._start(self._pending)
        if self._utf16 is not None:
            data = self._utf16.decode(data).encode()
        return self._whole_lines(data)

    def finish(self) -> list[bytes]:
        """The last line, where the stream does not end with a line end."""
        text = b""
        if not self._started:
            data = self._start(self._pending)
            text = self._whole_lines(self._utf16.decode(data).encode() if self._utf16 else data)
        if self._rest:
            text += self._rest.removesuffix(b"\r") + b"\n"
            self._rest = b""
        lines = _split_lines(text)
        self.total += len(lines)
        return lines

    def _start(self, data: bytes) -> bytes:
        self._started = True
        self._pending = b""
        if utf16 := utf16_of(data):
            self._utf16 = codecs.getincrementaldecoder(utf16)("replace")
            return data
        return data.removeprefix(codecs.BOM_UTF8)

    def _whole_lines(self, data: bytes) -> bytes:
        if not data:
            return b""
        end = data.rfind(b"\n") + 1
        if end == len(data) and not self._rest:
            text = data
        elif end:
            text, self._rest = b"".join((self._rest, memoryview(data)[:end])), data[end:]  # copied once
        else:
            text, self._rest = b"", self._rest + data
        if len(self._rest) > LONGEST_LINE:  # a text without line ends must not grow without bound
            text += self._rest + b"\n"
            self._rest = b""
        return text.replace(b"\r\n", b"\n") if b"\r" in text else text


class LineParser:
    """Base of parsers that read line by line.

    A subclass implements `read_lines`, counts every line in `self.book`, and gives batches. It may
    override `close_tables` to give what is left at the end, and `read_page` to read many lines at once.

    `context`, `book` and `times` are for the subclass. What the base keeps for itself has names that no attribute of a
    subclass can take (two underscores), so that a subclass is free in its own.
    """

    def __init__(self, context: ParseContext) -> None:
        self.context = context
        self.book = LedgerBook()
        self.times = TimeKeeper(context, self.book)
        self.__stamps = LineStamps(_sniff_of(type(self), context), context, self.book)
        self.__reader = LineReader()
        self.__next_line = 1
        self.__is_ending = False
        self.__given = SeriesAccount(self.book)
        self.__counting: deque[Asked[Rows]] = deque()

    @property
    def is_utf16(self) -> bool:
        """Whether the capture came as UTF-16; its lines are UTF-8 in any case."""
        return self.__reader.is_utf16

    @property
    def is_ending(self) -> bool:
        """Whether all lines that have an end were read: the one that is read then, if any, may have been cut off."""
        return self.__is_ending

    def cover(self, time_ns: int) -> None:
        """The capture covers this moment (UTC), also where no sample is given of it."""
        self.__given.cover(time_ns)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        """Reads complete lines; `first_line` is the 1-based number of ``lines[0]``."""
        raise NotImplementedError

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        """`read_lines` for the text of a large piece, of which every line has its ``\n``."""
        return self.read_lines(first_line, _split_lines(text))

    def close_tables(self) -> Iterable[SampleBatch]:
        """The batches that were still being collected when the capture ended."""
        return ()

    def feed(self, data: bytes) -> Iterable[SampleBatch]:
        text = self.__reader.feed_text(data)
        if len(text) < FEWEST_PAGE_BYTES or not self.__stamps.are_none(text):
            lines = _split_lines(text)
            self.__reader.total += len(lines)
            return self.__take(lines)
        self.__counting.append(Asked(partial(count_rows, text)))
        self.__take_counted(_TEXTS_BESIDE)
        count = count_line_ends(text)
        self.__reader.total += count
        return list(self.__given.count(self.read_page(self.__pass_lines(count), text)))

    def finish(self) -> Iterable[SampleBatch]:
        yield from self.__read(self.__stamps.take([], ending=True))
        self.__is_ending = True
        yield from self.__read(self.__reader.finish())
        self.__take_counted()
        yield from self.__given.count(self.close_tables())

    def ledger(self) -> Ledger:
        self.book.total = self.__reader.total
        self.__take_counted()
        self.times.describe()
        given = self.__given
        if type(self).take_records is not LineParser.take_records or self.facts():
            self.book.numbers = 0  # they are stored elsewhere
        return self.book.close(given.first_ns, given.last_ns, given.series, given.samples)

    def events(self) -> Sequence[CaptureEvent]:
        """The events in the order of time: several tables may pass them in any other."""
        return sorted(self.times.events, key=lambda event: (event.start_ns, event.kind, event.end_ns or 0, event.text))

    def facts(self) -> Sequence[SystemFact]:
        return ()

    def take_records(self) -> Sequence[DatabaseRecord]:
        return ()

    def __take_counted(self, left: int = 0) -> None:
        """Books the rows of the texts that were given, but for the last ones."""
        while len(self.__counting) > left:
            rows, numbers = self.__counting.popleft().result()
            self.book.rows += rows
            self.book.numbers += numbers

    def __take(self, lines: list[bytes]) -> list[SampleBatch]:
        return self.__read(self.__stamps.take(lines)) if lines else []

    def __read(self, lines: list[bytes]) -> list[SampleBatch]:
        if not lines:
            return []
        first = self.__pass_lines(len(lines))
        if not self.__stamps.are_there:
            self.book.printed(b"\n".join(lines))
            return list(self.__given.count(self.read_lines(first, lines)))
        return [batch for number, line in enumerate(lines, first) for batch in self.__read_stamped(number, line)]

    def __read_stamped(self, number: int, line: bytes) -> Iterable[SampleBatch]:
        stamp, line = self.__stamps.split(line)
        self.book.printed(line)
        if stamp is not None:
            self.times.line_stamp = stamp
        return self.__given.count(self.read_lines(number, [line]))

    def __pass_lines(self, count: int) -> int:
        """The number of the first of the next `count` lines."""
        first = self.__next_line
        self.__next_line += count
        return first


def _split_lines(text: bytes) -> list[bytes]:
    """The lines of a text of whole lines, without their ends."""
    lines = text.split(b"\n")
    lines.pop()
    return lines


def _sniff_of(parser: type[LineParser], context: ParseContext) -> Callable[[bytes], float]:
    """Knows the class alone: what knew its parser would keep its arrays until somebody looks for circles."""
    sniff: Callable[[bytes, str], float] | None = getattr(parser, "sniff", None)
    return lambda head: 0.0 if sniff is None else sniff(head, context.file_name)
