"""The columns of the statement table: what each sorts by and what its cells say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import JUDGED, StatementClass
from tunebench.core.messages import catalogue
from tunebench.reporting.statement_words import class_text
from tunebench.ui.databases.statement_rows import StatementRows, amount, percent, ratio_words, signed
from tunebench.ui.look.language import language, text

SIGNS = {
    StatementClass.IMPROVED: "↓",
    StatementClass.REGRESSED: "↑",
    StatementClass.EQUIVALENT: "=",
    StatementClass.INCONCLUSIVE: "~",
    StatementClass.INSUFFICIENT_DATA: "…",
    StatementClass.VOLUME_CHANGED: "×",
    StatementClass.CHANGED_FUNCTION: "≠",
    StatementClass.NEW: "+",
    StatementClass.GONE: "−",
    StatementClass.UNKNOWN: "?",
    StatementClass.NOT_MEASURED: "·",
}
TONES = {
    StatementClass.IMPROVED: "ok",
    StatementClass.REGRESSED: "critical",
    StatementClass.CHANGED_FUNCTION: "warning",
    StatementClass.NEW: "watch",
    StatementClass.UNKNOWN: "watch",
    StatementClass.VOLUME_CHANGED: "accent",
}
SHOWN_FIRST = tuple(
    StatementClass(name)
    for name in (
        "regressed",
        "changed_function",
        "improved",
        "new",
        "gone",
        "unknown",
        "volume_changed",
        "inconclusive",
        "equivalent",
        "insufficient_data",
        "not_measured",
    )
)
"""Classes from what must be looked at to what need not."""
SIDES = ("before", "after")
TOTALS = ("cpu_s", "block_gets", "block_reads", "rows_examined")
"""Figures whose columns are totals or per execution, as the reader chooses."""

Key = Numbers | Sequence[str]


@dataclass(frozen=True, slots=True)
class Column:
    """`band` names the figure whose two sides stand under one heading; `key` gives what the column sorts by."""

    id: str
    key: Callable[[StatementRows], Key]
    shown: Callable[[StatementRows, int], str]
    width: int = 84
    band: str = ""
    side: str = ""
    figure: str = ""
    each: bool = False
    words: bool = False

    @property
    def heading(self) -> str:
        """Key of the heading."""
        return f"ui.statements.column.{self.band or self.id}"


def class_words(outcome: StatementClass | None) -> str:
    return "" if outcome is None else f"{SIGNS[outcome]} {class_text(outcome, catalogue(language().code))}"


def pair_ids(rows: StatementRows, place: int) -> str:
    """The id, or both where they differ."""
    pair = rows.pairs[place]
    ids = list(dict.fromkeys((*pair.before_ids[:1], *pair.after_ids[:1])))
    return " → ".join(ids)


def pair_name(rows: StatementRows, place: int) -> str:
    """With the container where there are several."""
    container = rows.pairs[place].container if rows.several_containers else ""
    return " · ".join(part for part in (pair_ids(rows, place), container) if part)


def columns_of(rows: StatementRows, each: bool) -> list[Column]:
    """The columns that have something to say. `each`: CPU and blocks per execution instead of totals."""
    container = (_CONTAINER,) if rows.several_containers else ()
    alone = rows.comparison is None
    found = [*(() if alone else (_CHANGE,)), _ID, *container, _TEXT]
    found += [*(() if alone else (_IMPACT, _SHARE, _RATIO)), _HISTORY]
    bands = [("elapsed_each", "elapsed_s", True), ("executions", "executions", False), ("elapsed", "elapsed_s", False)]
    bands += [(f"{name}_each" if each else name, name, each) for name in TOTALS if rows.measured(name)]
    bands.append(("rows_each", "rows", True))
    sides = [side for side in SIDES if rows.side(side) is not None]
    found += [_side_column(band, side, figure, of_each) for band, figure, of_each in bands for side in sides]
    return [*found, _PLAN, *(() if alone else (_MATCHED,)), _OWNER]


def not_measured(rows: StatementRows) -> list[str]:
    """Figures that no side reports: they have no column, and are named."""
    return [name for name in ("elapsed_s", *TOTALS[:3], "rows") if not rows.measured(name)]


# -- cells ---------------------------------------------------------------------------------------------


def figure_words(rows: StatementRows, place: int, side: str, figure: str, each: bool) -> str:
    """A figure of one side, or in words why there is none."""
    columns = rows.side(side)
    assert columns is not None  # such columns are of sides that are there
    value = float((columns.each(figure) if each else columns.total(figure))[place])
    if not isnan(value):
        return ("≥ " if columns.partial[place] and not each else "") + amount(figure, value, each)
    bound = bound_of(rows, place, side, figure)
    if bound is not None and not each:
        return f"< {amount(figure, bound)}"
    return text(f"ui.statements.cell.{absence(rows, place, side, figure)}")


def absence(rows: StatementRows, place: int, side: str, figure: str) -> str:
    """Why a side has no figure: ``none`` (did not run), ``unlisted``, ``no_execution`` or ``not_measured``."""
    columns, pair = rows.side(side), rows.pairs[place]
    assert columns is not None
    if not (pair.before_ids if side == "before" else pair.after_ids):
        return "unlisted" if rows.outcome(place) is StatementClass.UNKNOWN else "none"
    if not isnan(float(columns.total(figure)[place])) and not float(columns.total("executions")[place]) > 0:
        return "no_execution"
    return "not_measured"


def bound_of(rows: StatementRows, place: int, side: str, figure: str) -> float | None:
    """The most that a statement can have taken which the side's list leaves out."""
    if rows.comparison is None:
        return None
    bounds = rows.comparison.before_bounds if side == "before" else rows.comparison.after_bounds
    found = float(bounds[figure][place]) if figure in bounds else float("nan")
    return None if isnan(found) else found


