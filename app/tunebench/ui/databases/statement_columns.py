"""The columns of the statement table: what each sorts by and what its cells say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

import numpy as np

from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import JUDGED, StatementClass
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import rate_text
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.reporting.statement_words import class_text, reason_text
from tunebench.ui.databases.statement_rows import SECONDS, StatementRows, amount, ratio_words, signed
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
TIP_TEXT = 1200
STRONG = ("change", "ratio")
SIDES = ("before", "after")
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
    keys: Callable[[], Key] = tuple
    band: str = ""
    figure: str = ""
    each: bool = False
    scale: float = 1.0
    at_least: Callable[[int], bool] = lambda _row: False


Words = Callable[[StatementRows, int], str]


def _column(
    rows: StatementRows,
    id_: str,
    keys: Callable[[StatementRows], Key],
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
        text=lambda row, _: shown(rows, row),
        right=right,
        tone=tone,
        strong=(lambda _row: True) if id_ in STRONG else None,
        tip=tip,
        elided=True,
        explained=lambda locale: locale.text(f"{name}.tip"),
        pixels=width,
        name=name,
        keys=lambda: keys(rows),
    )


def class_words(outcome: StatementClass | None) -> str:
    return "" if outcome is None else f"{SIGNS[outcome]} {class_text(outcome, catalogue(language().code))}"


def reason_words(outcome: StatementClass, reason: str) -> str:
    """What the class means; of one that could not be judged, why that was."""
    if outcome is StatementClass.INSUFFICIENT_DATA and reason:
        return reason_text(reason, catalogue(language().code))
    return text(f"ui.statements.class.{outcome}")


def pair_ids(rows: StatementRows, place: int) -> str:
    """The id, or both where they differ."""
    pair = rows.pairs[place]
    ids = list(dict.fromkeys((*pair.before_ids[:1], *pair.after_ids[:1])))
    return " → ".join(ids)


def name_of(rows: StatementRows, index: int) -> str:
    """What the statement is called, with the container where there are several; empty where no capture has its text."""
    container = rows.pairs[index].container if rows.several_containers else ""
    return statement_name(rows.texts[index], catalogue(language().code), container)


def pair_name(rows: StatementRows, place: int) -> str:
    """The name, the id behind it; with the container where there are several."""
    name = name_of(rows, place)
    container = rows.pairs[place].container if rows.several_containers and not name else ""
    return " · ".join(part for part in (named_with_id(name, pair_ids(rows, place)), container) if part)


def columns_of(rows: StatementRows, each: bool) -> list[StatementColumn]:
    """The columns that have something to say. `each`: CPU and blocks per execution instead of totals."""
    compared = rows.comparison is not None
    columns = [*(_change_columns(rows) if compared else ()), *_name_columns(rows)]
    columns += _impact_columns(rows) if compared else ()
    columns.append(
        _column(rows, "history", lambda rows: np.full(len(rows), np.nan), lambda _rows, _row: "", 96, right=False)
    )
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
    bound = float(bounds[figure][place]) if figure in bounds else float("nan")
    return None if isnan(bound) else bound


def _side_column(rows: StatementRows, band: str, side: str, figure: str, each: bool) -> StatementColumn:
    columns = rows.side(side)
    assert columns is not None  # such columns are of sides that are there
    values = columns.each(figure) if each else columns.total(figure)
    name = f"ui.statements.column.{band}"
    return StatementColumn(
        f"{band}.{side}",
        lambda locale: f"{locale.text(name)} · {locale.text(f'ui.statements.side.{side}')}",
        text=lambda row, _: figure_words(rows, row, side, figure, each),
        right=True,
        side=side,
        tone=lambda row: "muted" if isnan(float(values[row])) else "",
        elided=True,
        explained=lambda locale: locale.text(f"{name}.tip"),
        pixels=88,
        name=name,
        keys=lambda: values,
        band=band,
        figure=figure,
        each=each,
        scale=1000.0 if each and figure in SECONDS else 1.0,
        at_least=lambda row: not each and bool(columns.partial[row]),
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
    return f"{rate_text(value)} %"


def _ratio_words(rows: StatementRows, place: int) -> str:
    judge = int(rows.judges[place])
    if judge < 0 or rows.before is None or rows.after is None:
        return text("ui.statements.cell.not_computable")
    figure = JUDGED[judge]
    before, after = float(rows.before.each(figure)[place]), float(rows.after.each(figure)[place])
    if isnan(before) or isnan(after):
        return text("ui.statements.cell.not_computable")
    judged = rows.comparison.verdicts.get(figure) if rows.comparison is not None else None
    return ratio_words(before, after, judged.verdicts[place] if judged is not None else None)


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


def method_words(rows: StatementRows, place: int) -> str:
    method = rows.pairs[place].method
    return text(f"ui.statements.method.{method or 'none'}")


def _class_key(rows: StatementRows) -> Numbers:
    rank = np.array([SHOWN_FIRST.index(outcome) for outcome in StatementClass], dtype=np.float64)
    return np.where(rows.codes >= 0, rank[rows.codes], np.nan)


def _owner_words(rows: StatementRows, place: int) -> str:
    return ", ".join(rows.owned.get(place, ()))


def _outcome_tone(rows: StatementRows, row: int, otherwise: str = "text") -> str:
    outcome = rows.outcome(row)
    return "" if outcome is None else TONES.get(outcome, otherwise)


def _change_columns(rows: StatementRows) -> list[StatementColumn]:
    def tip(row: int, _locale: Locale) -> str:
        outcome, judge = rows.outcome(row), int(rows.judges[row])
        if outcome is None or rows.comparison is None:
            return ""
        return reason_words(outcome, rows.comparison.verdicts[JUDGED[judge]].reasons[row] if judge >= 0 else "")

    return [
        _column(
            rows,
            "change",
            _class_key,
            lambda rows, row: class_words(rows.outcome(row)),
            104,
            right=False,
            tone=lambda row: _outcome_tone(rows, row, "muted"),
            tip=tip,
        )
    ]


def _name_columns(rows: StatementRows) -> list[StatementColumn]:
    def whole_text(row: int, _locale: Locale) -> str:
        return (rows.text_of("after", row) or rows.text_of("before", row))[:TIP_TEXT]

    def container(rows: StatementRows, row: int) -> str:
        return rows.pairs[row].container

    def line(rows: StatementRows, row: int) -> str:
        return rows.texts[row][:300] or text("ui.statements.cell.no_text")

    columns = [_column(rows, "name", _of_all(name_of), name_of, 150, right=False, tip=whole_text)]
    if rows.several_containers:
        columns.append(_column(rows, "container", _of_all(container), container, 100, right=False))
    searched = _of_all(lambda rows, row: rows.texts[row][:80].casefold())
    return [*columns, _column(rows, "text", searched, line, 240, right=False, tip=whole_text)]


def _of_all(words: Words) -> Callable[[StatementRows], Sequence[str]]:
    return lambda rows: [words(rows, row) for row in range(len(rows))]


def _impact_columns(rows: StatementRows) -> list[StatementColumn]:
    comparison = rows.comparison
    assert comparison is not None
    impacts, ratios = comparison.impacts["elapsed_s"], _ratio_key(rows)

    def judged_by(row: int, locale: Locale) -> str:
        judge = int(rows.judges[row])
        if judge < 0:
            return _ratio_words(rows, row)
        return locale.text("ui.statements.judged_by", figure=locale.text(f"database.figure.{JUDGED[judge]}"))

    return [
        _column(
            rows,
            "impact",
            lambda _: impacts,
            _impact_words,
            88,
            tone=lambda row: "muted" if isnan(float(impacts[row])) else _outcome_tone(rows, row),
        ),
        _column(
            rows,
            "share",
            lambda _: comparison.workload_pct,
            _share_words,
            76,
            tone=lambda row: "muted" if isnan(float(comparison.workload_pct[row])) else "",
        ),
        _column(
            rows,
            "ratio",
            lambda _: ratios,
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

    def plan_tone(row: int) -> str:
        return "warning" if _plan_changed(rows, row) == "yes" else "muted"

    def muted(_row: int) -> str:
        return "muted"

    plan = _column(rows, "plan", _of_all(_plan_words), _plan_words, 92, right=False, tone=plan_tone)
    matched = _column(rows, "matched", _of_all(method_words), method_words, 100, right=False, tone=muted)
    owner = _column(rows, "owner", _of_all(_owner_words), _owner_words, 130, right=False, tone=muted)
    id_ = _column(rows, "id", _of_all(pair_ids), pair_ids, 124, right=False, tone=muted, tip=ids)
    remarks = [plan, *((matched,) if compared else ()), owner, id_]
    absent = {"plan": not any(plans for side in (rows.before, rows.after) if side for plans in side.plans)}
    absent["owner"] = not rows.owned
    return [column for column in remarks if not absent.get(column.id)]


def totals_words(rows: StatementRows, column: StatementColumn) -> str:
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
    measured = values[~np.isnan(values)]
    return float(measured.sum()) if len(measured) else None


def totals_columns(rows: StatementRows, columns: Sequence[StatementColumn]) -> list[Column[int]]:
    """The row below the statements: the sums of all of them, whatever the filter; what they are of at the left."""

    def label(_row: int, _locale: Locale) -> str:
        if rows.comparison is None:
            return text("ui.statements.totals.listed", count=f"{len(rows):,}")
        count = rows.comparison.totals["elapsed_s"].statements
        return text("ui.statements.totals", count=f"{count:,}", listed=f"{len(rows):,}")

    def words(column: StatementColumn) -> Callable[[int, Locale], str]:
        return lambda _row, _locale: totals_words(rows, column)

    def tip(_row: int, _locale: Locale) -> str:
        return text("ui.statements.totals.tip") if rows.comparison is not None else ""

    def total(
        column: StatementColumn, shown: Callable[[int, Locale], str], about: Callable[[int, Locale], str]
    ) -> Column[int]:
        return Column(column.id, column.heading, text=shown, right=column.right, strong=lambda _row: True, tip=about)

    return [total(columns[0], label, label), *(total(column, words(column), tip) for column in columns[1:])]
