"""Small records by hand, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, TableRows
from tunebench.domain.databases.records import TABLES, DatabaseIdentity, Fault, Moment, Reach

HOUR_NS = 3_600_000_000_000
START_NS = 1_800_000_000_000_000_000

Row = Mapping[str, str | float | None]


def table(name: str, rows: Iterable[Row]) -> FigureTable:
    """Columns by name, text or number; row n stands in line n."""
    collected = TableRows(name)
    shape = TABLES[name]
    for line, row in enumerate(rows, 1):
        texts = {column: str(value) for column, value in row.items() if column not in shape.figures}
        figures = {column: value for column, value in row.items() if column in shape.figures}
        collected.add(line, texts, figures)  # type: ignore[arg-type]
    return collected.close()


def tables(**rows: Iterable[Row]) -> dict[str, FigureTable]:
    return {name: table(name, of_table) for name, of_table in rows.items()}


def moment(hours: float = 0.0, **known: int | None) -> Moment:
    """So many hours after `START_NS`; the server started a day before that."""
    return Moment(**{"time_ns": START_NS + round(hours * HOUR_NS), "started_ns": START_NS - 24 * HOUR_NS, **known})


def counters(end: Moment, identity: DatabaseIdentity | None = None, **rows: Iterable[Row]) -> DatabaseRecord:
    return DatabaseRecord("views", Reach.COUNTERS, identity or ORACLE, end, tables=tables(**rows))


def period(
    identity: DatabaseIdentity | None = None,
    elapsed_s: float | None = 3600.0,
    db_time_s: float | None = None,
    faults: tuple[Fault, ...] = (),
    hours: float = 1.0,
    **rows: Iterable[Row],
) -> DatabaseRecord:
    return DatabaseRecord(
        "report",
        Reach.PERIOD,
        identity or ORACLE,
        moment(hours),
        moment(hours - 1),
        elapsed_s,
        db_time_s,
        tables=tables(**rows),
        faults=faults,
    )


ORACLE = DatabaseIdentity("oracle", name="ORCL", db_id="1", instance="orcl1")
POSTGRES = DatabaseIdentity("postgresql", name="app", db_id="7")
MYSQL = DatabaseIdentity("mysql", name="shop")
