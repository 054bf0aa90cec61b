"""The generated series as the text of tools: one file a day, 09:00 to 12:00, two weeks running on the same weekdays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from tests.calibration.generators import ROWS, STATEMENTS, STEP_S, Disk, Executions, Floats

MONDAYS = (datetime(2026, 9, 7), datetime(2026, 9, 14), datetime(2026, 8, 31))
KERNEL = "Linux 5.14.0-362.el9.x86_64"
QUEUE, RESPONSE_MS = 8.0, 20.0
"""What the columns' mean of 1 stands for."""
SAR = "DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util"
IOSTAT = "Device r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util"


def _stamps(side: int, day: int, rows: int) -> list[datetime]:
    first = MONDAYS[side] + timedelta(days=day, hours=9)
    return [first + timedelta(seconds=STEP_S * row) for row in range(rows)]


def _path(folder: Path, side: int, tool: str, day: int) -> Path:
    place = folder / ("before", "after", "other")[side]
    place.mkdir(exist_ok=True)
    return place / f"{tool}_{MONDAYS[side] + timedelta(days=day):%m%d}.txt"


def sar_day(folder: Path, side: int, day: int, queues: Floats, responses: Floats, requests: Floats) -> None:
    """``sar -d``: two generated columns a disk, independent of each other; (disks, ROWS) each, means of 1."""
    stamps = _stamps(side, day, ROWS + 1)
    text = [f"{KERNEL} (db1) \t{stamps[0]:%m/%d/%y} \t_x86_64_\t(8 CPU)\n\n{stamps[0]:%H:%M:%S}          {SAR}\n"]
    columns = [np.char.mod("%9.2f", each) for each in (100 * requests, QUEUE * queues, RESPONSE_MS * responses)]
    for row, stamp in enumerate(stamps[1:]):
        text += [
            f"{stamp:%H:%M:%S} {f'dm-{disk}':>12} {tps}    800.00    800.00      0.00     16.00 {queue} {wait}     30.00\n"
            for disk, (tps, queue, wait) in enumerate(zip(*(each[:, row] for each in columns), strict=True))
        ]
    _path(folder, side, "sar", day).write_text("".join(text), encoding="utf-8")


def iostat_day(folder: Path, side: int, day: int, disks: Sequence[Disk]) -> None:
    """``iostat -xdt 30`` of disks that only read; the first report is since boot, as always."""
    stamps = _stamps(side, day, ROWS + 1)
    text = [f"{KERNEL} (db1) \t{stamps[0]:%m/%d/%Y} \t_x86_64_\t(8 CPU)\n\n"]
    for row, stamp in enumerate(stamps):
        text.append(f"{stamp:%m/%d/%Y %H:%M:%S}\n{IOSTAT}\n")
        text += [_iostat_row(f"dm-{place}", disk, max(row - 1, 0)) for place, disk in enumerate(disks)]
        text.append("\n")
    _path(folder, side, "iostat", day).write_text("".join(text), encoding="utf-8")


def _iostat_row(name: str, disk: Disk, row: int) -> str:
    rate, wait, queue, busy = (each[row] for each in (disk.requests_per_s, disk.response_ms, disk.queue, disk.busy_pct))
    return (
        f"{name} {rate:.2f} 0.00 {8 * rate:.2f} 0.00 0.00 0.00 0.00 0.00 {wait:.2f} 0.00 {queue:.2f} 8.00 0.00"
        f" {10 * busy / max(rate, 0.01):.2f} {busy:.2f}\n"
    )


SERVER = (
    "now,scope,version,server_version,server_version_num,postmaster_start,in_recovery,database,session_user,address,port,"
    "cluster_name,system_identifier,statements,monitor"
)
COLUMNS = (
    "datname,rolname,userid,dbid,toplevel,queryid,query,calls,total_exec_time,mean_exec_time,stddev_exec_time,rows"
)


def snapshots(folder: Path, side: int, days: Sequence[Sequence[Executions]]) -> None:
    """pg_stat_statements each hour from nine, a file each: counters since the server began to count; idle at night."""
    calls, total, squares = np.full(STATEMENTS, 50.0), np.full(STATEMENTS, 500.0), np.full(STATEMENTS, 1e4)
    for day, periods in enumerate(days):
        for hour in range(len(periods) + 1):
            if hour:
                period = periods[hour - 1]
                calls, total, squares = calls + period.calls, total + period.total_ms, squares + period.squares_ms2
            stamp = MONDAYS[side] + timedelta(days=day, hours=9 + hour)
            path = _path(folder, side, f"snapshot{hour}", day)
            path.write_text(_snapshot(stamp, calls, total, squares), encoding="utf-8")


def _snapshot(stamp: datetime, calls: Floats, total: Floats, squares: Floats) -> str:
    mean = total / calls
    spread = np.sqrt(np.maximum(squares / calls - mean**2, 0))
    rows = zip(calls, total, mean, spread, strict=True)
    lines = [
        f"bench,app,10,16384,t,{1000 + place},select {place} from t{place},{count:.0f},{sum_:.6f},{each:.6f},{sd:.6f},{count:.0f}"
        for place, (count, sum_, each, sd) in enumerate(rows)
    ]
    server = (
        f"{stamp:%Y-%m-%d %H:%M:%S}+00,snapshot,PostgreSQL 15.18 on x86_64-pc-linux-gnu,15.18,150018,"
        "2026-08-30 00:00:00+00,f,bench,app,,5432,rig,7710748077913209945,t,t"
    )
    head = (f"@tunebench at {stamp:%Y-%m-%dT%H:%M:%S}.000Z", "@section postgresql", SERVER, server)
    return "\n".join((*head, "@section pg_stat_statements", COLUMNS, *lines, "@end", ""))
