"""The stretches without samples, with their cause.

A gap is open from the moment it is noticed until samples come again; meanwhile more may be learnt of its cause (a
connection that was lost turns out to have been a reboot). Times are the server's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from tunebench.domain.capturing.run import CaptureGap, GapCause


class GapChange(StrEnum):
    OPENED = "gap_opened"
    CLOSED = "gap_closed"
    WITHDRAWN = "gap_withdrawn"


Notice = Callable[[CaptureGap, GapChange], None]
"""Hears of every change; a gap that is open may be opened again with a better cause."""


class GapBook:
    """The gaps of one host's streams; belongs to one thread, `counts` may be read from any."""

    def __init__(self, notice: Notice) -> None:
        self._notice = notice
        self._open: dict[str, CaptureGap] = {}
        self.closed: list[CaptureGap] = []
        self.counts = Counter[str]()

    def take_over(self, gaps: Iterable[CaptureGap]) -> None:
        """Gaps that a session which was cut off had closed: they count, and are told already."""
        self.counts.update(gap.stream for gap in gaps)

    def open(self, stream: str, start_ns: int, cause: GapCause, detected_at: str, evidence: str = "") -> None:
        """A stretch began. One that is open already keeps its start; mere silence is replaced by what explains it."""
        gap = self._open.get(stream)
        if gap is None:
            self.counts[stream] += 1
            self._set(CaptureGap(stream, start_ns, None, cause, detected_at, evidence))
        elif gap.cause is GapCause.SERVER_SILENT:
            self._set(replace(gap, cause=cause, evidence=_joined(gap.evidence, evidence)))

    def explain(self, streams: Iterable[str], cause: GapCause, evidence: str) -> None:
        """Gives the open gaps of these streams a cause that says more than theirs."""
        for stream in streams:
            gap = self._open.get(stream)
            if gap is not None and gap.cause is not cause:
                self._set(replace(gap, cause=cause, evidence=_joined(gap.evidence, evidence)))

    def close(self, stream: str, end_ns: int) -> CaptureGap | None:
        """The gap, which ends because samples come again; None where none was open."""
        gap = self._open.pop(stream, None)
        if gap is None:
            return None
        return self._put_away(replace(gap, end_ns=max(end_ns, gap.start_ns)))

    def withdraw(self, stream: str) -> None:
        """Takes back an open gap: nothing was missing after all."""
        gap = self._open.pop(stream, None)
        if gap is not None:
            self.counts[stream] -= 1
            self._notice(gap, GapChange.WITHDRAWN)

    def add(self, gap: CaptureGap) -> None:
        """A gap that is known whole (a seam, a stepped clock)."""
        self.counts[gap.stream] += 1
        self._put_away(gap)

    def finish(self) -> None:
        """Nothing more will come: what is open ends nowhere."""
        for gap in list(self._open.values()):
            self._put_away(gap)
        self._open.clear()

    def of(self, stream: str) -> CaptureGap | None:
        """The gap that is open."""
        return self._open.get(stream)

    def _set(self, gap: CaptureGap) -> None:
        self._open[gap.stream] = gap
        self._notice(gap, GapChange.OPENED)

    def _put_away(self, gap: CaptureGap) -> CaptureGap:
        self.closed.append(gap)
        self._notice(gap, GapChange.CLOSED)
        return gap


def _joined(first: str, second: str) -> str:
    return "; ".join(text for text in (first, second) if text)
