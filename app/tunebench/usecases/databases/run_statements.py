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
    """The statements of one run or of all: of captures first, each once, then those entered by hand."""
    wanted = [run_id] if run_id is not None else [run.id for run in runs.list_runs(project)]
    return [statement for one in wanted for statement in statements_over(project, one)]


def statements_over(project: Project, over: int | Window) -> tuple[Statement, ...]:
    """The statements of a run or a window; what was entered by hand is of whole runs.

    Worked out anew when the project has changed: every change of it is an entry of the audit trail.
    """
    remembered = _remembered.setdefault(project, {})
    state = audit.chain_head(project)
    kept = remembered.get(over)
    if kept is None or kept[0] != state:
        kept = state, _worked_out(project, over)
        for other in list(remembered)[: max(len(remembered) + 1 - _MOST_REMEMBERED, 0)]:
            remembered.pop(other, None)
        remembered[over] = kept
    return kept[1]


def _worked_out(project: Project, over: int | Window) -> tuple[Statement, ...]:
    telling = [
        database for database in databases(project, over) if any("statement" in part.rows for part in database.records)
    ]
    sides = _once([side(project, over, database, _TABLES) for database in telling])
    measured = [statement for own in sides for statement in statements_of(own)]
    entered = (
        statement for run_id in _entered(over) for statement in engagements.read_statements_by_hand(project, run_id)
    )
    return (*measured, *entered)


def _entered(over: int | Window) -> tuple[int, ...]:
    if isinstance(over, int):
        return (over,)
    return over.run_ids if whole_of(over) else ()


def _once(sides: Sequence[Side]) -> list[Side]:
    """The sides without instances of a cluster where reports of the whole cluster cover the time: they have it all."""
    clusters = [own for own in sides if own.database.identity.instance == WHOLE_CLUSTER]
    return [own for own in sides if not any(_is_inside(own, cluster) for cluster in clusters)]


def _is_inside(one: Side, cluster: Side) -> bool:
    of_one, of_cluster = one.database.identity, cluster.database.identity
    if of_one.instance == WHOLE_CLUSTER or replace(of_one, instance=WHOLE_CLUSTER).key != of_cluster.key:
        return False
    return all(any(overlap(period, whole) > 0.5 for whole in cluster.used) for period in one.used)


def statements_of(of_database: Side) -> list[Statement]:
    """A side's statements over all their plans and users."""
    if of_database.record is None:
        return []
    artefacts = of_database.artefacts.get("statement", ())
    return _statements(of_database.record, of_database.run_id, artefacts[0] if artefacts else None)


def _statements(record: DatabaseRecord, run_id: int, artefact_id: int | None) -> list[Statement]:
    table = _at_work(record.table("statement"))
    indexes: dict[StatementKey, int] = {}
    rows = np.array([indexes.setdefault(key, len(indexes)) for key in statement_keys(table)], dtype=np.int64)
    figures = {
        name: _figures(_added(table.figure(name), rows, len(indexes)), counted=name in _COUNTS)
        for name in (*_COUNTS, *_SECONDS)
    }
    executed = _executed(table, rows, len(indexes))
    texts = record.statement_texts()
    plans, modules = (_only_one(table.text(name), rows, len(indexes)) for name in ("plan", "module"))
    columns = zip(*figures.values(), strict=True)
    return [
        Statement(
            run_id,
            str(record.identity.engine),
            key.id,
            texts.get(key.id, ""),
            modules[index],
            plans[index],
            artefact_id=artefact_id,
            container=key.container,
            executed=executed.get(index, {}),
            **dict(zip(figures, values, strict=True)),
        )
        for (key, index), values in zip(indexes.items(), columns, strict=True)
    ]


def _at_work(table: FigureTable) -> FigureTable:
    """The table without rows that report no work, and without such as were on the list at the beginning only."""
    telling = np.zeros(len(table), dtype=bool)
    for values in table.figures.values():
        telling |= ~np.isnan(values)
    left = np.array([LEFT in words.split() for words in table.text("seen_in")], dtype=bool)
    idle = ~active_rows(table) & (telling | left)
    return table.taken(~idle) if idle.any() else table


def _executed(table: FigureTable, rows: NDArray[np.int64], count: int) -> dict[int, dict[str, tuple[float, float]]]:
    """Index -> `Statement.executed`: captures that print other figures make other rows of one statement."""
    executed: dict[int, dict[str, tuple[float, float]]] = {}
    executions = table.figure("executions")
    for name in (*_COUNTS[1:], *_SECONDS):
        values = table.figure(name)
        apart = np.isnan(values) != np.isnan(executions)
        both = ~(np.isnan(values) | np.isnan(executions))
        totals, runs = (
            np.bincount(rows[both], weights=figures[both], minlength=count) for figures in (values, executions)
        )
        for index in np.unique(rows[apart]).tolist():
            executed.setdefault(index, {})[name] = float(totals[index]), float(runs[index])
    return executed


def _added(values: NDArray[np.float64], rows: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """float64[count]: sums over the rows of a statement; NaN where none of them reports the figure."""
    there = ~np.isnan(values)
    sums = np.bincount(rows[there], weights=values[there], minlength=count)
    reported = np.bincount(rows[there], minlength=count) > 0
    return np.where(reported, sums, np.nan)


def _figures(values: NDArray[np.float64], counted: bool) -> list[Any]:
    return [None if value != value else round(value) if counted else value for value in values.tolist()]


def _only_one(texts: Sequence[str], rows: NDArray[np.int64], count: int) -> list[str]:
    """What all rows of a statement have in common; empty where they differ."""
    common: list[str | None] = [None] * count
    for row, text in zip(rows.tolist(), texts, strict=True):
        before = common[row]
        common[row] = text if before is None or before == text else ""
    return [text or "" for text in common]
