"""A capture session: one approved plan, run once on all its hosts, until its planned end or until somebody stops it.

Everything that comes goes into the journals in the session's folder first (`capture.spooled` says what is there);
the project gets the audit trail while it runs, and the captures themselves at the end, from the journals, through the
callable that the session was given.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tunebench.capture.context import SessionContext, Window, iso, now_iso
from tunebench.capture.host_runner import HostRunner
from tunebench.capture.live import LiveTail, live_tail
from tunebench.capture.plan_run import PlanRun, RunOrder
from tunebench.capture.resuming import approved_beginning
from tunebench.capture.spool import Spool
from tunebench.capture.spooled import SESSION_FOLDER, SpooledSession, host_folders, read_session
from tunebench.capture.suspend import SuspendWatch
from tunebench.core.errors import UserError
from tunebench.core.whole_files import make_private_folder
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import SessionState, StreamState
from tunebench.domain.capturing.views import SessionView
from tunebench.plughost.host import PluginHost
from tunebench.store import sessions
from tunebench.store.locking import current_user

_WATCH_S = 0.2
_CLOSE_WITHIN_S = 15.0
_NS = 1_000_000_000
_log = logging.getLogger(__name__)

Store = Callable[[Path], object]
"""Puts what is in a session's folder into the project; called once, on a thread of the session."""


