"""The captures that this window runs: begun, watched, stopped, taken up again after an interruption.

Sessions work on threads of their own. The controller looks at them four times a second on the main thread and keeps the
pictures; nothing here waits for a server, for the disk or for a person.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import SessionState
from tunebench.ui.capturing.unfinished_sessions import UnfinishedSessions
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Change, PerWorkspace, Workspace
from tunebench.usecases.capturing.questions import QuestionBoard

if TYPE_CHECKING:
    from tunebench.capture.live import LiveTail
    from tunebench.capture.scheduling import ScheduledRuns
    from tunebench.domain.capturing.plan import CapturePlan
    from tunebench.domain.capturing.views import SessionView
    from tunebench.usecases.capturing.collecting import Capture

LOOK_MS = 250


@record
class Awaited:
    """A plan whose next time has not come yet, UTC ns; `left` counts the times that are still to come."""

    id: int
    label: str
    plan: CapturePlan
    next_ns: int
    left: int


@record(frozen=False)
class _Kept:
    """A capture of this window. `over`: it has come to its end and stays in sight until it is dismissed."""

    capture: Capture
    view: SessionView
    over: bool = False


@record
class _Scheduled:
    runs: ScheduledRuns
    label: str
    plan: CapturePlan


class CaptureController(PerWorkspace):
    """One per workspace, lives as long as the window; several sessions may run at once.

    Signals:
        changed: a new picture of the running sessions (4 Hz while something runs, and at starts and ends).
        finished: the last `SessionView` of a session that has ended.
    """

    changed = Signal()
    finished = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.board = QuestionBoard()
        self.settings: Any = None  # `CaptureSettings`; None: as for customers
        self.views: tuple[SessionView, ...] = ()
        self.awaited: tuple[Awaited, ...] = ()
        self.unfinished = UnfinishedSessions(workspace, self)
        self._kept: dict[int, _Kept] = {}
        self._schedules: dict[int, _Scheduled] = {}
        self._begun: queue.SimpleQueue[Capture | UserError] = queue.SimpleQueue()
        self._leaving: list[threading.Thread] = []
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        workspace.project_changed.connect(self._on_project)

    @property
    def running(self) -> bool:
        """Whether a session has not come to its end."""
        return bool(self._going)

    @property
    def _going(self) -> list[_Kept]:
        return [kept for kept in self._kept.values() if not kept.over]

    @property
    def running_views(self) -> tuple[SessionView, ...]:
        return tuple(view for view in self.views if not self.is_over(view.session_id))

    @property
    def busy(self) -> bool:
        """Whether something would be lost, or cut off, if the program ended now."""
        return self.running or bool(self.awaited)

    def is_over(self, session_id: int) -> bool:
        kept = self._kept.get(session_id)
        return kept is None or kept.over

    def plan_of(self, session_id: int) -> CapturePlan | None:
        kept = self._kept.get(session_id)
        return kept.capture.plan if kept else None

    # --- begin
    def start(self, digest: str, label: str = "") -> None:
        """Runs an approved plan when its schedule says.

        Raises:
            UserError: it is not there or not approved, or its last time has passed.
        """
        from tunebench.usecases.capturing import collecting
        from tunebench.usecases.capturing import plans as capture_plans
        from tunebench.usecases.experiments import runs as experiment_runs

        project = self._workspace.opened
        plan = capture_plans.find_plan(project, digest)
        runs = collecting.schedule(
            project,
            digest,
            self.board,
            label=label,
            begun=self._begun.put,
            failed=self._begun.put,
            settings=self.settings,
            leave_out=experiment_runs.done_of(project, plan),
        )
        self._schedules[id(runs)] = _Scheduled(runs, label or plan.run, plan)
        self._timer.start()
        self.look()

    def cancel(self, awaited_id: int) -> None:
        """Begins nothing more of this schedule; what runs goes on."""
        scheduled = self._schedules.pop(awaited_id, None)
        if scheduled is not None:
            scheduled.runs.cancel()
        self.look()

    def resume(self, session_id: int) -> None:
        """Goes on with an interrupted session; of a detached one: fetches it."""
        from tunebench.usecases.capturing import collecting

        project, board, settings, begun = self._workspace.opened, self.board, self.settings, self._begun
        # handed over through the queue, not as the job's answer: a capture must never be begun and forgotten
        self._workspace.jobs.run(
            "ssh",
            lambda _handle: begun.put(collecting.resume(project, session_id, board, settings=settings)),
            owner=self,
            slot=f"resume-{session_id}",
            on_result=lambda _none: self.look(),
            on_error=self.unfinished.refuse,
        )
        self.unfinished.forget(session_id)
        self._timer.start()

    # --- what a person may do
    def stop(self, session_id: int, host: str | None = None, stream: str | None = None) -> None:
        """Ends a session, a host's part of it, or one stream, in good order."""
        self._workspace.attempt(lambda: self._kept[session_id].capture.stop(host, stream))

    def retry(self, session_id: int, host: str) -> None:
        self._kept[session_id].capture.retry(host)

    def extend(self, session_id: int, seconds: float) -> None:
        """Moves the end, within what was approved; a refusal is said."""
        capture = self._kept[session_id].capture
        self._workspace.jobs.run(
            "ssh", lambda _handle: capture.extend(seconds), owner=self, slot=f"extend-{session_id}"
        )

    def mark(self, session_id: int, words: str, time_ns: int | None = None) -> None:
        """Words on a moment, now where none is given: in the session, its audit trail and on the time line."""
        from tunebench.usecases import projects
        from tunebench.usecases.capturing import collecting

        project, capture = self._workspace.opened, self._kept[session_id].capture
        at_ns = time.time_ns() if time_ns is None else time_ns

        def put_down(_handle: object) -> None:
            capture.mark(words, collecting.who(), at_ns)
            projects.add_note(project, "time", None, at_ns, words, collecting.who())

        self._workspace.jobs.run("ssh", put_down, owner=self, slot=f"mark-{at_ns}", on_result=self._on_marked)

    def watch(self, session_id: int, stream_id: str) -> LiveTail:
        """The values of one stream from now on, its last hour included; `close` it when it is no longer watched.

        Raises:
            UserError: there are no values before the end (detached), or there is no such stream.
        """
        return self._kept[session_id].capture.live(stream_id)

    def dismiss(self, session_id: int) -> None:
        """The result of a session that is over has been seen."""
        if self.is_over(session_id):
            self._kept.pop(session_id, None)
            self.look()

    # --- the end
    def stop_all(self) -> None:
        """Ends every session in good order and cancels what waits; `running` tells when all are stored."""
        self._cancel_schedules()
        for kept in self._going:
            kept.capture.stop()

    def leave_all(self) -> None:
        """Leaves every session as it is, to be resumed later; `left` tells when the servers have been let go."""
        self._cancel_schedules()
        self.board.close()
        self._take_begun()
        for kept in self._going:
            self._leaving.append(threading.Thread(target=kept.capture.close, name="capture-leave", daemon=True))
            self._leaving[-1].start()

    @property
    def left(self) -> bool:
        return not any(thread.is_alive() for thread in self._leaving)

    def close(self) -> None:
        """Before the project is closed: nothing of a session touches it afterwards."""
        self.leave_all()
        for thread in self._leaving:
            thread.join()
        self._leaving.clear()
        self._kept.clear()
        self._schedules.clear()
        self._timer.stop()
        self.board = QuestionBoard()
        self.views, self.awaited = (), ()
        self.changed.emit()
        self.unfinished.clear()

    def _cancel_schedules(self) -> None:
        for scheduled in self._schedules.values():
            scheduled.runs.cancel()
        for scheduled in self._schedules.values():
            scheduled.runs.wait(1.0)
        self._schedules.clear()

    # --- looking
    def look(self) -> None:
        """Takes new pictures; called by the timer."""
        if self._take_begun():
            self._workspace.announce(Change.RUNS)  # its run is there from the beginning
        ended = [kept for kept in self._going if self._picture(kept)]
        self._look_at_schedules()
        views = (kept.view for kept in self._kept.values())
        self.views = tuple(sorted(views, key=lambda view: view.started_ns, reverse=True))
        if not self.running and not self._schedules and not self._workspace.jobs.busy:
            self._timer.stop()
        self.changed.emit()
        for capture in ended:
            self._end(capture)

    def _take_begun(self) -> bool:
        """Whether a capture was begun."""
        any_begun = False
        while not self._begun.empty():  # only this thread takes from it
            begun = self._begun.get()
            if isinstance(begun, UserError):
                self._workspace.say_error(begun)
            else:
                any_begun = True
                self._kept[begun.session_id] = _Kept(begun, begun.snapshot())
                if _runs_trials(begun.plan):
                    begun.project.share()  # as on the command line: others may work in it meanwhile
                self._timer.start()
        return any_begun

    def _picture(self, kept: _Kept) -> bool:
        """Whether the session has come to its end."""
        kept.over = kept.capture.wait(0)  # asked first: the picture then is the last one
        kept.view = kept.capture.snapshot()
        return kept.over

    def _look_at_schedules(self) -> None:
        waiting: list[Awaited] = []
        for key, one in list(self._schedules.items()):
            window = one.runs.next_window
            if one.runs.wait(0):
                del self._schedules[key]
            elif window is not None and window.start_ns > time.time_ns():
                left = max(one.plan.schedule.times, 1) - window.number + 1
                waiting.append(Awaited(key, one.label, one.plan, window.start_ns, left))
        self.awaited = tuple(sorted(waiting, key=lambda schedule: schedule.next_ns))

    def _end(self, kept: _Kept) -> None:
        kept.capture.close()
        self._workspace.announce(Change.CAPTURES)
        self._take_trials(kept)
        self.finished.emit(kept.view)
        if kept.view.state is SessionState.FINISHED:
            self._workspace.say(text("ui.live.said.finished", label=kept.view.label))
        elif kept.view.message_key:
            self._workspace.say(text(f"error.{kept.view.message_key}", **kept.view.message_facts), "error")
        if kept.view.state is SessionState.INTERRUPTED:
            self.unfinished.look()

    def _take_trials(self, kept: _Kept) -> None:
        """Results of an experiment's trials, where the session ran some."""
        from tunebench.usecases.experiments import runs as experiment_runs

        project, session_id = self._workspace.opened, kept.view.session_id
        if not _runs_trials(kept.capture.plan):
            return
        self._workspace.jobs.run(
            "db",
            lambda _handle: experiment_runs.take_ended(project, session_id),
            owner=self,
            slot=f"trials-{session_id}",
            on_result=lambda _none: self._workspace.announce(Change.EXPERIMENTS),
        )

    # --- answers
    def _on_marked(self, _none: object) -> None:
        self._workspace.announce(Change.NOTES)
        self.look()

    def _on_project(self, change: Change) -> None:
        if change is Change.OPENED:
            self.unfinished.look()


def _runs_trials(plan: CapturePlan) -> bool:
    return any(command.kind is CommandKind.TRIAL for command in plan.commands)
