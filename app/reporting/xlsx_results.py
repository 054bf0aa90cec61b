"""Formulas for the two improvement columns, beside the values Python computes for them."""

from __future__ import annotations

from decimal import Decimal

from app.analysis.improvement import Change, Improvement, towards_zero
from app.domain.engagement import Direction
from app.reporting.wording import Wording
from app.reporting.xlsx_sheet import Formula


def change_formula(words: Wording, before: str, after: str, direction: Direction, change: Improvement) -> Formula:
    """``improved``, ``worse``, ``no change`` or ``n/a`` in words, decided by the cells themselves."""
    fell, rose = _verdicts(words, direction)
    absent, same = words.text("change.not_computable"), words.text("change.unchanged")
    usable = f"AND(ISNUMBER({before}),ISNUMBER({after}))"
    if change.reason == "bounds":
        return Formula(f'"{absent}"', absent)
    text = (
        f'IF({usable},IF(OR({before}<=0,{after}<=0),"{absent}",'
        f'IF({before}={after},"{same}",IF({before}>{after},"{fell}","{rose}"))),"{absent}")'
    )
    return Formula(text, _verdict(words, change))


def _verdicts(words: Wording, direction: Direction) -> tuple[str, str]:
    better, worse = words.text("workbook.improved"), words.text("workbook.regressed")
    if direction is Direction.NEUTRAL:
        return words.text("workbook.lower"), words.text("workbook.higher")
    return (better, worse) if direction is Direction.LOWER else (worse, better)


def _verdict(words: Wording, change: Improvement) -> str:
    if change.change is Change.NOT_COMPUTABLE:
        return words.text("change.not_computable")
    if change.change is Change.UNCHANGED:
        return words.text("change.unchanged")
    if change.change is Change.CHANGED:
        return words.text("workbook.lower" if change.ratio is not None and change.ratio < 1 else "workbook.higher")
    return words.text("workbook.improved" if change.change is Change.IMPROVED else "workbook.regressed")


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


def rate_formula(words: Wording, before: str, after: str, verdict: str, change: Improvement) -> Formula:
    """Share of the value before (percentage points for a percentage): positive for an improvement."""
    absent = words.text("change.not_computable")
    if change.points is not None:
        return Formula(f'IF({verdict}="{absent}","{absent}",{after}-{before})', float(change.points))
    better = words.text("workbook.improved")
    share = f"ABS({before}-{after})/{before}"
    if change.at_least:
        share = f"ROUNDDOWN({share},3)"
    text = f'IF({verdict}="{absent}","{absent}",IF({verdict}="{better}",{share},({after}-{before})/{before}))'
    if change.rate_pct is None:
        return Formula(text, absent)
    rate = change.rate_pct / Decimal(100)
    return Formula(text, float(towards_zero(rate, 3) if change.at_least else rate))


def ratio_format(words: Wording, change: Improvement) -> str:
    """``17.8배``; two decimals for a regression and for a bound, as in the printed document."""
    unit = words.text("workbook.times")
    if change.at_least:
        return words.text("workbook.at_least_format", figure=f'0.00"{unit}"')
    return f'0.00"{unit}"' if change.change is Change.REGRESSED else f'#,##0.0"{unit}"'


def rate_format(words: Wording, change: Improvement, decimals: int) -> str:
    if change.points is None:
        plain = "+0.0%;-0.0%" if change.change in (Change.REGRESSED, Change.CHANGED) else "0.0%"
        return words.text("workbook.at_least_format", figure=plain) if change.at_least else plain
    figure = "0" + ("." + "0" * decimals if decimals else "")
    rise, fall = words.text("workbook.points_rise"), words.text("workbook.points_fall")
    if change.at_least:
        rise, fall = words.text("workbook.points_rise_least"), words.text("workbook.points_fall_least")
    return ";".join(text.replace("{figure}", figure) for text in (rise, fall, words.text("workbook.points_none")))
