"""What happens while a plan runs: states, gaps, clocks, marks."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from tunebench.core.records import record

Leftovers = Literal["none", "found", "unknown"]


class HostState(StrEnum):
    IDLE = "idle"
    SCHEDULED = "scheduled"
    CONNECTING = "connecting"
    HOST_KEY = "host_key"
    AUTHENTICATING = "authenticating"
    PROBING = "probing"
    CAPTURING = "capturing"
    SUSPECT = "suspect"
    WAITING = "waiting"  # lost; the next try comes after the back-off
    DRAINING = "draining"
    VERIFYING = "verifying"
    DONE = "done"
    REFUSED = "refused"  # final: host key, authentication, policy


class StreamState(StrEnum):
    PLANNED = "planned"
    STARTING = "starting"
    CAPTURING = "capturing"
    SUSPECT = "suspect"  # no line for three intervals while the connection answers: the server stalls
    LOST = "lost"
    WAITING = "waiting"
    DRAINING = "draining"
    VERIFIED = "verified"  # ended, and nothing of it is left on the server
    ENDED = "ended"  # ended; whether anything is left could not be asked
    FAILED = "failed"  # cannot run here (not found, no permission, refused)


class GapCause(StrEnum):
    NETWORK_LOST = "network_lost"
    SERVER_SILENT = "server_silent"
    SERVER_REBOOT = "server_reboot"
    PROCESS_ENDED = "process_ended"
    KILLED_BY_SERVER = "killed_by_server"
    CLIENT_SUSPEND = "client_suspend"
    CLIENT_CRASH = "client_crash"
    SEAM = "seam"
    CLOCK_STEP = "clock_step"
    LIMIT_REACHED = "limit_reached"
    NOT_STARTED = "not_started"


class SessionState(StrEnum):
    RUNNING = "running"
    INTERRUPTED = "interrupted"  # TuneBench died; its spool waits
    FINISHED = "finished"
    FAILED = "failed"


@record
class CaptureGap:
    """A stretch without samples. Times are the server's, UTC ns; `end_ns` None: nothing came after.

    `start_ns` is the last complete sample before (or the planned start), `detected_at` ISO (UTC) of this machine.
    """

    stream: str
    start_ns: int
    end_ns: int | None
    cause: GapCause
    detected_at: str
    evidence: str = ""


@record
class ClockCheck:
    """Server clock minus this machine's, nanoseconds; the truth lies within +- `error_ns` (half a round trip)."""

    host: str
    taken_at: str  # ISO (UTC), this machine
    offset_ns: int
    error_ns: int
    zone: str  # IANA name where the server names one, else its abbreviation, else empty
    utc_offset_s: int | None
    boot_id: str


@record
class StreamSegment:
    """One unbroken start of a command inside its artefact.

    Attributes:
        number: 0, 1, 2 ... in the order of starts.
        first_byte, end_byte: of the tool's own output in the artefact, markers left out.
        first_line: 1-based line number of the first of these bytes.
        began_ns, ended_ns: server clock, UTC ns; None where the end marker never came.
        exit_status: the tool's; None where not known.
        cpu_s: processor time of the tool and its children on the server, user + system; None: not measured.
        pid: of the wrapper on the server.
    """

    number: int
    first_byte: int
    end_byte: int
    first_line: int
    began_ns: int | None
    ended_ns: int | None
    exit_status: int | None
    cpu_s: float | None
    pid: int | None = None


@record
class SystemFact:
    """One fact of a host's configuration, ``("kernel", "vm.swappiness", "60")``."""

    section: str
    name: str
    value: str


@record
class CaptureMark:
    """Words typed while the test ran, at a moment of this machine's clock (UTC ns)."""

    time_ns: int
    text: str
    author: str


@record
class SessionRecord:
    """One running of a plan.

    Attributes:
        digest: of the plan.
        spool: folder of the raw bytes.
        label: ``before``, ``after`` or other words.
        started_at, ended_at: ISO (UTC); `ended_at` is None until the session is finished or has failed.
        user, machine: who ran TuneBench where.
    """

    id: int
    digest: str
    run_id: int
    spool: str
    label: str
    state: SessionState
    started_at: str
    ended_at: str | None
    note: str
    user: str
    machine: str


@record
class StreamRecord:
    """What became of one command of a session.

    Attributes:
        bytes, lines: received, markers included.
        exit: the tool's last exit status; None where not known.
        cpu_s: its processor time on the server over all starts; None where not measured.
        leftovers: whether processes of it were found on the server after its end.
    """

    command_id: str
    host_id: int | None
    artefact_id: int | None
    state: StreamState
    tool_version: str = ""
    bytes: int = 0
    lines: int = 0
    exit: int | None = None
    stderr_tail: str = ""
    cpu_s: float | None = None
    leftovers: Leftovers = "unknown"


@record
class ServerCost:
    """What all our processes on a server used, and over how long; `processes` is the most that were there at a time.

    The sshd that carries the connection belongs to the system and is not among them.
    """

    cpu_s: float
    measured_s: float
    processes: int

    @property
    def cpu_pct(self) -> float:
        """Processor time as a share of one core."""
        return 100.0 * self.cpu_s / self.measured_s
