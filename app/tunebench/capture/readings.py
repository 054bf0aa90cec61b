"""How a stored capture is given to its parser: as a whole, or start by start where it carries our frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.capture.frames import (
    SIGNALLED,
    Begin,
    Data,
    End,
    Frame,
    FrameReader,
    Over,
    Preamble,
    frames_of,
    is_framed,
    segment_of,
)
from tunebench.core.records import record
from tunebench.domain.capturing.run import StreamSegment, SystemFact
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import ONLY_BLOCK_SINCE_BOOT, Assumption, Ledger, LineCounts, SkippedLines
from tunebench.plughost.guard import GuardedParser
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext, SampleBatch
from tunebench.sdk.batches import TIMED_TABLE

_EXAMPLE_LENGTH = 200
_DOUBTS = ("since_boot_only", "likely_since_boot", "maybe_since_boot")


@record
class FactsAt:
    """What one round of an inventory found; `moment_ns` is the server's clock, UTC (0 where it never said)."""

    moment_ns: int
    facts: tuple[SystemFact, ...]


class FirstBlocks:
    """The first block of a run is an average since boot, unless a person says that it was measured.

    Tools print an average since boot first, so of several blocks the first stays one: what was pasted into a document
    may lack it all the same, which a person may say (`ParseContext.first_measured`). And a single block may have been
    cut out of many, which nobody can tell but the person: where the interval is the person's word, the first block is
    held until a second one comes, and counts as measured where none does. What ``time`` printed beside it is no block.
    """

    def __init__(self, context: ParseContext) -> None:
        self._all_measured = context.first_measured
        self._interval_s = context.interval_s if context.interval_source == "user" else None
        self._first_ns: np.int64 | None = None
        self._over = False  # something came that is not of the first block, or no average since boot
        self._held: list[SampleBatch] = []

    def take(self, batches: Iterable[SampleBatch]) -> Iterator[SampleBatch]:
        if self._all_measured:
            yield from map(_measured, batches)
            return
        for batch in batches:
            if not self._over and len(batch.times_ns) and batch.table != TIMED_TABLE:
                self._first_ns = batch.times_ns[0] if self._first_ns is None else self._first_ns
                self._over = not batch.since_boot.all() or bool((batch.times_ns != self._first_ns).any())
            self._held.append(batch)
            if self._over or self._interval_s is None:
                yield from self._let_go()

    def finish(self) -> Iterator[SampleBatch]:
        """The block that is still held is the only one."""
        self._held = [_measured(batch) for batch in self._held]
        yield from self._let_go()

    def _let_go(self) -> Iterator[SampleBatch]:
        yield from self._held
        self._held = []

    def described(self, ledger: Ledger) -> Ledger:
        """The capture's ledger, with what its first blocks were taken for."""
        if self._all_measured:
            others = tuple(key for key in ledger.warnings if key not in _DOUBTS)
            return replace(ledger, warnings=(*others, "first_measured"))
        if self._first_ns is None or self._over:
            return ledger
        others = tuple(key for key in ledger.warnings if key != "since_boot_only")
        if self._interval_s is None:
            return replace(ledger, warnings=(*others, ONLY_BLOCK_SINCE_BOOT))
        interval = Assumption("interval_s", f"{self._interval_s:g}", "user")
        return replace(
            ledger,
            interval_s=self._interval_s,
            warnings=(*others, "only_block_measured"),
            assumptions=(*(other for other in ledger.assumptions if other.subject != interval.subject), interval),
        )


def _measured(batch: SampleBatch) -> SampleBatch:
    return replace(batch, since_boot=np.zeros_like(batch.since_boot))


class WholeReading:
    """One parser for all bytes."""

    def __init__(self, entry: ParserEntry, context: ParseContext) -> None:
        self._parser = entry.create(context)
        self._modified_ns = context.modified_ns
        self._first_blocks = FirstBlocks(context)
        self.segments: list[StreamSegment] = []

    def feed(self, piece: bytes) -> Iterator[SampleBatch]:
        yield from self._first_blocks.take(self._parser.feed(piece))

    def finish(self) -> Iterator[SampleBatch]:
        yield from self._first_blocks.take(self._parser.finish())
        yield from self._first_blocks.finish()

    def ledger(self) -> Ledger:
        return self._first_blocks.described(self._parser.ledger())

    def events(self) -> Sequence[CaptureEvent]:
        return self._parser.events()

    def take_records(self) -> Sequence[DatabaseRecord]:
        """Those complete since it was last asked."""
        return self._parser.take_records()

    def facts(self) -> list[FactsAt]:
        facts = self._parser.facts()
        return [FactsAt(self._modified_ns, facts)] if facts else []


