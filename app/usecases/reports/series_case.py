"""The charted series of a success case, out of the project: both runs side by side, or the only one there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np

from app.analysis.comparing.comparison import ComparedSeries, Parts, pair_series
from app.analysis.inference.verdict import Verdict
from app.analysis.series import SeriesData
from app.analysis.statistics import describe
from app.core.messages import catalogue
from app.domain.engagement import Phase, Run
from app.reporting.cases.analysis import Judged
from app.reporting.cases.case import FurtherHosts, ResourceSeries, Transactions
from app.store import merged_series
from app.store.project import Project
from app.usecases.comparing import case as comparison_case
from app.usecases.comparing import compare
from app.usecases.reports import case_series
from app.usecases.reports.case_series import ChosenPair

EvidenceOf = Callable[[Parts], tuple[str, ...]]
"""Parts -> the keys of all captures that a figure is taken from."""
_SUBJECTS = {
    "cpu": ("system.cpu",),
    "disk": ("system.disk",),
    "memory": ("system.memory", "system.paging", "system.swap"),
    "network": ("system.network",),
    "response": ("db.client.operation", "db.client.transactions"),
}
"""Beginnings of the metrics that tell of a subject."""


@dataclass(frozen=True, slots=True)
class SeriesCase:
    """What the report charts, the hosts that it does not, and how many series there are of each subject."""

    series: tuple[ResourceSeries, ...] = ()
    further: tuple[FurtherHosts, ...] = ()
    captured: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Teller:
    project: Project
    rows: Sequence[ComparedSeries]
    zone: ZoneInfo
    language: str
    evidence: EvidenceOf


def series_case(
    project: Project,
    runs: Sequence[Run],
    rows: Sequence[ComparedSeries] | None,
    zone: ZoneInfo,
    language: str,
    evidence: EvidenceOf,
) -> SeriesCase:
    """
    Args:
        runs: those of the case.
        rows: their comparison; None where there is one run only.
    """
    if rows is None:
        rows = [row for run in runs[:1] for row in _alone(project, run)]
    teller = _Teller(project, rows, zone, language, evidence)
    chosen = case_series.choose(rows)
    phase = runs[0].phase if len(runs) == 1 else None
    return SeriesCase(
        tuple(_resource_series(teller, pair, phase) for pair in chosen.pairs),
        tuple(
            FurtherHosts(choice.label_key, catalogue(language).text(choice.label_key), hosts)
            for choice, hosts in chosen.further
        ),
        tuple(
            (subject, sum(row.metric.startswith(beginnings) for row in rows))
            for subject, beginnings in _SUBJECTS.items()
        ),
    )


def _alone(project: Project, run: Run) -> Iterable[ComparedSeries]:
    """The series of the only run; nothing is compared."""
    found = merged_series.list_merged(project, run.id)
    columns = [column for choice in case_series.CHOICES for column in choice.columns]
    for parts, _ in pair_series(found, []):
        charted = any(column.fits(parts[0]) for column in columns)
        statistics = describe(compare.joined_samples(project, parts)) if charted else None
        alone = ComparedSeries(parts, (), statistics, None, None, "one_side_only", Verdict.NOT_COMPARABLE)
        if run.phase is Phase.AFTER:
            alone = replace(
                alone, before_parts=(), after_parts=parts, before_statistics=None, after_statistics=statistics
            )
        yield alone


def _resource_series(teller: _Teller, pair: ChosenPair, phase: Phase | None) -> ResourceSeries:
    parts = (pair.row.before_parts, pair.row.after_parts)
    data = [
        case_series.values_of(pair.column, compare.joined_samples(teller.project, each)) if each else None
        for each in parts
    ]
    known = [each for each in data if each is not None]
    windows = [(int(each.times_ns[~each.since_boot][0]), int(each.times_ns[~each.since_boot][-1])) for each in known]
    by_time_of_day = case_series.share_a_time_of_day(windows, teller.zone)
    before, after = (
        case_series.side(each, samples, teller.zone, by_time_of_day, teller.evidence(each))
        if samples is not None
        else None
        for each, samples in zip(parts, data, strict=True)
    )
    choice, info = pair.choice, pair.info
    return ResourceSeries(
        subject=choice.subject,
        label=_chart_label(pair, teller.language),
        unit=info.unit,
        host=" → ".join(pair.hosts),
        direction=choice.direction,
        before=before,
        after=after,
        metric=info.metric,
        by_time_of_day=by_time_of_day,
        axis_maximum=choice.axis_maximum,
        judged=None if phase else _judged(teller, pair),
        key=choice.label_key,
        hosts=pair.hosts,
        interval_means=choice.interval_means,
        transactions=_transactions(teller, pair),
        phase=phase,
    )


def _judged(teller: _Teller, pair: ChosenPair) -> Judged:
    """With the captured column that it is of, where the chart shows another figure made of it."""
    judged = comparison_case.judged(pair.row, teller.language, teller.zone)
    return replace(judged, subject=judged.label) if pair.column.complement else judged


def _chart_label(pair: ChosenPair, language: str) -> str:
    """``CPU 사용률 (sar 100 − %idle)``: what it is, and which column it is made of."""
    info = pair.info
    thing = "" if set(info.attributes.values()) == {"all"} else info.label.removesuffix(info.native).strip()
    formula = f"100 − {info.native}" if pair.column.complement else info.native
    source = " ".join(part for part in (info.tool, thing, formula) if part)
    return f"{catalogue(language).text(pair.choice.label_key)} ({source})"


# -- of all transactions -------------------------------------------------------------------------------


def _transactions(teller: _Teller, pair: ChosenPair) -> tuple[Transactions | None, Transactions | None]:
    """What pgbench's logs say of every transaction; the charted means weigh an idle second like a busy one."""
    if (pair.info.tool, pair.info.native) != ("pgbench", "lat"):
        return None, None
    logs = [row for row in teller.rows if (row.series.tool, row.series.table) == ("pgbench", "log")]
    before, after = (
        _of_logs(teller, [parts for parts in side if parts and parts[0].host in pair.hosts], pair.info.to_base)
        for side in ([row.before_parts for row in logs], [row.after_parts for row in logs])
    )
    return before, after


