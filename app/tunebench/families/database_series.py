"""Periods of a database as series: its load per second, and its sessions by what they spend their time on.

    table       heading                      attributes        value
    load        logical_reads, commits ...   database          per second
    time_model  db_time, db_cpu ...          database          average active sessions: time / length of the period
    wait_class  AAS                          database, wait    the same, waits of the foreground
    wait_event  AAS                          database, wait    the same, the events with the most time of each period
    host_cpu    user, system, iowait, idle                     per cent of the time of the host's processors

A row stands at the end of its period. A period that is not valid, or of which nobody knows when or how long it was,
gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

import numpy as np

from tunebench.analysis.databases.idle_waits import is_idle
from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.analysis.databases.subtraction import period_between
from tunebench.core import records
from tunebench.domain.databases.records import Fault, Reach
from tunebench.sdk.batches import SampleBatch, SeriesKey

TOP_EVENTS = 10
ACTIVE_SESSIONS = "AAS"
_Cells = Iterator[tuple[SeriesKey, float]]


def period_batches(periods: Sequence[DatabaseRecord]) -> list[SampleBatch]:
    """One batch for each table there is something of, in the order of time; several databases share a row."""
    tables: dict[str, dict[int, _Row]] = {}
    for period in periods:
        time_ns = period.end.time_ns
        if period.reach is Reach.PERIOD and period.valid and period.elapsed_s and time_ns is not None:
            for key, value in _cells_of(period, period.elapsed_s):
                row = tables.setdefault(key.table, {}).setdefault(time_ns, _Row(period.first_line))
                row.values.setdefault(key, value)
                row.since_start |= Fault.SINCE_START in period.faults
    return [_batch(name, rows) for name, rows in tables.items()]


class CounterSeries:
    """Makes periods of the snapshots of one capture, each with the one before it of the same database."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str, str, str], DatabaseRecord] = {}

    def periods(self, records: Iterable[DatabaseRecord]) -> list[DatabaseRecord]:
        """The periods that these records end; a record that is a period already is one."""
        ended = []
        for record in records:
            if record.reach is Reach.PERIOD:
                ended.append(record)
                continue
            earlier = self._last.get(record.identity.key)
            if earlier is not None:
                ended.append(period_between(earlier, record))
            self._last[record.identity.key] = record
        return ended

    def batches(self, records: Iterable[DatabaseRecord]) -> list[SampleBatch]:
        return period_batches(self.periods(records))


@records.record(frozen=False)
class _Row:
    line: int
    values: dict[SeriesKey, float] = field(default_factory=dict)
    since_start: bool = False


def _cells_of(period: DatabaseRecord, elapsed_s: float) -> _Cells:
    database = ("database", period.identity.label)
    yield from _load(period.table("load"), elapsed_s, database)
    yield from _time_model(period.table("time_model"), elapsed_s, database)
    for name, column, most in (("wait_class", "wait_class", None), ("wait_event", "event", TOP_EVENTS)):
        yield from _waits(period.table(name), column, most, elapsed_s, database)
    yield from _host_cpu(period.table("activity"))


def _host_cpu(table: FigureTable) -> _Cells:
    """Processor use of the host where a database counts it (V$OSSTAT); waiting for I/O is idle time."""
    rows = zip(table.text("scope"), table.text("name"), table.figure("total").tolist(), strict=True)
    spent = {name.removesuffix("_TIME"): total for scope, name, total in rows if scope == "os" and total >= 0}
    if not {"BUSY", "IDLE"} <= spent.keys():
        return
    whole, waiting = spent["BUSY"] + spent["IDLE"], min(spent.get("IOWAIT", 0.0), spent["IDLE"])
    parts = {"idle": spent["IDLE"] - waiting}
    if "IOWAIT" in spent:
        parts["iowait"] = waiting
    if "USER" in spent:
        parts["user"] = spent["USER"] + spent.get("NICE", 0.0)
    if "SYS" in spent:
        parts["system"] = spent["SYS"]
    for state, time in parts.items() if whole > 0 else ():
        yield SeriesKey("host_cpu", state), 100.0 * time / whole


def _load(table: FigureTable, elapsed_s: float, database: tuple[str, str]) -> _Cells:
    """Totals are exact where a capture has them; printed rates are rounded."""
    per_second = quotient(table.figure("total"), elapsed_s)
    values = np.where(np.isnan(per_second), table.figure("per_second"), per_second)
    for name, value in _finite(table.text("name"), values):
        yield SeriesKey("load", name, (database,)), value


def _time_model(table: FigureTable, elapsed_s: float, database: tuple[str, str]) -> _Cells:
    for name, value in _finite(table.text("name"), table.figure("time_s") / elapsed_s):
        yield SeriesKey("time_model", name, (database,)), value


def _waits(table: FigureTable, column: str, most: int | None, elapsed_s: float, database: tuple[str, str]) -> _Cells:
    sums: dict[str, float] = {}
    rows = zip(table.text(column), table.text("ground"), table.text("wait_class"), strict=True)
    values: Sequence[float] = (table.figure("time_s") / elapsed_s).tolist()
    for (name, ground, group), value in zip(rows, values, strict=True):
        if name and ground != "background" and not is_idle(name, group) and value == value:
            sums[name] = sums.get(name, 0.0) + value
    for name in sorted(sums, key=lambda name: (-sums[name], name))[:most]:
        yield SeriesKey(table.name, ACTIVE_SESSIONS, (database, ("wait", name))), sums[name]


def _finite(names: Sequence[str], values: Numbers) -> Iterator[tuple[str, float]]:
    for name, value in zip(names, values.tolist(), strict=True):
        if value == value:  # not NaN
            yield name, value


def _batch(table: str, rows: dict[int, _Row]) -> SampleBatch:
    times = sorted(rows)
    series = tuple(dict.fromkeys(key for time in times for key in rows[time].values))
    return SampleBatch(
        table,
        np.array(times, dtype=np.int64),
        series,
        np.array([[rows[time].values.get(key, np.nan) for key in series] for time in times]),
        np.array([rows[time].since_start for time in times], dtype=bool),
        np.array([rows[time].line for time in times], dtype=np.int64),
    )
