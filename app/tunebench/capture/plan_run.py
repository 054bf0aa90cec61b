"""One running of an approved plan, as a window or a terminal has it: streamed here, or left alone on its hosts."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import field
from pathlib import Path

from tunebench.capture.context import iso
from tunebench.capture.policy import CommandPolicy
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spooled import SessionFile, host_folders
from tunebench.core.records import record
from tunebench.domain.capturing.plan import Approval, CapturePlan
from tunebench.domain.capturing.run import CaptureMark, SessionState
from tunebench.domain.connection import HostProfile
from tunebench.store import plans
from tunebench.store.audit import trail as audit
from tunebench.store.locking import current_user
from tunebench.store.project import Project
from tunebench.transport.ssh.link import Connector, Prompter


@record
class RunOrder:
    """What is to be run, for which session, and by which connections.

    Attributes:
        folder: of the session; made where it is not there.
        profiles: of all hosts of the plan.
        connector: the SSH implementation for a profile.
        leave_out: commands of the plan that are not run this time.
    """

    project: Project
    session_id: int
    plan: CapturePlan
    approval: Approval
    folder: Path
    profiles: Sequence[HostProfile]
    connector: Callable[[HostProfile], Connector]
    prompter: Prompter
    settings: CaptureSettings = field(default_factory=CaptureSettings)
    label: str = ""
    leave_out: Collection[str] = ()


class PlanRun(ABC):
    """All methods may be called from any thread."""

    def __init__(self, order: RunOrder) -> None:
        project, plan, approval = order.project, order.plan, order.approval
        self.order = order
        self.project, self.session_id, self.plan = project, order.session_id, plan
        self.folder, self.label, self.settings = order.folder, order.label, order.settings
        self.policy = CommandPolicy(plan, approval, self._refused, lambda: plans.refuse_lacking(project, approval))
        self.closing = False
        self._state = SessionState.RUNNING
        self._lock = threading.Lock()
        self._marks: tuple[CaptureMark, ...] = ()
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="capture-watch", daemon=True)

    def wait(self, timeout_s: float) -> bool:
        """Whether the session has come to its end, stored and all."""
        return self._done.wait(timeout_s)

    def mark(self, text: str, author: str, time_ns: int | None = None) -> CaptureMark:
        """Words on a moment, this one where none is given."""
        mark = CaptureMark(time.time_ns() if time_ns is None else time_ns, text, author)
        with self._lock:
            self._marks = (*self._marks, mark)
        self._event("mark", time_ns=mark.time_ns, text=text, author=author)
        self.audit("capture_mark", time=iso(mark.time_ns), text=text, author=author)
        return mark

    def audit(self, action: str, /, **facts: object) -> None:
        """Into the audit trail, as of this session."""
        self._record(action, session_id=self.session_id, **facts)

    @abstractmethod
    def _watch(self) -> None:
        """On a thread of its own: until the hosts are done, and what then is to be done."""

    @abstractmethod
    def _event(self, name: str, **facts: object) -> None:
        """Into the session's journal, where it has one."""

    def _record(self, action: str, /, **facts: object) -> None:
        audit.record(self.project, action, **facts)

    def _refused(self, host: str, command: str) -> None:
        self._record("command_refused", host=host, command=command, digest=self.plan.digest)

    def _beginning(self, started_ns: int, planned_end_ns: int) -> SessionFile:
        order, folders = self.order, host_folders(self.plan)
        return SessionFile(
            order.session_id, order.label, order.plan, order.approval, started_ns, planned_end_ns, folders
        )

    def _audit_start(self, started_ns: int, planned_end_ns: int, *, resumed: bool) -> None:
        if resumed:
            self.audit("capture_resumed", label=self.label, spool=str(self.folder), by=current_user())
            return
        self.audit(
            "capture_started",
            label=self.label,
            digest=self.plan.digest,
            hosts=[host.name for host in self.plan.hosts],
            commands=len(self.plan.commands),
            planned_start=iso(started_ns),
            planned_end=iso(planned_end_ns),
        )

    def _join_watcher(self, timeout_s: float) -> None:
        if self._watcher.ident is not None and threading.current_thread() is not self._watcher:
            self._watcher.join(timeout_s)
