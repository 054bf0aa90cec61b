"""The comparison of a success case: verdicts with all that they rest on, and the checks of comparability."""

from __future__ import annotations

from math import isfinite
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import ComparedSeries, Comparison, Method, Parts
from app.domain.comparability import Check
from app.reporting.cases.analysis import CaseCheck, Judged, WindowNs
from app.usecases.comparing import words as compare_words


def judged(row: ComparedSeries, language: str, zone: ZoneInfo, subject: str = "") -> Judged:
    """
    Args:
        subject: the captured column, where what is shown beside the verdict is made out of it.
    """
    return Judged(
        verdict=row.verdict,
        words=compare_words.verdict_text(row.verdict, language),
        ratio_words=compare_words.ratio_text(row, language),
        said=compare_words.row_text(row, language, zone),
        reason=compare_words.reason_text(row, language, zone),
        cautions=tuple(compare_words.caution_text(each, language, zone) for each in row.cautions),
        method="" if row.method is Method.NONE else compare_words.method_text(row.method, language),
        ratio=row.headline,
        interval=row.interval,
        difference=row.difference,
        difference_interval=row.difference_interval,
        n_eff_before=row.n_eff_before,
        n_eff_after=row.n_eff_after,
        p=row.p,
        p_adjusted=row.p_adjusted,
        margin=row.margin,
        effect=row.effect,
        before_quantiles=row.before_quantiles,
        after_quantiles=row.after_quantiles,
        before_window=_window(row.before_parts),
        after_window=_window(row.after_parts),
        subject=subject,
    )


def _window(parts: Parts) -> WindowNs | None:
    starts = [part.first_ns for part in parts if part.first_ns is not None]
    ends = [part.last_ns for part in parts if part.last_ns is not None]
    return (min(starts), max(ends)) if starts and ends else None


def checks(found: Comparison, language: str, zone: ZoneInfo) -> tuple[CaseCheck, ...]:
    return tuple(
        CaseCheck(
            each.check.value,
            compare_words.check_title(each.check, language),
            each.state.value,
            compare_words.state_text(each.state, language),
            compare_words.check_text(each, language, zone),
        )
        for each in found.gate
    )


def load_of(found: Comparison, language: str, zone: ZoneInfo) -> tuple[str, float | None]:
    """The sentence on the load of both windows, and their ratio where a capture tells it."""
    check = next((each for each in found.gate if each.check is Check.LOAD), None)
    if check is None:
        return "", None
    ratio = check.facts.get("ratio")
    told = ratio if isinstance(ratio, float) and isfinite(ratio) else None
    return compare_words.check_text(check, language, zone), told
