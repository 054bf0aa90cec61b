"""A watched stream's values while it runs: the bytes that are safe in the journal, through the command's own parser.

Nothing is parsed of streams that nobody watches, and nothing on the threads that receive: `LiveTail.read` does it, on
the thread of whoever wants to draw.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.capture.frames import Begin, Data, End, FrameReader
from tunebench.capture.journal import JournalKind, JournalRecord, journal_files, read_journal
from tunebench.capture.readings import fixed_zone
from tunebench.capture.spool import Spooled
from tunebench.capture.stream import StreamRun
from tunebench.core import records
from tunebench.core.errors import PluginError
from tunebench.domain.capturing.plan import CapturePlan, PlannedCommand
from tunebench.plughost.guard import GuardedParser
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.parsing import ParseContext

SAMPLES = 3600
"""Rows kept per table."""
_QUEUE_BYTES = 8 << 20
_GAP_INTERVALS = 2.5
_NS = 1_000_000_000


@records.record
class LiveTable:
    """The last rows of one table: times int64[n] (UTC ns, rising), values float64[n, m], NaN where nothing is known.

    A row of NaN stands wherever no line may be drawn: between two starts, and where samples are missing.
    """

    table: str
    series: tuple[SeriesKey, ...]
    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]


@records.record
class LiveView:
    """`version` grows with every row. `error_key` is below ``error.``: why there is nothing to see."""

    version: int
    tables: tuple[LiveTable, ...]
    error_key: str = ""


class TableRing:
    """Rows of one table; columns appear as the capture names them."""

    def __init__(self, table: str, capacity: int) -> None:
        self.table = table
        self._capacity = capacity
        self._columns: dict[SeriesKey, int] = {}
        self._times = np.empty(2 * capacity, np.int64)
        self._values = np.empty((2 * capacity, 0), np.float64)
        self._rows = 0

    def append(self, batch: SampleBatch, longest_ns: int) -> int:
        """Takes the rows of a batch in but for averages since boot; a longer step than `longest_ns` is a gap."""
        columns = self._columns_of(batch.series)
        taken = 0
        for row in range(len(batch.times_ns)):
            if not batch.since_boot[row]:
                self._add(int(batch.times_ns[row]), columns, batch.values[row], longest_ns)
                taken += 1
        return taken

    def _add(self, time_ns: int, columns: NDArray[np.intp], values: NDArray[np.float64], longest_ns: int) -> None:
        if self._rows:
            last_ns = int(self._times[self._rows - 1])
            if time_ns == last_ns:  # another device of the same moment
                self._values[self._rows - 1, columns] = values
                return
            if time_ns < last_ns:  # the clock was set back: what is drawn stays in order
                return
            if time_ns - last_ns > longest_ns:
                self.break_line()
        self._new_row(time_ns)
        self._values[self._rows - 1, columns] = values

    def break_line(self) -> None:
        if self._rows and not np.isnan(self._values[self._rows - 1]).all():
            self._new_row(int(self._times[self._rows - 1]) + 1)

    def _new_row(self, time_ns: int) -> None:
        if self._rows == len(self._times):
            keep = slice(self._rows - self._capacity, self._rows)
            self._times[: self._capacity] = self._times[keep].copy()
            self._values[: self._capacity] = self._values[keep].copy()
            self._rows = self._capacity
        self._times[self._rows] = time_ns
        self._values[self._rows] = np.nan
        self._rows += 1

    def _columns_of(self, series: tuple[SeriesKey, ...]) -> NDArray[np.intp]:
        new = [key for key in series if key not in self._columns]
        if new:
            for key in new:
                self._columns[key] = len(self._columns)
            wider = np.full((len(self._times), len(self._columns)), np.nan)
            wider[:, : self._values.shape[1]] = self._values
            self._values = wider
        return np.array([self._columns[key] for key in series], np.intp)

    def view(self) -> LiveTable:
        rows = slice(max(self._rows - self._capacity, 0), self._rows)
        return LiveTable(self.table, tuple(self._columns), self._times[rows].copy(), self._values[rows].copy())


class LiveReader:
    """Bytes of a stream -> rows."""

    def __init__(self, entry: ParserEntry, command: PlannedCommand, plan: CapturePlan, capacity: int = SAMPLES) -> None:
        self._entry = entry
        self._command = command
        self._zone = ZoneInfo(plan.zone)
        self._capacity = capacity
        self._longest_ns = round(_GAP_INTERVALS * (command.interval_s or plan.interval_s) * _NS)
        self._frames = FrameReader(plan.nonce, eager=True)
        self._parser: GuardedParser | None = None
        self._rest = b""  # of a line that is not whole yet
        self.rings: dict[str, TableRing] = {}
        self.version = 0

    def feed(self, data: bytes) -> None:
        """Raises PluginError where the parser fails."""
        for frame in self._frames.feed(data):
            if isinstance(frame, Begin):
                self._begin(frame)
            elif isinstance(frame, Data) and self._parser is not None:
                whole, newline, self._rest = (self._rest + frame.data).rpartition(b"\n")
                self._take(self._parser.feed(whole + newline))
                self._parser.take_records()  # charts show none, and they must not pile up
            elif isinstance(frame, End) and self._parser is not None:
                self._take(self._parser.finish())  # half a line is never read: half a number looks like a number
                self._parser = None

    def _begin(self, begin: Begin) -> None:
        self._parser = self._entry.create(self._context(begin))
        self._rest = b""
        for ring in self.rings.values():
            ring.break_line()

    def _context(self, begin: Begin) -> ParseContext:
        zone = fixed_zone(begin)
        return ParseContext(
            file_name=self._command.id,
            modified_ns=begin.began_ns or 0,
            zone=zone or self._zone,
            zone_source="host" if zone else "engagement",
            start=None if begin.began_ns is None else datetime.fromtimestamp(begin.began_ns / 1e9, UTC),
            date=datetime.fromisoformat(begin.local[:10]).date() if begin.local else None,
            interval_s=begin.interval_s,
        )

    def _take(self, batches: Iterable[SampleBatch]) -> None:
        for batch in batches:
            ring = self.rings.get(batch.table)
            if ring is None:
                ring = self.rings[batch.table] = TableRing(batch.table, self._capacity)
            self.version += ring.append(batch, self._longest_ns)


class LiveTail:
    """Follows one stream; `read` may be called from any thread, one at a time."""

    def __init__(self, run: StreamRun, journal: Path, make: Callable[[], LiveReader] | None, span_s: float) -> None:
        self._run = run
        self._journal = journal
        self._make = make
        self._span_s = span_s
        self._reader: LiveReader | None = None
        self._error_key = "" if make else "capture_no_reader"
        self._lock = threading.Lock()
        self._queue: deque[Spooled] = deque()
        self._queued_bytes = 0
        self._overrun = True  # nothing was read yet: the journal comes first
        if make is not None:
            run.listeners = (*run.listeners, self._heard)

    def read(self) -> LiveView:
        """What there is to see by now."""
        if self._make is not None and not self._error_key:
            try:
                self._catch_up(self._make)
            except PluginError:
                self._error_key = "capture_reader_failed"
                self.close()
        reader = self._reader
        if reader is None:
            return LiveView(0, (), self._error_key)
        return LiveView(reader.version, tuple(ring.view() for ring in reader.rings.values()), self._error_key)

    def close(self) -> None:
        """Ends the watching."""
        self._run.listeners = tuple(listener for listener in self._run.listeners if listener != self._heard)
        self._drop()

    def _heard(self, record: Spooled) -> None:
        """On the spool's thread: only put aside."""
        with self._lock:
            if self._overrun:
                return
            self._queue.append(record)
            self._queued_bytes += len(record.payload)
        if self._queued_bytes > _QUEUE_BYTES:  # nobody reads: the journal has it all
            self._drop()

    def _drop(self) -> None:
        with self._lock:
            self._queue.clear()
            self._queued_bytes = 0
            self._overrun = True

    def _catch_up(self, make: Callable[[], LiveReader]) -> None:
        last: tuple[int, int] | None = None
        if self._overrun or self._reader is None:
            with self._lock:
                self._overrun = False
            self._reader = make()
            for record in _tail(self._journal, self._run.id, time.time_ns() - round(self._span_s * _NS)):
                self._reader.feed(record.payload)
                last = (record.wall_ns, record.steady_ns)
        for piece in self._taken(last):
            self._reader.feed(piece.payload)

    def _taken(self, last: tuple[int, int] | None) -> list[Spooled]:
        """The queued pieces, without those that the journal gave already."""
        with self._lock:
            pieces = list(self._queue)
            self._queue.clear()
            self._queued_bytes = 0
        given = [at for at, piece in enumerate(pieces) if (piece.wall_ns, piece.steady_ns) == last]
        return pieces[given[-1] + 1 :] if given else pieces


