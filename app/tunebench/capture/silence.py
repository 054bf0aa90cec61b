"""Streams that fall silent while their connection answers: the server stalls, which is itself a finding.

Lines that were only late (a lossy network) come in a burst and nothing is missing: then no gap is written.
"""

from __future__ import annotations

import time

from tunebench.capture.stream import Start, StreamRun
from tunebench.core.records import record

_SETTLED_S = 1.0
_ENOUGH = 0.5
"""Share of the expected lines that must have come for a silence to have been mere lateness."""


@record(frozen=False)
class _Silence:
    start: Start
    since_s: float
    lines_before: int
    rate_per_s: float
    resumed_s: float | None = None
    resumed_ns: int = 0


@record
class Resumed:
    """A silence is over. `missing` is False where all lines came late; `resumed_ns` is this machine's clock."""

    missing: bool
    resumed_ns: int


class SilenceWatch:
    """Belongs to the host's thread."""

    def __init__(self, intervals: float, shortest_s: float) -> None:
        self._intervals = intervals
        self._shortest_s = shortest_s
        self._silent: dict[str, _Silence] = {}

    def fell_silent(self, run: StreamRun) -> bool:
        """Whether the stream has just become suspect."""
        start, interval_s = run.current, run.command.interval_s
        if start is None or interval_s is None or run.id in self._silent:
            return False
        since_s = max(run.last_line_s or 0.0, start.started_s)
        if time.monotonic() - since_s <= max(self._intervals * interval_s, self._shortest_s):
            return False
        ran_s = since_s - start.started_s
        rate_per_s = start.lines / ran_s if ran_s > 0 else 0.0
        self._silent[run.id] = _Silence(start, since_s, start.lines, rate_per_s)
        return True

    def spoke_again(self, run: StreamRun) -> Resumed | None:
        """The end of the stream's silence, a moment after its first line."""
        silence = self._silent.get(run.id)
        if silence is None or silence.start.lines == silence.lines_before:
            return None
        now_s = time.monotonic()
        if silence.resumed_s is None:
            silence.resumed_s = run.last_line_s or now_s
            silence.resumed_ns = run.last_sample_ns or time.time_ns()
        if now_s - silence.resumed_s < _SETTLED_S:
            return None
        del self._silent[run.id]
        expected = silence.rate_per_s * (silence.resumed_s - silence.since_s)
        came = silence.start.lines - silence.lines_before
        return Resumed(bool(silence.rate_per_s) and came < _ENOUGH * expected, silence.resumed_ns)

    def forget(self, run: StreamRun) -> None:
        self._silent.pop(run.id, None)
