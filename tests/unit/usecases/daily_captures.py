"""Captures as a customer's cron job leaves them, their values made from the row number: sar files, vmstat undated."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

KERNEL = "Linux 5.14.0-362.el9.x86_64"
ROWS_A_DAY = 144


def busy(row: int) -> float:
    """%user of the row-th sample since the first day: 0.01 steps, without a period."""
    return round(float(np.random.default_rng(row).uniform(3, 60)), 2)


def sar_day(
    folder: Path,
    day: datetime,
    first_row: int = 0,
    rows: int = ROWS_A_DAY,
    *,
    host: str = "db1",
    cpus: int = 2,
    version: str = "",
    disks: tuple[str, ...] = (),
    start: timedelta = timedelta(minutes=10),
    name: str = "",
    shown: str = "%m/%d/%y",
    offset: timedelta = timedelta(),
) -> Path:
    """``sar -u`` (and -d) of one day; row i is stamped start + i x 10 min (+ offset: another zone)."""
    head = f"{KERNEL} ({host}) \t{(day + start + offset).strftime(shown)} \t_x86_64_\t({cpus} CPU)\n\n"
    stamps = [day + start + offset + timedelta(minutes=10 * row) for row in range(rows)]
    text = head + "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    for at, stamp in enumerate(stamps):
        user = busy(first_row + at)
        text += f"{stamp:%H:%M:%S}        all {user:9.2f}      0.00      1.00      0.00      0.00 {99 - user:9.2f}\n"
    if disks:
        text += (
            "\n00:00:00          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n"
        )
    for at, stamp in enumerate(stamps):
        for disk in disks:
            text += (
                f"{stamp:%H:%M:%S} {disk:>12} {busy(first_row + at + 7):9.2f}      1.00      2.00      0.00     16.00"
            )
            text += "      0.01      0.50      0.10\n"
    path = folder / (name or f"sar_{day:%d}.txt")
    path.write_text(text, encoding="utf-8")
    return path


def vmstat(folder: Path, name: str, rows: int = 20, first_row: int = 0, spike_at: int = -1) -> Path:
    """``vmstat 5``: no stamp, no date, no host; the first block is since boot."""
    text = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    text += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    for row in range(rows):
        r, us = 1 + (first_row + row) * 7 % 5, 95 if row == spike_at else int(busy(first_row + row)) // 2
        text += f" {r}  0      0 {500000 - row * 3:6d}  20000 300000    0    0     5    10  100  200 {us:2d}  5"
        text += f" {95 - us:2d}  0  0\n"
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
