"""The charted series of a success case, out of the project: both runs side by side, or the only one there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.comparison import ComparedSeries, Parts, pair_series
from tunebench.analysis.comparing.fold import folded
from tunebench.analysis.inference.verdict import Verdict
from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import Statistics, describe
from tunebench.core.grouping import by_key
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.series import SeriesInfo
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.cases.case import ResourceSeries, Transactions
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases.comparing.sides import joined_samples, samples_in
from tunebench.usecases.comparing.stretches import series_in
from tunebench.usecases.reports import case_series
from tunebench.usecases.reports.case_series import ChosenPair
from tunebench.usecases.reports.sides import CaseSide

_THROUGHPUT = ("pgbench", "tps")
EvidenceOf = Callable[[Parts, CaseSide], tuple[str, ...]]
"""Parts -> the keys of all captures that a figure of that side is taken from."""
_SUBJECTS = {
    "cpu": ("system.cpu",),
    "disk": ("system.disk",),
    "memory": ("system.memory", "system.paging", "system.swap"),
    "network": ("system.network",),
    "response": ("db.client.operation", "db.client.transactions"),
}
"""Beginnings of the metrics that tell of a subject."""


@record
class SeriesCase:
    """What the report charts, the hosts that it does not, and how many series there are of each subject."""

    series: tuple[ResourceSeries, ...] = ()
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    captured: tuple[tuple[str, int], ...] = ()


@record
class _Teller:
    """`sides`: that of the parts before, and that of those after; the same where there is one only."""

    project: Project
    sides: tuple[CaseSide, CaseSide]
    rows: Sequence[ComparedSeries]
    zone: ZoneInfo
    language: str
    evidence: EvidenceOf


def series_case(
    project: Project,
    sides: Sequence[CaseSide],
    rows: Sequence[ComparedSeries] | None,
    zone: ZoneInfo,
    language: str,
    evidence: EvidenceOf,
) -> SeriesCase:
    """
    Args:
        sides: those of the case.
        rows: their comparison; None where there is one side only.
    """
    if not sides:
        return SeriesCase()
    if rows is None:
        rows = list(_alone(project, sides[0]))
    teller = _Teller(project, (sides[0], sides[-1]), rows, zone, language, evidence)
    chosen = case_series.choose(rows)
    phase = sides[0].phase if len(sides) == 1 else None
    return SeriesCase(
        tuple(_resource_series(teller, pair, phase) for pair in chosen.pairs),
        {choice.label_key: hosts for choice, hosts in chosen.further},
        tuple(
            (subject, sum(row.metric.startswith(beginnings) for row in rows))
            for subject, beginnings in _SUBJECTS.items()
        ),
    )


def _alone(project: Project, side: CaseSide) -> Iterable[ComparedSeries]:
    """The series of the only window; nothing is compared."""
    columns = [column for choice in case_series.CHOICES for column in choice.columns]
    listed = series_in(project, side.window)
    for parts, _ in pair_series(listed, []):
        charted = any(column.fits(parts[0]) for column in columns)
        statistics = side.described(project, parts[0], side.samples(project, parts), listed) if charted else None
        alone = ComparedSeries(parts, (), statistics, None, None, "one_side_only", Verdict.NOT_COMPARABLE)
        if side.phase is Phase.AFTER:
            alone = replace(
                alone, before_parts=(), after_parts=parts, before_statistics=None, after_statistics=statistics
            )
        yield alone


def _resource_series(teller: _Teller, pair: ChosenPair, phase: Phase | None) -> ResourceSeries:
    parts = [
        side.parts_in(parts)
        for side, parts in zip(teller.sides, (pair.row.before_parts, pair.row.after_parts), strict=True)
    ]
    data = [
        case_series.values_of(pair.column, side.samples(teller.project, own)) if own else None
        for side, own in zip(teller.sides, parts, strict=True)
    ]
    measured = [samples.times_ns[~samples.since_boot] for samples in data if samples is not None]
    windows = [(int(times_ns[0]), int(times_ns[-1])) for times_ns in measured]
    own = [(side, samples) for side, samples in zip(teller.sides, data, strict=True) if samples is not None]
    zones = [side.window.clock(teller.zone) for side, _ in own]
    by_time_of_day = case_series.share_a_time_of_day(windows, zones)
    folds = iter(folded([list(side.occurrences(samples)) for side, samples in own], zones) or (None,) * len(measured))
    before, after = (
        replace(
            case_series.side(own, samples, side.window.clock(teller.zone), by_time_of_day, teller.evidence(own, side)),
            summary=_summary(teller, pair, side, own[0], samples),
            run=side.title,
            fold=next(folds),
        )
        if samples is not None
        else None
        for side, own, samples in zip(teller.sides, parts, data, strict=True)
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
        judged=None if phase else _judged(pair),
        key=choice.label_key,
        hosts=pair.hosts,
        interval_means=choice.interval_means,
        request_means=choice.request_means,
        transactions=_transactions(teller, pair),
        phase=phase,
        among=pair.among,
    )


def _summary(teller: _Teller, pair: ChosenPair, side: CaseSide, info: SeriesInfo, shown: SeriesData) -> Statistics:
    """The summary of what the chart shows, the mean by the requests where a column counts them, as in the
    comparison."""
    if pair.column.complement:
        return describe(shown)
    return side.described(teller.project, info, shown, series_in(teller.project, side.window))


def _judged(pair: ChosenPair) -> Judged:
    """The compared series, with the captured column that it is of where the chart shows another figure made of it."""
    judged = Judged(pair.row)
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
    """What pgbench's logs say of every transaction."""
    if (pair.info.tool, pair.info.native) != ("pgbench", "lat"):
        return None, None
    logs = [row for row in teller.rows if (row.series.tool, row.series.table) == ("pgbench", "log")]
    logs_by_side = ([row.before_parts for row in logs], [row.after_parts for row in logs])
    before, after = (
        _of_logs(teller, side, [parts for parts in own if parts and parts[0].host in pair.hosts], pair.info.to_base)
        for side, own in zip(teller.sides, logs_by_side, strict=True)
    )
    return before, after


