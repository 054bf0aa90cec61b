"""What a capture costs its server, out of the output of the measurement there: while it comes, and once stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tunebench.capture.frames import STAMP, Begin, Data, End, Frame, FrameReader
from tunebench.capture.house_commands import OVERHEAD_PROBE, OverheadReading, read_overhead
from tunebench.capture.spool import Spooled
from tunebench.capture.stream import StreamRun
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.capturing.run import ServerCost, StreamRecord
from tunebench.store.artefacts import read_artefact
from tunebench.store.project import Project


class CostReader:
    """Adds up ``house.overhead`` from round to round, start by start; takes its output in pieces of any size.

    A sum that falls hides what was used meanwhile (see `OverheadReading`): of the processor time only rises count, of
    the clock's time all of it. What lies between two starts is nobody's.

    Args:
        eager: for live use, see `FrameReader`.
    """

    def __init__(self, *, eager: bool = False) -> None:
        self._frames = FrameReader(eager=eager)
        self._rest = b""  # the round that is still coming
        self._last: OverheadReading | None = None
        self._cost: ServerCost | None = None

    def feed(self, piece: bytes) -> None:
        self._take(self._frames.feed(piece))

    def finish(self) -> None:
        self._take(self._frames.finish())

    @property
    def cost(self) -> ServerCost | None:
        """The cost so far; None where no start had two rounds."""
        return _grown(self._cost, self._last, self._open_round())

    def _take(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            if isinstance(frame, Begin):
                self._last = None
            elif isinstance(frame, Data):
                self._hear(frame.data)
            elif isinstance(frame, End):
                self._end(frame.torn)

    def _hear(self, data: bytes) -> None:
        whole, stamp, rest = (self._rest + data).rpartition(STAMP)
        self._rest = stamp + rest
        for reading in read_overhead(whole):
            self._count(reading)

    def _end(self, torn: bool) -> None:
        last = self._open_round() if torn else next(iter(read_overhead(self._rest)), None)
        if last is not None:
            self._count(last)
        self._rest = b""

    def _count(self, reading: OverheadReading) -> None:
        self._cost = _grown(self._cost, self._last, reading)
        self._last = reading

    def _open_round(self) -> OverheadReading | None:
        """What came of a round, in whole lines; None where that is less than the one before: more may be on its way."""
        lines = self._rest[: self._rest.rfind(b"\n") + 1]
        reading = next(iter(read_overhead(lines)), None)
        if reading is None or self._last is None or not reading.processes:
            return None
        return reading if reading.cpu_s >= self._last.cpu_s else None


def _grown(
    cost: ServerCost | None, earlier: OverheadReading | None, later: OverheadReading | None
) -> ServerCost | None:
    """The cost, increased by what lies between two rounds of one start."""
    if earlier is None or later is None or later.moment_ns <= earlier.moment_ns:
        return cost
    before = cost or ServerCost(0.0, 0.0, 0)
    return ServerCost(
        before.cpu_s + max(later.cpu_s - earlier.cpu_s, 0.0),
        before.measured_s + (later.moment_ns - earlier.moment_ns) / 1e9,
        max(before.processes, earlier.processes, later.processes),
    )


def stored_costs(
    project: Project, plan: CapturePlan, streams: Iterable[StreamRecord]
) -> Iterator[tuple[str, ServerCost]]:
    """Host and cost, out of what the measurements among `streams` left in the project."""
    hosts = {command.id: command.host for command in plan.commands if command.probe == OVERHEAD_PROBE}
    for stream in streams:
        if stream.command_id in hosts and stream.artefact_id is not None:
            cost = server_cost(read_artefact(project, stream.artefact_id))
            if cost is not None:
                yield hosts[stream.command_id], cost


def server_cost(pieces: Iterable[bytes]) -> ServerCost | None:
    """Out of the whole stored output; None where it was not measured twice in any start."""
    reader = CostReader()
    for piece in pieces:
        reader.feed(piece)
    reader.finish()
    return reader.cost


class OverheadMeter:
    """Hears the measurement among `runs`; a session that is resumed is heard from there on.

    Attributes:
        share_pct: processor time of our processes there, percent of one core, over all starts; None until one of them
            has two rounds.
    """

    def __init__(self, runs: Iterable[StreamRun]) -> None:
        self.share_pct: float | None = None
        self._reader = CostReader(eager=True)
        for run in runs:
            if run.command.probe == OVERHEAD_PROBE:
                run.listeners = (*run.listeners, self.hear)

    def hear(self, record: Spooled) -> None:
        """On the spool's thread."""
        self._reader.feed(record.payload)
        cost = self._reader.cost
        if cost is not None:
            self.share_pct = cost.cpu_pct
