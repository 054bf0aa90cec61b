"""Made records of databases that tests of the store and of the use cases start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tests.store import cases
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Fault, Moment, Reach
from tunebench.store.databases.records import write_records
from tunebench.store.project import Project

IDENTITY = DatabaseIdentity(
    Engine.POSTGRESQL, "상담", "7302145", version="15.18", host="db1", clustered=False, cpu_count=16
)
MINUTE_NS = 60 * cases.SECOND_NS


def table(name: str, texts: Mapping[str, Sequence[str]], **figures: Sequence[float]) -> FigureTable:
    """Rows on lines 2, 3, ..."""
    rows = len(next(iter(texts.values())))
    columns = {column: np.array(values, dtype=np.float64) for column, values in figures.items()}
    return FigureTable(name, texts, columns, np.arange(2, rows + 2, dtype=np.int64))


def statements(**executions_and_times: tuple[float, float]) -> dict[str, FigureTable]:
    """``q1=(executions, elapsed_s)``; a statement's text is its id, in Korean words."""
    found, texts = TableRows("statement"), TableRows("statement_text")
    for line, (name, (executions, elapsed_s)) in enumerate(executions_and_times.items(), 2):
        figures = {"executions": executions, "elapsed_s": elapsed_s, "rows": executions}
        found.add(line, {"statement_id": name, "container": "app", "user": "상담원"}, figures)
        texts.add(line, {"statement_id": name, "text": f"SELECT '힌트' FROM {name}"}, {"complete": 1})
    return {"statement": found.close(), "statement_text": texts.close()}


def counters(minute: float, tables: Mapping[str, FigureTable], **moment: int | None) -> DatabaseRecord:
    """Counters so many minutes after the tests' start; the server started a day before."""
    end = Moment(int(cases.START_NS + minute * MINUTE_NS), started_ns=cases.START_NS - 1440 * MINUTE_NS)
    return DatabaseRecord("pg_stat_statements", Reach.COUNTERS, IDENTITY, replace(end, **moment), tables=dict(tables))


def period(first: float, last: float, tables: Mapping[str, FigureTable], source: str = "awr_html") -> DatabaseRecord:
    """A report of the minutes from `first` to `last`."""
    begin, end = (Moment(int(cases.START_NS + minute * MINUTE_NS)) for minute in (first, last))
    return DatabaseRecord(
        source,
        Reach.PERIOD,
        replace(IDENTITY, engine=Engine.ORACLE),
        end,
        begin,
        (last - first) * 60,
        tables=dict(tables),
    )


def store(project: Project, *records: DatabaseRecord, run: str = "before", name: str = "pgss.csv") -> int:
    """One imported capture that gave these records; its id."""
    artefact_id = cases.store_artefact(project, f"{run} {name} {records!r:.60} {len(records)}".encode(), run, name)
    write_records(project, artefact_id, records, 0)
    cases.mark_parsed(project, artefact_id)
    return artefact_id


WAITS = table(
    "wait_event",
    {"event": ["db file sequential read", "잠금 대기"], "ground": ["foreground", ""]},
    waits=[5.0, np.nan],
    time_s=[0.1 + 0.2, np.nan],
    longest_s=[np.nan, np.nan],
)
REPORT = DatabaseRecord(
    "awr_html",
    Reach.PERIOD,
    DatabaseIdentity(Engine.ORACLE, "ORCL", "1234567890", instance="orcl1", instance_number=1, memory_bytes=1.5e11),
    Moment(cases.START_NS + 60 * MINUTE_NS, 102, cases.START_NS - 5, sessions=80),
    Moment(cases.START_NS, 101, cases.START_NS - 5, sessions=75),
    3600.5,
    1800.25,
    "WORKLOAD REPOSITORY report",
    {**statements(a=(10, 590.997), b=(0, 0.0)), "wait_event": WAITS},
    ("plan", "io"),
    (Fault.TRUNCATED, Fault.CPU_COUNT),
    7,
)
