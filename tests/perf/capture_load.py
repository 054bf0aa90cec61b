"""A hundred hosts with several streams each: what the engine takes for it, in a process of its own.

Each stream prints one numbered and stamped line a second. Measured are the engine's share of one core, its memory, the
latency of a line from the server's stamp to its delivery after it is safe on disk, and lines that were lost. Server and
client share the machine, and with it the clock.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tests.e2e.capture_rig import Nobody
from tests.e2e.sshd_rig import Sshd
from tests.perf.measure import ROOT
from tunebench.capture.plan_run import RunOrder
from tunebench.capture.session import CaptureSession
from tunebench.capture.settings import CaptureSettings
from tunebench.domain.capturing.plan import Approval, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.domain.capturing.run import HostState
from tunebench.domain.connection import Backend, HostProfile
from tunebench.domain.engagement import Engagement, Phase
from tunebench.plughost.host import PluginHost
from tunebench.store import plans, runs, sessions
from tunebench.store.opening import create_project
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import LinkSettings

NONCE = "be7c4000"
# One process per stream and no fork per line: the server shall not be what is measured. It ends with its stdin.
LINE = (
    f'printf "@tunebench {NONCE} begin id=ID pid=$$ interval=1 utc=2026-01-01T00:00:00Z local= zone=UTC\\n";'
    'exec perl -MTime::HiRes=time,sleep -e \'$|=1;my $n=0;my $r="";my $at=time;'
    "while(1){my $w=$at-time;vec($r,0,1)=1;if(select(my $x=$r,undef,undef,$w>0?$w:0)){exit unless sysread(STDIN,my $b,64);next}"
    "next if time<$at;printf(qq(line %d %.6f\\n),$n++,time);$at+=$n==1?rand(1)+.01:1}'"
)


def planned(host: str, number: int) -> PlannedCommand:
    command_id = f"{host}/numbered{number}"
    line = LINE.replace("ID", command_id) + f" {number}"
    return PlannedCommand(
        command_id,
        host,
        "numbered",
        CommandKind.STREAM,
        "numbered",
        line,
        "",
        "",
        tool="perl",
        interval_s=1.0,
        count=100_000,
    )


def engine(folder: Path, hosts: int, streams: int, seconds: float, backend: str) -> dict[str, Any]:
    """Runs in the child: captures and measures itself."""
    raw = json.loads((folder / "profile.json").read_text())
    profile = HostProfile(**{**raw, "backend": Backend(backend), "jump": (), "weak_algorithms": ()})
    names = [f"h{number:03d}" for number in range(hosts)]
    commands = tuple(planned(name, number) for name in names for number in range(streams))
    planned_hosts = tuple(PlannedHost(name, profile.address, profile.port, profile.user, "linux", "") for name in names)
    plan = CapturePlan(NONCE, "2026-01-01T00:00:00+00:00", "r", "other", planned_hosts, commands, 1.0, 86400.0)
    project = create_project(folder / "bench.tune", Engagement("b", "b"))
    plans.save_plan(project, plan)
    approval = Approval(plan.digest, "b", "2026-01-01T00:00:00+00:00", "command_line")
    run = runs.ensure_run(project, "r", Phase.OTHER)
    session_id = sessions.begin_session(project, plan.digest, run.id, str(folder / "spool"), "r")
    connector = connector_for(Backend(backend), tuple)
    order = RunOrder(
        project,
        session_id,
        plan,
        approval,
        folder / "spool",
        [replace(profile, name=name) for name in names],
        lambda _profile: connector,
        Nobody(),
        CaptureSettings(free_bytes=0, link=LinkSettings(use_keyring=False)),
    )
    session = CaptureSession(order, PluginHost([]))
    meter = Meter(session)
    began_s = time.monotonic()
    session.start()
    while meter.first_line_s is None:
        time.sleep(0.002)
    first_s = meter.first_line_s - began_s
    while not all(stream.lines > 1 for host in session.snapshot().hosts for stream in host.streams):
        time.sleep(0.5)
    all_s = time.monotonic() - began_s
    figures = meter.measure(seconds)
    looks = sorted(timed(session) for _ in range(50))
    session.stop()
    ended = session.wait(120.0)
    done = all(host.state is HostState.DONE for host in session.snapshot().hosts)
    session.close()
    project.close()
    return {
        "hosts": hosts,
        "streams": hosts * streams,
        "first_line_ms": round(first_s * 1000, 1),
        "all_streams_running_s": round(all_s, 1),
        **figures,
        "snapshot_ms": round(looks[25] * 1000, 2),
        "lost_lines": meter.lost_lines,
        "ended_well": ended and done,
    }


def timed(session: CaptureSession) -> float:
    began = time.perf_counter()
    session.snapshot()
    return time.perf_counter() - began


class Meter:
    """Listens to every stream where a window would."""

    def __init__(self, session: CaptureSession) -> None:
        self.first_line_s: float | None = None
        self.lost_lines = 0  # missing, or come twice, or out of order
        self._latencies = array("d")
        self._next: dict[str, int] = {}
        self._measuring = False
        self._lock = threading.Lock()
        for runner in session._runners.values():
            for run in runner.runs:
                run.listeners = (self._heard,)

    def _heard(self, record: Any) -> None:
        now = time.time()
        if self.first_line_s is None and b"line 0" in record.payload:
            self.first_line_s = time.monotonic()
        for line in record.payload.split(b"\n"):
            fields = line.split()
            if len(fields) == 3 and fields[0] == b"line":
                number = int(fields[1])
                self.lost_lines += abs(number - self._next.get(record.stream, 0))
                self._next[record.stream] = number + 1
                if self._measuring:
                    self._latencies.append(now - float(fields[2]))

    def measure(self, seconds: float) -> dict[str, Any]:
        began, cpu = time.monotonic(), cpu_s()
        self._latencies = array("d")
        self._measuring = True
        time.sleep(seconds)
        self._measuring = False
        took_s = time.monotonic() - began
        latencies = sorted(self._latencies)
        return {
            "seconds": round(took_s, 1),
            "lines": len(latencies),
            "cpu_pct": round(100 * (cpu_s() - cpu) / took_s, 1),
            "rss_mb": round(rss_bytes() / 1e6, 1),
            "threads": threading.active_count(),
            "latency_median_ms": round(1000 * statistics.median(latencies), 1),
            "latency_p99_ms": round(1000 * latencies[int(0.99 * len(latencies))], 1),
            "latency_max_ms": round(1000 * latencies[-1], 1),
        }


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + children.ru_utime + children.ru_stime


def rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run_engine(hosts: int, streams: int, seconds: float, backend: str = "paramiko") -> dict[str, Any]:
    """The figures of one run against a server of its own."""
    sshd = Sshd()
    try:
        sshd.start(f"MaxStartups {hosts * 4}:30:{hosts * 8}", f"MaxSessions {max(streams + 5, 10)}", "LogLevel INFO")
        with tempfile.TemporaryDirectory(prefix="tunebench-bench-") as name:
            folder = Path(name)
            (folder / "profile.json").write_text(json.dumps(asdict(sshd.profile())))
            words = [str(folder), str(hosts), str(streams), str(seconds), backend]
            child = subprocess.run(
                [sys.executable, "-m", "tests.perf.capture_load", *words],
                capture_output=True,
                text=True,
                cwd=ROOT,
                timeout=seconds + 300,
            )
            if child.returncode:
                raise RuntimeError(child.stderr[-3000:])
            return dict(json.loads(child.stdout.splitlines()[-1]))
    finally:
        sshd.remove()


def main() -> None:
    folder, hosts, streams, seconds, backend = sys.argv[1:]
    print(json.dumps(engine(Path(folder), int(hosts), int(streams), float(seconds), backend)), flush=True)


if __name__ == "__main__":
    main()
