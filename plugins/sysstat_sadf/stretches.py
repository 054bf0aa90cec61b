"""Base of parsers that work on stretches of some megabytes, and the bytes that wait for them."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence

from tunebench.families.page_reading import SeriesAccount
from tunebench.sdk import CaptureEvent, Ledger, LedgerBook, ParseContext, SampleBatch, SystemFact, TimeKeeper

STRETCH_BYTES = 2 << 20
_LONGEST_COUNTED = 4 << 20  # a longer line is counted in parts
_ACTIVITIES = 64  # tables that sar has, and some


class StretchParser:
    """A subclass reads what came in `work`, counts every line in `book` and moves `next_line` on."""

    variant = ""

    def __init__(self, context: ParseContext) -> None:
        self.book = LedgerBook(tool="sar", os="linux", variant=self.variant)
        self.times = TimeKeeper(context, self.book)
        self.pieces = Utf8Pieces(self.book)
        self.next_line = 1
        self.given = SeriesAccount(self.book, _ACTIVITIES)

    def work(self, final: bool) -> Iterable[SampleBatch]:
        """Reads `pieces` as far as it can be read, puts the rest back."""
        raise NotImplementedError

    def feed(self, data: bytes) -> Iterable[SampleBatch]:
        self.pieces.add(data)
        return list(self.given.count(self.work(final=False))) if self.pieces.is_due else ()

    def finish(self) -> Iterable[SampleBatch]:
        self.pieces.add(b"", final=True)
        return list(self.given.count(self.work(final=True)))

    def ledger(self) -> Ledger:
        self.book.total = self.next_line - 1
        self.times.describe()
        given = self.given
        return self.book.close(given.first_ns, given.last_ns, given.series, given.samples)

    def events(self) -> Sequence[CaptureEvent]:
        return self.times.events

    def facts(self) -> Sequence[SystemFact]:
        return ()


class Utf8Pieces:
    """The bytes that wait to be read; UTF-16 becomes UTF-8, a mark at the beginning goes."""

    def __init__(self, book: LedgerBook) -> None:
        self.size = 0
        self._book = book
        self._torn_line = b""
        self._wanted = STRETCH_BYTES
        self._pieces: list[bytes] = []
        self._head = b""
        self._started = False
        self._decoder: codecs.IncrementalDecoder | None = None

    def add(self, data: bytes, final: bool = False) -> None:
        if not self._started:
            self._head += data
            if len(self._head) < 3 and not final:
                return
            self._started, data = True, self._head
            if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
            data = data.removeprefix(codecs.BOM_UTF8)
        if self._decoder is not None:
            data = self._decoder.decode(data).encode()  # half a character at the end is none
        self._count(data, final)
        self._pieces.append(data)
        self.size += len(data)

    def _count(self, data: bytes, final: bool) -> None:
        data = self._torn_line + data
        end = data.rfind(b"\n") + 1
        end = len(data) if final or len(data) - end > _LONGEST_COUNTED else end
        self._torn_line = data[end:]
        self._book.printed(data[:end])

    @property
    def is_due(self) -> bool:
        """Whether enough came to be worked on; more is waited for where little could be read of the last."""
        return self.size >= self._wanted

    def take(self) -> bytes:
        text = b"".join(self._pieces)
        self._pieces.clear()
        self.size = 0
        return text

    def put_back(self, text: bytes) -> None:
        """`text` is read again, before what comes."""
        self._pieces.append(text)
        self.size = len(text)
        self._wanted = max(STRETCH_BYTES, 2 * self.size)
