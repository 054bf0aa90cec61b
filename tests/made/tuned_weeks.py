"""Five weekdays before a change and five after it, one `iostat -xt 30` a morning; every figure follows from the seed.

What is true: processors go from 60 to 30 %, the wait of a request on `sda` from 12 to 4 ms, `sdb` stays as it is, and so do the
requests. Days differ by 5 %. On Wednesday of the first week a batch fills the machine for twenty minutes; Monday of the second is
the substitute holiday of Liberation Day, a tenth of the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

ZONE = "Asia/Seoul"
HOST = "orderdb1"
BEFORE = tuple(datetime(2026, 8, day) for day in range(3, 8))
AFTER = tuple(datetime(2026, 8, day) for day in range(17, 22))
CHANGED = datetime(2026, 8, 12, 22)
HOLIDAY = AFTER[0]
BATCH = (BEFORE[2].replace(hour=10, minute=30), BEFORE[2].replace(hour=10, minute=50))
USER_PCT = (60.0, 30.0)
AWAIT_MS = {"sda": (12.0, 4.0), "sdb": (5.0, 5.0)}
READS_S = {"sda": 120.0, "sdb": 60.0}
STEP_S = 30
_BEGIN, _ROWS = timedelta(hours=8, minutes=30), 4 * 3600 // STEP_S + 1
_DAYS_DIFFER, _SAMPLES_DIFFER = 0.05, 0.08


def write(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of either week, oldest first."""
    random = np.random.default_rng(20260803)
    weeks = []
    for place, days in enumerate((BEFORE, AFTER)):
        files = []
        for day in days:
            path = folder / f"iostat_{day:%m%d}.txt"
            path.write_text("".join(_morning(random, day, place)), encoding="utf-8")
            files.append(path)
        weeks.append(files)
    return weeks[0], weeks[1]


def _morning(random: np.random.Generator, day: datetime, place: int) -> Iterator[str]:
    def level(of: float) -> np.ndarray:
        return of * np.exp(random.normal(0, _DAYS_DIFFER) + random.normal(0, _SAMPLES_DIFFER, _ROWS))

    work = 0.1 if day == HOLIDAY else 1.0
    user = level(USER_PCT[place]) * work
    reads = {disk: level(of) * work for disk, of in READS_S.items()}
    waits = {disk: level(of[place]) for disk, of in AWAIT_MS.items()}
    yield f"Linux 5.14.0-362.el9.x86_64 ({HOST}) \t{day:%Y-%m-%d} \t_x86_64_\t(8 CPU)\n\n"
    for row in range(_ROWS):
        stamp = day + _BEGIN + timedelta(seconds=row * STEP_S)
        batch = BATCH[0] <= stamp < BATCH[1]
        busy = 93.0 if batch else user[row]
        yield f"{stamp:%Y-%m-%dT%H:%M:%S}+0900\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        yield f"         {busy:6.2f}    0.00    4.00    1.00    0.00  {95 - busy:6.2f}\n\n"
        yield "Device            r/s     rkB/s   r_await rareq-sz  aqu-sz  %util\n"
        for disk in READS_S:
            asked, wait = float(reads[disk][row]) * (3 if batch else 1), float(waits[disk][row]) * (4 if batch else 1)
            yield f"{disk:8} {asked:12.2f} {asked * 8:9.2f} {wait:8.2f}     8.00 {asked * wait / 1000:7.2f}"
            yield f" {min(asked * 0.003 * 100, 100):6.2f}\n"
        yield "\n"
