"""The three columns of a change: formulas over the figures beside them, with the values Python computes for them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from tunebench.analysis.comparing.improvement import Change, Improvement, towards_zero
from tunebench.columns.column import Cells, Column, Locale, Row
from tunebench.columns.formats import FIGURE, decimal_format
from tunebench.domain.engagement import Direction
from tunebench.reporting.wording import Wording, decimals_of_rate, times_decimals
from tunebench.reporting.xlsx.columns import contents
from tunebench.reporting.xlsx.sheet import Content


class Changed(NamedTuple):
    """How a figure changed, which way it is better, and the decimals it is written with."""

    direction: Direction
    change: Improvement
    decimals: int = 0


def change_columns(words: Wording, changed: Callable[[Row], Changed]) -> list[Column[Row]]:
    """Verdict, ratio and rate, each a formula over the columns ``before`` and ``after``."""
    columns: tuple[Column[Changed], ...] = (
        Column(
            "verdict",
            "report.workbook.verdict",
            text=lambda row, _: _word(words, row.change),
            formula=lambda row, cells, _: _verdict_formula(words, row, cells),
        ),
        Column(
            "ratio",
            "report.column.ratio",
            _ratio,
            FIGURE,
            _absent,
            lambda row: _ratio_format(words, row.change),
            lambda row, cells, locale: _computable(_ratio_formula(row.change), cells, _absent(row, locale)),
        ),
        Column(
            "rate",
            "report.column.rate",
            _rate,
            FIGURE,
            _absent,
            lambda row: _rate_format(words, row),
            lambda row, cells, locale: _computable(_rate_formula(row.change), cells, _absent(row, locale)),
        ),
    )
    return [column.over(changed) for column in columns]


def change_contents(words: Wording, cells: tuple[str, str], verdict: str, changed: Changed) -> list[Content]:
    """The three cells over the two `cells`; `verdict` is where the first of them stands."""
    references = {"before": cells[0], "after": cells[1], "verdict": verdict}
    return contents(_columns_in(words), changed, references, words.locale)


@lru_cache(maxsize=2)
def _columns_in(words: Wording) -> list[Column[Changed]]:
    """Made once for a document: a workbook has thousands of such rows."""
    return change_columns(words, lambda changed: changed)


def _absent(_: Changed, locale: Locale) -> str:
    return locale.text("report.change.not_computable")


def _computable(formula: str, cells: Cells, absent: str) -> str:
    return f'IF({cells["verdict"]}="{absent}","{absent}",{formula.format_map(cells)})'


def _verdict_formula(words: Wording, changed: Changed, cells: Cells) -> str:
    """``lower``, ``higher``, ``no change`` or ``n/a`` in words, decided by the cells themselves.

    A change that a verdict calls better or worse says so in place of its direction.
    """
    absent, same = words.text("change.not_computable"), words.text("change.unchanged")
    if changed.change.reason == "bounds":
        return f'"{absent}"'
    (fell, rose), before, after = _ways(words, changed), cells["before"], cells["after"]
    return (
        f'IF(AND(ISNUMBER({before}),ISNUMBER({after})),IF(OR({before}<=0,{after}<=0),"{absent}",'
        f'IF({before}={after},"{same}",IF({before}>{after},"{fell}","{rose}"))),"{absent}")'
    )


def _ways(words: Wording, changed: Changed) -> tuple[str, str]:
    """What a fall and what a rise is called."""
    fell, rose, change = words.text("workbook.lower"), words.text("workbook.higher"), changed.change
    if change.change not in (Change.IMPROVED, Change.REGRESSED):
        return fell, rose
    lower = (changed.direction is Direction.LOWER) is (change.change is Change.IMPROVED)
    return (_word(words, change), rose) if lower else (fell, _word(words, change))


def _word(words: Wording, change: Improvement) -> str:
    if change.change is Change.CHANGED:
        return words.text("workbook.lower" if change.ratio is not None and change.ratio < 1 else "workbook.higher")
    own = {Change.NOT_COMPUTABLE: "change.not_computable", Change.UNCHANGED: "change.unchanged"}
    return words.text(own.get(change.change, f"workbook.{change.change.value}"))


def _ratio(changed: Changed) -> float | None:
    """How many times: the larger over the smaller; the verdict beside it says which way."""
    change = changed.change
    if change.ratio is None:
        return None
    larger = change.ratio if change.ratio >= 1 else 1 / change.ratio
    return float(towards_zero(larger, 2) if change.at_least else larger)


def _ratio_formula(change: Improvement) -> str:
    ratio = "MAX({before},{after})/MIN({before},{after})"
    return f"ROUNDDOWN({ratio},2)" if change.at_least else ratio


def _rate(changed: Changed) -> float | None:
    """Signed change in shares of the value before; percentage points for a percentage."""
    change = changed.change
    if change.points is not None:
        return float(change.points)
    if change.rate_pct is None:
        return None
    fell = change.change is Change.IMPROVED and changed.direction is Direction.LOWER
    rate = (-change.rate_pct if fell else change.rate_pct) / Decimal(100)
    return float(towards_zero(rate, 3) if change.at_least else rate)


def _rate_formula(change: Improvement) -> str:
    if change.points is not None:
        return "{after}-{before}"
    share = "({after}-{before})/{before}"
    return f"ROUNDDOWN({share},3)" if change.at_least else share


def _ratio_format(words: Wording, change: Improvement) -> str:
    """``17.8배``; two decimals for a bound and where the printed document has two."""
    unit = words.text("workbook.times")
    if change.at_least:
        return words.text("workbook.at_least_format", figure=f'0.00"{unit}"')
    if change.ratio is None:
        return f'#,##0.0"{unit}"'
    decimals = times_decimals(change.change, max(change.ratio, 1 / change.ratio))
    return f'{decimal_format(decimals)}"{unit}"'


def _exact_rate(change: Improvement) -> str:
    """With as many decimals as the document has: a fall that leaves something is not 100 %."""
    share = decimal_format(decimals_of_rate(change)).removeprefix("#,##")
    return f"+{share}%;-{share}%;{share}%"


def _rate_format(words: Wording, changed: Changed) -> str:
    change, decimals = changed.change, changed.decimals
    if change.points is None:
        return words.text("workbook.at_least_format", figure="+0.0%;-0.0%") if change.at_least else _exact_rate(change)
    figure = "0" + ("." + "0" * decimals if decimals else "")
    rise, fall = words.text("workbook.points_rise"), words.text("workbook.points_fall")
    if change.at_least:
        rise, fall = words.text("workbook.points_rise_least"), words.text("workbook.points_fall_least")
    return ";".join(text.replace("{figure}", figure) for text in (rise, fall, words.text("workbook.points_none")))
