"""Eight weeks of a growing server: sar by day, df once a night; every figure follows from the seed and the constants.

Busy at the peak grows by 0.45 points a day from 30 %, weekends at 60 % of it; the file system by 0.6 points a day from 52 %;
4 processors; transfers per second are 8 per point of busy, give or take 5 %.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

FIRST_DAY = datetime(2026, 9, 7)  # a Monday
DAYS = 56
GROWTH_A_DAY = 0.45
FIRST_PEAK = 30.0
SPACE_A_DAY = 0.6
FIRST_SPACE = 52.0
PROCESSORS = 4
TRANSFERS_PER_POINT = 8.0
_ROWS = 48
_SHAPE = np.array([0.15] * 7 + [0.35, 0.6, 0.9, 1.0, 1.0, 0.75, 0.9, 1.0, 1.0, 0.9, 0.8, 0.5, 0.3] + [0.2] * 4)


def write(folder: Path, days: int = DAYS, leave_out: frozenset[int] = frozenset()) -> list[Path]:
    """The files, oldest first; days in `leave_out` were not captured."""
    random = np.random.default_rng(7)
    walk = _autoregression(random, days, 0.4)
    files = []
    for place in range(days):
        noise = random.normal(0, 1.2, _ROWS)
        if place not in leave_out:
            busy = _busy(place, walk[place], noise)
            files.append(_sar(folder, FIRST_DAY + timedelta(days=place), busy, busy * random.normal(1, 0.05, _ROWS)))
    files.append(_df(folder, [FIRST_DAY + timedelta(days=place) for place in range(days) if place not in leave_out]))
    return files


def _autoregression(random: np.random.Generator, days: int, phi: float) -> np.ndarray:
    steps, walk = random.normal(0, 0.9, days), np.zeros(days)
    for place in range(1, days):
        walk[place] = phi * walk[place - 1] + steps[place]
    return walk


def _busy(place: int, walk: float, noise: np.ndarray) -> np.ndarray:
    peak = (FIRST_PEAK + GROWTH_A_DAY * place) * (0.6 if place % 7 >= 5 else 1.0) + walk
    return np.clip(peak * np.repeat(_SHAPE, 2) + noise, 0.5, 99).round(2)


def _sar(folder: Path, day: datetime, busy: np.ndarray, work: np.ndarray) -> Path:
    head = f"Linux 5.14.0-362.el9.x86_64 (orderdb1) \t{day:%m/%d/%y} \t_x86_64_\t({PROCESSORS} CPU)\n\n"
    stamps = [day + timedelta(minutes=30 * row) for row in range(_ROWS)]
    text = head + "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    for stamp, all_busy in zip(stamps, busy, strict=True):
        system = round(all_busy * 0.2, 2)
        user, idle = round(all_busy - system, 2), round(99 - all_busy, 2)
        text += f"{stamp:%H:%M:%S}        all {user:9.2f}      0.00 {system:9.2f}      1.00      0.00 {idle:9.2f}\n"
    text += "\n00:00:00          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n"
    for stamp, done in zip(stamps, work, strict=True):
        tps, util = done * TRANSFERS_PER_POINT, done * 0.7
        text += f"{stamp:%H:%M:%S}          sda {tps:9.2f}    100.00    200.00      0.00     16.00"
        text += f"      0.01      0.50 {util:9.2f}\n"
    path = folder / f"sar_{day:%Y%m%d}.txt"
    path.write_text(text, encoding="utf-8")
    return path


def _df(folder: Path, days: list[datetime]) -> Path:
    size_kb = 200_000_000
    text = ""
    for day in days:
        used = round(size_kb * (FIRST_SPACE + SPACE_A_DAY * (day - FIRST_DAY).days) / 100)
        text += f"@tunebench at {day:%Y-%m-%d}T18:00:00.000000000Z\n"
        text += "Filesystem     1K-blocks     Used Available Use% Mounted on\n"
        text += f"/dev/sdb1 {size_kb} {used} {size_kb - used} {-(-used * 100 // size_kb)}% /oradata\n"
    path = folder / "df-k.txt"
    path.write_text(text, encoding="utf-8")
    return path
