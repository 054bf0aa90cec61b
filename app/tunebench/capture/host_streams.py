"""The repeating commands of one host: started, restarted, renewed, watched, stopped. Belongs to the host's thread."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tunebench.capture.backoff import Backoff
from tunebench.capture.context import SessionContext, now_iso, put_down_command, put_down_end
from tunebench.capture.gaps import GapBook
from tunebench.capture.host_checks import HostChecks
from tunebench.capture.host_links import HostLinks, reason_of
from tunebench.capture.policy import CommandRefused
from tunebench.capture.silence import SilenceWatch
from tunebench.capture.stream import Begun, Ended, Start, StreamRun
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import CaptureGap, GapCause, StreamState
from tunebench.transport.ssh.link import LinkError, LossCause

_SECOND_NS = 1_000_000_000
_SHORTEST_SILENCE_S = 2.0
_RECENT_S = 30.0
_SEAM_INTERVALS = 1.5
LOSS_TO_GAP = {
    LossCause.NETWORK_LOST: GapCause.NETWORK_LOST,
    LossCause.CLOSED_BY_SERVER: GapCause.KILLED_BY_SERVER,
    LossCause.CLOSED_BY_US: GapCause.NETWORK_LOST,
}


class HostStreams:
    """`clock` tells the server's clock minus this machine's, as last measured."""

    def __init__(
        self,
        context: SessionContext,
        host: str,
        runs: Sequence[StreamRun],
        links: HostLinks,
        gaps: GapBook,
        clock: HostChecks,
    ) -> None:
        self.context = context
        self.host = host
        self.runs = tuple(runs)
        self._links = links
        self._gaps = gaps
        self._offset_ns, self._latest_offset_ns = clock.offset_ns, clock.latest_offset_ns
        self._due_s: dict[str, float] = {}
        self._backoffs: dict[str, Backoff] = {}
        self._silence = SilenceWatch(context.settings.suspect_intervals, _SHORTEST_SILENCE_S)
        self._renewed_s = 0.0
        self._draining = False

    # -- starting ----------------------------------------------------------------------------------

    def begin_all(self) -> None:
        """Everything that is to run and does not is due now; what rests between two starts, when it was before."""
        now_s = time.monotonic()
        self._draining = False
        resting = self._resting()
        self._gaps.explain((stream for stream, due_s in resting.items() if due_s < now_s), GapCause.NETWORK_LOST, "")
        self._due_s = {
            run.id: max(now_s, resting.get(run.id, now_s))
            for run in self.runs
            if not (run.over or run.stopped or run.running)
        }

    def _resting(self) -> dict[str, float]:
        """What came to its count and is not begun again yet, with the time when it is due."""
        gaps = {stream: self._gaps.of(stream) for stream in self._due_s}
        return {stream: self._due_s[stream] for stream, gap in gaps.items() if gap and gap.cause is GapCause.SEAM}

    def start_due(self) -> None:
        """Starts what is due.

        Raises:
            LinkError: the connection is gone.
        """
        now_s = time.monotonic()
        for run in self.runs:
            if self._due_s.get(run.id, now_s + 1) <= now_s and not (run.stopped or self._draining):
                del self._due_s[run.id]
                self._start(run)

    def _start(self, run: StreamRun) -> None:
        try:
            start = self.send(run)
        except LinkError as error:
            if error.key != "no_channel":
                self._due_s[run.id] = time.monotonic()
                raise
            self._later(run)
            run.error_key, run.error_facts = reason_of(error), error.facts
            return
        if start is not None:
            run.state = StreamState.STARTING
            run.error_key, run.error_facts = "", {}

    def send(self, run: StreamRun) -> Start | None:
        """Sends the command's line, if the approved plan has it; None where it has not."""
        command = run.command
        try:
            put_down_command(self.context, self.host, command)
        except CommandRefused as refused:
            run.fail(refused.key, **refused.facts)
            return None
        start = run.new_start()
        try:
            if command.kind is CommandKind.PULL:
                start.remote = self._links.pull(command.remote_path, run.bytes, start)
            else:
                start.remote = self._links.stream(command.verbatim, start)
        except LinkError:
            run.current = None
            raise
        return start

    # -- what the streams tell ---------------------------------------------------------------------

    def begun(self, message: Begun) -> None:
        start, run = message.start, message.start.run
        if run.current is not start:
            return
        if run.state is not StreamState.DRAINING:
            run.state = StreamState.CAPTURING
        run.error_key, run.error_facts = "", {}
        began_ns = time.time_ns() + self._offset_ns() if start.began_ns is None else start.began_ns
        self._close_gap(run, began_ns // _SECOND_NS * _SECOND_NS)

    def _close_gap(self, run: StreamRun, began_ns: int) -> None:
        """A seam that is no longer than an interval is a new segment, but nothing is missing."""
        gap = self._gaps.of(run.id)
        longest_ns = round(_SEAM_INTERVALS * (run.command.interval_s or 1.0) * _SECOND_NS)
        if gap is not None and gap.cause is GapCause.SEAM and began_ns - gap.start_ns <= longest_ns:
            self._gaps.withdraw(run.id)
        else:
            self._gaps.close(run.id, began_ns)

    def ended(self, message: Ended) -> None:
        start, run = message.start, message.start.run
        put_down_end(self.context, start)
        if run.current is not start:
            return
        if self._end_flood(run, start):
            return
        run.current = None
        self._silence.forget(run)
        if message.loss is not None:
            self._lost_one(run, LOSS_TO_GAP[message.loss], message.signal)
        elif self._draining or run.stopped or not self.context.window.is_open():
            run.state = StreamState.ENDED
        elif _count_reached(start):
            self._seam(run, start)
        else:
            self._ended_early(run, start, message)

    def _seam(self, run: StreamRun, start: Start) -> None:
        """The next start follows; what is missing in between is told when it has begun."""
        interval_s = run.command.interval_s or 1.0
        now_s = time.monotonic()
        due_s = max(now_s, start.started_s + _covered_s(run))
        remaining_s = (self.context.window.planned_end_ns - time.time_ns()) / 1e9
        if remaining_s < max(_SEAM_INTERVALS * interval_s, due_s - now_s):
            run.state = StreamState.ENDED
            return
        run.state = StreamState.WAITING
        self._open_gap(run, GapCause.SEAM, "")
        self._due_s[run.id] = due_s

    def _ended_early(self, run: StreamRun, start: Start, message: Ended) -> None:
        evidence = _evidence(run, message)
        sleep = self.context.suspends.recent(_RECENT_S)
        if sleep is not None:
            self._open_gap(run, GapCause.CLIENT_SUSPEND, f"{sleep.slept_s:.0f} s; {evidence}")
            run.state = StreamState.WAITING
            self._due_s[run.id] = time.monotonic()
            return
        if run.said:
            self._open_gap(run, GapCause.PROCESS_ENDED, evidence)
        facts = run.how_it_ended()
        if start.cannot_run:
            run.fail(start.cannot_run, **facts)
            return
        if time.monotonic() - start.started_s >= self.context.settings.steady_s:
            self._backoff(run).reset()
        if self._backoff(run).tries >= self.context.settings.restarts:
            run.fail("capture_keeps_ending", **facts)
            return
        run.state = StreamState.WAITING
        run.error_key, run.error_facts = "capture_process_ended", facts
        self._later(run)

    # -- timers ------------------------------------------------------------------------------------

    def renew(self, task: StreamRun | None = None) -> None:
        """A byte to each stream, and to the task that runs, a few times per lease: so the wrappers know we are here."""
        now_s = time.monotonic()
        if now_s - self._renewed_s < self.context.plan.lease_s / 3:
            return
        self._renewed_s = now_s
        for run in (*self.runs, *((task,) if task else ())):
            if run.remote is not None and run.state is not StreamState.DRAINING:
                run.remote.renew()

    def end_floods(self) -> None:
        for run in self.runs:
            if run.current is not None:
                self._end_flood(run, run.current)

    def _end_flood(self, run: StreamRun, start: Start) -> bool:
        """What went beyond its bound is dropped and not started again."""
        if not run.went_over(start):
            return False
        run.current = None
        self._silence.forget(run)
        self._open_gap(run, GapCause.LIMIT_REACHED, f"{start.kept_bytes} B")
        return True

    def watch_silence(self) -> None:
        for run in self.runs:
            if run.state in (StreamState.STARTING, StreamState.CAPTURING) and self._silence.fell_silent(run):
                run.state = StreamState.SUSPECT
                if run.lines:
                    self._open_gap(run, GapCause.SERVER_SILENT, "")
            resumed = self._silence.spoke_again(run)
            if resumed is not None and run.state is StreamState.SUSPECT:
                run.state = StreamState.CAPTURING
                if resumed.missing:
                    self._gaps.close(run.id, (resumed.resumed_ns + self._offset_ns()) // _SECOND_NS * _SECOND_NS)
                else:
                    self._gaps.withdraw(run.id)

    @property
    def all_suspect(self) -> bool:
        running = [run for run in self.runs if run.running]
        return bool(running) and all(run.state is StreamState.SUSPECT for run in running)

    @property
    def any_running(self) -> bool:
        return any(run.running for run in self.runs)

    @property
    def all_over(self) -> bool:
        """Whether nothing is left to wait for; our own measuring does not count."""
        asked = [run for run in self.runs if run.command.kind is not CommandKind.HOUSE]
        return all(run.over or (run.stopped and not run.running) for run in asked)

    # -- losing and stopping -----------------------------------------------------------------------

    def waiting(self) -> None:
        """The next try is some time off."""
        for run in self.runs:
            if run.state is StreamState.LOST:
                run.state = StreamState.WAITING

    def lost(self, cause: GapCause, evidence: str) -> None:
        """The connection is gone, and with it every stream that has not told so itself."""
        for run in self.runs:
            if run.current is not None:
                put_down_end(self.context, run.current)
                run.current = None
                self._lost_one(run, cause, evidence)

    def _lost_one(self, run: StreamRun, cause: GapCause, evidence: str) -> None:
        self._silence.forget(run)
        if run.stopped or self._draining:
            run.state = StreamState.ENDED
            return
        run.state = StreamState.LOST
        sleep = self.context.suspends.recent(_RECENT_S)
        if sleep is not None:
            cause, evidence = GapCause.CLIENT_SUSPEND, f"{sleep.slept_s:.0f} s"
        self._open_gap(run, cause, evidence)

    def stop_all(self) -> None:
        self._draining = True
        for run in self.runs:
            self.stop(run)
        self._due_s.clear()

    def stop(self, run: StreamRun) -> None:
        """Closes its stdin; the wrapper ends the tool and tells so."""
        if run.remote is not None:
            run.state = StreamState.DRAINING
            run.remote.stop()
        elif not run.over:
            run.state = StreamState.ENDED
            if self._resting().get(run.id, 0.0) > time.monotonic():
                self._gaps.withdraw(run.id)

    def close_all(self) -> None:
        """What did not end in time is dropped."""
        for run in self.runs:
            if run.remote is not None:
                run.remote.close()

    # -- gaps --------------------------------------------------------------------------------------

    def tell_missing(self) -> None:
        """What was asked for and never gave a sample is missing from the planned start on."""
        for run in self.runs:
            if run.command.kind is CommandKind.HOUSE or not run.gave_nothing:
                continue
            if not run.starts:
                self._open_gap(run, GapCause.NOT_STARTED, "")
            else:
                facts = run.how_it_ended()
                self._open_gap(run, GapCause.PROCESS_ENDED, f"exit {facts['exit_status']}; {facts['stderr']}")

    def _open_gap(self, run: StreamRun, cause: GapCause, evidence: str) -> None:
        self._gaps.open(run.id, self.last_sample_ns(run), cause, now_iso(), evidence)

    def clock_stepped(self, before_ns: int, after_ns: int, evidence: str) -> None:
        """The server's clock was set from `before_ns` to `after_ns`, its own time both."""
        first, last = sorted((before_ns, after_ns))
        for run in self.runs:
            if run.running:
                self._gaps.add(CaptureGap(run.id, first, last, GapCause.CLOCK_STEP, now_iso(), evidence))

    def last_sample_ns(self, run: StreamRun) -> int:
        """Server time of its last line, or of the planned start where there was none."""
        local_ns = self.context.window.started_ns if run.last_sample_ns is None else run.last_sample_ns
        return local_ns + self._latest_offset_ns()

    def _later(self, run: StreamRun) -> None:
        self._due_s[run.id] = time.monotonic() + self._backoff(run).next_s()

    def _backoff(self, run: StreamRun) -> Backoff:
        return self._backoffs.setdefault(run.id, Backoff(self.context.settings.restart_backoff_s))


def _count_reached(start: Start) -> bool:
    """Whether it ended because it had done what it was started for, not before."""
    command = start.run.command
    if command.count is None or command.interval_s is None or not start.whole:
        return False
    full_s = max(command.count - 2, 0) * command.interval_s
    return start.exit_status == 0 and time.monotonic() - start.started_s >= full_s


def _covered_s(run: StreamRun) -> float:
    """How long one whole start lasts: the last round of a loop is over at once, and so is a tool's last row."""
    command = run.command
    count = command.count or 1
    rounds = count if command.kind is CommandKind.LOOP else max(count - 1, 1)
    return rounds * (command.interval_s or 0.0)


def _evidence(run: StreamRun, message: Ended) -> str:
    facts = run.how_it_ended()
    parts = (f"exit {facts['exit_status']}", message.signal, str(facts["stderr"]))
    return "; ".join(part for part in parts if part)