@record(frozen=False)
class _Start:
    """One start of the command and the parser that reads it."""

    begin: Begin
    parser: GuardedParser
    line_shift: int
    torn_line: bytes = b""  # the last line so far, not yet ended


class FramedReading:
    """A parser for each start; our markers, the noise of the login and torn lines are accounted for apart.

    A start whose end marker never came, or whose tool was killed, may end in half a line. Half a number looks
    like a number, so such a line is never parsed.
    """

    def __init__(self, entry: ParserEntry, context: ParseContext, needs: Sequence[str]) -> None:
        self._entry = entry
        self._context = context
        self._needs = frozenset(needs)
        self._reader = FrameReader()
        self._start: _Start | None = None
        self._ledgers: list[Ledger] = []
        self._events: list[CaptureEvent] = []
        self._facts: list[FactsAt] = []
        self.segments: list[StreamSegment] = []
        self._lines = 0
        self._open_line = False
        self._noise: list[SkippedLines] = []
        self._supplied: set[str] = set()
        self._records: list[DatabaseRecord] = []

    def feed(self, piece: bytes) -> Iterator[SampleBatch]:
        self._lines += piece.count(b"\n")
        self._open_line = not piece.endswith(b"\n") if piece else self._open_line
        for frame in self._reader.feed(piece):
            yield from self._take(frame)

    def finish(self) -> Iterator[SampleBatch]:
        for frame in self._reader.finish():
            yield from self._take(frame)

    def _take(self, frame: Frame) -> Iterator[SampleBatch]:
        match frame:
            case Preamble():
                self._skip("preamble", frame.data, 1)
            case Begin():
                self._start = _Start(frame, self._entry.create(self._context_of(frame)), frame.first_line - 1)
            case Data():
                yield from self._data(frame.data)
            case End():
                yield from self._end(frame)
            case Over():
                pass

    def _context_of(self, begin: Begin) -> ParseContext:
        """The context with what the begin marker tells and the tool's output does not."""
        context = self._context
        changes: dict[str, object] = {}
        if context.zone_source == "engagement":
            zone = fixed_zone(begin)
            if zone is not None:
                changes |= {"zone": zone, "zone_source": "host"}
        if begin.began_ns is not None:
            began = datetime.fromtimestamp(begin.began_ns / 1e9, tz=UTC)
            if context.start is None:
                changes["start"] = began
            if context.date is None and "date" in self._needs and begin.local:
                changes["date"] = datetime.fromisoformat(begin.local[:19]).date()
            changes["modified_ns"] = begin.began_ns
        if context.interval_s is None and begin.interval_s is not None:
            changes["interval_s"] = begin.interval_s
        self._supplied |= changes.keys()
        return replace(context, **changes)  # type: ignore[arg-type]

    def _data(self, data: bytes) -> Iterator[SampleBatch]:
        start = self._start
        assert start is not None  # data come only between the markers of a start
        data = start.torn_line + data
        whole = data.rfind(b"\n") + 1
        start.torn_line = data[whole:]
        if whole:
            yield from self._shifted(start, start.parser.feed(data[:whole]))

    def _end(self, end: End) -> Iterator[SampleBatch]:
        start = self._start
        assert start is not None  # an end follows a begin
        self._start = None
        if start.torn_line:
            if end.torn or (end.exit_status or 0) > SIGNALLED:
                self._skip("torn_line", start.torn_line, 1)
            else:
                yield from self._shifted(start, start.parser.feed(start.torn_line))
        yield from self._shifted(start, start.parser.finish())
        self._ledgers.append(start.parser.ledger())
        self._events.extend(start.parser.events())
        if facts := start.parser.facts():
            self._facts.append(FactsAt(start.begin.began_ns or 0, facts))
        self.segments.append(segment_of(len(self.segments), start.begin, end))

    def _shifted(self, start: _Start, batches: Iterable[SampleBatch]) -> Iterator[SampleBatch]:
        for batch in batches:
            yield replace(batch, line_numbers=batch.line_numbers + np.int64(start.line_shift))
        self._records += (_shifted_record(record, start.line_shift) for record in start.parser.take_records())

    def _skip(self, reason: str, data: bytes, first_line: int) -> None:
        lines = [line for line in data.split(b"\n") if line.strip()]
        if lines:
            example = lines[0][:_EXAMPLE_LENGTH].decode("utf-8", "replace")
            self._noise.append(SkippedLines(reason, len(lines), first_line, example))

    def ledger(self) -> Ledger:
        return merged_ledger(self._ledgers, self._lines + self._open_line, self._noise, self._supplied)

    def events(self) -> Sequence[CaptureEvent]:
        return self._events

    def take_records(self) -> Sequence[DatabaseRecord]:
        """Those complete since it was last asked."""
        taken, self._records = self._records, []
        return taken

    def facts(self) -> list[FactsAt]:
        return self._facts


