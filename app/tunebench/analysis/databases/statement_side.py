"""What the matched statements cost on one side: totals and figures per execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.listing import NESTED
from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.analysis.databases.statement_subtraction import MARKS
from tunebench.core.records import record
from tunebench.domain.databases.records import STATEMENT_FIGURES, Behaviour, StatementKey

COUNTERS = tuple(name for name, shape in STATEMENT_FIGURES.items() if shape.behaviour is Behaviour.COUNTER)
SHOWN = tuple(name for name in COUNTERS if name != "elapsed_squares")
"""Those that tell a reader something by themselves."""

Flags = NDArray[np.bool_]


@record(eq=False)
class StatementSide:
    """Columns of n statements.

    Attributes:
        totals: by figure; NaN where nothing is reported.
        executions_of: executions over the rows that report the figure; NaN where these are not known.
        per_execution: total / executions over the rows that report both; NaN without executions.
        partial: whether the totals are known to be lower bounds (rows marked so, or rows that lack a figure).
        listed: whether the capture names the statement at all.
        outer: whether any of its rows stands for itself; the others ran inside of statements whose figures hold theirs.
        plans: plan ids, sorted; empty where none is known.
        nothing: n times NaN, for figures that are not reported at all.
    """

    totals: Mapping[str, Numbers]
    executions_of: Mapping[str, Numbers]
    per_execution: Mapping[str, Numbers]
    partial: Flags
    listed: Flags
    outer: Flags
    plans: tuple[tuple[str, ...], ...]
    nothing: Numbers

    def total(self, figure: str) -> Numbers:
        return self._column(self.totals, figure)

    def each(self, figure: str) -> Numbers:
        """The figure per execution."""
        return self._column(self.per_execution, figure)

    def executions(self, figure: str = "executions") -> Numbers:
        return self._column(self.executions_of, figure)

    @property
    def deviation(self) -> Numbers:
        """Standard deviation of an execution's time in seconds; NaN where some executions lack it."""
        complete = self.executions("elapsed_squares") == self.executions("elapsed_s")
        variance = self.each("elapsed_squares") - self.each("elapsed_s") ** 2
        return np.where(complete, np.sqrt(np.maximum(variance, 0.0)), np.nan)

    def _column(self, columns: Mapping[str, Numbers], figure: str) -> Numbers:
        column = columns.get(figure)
        return self.nothing if column is None else column

    def taken(self, order: NDArray[np.intp]) -> StatementSide:
        def chosen(columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
            return {name: values[order] for name, values in columns.items()}

        return StatementSide(
            chosen(self.totals),
            chosen(self.executions_of),
            chosen(self.per_execution),
            self.partial[order],
            self.listed[order],
            self.outer[order],
            tuple(self.plans[row] for row in order.tolist()),
            self.nothing,
        )


def side_of(record: DatabaseRecord, groups: Sequence[tuple[StatementKey, ...]]) -> StatementSide:
    """The figures of each group of statements; a group may be empty."""
    table = record.table("statement")
    places: dict[tuple[str, str], int] = {key: index for index, keys in enumerate(groups) for key in keys}
    named = zip(table.text("statement_id"), table.text("container"), strict=True)
    rows = np.array([places.get(key, -1) for key in named], dtype=np.intp)
    if (rows < 0).any():
        table, rows = table.taken(rows >= 0), rows[rows >= 0]
    count = len(groups)
    executions = table.figure("executions")
    totals, executed, per_execution = {}, {}, {}
    for name in COUNTERS:
        if name in table.figures:
            values = table.figures[name]
            totals[name] = _sums(values, rows, count)
            usable = np.where(np.isnan(values), np.nan, executions)
            executed[name] = _sums(usable, rows, count)
            per_execution[name] = quotient(
                _sums(np.where(np.isnan(usable), np.nan, values), rows, count), executed[name]
            )
    listed = np.zeros(count, dtype=bool)
    listed[rows] = True
    nothing = np.full(count, np.nan)
    partial, plans = _partial(table, rows, count), _plans(table, rows, count)
    return StatementSide(totals, executed, per_execution, partial, listed, _outer(table, rows, listed), plans, nothing)


def _sums(values: Numbers, rows: NDArray[np.intp], count: int) -> Numbers:
    """Sums by row of the values that are not NaN; NaN where all are."""
    present = ~np.isnan(values)
    sums = np.bincount(rows[present], weights=values[present], minlength=count)
    return np.where(np.bincount(rows[present], minlength=count) > 0, sums, np.nan)


def _partial(table: FigureTable, rows: NDArray[np.intp], count: int) -> Flags:
    partial = np.zeros(count, dtype=bool)
    seen_in = table.texts.get("seen_in")
    if seen_in is not None:
        marked = [bool(words) and not MARKS.isdisjoint(words.split()) for words in seen_in]
        partial[rows[np.array(marked, dtype=bool)]] = True
    elapsed = np.isnan(table.figure("elapsed_s"))
    some = np.bincount(rows[~elapsed], minlength=count) > 0
    partial[rows[elapsed]] |= some[rows[elapsed]]
    return partial


def _outer(table: FigureTable, rows: NDArray[np.intp], listed: Flags) -> Flags:
    modules = table.texts.get("module", ())
    if NESTED not in modules:
        return listed
    outer = np.zeros(len(listed), dtype=bool)
    outer[rows[np.array([module != NESTED for module in modules], dtype=bool)]] = True
    return outer


def _plans(table: FigureTable, rows: NDArray[np.intp], count: int) -> tuple[tuple[str, ...], ...]:
    plans: list[tuple[str, ...]] = [()] * count
    column = table.texts.get("plan")
    if column is None:
        return tuple(plans)
    for row, plan in zip(rows.tolist(), column, strict=True):
        if plan and plan != "0" and plan not in plans[row]:
            plans[row] = tuple(sorted((*plans[row], plan)))
    return tuple(plans)
