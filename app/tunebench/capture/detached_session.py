"""A capture that runs on its hosts without us, as a session: started, left alone, fetched, removed.

For lines that drop and hosts that ask for a code at every login. It looks like any other session from outside; its
streams just show nothing until they are fetched. TuneBench may be closed meanwhile: the session is then offered like
one that was interrupted, and fetching it is going on with it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Never

from tunebench.capture.backoff import Backoff
from tunebench.capture.collected import NOTE_INCOMPLETE
from tunebench.capture.connection_trail import put_down_connection
from tunebench.capture.detached import DetachedRun, DetachedState
from tunebench.capture.plan_run import PlanRun, RunOrder
from tunebench.capture.resuming import approved_beginning
from tunebench.capture.spooled import SESSION_FILE, SessionFile
from tunebench.core.errors import UserError
from tunebench.core.messages import system_language
from tunebench.core.whole_files import make_private_folder
from tunebench.domain.capturing.plan import CommandKind, PlannedHost
from tunebench.domain.capturing.run import HostState, SessionState, StreamState
from tunebench.domain.capturing.views import HostView, SessionView, StreamView
from tunebench.domain.connection import HostProfile
from tunebench.store import sessions
from tunebench.transport.ssh.link import Link, LinkError, Unwatched
from tunebench.transport.ssh.resolve import resolve

STARTED_FILE, STORED_FILE = "started", "stored"
"""In a host's folder: the script was started there; what it captured is in the project (``whole`` or ``cut off``)."""

_LOOK_S = 15.0
_GRACE_S = 8.0
"""The script ends its tools and writes its manifest after the planned end."""
_log = logging.getLogger(__name__)
Store = Callable[[str, Path, DetachedState], object]
"""Puts one host's fetched folder into the project; without a manifest where the script did not come to its end."""


class FolderGone(UserError):
    """The server removed what was captured there, as many do when they start: nobody can fetch it any more."""


