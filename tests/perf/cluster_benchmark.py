"""Measures a folder of captures that goes into an archive by the workers of a cluster: wall time, processor time, memory.

python -m tests.perf.cluster_benchmark --hosts 8 --days 20 --workers 1 2 4

Each host has a capture of `sar` a day (1.3 MB). Workers, scheduler and the program that asks run on this machine; the rows
are compared. What `tunebench.cluster.cost` reckons with comes from here.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.cluster_rig import Cluster
from tests.perf import inputs, tiled_days
from tests.perf.measure import Cost, run_measured
from tunebench.archive.archive import Archive
from tunebench.archive.layout import TABLES

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """Of a process so far."""

    cpu_s: float
    peak_mb: float


@dataclass(frozen=True)
class Run:
    """One import; `workers` and `scheduler` are what it cost them."""

    on: str
    client: Cost
    workers: list[Usage]
    scheduler: Usage
    rows: str

    @property
    def cpu_s(self) -> float:
        return self.client.cpu_s + self.scheduler.cpu_s + sum(worker.cpu_s for worker in self.workers)


def usage(pid: int) -> Usage:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return Usage((int(fields[11]) + int(fields[12])) / _TICKS_PER_S, int(status["VmHWM"].split()[0]) / 1000)


def since(pid: int, before: Usage) -> Usage:
    now = usage(pid)
    return Usage(now.cpu_s - before.cpu_s, now.peak_mb)


def row_digest(place: Path) -> str:
    """Of all rows but when they were written."""
    archive, digest = Archive.existing(place), hashlib.sha256()
    for table in TABLES:
        rows = (repr({**row, "added_ns": 0}) for row in archive.ask(f"SELECT * FROM {table}").as_records())
        digest.update("\n".join(sorted(rows)).encode())
    return digest.hexdigest()[:12]


def take(folder: Path, place: Path, on: str) -> Cost:
    words = ["--title", "Month", "--customer", "ACME", "--consent", "benchmark", "--on", on]
    return run_measured(["main.py", "archive", place, "import", folder, *words])


def warming(folder: Path, hosts: int) -> Path:
    """A folder with the first day of so many hosts."""
    target = folder.with_name(f"warming-{hosts}")
    for host in sorted(folder.iterdir())[:hosts]:
        (target / host.name).mkdir(parents=True)
        shutil.copy2(min(host.iterdir()), target / host.name)
    return target


def on_cluster(folder: Path, place: Path, count: int, home: Path) -> Run:
    """The workers are warm: as many hosts went before as there are workers, each host with a day."""
    with Cluster(home) as cluster:
        cluster.add_workers(count)
        processes = cluster.worker_processes()
        take(warming(folder, count), place.with_name(f"warm-{count}"), cluster.address)
        before = {pid: usage(pid) for pid in [cluster.scheduler_process, *processes]}
        client = take(folder, place, cluster.address)
        workers = [since(pid, before[pid]) for pid in processes]
        scheduler = since(cluster.scheduler_process, before[cluster.scheduler_process])
    return Run(f"{count} workers", client, workers, scheduler, row_digest(place))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--source", type=Path, default=inputs.SAR_SOURCE)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tunebench-cluster-") as scratch:
        work = Path(scratch)
        folder = tiled_days.month(args.source, work / "captures", args.hosts, args.days)
        sizes = [path.stat().st_size for path in folder.rglob("*.txt")]
        print(f"{len(sizes)} captures of {args.hosts} hosts, {sum(sizes) / 1e6:.0f} MB")
        alone = take(folder, work / "local", "local:1")
        print(f"local:1: {alone.wall_s:.1f} s, client {alone.cpu_s:.1f} cpu-s with its process")
        expected = row_digest(work / "local")
        runs = [on_cluster(folder, work / f"on-{count}", count, work / "home") for count in args.workers]
        for run in runs:
            _show(run, runs[0], sum(sizes), expected)


def _show(run: Run, first: Run, size_bytes: int, expected: str) -> None:
    peaks = ", ".join(f"{worker.peak_mb:.0f}" for worker in run.workers)
    cpu = ", ".join(f"{worker.cpu_s:.1f}" for worker in run.workers)
    print(
        f"{run.on}: {run.client.wall_s:.1f} s ({first.client.wall_s / run.client.wall_s:.2f}x), {run.cpu_s:.1f} cpu-s "
        f"({run.cpu_s / first.cpu_s - 1:+.0%}; workers {cpu}, scheduler {run.scheduler.cpu_s:.1f}, client "
        f"{run.client.cpu_s:.1f}), {size_bytes / 1e6 / run.client.wall_s:.1f} MB/s; peaks: workers {peaks}, scheduler "
        f"{run.scheduler.peak_mb:.0f}, client {run.client.max_rss_mb:.0f} MB; rows "
        f"{'equal' if run.rows == expected else 'DIFFERENT'}"
    )


if __name__ == "__main__":
    main()
