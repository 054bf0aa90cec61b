"""What the journal and the audit trail are told of one host's capture."""

from __future__ import annotations

from dataclasses import asdict

from app.capture.context import SessionContext, iso
from app.capture.gaps import GapChange
from app.domain.capturing.run import CaptureGap


class HostTrail:
    """`folder`: the host's, below the session's."""

    def __init__(self, context: SessionContext, host: str, folder: str) -> None:
        self._context = context
        self._host = host
        self._folder = folder

    def event(self, name: str, /, stream: str = "", **facts: object) -> None:
        self._context.spool.event(self._folder, name, facts, stream)

    def gap_changed(self, gap: CaptureGap, change: GapChange) -> None:
        """Every change into the journal; a gap that is known whole into the audit trail as well."""
        facts = {name: value for name, value in asdict(gap).items() if name != "stream"}
        self.event(str(change), stream=gap.stream, **facts)
        if change is GapChange.CLOSED:
            self._context.audit(
                "capture_gap",
                session_id=self._context.session_id,
                host=self._host,
                stream=gap.stream,
                cause=str(gap.cause),
                start=iso(gap.start_ns),
                end=None if gap.end_ns is None else iso(gap.end_ns),
                evidence=gap.evidence,
            )
