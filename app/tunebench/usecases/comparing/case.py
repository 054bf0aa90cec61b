"""The comparison of a success case: verdicts with all that they rest on, and the checks of comparability."""

from __future__ import annotations

from math import isfinite
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, Method
from tunebench.columns import comparing_words
from tunebench.domain.comparability import Check
from tunebench.reporting.cases.analysis import CaseCheck, Judged, JudgedStatistic


def judged(row: ComparedSeries, language: str, zone: ZoneInfo) -> Judged:
    settles = comparing_words.settling_text(row, language)
    reason = comparing_words.reason_text(row, language, zone)
    return Judged(
        row,
        comparing_words.verdict_text(row.verdict, language),
        comparing_words.ratio_text(row, language),
        comparing_words.row_text(row, language, zone),
        reason,
        tuple(comparing_words.caution_text(caution, language, zone) for caution in row.cautions),
        "" if row.method is Method.NONE else comparing_words.method_text(row.method, language),
        variation=comparing_words.variation_text(row, language),
        variation_brief=comparing_words.variation_brief(row, language),
        variation_share=comparing_words.variation_share(row),
        settles="" if settles == reason else settles,
        per_unit_of=comparing_words.measure_text(row.per_unit_of, language) if row.per_unit_of else "",
        load_measure=comparing_words.measure_text(row.curve.measure, language) if row.curve else "",
        statistics=tuple(
            JudgedStatistic(
                change,
                comparing_words.verdict_text(change.verdict, language),
                comparing_words.statistic_ratio_text(change, language),
            )
            for change in comparing_words.further_statistics(row)
        ),
    )


def checks(comparison: Comparison, language: str, zone: ZoneInfo) -> tuple[CaseCheck, ...]:
    return tuple(
        CaseCheck(
            check.check.value,
            comparing_words.check_title(check.check, language),
            check.state.value,
            comparing_words.state_text(check.state, language),
            comparing_words.check_text(check, language, zone),
        )
        for check in comparison.gate
    )


def load_of(comparison: Comparison, language: str, zone: ZoneInfo) -> tuple[str, float | None]:
    """The sentence on the load of both windows, and their ratio where a capture tells it."""
    check = next((check for check in comparison.gate if check.check is Check.LOAD), None)
    if check is None:
        return "", None
    ratio = check.facts.get("ratio")
    sentence = comparing_words.check_text(check, language, zone)
    return sentence, ratio if isinstance(ratio, float) and isfinite(ratio) else None
