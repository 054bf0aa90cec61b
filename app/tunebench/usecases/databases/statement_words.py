"""Figures of statements in words: amounts, ratios in times or per cent, what is not measured, what became of a
statement, and the answer to "more executions, or worse behaviour?"."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import isnan

from tunebench.analysis.databases.statement_comparison import JUDGED, FigureChange, StatementChange, StatementClass
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.column import Locale
from tunebench.columns.formats import DASH, format_value, rate_text
from tunebench.domain.engagement import Direction
from tunebench.reporting.calling import called
from tunebench.reporting.statement_words import basis_text, class_text, reason_text
from tunebench.reporting.wording import Wording

_NOTHING_PCT = Decimal("0.05")
"""What would be printed as 0.0 %."""
_COMPARED = ("ratio", "impact")
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


def ratio_words(before: float | None, after: float | None, locale: Locale, verdict: Verdict | None = None) -> str:
    """``17.8x better``, ``1.30x worse (+30.0 %)`` where the verdict says so, else ``lower``, ``higher``: the same in
    the document."""
    words, change = Wording(locale.language, ""), called(before, after, Direction.LOWER, verdict)
    if change.rate_pct is not None and abs(change.rate_pct) < _NOTHING_PCT:
        return locale.text("report.change.unchanged")
    return words.headline(change)


def ratio_of(ratio: float | None, locale: Locale, verdict: Verdict | None = None) -> str:
    """The words of a ratio before / after, as `ratio_words` writes them."""
    return locale.text("ui.databases.not_computable") if ratio is None else ratio_words(ratio, 1.0, locale, verdict)


def signed(value: float, digits: int = 4) -> str:
    """The value with its sign; a true minus, so that columns line up."""
    shown = format_value(abs(value), digits)
    return shown if value == 0 or shown == "0" else ("+" if value > 0 else "−") + shown


def is_time(figure: str) -> bool:
    """Whether a figure is a time: captured in seconds, told in milliseconds where it is of one execution."""
    return figure.endswith("_s")


def amount(figure: str, value: float | None, locale: Locale, each: bool = False) -> str:
    """A total, or a figure per execution: times in milliseconds per execution, in seconds in total."""
    if value is None or isnan(value):
        return locale.text("ui.databases.not_measured")
    if is_time(figure):
        return format_value(value * 1000) if each else f"{value:,.2f}" if value >= 10 else format_value(value)
    return format_value(value) if each else f"{value:,.0f}"


def amount_with_unit(figure: str, value: float | None, locale: Locale, each: bool = False) -> str:
    if value is None or isnan(value):
        return locale.text("ui.databases.not_measured")
    unit = ("ms" if each else "s") if is_time(figure) else "count"
    return locale.text(f"ui.databases.amount.{unit}", value=amount(figure, value, locale, each))


def percent(value: float | None, locale: Locale) -> str:
    return locale.text("ui.databases.not_measured") if value is None or isnan(value) else f"{value:,.1f} %"


def unmeasured_words(figures: Sequence[str], locale: Locale) -> str:
    """One sentence for figures that no side reports; empty where there are none."""
    if not figures:
        return ""
    names = ", ".join(locale.text(f"ui.statements.figure.{name}") for name in figures)
    return locale.text("ui.databases.unmeasured", figures=names)


def class_words(outcome: StatementClass | None, locale: Locale) -> str:
    return "" if outcome is None else f"{SIGNS[outcome]} {class_text(outcome, locale.messages)}"


def reason_words(outcome: StatementClass, reason: str, locale: Locale) -> str:
    """What the class means; of one that could not be judged, why that was."""
    if outcome is StatementClass.INSUFFICIENT_DATA and reason:
        return reason_text(reason, locale.messages)
    return locale.text(f"ui.statements.class.{outcome}")


def figure_words(
    rows: StatementRows, index: int, side: str, figure: str, each: bool, locale: Locale, with_unit: bool = False
) -> str:
    """A figure of one side, or in words why there is none.

    Args:
        with_unit: names the unit of a time per execution, which is another one than that of the total.
    """
    columns = rows.side(side)
    assert columns is not None  # such columns are of sides that are there
    value = float((columns.each(figure) if each else columns.total(figure))[index])
    if not isnan(value):
        words = ("≥ " if columns.partial[index] and not each else "") + amount(figure, value, locale, each)
        return locale.text("ui.databases.amount.ms", value=words) if with_unit and each and is_time(figure) else words
    bound = bound_of(rows, index, side, figure)
    if bound is not None and not each:
        return f"< {amount(figure, bound, locale)}"
    return locale.text(f"ui.statements.cell.{absence(rows, index, side, figure)}")


def absence(rows: StatementRows, index: int, side: str, figure: str) -> str:
    """Why a side has no figure: ``none`` (did not run), ``unlisted``, ``no_execution`` or ``not_measured``."""
    columns, pair = rows.side(side), rows.pairs[index]
    assert columns is not None
    if not (pair.before_ids if side == "before" else pair.after_ids):
        return "unlisted" if rows.outcome(index) is StatementClass.UNKNOWN else "none"
    if not isnan(float(columns.total(figure)[index])) and not float(columns.total("executions")[index]) > 0:
        return "no_execution"
    return "not_measured"


def bound_of(rows: StatementRows, index: int, side: str, figure: str) -> float | None:
    """The most that a statement can have taken which the side's list leaves out."""
    if rows.comparison is None:
        return None
    bounds = rows.comparison.before_bounds if side == "before" else rows.comparison.after_bounds
    bound = float(bounds[figure][index]) if figure in bounds else float("nan")
    return None if isnan(bound) else bound


