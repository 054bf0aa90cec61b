"""Forty captures of four hosts, before and after a change, as a customer packs them; half of them name no host.

Each machine's folder is named in another way, one capture lies in the folder of another machine, and a table that no
parser knows lies beside them. What is true of each file is known here, because it was made so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.unit.usecases import daily_captures as made
from tunebench.domain.engagement import Phase

DAYS = {Phase.BEFORE: datetime(2026, 7, 13), Phase.AFTER: datetime(2026, 7, 27)}
COPIED = datetime(2026, 11, 3, 9, tzinfo=UTC)
"""When somebody copied all files; the captures that print no time are taken for it."""
FOLDERS = {
    "db01": {Phase.BEFORE: "db01/before", Phase.AFTER: "db01/after"},
    "web01": {Phase.BEFORE: "web01/튜닝전", Phase.AFTER: "web01/튜닝후"},
    "was01": {Phase.BEFORE: "전/was", Phase.AFTER: "후/was"},
    "sol01": {Phase.BEFORE: "solaris_before", Phase.AFTER: "solaris_after"},
}
TABLE = "tool_of_ours.dat"


@dataclass(frozen=True, slots=True)
class Truth:
    """Attributes: named: whether the capture says its host."""

    host: str
    phase: Phase
    named: bool


def make(folder: Path) -> dict[str, Truth]:
    """The files below `folder`; what is true of each, by its path inside."""
    told: dict[str, Truth] = {}
    for number, (host, folders) in enumerate(FOLDERS.items()):
        for phase, place in folders.items():
            here = folder / place
            here.mkdir(parents=True, exist_ok=True)
            first_row = 10_000 * number + (5_000 if phase is Phase.AFTER else 0)
            for path, named in _cell(here, host, phase, first_row):
                told[path.relative_to(folder).as_posix()] = Truth(host, phase, named)
    _misplace(folder, told)
    (folder / TABLE).write_text("Zeit|Warteschlange\n13.07.2026 10:00:00|3\n13.07.2026 10:00:05|4\n", encoding="utf-8")
    for number, path in enumerate(sorted(each for each in folder.rglob("*") if each.is_file())):
        moment = (COPIED + timedelta(minutes=number)).timestamp()
        os.utime(path, (moment, moment))
    return told


def _cell(here: Path, host: str, phase: Phase, first_row: int) -> Iterator[tuple[Path, bool]]:
    """Five captures of one host in one phase; of two hosts three name it, of the others two."""
    day = DAYS[phase]
    if host == "sol01":
        yield solaris_sar(here, "sar_am.txt", day, first_row), True
        yield solaris_sar(here, "sar_pm.txt", day + timedelta(hours=12), first_row + 100), True
        for at in range(3):
            yield solaris_vmstat(here, f"vmstat{at}.txt", first_row + 200 * (at + 1)), False
        return
    yield made.sar_day(here, day, first_row, host=host, name="sar_1.txt"), True
    yield made.sar_day(here, day + timedelta(days=1), first_row + 144, host=host, name="sar_2.txt"), True
    for at in range(2):
        yield made.vmstat(here, f"vmstat{at}.txt", 24, first_row + 400 + 100 * at), False
    if host == "was01":
        yield made.vmstat(here, "vmstat_peak.txt", 30, first_row + 700), False
    else:
        yield made.sar_day(here, day + timedelta(days=2), first_row + 288, host=host, name="sar_3.txt"), True


def _misplace(folder: Path, told: dict[str, Truth]) -> None:
    """What db01 printed below its prompt lies in the folder of web01."""
    path = folder / "web01/튜닝전/vmstat1.txt"
    path.write_text(f"[oracle@db01 ~]$ vmstat 5 24\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    told[path.relative_to(folder).as_posix()] = Truth("db01", Phase.BEFORE, True)


def solaris_sar(folder: Path, name: str, start: datetime, first_row: int) -> Path:
    text = f"\nSunOS sol01 5.10 Generic_125100-05 sun4u    {start:%m/%d/%Y}\n\n"
    text += f"{start:%H:%M:%S}    %usr    %sys    %wio   %idle\n"
    for row in range(30):
        user = int(made.busy(first_row + row))
        text += f"{start + timedelta(minutes=20 * (row + 1)):%H:%M:%S} {user:7d}       5       0 {95 - user:7d}\n"
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def solaris_vmstat(folder: Path, name: str, first_row: int) -> Path:
    text = " kthr      memory            page            disk          faults      cpu\n"
    text += " r b w   swap  free  re  mf pi po fr de sr s0 s1 -- --   in   sy   cs us sy id\n"
    for row in range(20):
        user = int(made.busy(first_row + row))
        text += f" 0 0 0 {900000 - 7 * (first_row + row):7d} 50000  1   5  0  0  0  0  0  1  2  0  0  400  900  500"
        text += f" {user:2d}  5 {95 - user:2d}\n"
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