class CaptureSession(PlanRun):
    """A plan that is streamed here.

    Args:
        store: see `Store`; None leaves the journals where they are.
        starts_ns: when the window opens, UTC ns; None: now.
        duration_s: shorter than planned; None: as planned.
        resumed: what a session that was cut off left in the folder of `order`.
    """

    def __init__(
        self,
        order: RunOrder,
        plugins: PluginHost,
        *,
        store: Store | None = None,
        starts_ns: int | None = None,
        duration_s: float | None = None,
        resumed: SpooledSession | None = None,
    ) -> None:
        super().__init__(order)
        self._plugins = plugins
        self._store = store
        self._resumed = resumed
        self._message: UserError | None = None
        self._reason = "planned_end"
        self._marks = tuple(resumed.marks) if resumed else ()
        make_private_folder(order.folder)
        self._spool = Spool(order.folder, self.settings, self._fail)
        self._context = self._shared(self._window(starts_ns, duration_s))
        self._runners = self._host_runners()
        for runner in self._runners.values():
            runner.leave_out(order.leave_out)

    def _window(self, starts_ns: int | None, duration_s: float | None) -> Window:
        if self._resumed is not None:
            return Window(self._resumed.file.started_ns, self._resumed.file.planned_end_ns)
        started_ns = time.time_ns() if starts_ns is None else starts_ns
        seconds = self.plan.duration_s if duration_s is None else min(duration_s, self.plan.duration_s)
        return Window(started_ns, started_ns + round(seconds * _NS))

    def _shared(self, window: Window) -> SessionContext:
        return SessionContext(
            session_id=self.session_id,
            plan=self.plan,
            settings=self.settings,
            spool=self._spool,
            policy=self.policy,
            audit=self._record,
            prompter=self.order.prompter,
            connector=self.order.connector,
            profiles=self.order.profiles,
            window=window,
            suspends=SuspendWatch(self.settings.suspended_s),
            slots=threading.Semaphore(self.settings.connect_at_once),
            resumed=self._resumed is not None,
        )

    def _host_runners(self) -> dict[str, HostRunner]:
        by_name = {profile.name: profile for profile in self.order.profiles}
        folders = host_folders(self.plan)
        runners = {}
        for host in self.plan.hosts:
            if host.name not in by_name:
                raise UserError("capture_profile_missing", host=host.name)
            runners[host.name] = HostRunner(host, by_name[host.name], folders[host.name], self._context)
        return runners

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Returns at once; the hosts connect in the background.

        Raises:
            UserError: plan_not_approved; capture_write_failed, capture_disk_full.
        """
        if self.plan.digest != self.order.approval.digest:
            self._refused("", "")
            raise UserError("plan_not_approved", digest=self.plan.digest)
        window = self._context.window
        self._beginning(window.started_ns, window.planned_end_ns).write(self.folder)
        self._spool.start()
        self._put_down_start()
        for runner in self._runners.values():
            if self._resumed is not None:
                runner.take_over(self._resumed)
            runner.start()
        self._watcher.start()

    def _put_down_start(self) -> None:
        window, resumed = self._context.window, self._resumed is not None
        if resumed:
            self._event("resumed")
        else:
            self._event("begun", digest=self.plan.digest, planned_end=iso(window.planned_end_ns))
        self._audit_start(window.started_ns, window.planned_end_ns, resumed=resumed)
        if resumed:
            sessions.set_session_state(self.project, self.session_id, SessionState.RUNNING)

    @classmethod
    def resume(cls, order: RunOrder, plugins: PluginHost, *, store: Store | None = None) -> CaptureSession:
        """The session that was cut off in the folder of `order`, to be started again until its planned end.

        Its plan, approval and label are those it began with, whatever `order` says.

        Raises:
            UserError: as `approved_beginning` does; capture_already_finished.
        """
        file = approved_beginning(order.project, order.session_id, order.folder)
        left = read_session(order.folder, file.plan)
        left.file = file
        if left.finished:
            raise UserError("capture_already_finished", folder=str(order.folder))
        begun = replace(order, plan=file.plan, approval=file.approval, label=file.label)
        return cls(begun, plugins, store=store, resumed=left)

    def close(self) -> None:
        """Leaves at once, as if the program had died: what is there can be resumed or stored later."""
        self.closing = True
        for runner in self._runners.values():
            runner.close()
        self._join_watcher(_CLOSE_WITHIN_S)

    # -- what a person may do ----------------------------------------------------------------------

    def stop(self, host: str | None = None, stream: str | None = None, reason: str = "user") -> None:
        """Ends the capture, that of one host, or one stream, as a planned end would.

        Args:
            reason: of the end of all, for the audit trail.
        """
        if stream is not None:
            for runner in self._runners.values():
                runner.stop_stream(stream)
        elif host is not None:
            self._runners[host].stop()
        else:
            self._stop_all(reason)
        self._event("stopping", of_host=host or "", of_stream=stream or "")

    def retry(self, host: str) -> None:
        """Tries a host again that waits for a person, or for its next try."""
        self._runners[host].retry()

    def extend(self, seconds: float) -> None:
        """Moves the end, within what was approved.

        Raises:
            UserError: capture_extend_not_approved: a longer capture is another plan and needs another sheet.
        """
        window = self._context.window
        latest_ns = window.started_ns + round(self.plan.duration_s * _NS)
        wanted_ns = window.planned_end_ns + round(seconds * _NS)
        if wanted_ns > latest_ns:
            allowed = max(latest_ns - window.planned_end_ns, 0) // _NS
            raise UserError("capture_extend_not_approved", seconds=f"{seconds:g}", allowed=allowed)
        window.planned_end_ns = wanted_ns
        self._event("extended", planned_end_ns=wanted_ns)
        self.audit("capture_extended", seconds=seconds, planned_end=iso(wanted_ns), by=current_user())

    # -- what can be seen --------------------------------------------------------------------------

    def snapshot(self) -> SessionView:
        window, message = self._context.window, self._message
        return SessionView(
            self.session_id,
            self.label,
            self._state,
            window.started_ns,
            window.planned_end_ns,
            tuple(runner.view() for runner in self._runners.values()),
            self._marks,
            self._spool.free_bytes,
            message.key if message else "",
            message.facts if message else {},
        )

    def live(self, stream: str) -> LiveTail:
        """Watches one stream's values from now on, those of its last hour included; `close` it when done."""
        runs = (run for runner in self._runners.values() for run in runner.runs if run.id == stream)
        run = next(runs, None)
        if run is None:
            raise UserError("capture_stream_unknown", stream=stream)
        return live_tail(run, self.folder / run.folder, self._plugins, self.plan)

    # -- inside ------------------------------------------------------------------------------------

    def _stop_all(self, reason: str) -> None:
        self._reason = reason
        for runner in self._runners.values():
            runner.stop()

    def _fail(self, error: UserError) -> None:
        """The disk, or the project, takes no more: the capture ends, and says so."""
        if self._message is None:
            self._message = error
            _log.info("capture ends: %s", error.key)
            self._stop_all(error.key)

    def _record(self, action: str, /, **facts: object) -> None:
        try:
            super()._record(action, **facts)
        except UserError as error:
            self._fail(error)

    def _event(self, name: str, **facts: object) -> None:
        self._spool.event(SESSION_FOLDER, name, {"at": now_iso(), **facts})

    def _watch(self) -> None:
        while not all(runner.join(0.0) for runner in self._runners.values()):
            self._context.suspends.look()
            time.sleep(_WATCH_S if not self.closing else 0.05)
        try:
            self._end()
        finally:
            if self._state is SessionState.RUNNING:  # storing failed of a bug: the journals wait
                self._finish(SessionState.INTERRUPTED)
            self._done.set()

    def _end(self) -> None:
        if self.closing:
            self._spool.close()
            self._finish(SessionState.INTERRUPTED)
            return
        self.audit("capture_stopped", label=self.label, reason=self._reason, by=current_user())
        self._event("finished", reason=self._reason)
        self._spool.close()
        failed = self._spool.broken is not None or self._got_nothing()
        if not self._stored():
            self._finish(SessionState.INTERRUPTED)
        else:
            self._finish(SessionState.FAILED if failed else SessionState.FINISHED)

    def _got_nothing(self) -> bool:
        runs = [run for runner in self._runners.values() for run in runner.runs]
        asked = [run for run in runs if run.command.kind is not CommandKind.HOUSE]
        if not asked or any(run.state is not StreamState.FAILED for run in asked):
            return False
        self._message = self._message or UserError("capture_got_nothing")
        return True

    def _stored(self) -> bool:
        if self._store is None:
            return True
        try:
            self._store(self.folder)
        except UserError as error:
            self._message = self._message or error
            return False
        return True

    def _finish(self, state: SessionState) -> None:
        try:
            sessions.set_session_state(self.project, self.session_id, state, self._message.key if self._message else "")
        except UserError as error:
            self._message = self._message or error
        self._state = state
