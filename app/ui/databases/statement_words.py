"""How figures of statements are printed: amounts, ratios in times or per cent, and what is not measured."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import isnan

from app.analysis.inference.verdict import Verdict
from app.domain.engagement import Direction
from app.reporting.calling import called
from app.reporting.wording import Wording
from app.ui.look.formats import format_value
from app.ui.look.language import language, text

_NOTHING_PCT = Decimal("0.05")
"""What would be printed as 0.0 %."""
SECONDS = frozenset({"elapsed_s", "cpu_s"})


def ratio_words(before: float | None, after: float | None, verdict: Verdict | None = None) -> str:
    """``17.8x better``, ``1.30x worse (+30.0 %)`` where the verdict says so, else ``lower``, ``higher``: the same in
    the document."""
    words, change = Wording(language().code, ""), called(before, after, Direction.LOWER, verdict)
    if change.rate_pct is not None and abs(change.rate_pct) < _NOTHING_PCT:
        return text("report.change.unchanged")
    return words.headline(change)


def ratio_of(ratio: float | None, verdict: Verdict | None = None) -> str:
    """`ratio_words` of a ratio before / after."""
    return text("ui.databases.not_computable") if ratio is None else ratio_words(ratio, 1.0, verdict)


def signed(value: float, digits: int = 4) -> str:
    """With its sign; a true minus, so that columns line up."""
    shown = format_value(abs(value), digits)
    return shown if value == 0 or shown == "0" else ("+" if value > 0 else "−") + shown


def amount(figure: str, value: float | None, each: bool = False) -> str:
    """A total, or a figure per execution: times in milliseconds per execution, in seconds in total."""
    if value is None or isnan(value):
        return text("ui.databases.not_measured")
    if figure in SECONDS:
        return format_value(value * 1000) if each else f"{value:,.2f}" if value >= 10 else format_value(value)
    return format_value(value) if each else f"{value:,.0f}"


def amount_with_unit(figure: str, value: float | None, each: bool = False) -> str:
    if value is None or isnan(value):
        return text("ui.databases.not_measured")
    unit = ("ms" if each else "s") if figure in SECONDS else "count"
    return text(f"ui.databases.amount.{unit}", value=amount(figure, value, each))


def percent(value: float | None) -> str:
    return text("ui.databases.not_measured") if value is None or isnan(value) else f"{value:,.1f} %"


def unmeasured_words(figures: Sequence[str]) -> str:
    """One sentence for figures that no side reports; empty where there are none."""
    if not figures:
        return ""
    names = ", ".join(text(f"ui.statements.figure.{name}") for name in figures)
    return text("ui.databases.unmeasured", figures=names)