class _Host:
    """What a thread of its own does with one host."""

    def __init__(self, session: DetachedCapture, host: PlannedHost, profile: HostProfile, folder: Path) -> None:
        self.host = host
        self.folder = folder
        self.state = HostState.IDLE
        self.reason_key = ""
        self.facts: Mapping[str, object] = {}
        self.next_try_s: float | None = None
        self.needs_person = False
        self.stopping = self.retrying = False
        self.gone = False
        self._over = 0  # trials that are over, in their order
        self._session = session
        self._profile = profile
        self.thread = threading.Thread(target=self._run, name=f"detached-{host.name}", daemon=True)

    @property
    def started(self) -> bool:
        return (self.folder / STARTED_FILE).is_file()

    @property
    def stored(self) -> str:
        """``whole``, ``cut off``, or empty where it is still to be fetched."""
        path = self.folder / STORED_FILE
        return path.read_text().strip() if path.is_file() else ""

    def _run(self) -> None:
        backoff = Backoff(self._session.settings.backoff_s)
        for work in (self._start, self._await_end, self._fetch):
            while not self._session.closing and not self._attempt(work):
                if self.gone or not self._wait(backoff.next_s()):
                    return
            backoff.reset()

    def _attempt(self, work: Callable[[], None]) -> bool:
        self.next_try_s, self.retrying = None, False
        try:
            work()
        except LinkError as error:
            self._fail(f"ssh.{error.key}", {"host": self.host.name, **error.facts}, error.final)
            return False
        except UserError as error:
            self.gone = isinstance(error, FolderGone)
            self._fail(error.key, error.facts, final=True)
            return False
        self.reason_key, self.facts = "", {}
        return True

    def _fail(self, key: str, facts: Mapping[str, object], final: bool) -> None:
        self.reason_key, self.facts, self.needs_person = key, facts, final
        self.state = HostState.REFUSED if final else HostState.WAITING

    def _wait(self, seconds: float) -> bool:
        """Waits until the next try, for ever where a person is needed; False where there shall be none."""
        self.next_try_s = None if self.needs_person else time.monotonic() + seconds
        while not self._session.closing and not self.retrying:
            if self.next_try_s is not None and time.monotonic() >= self.next_try_s:
                break
            if self.needs_person and self.stopping:
                return False
            time.sleep(self._session.settings.tick_s)
        self.needs_person = False
        return not self._session.closing

    def _start(self) -> None:
        """Raises LinkError, UserError."""
        if self.started:
            return
        with self._linked() as run:
            status = run.find() if self._session.resumed else None
            status = status or run.start(system_language(), self._session.order.leave_out)
        make_private_folder(self.folder)
        (self.folder / STARTED_FILE).write_text(f"{status.pid or ''}\n")
        self._session.audit("detached_started", host=self.host.name, folder=run.folder, pid=status.pid)

    def _await_end(self) -> None:
        """Waits until the planned end; trials may be over long before, and are looked after."""
        trials = [command.id for command in self._session.plan.on(self.host.name) if command.kind is CommandKind.TRIAL]
        if not (trials and self._session.resumed):  # of what runs already, how far it is
            self.state, look_s = HostState.CAPTURING, time.monotonic() + _LOOK_S
        else:
            look_s = time.monotonic()
        while not self._session.closing and not self.stopping and time.time_ns() < self._session.fetch_from_ns:
            if trials and time.monotonic() >= look_s:
                with self._linked() as run:
                    status = run.status()
                if status.state is not DetachedState.RUNNING:
                    self._over = len(trials)
                    return
                if status.last_over in trials:  # what the server says it is
                    self._over = trials.index(status.last_over) + 1
                self.state, look_s = HostState.CAPTURING, time.monotonic() + _LOOK_S
            time.sleep(self._session.settings.tick_s)

    def _fetch(self) -> None:
        """Raises LinkError, UserError."""
        if self._session.closing:
            return
        with self._linked() as run:
            self.state = HostState.DRAINING
            if not self.stored:
                self._bring(run)
            if run.clear():
                self._session.audit("detached_removed", host=self.host.name, folder=run.folder)
        self.state = HostState.DONE

    def _bring(self, run: DetachedRun) -> None:
        """Fetched, verified and stored; raises as `_fetch` does."""
        self._let_end(run)
        pulled = run.pull(self.folder / "files")
        if pulled.status.state is DetachedState.ABSENT:
            raise FolderGone("detached_folder_gone", host=self.host.name, folder=run.folder)
        size_bytes = sum(file.size_bytes for file in pulled.files)
        self._session.audit(
            "detached_pulled", host=self.host.name, folder=run.folder, files=len(pulled.files), bytes=size_bytes
        )
        if pulled.missing:
            raise UserError("detached_incomplete", host=self.host.name, files=", ".join(pulled.missing))
        self.state = HostState.VERIFYING
        self._session.store(self.host.name, self.folder / "files", pulled.status.state)
        (self.folder / STORED_FILE).write_text("whole\n" if pulled.whole else "cut off\n")

    def _let_end(self, run: DetachedRun) -> None:
        """The script comes to its end by itself; where it was asked to stop, or takes too long, it is told to."""
        until_s = time.monotonic() + self._session.settings.drain_s
        stopped = False
        while run.status().state is DetachedState.RUNNING and time.monotonic() < until_s:
            if self.stopping and not stopped:
                run.stop()
                stopped = True
            time.sleep(self._session.settings.tick_s)
        if run.status().state is DetachedState.RUNNING and not stopped:
            run.stop()
            time.sleep(_GRACE_S)

    @contextmanager
    def _linked(self) -> Iterator[DetachedRun]:
        """A connection for one errand, closed at its end."""
        self.state = HostState.CONNECTING
        session, name = self._session, self.host.name
        link = session.connect(self.host, self._profile)
        try:
            yield DetachedRun(link, session.plan, name, permit=lambda line: session.policy.permit(line, name))
        finally:
            link.close()

    def view(self) -> HostView:
        next_try_s = self.next_try_s
        return HostView(
            self.host.name,
            self.state,
            self.reason_key,
            self.facts,
            None if next_try_s is None else max(next_try_s - time.monotonic(), 0.0),
            self.needs_person,
            None,
            None,
            None,
            tuple(self._streams()),
        )

    def _streams(self) -> list[StreamView]:
        state = {HostState.DONE: StreamState.VERIFIED, HostState.CAPTURING: StreamState.CAPTURING}.get(
            self.state, StreamState.WAITING if self.started else StreamState.PLANNED
        )
        shown = [one for one in self._session.plan.on(self.host.name) if one.kind is not CommandKind.HOUSE]
        trials = [one.id for one in shown if one.kind is CommandKind.TRIAL] if self.state is not HostState.DONE else []
        states = dict.fromkeys(trials[: self._over], StreamState.ENDED)
        states |= dict.fromkeys(trials[self._over + 1 :], StreamState.WAITING if self.started else StreamState.PLANNED)
        return [StreamView(one.id, one.probe, states.get(one.id, state), 0, 0, None, "", 0, None) for one in shown]