def _side_column(band: str, side: str, figure: str, each: bool) -> Column:
    def key(rows: StatementRows) -> Numbers:
        columns = rows.side(side)
        assert columns is not None
        return columns.each(figure) if each else columns.total(figure)

    return Column(
        f"{band}.{side}",
        key,
        lambda rows, place: figure_words(rows, place, side, figure, each),
        88,
        band,
        side,
        figure,
        each,
    )


def _impact_words(rows: StatementRows, place: int) -> str:
    assert rows.comparison is not None
    value = float(rows.comparison.impacts["elapsed_s"][place])
    return text("ui.statements.cell.not_computable") if isnan(value) else signed(round(value, 6))


def _share_words(rows: StatementRows, place: int) -> str:
    assert rows.comparison is not None
    value = float(rows.comparison.workload_pct[place])
    if isnan(value):
        return text("ui.statements.cell.not_computable")
    return f"{signed(round(value, 1) + 0.0, 3)} %" if abs(value) >= 0.05 else percent(0.0)


def _ratio_words(rows: StatementRows, place: int) -> str:
    judge = int(rows.judges[place])
    if judge < 0 or rows.before is None or rows.after is None:
        return text("ui.statements.cell.not_computable")
    figure = JUDGED[judge]
    before, after = float(rows.before.each(figure)[place]), float(rows.after.each(figure)[place])
    if isnan(before) or isnan(after):
        return text("ui.statements.cell.not_computable")
    found = rows.comparison.verdicts.get(figure) if rows.comparison is not None else None
    return ratio_words(before, after, found.verdicts[place] if found is not None else None)


def _ratio_key(rows: StatementRows) -> Numbers:
    assert rows.comparison is not None
    return rows.judged(rows.comparison.ratios)


def _plan_changed(rows: StatementRows, place: int) -> str:
    """``yes``, ``no``, ``unknown``."""
    plans = [side.plans[place] for side in (rows.before, rows.after) if side is not None]
    if len(plans) < 2 or not all(plans):
        return "unknown"
    return "yes" if plans[0] != plans[1] else "no"


def _plan_words(rows: StatementRows, place: int) -> str:
    if rows.comparison is None:
        side = rows.before or rows.after
        return ", ".join(side.plans[place]) if side else ""
    return text(f"ui.statements.plan.{_plan_changed(rows, place)}")


def plan_changed(rows: StatementRows, place: int) -> bool:
    return _plan_changed(rows, place) == "yes"


def method_words(rows: StatementRows, place: int) -> str:
    method = rows.pairs[place].method
    return text(f"ui.statements.method.{method or 'none'}")


def _class_key(rows: StatementRows) -> Numbers:
    rank = np.array([SHOWN_FIRST.index(outcome) for outcome in StatementClass], dtype=np.float64)
    return np.where(rows.codes >= 0, rank[rows.codes], np.nan)


def _owner_words(rows: StatementRows, place: int) -> str:
    return ", ".join(rows.owned.get(place, ()))


_CHANGE = Column("change", _class_key, lambda rows, place: class_words(rows.outcome(place)), 104, words=True)
_ID = Column("id", lambda rows: [pair_ids(rows, place) for place in range(len(rows))], pair_ids, 124, words=True)
_CONTAINER = Column(
    "container",
    lambda rows: [pair.container for pair in rows.pairs],
    lambda rows, place: rows.pairs[place].container,
    100,
    words=True,
)
_TEXT = Column(
    "text",
    lambda rows: [words[:80].casefold() for words in rows.texts],
    lambda rows, place: rows.texts[place][:300] or text("ui.statements.cell.no_text"),
    240,
    words=True,
)
_IMPACT = Column(
    "impact", lambda rows: rows.comparison.impacts["elapsed_s"] if rows.comparison else [], _impact_words, 88
)
_SHARE = Column("share", lambda rows: rows.comparison.workload_pct if rows.comparison else [], _share_words, 76)
_RATIO = Column("ratio", _ratio_key, _ratio_words, 132)
_HISTORY = Column("history", lambda rows: np.full(len(rows), np.nan), lambda _rows, _place: "", 96)
_PLAN = Column(
    "plan", lambda rows: [_plan_words(rows, place) for place in range(len(rows))], _plan_words, 92, words=True
)
_MATCHED = Column(
    "matched", lambda rows: [method_words(rows, place) for place in range(len(rows))], method_words, 100, words=True
)
_OWNER = Column(
    "owner", lambda rows: [_owner_words(rows, place) for place in range(len(rows))], _owner_words, 130, words=True
)


def totals_words(rows: StatementRows, column: Column) -> str:
    """The cell of the row of totals: over the statements that both sides measured, where two are compared."""
    if column.id == "impact" and rows.comparison is not None:
        return signed(float(np.nansum(rows.comparison.impacts["elapsed_s"])))
    if column.id == "ratio" and rows.comparison is not None:
        totals = rows.comparison.totals["elapsed_s"]
        return ratio_words(totals.before, totals.after) if totals.statements else ""
    if not column.figure or column.each:
        return ""
    return amount(column.figure, total_of(rows, column.figure, column.side))


def total_of(rows: StatementRows, figure: str, side: str) -> float | None:
    """The sum of one side; of two compared sides over the statements that both report."""
    columns = rows.side(side)
    if columns is None:
        return None
    values = columns.total(figure)
    if rows.before is not None and rows.after is not None:
        basis = figure if figure in JUDGED else "elapsed_s"
        both = ~np.isnan(rows.before.each(basis)) & ~np.isnan(rows.after.each(basis))
        values = values[both]
    known = values[~np.isnan(values)]
    return float(known.sum()) if len(known) else None
