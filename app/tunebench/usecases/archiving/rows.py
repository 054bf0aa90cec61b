"""An engagement as rows of the archive's tables: what its report says, by the same engine, and each day's figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from math import isfinite
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.analysis.inference.verdict import Interval
from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import describe_values
from tunebench.archive.layout import LAYOUT, TABLES
from tunebench.archive.parts import Row
from tunebench.core.progress import Progress
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.engagement import Direction, Phase
from tunebench.domain.series import SeriesInfo
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.cases.cycle import CaseIteration
from tunebench.store.project import Project
from tunebench.usecases import browse

_SAMPLES_AT_ONCE = 1_000_000
"""Of all series that are read together; 8 MB of values."""


def tables_of(project: Project, case: SuccessCase, progress: Progress) -> dict[str, list[Row]]:
    """All tables but the one of engagements, each row with every column of its table."""
    days = list(day_rows(project, ZoneInfo(case.zone), progress))
    return {**records_of(case), "series": series_rows(project), "days": days}


def series_rows(project: Project) -> list[Row]:
    return [_plain("series", _series(info)) for info in browse.list_series(project)]


def day_rows(project: Project, zone: ZoneInfo, progress: Progress) -> Iterator[Row]:
    """The rows of `days`, of one series after the other: those of a year are more than should lie in memory."""
    series = browse.list_series(project)
    done = 0
    for batch in _batches(series):
        progress.raise_if_cancelled()
        progress.report(done, len(series), "archive.progress.days")
        for info, data in zip(batch, browse.all_series_data(project, batch), strict=True):
            yield from (_plain("days", row) for row in _days(info, data, zone))
        done += len(batch)


def _batches(series: Sequence[SeriesInfo]) -> Iterator[list[SeriesInfo]]:
    """Columns of one table, which come one after the other, are read at once."""
    batch: list[SeriesInfo] = []
    samples = 0
    for info in series:
        if batch and samples + info.count > _SAMPLES_AT_ONCE:
            yield batch
            batch, samples = [], 0
        batch.append(info)
        samples += info.count
    if batch:
        yield batch


def records_of(case: SuccessCase) -> dict[str, list[Row]]:
    """The tables that are made of what the report says, without what was measured each day."""
    return {table: [_plain(table, row) for row in rows(case)] for table, rows in _OF_CASE.items()}


def engagement_row(case: SuccessCase, consent: str, profile: str, added_ns: int) -> Row:
    engagement = case.engagement
    named = "title customer site firm zone period_start period_end"
    facts = {name: getattr(engagement, name) for name in named.split()}
    return {**facts, "consent": consent, "profile": profile, "program": case.program_version} | {
        "layout": LAYOUT,
        "added_ns": added_ns,
    }


def _plain(table: str, row: Row) -> Row:
    """The row as JSON can hold it: a value that is no number, or endless, is null like one that was not measured."""
    return {name: _value(row.get(name)) for name in TABLES[table]}


def _value(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return json.dumps(dict(sorted(value.items())), ensure_ascii=False) if value else None
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or None
    return value if isinstance(value, str | int | bool) or value is None else float(value)  # type: ignore[arg-type]


# -- of what the report says ---------------------------------------------------------------------------------


def _hosts(case: SuccessCase) -> Iterator[Row]:
    for host in case.hosts:
        yield {"host": host.name, "os": host.os, "os_version": host.os_version, "zone": host.zone}


def _systems(case: SuccessCase) -> Iterator[Row]:
    """What the engagement is about, whether or not it was captured."""
    for system in case.cycle.systems:
        yield {name: getattr(system, name) for name in TABLES["systems"]}


def _runs(case: SuccessCase) -> Iterator[Row]:
    for run in case.runs:
        facts = {"run": run.label, "phase": run.phase, "hosts": run.hosts, "files": run.files}
        yield {**facts, "begin_ns": run.start_ns, "end_ns": run.end_ns}


def _windows(case: SuccessCase) -> Iterator[Row]:
    for window in case.windows:
        facts = {"name": window.name, "phase": window.phase, "kept": window.kept, "hosts": window.hosts}
        yield from (
            {**facts, "begin_ns": occurrence.start_ns, "end_ns": occurrence.end_ns} for occurrence in window.occurrences
        )


def _verdicts(case: SuccessCase) -> Iterator[Row]:
    for judged in case.comparison:
        row = judged.row
        before, after = row.before_statistics, row.after_statistics
        yield {
            **_thing(row.series),
            "direction": row.series.direction,
            "before_samples": before.n if before else None,
            "after_samples": after.n if after else None,
            "before_mean": before.mean if before else None,
            "after_mean": after.mean if after else None,
            "verdict": row.verdict,
            "reason": row.reason,
            "ratio": row.headline,
            **_interval(row.interval),
            "p_adjusted": row.p_adjusted,
            "load_ratio": case.analysis.load_ratio,
        }


def _findings(case: SuccessCase) -> Iterator[Row]:
    for finding in case.analysis.findings:
        figures = finding.found
        yield {
            **{
                name: getattr(figures, name)
                for name in ["key", "rule", "severity", "run", "host", "attributes", "share", "explained_by"]
            },
            "samples": figures.n,
            **{name: getattr(finding, name) for name in ["phase", "title", "figures", "later"]},
        }


def _causes(case: SuccessCase) -> Iterator[Row]:
    for iteration in case.cycle.iterations:
        for cause in iteration.causes:
            named = "domain title text confidence state share_pct finding"
            yield {"iteration": iteration.iteration.number, **{name: getattr(cause, name) for name in named.split()}}


def _actions(case: SuccessCase) -> Iterator[Row]:
    systems = [system.name for system in case.cycle.systems]
    for iteration in case.cycle.iterations:
        for action in iteration.actions:
            yield {
                "iteration": iteration.iteration.number,
                "outcome": iteration.outcome,
                "number": action.number,
                "title": action.action.title,
                "state": action.action.state,
                "changes": _changed(iteration, action.number),
                "effect": action.action.known_effect,
                "causes": action.causes,
                "hypothesis": action.action.hypothesis,
                "systems": systems,
            }


def _effects(case: SuccessCase) -> Iterator[Row]:
    """What countermeasures were to do, gains and prices, and what was measured of it, also before a roll-back."""
    for iteration in case.cycle.iterations:
        effects = {action.number: action.action.known_effect for action in iteration.actions}
        for planned in (*iteration.planned, *iteration.taken_back):
            metric = planned.metric
            yield {
                "iteration": iteration.iteration.number,
                "number": planned.action,
                "effect": effects.get(planned.action, ""),
                "changes": _changed(iteration, planned.action),
                "resources": [impact.resource.value for impact in planned.impacts],
                "price": any(impact.is_price for impact in planned.impacts),
                "metric": metric.name if metric else None,
                "unit": metric.unit if metric else None,
                "direction": metric.direction if metric else None,
                "margin_pct": planned.margin_pct,
                **_improvement(planned.change, metric.direction if metric else None),
                "state": planned.state,
            }


def _changed(iteration: CaseIteration, number: str) -> str:
    """The parameters that a countermeasure sets, which is what two engagements have in common."""
    changes = next((action.action.changes for action in iteration.actions if action.number == number), ())
    return ", ".join(dict.fromkeys(change.parameter for change in changes))


def _targets(case: SuccessCase) -> Iterator[Row]:
    for iteration in case.cycle.iterations:
        for standing in iteration.targets:
            metric, target = standing.metric, standing.target
            yield {
                "iteration": iteration.iteration.number,
                "metric": metric.name,
                **{name: getattr(metric, name) for name in ["statistic", "unit", "direction"]},
                "baseline": target.baseline.value if target and target.baseline else None,
                "target": target.value if target else None,
                "result": standing.now.value if standing.now else None,
                **_improvement(standing.change, metric.direction),
                "state": standing.state,
                "descriptive": standing.descriptive,
            }


def _statements(case: SuccessCase) -> Iterator[Row]:
    for database in case.databases:
        for row in database.statements.rows():
            figure = row.changes.get(row.judged_by)
            yield {
                "database": database.label,
                "statement": database.reference_of(row.pair),
                "text": database.before.text_of(row.pair.before_ids) or database.after.text_of(row.pair.after_ids),
                "outcome": row.outcome,
                "figure": row.judged_by,
                "before_executions": row.before_executions,
                "after_executions": row.after_executions,
                "before_each": figure.before_each if figure else None,
                "after_each": figure.after_each if figure else None,
                "verdict": figure.verdict if figure else None,
                "ratio": figure.ratio if figure else None,
                **_interval(figure.interval if figure else None),
                "impact": figure.impact if figure else None,
                "plan_changed": row.plan_changed,
            }


def _periods(case: SuccessCase) -> Iterator[Row]:
    for database in case.databases:
        for phase, side in ((Phase.BEFORE, database.before), (Phase.AFTER, database.after)):
            for period in side.periods:
                named = "source begin_ns end_ns length_s db_time_s used"
                facts = {name: getattr(period, name) for name in named.split()}
                yield {"database": database.label, "run": side.run, "phase": phase, **facts}


def _experiments(case: SuccessCase) -> Iterator[Row]:
    for experiment in case.analysis.experiments:
        for part in experiment.parts:
            for cell in part.cells:
                compared = cell.compared
                yield {
                    "title": experiment.title,
                    **{name: getattr(part, name) for name in ["response", "unit", "cache"]},
                    "cell": cell.name,
                    "reference": cell.reference,
                    "trials": cell.figures.n,
                    "median": cell.figures.median,
                    "ratio": compared.ratio if compared else None,
                    **_interval(compared.interval if compared else None),
                    "verdict": compared.verdict if compared else None,
                }


def _evidence(case: SuccessCase) -> Iterator[Row]:
    for evidence in case.evidence:
        named = "key file sha256 host run samples parser parser_version"
        facts = {name: getattr(evidence, name) for name in named.split()}
        yield {**facts, "begin_ns": evidence.start_ns, "end_ns": evidence.end_ns}


_OF_CASE: Mapping[str, Callable[[SuccessCase], Iterator[Row]]] = {
    "systems": _systems,
    "hosts": _hosts,
    "runs": _runs,
    "windows": _windows,
    "verdicts": _verdicts,
    "findings": _findings,
    "causes": _causes,
    "actions": _actions,
    "effects": _effects,
    "targets": _targets,
    "statements": _statements,
    "periods": _periods,
    "experiments": _experiments,
    "evidence": _evidence,
}


def _improvement(change: Improvement | None, direction: Direction | None) -> Row:
    """More than 1 is better, whether or not a verdict calls it so; of a neutral figure it is after / before."""
    if change is None:
        return {}
    ratios = [change.ratio, *(change.interval or (None, None))]
    less = change.change is Change.CHANGED and direction is Direction.LOWER  # after / before of what should be less
    if less or change.change is Change.REGRESSED:
        ratios = [1 / value if value else None for value in ratios]
    ratio, *ends = ratios
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    return {"change": change.change, "at_least": change.at_least, "ratio": ratio, "low": low, "high": high}


def _interval(interval: Interval | None) -> Row:
    return {"low": interval.low, "high": interval.high} if interval else {}


# -- of what was measured ------------------------------------------------------------------------------------


def _thing(info: SeriesInfo) -> Row:
    named = "host tool native metric attributes unit"
    return {name: getattr(info, name) for name in named.split()}


def _series(info: SeriesInfo) -> Row:
    named = "run kind direction to_base base_unit missing interval_s"
    facts = {name: getattr(info, name) for name in named.split()}
    return {**_thing(info), **facts, "samples": info.count, "begin_ns": info.first_ns, "end_ns": info.last_ns}


def _days(info: SeriesInfo, data: SeriesData, zone: ZoneInfo) -> Iterator[Row]:
    """Each day of the engagement's calendar, of the samples that are of intervals."""
    counts = ~data.since_boot & ~np.isnan(data.values)
    times_ns, values = data.times_ns[counts], data.values[counts]
    start = 0
    while start < len(times_ns):
        day, end_ns = _day_of(int(times_ns[start]), zone)
        end = int(np.searchsorted(times_ns, end_ns))
        of_day = describe_values(values[start:end])
        facts = {"mean": of_day.mean, "minimum": of_day.minimum, "median": of_day.p50, "p95": of_day.p95}
        yield {
            **_thing(info),
            "run": info.run,
            "day": day.isoformat(),
            "samples": of_day.n,
            **facts,
            "maximum": of_day.maximum,
        }
        start = end


def _day_of(time_ns: int, zone: ZoneInfo) -> tuple[date, int]:
    """The calendar's day of a moment, and when the next one begins, over changes of the clock too."""
    day = datetime.fromtimestamp(time_ns // NS_PER_S, zone).date()
    following = datetime.fromordinal(day.toordinal() + 1).replace(tzinfo=zone)
    return day, int(following.timestamp()) * NS_PER_S
