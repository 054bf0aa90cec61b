"""What our commands use on a server while they run, added up as it will be once it is stored."""

from __future__ import annotations

from collections.abc import Iterable

from app.capture.house_commands import OVERHEAD_PROBE
from app.capture.server_cost import CostReader
from app.capture.spool import Spooled
from app.capture.stream import StreamRun


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
