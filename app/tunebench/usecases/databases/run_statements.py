"""The SQL statements of a run or a window, from whatever its captures say and what was entered by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.matching import active_rows
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, statement_keys
from tunebench.analysis.databases.statement_subtraction import LEFT
from tunebench.domain.databases.records import StatementKey
from tunebench.domain.engagement import Statement
from tunebench.domain.windows import Window
from tunebench.store import engagements, runs
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases.comparing.stretches import whole_of
from tunebench.usecases.databases.sides import Side, overlap, side
from tunebench.usecases.databases.snapshots import databases

_TABLES = ("statement", "statement_text")
_COUNTS = ("executions", "block_gets", "block_reads", "rows")
_SECONDS = ("elapsed_s", "cpu_s")
_MOST_REMEMBERED = 4
WHOLE_CLUSTER = "*"
"""`DatabaseIdentity.instance` of all instances together."""
_remembered: WeakKeyDictionary[Project, dict[int | Window, tuple[tuple[int, str], tuple[Statement, ...]]]] = (
    WeakKeyDictionary()
)
"""Statements with the head of the audit trail they were worked out at; figures of many metrics ask for them."""


def read_statements(project: Project, run_id: int | None = None) -> list[Statement]:
    """Those of one run or of all: of captures first, each once, then those entered by hand."""
    wanted = [run_id] if run_id is not None else [run.id for run in runs.list_runs(project)]
    return [statement for one in wanted for statement in statements_over(project, one)]


def statements_over(project: Project, over: int | Window) -> tuple[Statement, ...]:
    """Of a run or a window; what was entered by hand is of whole runs.

    Worked out anew when the project has changed: every change of it is an entry of the audit trail.
    """
    known = _remembered.setdefault(project, {})
    state = audit.chain_head(project)
    found = known.get(over)
    if found is None or found[0] != state:
        found = state, _worked_out(project, over)
        for other in list(known)[: max(len(known) + 1 - _MOST_REMEMBERED, 0)]:
            known.pop(other, None)
        known[over] = found
    return found[1]


def _worked_out(project: Project, over: int | Window) -> tuple[Statement, ...]:
    telling = [each for each in databases(project, over) if any("statement" in part.rows for part in each.records)]
    sides = _once([side(project, over, database, _TABLES) for database in telling])
    found = [statement for each in sides for statement in statements_of(each)]
    entered = (each for run_id in _entered(over) for each in engagements.read_statements_by_hand(project, run_id))
    return (*found, *entered)


def _entered(over: int | Window) -> tuple[int, ...]:
    if isinstance(over, int):
        return (over,)
    return over.run_ids if whole_of(over) else ()


def _once(sides: Sequence[Side]) -> list[Side]:
    """Without instances of a cluster whose time reports of the whole cluster cover: those have their statements."""
    clusters = [each for each in sides if each.database.identity.instance == WHOLE_CLUSTER]
    return [each for each in sides if not any(_is_inside(each, cluster) for cluster in clusters)]


def _is_inside(one: Side, cluster: Side) -> bool:
    of_one, of_cluster = one.database.identity, cluster.database.identity
    if of_one.instance == WHOLE_CLUSTER or replace(of_one, instance=WHOLE_CLUSTER).key != of_cluster.key:
        return False
    return all(any(overlap(period, whole) > 0.5 for whole in cluster.used) for period in one.used)


def statements_of(found: Side) -> list[Statement]:
    """A side's statements over all their plans and users."""
    if found.record is None:
        return []
    artefacts = found.artefacts.get("statement", ())
    return _statements(found.record, found.run_id, artefacts[0] if artefacts else None)


def _statements(record: DatabaseRecord, run_id: int, artefact_id: int | None) -> list[Statement]:
    table = _at_work(record.table("statement"))
    places: dict[StatementKey, int] = {}
    rows = np.array([places.setdefault(key, len(places)) for key in statement_keys(table)], dtype=np.int64)
    figures = {
        name: _figures(_added(table.figure(name), rows, len(places)), counted=name in _COUNTS)
        for name in (*_COUNTS, *_SECONDS)
    }
    executed = _executed(table, rows, len(places))
    texts = record.statement_texts()
    plans, modules = (_only_one(table.text(name), rows, len(places)) for name in ("plan", "module"))
    columns = zip(*figures.values(), strict=True)
    return [
        Statement(
            run_id,
            str(record.identity.engine),
            key.id,
            texts.get(key.id, ""),
            modules[place],
            plans[place],
            artefact_id=artefact_id,
            container=key.container,
            executed=executed.get(place, {}),
            **dict(zip(figures, values, strict=True)),
        )
        for (key, place), values in zip(places.items(), columns, strict=True)
    ]


def _at_work(table: FigureTable) -> FigureTable:
    """Without rows that say that nothing was done, and without such as were on the list at the beginning only."""
    told = np.zeros(len(table), dtype=bool)
    for values in table.figures.values():
        told |= ~np.isnan(values)
    left = np.array([LEFT in words.split() for words in table.text("seen_in")], dtype=bool)
    idle = ~active_rows(table) & (told | left)
    return table.taken(~idle) if idle.any() else table


def _executed(table: FigureTable, rows: NDArray[np.int64], count: int) -> dict[int, dict[str, tuple[float, float]]]:
    """`Statement.executed` by place: captures that print other figures make other rows of one statement."""
    found: dict[int, dict[str, tuple[float, float]]] = {}
    executions = table.figure("executions")
    for name in (*_COUNTS[1:], *_SECONDS):
        values = table.figure(name)
        apart = np.isnan(values) != np.isnan(executions)
        both = ~(np.isnan(values) | np.isnan(executions))
        totals, runs = (np.bincount(rows[both], weights=each[both], minlength=count) for each in (values, executions))
        for place in np.unique(rows[apart]).tolist():
            found.setdefault(place, {})[name] = float(totals[place]), float(runs[place])
    return found


def _added(values: NDArray[np.float64], rows: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """float64[count]: sums over the rows of a statement; NaN where none of them reports the figure."""
    there = ~np.isnan(values)
    sums = np.bincount(rows[there], weights=values[there], minlength=count)
    told = np.bincount(rows[there], minlength=count) > 0
    return np.where(told, sums, np.nan)


def _figures(values: NDArray[np.float64], counted: bool) -> list[Any]:
    return [None if value != value else round(value) if counted else value for value in values.tolist()]


def _only_one(texts: Sequence[str], rows: NDArray[np.int64], count: int) -> list[str]:
    """What all rows of a statement have in common; empty where they differ."""
    found: list[str | None] = [None] * count
    for row, text in zip(rows.tolist(), texts, strict=True):
        known = found[row]
        found[row] = text if known is None or known == text else ""
    return [text or "" for text in found]