def has_column(column: str, rows: StatementRows) -> bool:
    if column in _COMPARED:
        return rows.comparison is not None
    side = column.partition("_")[0]
    return side == "figure" or rows.side(side) is not None


def has_value(rows: StatementRows, index: int, figure: str) -> bool:
    sides = [side for side in (rows.before, rows.after) if side is not None]
    return any(not isnan(float(side.total(figure)[index])) for side in sides)


def cell_words(
    rows: StatementRows, index: int, figure: str, column: str, change: FigureChange | None, locale: Locale
) -> str:
    if column == "figure":
        return locale.text(f"database.figure.{figure}")
    if column == "ratio":
        if change is None or change.before_each is None or change.after_each is None:
            return DASH if figure not in JUDGED else locale.text("ui.databases.not_computable")
        return ratio_words(change.before_each, change.after_each, locale, change.verdict)
    if column == "impact":
        if change is None or change.impact is None:
            return DASH if figure not in JUDGED else locale.text("ui.databases.not_computable")
        return signed(round(change.impact, 6))
    side, _, basis = column.partition("_")
    if basis and figure == "executions":
        return DASH
    return figure_words(rows, index, side, figure, bool(basis), locale, with_unit=True)


def verdict_words(change: StatementChange, locale: Locale) -> str:
    """The class, what it means, and whether both sides did the same work."""
    judged = change.changes.get(change.judged_by)
    basis = "" if judged is None else basis_text(judged, locale.messages)
    meaning = reason_words(change.outcome, "" if judged is None else judged.reason, locale)
    explained = basis if basis.startswith(meaning) else f"{meaning} {basis}".strip()
    words = f"{class_words(change.outcome, locale)} – {explained}"
    if change.before_rows is None or change.after_rows is None:
        return f"{words} {locale.text('ui.statements.work.unknown')}"
    key = "same" if change.same_work else "other"
    facts = {"before": format_value(change.before_rows), "after": format_value(change.after_rows)}
    return f"{words} {locale.text(f'ui.statements.work.{key}', **facts)}"


def decomposition_words(change: StatementChange, locale: Locale) -> str:
    """Whether more executions or worse behaviour changed the figure that the statement is judged by."""
    figure = change.judged_by or "elapsed_s"
    judged = change.changes[figure]
    if judged.volume is None or judged.impact is None or judged.before_total is None or judged.after_total is None:
        return _one_sided_words(change, locale)
    facts = {
        "figure": locale.text(f"database.figure.{figure}"),
        "executions": _executions_words(change, locale),
        "volume": signed(round(judged.volume, 6)),
        "behaviour": signed(round(judged.impact, 6)),
        "change": signed(round(judged.after_total - judged.before_total, 6)),
        "each": ratio_words(judged.before_each, judged.after_each, locale, judged.verdict),
    }
    words = locale.text("ui.statements.decomposition", **facts)
    if change.workload_pct is not None and is_time(figure):
        key = "cheaper" if change.workload_pct >= 0 else "dearer"
        words += " " + locale.text(
            f"ui.statements.workload.{key}", pct=f"{rate_text(-change.workload_pct).lstrip('+-')} %"
        )
    return words


def _executions_words(change: StatementChange, locale: Locale) -> str:
    before, after = change.before_executions, change.after_executions
    if before is None or after is None:
        return locale.text("ui.databases.not_measured")
    facts = {"before": f"{before:,.0f}", "after": f"{after:,.0f}"}
    if before > 0:
        return locale.text("ui.statements.executions.change", pct=f"{rate_text((after / before - 1) * 100)} %", **facts)
    return locale.text("ui.statements.executions.from_none", **facts)


def _one_sided_words(change: StatementChange, locale: Locale) -> str:
    elapsed = change.changes["elapsed_s"]
    if change.outcome is StatementClass.UNKNOWN:
        bound = elapsed.before_bound if elapsed.before_bound is not None else elapsed.after_bound
        side = "before" if elapsed.before_total is None else "after"
        if bound is None:
            return locale.text(f"ui.statements.one_sided.no_bound_{side}")
        return locale.text(f"ui.statements.one_sided.bound_{side}", bound=amount("elapsed_s", bound, locale))
    if change.outcome in (StatementClass.NEW, StatementClass.GONE):
        total = elapsed.after_total if change.outcome is StatementClass.NEW else elapsed.before_total
        return locale.text(f"ui.statements.one_sided.{change.outcome}", total=amount("elapsed_s", total, locale))
    return locale.text("ui.statements.decomposition.none")
