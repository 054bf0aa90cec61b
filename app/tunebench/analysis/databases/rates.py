"""Rates and shares out of totals; what a capture printed itself stays unless they are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tunebench.analysis.databases.record import FigureTable, Numbers

Tables = Mapping[str, FigureTable]


def quotient(upper: Numbers, lower: Numbers | float) -> Numbers:
    """NaN where either is not known or the divisor is not above zero."""
    divisor = np.broadcast_to(np.asarray(lower, dtype=np.float64), upper.shape)
    result = np.full(upper.shape, np.nan)
    np.divide(upper, divisor, out=result, where=divisor > 0)
    return result


def load_total(table: FigureTable, name: str) -> float:
    """NaN where the load profile has no such total."""
    names = list(table.text("name"))
    return float(table.figure("total")[names.index(name)]) if name in names else float("nan")


def transactions(table: FigureTable) -> float:
    """Transactions of a load profile; commits and rollbacks where it does not count them itself."""
    counted = load_total(table, "transactions")
    return counted if not np.isnan(counted) else load_total(table, "commits") + load_total(table, "rollbacks")


def with_rates(tables: Tables, elapsed_s: float | None, anew: bool = False) -> dict[str, FigureTable]:
    """The load profile per second, per transaction and per execution."""
    load = tables.get("load")
    if load is None:
        return dict(tables)
    total = load.figure("total")
    divisors = {
        "per_second": elapsed_s or np.nan,
        "per_transaction": transactions(load),
        "per_execution": load_total(load, "executions"),
    }
    rates = {name: _chosen(load.figure(name), quotient(total, by), anew) for name, by in divisors.items()}
    return {**tables, "load": replace(load, figures={**load.figures, **rates})}


def with_shares(tables: Tables, db_time_s: float | None, anew: bool = False) -> dict[str, FigureTable]:
    """Times as per cent of DB time."""
    result = dict(tables)
    for name in ("time_model", "wait_class", "wait_event"):
        table = tables.get(name)
        if table is not None and db_time_s:
            share = _chosen(table.figure("share_pct"), quotient(table.figure("time_s") * 100.0, db_time_s), anew)
            result[name] = replace(table, figures={**table.figures, "share_pct": share})
    return result


def _chosen(printed: Numbers, computed: Numbers, anew: bool) -> Numbers:
    first, second = (computed, printed) if anew else (printed, computed)
    return np.where(np.isnan(first), second, first)
