"""Four working days before a change and four after it, by vmstat and sar, laid out as somebody asks for.

What is true: the processors of `TUNED` go from 52 to 36 % of user time, those of all others stay at 30 %. Days differ by 3 %.
A capture of vmstat prints its zone and no host, one of sar its host and no zone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

TUNED, OTHER_PCT = "db01", 30.0
TUNED_PCT = {"before": 52.0, "after": 36.0}
DAYS = {
    "before": [datetime(2026, 7, day, 9) for day in (6, 7, 8, 9)],
    "after": [datetime(2026, 7, day, 9) for day in (20, 21, 22, 23)],
}
STEP, ROWS = timedelta(minutes=5), 108
_VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST\n"
)
_SAR = "{:%H:%M:%S}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"


def write(folder: Path, places: Mapping[str, str], sides: tuple[str, str] = ("before", "after"), seed: int = 1) -> Path:
    """
    Args:
        places: host -> where its captures lie: ``{side}/db01/vmstat_{day}.log``; one with ``sar`` in its file's name
            prints the host.
    """
    chance = random.Random(seed)
    for (phase, days), side in zip(DAYS.items(), sides, strict=True):
        for host, place in places.items():
            for day in days:
                path = folder / place.format(side=side, day=f"{day:%m%d}", host=host)
                path.parent.mkdir(parents=True, exist_ok=True)
                level = (TUNED_PCT[phase] if host == TUNED else OTHER_PCT) * chance.gauss(1, 0.03)
                text = _sar(chance, host, day, level) if "sar" in path.name else _vmstat(chance, day, level)
                path.write_text(text, encoding="utf-8")
    return folder


def _vmstat(chance: random.Random, day: datetime, level: float) -> str:
    rows = []
    for row in range(ROWS):
        user, system = round(level * chance.gauss(1, 0.08)), 5
        memory = f"0 {900000 + chance.randrange(9000)}  20000 {300000 + chance.randrange(9000)}"
        work = f"{chance.randrange(90, 110)} {chance.randrange(190, 210)} {chance.randrange(900, 1100)} 2000"
        stamp = f"{day + row * STEP:%Y-%m-%d %H:%M:%S}"
        rows.append(f" 2  0 {memory}    0    0 {work} {user:2d} {system:2d} {95 - user:2d}  0  0 {stamp}\n")
    return _VMSTAT + "".join(rows)


def _sar(chance: random.Random, host: str, day: datetime, level: float) -> str:
    text = f"Linux 5.14.0-362.el9.x86_64 ({host}) \t{day:%Y-%m-%d} \t_x86_64_\t(8 CPU)\n\n{_SAR.format(day)}"
    for row in range(1, ROWS):
        user = level * chance.gauss(1, 0.08)
        text += f"{day + row * STEP:%H:%M:%S}        all {user:9.2f}      0.00      5.00      0.00      0.00 {95 - user:9.2f}\n"
    return text
