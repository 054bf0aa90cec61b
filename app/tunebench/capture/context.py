"""What the hosts of one session share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Protocol

from tunebench.capture.gaps import GapChange
from tunebench.capture.policy import CommandPolicy
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spool import Spool
from tunebench.capture.stream import Start
from tunebench.capture.suspend import SuspendWatch
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, PlannedCommand
from tunebench.domain.capturing.run import CaptureGap
from tunebench.domain.connection import HostProfile
from tunebench.transport.ssh.link import Connector, Prompter


class Auditor(Protocol):
    """Adds a row to the audit trail; any thread."""

    def __call__(self, action: str, /, **facts: object) -> None: ...


@record(frozen=False)
class Window:
    """When the session captures, UTC nanoseconds of this machine."""

    started_ns: int
    planned_end_ns: int

    def is_open(self) -> bool:
        return time.time_ns() < self.planned_end_ns

    def has_begun(self) -> bool:
        return time.time_ns() >= self.started_ns


@record(frozen=False)
class SessionContext:
    session_id: int
    plan: CapturePlan
    settings: CaptureSettings
    spool: Spool
    policy: CommandPolicy
    audit: Auditor
    prompter: Prompter
    connector: Callable[[HostProfile], Connector]
    profiles: Sequence[HostProfile]
    window: Window
    suspends: SuspendWatch
    slots: threading.Semaphore
    resumed: bool = False


def put_down_command(context: SessionContext, host: str, command: PlannedCommand) -> None:
    """What is about to be sent, in the audit trail.

    Raises:
        CommandRefused: the approved plan has no such line.
    """
    context.policy.permit(command.verbatim, host)
    context.audit(
        "capture_command",
        session_id=context.session_id,
        host=host,
        command_id=command.id,
        pid=None,
        tool_line=command.tool_line,
        verbatim=command.verbatim,
    )


def put_down_end(context: SessionContext, start: Start) -> None:
    """How a start of a command ended, in the audit trail."""
    context.audit(
        "capture_command_ended",
        session_id=context.session_id,
        host=start.run.command.host,
        command_id=start.run.id,
        pid=start.pid,
        exit_status=start.run.exit_status,
        bytes=start.bytes,
        cpu_s=start.cpu_s,
    )


def iso(wall_ns: int) -> str:
    """ISO (UTC) with milliseconds."""
    return datetime.fromtimestamp(wall_ns / 1e9, UTC).isoformat(timespec="milliseconds")


def now_iso() -> str:
    return iso(time.time_ns())


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
