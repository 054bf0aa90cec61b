"""What a long capture needs around it: the program as a process, a local recording beside it, the faults in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from tests.e2e.agreement import Samples
from tests.e2e.network_rig import Network
from tests.e2e.processes import command_line, processes
from tests.e2e.sshd_rig import Sshd
from tests.waiting import wait_until
from tunebench.capture.spooled import SESSION_FILE, SpooledSession, read_session
from tunebench.domain.capturing.run import GapCause

ROOT = Path(__file__).resolve().parents[2]
RECORDERS = {
    "vmstat": ("vmstat", "-n", "-t", "-w", "1"),
    "iostat": ("iostat", "-x", "-t", "-k", "1"),
    "mpstat": ("mpstat", "-P", "ALL", "1"),
}
STREAMS = ("linux.vmstat", "linux.iostat", "linux.mpstat", "linux.sar")
NOTICED_WITHIN_S = 30.0
BACK_WITHIN_S = 120.0


class Program:
    """`main.py` with one engagement; its words to people go to a log."""

    def __init__(self, folder: Path, sshd: Sshd) -> None:
        self.project = folder / "acme.tune"
        self.spool = folder / "acme.capture" / "session-0001"
        self._folder, self._sshd = folder, sshd
        self._process: subprocess.Popen[bytes] | None = None
        self.run("new", self.project, "--customer", "ACME", "--zone", "Asia/Seoul", "--lang", "en")

    def run(self, *words: object) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "main.py", *map(str, words)]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)

    def capture(self, duration_s: float) -> None:
        """Drafts the plan of the default set, keeps and approves it, and runs it."""
        profile = self._sshd.profile()
        self._start(
            "--host",
            f"{profile.user}@{profile.address}:{profile.port}",
            "--identity",
            profile.identity,
            "--known-hosts",
            str(self._sshd.known_hosts),
            "--probe",
            "default",
            "--interval",
            "1",
            "--duration",
            f"{duration_s:g}",
            "--run",
            "before",
            "--phase",
            "before",
            "--approved-by",
            "Kim",
        )

    def resume(self) -> None:
        self._start("--resume")

    def _start(self, *words: str) -> None:
        with (self._folder / "program.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "main.py", "capture", str(self.project), *words],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def finish(self, timeout_s: float) -> int:
        assert self._process is not None
        code = self._process.wait(timeout_s)
        self._process = None
        return code

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def peak_mb(self) -> float:
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / 1e6

    @property
    def cpu_s(self) -> float:
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # -- what it has on its disk -------------------------------------------------------------------

    def left(self) -> SpooledSession | None:
        return read_session(self.spool) if (self.spool / SESSION_FILE).exists() else None

    def captures(self, lines: int = 5) -> bool:
        """Every stream has come so far, and nothing is missing just now."""
        left = self.left()
        if left is None or left.open_gaps:
            return False
        return all(stream.lines >= lines for stream in left.streams.values() if stream.command.probe in STREAMS)

    def misses(self, cause: GapCause) -> bool:
        """Every stream of the default set is in a gap of this cause."""
        left = self.left()
        if left is None:
            return False
        missing = {left.streams[gap.stream].command.probe for gap in left.open_gaps.values() if gap.cause is cause}
        return missing >= set(STREAMS)

    def remote_processes(self) -> list[int]:
        """What on the server carries this capture's mark."""
        left = self.left()
        assert left is not None
        return marked_processes(left.file.plan.nonce)


def marked_processes(nonce: str) -> list[int]:
    return [process.pid for process in processes() if f"cap{nonce}" in command_line(process.pid)]


# --- the recording beside it


class LocalRecording:
    """The same tools on the same machine, without SSH and without us; and work with a recognisable rhythm."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.began = datetime.now(UTC)
        self._done = threading.Event()
        self._tools: list[subprocess.Popen[bytes]] = []
        self._rhythm = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        environment = {**os.environ, "LC_ALL": "C", "S_TIME_FORMAT": "ISO", "TZ": "UTC"}
        for name, words in RECORDERS.items():
            with self.path(name).open("wb") as out:
                self._tools.append(subprocess.Popen(words, stdout=out, env=environment))
        self._rhythm.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._rhythm.join(10)
        for tool in self._tools:
            tool.send_signal(signal.SIGTERM)
            tool.wait(10)

    def path(self, name: str) -> Path:
        return self._folder / f"local-{name}.txt"

    def _beat(self) -> None:
        """A second of many context switches every 13: a sample of another time would stand out."""
        while not self._done.wait(12.0):
            until = time.monotonic() + 1.0
            while time.monotonic() < until:
                time.sleep(20e-6)

    def samples(self, tool: str, native: str, device: str = "") -> Samples:
        """What the tool said, read without TuneBench's parsers; the block since boot is left out."""
        lines = self.path(tool).read_text().splitlines()
        found = {"vmstat": _vmstat, "iostat": _iostat, "mpstat": _mpstat}[tool](lines, native, device, self.began)
        return list(found)[1:] if tool != "mpstat" else list(found)


