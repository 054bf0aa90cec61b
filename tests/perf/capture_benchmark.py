"""Measures capture over SSH against a server of its own and prints a table.

    python -m tests.perf.capture_benchmark            about three minutes
    python -m tests.perf.capture_benchmark --long     the hundred hosts for ten minutes, the default set for three

Server and client share the machine; nothing passes or fails by its time.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.e2e.capture_rig import Engine
from tests.e2e.processes import processes
from tests.e2e.ssh_people import Desk, Sink, open_files, ssh_threads
from tests.e2e.sshd_rig import Sshd, missing
from tests.perf.capture_load import cpu_s, rss_bytes, run_engine
from tests.perf.measure import machine
from tests.waiting import wait_until
from tunebench.capture.planning import PlanRequest, build_plan, choose_probes
from tunebench.capture.session import CaptureSession
from tunebench.domain.capturing.plan import CapturePlan, PlannedHost
from tunebench.domain.connection import Backend
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import Link

HEADING = "## Capture over SSH"
FILE_MB = 200
ROUND_TRIPS = 300
CYCLES = 200
PLANNED_S = 600.0
"""Of the capture whose cost is measured: the longer it is, the more seldom TuneBench itself measures that."""
BY_SECOND = ("linux.vmstat", "linux.iostat", "linux.mpstat", "linux.sar")
Row = tuple[str, str, str]
"""What, its target, what was measured."""


@dataclass(frozen=True)
class Server:
    """A running server and somebody who connects to it."""

    sshd: Sshd
    desk: Desk

    def open(self, backend: Backend) -> Link:
        profile = replace(self.sshd.profile(), backend=backend)
        return self.desk.open(profile, connector=connector_for(backend, tuple))


@contextmanager
def server() -> Iterator[Server]:
    """With the log of a customer's server: at its most talkative it would be the log that is measured."""
    sshd, desk = Sshd(), Desk()
    try:
        sshd.start("LogLevel INFO")
        yield Server(sshd, desk)
    finally:
        desk.close()
        sshd.remove()