def _shifted_record(record: DatabaseRecord, line_shift: int) -> DatabaseRecord:
    """The same with lines of the whole capture instead of lines of one start."""
    tables = {
        name: replace(table, lines=np.where(table.lines > 0, table.lines + line_shift, 0))
        for name, table in record.tables.items()
    }
    return replace(record, tables=tables, first_line=record.first_line + line_shift)


def reading_of(
    entry: ParserEntry, context: ParseContext, head: bytes, needs: Sequence[str]
) -> WholeReading | FramedReading:
    """How the capture that begins with `head` is read; `needs` is what its output alone does not tell."""
    return FramedReading(entry, context, needs) if is_framed(head) else WholeReading(entry, context)


def payload_head(head: bytes) -> bytes:
    """What the tool itself wrote at the beginning of a capture."""
    if not is_framed(head):
        return head
    data: list[bytes] = []
    for frame in frames_of([head]):
        if isinstance(frame, Data):
            data.append(frame.data)
        elif isinstance(frame, End) and data:
            break
    return b"".join(data)


def fixed_zone(begin: Begin) -> ZoneInfo | None:
    """The zone that the begin marker's two times imply, where it is a whole number of hours from UTC."""
    if begin.began_ns is None or not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", begin.local):
        return None
    local = datetime.fromisoformat(begin.local[:19]).replace(tzinfo=UTC)
    hours = round((local.timestamp() - begin.began_ns / 1e9) / 900) / 4
    if hours != int(hours) or not -12 <= hours <= 14:
        return None
    return ZoneInfo("UTC" if hours == 0 else f"Etc/GMT{-int(hours):+d}")


def merged_ledger(ledgers: Sequence[Ledger], total: int, noise: Sequence[SkippedLines], supplied: set[str]) -> Ledger:
    """One account of all starts.

    Args:
        total: lines of the whole artefact; those of no parser and no `noise` are our markers, headings that is.
        supplied: context fields that came from the begin markers, not from the user.
    """
    first = ledgers[0] if ledgers else Ledger()
    skipped = _merged_skips([skip for ledger in ledgers for skip in ledger.skipped] + list(noise))
    data = sum(ledger.lines.data for ledger in ledgers)
    blank = sum(ledger.lines.blank for ledger in ledgers)
    left_out = sum(skip.count for skip in skipped)
    firsts = [ledger.first_ns for ledger in ledgers if ledger.first_ns is not None]
    lasts = [ledger.last_ns for ledger in ledgers if ledger.last_ns is not None]
    intervals = [ledger.interval_s for ledger in ledgers if ledger.interval_s is not None]
    return replace(
        first,
        first_ns=min(firsts, default=None),
        last_ns=max(lasts, default=None),
        interval_s=intervals[0] if intervals else None,
        series=max((ledger.series for ledger in ledgers), default=0),
        samples=sum(ledger.samples for ledger in ledgers),
        rows_lost=sum(ledger.rows_lost for ledger in ledgers),
        gaps=sum(ledger.gaps for ledger in ledgers),
        restarts=sum(ledger.restarts for ledger in ledgers),
        lines=LineCounts(total, data, total - data - blank - left_out, blank, left_out),
        skipped=skipped,
        assumptions=tuple(
            dict.fromkeys(
                replace(assumption, source="wrapper")
                if assumption.source == "user" and assumption.subject in supplied
                else assumption
                for assumption in first.assumptions
            )
        ),
        warnings=tuple(dict.fromkeys(key for ledger in ledgers for key in ledger.warnings)),
        needs=tuple(dict.fromkeys(key for ledger in ledgers for key in ledger.needs)),
    )


def _merged_skips(skips: Sequence[SkippedLines]) -> tuple[SkippedLines, ...]:
    by_reason: dict[str, SkippedLines] = {}
    for skip in skips:
        before = by_reason.get(skip.reason)
        by_reason[skip.reason] = replace(before, count=before.count + skip.count) if before else skip
    return tuple(by_reason.values())
