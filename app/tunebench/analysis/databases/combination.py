"""Several periods of one database as one: a day of hourly reports.

Counters are added up, shares averaged by the periods' lengths, the greatest extreme kept, of states the first begin
and the last end. Figures are only added up over periods that report the same ones: a statement whose blocks are in
two of five reports becomes two rows, one for each set of figures, so that every quotient is formed of totals of the
same time. A statement that a report leaves out ran there too, as far as anybody knows: `periods` says in how many
reports a row is, and its totals are lower bounds where that is not all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.databases.keyed_rows import Places, is_least
from tunebench.analysis.databases.rates import quotient, with_rates, with_shares
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.analysis.databases.statement_time import times_statements_only
from tunebench.analysis.databases.subtraction import joined
from tunebench.domain.databases.records import STATEMENT_FIGURES, TABLES, Behaviour, Fault, Reach

COMBINED_FACT = ("combined", "periods")
"""Scope and name of the fact that tells how many periods a record combines."""
_TEXTS = ("statement_text", "plan", "fact")
_BOUNDS = frozenset({"least"})
"""What a statement that no list shows may have cost at most: in all periods, the sum of what it may in each."""


def combined(periods: Sequence[DatabaseRecord]) -> DatabaseRecord:
    """One period out of one or more; those that are not valid are left out unless all are.

    Raises:
        ValueError: no period, or counters among them.
    """
    if not periods or any(period.reach is not Reach.PERIOD for period in periods):
        raise ValueError("only periods can be combined")
    chosen = sorted([period for period in periods if period.valid] or periods, key=_order)
    if len(chosen) == 1:
        return chosen[0]
    elapsed_s = _total([period.elapsed_s for period in chosen])
    db_time_s = _total([period.db_time_s for period in chosen])
    shared_s = None if times_statements_only(str(chosen[-1].identity.engine)) else db_time_s
    present = [name for name in TABLES if any(name in period.tables for period in chosen)]
    tables = {name: _combined_table(name, chosen) for name in present}
    tables["fact"] = joined("fact", [table for table in (tables.get("fact"), _count_fact(len(chosen))) if table])
    first, last = chosen[0], chosen[-1]
    return replace(
        last,
        begin=first.begin,
        elapsed_s=elapsed_s,
        db_time_s=db_time_s,
        tables=with_shares(with_rates(tables, elapsed_s, anew=True), shared_s, anew=True),
        first_line=first.first_line,
        absent=tuple(dict.fromkeys(name for period in chosen for name in period.absent)),
        faults=_faults(chosen),
    )


def _order(period: DatabaseRecord) -> tuple[int, int, str]:
    return period.end.time_ns or 0, period.end.snapshot or 0, period.identity.label


def _total(values: Sequence[float | None]) -> float | None:
    reported = [value for value in values if value is not None]
    return float(sum(reported)) if len(reported) == len(values) else None


def _faults(periods: Sequence[DatabaseRecord]) -> tuple[Fault, ...]:
    faults = {fault for period in periods for fault in period.faults}
    if len({period.identity.cpu_count for period in periods} - {None}) > 1:
        faults.add(Fault.CPU_COUNT)
    return tuple(fault for fault in Fault if fault in faults)


def _count_fact(count: int) -> FigureTable:
    scope, name = COMBINED_FACT
    texts = {"scope": (scope,), "name": (name,), "value": (str(count),)}
    return FigureTable("fact", texts, {}, np.zeros(1, dtype=np.int64))


def _combined_table(name: str, periods: Sequence[DatabaseRecord]) -> FigureTable:
    parts = [_counted(period.table(name)) for period in periods]
    whole = joined(name, parts)
    if name in _TEXTS:
        return _latest(whole)
    if name == "parameter":
        return _ends_of_texts(whole)
    weights = np.repeat([period.elapsed_s or 0.0 for period in periods], [len(part) for part in parts])
    return _added_up(name, whole, weights)


def _counted(table: FigureTable) -> FigureTable:
    """Rows of statements count for one period each."""
    if table.name != "statement" or "periods" in table.figures:
        return table
    return replace(table, figures={**table.figures, "periods": np.ones(len(table))})


def _latest(table: FigureTable) -> FigureTable:
    """The last row of each key; a whole text before one that was cut off."""
    complete = table.figure("complete").tolist()
    best: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(table.keys()):
        if key not in best or complete[row] != 0 or complete[best[key]] == 0:
            best[key] = row
    return table.taken(np.array(list(best.values()), dtype=np.intp))


def _ends_of_texts(table: FigureTable) -> FigureTable:
    """The value at the first begin and at the last end."""
    first: dict[tuple[str, ...], int] = {}
    last: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(table.keys()):
        first.setdefault(key, row)
        last[key] = row
    rows = table.taken(np.array(list(last.values()), dtype=np.intp))
    begins, ends = table.text("begin"), table.text("end")
    texts = {
        **rows.texts,
        "begin": tuple(begins[first[key]] for key in last),
        "end": tuple(ends[row] or begins[row] for row in last.values()),
    }
    return replace(rows, texts=texts)


def _added_up(name: str, table: FigureTable, weights: Numbers) -> FigureTable:
    places: dict[tuple[str | bytes, ...], int] = {}
    rows = np.array([places.setdefault(key, len(places)) for key in _keys(table)], dtype=np.intp)
    first = np.unique(rows, return_index=True)[1]
    shapes = TABLES[name].figures
    figures = {
        column: _combined_figure(column, shapes[column].behaviour, values, rows, weights)
        for column, values in table.figures.items()
    }
    texts = {column: tuple(table.text(column)[row] for row in first.tolist()) for column in table.texts}
    if name == "statement" and "seen_in" in texts:
        texts["seen_in"] = _all_words(table.text("seen_in"), rows, len(places))
    return FigureTable(name, texts, figures, table.lines[first])


def _keys(table: FigureTable) -> Sequence[tuple[str | bytes, ...]]:
    """A statement's rows are parted by what they report."""
    if table.name != "statement":
        return table.keys()
    counters = [v for name, v in table.figures.items() if STATEMENT_FIGURES[name].behaviour is Behaviour.COUNTER]
    if not counters:
        return table.keys()
    reported = np.packbits(~np.isnan(np.column_stack(counters)), axis=1)
    return [(*key, pattern.tobytes()) for key, pattern in zip(table.keys(), reported, strict=True)]


