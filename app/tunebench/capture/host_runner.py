"""One host of a session: a thread that connects, looks around, captures, reconnects, and cleans up after itself."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Collection, Mapping

from tunebench.capture.backoff import Backoff
from tunebench.capture.connecting import Connecting
from tunebench.capture.connection_trail import put_down_refusal
from tunebench.capture.context import HostTrail, SessionContext, now_iso
from tunebench.capture.gaps import GapBook
from tunebench.capture.host_checks import HostChecks
from tunebench.capture.host_ending import HostEnding
from tunebench.capture.host_links import CannotCapture, HostLinks, reason_of
from tunebench.capture.host_streams import LOSS_TO_GAP, HostStreams
from tunebench.capture.policy import CommandRefused
from tunebench.capture.server_cost import OverheadMeter
from tunebench.capture.spooled import SpooledSession
from tunebench.capture.stream import Begun, Ended, StreamRun, has_output
from tunebench.capture.tasks import Tasks
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind, PlannedHost
from tunebench.domain.capturing.run import GapCause, HostState, StreamState
from tunebench.domain.capturing.views import HostView
from tunebench.domain.connection import HostProfile
from tunebench.transport.ssh.link import LinkError, LossCause

_ENDED_WITHIN_S = 3.0
_LOSS_TOLD_WITHIN_S = 0.2
_STOPPABLE = (StreamState.STARTING, StreamState.CAPTURING, StreamState.SUSPECT, StreamState.WAITING)


@record
class _LinkLost:
    attempt: int
    cause: LossCause
    detail: str


class HostRunner:
    """Everything happens on its thread; `stop`, `stop_stream`, `retry`, `view` may be called from any."""

    def __init__(self, host: PlannedHost, profile: HostProfile, folder: str, context: SessionContext) -> None:
        self.host = host
        self._trail = HostTrail(context, host.name, folder)
        self.gaps = GapBook(self._trail.gap_changed)
        self._context = context
        self._inbox: queue.Queue[Begun | Ended | _LinkLost | None] = queue.Queue()  # None: something was asked of us
        self._state = HostState.IDLE
        self._reason_key = ""
        self._facts: Mapping[str, object] = {}
        self._next_try_s: float | None = None
        self._needs_person = False
        self._alone = True
        self._captured = context.resumed
        self._trials_begun = False
        self._stopping = self._closing = self._retry = False
        self._given_up_s: float | None = None
        self._loss: tuple[LossCause, str] | None = None
        self._backoff = Backoff(context.settings.backoff_s)
        self._connecting = Connecting(
            context,
            host,
            profile,
            folder,
            self._show,
            lambda: self._stopping,
            lambda attempt, cause, detail: self._inbox.put(_LinkLost(attempt, cause, detail)),
        )
        self._links = HostLinks(self._connecting.open, context.settings.links_per_host, context.settings.answer_bytes)
        self.runs = tuple(
            StreamRun(command, folder, context.plan.nonce, context.spool, self._inbox.put, context.settings)
            for command in context.plan.on(host.name)
            if has_output(command)
        )
        self._meter = OverheadMeter(self.runs)
        self.checks = HostChecks(context, host, folder)
        streaming = [run for run in self.runs if run.repeats]
        self.streams = HostStreams(context, host.name, streaming, self._links, self.gaps, self.checks)
        settings = context.settings
        self._tasks = Tasks(self.streams, settings.once_deadline_s, settings.pull_deadline_s)
        self._ending = HostEnding(context, self.runs, self.streams, self._tasks, self.checks, self._pump)
        self._thread = threading.Thread(target=self._run, name=f"capture-{host.name}", daemon=True)

    # -- from outside ------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def take_over(self, left: SpooledSession) -> None:
        """Goes on with what a session that was cut off left; before `start`."""
        self.checks.take_over(left.clocks)
        self.gaps.take_over(gap for gap in left.gaps if gap.stream in {run.id for run in self.runs})
        for run in self.runs:
            stream = left.streams[run.id]
            run.stopped = stream.stopped
            run.stopped |= run.command.kind is CommandKind.TRIAL and stream.whole
            run.take_over(stream.bytes, stream.void_bytes, stream.lines, stream.starts, stream.last_ns)
            gap = left.open_gaps.get(run.id)
            if gap is not None:
                self.gaps.open(run.id, gap.start_ns, gap.cause, gap.detected_at, gap.evidence)
            elif run.repeats and stream.last_ns is not None and not run.stopped:
                self.gaps.open(run.id, self.streams.last_sample_ns(run), GapCause.CLIENT_CRASH, now_iso())

    def stop(self) -> None:
        """Ends the capture here as planned ends do: drained, verified."""
        self._stopping = True
        self._inbox.put(None)

    def close(self) -> None:
        """Ends at once: nothing is asked of the server any more."""
        self._stopping = self._closing = True
        self._inbox.put(None)

    def leave_out(self, streams: Collection[str]) -> None:
        """Stops streams that are approved and not to be run this time; called before `start`."""
        for run in self.runs:
            run.stopped |= run.id in streams

    def stop_stream(self, stream: str) -> None:
        for run in self.runs:
            if run.id == stream:
                run.stopped = True
        self._inbox.put(None)

    def retry(self) -> None:
        """A person says: now."""
        self._retry = True
        self._inbox.put(None)

    def join(self, timeout_s: float) -> bool:
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def view(self) -> HostView:
        next_try_s = self._next_try_s
        round_trip_s = self._connecting.round_trip_s
        counts = self.gaps.counts
        return HostView(
            self.host.name,
            self._state,
            self._reason_key,
            self._facts,
            None if next_try_s is None else max(next_try_s - time.monotonic(), 0.0),
            self._needs_person,
            None if round_trip_s is None else round_trip_s * 1000,
            self.checks.clock,
            self._overhead_pct(),
            tuple(run.view(counts.get(run.id, 0)) for run in self.runs),
        )

    def _overhead_pct(self) -> float | None:
        """Percent of the host as measured there, else summed over the commands; None where one has no figure."""
        if self._meter.share_pct is not None:
            return self._meter.share_pct
        ran = [run for run in self.streams.runs if run.ran_s > 0]
        if not ran or any(run.cpu_s is None for run in ran):
            return None
        return sum(100 * (run.cpu_s or 0.0) / run.ran_s for run in ran)

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._live()
        except Exception as error:
            self._refuse("capture_host_failed", {"detail": f"{type(error).__name__}: {error}"})
            self._leave()
            raise
        finally:
            self._links.close()

    def _live(self) -> None:
        self._await_window()
        while not self._closing:
            problem = self._attempt()
            if problem is None or not self._wait_after(problem):
                break
        self._leave()

    def _await_window(self) -> None:
        if not self._context.window.has_begun():
            self._state = HostState.SCHEDULED
        while not self._context.window.has_begun() and not self._stopping:
            self._hear(self._context.settings.tick_s)

    def _attempt(self) -> LinkError | None:
        """One connection from its beginning to its end; None where everything was done."""
        try:
            self._connect()
            self._look_around()
            if self._wanted():
                self._capture()
            self._finish()
        except LinkError as error:
            self._lose(error)
            return error
        except CommandRefused as refused:
            problem = CannotCapture(refused.key, final=True, **refused.facts)
            self._lose(problem)
            return problem
        finally:
            self._links.close()
        return None

    def _wanted(self) -> bool:
        return not self._stopping and self._context.window.is_open()

    # -- connecting --------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._state, self._next_try_s, self._needs_person, self._retry = HostState.CONNECTING, None, False, False
        self._loss = None
        self._connecting.attempt += 1
        self._links.open()
        self._reason_key, self._facts = "", {}

    def _show(self, state: HostState) -> None:
        self._state = state

    # -- looking around ----------------------------------------------------------------------------

    def _look_around(self) -> None:
        """What the host is; when it comes back, what its clock says and whether anything of ours is still there.

        The first time the clock is looked at while the streams are under way: the first sample shall not wait for it.

        Raises:
            LinkError: the connection is gone, or the host cannot be captured from.
        """
        self._state = HostState.PROBING
        self.checks.survey(self._links)
        if self._captured:
            self._check_clock()
            left = self.checks.leftovers(self._links)
            until_s = time.monotonic() + self._context.plan.lease_s
            while left and self._trials and self._wanted() and time.monotonic() < until_s:
                self._hear(self._context.settings.tick_s)  # a trial that still ends would run beside its next start
                left = self.checks.leftovers(self._links)

    def _check_clock(self) -> None:
        clock = self.checks.check_clock(self._links)
        if clock.rebooted:
            self.gaps.explain([run.id for run in self.runs], GapCause.SERVER_REBOOT, clock.evidence)
        elif clock.stepped:
            self.streams.clock_stepped(clock.before_ns, clock.after_ns, clock.evidence)

    # -- capturing ---------------------------------------------------------------------------------

    def _capture(self) -> None:
        """Captures until the window closes.

        Raises:
            LinkError: the connection is gone.
        """
        first, self._captured = not self._captured, True
        self._state = HostState.CAPTURING
        self.streams.begin_all()
        if first:
            self._tasks.add(run for run in self.runs if run.command.kind is CommandKind.ONCE)
        if not self._trials_begun:
            self._trials_begun = True
            self._tasks.add(self._trials)
        while self._wanted() and not self._all_done():
            self.streams.start_due()
            self._tasks.go_on()
            self._pump()
            self.streams.watch_silence()
            self._state = HostState.SUSPECT if self.streams.all_suspect else HostState.CAPTURING
            if self.checks.clock_is_due():  # what can wait until the streams have been started
                self._check_clock()
            self.checks.versions(self._links)

    @property
    def _trials(self) -> list[StreamRun]:
        return [run for run in self.runs if run.command.kind is CommandKind.TRIAL]

    def _all_done(self) -> bool:
        """Nothing is to be waited for; what only stands beside trials ends with the last of them."""
        return self._tasks.done and (bool(self._trials) or (self.streams.all_over and not self._asked_again_at_end()))

    def _asked_again_at_end(self) -> bool:
        """Whether something was told at the start that means nothing without the same at the approved end."""
        once = (run for run in self.runs if run.command.kind is CommandKind.ONCE)
        return any(run.bytes and not (run.stopped or run.error_key) for run in once)

    def _pump(self) -> None:
        """Hears what there is to hear, and keeps the leases alive.

        Raises:
            LinkError: the connection is gone.
        """
        self._hear(self._context.settings.tick_s)
        self.streams.renew(self._tasks.active)
        self.streams.end_floods()
        self._tasks.end_flood()
        for run in self.streams.runs:
            if run.stopped and run.state in _STOPPABLE:
                self.streams.stop(run)
        if self._loss is not None:
            cause, detail = self._loss
            raise LinkError("lost", host=self.host.name, detail=detail or cause)
        if self._closing:
            raise LinkError("auth_cancelled")

    def _hear(self, timeout_s: float) -> None:
        try:
            self._handle(self._inbox.get(timeout=timeout_s))
            while True:
                self._handle(self._inbox.get_nowait())
        except queue.Empty:
            return

    def _handle(self, message: Begun | Ended | _LinkLost | None) -> None:
        match message:
            case _LinkLost(attempt, cause, detail):
                if attempt == self._connecting.attempt and cause is not LossCause.CLOSED_BY_US:
                    self._loss = self._loss or (cause, detail)
            case Begun(start):
                (self.streams if start.run.repeats else self._tasks).begun(message)
                self._backoff.reset()
            case Ended():
                (self.streams if message.start.run.repeats else self._tasks).ended(message)

    # -- losing ------------------------------------------------------------------------------------

    def _lose(self, error: LinkError) -> None:
        """Puts down what was running and why it stopped."""
        self._alone = self._alone and self._links.reconnects_alone
        self._hear(_LOSS_TOLD_WITHIN_S if self._loss is None else 0.0)
        self._links.close()
        if self._closing:
            return
        cause, detail = self._loss or (LossCause.NETWORK_LOST, error.key)
        until_s = time.monotonic() + _ENDED_WITHIN_S
        while any(run.running for run in self.runs) and time.monotonic() < until_s:
            self._hear(0.1)
        self.streams.lost(LOSS_TO_GAP[cause], detail)
        self._tasks.lost()
        self._trail.event("lost", key=error.key, final=error.final, facts=dict(error.facts), cause=cause, detail=detail)

    def _wait_after(self, error: LinkError) -> bool:
        """Waits for the next try; False where there shall be none."""
        self._reason_key, self._facts = reason_of(error), dict(error.facts)
        if error.final:
            self._refuse(self._reason_key, self._facts)
            put_down_refusal(self._context.audit, self.host.name, self.host, error.key)
        else:
            self._state = HostState.WAITING
            self._needs_person = not self._alone
            self._next_try_s = None if self._needs_person else time.monotonic() + self._backoff.next_s()
        self.streams.waiting()
        while not self._try_now():
            if not self._worth_trying():
                return False
            self._hear(self._context.settings.tick_s)
        return not self._closing

    def _try_now(self) -> bool:
        if self._closing or self._retry:
            return True
        return self._next_try_s is not None and time.monotonic() >= self._next_try_s

    def _worth_trying(self) -> bool:
        """During the window always; after it only to prove that nothing is left, and not for ever."""
        if self._closing:
            return False
        if self._wanted():
            self._given_up_s = None
            return True
        if not self._captured or self._state is HostState.REFUSED or self._needs_person:
            return False
        if self._given_up_s is None:
            self._given_up_s = time.monotonic() + self._context.settings.reconnect_after_end_s
        return time.monotonic() < self._given_up_s

    def _refuse(self, key: str, facts: Mapping[str, object]) -> None:
        self._state, self._reason_key, self._facts = HostState.REFUSED, key, facts
        self._needs_person, self._next_try_s = True, None

    # -- ending ------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Streams drained, inventories and files fetched, the clock once more, and the proof that nothing is left.

        Raises:
            LinkError: the connection is gone.
        """
        self._state = HostState.DRAINING
        self._ending.drain()
        if self._captured:
            self._ending.run_tasks(self._links)
        self._check_clock()
        self._state = HostState.VERIFYING
        self._ending.verify(self._links)
        self._reason_key, self._facts = "", {}
        self._state = HostState.DONE

    def _leave(self) -> None:
        """The thread ends; what was not verified stays unproven."""
        self._links.close()
        if self._closing:  # as if the program had died: whoever resumes finds it so
            return
        self._hear(0.0)
        self.streams.lost(GapCause.NETWORK_LOST, "")
        self._tasks.drop()
        self.streams.tell_missing()
        self.gaps.finish()
        for run in self.runs:
            run.come_to_an_end(self._reason_key or "capture_not_started", self._facts)
            self._trail.event("stream", stream=run.id, **run.summary())
        if self._state is not HostState.REFUSED:
            self._state = HostState.DONE
        self._next_try_s = None
        self._trail.event("host", state=self._state, reason=self._reason_key)
