"""Engagements with a database for the window: hourly reports of some days, one with a restart, and captures of the host."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from tests.made.awr import Event, Workload, report, workload
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

HOST = "dbsrv01"
ZONE = "Asia/Seoul"
BEFORE_DAY, AFTER_DAY = datetime(2026, 11, 2), datetime(2026, 11, 16)
IO_EVENT = "db file sequential read"
EVENTS = (
    (IO_EVENT, "User I/O", 5200.0, 0.004), ("direct path read", "User I/O", 900.0, 0.012), ("log file sync", "Commit", 700.0, 0.002),
    ("enq: TX - row lock contention", "Application", 400.0, 0.35), ("db file scattered read", "User I/O", 300.0, 0.006),
    ("library cache: mutex X", "Concurrency", 150.0, 0.001), ("SQL*Net more data to client", "Network", 90.0, 0.0004),
    ("control file sequential read", "System I/O", 60.0, 0.001), ("read by other session", "User I/O", 45.0, 0.003),
    ("log buffer space", "Configuration", 20.0, 0.02),
)  # fmt: skip
"""Name, class, seconds in the busiest hour, seconds per wait."""
RESTART_HOUR = 30
"""Of the reports before, the one inside of which the instance started."""
SHORT_HOUR = 40
"""The report that covers half an hour only."""


def busy(hour: int) -> float:
    """How much is going on at this hour of a day: two peaks, quiet nights."""
    return 0.15 + math.exp(-((hour - 10.5) ** 2) / 6) + 0.8 * math.exp(-((hour - 15.5) ** 2) / 8)


def hourly(
    first: datetime, hours: int, tuned: bool, restart: int = RESTART_HOUR, short: int = SHORT_HOUR
) -> Iterator[Workload]:
    """What the database did in each hour; tuning takes nine tenths of the reads of single blocks away."""
    base = workload(seed=4, statements=9)
    for number in range(hours):
        begin = first + timedelta(hours=number)
        share = busy(begin.hour)
        events = tuple(_event(*event, share, tuned) for event in EVENTS)
        cpu = round(5000 * share, 2)
        db_time = round(cpu + sum(event.time_s for event in events) + 60, 2)
        end = begin + timedelta(minutes=30 if number == short and not tuned else 60)
        started = begin + timedelta(minutes=20) if number == restart and not tuned else datetime(2026, 11, 1, 3, 15)
        yield replace(
            base,
            begin=begin,
            end=end,
            started=started,
            begin_snapshot=1000 + number,
            events=events,
            db_cpu_s=cpu,
            db_time_s=db_time,
            time_model={**base.time_model, "DB time": db_time, "DB CPU": cpu},
            parameters={**base.parameters, "optimizer_index_cost_adj": ("20" if tuned else "100", "")},
        )


def _event(name: str, wait_class: str, time_s: float, each_s: float, share: float, tuned: bool) -> Event:
    time_s = round(time_s * share * (0.1 if tuned and name == IO_EVENT else 1.0))
    return Event(name, wait_class, max(round(time_s / each_s), 1), float(time_s))


def write_reports(folder: Path, works: Iterator[Workload]) -> list[Workload]:
    """One file per report; gives what they say."""
    folder.mkdir(parents=True, exist_ok=True)
    found = list(works)
    for work in found:
        (folder / f"awr_{work.begin:%m%d_%H%M}.html").write_bytes(report("19c", top=5, workload=work).data)
    return found


def iostat(first: datetime, hours: int, step_s: int = 600) -> str:
    """Extended statistics with ISO stamps in Korean time: a disk that is as busy as the database."""
    lines = [f"Linux 6.18.44-fc-v669 ({HOST}) \t{first:%Y-%m-%d} \t_x86_64_\t(16 CPU)", ""]
    heads = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util"
    for at, share in _moments(first, hours, step_s):
        reads, util, user = 900 * share, min(95 * share, 99.0), min(60 * share, 90.0)
        lines += [
            f"{at:%Y-%m-%dT%H:%M:%S}+0900",
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
            f"          {user:5.2f}    0.00    5.00    3.00    0.00   {92 - user:5.2f}",
            "",
            heads,
            f"sda            {reads:7.2f} {reads * 8:9.2f}    0.00   0.00    1.20     8.00   60.00    480.00     0.00   0.00    0.90     8.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00    1.10  {util:5.2f}",
            "",
            "",
        ]
    return "\n".join(lines)


def vmstat(first: datetime, hours: int, step_s: int = 600) -> str:
    lines = [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST",
    ]
    for at, share in _moments(first, hours, step_s):
        user = round(min(60 * share, 90))
        lines.append(
            f"{round(12 * share):2}  1      0 19215932  32204 5034356    0    0  2934  8121  758 2075 {user:2}  5 {92 - user:2}  3  0 {at:%Y-%m-%d %H:%M:%S}"
        )
    return "\n".join(lines) + "\n"


def _moments(first: datetime, hours: int, step_s: int) -> Iterator[tuple[datetime, float]]:
    for number in range(1, hours * 3600 // step_s + 1):
        at = first + timedelta(seconds=number * step_s)
        yield at, busy(at.hour) / 1.2


def write_host(folder: Path, first: datetime, hours: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "iostat.txt").write_text(iostat(first, hours))
    (folder / "vmstat.txt").write_text(vmstat(first, hours))


def make_engagement(
    path: Path, folder: Path, hours: int = 48, restart: int = RESTART_HOUR, short: int = SHORT_HOUR
) -> tuple[list[Workload], list[Workload]]:
    """A closed project with a run before and a run after; gives what the reports of either say."""
    told = []
    project = projects.create(path, Engagement("수신계 DB 튜닝", "한빛은행", zone=ZONE))
    for name, phase, first in (("before", Phase.BEFORE, BEFORE_DAY), ("after", Phase.AFTER, AFTER_DAY)):
        own = folder / name
        told.append(write_reports(own, hourly(first, hours, phase is Phase.AFTER, restart, short)))
        write_host(own, first, hours)
        options = ImportOptions(run=f"{first:%m-%d} {name}", phase=phase, zone=ZONE, host=HOST)
        imports.import_captures(project, [own], options)
    projects.close(project)
    return told[0], told[1]