def _of_logs(teller: _Teller, logs: Sequence[Parts], to_base: float) -> Transactions | None:
    """Over all threads; times in the unit that `to_base` converts."""
    used = [parts for parts in logs if parts[0].native in ("num_transactions", "sum_latency", "max_latency")]
    values: dict[str, list[SeriesData]] = {}
    for parts in used:
        values.setdefault(parts[0].native, []).append(compare.joined_samples(teller.project, parts))
    count, total = (
        sum(float(np.nansum(each.values)) for each in values.get(name, ()))
        for name in ("num_transactions", "sum_latency")
    )
    largest = [float(np.nanmax(each.values)) for each in values.get("max_latency", ()) if each.values.size]
    if not count or not largest:
        return None
    scale = next(parts[0].to_base for parts in used if parts[0].native == "max_latency") / to_base
    keys = tuple(dict.fromkeys(key for parts in used for key in teller.evidence(parts)))
    return Transactions(round(count), scale * total / count, scale * max(largest), keys)


# -- load ----------------------------------------------------------------------------------------------


def load_of(project: Project, run: Run, language: str) -> str:
    """The load of a run in words, where a capture tells it: the mean throughput of the load generator.

    pgbench tells it as a whole (its progress) and per thread (its logs); the whole is the largest of these.
    """
    found = merged_series.list_merged(project, run.id)
    told = [parts for parts, _ in pair_series(found, []) if (parts[0].tool, parts[0].native) == ("pgbench", "tps")]
    means = [mean for parts in told if (mean := describe(compare.joined_samples(project, parts)).mean) is not None]
    return catalogue(language).text("report.load.transactions", rate=f"{max(means):,.1f}") if means else ""