def seconds_of(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


def spread(seconds: Sequence[float]) -> str:
    """Median and 99th percentile, in ms."""
    ordered = sorted(seconds)
    return f"{1e3 * statistics.median(ordered):.1f} ms (p99 {1e3 * ordered[int(0.99 * len(ordered))]:.1f} ms)"


# --- connecting and asking


def connecting(place: Server) -> list[Row]:
    """From the name to an authenticated, watched connection; and one command on it that does nothing."""
    bare = [seconds_of(lambda: subprocess.run(["/bin/true"], check=True)) for _ in range(ROUND_TRIPS)]
    rows = [row for backend in Backend for row in _connecting_by(place, backend)]
    return [*rows, ("For comparison: starting `/bin/true` here", "", spread(bare))]


def _connecting_by(place: Server, backend: Backend) -> list[Row]:
    connects = [seconds_of(lambda: place.open(backend).close()) for _ in range(20)]
    link = place.open(backend)
    for _ in range(20):
        link.run("true", 10)
    trips = [seconds_of(lambda: link.run("true", 10)) for _ in range(ROUND_TRIPS)]
    link.close()
    return [
        (f"Connect and authenticate, {backend}", "", spread(connects)),
        (f"Command round trip (`true`), {backend}", "< 5 ms" if backend is Backend.PARAMIKO else "", spread(trips)),
    ]


def first_sample(rounds: int) -> Row:
    """From the start of a session to the first figures of the default set on disk, for each backend."""
    told = []
    for backend in Backend:
        taken = []
        for _ in range(rounds):
            with capture(backend, 60.0) as (_engine, session):
                taken.append(first_line_s(session))
        told.append(f"{backend} {spread(taken)}")
    return ("Connect and first sample (default set)", "< 1 s", ", ".join(told))


def first_line_s(session: CaptureSession) -> float:
    """`session.start` to the first line of vmstat's own figures."""
    came = threading.Event()
    for runner in session._runners.values():
        for run in runner.runs:
            if run.command.probe == "linux.vmstat":
                run.listeners = (lambda record: came.set() if re.search(rb"(?m)^ +\d+ ", record.payload) else None,)
    began_s = time.perf_counter()
    session.start()
    assert came.wait(30), "no sample came"
    return time.perf_counter() - began_s


@contextmanager
def capture(backend: Backend, duration_s: float) -> Iterator[tuple[Engine, CaptureSession]]:
    """A session of the default set that is yet to be started, on a server of its own."""
    sshd = Sshd()
    with tempfile.TemporaryDirectory(prefix="tunebench-bench-") as name:
        engine = Engine(Path(name), sshd.start("LogLevel INFO"))
        try:
            plan = default_plan(engine, backend, duration_s)
            engine.plan = lambda *_: plan  # type: ignore[method-assign]
            engine.profile = lambda: replace(sshd.profile(os="linux"), backend=backend)  # type: ignore[method-assign]
            yield engine, engine.prepare()
        finally:
            engine.close()
            sshd.remove()


def default_plan(engine: Engine, backend: Backend, duration_s: float) -> CapturePlan:
    sshd = engine.sshd
    host = PlannedHost("server", sshd.address, sshd.port, sshd.user, "linux", "profile", backend=str(backend))
    probes = engine.plugins.probes()
    chosen = {"server": choose_probes(["default"], "linux", probes)}
    return build_plan(PlanRequest((host,), chosen, "before", "before", 1.0, duration_s), probes)


# --- many hosts


def many_hosts(seconds: float, backend: Backend = Backend.PARAMIKO) -> list[Row]:
    found = run_engine(100, 5, seconds, str(backend))
    what = f"100 hosts x 5 streams at 1 s, {found['seconds']:.0f} s:"
    latency = f"{found['latency_median_ms']} ms (p99 {found['latency_p99_ms']} ms, worst {found['latency_max_ms']} ms)"
    return [
        (f"{what} engine, of one core", "< 30 %", f"{found['cpu_pct']} %"),
        (f"{what} memory", "< 300 MB", f"{found['rss_mb']:.0f} MB, {found['threads']} threads"),
        (f"{what} line latency, median", "< 50 ms", latency),
        (f"{what} lines lost", "0", f"{found['lost_lines']} of {found['lines']:,}"),
        (f"{what} all streams under way after", "", f"{found['all_streams_running_s']} s"),
        (f"{what} a look at all states", "", f"{found['snapshot_ms']} ms"),
    ]


# --- fetching a file


def fetching(place: Server, rounds: int = 3) -> list[Row]:
    """In turn, so that a neighbour's work meets all of them; each file is written, and made safe, on the same disk."""
    with tempfile.TemporaryDirectory(prefix="tunebench-bench-") as name:
        folder = Path(name)
        source = folder / "source.bin"
        source.write_bytes(os.urandom(FILE_MB * 1_000_000))
        ways = {"scp": lambda: scp(place.sshd, source, folder / "scp.bin")} | {
            str(backend): lambda backend=backend: pull(place, backend, source, folder / "pulled.bin")
            for backend in Backend
        }
        taken: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, fetch in ways.items():
                taken[way].append(seconds_of(fetch))
    median = {way: statistics.median(seconds) for way, seconds in taken.items()}
    return [_fetching_row(way, median[way], median["scp"]) for way in map(str, Backend)]


def _fetching_row(way: str, seconds: float, scp_s: float) -> Row:
    told = f"{seconds:.2f} s, {FILE_MB / seconds:.0f} MB/s; scp {scp_s:.2f} s: {seconds / scp_s:.2f} x"
    return (f"Fetching {FILE_MB} MB, {way}", "< 1.5 x scp", told)


def scp(sshd: Sshd, source: Path, target: Path) -> None:
    profile = sshd.profile()
    options = (
        "BatchMode=yes",
        f"UserKnownHostsFile={sshd.known_hosts}",
        f"IdentityFile={profile.identity}",
        "IdentitiesOnly=yes",
    )
    words = [word for option in options for word in ("-o", option)]
    place = f"{profile.user}@{profile.address}:{source}"
    subprocess.run(["scp", "-q", "-F", "none", *words, "-P", str(profile.port), place, str(target)], check=True)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def pull(place: Server, backend: Backend, source: Path, target: Path) -> None:
    """Connects as scp has to, and writes each piece as it comes."""
    link = place.open(backend)
    with target.open("wb") as file:
        sink = WritingSink(file)
        link.pull(str(source), 0, sink)
        assert sink.done.wait(120), "the file did not come"
        assert sink.end == (0, "", None)
        file.flush()
        os.fsync(file.fileno())
    link.close()
    assert target.stat().st_size == source.stat().st_size


class WritingSink(Sink):
    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file

    def received(self, data: bytes, arrived_ns: int) -> None:
        self._file.write(data)


# --- what the server pays, what the client keeps


def server_load(seconds: float) -> list[Row]:
    """What the kernel counted for everything that the capture runs on the server, and for the server's sshd."""
    with capture(Backend.PARAMIKO, PLANNED_S) as (engine, session):
        sshd = engine.sshd
        session.start()
        assert wait_until(lambda: _under_way(session), 20)
        began_s, before, sshd_s, own_s = time.monotonic(), commands_cpu_s(sshd), sshd_cpu_s(sshd), cpu_s()
        time.sleep(seconds)
        took_s = time.monotonic() - began_s
        after, sshd_s, own_s = commands_cpu_s(sshd), sshd_cpu_s(sshd) - sshd_s, cpu_s() - own_s
        told_pct = session.snapshot().hosts[0].overhead_pct
        received = sum(one.bytes for one in session.snapshot().hosts[0].streams)
    shares = {name: 100 * (used_s - before.get(name, 0.0)) / took_s for name, used_s in after.items()}
    each = ", ".join(f"{name} {share:.3f}" for name, share in sorted(shares.items()))
    told = "nothing yet" if told_pct is None else f"{told_pct:.2f} %"
    what = f"Default set at 1 s, {seconds:.0f} s:"
    return [
        (f"{what} all that runs on the server for it", "< 1 %", f"{sum(shares.values()):.2f} % of one core ({each})"),
        (f"{what} the same as TuneBench measures it", "", told),
        (f"{what} the server's sshd", "", f"{100 * sshd_s / took_s:.2f} %"),
        (f"{what} TuneBench itself", "", f"{100 * own_s / took_s:.2f} %; {received / took_s / 1e3:.1f} KB/s received"),
    ]


def _under_way(session: CaptureSession) -> bool:
    return all(stream.lines > 2 for stream in session.snapshot().hosts[0].streams if stream.probe in BY_SECOND)


def commands_cpu_s(sshd: Sshd) -> dict[str, float]:
    """By program: its own time to the nanosecond, and that of children it has waited for in ticks."""
    found: dict[str, float] = {}
    names = {process.pid: process.name for process in processes()}
    for pid in sshd.account_pids():
        with suppress(OSError):  # it ended meanwhile: a shell that waited for it has its time
            own_ns = int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks = int(fields[13]) + int(fields[14])
            name = names.get(pid, "?")
            found[name] = found.get(name, 0.0) + own_ns / 1e9 + ticks / os.sysconf("SC_CLK_TCK")
    return found


def sshd_cpu_s(sshd: Sshd) -> float:
    total = 0
    for pid in sshd.session_pids():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def cycles(place: Server) -> list[Row]:
    rows: list[Row] = []
    for backend, count in ((Backend.PARAMIKO, CYCLES), (Backend.OPENSSH, CYCLES // 4)):
        _cycle(place, backend, 20)
        threads, files, memory = _kept()
        _cycle(place, backend, count)
        after = _kept()
        told = f"{after[0] - threads:+d} threads, {after[1] - files:+d} files, {(after[2] - memory) / 1e6:+.1f} MB"
        rows.append((f"Left after {count} connects and closes, {backend}", "nothing", told))
    return rows


def _cycle(place: Server, backend: Backend, count: int) -> None:
    for _ in range(count):
        place.open(backend).close()
        place.desk.links.clear()
    assert wait_until(lambda: not ssh_threads())


def _kept() -> tuple[int, int, int]:
    gc.collect()
    return threading.active_count(), open_files(), rss_bytes()


# --- the page


def measure(long: bool) -> Iterator[Row]:
    with server() as place:
        yield from connecting(place)
        yield from cycles(place)
        yield from fetching(place)
    yield first_sample(5)
    yield from server_load(180.0 if long else 60.0)
    yield from many_hosts(600.0 if long else 60.0)


def page(rows: Sequence[Row], busy: tuple[float, float], long: bool) -> str:
    words = f"tests.perf.capture_benchmark{' --long' if long else ''}"
    cells = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"""\
{HEADING}
`{words}`, {datetime.now(UTC):%Y-%m-%d}, {machine()}; OpenSSH
on the same machine, reached over the loopback, works on the same cores. Load average: {busy[0]:.1f} before, {busy[1]:.1f} after.
Targets are those of the design, for a quiet machine; nothing passes or fails by them. Medians, unless said otherwise.

| What | Target | Measured |
|---|---|---|
{cells}
"""


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--long", action="store_true", help="the hundred hosts for ten minutes")
    given = words.parse_args()
    reason = missing()
    if reason:
        print(f"{HEADING}\nNot measured here: {reason}.")
        return 0
    busy = os.getloadavg()[0]
    rows: list[Row] = []
    for row in measure(given.long):
        rows.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    print(page(rows, (busy, os.getloadavg()[0]), given.long))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