def _vmstat(lines: list[str], native: str, _device: str, _began: datetime) -> Iterator[tuple[int, float]]:
    names = lines[1].split()
    at = names.index(native)
    for line in lines[2:]:
        fields = line.split()
        if len(fields) >= len(names) + 1:  # the stamp is two words, its heading one
            moment = datetime.fromisoformat(" ".join(fields[-2:])).replace(tzinfo=UTC)
            yield int(moment.timestamp()), float(fields[at])


def _iostat(lines: list[str], native: str, device: str, _began: datetime) -> Iterator[tuple[int, float]]:
    at, stamp = 0, 0
    for line in lines:
        fields = line.split()
        if len(fields) == 1 and "T" in line and line[:2] == "20":
            stamp = int(datetime.strptime(line.strip(), "%Y-%m-%dT%H:%M:%S%z").timestamp())
        elif fields[:1] == ["Device"]:
            at = fields.index(native)
        elif fields[:1] == [device] and len(fields) > at:
            yield stamp, float(fields[at])


def _mpstat(lines: list[str], native: str, device: str, began: datetime) -> Iterator[tuple[int, float]]:
    """The stamps have no date: it is that of the beginning, and the next one after midnight."""
    midnight = int(began.replace(hour=0, minute=0, second=0, microsecond=0).timestamp())
    at, last = 0, 0
    for line in lines:
        fields = line.split()
        if fields[1:2] == ["CPU"]:
            at = fields.index(native)
        elif fields[1:2] == [device] and fields[0] != "Average:" and len(fields) > at:
            hours, minutes, seconds = map(int, fields[0].split(":"))
            stamp = midnight + 3600 * hours + 60 * minutes + seconds
            if stamp < last:
                midnight, stamp = midnight + 86400, stamp + 86400
            last = stamp
            yield stamp, float(fields[at])


# --- the faults


@dataclass(frozen=True)
class Fault:
    """What was done to the capture; times are seconds since 1970. `causes`: what the gap may be called."""

    name: str
    causes: frozenset[GapCause]
    began_s: float
    ended_s: float


@dataclass
class Faults:
    """Plays them, each at its share of the capture's time at the earliest, and after the last one was overcome."""

    program: Program
    sshd: Sshd
    network: Network | None
    duration_s: float
    rest_s: float = 12.0
    played: list[Fault] = field(default_factory=list)
    peak_mb: float = 0.0
    cpu_s: float = 0.0

    def play(self) -> None:
        began_s = time.monotonic()
        self._back()
        self._at(
            began_s, 0.10, "sessions killed", {GapCause.KILLED_BY_SERVER, GapCause.NETWORK_LOST}, self._kill_sessions
        )
        self._at(began_s, 0.25, "server frozen", {GapCause.NETWORK_LOST}, self._freeze)
        if self.network is not None:
            self._at(began_s, 0.45, "network cut off", {GapCause.NETWORK_LOST}, self._cut_off)
        self._at(began_s, 0.65, "TuneBench killed", {GapCause.CLIENT_CRASH}, self._kill_program)

    def _at(self, began_s: float, share: float, name: str, causes: set[GapCause], fault: Callable[[], None]) -> None:
        time.sleep(max(began_s + share * self.duration_s - time.monotonic(), self.rest_s))
        fault_began_s = time.time()
        fault()
        self.played.append(Fault(name, frozenset(causes), fault_began_s, time.time()))
        self._back()

    def _back(self) -> None:
        wait_until(lambda: self.program.captures() or not self.program.runs, BACK_WITHIN_S, 0.25)
        assert self.program.runs, "the program has ended"
        assert self.program.captures(), "the capture does not come back"

    def _noticed(self) -> None:
        """And then some: the tries to connect again fail for a while."""
        assert wait_until(lambda: self.program.misses(GapCause.NETWORK_LOST), NOTICED_WITHIN_S, 0.25), "not noticed"
        time.sleep(self.rest_s)

    def _kill_sessions(self) -> None:
        self.sshd.kill_sessions()
        missing = wait_until(lambda: not self.program.captures(), 5.0, 0.02)
        assert missing, "the killed sessions were not noticed"

    def _freeze(self) -> None:
        self.sshd.freeze()
        try:
            self._noticed()
        finally:
            self.sshd.thaw()

    def _cut_off(self) -> None:
        assert self.network is not None
        self.network.drop_everything()
        try:
            self._noticed()
        finally:
            self.network.restore()

    def _kill_program(self) -> None:
        self.peak_mb, self.cpu_s = self.program.peak_mb, self.program.cpu_s
        self.program.kill()
        assert wait_until(lambda: not self.program.remote_processes(), 3.0), "processes outlived the program"
        time.sleep(8.0)
        self.program.resume()
