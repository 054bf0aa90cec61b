"""What the hosts of one session share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from app.capture.policy import CommandPolicy
from app.capture.settings import CaptureSettings
from app.capture.spool import Spool
from app.capture.suspend import SuspendWatch
from app.domain.capturing.plan import CapturePlan
from app.domain.connection import HostProfile
from app.transport.ssh.link import Asker, Connector


class Auditor(Protocol):
    """Adds a row to the audit trail; any thread."""

    def __call__(self, action: str, /, **facts: object) -> None: ...


@dataclass(slots=True)
class Window:
    """When the session captures, UTC nanoseconds of this machine."""

    started_ns: int
    planned_end_ns: int

    def is_open(self) -> bool:
        return time.time_ns() < self.planned_end_ns

    def has_begun(self) -> bool:
        return time.time_ns() >= self.started_ns


@dataclass(slots=True)
class SessionContext:
    session_id: int
    plan: CapturePlan
    settings: CaptureSettings
    spool: Spool
    policy: CommandPolicy
    audit: Auditor
    asker: Asker
    connector: Callable[[HostProfile], Connector]
    profiles: Sequence[HostProfile]
    window: Window
    suspends: SuspendWatch
    slots: threading.Semaphore
    resumed: bool = False


def iso(wall_ns: int) -> str:
    """ISO (UTC) with milliseconds."""
    return datetime.fromtimestamp(wall_ns / 1e9, UTC).isoformat(timespec="milliseconds")


def now_iso() -> str:
    return iso(time.time_ns())
