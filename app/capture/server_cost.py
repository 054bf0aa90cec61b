"""What a capture cost its server, out of the stored output of the house's own measurement there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.capture.frames import Begin, Data, End, FrameReader
from app.capture.house_commands import OverheadReading, read_overhead


@dataclass(frozen=True, slots=True)
class ServerCost:
    """What all our processes on a server used, and over how long; `processes` is the most that were there at a time.

    The sshd that carries the connection belongs to the system and is not among them.
    """

    cpu_s: float
    measured_s: float
    processes: int

    @property
    def cpu_pct(self) -> float:
        """Share of one core."""
        return 100.0 * self.cpu_s / self.measured_s


def server_cost(pieces: Iterable[bytes]) -> ServerCost | None:
    """Out of the output of ``house.overhead``, start by start; None where it was not measured twice in any."""
    reader, starts = FrameReader(), list[bytearray]()
    for piece in pieces:
        _gather(reader.feed(piece), starts)
    _gather(reader.finish(), starts)
    found = [one for start in starts if (one := added_up(read_overhead(bytes(start)))) is not None]
    if not found:
        return None
    return ServerCost(
        sum(one.cpu_s for one in found), sum(one.measured_s for one in found), max(one.processes for one in found)
    )


def _gather(frames: Iterable[object], starts: list[bytearray]) -> None:
    for frame in frames:
        if isinstance(frame, Begin):
            starts.append(bytearray())
        elif isinstance(frame, Data):
            starts[-1] += frame.data
        elif isinstance(frame, End) and frame.torn:  # its last line may be half a figure
            del starts[-1][starts[-1].rfind(b"\n") + 1 :]


def added_up(readings: Sequence[OverheadReading]) -> ServerCost | None:
    """Over the readings of one start; None where there are fewer than two. What a falling sum hides is not known."""
    measured_s = (readings[-1].moment_ns - readings[0].moment_ns) / 1e9 if readings else 0.0
    if measured_s <= 0:
        return None
    used_s = sum(max(later.cpu_s - earlier.cpu_s, 0.0) for earlier, later in pairwise(readings))
    return ServerCost(used_s, measured_s, max(reading.processes for reading in readings))
