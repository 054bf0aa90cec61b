"""An engagement with everything the analysis can say, made by hand: the figures are those that the tests expect."""

from __future__ import annotations

from dataclasses import replace
from math import nan

from tests.reports.cases import captured_case, compared
from tests.reports.database_cases import DAY_NS, START_NS
from tunebench.analysis.capacity.growth import Scenario
from tunebench.analysis.comparing.comparison import Caution, Method, Quantiles, StatisticChange
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.figures import CellFigures
from tunebench.analysis.inference.occurrences import Prior, Settling, Source
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Trial
from tunebench.domain.finding import Finding, ResourceScore, Severity, UseAspect, UseCell
from tunebench.domain.series import SeriesInfo
from tunebench.reporting.cases.analysis import (
    AnalysisCase,
    CaseCell,
    CaseCheck,
    CaseExperiment,
    CaseFinding,
    CaseOutlook,
    CasePart,
    CaseResource,
    CaseScore,
    CaseShift,
    CaseTrial,
    CaseUnjudged,
    CaseUse,
    CaseUseRow,
    Judged,
    RuleNote,
)
from tunebench.reporting.cases.case import SuccessCase

BEFORE = (START_NS, START_NS + DAY_NS)
AFTER = (START_NS + 7 * DAY_NS, START_NS + 8 * DAY_NS)
LOAD_UNKNOWN = Caution("load_unknown")


def judged(
    label: str,
    means: tuple[float, float],
    verdict: Verdict,
    ratio: float | None = None,
    interval: Interval | None = None,
    *,
    direction: Direction = Direction.LOWER,
    **figures: object,
) -> Judged:
    """`ratio`: of typical values where it has an interval, else of the means."""
    before, after = (Statistics(120, 0, 0.0, mean, mean, 1.5 * mean, 2 * mean) for mean in means)
    row = compared(
        label,
        "ms",
        direction,
        before,
        after,
        (BEFORE, AFTER),
        ratio=ratio,
        verdict=verdict,
        estimate=ratio if interval else None,
        interval=interval,
        method=Method.OCCURRENCES if interval else Method.NONE,
        **figures,
    )
    return Judged(row, before_evidence=("E-1",), after_evidence=("E-2",), spans=(BEFORE, AFTER))


def of_disk(judged_row: Judged, device: str) -> Judged:
    """The same of the response time of a disk."""

    def told(info: SeriesInfo) -> SeriesInfo:
        return replace(info, metric="system.disk.response_time", attributes={"device": device})

    row = judged_row.row
    parts = tuple(tuple(map(told, own)) for own in (row.before_parts, row.after_parts))
    return replace(judged_row, row=replace(row, before_parts=parts[0], after_parts=parts[1]))


def over_five_days() -> Judged:
    """Natural variation was measured; p95 is undecided, and two more days would tell."""
    interval = Interval(1.96 / 1.15, 1.96 * 1.15)
    row = judged("sar all %user", (60.0, 30.0), Verdict.IMPROVED, 1.96, interval).row
    row = replace(
        row,
        ratio=2.0,
        occurrences=(5, 4),
        variation=Prior(0.065, 7.0, Source.MEASURED),
        settling=Settling(2, 0.2),
        statistics=(
            StatisticChange(Statistic.MEAN, 60.0, 30.0, 1.96, interval, Verdict.IMPROVED),
            StatisticChange(Statistic.P95, 80.0, 75.0, 1.07, Interval(0.9, 1.25), Verdict.INCONCLUSIVE),
        ),
    )
    return Judged(row, spans=(BEFORE, AFTER))


def judged_rows() -> tuple[Judged, ...]:
    quantiles = Quantiles(41.5, 70.25, 88.125, None)
    return (
        judged(
            "iostat ssd2 svc_t",
            (80.0, 40.0),
            Verdict.IMPROVED,
            2.2,
            Interval(1.9, 2.55),
            n_eff_before=48.5,
            n_eff_after=52.25,
            p=1e-9,
            p_adjusted=3e-9,
            before_quantiles=quantiles,
            after_quantiles=replace(quantiles, p95=44.0),
            cautions=(LOAD_UNKNOWN,),
        ),
        judged(
            "iostat sd0 svc_t",
            (10.0, 20.0),
            Verdict.REGRESSED,
            0.5,
            Interval(0.4, 0.6),
            p=0.01,
            p_adjusted=0.015,
            cautions=(LOAD_UNKNOWN,),
        ),
        judged(
            "vmstat cs",
            (100.0, 125.0),
            Verdict.DESCRIPTIVE_ONLY,
            1.25,
            direction=Direction.NEUTRAL,
            reason="neutral",
            cautions=(LOAD_UNKNOWN,),
        ),
    )


def checks() -> tuple[CaseCheck, ...]:
    states = ("pass", "adjust", "unknown")
    return tuple(
        CaseCheck(f"C{n}", f"subject {n}", states[n % 3], f"state {states[n % 3]}", f"sentence of check {n}")
        for n in range(1, 11)
    )