def _combined_figure(column: str, behaviour: Behaviour, values: Numbers, rows: Places, weights: Numbers) -> Numbers:
    count = int(rows.max(initial=-1)) + 1
    if column == "periods" or behaviour is Behaviour.COUNTER or column in _BOUNDS:
        return _sums(values, rows, count)
    if behaviour is Behaviour.SHARE:
        present = ~np.isnan(values)
        lengths = _sums(np.where(present, weights, 0.0), rows, count)
        return quotient(_sums(np.where(present, values * weights, 0.0), rows, count), lengths)
    result = np.full(count, np.nan)
    if behaviour is Behaviour.EXTREME:
        (np.fmin if is_least(column) else np.fmax).at(result, rows, values)
        return result
    present = ~np.isnan(values)
    chosen, wanted = rows[present], values[present]
    if column == "begin":
        chosen, wanted = chosen[::-1], wanted[::-1]
    result[chosen] = wanted  # of several the last one stays
    return result


def _sums(values: Numbers, rows: Places, count: int) -> Numbers:
    sums = np.zeros(count)
    np.add.at(sums, rows, values)
    return sums


def _all_words(words: Sequence[str], rows: Places, count: int) -> tuple[str, ...]:
    """The lists in which a row was seen in any of the periods."""
    gathered: list[dict[str, None]] = [{} for _ in range(count)]
    for row, text in zip(rows.tolist(), words, strict=True):
        gathered[row].update(dict.fromkeys(text.split()))
    return tuple(" ".join(lists) for lists in gathered)