def _of_logs(teller: _Teller, side: CaseSide, logs: Sequence[Parts], to_base: float) -> Transactions | None:
    """The transactions over all threads; times in the unit that `to_base` converts."""
    used = [parts for parts in logs if parts[0].native in ("num_transactions", "sum_latency", "max_latency")]
    values = by_key((parts[0].native, side.samples(teller.project, parts)) for parts in used)
    count, total = (
        sum(float(np.nansum(samples.values)) for samples in values.get(name, ()))
        for name in ("num_transactions", "sum_latency")
    )
    largest = [float(np.nanmax(samples.values)) for samples in values.get("max_latency", ()) if samples.values.size]
    if not count or not largest:
        return None
    scale = next(parts[0].to_base for parts in used if parts[0].native == "max_latency") / to_base
    keys = tuple(dict.fromkeys(key for parts in used for key in teller.evidence(parts, side)))
    return Transactions(round(count), scale * total / count, scale * max(largest), keys)


# -- load ----------------------------------------------------------------------------------------------


def load_of(project: Project, run: Run, language: str) -> str:
    """The load of a run in words, where a capture tells it: the mean throughput of the load generator."""
    throughput = _throughput(merged_series.list_merged(project, run.id))
    return _load_text([joined_samples(project, parts) for parts in throughput], language)


def loads_of(project: Project, side: CaseSide, language: str) -> list[str]:
    """The load of each of its occurrences, as `load_of` tells it."""
    throughput = _throughput(series_in(project, side.window))
    return [
        _load_text([samples_in(project, parts, stretch) for parts in throughput], language)
        for stretch in side.stretches
    ]


def _throughput(series: Sequence[SeriesInfo]) -> list[Parts]:
    """pgbench tells it as a whole (its progress) and per thread (its logs); the whole is the largest of these."""
    rates = [info for info in series if (info.tool, info.native) == _THROUGHPUT]
    return [parts for parts, _ in pair_series(rates, [])]


def _load_text(data: Sequence[SeriesData], language: str) -> str:
    means = [mean for samples in data if (mean := describe(samples).mean) is not None]
    return catalogue(language).text("report.load.transactions", rate=f"{max(means):,.1f}") if means else ""
