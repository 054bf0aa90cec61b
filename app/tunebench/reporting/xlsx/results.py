"""Formulas for the two improvement columns, beside the values Python computes for them."""

from __future__ import annotations

from decimal import Decimal

from tunebench.analysis.comparing.improvement import Change, Improvement, towards_zero
from tunebench.domain.engagement import Direction
from tunebench.reporting.wording import Wording, times_decimals
from tunebench.reporting.xlsx.sheet import Content, Formatted, Formula


def change_formula(words: Wording, before: str, after: str, direction: Direction, change: Improvement) -> Formula:
    """``lower``, ``higher``, ``no change`` or ``n/a`` in words, decided by the cells themselves.

    A change that a verdict calls better or worse says so in place of its direction.
    """
    fell, rose = _ways(words, direction, change)
    absent, same = words.text("change.not_computable"), words.text("change.unchanged")
    usable = f"AND(ISNUMBER({before}),ISNUMBER({after}))"
    if change.reason == "bounds":
        return Formula(f'"{absent}"', absent)
    text = (
        f'IF({usable},IF(OR({before}<=0,{after}<=0),"{absent}",'
        f'IF({before}={after},"{same}",IF({before}>{after},"{fell}","{rose}"))),"{absent}")'
    )
    return Formula(text, _word(words, change))


def _ways(words: Wording, direction: Direction, change: Improvement) -> tuple[str, str]:
    """What a fall and what a rise is called."""
    fell, rose = words.text("workbook.lower"), words.text("workbook.higher")
    if change.change not in (Change.IMPROVED, Change.REGRESSED):
        return fell, rose
    lower = (direction is Direction.LOWER) is (change.change is Change.IMPROVED)
    return (_word(words, change), rose) if lower else (fell, _word(words, change))


def _word(words: Wording, change: Improvement) -> str:
    if change.change is Change.CHANGED:
        return words.text("workbook.lower" if change.ratio is not None and change.ratio < 1 else "workbook.higher")
    own = {Change.NOT_COMPUTABLE: "change.not_computable", Change.UNCHANGED: "change.unchanged"}
    return words.text(own.get(change.change, f"workbook.{change.change.value}"))


def change_contents(
    words: Wording, cells: tuple[str, str], verdict: str, direction: Direction, change: Improvement, decimals: int = 0
) -> tuple[Content, Content, Content]:
    """Verdict, ratio and rate, each a formula over the two `cells`; `verdict` is where the first of them stands."""
    ratio, rate = ratio_formula(words, *cells, verdict, change), rate_formula(words, cells, verdict, direction, change)
    return (
        change_formula(words, *cells, direction, change),
        Formatted(ratio, ratio_format(words, change)),
        Formatted(rate, rate_format(words, change, decimals)),
    )


def ratio_formula(words: Wording, before: str, after: str, verdict: str, change: Improvement) -> Formula:
    """How many times: the larger over the smaller; the verdict beside it says which way."""
    absent = words.text("change.not_computable")
    ratio = f"MAX({before},{after})/MIN({before},{after})"
    if change.at_least:
        ratio = f"ROUNDDOWN({ratio},2)"
    text = f'IF({verdict}="{absent}","{absent}",{ratio})'
    if change.ratio is None:
        return Formula(text, absent)
    larger = change.ratio if change.ratio >= 1 else 1 / change.ratio
    return Formula(text, float(towards_zero(larger, 2) if change.at_least else larger))


def rate_formula(
    words: Wording, cells: tuple[str, str], verdict: str, direction: Direction, change: Improvement
) -> Formula:
    """Signed change in shares of the value before; percentage points for a percentage."""
    absent, (before, after) = words.text("change.not_computable"), cells
    if change.points is not None:
        return Formula(f'IF({verdict}="{absent}","{absent}",{after}-{before})', float(change.points))
    share = f"({after}-{before})/{before}"
    if change.at_least:
        share = f"ROUNDDOWN({share},3)"
    text = f'IF({verdict}="{absent}","{absent}",{share})'
    if change.rate_pct is None:
        return Formula(text, absent)
    fell = change.change is Change.IMPROVED and direction is Direction.LOWER
    rate = (-change.rate_pct if fell else change.rate_pct) / Decimal(100)
    return Formula(text, float(towards_zero(rate, 3) if change.at_least else rate))


def ratio_format(words: Wording, change: Improvement) -> str:
    """``17.8배``; two decimals for a bound and where the printed document has two."""
    unit = words.text("workbook.times")
    if change.at_least:
        return words.text("workbook.at_least_format", figure=f'0.00"{unit}"')
    if change.ratio is None:
        return f'#,##0.0"{unit}"'
    decimals = times_decimals(change.change, max(change.ratio, 1 / change.ratio))
    return f'#,##0.{"0" * decimals}"{unit}"'


def rate_format(words: Wording, change: Improvement, decimals: int) -> str:
    if change.points is None:
        return words.text("workbook.at_least_format", figure="+0.0%;-0.0%") if change.at_least else "+0.0%;-0.0%;0.0%"
    figure = "0" + ("." + "0" * decimals if decimals else "")
    rise, fall = words.text("workbook.points_rise"), words.text("workbook.points_fall")
    if change.at_least:
        rise, fall = words.text("workbook.points_rise_least"), words.text("workbook.points_fall_least")
    return ";".join(text.replace("{figure}", figure) for text in (rise, fall, words.text("workbook.points_none")))
