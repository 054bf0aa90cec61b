"""The time between two snapshots of one database's counters, as a period.

Counters are float64: counts are exact up to 2**53 (9.0e15), and the difference of two of them is exact as long as
both are. Times come as decimal fractions; their difference is off by at most one unit in the last place of the larger
of the two, which for a year of seconds is 4 ns. A difference below zero by no more than a few such units is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.differences import extreme_between, growth
from tunebench.analysis.databases.idle_waits import is_idle
from tunebench.analysis.databases.keyed_rows import KeyedRows
from tunebench.analysis.databases.period_faults import (
    LOAD_OF_VIEWS,
    faults_between,
    reset_scopes,
    reset_tables,
    start_moved,
)
from tunebench.analysis.databases.prepared_statements import prepared_statements_unseen
from tunebench.analysis.databases.rates import with_rates, with_shares
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.analysis.databases.statement_subtraction import subtracted_statements
from tunebench.analysis.databases.statement_time import statement_time_s
from tunebench.core.records import record
from tunebench.domain.databases.records import TABLES, Behaviour, Fault, Reach

_SYSTEM_TABLES = ("load", "time_model", "wait_class", "wait_event")
"""None of their counters falls while the server runs and nobody sets them back, but for idle waits: MariaDB's total
of ``idle`` was seen to fall from 0.718 to 0.577 s with nothing set back."""

_SEEN = frozenset({"lock_wait"})
"""Tables of what was seen at a moment: it counts at whichever end of a period it was seen."""

Flags = NDArray[np.bool_]


def period_between(earlier: DatabaseRecord, later: DatabaseRecord) -> DatabaseRecord:
    """What was added between two snapshots (`Reach.COUNTERS`), with the faults that were found.

    A figure that fell is not reported. Statements are dealt with in `statement_subtraction`. Names come from the
    later snapshot; `state` and `parameter` hold both ends.
    """
    span = _Span(earlier, later, reset_tables(earlier, later), reset_scopes(earlier, later))
    carried = {*earlier.faults, *later.faults} - {Fault.SINCE_START}
    faults = [*faults_between(earlier, later), *(fault for fault in Fault if fault in carried)]
    present = {*later.tables, *(_SEEN & earlier.tables.keys())}
    tables = {name: _TABLES.get(name, _of_counters)(span, name) for name in TABLES if name in present}
    tables = {name: table for name, table in tables.items() if len(table)}
    if span.has_fallen and not {Fault.RESTART, Fault.NEGATIVE} & set(faults):
        faults.append(Fault.RESTART if start_moved(earlier, later) else Fault.NEGATIVE)
    if span.has_lost:
        faults.append(Fault.EVICTED)
    elapsed_s = span.elapsed_s
    db_time_s = _db_time_s(tables)
    tables = with_shares(with_rates(tables, elapsed_s), db_time_s)
    absent = tuple(dict.fromkeys((*earlier.absent, *later.absent)))
    period = replace(
        later,
        reach=Reach.PERIOD,
        begin=earlier.end,
        elapsed_s=elapsed_s,
        db_time_s=db_time_s,
        tables=tables,
        absent=absent,
        faults=tuple(dict.fromkeys(faults)),
    )
    if prepared_statements_unseen(period):
        period = period.with_faults(Fault.PREPARED_UNSEEN)
    if period.db_time_s is None:
        spent_s = statement_time_s(str(period.identity.engine), period.tables, period.faults)
        period = replace(period, db_time_s=spent_s)
    return period


@record(frozen=False)
class _Span:
    """Two snapshots, and what was noticed while their tables were compared."""

    earlier: DatabaseRecord
    later: DatabaseRecord
    reset: frozenset[str]
    scopes: frozenset[str]
    has_fallen: bool = False
    has_lost: bool = False

    @property
    def elapsed_s(self) -> float | None:
        start, end = self.earlier.end.time_ns, self.later.end.time_ns
        return None if start is None or end is None or end <= start else (end - start) / 1e9

    def pair(self, name: str) -> tuple[KeyedRows, KeyedRows]:
        return KeyedRows.of(self.earlier.table(name)), KeyedRows.of(self.later.table(name))


def _of_counters(span: _Span, name: str) -> FigureTable:
    """What is new in the later snapshot began at 0: no view leaves out what has counted before."""
    before, now = span.pair(name)
    places = before.places_of(now.keys)
    anew = _began_anew(span, name, now)
    figures: dict[str, Numbers] = {}
    for column, shape in TABLES[name].figures.items():
        if column not in now.figures:
            continue
        old, new = before.figure_at(column, places), now.figure(column)
        if shape.behaviour is Behaviour.COUNTER:
            difference = growth(np.where(places < 0, 0.0, old), new)
            has_fallen = (difference < 0) & ~anew
            span.has_fallen |= name in _SYSTEM_TABLES and bool((has_fallen & ~_idle_rows(name, now)).any())
            figures[column] = np.where(anew | has_fallen, np.nan, difference)
        elif shape.behaviour is Behaviour.EXTREME:
            figures[column] = np.where(places < 0, new, extreme_between(column, old, new))
        elif shape.behaviour is Behaviour.STATE:
            figures[column] = new
    return _table_of(name, now, figures)


def _began_anew(span: _Span, name: str, now: KeyedRows) -> Flags:
    """Rows whose counters were set back inside."""
    if name in span.reset:
        return np.ones(len(now), dtype=bool)
    if name == "activity" and span.scopes:
        return np.array([scope in span.scopes for scope in now.text("scope")], dtype=bool)
    if name == "load" and span.scopes:
        names = {row for scope in span.scopes for row in LOAD_OF_VIEWS.get(scope, ())}
        return np.array([row in names for row in now.text("name")], dtype=bool)
    return np.zeros(len(now), dtype=bool)


def _idle_rows(name: str, rows: KeyedRows) -> Flags:
    if name not in ("wait_class", "wait_event"):
        return np.zeros(len(rows), dtype=bool)
    groups = rows.text("wait_class")
    events = rows.text("event") if name == "wait_event" else groups
    return np.array([is_idle(event, group) for event, group in zip(events, groups, strict=True)], dtype=bool)


def _table_of(name: str, rows: KeyedRows, figures: Mapping[str, Numbers]) -> FigureTable:
    texts = {column: rows.text(column) for column in rows.table.texts}
    return FigureTable(name, texts, dict(figures), rows.table.lines[rows.first])


def _statements(span: _Span, name: str) -> FigureTable:
    table, has_lost = subtracted_statements(span.earlier, span.later, name in span.reset)
    span.has_lost |= has_lost
    return table


def _states(span: _Span, name: str) -> FigureTable:
    """A snapshot's own state stands in `end`, or in `begin` where it has but one column."""
    before, now = span.pair(name)
    places = before.places_of(now.keys)
    begin = np.append(_first_finite(before.figure("end"), before.figure("begin")), np.nan)[places]
    return _table_of(name, now, {"begin": begin, "end": _first_finite(now.figure("end"), now.figure("begin"))})


