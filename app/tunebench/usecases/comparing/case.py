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
        tuple(comparing_words.caution_text(each, language, zone) for each in row.cautions),
        "" if row.method is Method.NONE else comparing_words.method_text(row.method, language),
        variation=comparing_words.variation_text(row, language),
        variation_brief=comparing_words.variation_brief(row, language),
        variation_share=comparing_words.variation_share(row),
        settles="" if settles == reason else settles,
        per_unit_of=comparing_words.measure_text(row.per_unit_of, language) if row.per_unit_of else "",
        load_measure=comparing_words.measure_text(row.curve.measure, language) if row.curve else "",
        statistics=tuple(
            JudgedStatistic(
                each,
                comparing_words.verdict_text(each.verdict, language),
                comparing_words.statistic_ratio_text(each, language),
            )
            for each in comparing_words.further_statistics(row)
        ),
    )


def checks(found: Comparison, language: str, zone: ZoneInfo) -> tuple[CaseCheck, ...]:
    return tuple(
        CaseCheck(
            each.check.value,
            comparing_words.check_title(each.check, language),
            each.state.value,
            comparing_words.state_text(each.state, language),
            comparing_words.check_text(each, language, zone),
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
    return comparing_words.check_text(check, language, zone), told
