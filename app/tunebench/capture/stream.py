"""One planned command on its host, over all its starts: what came, how it stands, why it stopped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

from tunebench.capture.frames import Begin, Data, End, FrameReader, cut_line, without_stamps
from tunebench.capture.house_commands import OVERHEAD_PROBE
from tunebench.capture.journal import JournalKind
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spool import Spool, Spooled
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind, PlannedCommand
from tunebench.domain.capturing.run import StreamState
from tunebench.domain.capturing.views import StreamView
from tunebench.transport.ssh.link import LossCause, RemoteStream

LONGEST_SHOWN_LINE = 200
_HOURS_APART_S = 3600.0
STDERR_TAIL_BYTES = 2000
_NO_PERMISSION = lazy_pattern(
    rb"permission denied|not permitted|not allowed|access denied|must be root|a password is required|restricted"
    rb"|EACCES|EPERM",
    re.IGNORECASE,
)
_CANNOT_RUN = {126: "capture_tool_refused", 127: "capture_tool_missing"}


@record
class Begun:
    """A start printed its begin marker."""

    start: Start


@record
class Ended:
    """A start is over; everything it printed was delivered before."""

    start: Start
    exit_status: int | None
    signal: str
    loss: LossCause | None


Post = Callable[[Begun | Ended], None]


def allowed_bytes(command: PlannedCommand, elapsed_s: float, settings: CaptureSettings) -> float:
    """How much one start of a command may have said after so many seconds."""
    if command.kind is CommandKind.PULL:
        return settings.file_bytes
    every_s = command.interval_s
    if every_s is not None and every_s >= _HOURS_APART_S:
        return settings.recorded_bytes
    if every_s is None or command.bytes_per_s is None:
        rate = settings.unplanned_bytes_per_s if command.bytes_per_s is None else command.bytes_per_s
        return settings.unplanned_bytes + settings.flood_factor * rate * (elapsed_s + (every_s or 0.0))
    planned = settings.flood_factor * command.bytes_per_s * (elapsed_s + every_s)
    return max(planned, settings.round_bytes * (1 + elapsed_s / every_s))


def has_output(command: PlannedCommand) -> bool:
    """Whether its output is kept as a stream; the answers of the other house commands stand in the journal's events."""
    return command.kind is not CommandKind.HOUSE or command.probe == OVERHEAD_PROBE