def _first_finite(first: Numbers, second: Numbers) -> Numbers:
    return np.where(np.isnan(first), second, first)


EMPTY_VALUE = "''"
"""A parameter that is set to nothing, where an empty cell would mean "not told"."""


def _parameters(span: _Span, name: str) -> FigureTable:
    """Both ends of every parameter, equal or not."""
    before, now = span.pair(name)
    values = dict(zip(before.keys, _values_of(before), strict=True))
    texts = {column: now.text(column) for column in now.table.texts}
    texts["begin"] = tuple(values[key] or EMPTY_VALUE if key in values else "" for key in now.keys)
    texts["end"] = tuple(value or EMPTY_VALUE for value in _values_of(now))
    return FigureTable(name, texts, {}, now.table.lines[now.first])


def _values_of(rows: KeyedRows) -> list[str]:
    return [end or begin for begin, end in zip(rows.text("begin"), rows.text("end"), strict=True)]


def _of_both(span: _Span, name: str) -> FigureTable:
    """The later snapshot's rows, then those that only the earlier one has (texts of statements that left)."""
    before, now = span.pair(name)
    gone = np.flatnonzero(now.places_of(before.keys) < 0)
    old = before.table.taken(before.first[gone])
    return joined(name, [now.table.taken(now.first), replace(old, lines=np.zeros_like(old.lines))])


def _sightings(span: _Span, name: str) -> FigureTable:
    before = span.earlier.table(name)
    return added_sightings([span.later.table(name), replace(before, lines=np.zeros_like(before.lines))])


def added_sightings(tables: Sequence[FigureTable]) -> FigureTable:
    """What was seen at several moments of one stretch: sightings of the same are added up."""
    rows = KeyedRows.of(joined(tables[0].name, list(tables)))
    return _table_of(tables[0].name, rows, rows.figures)


def joined(name: str, tables: list[FigureTable]) -> FigureTable:
    """The rows of several tables of one kind."""
    texts = dict.fromkeys(column for table in tables for column in table.texts)
    figures = dict.fromkeys(column for table in tables for column in table.figures)
    return FigureTable(
        name,
        {column: tuple(text for table in tables for text in table.text(column)) for column in texts},
        {column: np.concatenate([table.figure(column) for table in tables]) for column in figures},
        np.concatenate([table.lines for table in tables]),
    )


def _db_time_s(tables: Mapping[str, FigureTable]) -> float | None:
    for name, column in (("time_model", "time_s"), ("load", "total")):
        table = tables.get(name)
        if table is not None and "db_time" in table.text("name"):
            value = float(table.figure(column)[list(table.text("name")).index("db_time")])
            if not np.isnan(value):
                return value
    return None


_TABLES: Mapping[str, Callable[[_Span, str], FigureTable]] = {
    "statement": _statements,
    "state": _states,
    "parameter": _parameters,
    "statement_text": _of_both,
    "plan": _of_both,
    "fact": _of_both,
    "statement_list": _of_both,
    "lock_wait": _sightings,
}
