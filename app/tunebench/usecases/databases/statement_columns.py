"""The columns of the statement table: what each sorts by and what its cells say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

import numpy as np

from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import JUDGED, StatementClass
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.columns.column import SIDES, Column, Locale
from tunebench.columns.formats import rate_text
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.core.records import record
from tunebench.usecases.databases.statement_words import (
    SHOWN_FIRST,
    TONES,
    amount,
    class_words,
    figure_words,
    is_time,
    ratio_words,
    reason_words,
    signed,
)

TIP_TEXT = 1200
STRONG = ("change", "ratio")
TOTALS = ("cpu_s", "block_gets", "block_reads", "rows_examined")
"""Figures whose columns are totals or per execution, as the reader chooses."""

Key = Numbers | Sequence[str]


@record
class StatementColumn(Column[int]):
    """A row is the position of a statement in `StatementRows`.

    Attributes:
        name: key of the heading without the side.
        keys: what all statements are sorted by, in their order.
        band: the figure whose two sides stand under one heading, or empty.
        figure, each: the figure of a side, and whether it is told per execution.
        scale: what `keys` are multiplied with to be in the unit of the heading.
        at_least: whether the figure of a row is a part of what there was.
    """

    name: str = ""
    keys: Callable[[Locale], Key] = lambda _locale: ()
    band: str = ""
    figure: str = ""
    each: bool = False
    scale: float = 1.0
    at_least: Callable[[int], bool] = lambda _row: False


Words = Callable[[StatementRows, int, Locale], str]


def _column(
    rows: StatementRows,
    id_: str,
    keys: Callable[[StatementRows, Locale], Key],
    shown: Words,
    width: int = 84,
    right: bool = True,
    tone: Callable[[int], str] | None = None,
    tip: Callable[[int, Locale], str] | None = None,
) -> StatementColumn:
    name = f"ui.statements.column.{id_}"
    return StatementColumn(
        id_,
        name,
        text=lambda row, locale: shown(rows, row, locale),
        right=right,
        tone=tone,
        strong=(lambda _row: True) if id_ in STRONG else None,
        tip=tip,
        elided=True,
        explained=lambda locale: locale.text(f"{name}.tip"),
        pixels=width,
        name=name,
        keys=lambda locale: keys(rows, locale),
    )


def pair_ids(rows: StatementRows, index: int) -> str:
    """The id, or both where they differ."""
    pair = rows.pairs[index]
    ids = list(dict.fromkeys((*pair.before_ids[:1], *pair.after_ids[:1])))
    return " → ".join(ids)


def name_of(rows: StatementRows, index: int, locale: Locale) -> str:
    """What the statement is called, with the container where there are several; empty where no capture has its text."""
    container = rows.pairs[index].container if rows.several_containers else ""
    return statement_name(rows.texts[index], locale.messages, container)


def pair_name(rows: StatementRows, index: int, locale: Locale) -> str:
    """The name, the id behind it; with the container where there are several."""
    name = name_of(rows, index, locale)
    container = rows.pairs[index].container if rows.several_containers and not name else ""
    return " · ".join(part for part in (named_with_id(name, pair_ids(rows, index)), container) if part)


def columns_of(rows: StatementRows, each: bool) -> list[StatementColumn]:
    """The columns that have something to say. `each`: CPU and blocks per execution instead of totals."""
    compared = rows.comparison is not None
    columns = [*(_change_columns(rows) if compared else ()), *_name_columns(rows)]
    columns += _impact_columns(rows) if compared else ()
    columns.append(_column(rows, "history", lambda rows, _: np.full(len(rows), np.nan), lambda *_: "", 96, right=False))
    bands = [("elapsed_each", "elapsed_s", True), ("executions", "executions", False), ("elapsed", "elapsed_s", False)]
    bands += [(f"{name}_each" if each else name, name, each) for name in TOTALS if rows.measured(name)]
    bands.append(("rows_each", "rows", True))
    sides = [side for side in SIDES if rows.side(side) is not None]
    columns += [_side_column(rows, band, side, figure, of_each) for band, figure, of_each in bands for side in sides]
    return [*columns, *_remark_columns(rows, compared)]


def not_measured(rows: StatementRows) -> list[str]:
    """Figures that no side reports: they have no column, and are named."""
    return [name for name in ("elapsed_s", *TOTALS[:3], "rows") if not rows.measured(name)]


# -- cells ---------------------------------------------------------------------------------------------


def _side_column(rows: StatementRows, band: str, side: str, figure: str, each: bool) -> StatementColumn:
    columns = rows.side(side)
    assert columns is not None  # such columns are of sides that are there
    values = columns.each(figure) if each else columns.total(figure)
    name = f"ui.statements.column.{band}"
    return StatementColumn(
        f"{band}.{side}",
        lambda locale: f"{locale.text(name)} · {locale.text(f'ui.statements.side.{side}')}",
        text=lambda row, locale: figure_words(rows, row, side, figure, each, locale),
        right=True,
        side=side,
        tone=lambda row: "muted" if isnan(float(values[row])) else "",
        elided=True,
        explained=lambda locale: locale.text(f"{name}.tip"),
        pixels=88,
        name=name,
        keys=lambda _: values,
        band=band,
        figure=figure,
        each=each,
        scale=1000.0 if each and is_time(figure) else 1.0,
        at_least=lambda row: not each and bool(columns.partial[row]),
    )


def _impact_words(rows: StatementRows, index: int, locale: Locale) -> str:
    assert rows.comparison is not None
    value = float(rows.comparison.impacts["elapsed_s"][index])
    return locale.text("ui.statements.cell.not_computable") if isnan(value) else signed(round(value, 6))


def _share_words(rows: StatementRows, index: int, locale: Locale) -> str:
    assert rows.comparison is not None
    value = float(rows.comparison.workload_pct[index])
    if isnan(value):
        return locale.text("ui.statements.cell.not_computable")
    return f"{rate_text(value)} %"


def _ratio_words(rows: StatementRows, index: int, locale: Locale) -> str:
    judge = int(rows.judges[index])
    if judge < 0 or rows.before is None or rows.after is None:
        return locale.text("ui.statements.cell.not_computable")
    figure = JUDGED[judge]
    before, after = float(rows.before.each(figure)[index]), float(rows.after.each(figure)[index])
    if isnan(before) or isnan(after):
        return locale.text("ui.statements.cell.not_computable")
    judged = rows.comparison.verdicts.get(figure) if rows.comparison is not None else None
    return ratio_words(before, after, locale, judged.verdicts[index] if judged is not None else None)


def _ratio_key(rows: StatementRows) -> Numbers:
    assert rows.comparison is not None
    return rows.judged(rows.comparison.ratios)


def _plan_changed(rows: StatementRows, index: int) -> str:
    """``yes``, ``no``, ``unknown``."""
    plans = [side.plans[index] for side in (rows.before, rows.after) if side is not None]
    if len(plans) < 2 or not all(plans):
        return "unknown"
    return "yes" if plans[0] != plans[1] else "no"


def _plan_words(rows: StatementRows, index: int, locale: Locale) -> str:
    if rows.comparison is None:
        side = rows.before or rows.after
        return ", ".join(side.plans[index]) if side else ""
    return locale.text(f"ui.statements.plan.{_plan_changed(rows, index)}")


def method_words(rows: StatementRows, index: int, locale: Locale) -> str:
    method = rows.pairs[index].method
    return locale.text(f"ui.statements.method.{method or 'none'}")


def _class_key(rows: StatementRows, _locale: Locale) -> Numbers:
    rank = np.array([SHOWN_FIRST.index(outcome) for outcome in StatementClass], dtype=np.float64)
    return np.where(rows.codes >= 0, rank[rows.codes], np.nan)


def _owner_words(rows: StatementRows, index: int, _locale: Locale) -> str:
    return ", ".join(rows.owned.get(index, ()))


def _outcome_tone(rows: StatementRows, row: int, otherwise: str = "text") -> str:
    outcome = rows.outcome(row)
    return "" if outcome is None else TONES.get(outcome, otherwise)


def _change_columns(rows: StatementRows) -> list[StatementColumn]:
    def tip(row: int, locale: Locale) -> str:
        outcome, judge = rows.outcome(row), int(rows.judges[row])
        if outcome is None or rows.comparison is None:
            return ""
        return reason_words(outcome, rows.comparison.verdicts[JUDGED[judge]].reasons[row] if judge >= 0 else "", locale)

    return [
        _column(
            rows,
            "change",
            _class_key,
            lambda rows, row, locale: class_words(rows.outcome(row), locale),
            104,
            right=False,
            tone=lambda row: _outcome_tone(rows, row, "muted"),
            tip=tip,
        )
    ]


def _name_columns(rows: StatementRows) -> list[StatementColumn]:
    def whole_text(row: int, _locale: Locale) -> str:
        return (rows.text_of("after", row) or rows.text_of("before", row))[:TIP_TEXT]

    def container(rows: StatementRows, row: int, _locale: Locale) -> str:
        return rows.pairs[row].container

    def line(rows: StatementRows, row: int, locale: Locale) -> str:
        return rows.texts[row][:300] or locale.text("ui.statements.cell.no_text")

    columns = [_column(rows, "name", _of_all(name_of), name_of, 150, right=False, tip=whole_text)]
    if rows.several_containers:
        columns.append(_column(rows, "container", _of_all(container), container, 100, right=False))
    searched = _of_all(lambda rows, row, _: rows.texts[row][:80].casefold())
    return [*columns, _column(rows, "text", searched, line, 240, right=False, tip=whole_text)]


def _of_all(words: Words) -> Callable[[StatementRows, Locale], Sequence[str]]:
    return lambda rows, locale: [words(rows, row, locale) for row in range(len(rows))]


def _impact_columns(rows: StatementRows) -> list[StatementColumn]:
    comparison = rows.comparison
    assert comparison is not None
    impacts, ratios = comparison.impacts["elapsed_s"], _ratio_key(rows)

    def judged_by(row: int, locale: Locale) -> str:
        judge = int(rows.judges[row])
        if judge < 0:
            return _ratio_words(rows, row, locale)
        return locale.text("ui.statements.judged_by", figure=locale.text(f"database.figure.{JUDGED[judge]}"))

    return [
        _column(
            rows,
            "impact",
            lambda *_: impacts,
            _impact_words,
            88,
            tone=lambda row: "muted" if isnan(float(impacts[row])) else _outcome_tone(rows, row),
        ),
        _column(
            rows,
            "share",
            lambda *_: comparison.workload_pct,
            _share_words,
            76,
            tone=lambda row: "muted" if isnan(float(comparison.workload_pct[row])) else "",
        ),
        _column(
            rows,
            "ratio",
            lambda *_: ratios,
            _ratio_words,
            132,
            tone=lambda row: "muted" if isnan(float(ratios[row])) else _outcome_tone(rows, row),
            tip=judged_by,
        ),
    ]


def _remark_columns(rows: StatementRows, compared: bool) -> list[StatementColumn]:
    def ids(row: int, _locale: Locale) -> str:
        pair = rows.pairs[row]
        return "\n".join(dict.fromkeys((*pair.before_ids, *pair.after_ids)))

    def first_ids(rows: StatementRows, row: int, _locale: Locale) -> str:
        return pair_ids(rows, row)

    def plan_tone(row: int) -> str:
        return "warning" if _plan_changed(rows, row) == "yes" else "muted"

    def muted(_row: int) -> str:
        return "muted"

    plan = _column(rows, "plan", _of_all(_plan_words), _plan_words, 92, right=False, tone=plan_tone)
    matched = _column(rows, "matched", _of_all(method_words), method_words, 100, right=False, tone=muted)
    owner = _column(rows, "owner", _of_all(_owner_words), _owner_words, 130, right=False, tone=muted)
    id_ = _column(rows, "id", _of_all(first_ids), first_ids, 124, right=False, tone=muted, tip=ids)
    remarks = [plan, *((matched,) if compared else ()), owner, id_]
    absent = {"plan": not any(plans for side in (rows.before, rows.after) if side for plans in side.plans)}
    absent["owner"] = not rows.owned
    return [column for column in remarks if not absent.get(column.id)]


def totals_words(rows: StatementRows, column: StatementColumn, locale: Locale) -> str:
    """The cell of the row of totals: over the statements that both sides measured, where two are compared."""
    if column.id == "impact" and rows.comparison is not None:
        return signed(float(np.nansum(rows.comparison.impacts["elapsed_s"])))
    if column.id == "ratio" and rows.comparison is not None:
        totals = rows.comparison.totals["elapsed_s"]
        return ratio_words(totals.before, totals.after, locale) if totals.statements else ""
    if not column.figure or column.each:
        return ""
    return amount(column.figure, total_of(rows, column.figure, column.side), locale)


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
    measured = values[~np.isnan(values)]
    return float(measured.sum()) if len(measured) else None


def totals_columns(rows: StatementRows, columns: Sequence[StatementColumn]) -> list[Column[int]]:
    """The row below the statements: the sums of all of them, whatever the filter; what they are of at the left."""

    def label(_row: int, locale: Locale) -> str:
        if rows.comparison is None:
            return locale.text("ui.statements.totals.listed", count=f"{len(rows):,}")
        count = rows.comparison.totals["elapsed_s"].statements
        return locale.text("ui.statements.totals", count=f"{count:,}", listed=f"{len(rows):,}")

    def words(column: StatementColumn) -> Callable[[int, Locale], str]:
        return lambda _row, locale: totals_words(rows, column, locale)

    def tip(_row: int, locale: Locale) -> str:
        return locale.text("ui.statements.totals.tip") if rows.comparison is not None else ""

    def total(
        column: StatementColumn, shown: Callable[[int, Locale], str], about: Callable[[int, Locale], str]
    ) -> Column[int]:
        return Column(column.id, column.heading, text=shown, right=column.right, strong=lambda _row: True, tip=about)

    return [total(columns[0], label, label), *(total(column, words(column), tip) for column in columns[1:])]
