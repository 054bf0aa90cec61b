"""The demo's captures as files, in the folders of their hosts: what a consultant would have brought home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

from tunebench.usecases.demo import host_texts
from tunebench.usecases.demo.oracle_pull import oracle_pull
from tunebench.usecases.demo.order_log import order_log
from tunebench.usecases.demo.world import Table, World


def write(world: World, wanted: Table, folder: Path, brought_at: datetime) -> list[Path]:
    """The files of one bringing-in, dated by it; `wanted`: tool -> first and last day, or several such pairs."""
    paths, seconds = [], brought_at.timestamp()
    for host, name, text in _texts(world, wanted):
        path = folder / host / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        os.utime(path, (seconds, seconds))
        paths.append(path)
    return paths


def _texts(world: World, wanted: Table) -> Iterator[tuple[str, str, str]]:
    """Host, name and text of each."""
    for name, machine in world.machines.items():
        for day in _days(wanted, "sar"):
            yield name, f"{name}_sar_{day:%m%d}.txt", host_texts.sar(world, machine, (day - world.first_day).days)
        for day in _days(wanted, "minutes"):
            yield name, f"{name}_iostat_{day:%m%d}.txt", host_texts.iostat(world, machine, day)
            yield name, f"{name}_vmstat_{day:%m%d}.txt", host_texts.vmstat(world, machine, day)
    app, database = world.facts["orders"]["host"], world.facts["database"]["host"]
    for day in _days(wanted, "orders"):
        if day.weekday() < 5 and day != world.facts["day_off"]:
            yield app, f"{app}_jmeter_{day:%m%d}.log", order_log(world, day)
    for day in _days(wanted, "oracle"):
        yield database, f"{database}_oracle_{day:%m%d}.txt", oracle_pull(world, day)


def _days(wanted: Table, tool: str) -> Iterator[date]:
    spans = wanted.get(tool, [])
    for first, last in [spans] if spans and isinstance(spans[0], date) else spans:
        yield from (first + timedelta(days=number) for number in range((last - first).days + 1))