def live_tail(run: StreamRun, journal: Path, plugins: PluginHost, plan: CapturePlan) -> LiveTail:
    """Begins to watch a stream; what its journal has of the last hour comes first."""
    entry = plugins.parser(run.command.parser) if run.command.parser else None
    span_s = SAMPLES * (run.command.interval_s or plan.interval_s)
    make = None if entry is None else partial(LiveReader, entry, run.command, plan)
    return LiveTail(run, journal, make, span_s)


def _tail(journal: Path, stream: str, since_ns: int) -> Iterator[JournalRecord]:
    """The stream's bytes from the last start before `since_ns` on."""
    first_file, skip_before = _start_before(journal, stream, since_ns)
    for number, record in enumerate(read_journal(journal, first_file)):
        if number >= skip_before and record.kind is JournalKind.DATA and record.stream == stream:
            yield record


def _start_before(journal: Path, stream: str, since_ns: int) -> tuple[int, int]:
    """File of the last start that is old enough, and its position there; the beginning where none is."""
    for file in reversed(journal_files(journal)):
        position = None
        for number, record in enumerate(read_journal(journal, file)):
            if record.file != file or record.wall_ns > since_ns:
                break
            if _is_start(record, stream):
                position = number
        if position is not None:
            return file, position
    return 0, 0


def _is_start(record: JournalRecord, stream: str) -> bool:
    return record.stream == stream and record.kind is JournalKind.EVENT and record.event["event"] == "command_started"