class StreamRun:
    """Figures are written on the spool's thread, states on the host's; anybody may read."""

    def __init__(
        self, command: PlannedCommand, folder: str, nonce: str, spool: Spool, post: Post, settings: CaptureSettings
    ) -> None:
        self.command = command
        self.settings = settings
        self.folder = folder
        self.nonce = nonce
        self.spool = spool
        self.post = post
        self.state = StreamState.PLANNED
        self.stopped = False
        self.lines = 0
        self.bytes = 0
        self.last_line = ""
        self.last_sample_ns: int | None = None
        self.last_line_s: float | None = None
        self.exit_status: int | None = None
        self.cpu_s: float | None = None
        self.ran_s = 0.0
        self.stderr_tail = b""
        self.error_key = ""
        self.error_facts: Mapping[str, object] = {}
        self.starts = 0
        self.void_bytes = 0
        self.said = False  # anything but our own marks
        self.torn = False  # bytes of a start without its end marker came last
        self.current: Start | None = None
        self.listeners: tuple[Callable[[Spooled], None], ...] = ()

    @property
    def id(self) -> str:
        return self.command.id

    @property
    def repeats(self) -> bool:
        return self.command.kind in (CommandKind.STREAM, CommandKind.LOOP) or self.command.probe == OVERHEAD_PROBE

    @property
    def framed(self) -> bool:
        """Whether it runs in our wrapper; a fetched file is only itself."""
        return self.command.kind is not CommandKind.PULL

    @property
    def running(self) -> bool:
        return self.current is not None

    @property
    def remote(self) -> RemoteStream | None:
        return self.current.remote if self.current is not None else None

    @property
    def over(self) -> bool:
        return self.state in (StreamState.FAILED, StreamState.ENDED, StreamState.VERIFIED)

    def new_start(self) -> Start:
        """The sink of the next start; the caller gives it its `remote`."""
        if self.torn and self.framed:  # whoever reads the bytes later sees that the start before was cut off
            self.spool.put(self.folder, JournalKind.DATA, self.id, cut_line(self.nonce), self.pass_on)
        self.starts += 1
        self.torn = True
        self.current = Start(self, self.starts)
        self.spool.event(self.folder, "command_started", {"start": self.starts}, self.id)
        return self.current

    def pass_on(self, record: Spooled) -> None:
        """Counts bytes that are safe now and shows them to those who watch."""
        self.bytes += len(record.payload)
        for listener in self.listeners:
            listener(record)

    def take_over(self, bytes_so_far: int, void_bytes: int, lines: int, starts: int, last_ns: int | None) -> None:
        """What a session that was cut off had of it."""
        self.bytes, self.void_bytes = bytes_so_far - void_bytes, void_bytes
        self.lines, self.starts, self.last_sample_ns = lines, starts, last_ns
        self.said = lines > 0
        self.torn = self.bytes > 0

    def begin_anew(self) -> None:
        """A fetched file was not what it should be: what came so far is void."""
        self.void_bytes += self.bytes
        self.bytes = 0
        self.spool.event(self.folder, "restarted", {}, self.id)

    def went_over(self, start: Start) -> bool:
        """Drops a start that went beyond its bound: it would fill the disk. What came until then is kept."""
        if start.over is None:
            return False
        if start.remote is not None:
            start.remote.close()
        self.fail(start.over, tool=self.command.tool_line, size=start.kept_bytes >> 10, time=start.over_at)
        return True

    def fail(self, key: str, **facts: object) -> None:
        self.state, self.error_key, self.error_facts = StreamState.FAILED, key, facts

    @property
    def gave_nothing(self) -> bool:
        """Whether it was let run and said nothing; an inventory may have nothing to say, a file is empty at times."""
        if self.said or self.stopped or not self.framed:
            return False
        return self.repeats or self.exit_status != 0

    def come_to_an_end(self, why_never: str, facts: Mapping[str, object]) -> None:
        """Nothing more will happen; what never began has failed for the reason given, as has what gave nothing."""
        if self.starts and self.gave_nothing and self.state is not StreamState.FAILED:
            self.fail(self.error_key or "capture_without_output", **(self.error_facts or self.how_it_ended()))
        if self.over:
            return
        if self.starts:
            self.state = StreamState.ENDED
        elif not self.stopped:
            self.fail(why_never, **facts)

    def how_it_ended(self) -> dict[str, object]:
        """What the sentence of its end tells."""
        line = self.command.probe if self.command.kind is CommandKind.HOUSE else self.command.tool_line
        return {
            "exit_status": "?" if self.exit_status is None else self.exit_status,
            "stderr": self.stderr_tail.decode("utf-8", "replace").strip().rpartition("\n")[2][:200],
            "tool": self.command.tool or line,
        }

    def summary(self) -> dict[str, object]:
        """The last word on it, for the journal."""
        return {
            "state": self.state,
            "lines": self.lines,
            "bytes": self.bytes,
            "exit_status": self.exit_status,
            "cpu_s": self.cpu_s,
            "ran_s": round(self.ran_s, 3),
            "starts": self.starts,
            "error": self.error_key,
            "error_facts": dict(self.error_facts),
            "stderr_tail": self.stderr_tail.decode("utf-8", "replace"),
        }

    def view(self, gaps: int) -> StreamView:
        last_s = self.last_line_s
        return StreamView(
            self.id,
            self.command.probe,
            self.state,
            self.lines,
            self.bytes,
            None if last_s is None else max(time.monotonic() - last_s, 0.0),
            self.last_line,
            gaps,
            self.exit_status,
            self.error_key,
            self.error_facts,
            self.cpu_s,
        )


