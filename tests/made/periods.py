"""Periods of a database without figures, at a day and hour of March 2026."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Fault, Moment, Reach
from tunebench.usecases.databases.periods import Period

SEOUL = ZoneInfo("Asia/Seoul")
NS = 1_000_000_000


def at(day: int, hour: int, minute: int = 0, zone: ZoneInfo = SEOUL) -> int:
    return int(datetime(2026, 3, day, hour, minute, tzinfo=zone).timestamp()) * NS


def period(
    begin_ns: int | None, end_ns: int | None, faults: tuple[Fault, ...] = (), db_time_s: float | None = None
) -> Period:
    elapsed_s = None if begin_ns is None or end_ns is None else (end_ns - begin_ns) / NS
    begin = None if begin_ns is None else Moment(begin_ns)
    identity = DatabaseIdentity(Engine.ORACLE, name="ORCL")
    return Period(
        DatabaseRecord("awr_html", Reach.PERIOD, identity, Moment(end_ns), begin, elapsed_s, db_time_s, faults=faults),
        (),
    )