def findings() -> tuple[CaseFinding, ...]:
    slow = Finding("SF-052", "founding", Severity.CRITICAL, 1, "before", "db01", share=0.75, n=120, held=90)
    fine = Finding("SF-100", "founding", Severity.OK, 1, "before", "db01", n=1, held=1)
    return (
        CaseFinding(
            slow,
            "before",
            "critical",
            "Disk is the bottleneck",
            "db01 ssd2",
            "90 of 120 (75 %)",
            "svc_t 137.8 ms",
            ("2007-07-19 10:00 – 11:30 · iostat svc_t",),
            ("since boot",),
            ("E-1",),
            "no longer holds",
        ),
        CaseFinding(fine, "before", "ok", "Name cache is fine", "db01", "one total", "hits 96 %", evidence=("E-1",)),
    )


def trials() -> tuple[CaseTrial, ...]:
    """Medians 12 and 10 by hand; the excluded value would make the second one 11."""
    values = (
        ("4K", 11.0, True),
        ("4K", 13.0, True),
        ("4K", 12.0, True),
        ("8K", 9.0, True),
        ("8K", 10.0, True),
        ("8K", 12.0, True),
        ("8K", 90.0, False),
    )
    return tuple(
        CaseTrial(
            Trial(place, 1, (cell,), place, place, reason="" if stands else "a backup ran"),
            cell,
            "measure",
            "done" if stands else "excluded",
            value,
            stands,
            "E-3:7",
        )
        for place, (cell, value, stands) in enumerate(values, 1)
    )


def figures(cell: str, median: float, interval: Interval | None, spread: float) -> CellFigures:
    return CellFigures((cell,), 3, median, interval, None, None, spread, (), 0, 0, None)


def experiment() -> CaseExperiment:
    cells = (
        CaseCell(figures("4K", 12.0, None, 13 / 11 - 1), "4K", 1, True),
        CaseCell(
            figures("8K", 10.0, Interval(9.0, 12.0), 12 / 9 - 1),
            "8K",
            1,
            False,
            CellComparison(
                *(("8K",), ("4K",), 3, 3, 1.2, None, None, None, Verdict.INCONCLUSIVE, ("block",)),
                Prior(0.042, 8.0, Source.MEASURED),
                Settling(5, 0.15),
            ),
            "1.20 times",
            "inconclusive",
            "4.2 % (measured)",
            "5 more runs would tell.",
        ),
    )
    part = CasePart("copy time", "s", "cold", "descriptive only", "no A/A runs", cells, trials(), ("3 runs only",))
    return CaseExperiment(
        1, "Block sizes", (("Factor", "block: 4K, 8K"),), ("another disk",), "descriptive only", (part,)
    )


def outlook() -> CaseOutlook:
    """Twenty days that rise by one, a missing day, and a band for ten more."""
    days, future = tuple(range(20_000, 20_020)), tuple(range(20_020, 20_030))
    centre = tuple(70.0 + n for n in range(10))
    return CaseOutlook(
        "/oradata Use%",
        "db01",
        "%",
        "the limit is reached between day one and day two",
        75.0,
        "90 % of the space",
        69.0,
        False,
        days,
        (*(50.0 + n for n in range(18)), nan, 69.0),
        future,
        centre,
        tuple(v - 2 for v in centre),
        tuple(v + 2 for v in centre),
        scenarios=(Scenario(0.1, 0.875), Scenario(0.5, None)),
        evidence=("E-5",),
    )


def analysed_case(language: str = "en") -> SuccessCase:
    cell = UseCell(UseAspect.UTILISATION, "busy", 100.0, "%", n=120, severity=Severity.CRITICAL)
    used = CaseUse(cell, "busy p95 100 %", "%", "critical", ("E-1",))
    missing = CaseUse(UseCell(UseAspect.ERRORS, "errors"), "not measured: solaris.iostat_en")
    idle = CaseUse(replace(cell, value=0.0, severity=None), "busy p95 0 %", "%")
    high = ResourceScore("db01", "disk", "ssd2", 1.4, 0.7, 0.5, wait_share=0.25, queue=2.5, n=120)
    low = ResourceScore("db01", "disk", "ssd2", 0.3, wait_share=0.3, n=120)
    tight, loose = CaseScore(1, high, ("E-1",)), CaseScore(2, low)
    analysis = AnalysisCase(
        gate=checks(),
        splits=("db01: split at noon",),
        load="load ratio 1.05",
        load_ratio=1.05,
        runs_diagnosed=(("before", "before 07-19"), ("after", "after 07-26")),
        rules_passed=(("before", 7), ("after", 9)),
        findings=findings(),
        rules=(
            RuleNote(
                "SF-052",
                "Disk is the bottleneck",
                "svc_t > 50",
                "means hide peaks",
                "spread the load",
                "document 000, 5.2",
                "svc_t 가 50 이상",
            ),
        ),
        unjudged=(
            CaseUnjudged("X-MEM-01", "Memory", ("before", "after"), ("db01",), "not captured", "probe linux.free"),
        ),
        use=(
            CaseUseRow("db01", "disk ssd2", (used, used, missing), (idle, idle, missing)),
            CaseUseRow("db01", "network lo", (idle, missing, missing), (idle, missing, missing)),
        ),
        shift=CaseShift(
            "it moved from disk to CPU (97 %)",
            "disk",
            "CPU",
            "at most 1.5 times",
            (CaseResource("disk ssd2 [db01]", tight, loose), CaseResource("CPU [db01]", None, tight)),
        ),
        capacity=(outlook(),),
        experiments=(experiment(),),
    )
    return replace(captured_case(language), comparison=judged_rows(), analysis=analysis)