class Start:
    """One start of a command: the sink of its bytes.

    Attributes:
        began_ns: server time of the begin marker, UTC nanoseconds; None until it came.
        whole: its end marker came.
        kept_bytes: of the output, on its way to the disk or there.
        over: the key of the sentence for what went beyond its bound, at `over_at` of this machine's clock; what came
            after that was not taken.
    """

    def __init__(self, run: StreamRun, number: int) -> None:
        self.run = run
        self.number = number
        self.remote: RemoteStream | None = None
        self.started_s = time.monotonic()
        self.pid: int | None = None
        self.began_ns: int | None = None
        self.exit_status: int | None = None
        self.cpu_s: float | None = None
        self.whole = False
        self.bytes = 0
        self.lines = 0
        self.over: str | None = None
        self.over_at = ""
        self._settings = run.settings
        self.kept_bytes = 0
        self._received = 0
        self._line_bytes = 0
        self._frames = FrameReader(run.nonce, eager=True)
        self._rest = b""

    # -- on a thread of the link -------------------------------------------------------------------

    def received(self, data: bytes, arrived_ns: int) -> None:
        self._line_bytes = len(data) - data.rfind(b"\n") - 1 if b"\n" in data else self._line_bytes + len(data)
        if self._is_within(len(data)):
            self.kept_bytes += len(data)
            self.run.spool.put(self.run.folder, JournalKind.DATA, self.run.id, data, self._delivered, arrived_ns)

    def _is_within(self, size: int) -> bool:
        """Whether so many more bytes are still taken."""
        self._received += size
        if self.over is None and self.run.framed and self._line_bytes > self._settings.line_bytes:
            self._go_over("capture_line_endless")
        elif self.over is None:
            elapsed_s = time.monotonic() - self.started_s
            if self._received > allowed_bytes(self.run.command, elapsed_s, self._settings):
                self._go_over("capture_floods")
        return self.over is None

    def _go_over(self, key: str) -> None:
        self.over_at = time.strftime("%H:%M:%S")
        self.over = key

    def complained(self, data: bytes, arrived_ns: int) -> None:
        if self._is_within(len(data)):
            self.run.spool.put(self.run.folder, JournalKind.STDERR, self.run.id, data, self._complaint, arrived_ns)

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        ended = Ended(self, exit_status, signal, loss)
        facts = {"start": self.number, "exit_status": exit_status, "signal": signal, "loss": loss}
        self.run.spool.event(
            self.run.folder, "command_ended", facts, self.run.id, lambda _record: self._finished(ended)
        )

    # -- on the spool's thread ---------------------------------------------------------------------

    def _delivered(self, record: Spooled) -> None:
        self.bytes += len(record.payload)
        if self.run.framed:
            for frame in self._frames.feed(record.payload):
                self._take(frame, record)
        elif not self.lines:
            self.lines = 1
            self.run.post(Begun(self))
        self.run.pass_on(record)

    def _take(self, frame: object, record: Spooled) -> None:
        if isinstance(frame, Data):
            self._sample(frame.data, record)
        elif isinstance(frame, Begin):
            self.pid, self.began_ns = frame.pid, frame.began_ns
            self.run.post(Begun(self))
        elif isinstance(frame, End) and not frame.torn:
            self.exit_status, self.cpu_s, self.whole = frame.exit_status, frame.cpu_s, True

    def _sample(self, data: bytes, record: Spooled) -> None:
        run = self.run
        lines = data.count(b"\n")
        if not lines:
            self._rest = (self._rest + data)[-4096:]
            return
        run.last_sample_ns, run.last_line_s = record.wall_ns, record.steady_ns / 1e9
        run.lines += lines
        self.lines += lines
        whole, _, self._rest = (self._rest + data).rpartition(b"\n")
        shown = without_stamps(whole[-4096:]).rstrip().rpartition(b"\n")[2]
        if shown:
            run.said = True
            run.last_line = shown.decode("utf-8", "replace")[:LONGEST_SHOWN_LINE]

    def _complaint(self, record: Spooled) -> None:
        self.run.stderr_tail = (self.run.stderr_tail + record.payload)[-STDERR_TAIL_BYTES:]

    def _finished(self, ended: Ended) -> None:
        for frame in self._frames.finish():
            if isinstance(frame, End):
                self._take(frame, _NOTHING)
        run = self.run
        run.ran_s += time.monotonic() - self.started_s
        run.exit_status = self.exit_status if self.whole else ended.exit_status
        if self.cpu_s is not None:
            run.cpu_s = (run.cpu_s or 0.0) + self.cpu_s
        run.torn = not self.whole
        run.post(ended)

    # -- why it ended ------------------------------------------------------------------------------

    @property
    def cannot_run(self) -> str:
        """The error key where starting it again would not help: not found, not executable, no permission."""
        status = self.run.exit_status
        if status in _CANNOT_RUN:
            return _CANNOT_RUN[status]
        if status not in (0, None) and not self.lines and _NO_PERMISSION.search(self.run.stderr_tail):
            return "capture_no_permission"
        return ""


_NOTHING = Spooled("", JournalKind.EVENT, "", 0, 0, b"")
