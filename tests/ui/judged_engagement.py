"""The made engagement as the use case judges it, with figures that are stated here."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from tests.ui.made_engagement import MadeEngagement, at
from tunebench.analysis.comparing.comparison import (
    Caution,
    ComparedSeries,
    Comparison,
    Method,
    Quantiles,
    SplitOffer,
    StatisticChange,
)
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.occurrences import Prior, Settling
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.windows import Window
from tunebench.usecases.projects import Project

GATE_STATES = dict.fromkeys(Check, CheckState.PASS) | {
    Check.LOAD: CheckState.UNKNOWN,
    Check.STATIONARITY: CheckState.ADJUST,
}
REASONS = {
    Check.CONFIGURATION: "same",
    Check.CALENDAR: "generated_load",
    Check.LOAD: "untold",
    Check.SIMILARITY: "similarity",
    Check.COVERAGE: "measured",
    Check.STATIONARITY: "changes",
    Check.WARM_UP: "warm",
    Check.ERRORS: "alike",
    Check.SATURATION: "below",
    Check.SIDE_JOBS: "both",
}
FACTS = {
    "overlap_pct": 100.0, "similarity_pct": 97.0, "coverage_pct": 99.0, "interval_ratio": 1.0, "count": 2,
    "host": "svrdb01", "side": "before", "at_ns": at("2007-07-19T14:05:00"), "looked_at": 9, "before_pct": 0.0,
    "after_pct": 0.0, "most_pct": 60.0, "before": ["backup"], "after": ["backup"],
}  # fmt: skip
OFFERS = (
    SplitOffer("before", "svrdb01", at("2007-07-19T14:05:00"), "change_point", ("ssd2 svc_t", "us"), 2.4),
    SplitOffer("after", "svrdb01", at("2007-07-26T10:00:00"), "restart"),
)


def gate_of(**states: CheckState) -> tuple[GateCheck, ...]:
    return tuple(
        GateCheck(check, states.get(check.value, GATE_STATES[check]), REASONS[check], FACTS) for check in Check
    )


class JudgedEngagement(MadeEngagement):
    """As the use case answers, for figures that are stated here."""

    verdicts: ClassVar = {
        "us": (Verdict.IMPROVED, 3.9),
        "sy": (Verdict.REGRESSED, 0.5),
        "r": (Verdict.EQUIVALENT, 6.0),
        "svc_t": (Verdict.NOT_COMPARABLE, 9.0),
        "%b": (Verdict.INSUFFICIENT_DATA, 8.0),
        "free": (Verdict.INCONCLUSIVE, 1.1),
    }
    gate = gate_of()
    offers = OFFERS

    def __init__(self) -> None:
        super().__init__()
        self.compared: list[tuple[Window, Window]] = []

    def compare(self, project: Project, before: Window, after: Window, progress: object) -> Comparison:
        self.compared.append((before, after))
        rows = super().compare(project, before, after, progress).rows
        return Comparison(before, after, tuple(map(self.judged, rows)), self.gate, self.offers)

    def judged(self, row: ComparedSeries) -> ComparedSeries:
        verdict, ratio = self.verdicts.get(row.native, (Verdict.DESCRIPTIVE_ONLY, None))
        if row.before is None or row.after is None:
            return replace(row, verdict=Verdict.NOT_COMPARABLE, reason="one_side_only")
        if verdict in (Verdict.NOT_COMPARABLE, Verdict.INSUFFICIENT_DATA, Verdict.DESCRIPTIVE_ONLY):
            reason = {"svc_t": "request_size_unknown", "%b": "no_interval"}.get(row.native, "no_uncertainty")
            return replace(row, verdict=verdict, reason=reason)
        assert ratio is not None
        return replace(
            row,
            verdict=verdict,
            reason="",
            ratio=ratio,
            estimate=ratio,
            interval=Interval(ratio * 0.9, ratio * 1.2),
            difference=-31.5,
            difference_interval=Interval(-33.0, -30.0),
            p=0.0001,
            p_adjusted=0.0004,
            n_eff_before=210.4,
            n_eff_after=57.2,
            margin=0.1,
            occurrences=(5, 4),
            variation=Prior(0.1),
            settling=Settling(3, 0.2) if verdict is Verdict.INCONCLUSIVE else None,
            statistics=tuple(
                StatisticChange(each, 53.2, 13.2, ratio, Interval(ratio * 0.8, ratio * 1.3), verdict)
                for each in Statistic
            ),
            method=Method.OCCURRENCES,
            lag1_before=0.81,
            lag1_after=0.62,
            cautions=(Caution("check_C1"),),
            before_quantiles=Quantiles(50.125, 60.0, 62.5, None),
            after_quantiles=Quantiles(12.5, 15.0, 17.75, None),
        )
