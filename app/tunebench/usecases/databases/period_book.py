"""The periods of a database, run by run, and where they lie in the days of the engagement's zone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import median
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.columns.formats import moment
from tunebench.core.records import record
from tunebench.domain.databases.records import Fault
from tunebench.store.project import Project
from tunebench.usecases.databases import periods as database_periods
from tunebench.usecases.databases.periods import Period
from tunebench.usecases.databases.snapshots import Database

UNEQUAL = 0.10
"""A period that differs by more than this from the middle length of its run is marked."""
_TABLES = ("load", "time_model")


@record
class Cell:
    """A period as the calendar shows it.

    Attributes:
        sessions: average active sessions; None where not measured or the period is not valid.
        unequal: whether its length differs from that of the others of its run.
    """

    run_id: int
    period: Period
    sessions: float | None
    unequal: bool

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.period.record.faults

    @property
    def reaches_back(self) -> bool:
        """Whether it has no begin of its own."""
        return Fault.SINCE_START in self.faults or self.period.begin_ns is None


@record
class Box:
    """Part of a period in one day: `cell` is its number, `left` and `right` hours of the clock."""

    cell: int
    left: float
    right: float


@record
class Day:
    """One row of the calendar; `heads` names the run where its first day is."""

    run_id: int
    day: date | None
    boxes: tuple[Box, ...]
    heads: bool


def read(project: Project, by_run: Mapping[int, Sequence[Database]], wanted: Collection[str]) -> list[Cell]:
    """All periods of these databases; runs in the order of their numbers, each by time."""
    listed: list[Cell] = []
    for run_id, own in sorted(by_run.items()):
        for database in own:
            if database.id in wanted:
                listed += cells(run_id, database_periods.periods(project, database, _TABLES))
    return listed


def cells(run_id: int, periods: Sequence[Period]) -> list[Cell]:
    lengths = [
        period.length_s for period in periods if period.length_s and Fault.SINCE_START not in period.record.faults
    ]
    usual = median(lengths) if lengths else 0.0
    return [Cell(run_id, period, active_sessions(period.record), _unequal(period, usual)) for period in periods]


def _unequal(period: Period, usual: float) -> bool:
    if not usual or not period.length_s or Fault.SINCE_START in period.record.faults:
        return False
    return abs(period.length_s - usual) > UNEQUAL * max(period.length_s, usual)


def active_sessions(record: DatabaseRecord) -> float | None:
    """DB time by the length of the period."""
    if not record.valid or not record.elapsed_s:
        return None
    candidates = [record.db_time_s, _named(record, "time_model", "time_s"), _named(record, "load", "total")]
    db_time_s = next((value for value in candidates if value is not None), None)
    return _named(record, "load", "per_second") if db_time_s is None else db_time_s / record.elapsed_s


def _named(record: DatabaseRecord, table: str, column: str) -> float | None:
    rows = record.table(table)
    names = list(rows.text("name"))
    value = float(rows.figure(column)[names.index("db_time")]) if "db_time" in names else float("nan")
    return None if np.isnan(value) else value


def days(read_cells: Sequence[Cell], zone: ZoneInfo) -> list[Day]:
    """One row per run and day that has a period; periods without a time in a row of their own at the end of the run."""
    boxes: dict[int, dict[date | None, list[Box]]] = {}
    for number, cell in enumerate(read_cells):
        of_run = boxes.setdefault(cell.run_id, {})
        for day, box in _boxes(number, cell, zone, len(of_run.get(None, ()))):
            of_run.setdefault(day, []).append(box)
    rows = []
    for run_id, of_run in boxes.items():
        order = sorted(of_run, key=lambda day: (day is None, day or date.min))
        rows += [Day(run_id, day, tuple(of_run[day]), day is order[0]) for day in order]
    return rows


def _boxes(number: int, cell: Cell, zone: ZoneInfo, before: int) -> Iterator[tuple[date | None, Box]]:
    end_ns = cell.period.end_ns
    if end_ns is None:
        yield None, Box(number, before * 1.0, before + 1.0)
        return
    last = moment(end_ns, zone)
    begin_ns = cell.period.begin_ns
    if cell.reaches_back or begin_ns is None or begin_ns >= end_ns:
        yield last.date(), Box(number, max(_hours(last) - 0.5, 0.0), _hours(last))
        return
    first = moment(begin_ns, zone)
    for day in _days(first.date(), last.date()):
        left = _hours(first) if day == first.date() else 0.0
        right = _hours(last) if day == last.date() else 24.0
        if right > left:
            yield day, Box(number, left, right)


def _hours(at: datetime) -> float:
    return at.hour + at.minute / 60 + at.second / 3600


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def summary(read_cells: Sequence[Cell]) -> tuple[int, int]:
    """(periods, those that are not valid)."""
    return len(read_cells), sum(not cell.period.record.valid for cell in read_cells)