class DetachedCapture(PlanRun):
    """A plan that runs on its hosts by itself; has the methods of `CaptureSession` that a window or a terminal uses.

    Args:
        order: what an earlier run of TuneBench began in its folder goes on.

    Raises:
        UserError: as `approved_beginning` does, where it goes on.
    """

    def __init__(self, order: RunOrder, store: Store) -> None:
        super().__init__(order)
        self.resumed = (order.folder / SESSION_FILE).is_file()
        self.store = store
        self._file = self._session_file()
        by_name = {profile.name: profile for profile in order.profiles}
        self._hosts = [
            _Host(self, host, by_name[host.name], order.folder / self._file.folders[host.name])
            for host in order.plan.hosts
        ]

    def _session_file(self) -> SessionFile:
        if self.resumed:
            return approved_beginning(self.project, self.session_id, self.folder)
        now_ns = time.time_ns()
        return self._beginning(now_ns, now_ns + round(self.plan.duration_s * 1e9))

    @property
    def fetch_from_ns(self) -> int:
        """When the scripts are over, UTC ns of this machine."""
        return self._file.planned_end_ns + round(_GRACE_S * 1e9)

    # -- life

    def start(self) -> None:
        """Returns at once.

        Raises:
            UserError: the folder cannot be written.
        """
        self._file.write(self.folder)
        self._audit_start(self._file.started_ns, self._file.planned_end_ns, resumed=self.resumed)
        for host in self._hosts:
            host.thread.start()
        self._watcher.start()

    def close(self) -> None:
        """Leaves at once; what runs on the hosts goes on and is fetched later."""
        self.closing = True
        for host in self._hosts:
            host.thread.join(self.settings.drain_s)
        self._join_watcher(self.settings.drain_s)

    # -- what a person may do

    def stop(self, host: str | None = None, stream: str | None = None, reason: str = "user") -> None:
        """Ends the capture on the hosts and fetches it now.

        Raises:
            UserError: ``detached_whole_only``: one stream cannot be stopped apart.
        """
        if stream is not None:
            raise UserError("detached_whole_only")
        for one in self._hosts:
            if host in (None, one.host.name):
                one.stopping = True

    def retry(self, host: str) -> None:
        for one in self._hosts:
            if one.host.name == host:
                one.retrying = True

    def extend(self, seconds: float) -> Never:
        """Raises UserError: the script on the host has its end in it."""
        raise UserError("capture_extend_not_approved", seconds=f"{seconds:g}", allowed=0)

    def live(self, stream: str) -> Never:
        """Raises UserError: nothing is seen before it is fetched."""
        raise UserError("detached_without_live", stream=stream)

    # -- what can be seen

    def snapshot(self) -> SessionView:
        return SessionView(
            self.session_id,
            self.label,
            self._state,
            self._file.started_ns,
            self._file.planned_end_ns,
            tuple(host.view() for host in self._hosts),
            self._marks,
            None,
        )

    # -- for the hosts

    def connect(self, host: PlannedHost, profile: HostProfile) -> Link:
        """Raises LinkError."""
        resolved = resolve(replace(profile, os=host.os), self.order.profiles)
        link = self.order.connector(profile).connect(resolved, self.order.prompter, Unwatched(), self.settings.link)
        put_down_connection(self._record, host.name, host, link.facts)
        return link

    def _event(self, name: str, **facts: object) -> None:
        """There is none: what was captured lies on the hosts."""

    def _outcome(self) -> SessionState:
        """One that is not fetched everywhere, though it could be, is gone on with later."""
        if not all(host.stored or host.gone for host in self._hosts):
            return SessionState.INTERRUPTED
        return SessionState.FINISHED if all(host.stored == "whole" for host in self._hosts) else SessionState.FAILED

    def _watch(self) -> None:
        for host in self._hosts:
            host.thread.join()
        self._state = self._outcome()
        try:
            note = NOTE_INCOMPLETE if self._state is SessionState.FAILED else ""
            sessions.set_session_state(self.project, self.session_id, self._state, note)
        except UserError as error:
            _log.warning("the session's state was not kept: %s", error)
        self._done.set()
