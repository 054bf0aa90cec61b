"""What our commands use on a server while they run, from what the house's own measurement there prints."""

from __future__ import annotations

from collections.abc import Iterable

from app.capture.frames import STAMP
from app.capture.house_commands import OVERHEAD_PROBE, OverheadReading, read_overhead
from app.capture.spool import Spooled
from app.capture.stream import StreamRun


class OverheadMeter:
    """Hears the measurement among `runs`; what came of a round counts as it comes, until it is whole.

    Attributes:
        share_pct: processor time of our processes there, percent of one core, since the streams began; None until
            there are two rounds.
    """

    def __init__(self, runs: Iterable[StreamRun]) -> None:
        self.share_pct: float | None = None
        self._rest = b""
        self._first: OverheadReading | None = None
        self._last: OverheadReading | None = None
        for run in runs:
            if run.command.probe == OVERHEAD_PROBE:
                run.listeners = (*run.listeners, self.hear)

    def hear(self, record: Spooled) -> None:
        """On the spool's thread."""
        whole, stamp, rest = (self._rest + record.payload).rpartition(STAMP)
        self._rest = stamp + rest
        for reading in read_overhead(whole):
            if self._first is None or self._last is None or reading.cpu_s < self._last.cpu_s:  # begun anew
                self._first = reading
            self._last = reading
        newest = read_overhead(self._rest) if self._rest.endswith(b"\n") else []
        self._show(newest[0] if newest and newest[0].processes else self._last)

    def _show(self, reading: OverheadReading | None) -> None:
        if self._first is None or reading is None or reading.cpu_s < self._first.cpu_s:
            return
        span_s = (reading.moment_ns - self._first.moment_ns) / 1e9
        if span_s > 0:
            self.share_pct = 100 * (reading.cpu_s - self._first.cpu_s) / span_s
