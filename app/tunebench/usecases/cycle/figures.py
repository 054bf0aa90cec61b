"""The figure of a metric in a run, and the metrics whose source is no longer to be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from math import isclose
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.calendar_slots import local_ns
from tunebench.analysis.comparing.improvement import exact
from tunebench.analysis.comparing.regular_samples import NS_PER_S
from tunebench.analysis.series import SeriesData
from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.book import CycleBook, Record
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.domain.cycle.measured_over import Over, TrialCell
from tunebench.domain.cycle.records import (
    DailyWindow,
    ExperimentSource,
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    Result,
    SeriesSource,
    StatementSource,
    Target,
)
from tunebench.domain.engagement import Phase, Run, Statement
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import is_series, name_of, names_of, series_name
from tunebench.domain.windows import Window
from tunebench.sdk.units import factor_between
from tunebench.store import engagements, merged_series, runs
from tunebench.store.project import Project
from tunebench.usecases.comparing.clocks import clock_of
from tunebench.usecases.comparing.sides import counting, described, joined_samples, samples_over
from tunebench.usecases.comparing.stretches import series_in, stretches_of
from tunebench.usecases.comparing.windows import resolved, whole_runs
from tunebench.usecases.cycle import trials
from tunebench.usecases.databases.run_statements import statements_over

_DAY_S = 86_400
_UCUM = {"B": "By", "kB": "kBy", "KB": "KiBy", "MB": "MBy", "KiB": "KiBy", "MiB": "MiBy", "GiB": "GiBy"}  # as printed
_TIMES_S = {"s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "min": Decimal(60), "h": Decimal(3600)}
_AS_TYPED = {"": "s", "sec": "s", "\u00b5s": "us"}  # the micro sign; the catalogues print the Greek letter
_GROUP = "group"
_WHOLE = "all"
_QUANTILES = {"p50": 50, "p95": 95, "p99": 99}


@records.record
class Broken:
    """Why a metric has no figure in a run: `key` below ``cycle.broken.``; `facts` fill its sentence."""

    key: str
    facts: dict[str, object] = field(default_factory=dict)


@records.record
class Remeasured:
    """A figure that was computed, and what its run or window, called `measured_over`, says now."""

    record: Target | Result
    metric: Metric
    figure: Figure
    measured_over: str
    now: Figure | Broken

    @property
    def differs(self) -> bool:
        """Whether it differs by more than the rounding of sums in another order."""
        if isinstance(self.now, Broken) or self.now.value is None or self.figure.value is None:
            return False
        return not isclose(self.now.value, self.figure.value, rel_tol=1e-9, abs_tol=1e-12)


@records.record
class BrokenRecord:
    """A target, result or evidence that is kept although what it rests on is no longer found, or says otherwise."""

    record: Record
    why: Broken


def figure_of(project: Project, metric: Metric, over: Over) -> Figure | Broken:
    """What a run, or a kept window, says about the metric: over its daily window, in the engagement's zone.

    A measurement of the success case has a figure before and one after: the phase of the run chooses.
    """
    if isinstance(metric.source, ExperimentSource):
        return _of_trials(project, metric, metric.source, over)
    if isinstance(over, TrialCell):
        return Broken("cell_of_trials", {"metric": metric.name, "run": over.name})
    if isinstance(metric.source, SeriesSource):
        return _of_series(project, metric, metric.source, over)
    if isinstance(metric.source, StatementSource):
        return _of_statements(project, metric, metric.source, over)
    if isinstance(over, Window):
        return Broken("window_of_captures", {"metric": metric.name, "run": over.name})
    if isinstance(metric.source, MeasurementSource):
        return _of_measurement(project, metric.source, over)
    return Broken("manual", {"metric": metric.name})


class SourceRefusal(UserError):
    """A figure was asked for that the run does not have."""

    subject = "cycle.broken"


def measured(project: Project, metric: Metric, over: Over) -> Figure:
    """As `figure_of`, but raises where there is no figure."""
    figure = figure_of(project, metric, over)
    if isinstance(figure, Broken):
        raise SourceRefusal(figure.key, **figure.facts)
    return figure


def phase_of(over: Over) -> Phase:
    """The side of the change that it is declared to be of; of an experiment the reference is before."""
    if isinstance(over, TrialCell):
        return Phase.BEFORE if over.is_reference else Phase.AFTER
    return Phase(over.role.value) if isinstance(over, Window) else over.phase


def title_of(over: Over) -> str:
    return over.label if isinstance(over, Run) else over.name


def check_after(over: Over) -> None:
    """No result without an after-run: one that is called a run before tuning shows no result.

    Raises:
        UserError: cycle_run_is_before.
    """
    if phase_of(over) is Phase.BEFORE:
        raise UserError("cycle_run_is_before", run=title_of(over))


def check_before(book: CycleBook, metric: Metric, over: Over) -> None:
    """No baseline from an after-run, but where the iteration goes on from one that ended with it.

    Raises:
        UserError: cycle_run_is_after.
    """
    iteration = book.find(Iteration, metric.iteration_id)
    if phase_of(over) is Phase.AFTER and (iteration is None or iteration.continues is None):
        raise UserError("cycle_run_is_after", run=title_of(over))


def broken_text(why: Broken, language: str) -> str:
    return catalogue(language).text(f"cycle.broken.{why.key}", **why.facts)


def _of_trials(project: Project, metric: Metric, source: ExperimentSource, over: Over) -> Figure | Broken:
    facts: dict[str, object] = {"metric": metric.name, "run": title_of(over), "response": source.response}
    if not isinstance(over, TrialCell):
        return Broken("no_cell", facts)
    figure = trials.measured(project, metric, source, over)
    return (
        Broken(figure, {**facts, "unit": source.response, "wanted": metric.unit}) if isinstance(figure, str) else figure
    )


# -- series --------------------------------------------------------------------------------------------


def _of_series(project: Project, metric: Metric, source: SeriesSource, over: Run | Window) -> Figure | Broken:
    title = title_of(over)
    try:
        listed, read = _reading(project, over)
    except UserError:
        return Broken("no_samples", {"series": _wanted(source), "run": title})
    series = find_parts(listed, source)
    if isinstance(series, Broken):
        return Broken(series.key, {**series.facts, "run": title})
    factor = unit_factor(metric, source, series[0])
    if factor is None:
        return Broken("unit_differs", {"unit": series[0].unit, "wanted": metric.unit, "run": title})
    data = read(series)
    data = data.taken(_counts(data))
    if metric.window is not None:
        zone = clock_of(project, over.zone if isinstance(over, Window) else "")
        data = data.taken(in_window(data.times_ns, metric.window, zone))
    times_ns, values = data.times_ns, data.values
    if not len(values):
        return Broken("no_samples", {"series": series_name(source), "run": title})
    value = float(statistic_of(values, metric.statistic))
    if metric.statistic == "mean":
        columns = ((parts[0], read(parts)) for parts in counting(listed, series[0]))
        mean = described(series[0], data, columns).mean
        value = value if mean is None else mean
    value *= factor
    runs_read = {info.run_id for info in series}
    return Figure(
        value,
        "",
        runs_read.pop() if len(runs_read) == 1 else None,
        int(times_ns.min()),
        int(times_ns.max()),
        len(values),
        window_id=over.id if isinstance(over, Window) else None,
    )


def _reading(
    project: Project, over: Run | Window
) -> tuple[Sequence[SeriesInfo], Callable[[Sequence[SeriesInfo]], SeriesData]]:
    """The series that there are, and what reads the samples of some of them. Raises UserError as `resolved`."""
    if isinstance(over, Run):
        return merged_series.list_merged(project, over.id), lambda parts: joined_samples(project, parts)
    window = resolved(project, over)
    stretches = stretches_of(project, window)
    return series_in(project, window), lambda parts: samples_over(project, tuple(parts), stretches)


def _counts(data: SeriesData) -> NDArray[np.bool_]:
    return np.asarray(~data.since_boot & ~np.isnan(data.values))


def find_parts(series: Sequence[SeriesInfo], source: SeriesSource) -> tuple[SeriesInfo, ...] | Broken:
    """The column that `source` names, of all captures that have it; else the one of another tool that means the same.

    The other tool's is taken only where there is no doubt which: one thing, and of several tools the one with the most
    samples.
    """
    named = tuple(info for info in series if source.native and is_series(source, info))
    if named:
        return named
    same = [info for info in series if _means(source, info)]
    if not same:
        return Broken("series_missing", {"series": _wanted(source)})
    groups = {(info.tool, info.native) for info in same}
    chosen = max(sorted(groups), key=lambda group: sum(i.count for i in same if (i.tool, i.native) == group))
    parts = tuple(info for info in same if (info.tool, info.native) == chosen)
    if len({_thing(info, _GROUP) for info in same}) > 1 or len({_thing(info) for info in parts}) > 1:
        columns = sorted({name_of(info) for info in same})
        return Broken("series_unclear", {"series": _wanted(source), "found": ", ".join(columns[:5])})
    return parts


def _thing(info: SeriesInfo, besides: str = "") -> tuple[tuple[str, str], ...]:
    """What was measured. One tool tells its columns apart by a group, which the others know nothing of; one says "all"
    where another, which has no parts to tell, says nothing."""
    attributes = {**info.implied, **info.attributes}
    return tuple(sorted((name, value) for name, value in attributes.items() if name != besides and value != _WHOLE))


def _wanted(source: SeriesSource) -> str:
    return series_name(source) if source.native else f"{source.host or '*'}|{source.metric}"


def _means(source: SeriesSource, info: SeriesInfo) -> bool:
    if not source.metric or info.metric != source.metric or (source.host and info.host != source.host):
        return False
    attributes = {**info.implied, **info.attributes}
    return all(attributes.get(name) == value for name, value in source.attributes)


def unit_factor(metric: Metric, source: SeriesSource, info: SeriesInfo) -> float | None:
    """The factor from the series' unit to the metric's; where the two do not fit, 1 for a column that was named,
    else None."""
    if info.unit == metric.unit:
        return 1.0
    above, line, below = metric.unit.partition("/")
    factor = factor_between(info.unit, _UCUM.get(above, above) + line + below)
    return 1.0 if factor is None and is_series(source, info) else factor


def in_window(times_ns: NDArray[np.int64], window: DailyWindow, zone: ZoneInfo) -> NDArray[np.bool_]:
    """Which times lie in the window, start included and end not; a window may go over midnight."""
    of_day = _clock_s(times_ns, zone) % _DAY_S
    start, end = _seconds(window.start), _seconds(window.end)
    if start < end:
        return np.asarray((of_day >= start) & (of_day < end))
    return np.asarray((of_day >= start) | (of_day < end))


def _seconds(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 3600 + int(minutes) * 60


def _clock_s(times_ns: NDArray[np.int64], zone: ZoneInfo) -> NDArray[np.int64]:
    """Seconds on the zone's clock."""
    return np.asarray(local_ns(times_ns, zone) // NS_PER_S, dtype=np.int64)


def statistic_of(values: NDArray[np.float64], statistic: str) -> float:
    """The statistic of float64[n], n > 0, none missing. Percentiles as everywhere in the house: type 7."""
    if statistic in _QUANTILES:
        return float(np.percentile(values, _QUANTILES[statistic]))
    if statistic == "value":
        return float(values[-1])
    return float(_OF_ALL[statistic](values))


_OF_ALL: Mapping[str, Callable[[NDArray[np.float64]], np.floating[Any]]] = {
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "total": np.sum,
}


# -- statements and measurements -----------------------------------------------------------------------


def _of_statements(project: Project, metric: Metric, source: StatementSource, over: Run | Window) -> Figure | Broken:
    title, unit = title_of(over), _unit_of_statements(metric, source)
    if unit is None:
        return Broken("unit_differs", {"unit": "s", "wanted": metric.unit, "run": title})
    facts: dict[str, object] = {"statement": source.statement_id or "*", "figure": source.figure, "run": title}
    statements = statements_over(project, over.id if isinstance(over, Run) else over)
    meant = [statement for statement in statements if _is_meant(statement, source)]
    if not meant:
        return Broken("statement_missing", facts)
    with_figure = [statement for statement in meant if getattr(statement, source.figure) is not None]
    if source.per_execution:
        parts = [
            part for statement in with_figure if (part := statement.total_and_executions(source.figure)) is not None
        ]
        if not parts:
            return Broken("figure_missing", facts)
        above, below = (sum((exact(value) for value in values), Decimal(0)) for values in zip(*parts, strict=True))
        return _figure_over(project, over, float(above / unit / below), "", len(parts))
    if not with_figure:
        return Broken("figure_missing", facts)
    total = sum((exact(getattr(statement, source.figure)) for statement in with_figure), Decimal(0)) / unit
    # what some statements do not tell can only add to the total
    return _figure_over(project, over, float(total), "" if len(with_figure) == len(meant) else ">", len(with_figure))


def _figure_over(project: Project, over: Run | Window, value: float, bound: str, count: int) -> Figure:
    if isinstance(over, Run):
        return Figure(value, bound, over.id, samples=count)
    captured, inside = whole_runs(project, over), stretches_of(project, over)
    return Figure(
        value,
        bound,
        captured[0].id if len(captured) == 1 else None,
        min((stretch.start_ns for stretch in inside), default=None),
        max((stretch.end_ns for stretch in inside), default=None),
        count,
        window_id=over.id,
    )


def _unit_of_statements(metric: Metric, source: StatementSource) -> Decimal | None:
    """What a figure is divided by to be in the metric's unit; times are kept in seconds, counts as they are.

    None where a time is wanted in what is no unit of time; a metric without unit takes seconds.
    """
    if not source.figure.endswith("_s"):
        return Decimal(1)
    return _time_s(metric.unit.strip())


def _time_s(typed: str) -> Decimal | None:
    """Seconds of a unit of time, by its name or as it is printed in either language."""
    wanted = _AS_TYPED.get(typed, typed)
    for unit, seconds in _TIMES_S.items():
        if wanted in (unit, *(catalogue(language).text(f"unit.{unit}") for language in LANGUAGES)):
            return seconds
    return None


def _is_meant(statement: Statement, source: StatementSource) -> bool:
    named = not source.statement_id or statement.key.answers_to(source.statement_id)
    return named and source.engine in ("", statement.engine)


def _of_measurement(project: Project, source: MeasurementSource, run: Run) -> Figure | Broken:
    match = next(
        (measurement for measurement in engagements.read_measurements(project) if measurement.key == source.key), None
    )
    facts: dict[str, object] = {"measurement": source.key, "run": run.label}
    if match is None:
        return Broken("measurement_missing", facts)
    sides = {Phase.BEFORE: (match.before, match.before_bound), Phase.AFTER: (match.after, match.after_bound)}
    if run.phase not in sides:
        return Broken("phase_unknown", facts)
    value, bound = sides[run.phase]
    if value is None:
        return Broken("figure_missing", {"statement": source.key, "figure": run.phase.value, "run": run.label})
    return Figure(value, bound, run.id, samples=match.samples, source=match.source, translations=match.translations)


# -- what is broken ------------------------------------------------------------------------------------


def broken_records(project: Project, book: CycleBook, iteration_id: int | None = None) -> tuple[BrokenRecord, ...]:
    """Targets, results and evidence that rest on what is not there any more; they are kept, and shown as broken."""
    runs_by_id = {run.id: run for run in runs.list_runs(project)}
    broken = [*_broken_figures(project, book, runs_by_id), *_lost_evidence(project, book)]
    return tuple(
        record for record in broken if iteration_id in (None, getattr(record.record, "iteration_id", iteration_id))
    )


def remeasured(project: Project, book: CycleBook, runs_by_id: Mapping[int, Run]) -> Iterator[Remeasured]:
    """Every figure that was computed from a run, computed again by what computed it."""
    for record, figure in _figures(book):
        metric = book.find(Metric, record.metric_id)
        over: Over | None = book.find(Window, figure.window_id) or runs_by_id.get(figure.run_id or 0)
        if metric is not None and isinstance(metric.source, ExperimentSource):
            over = trials.cell_of_figure(project, metric.source, figure)
        if metric is None or over is None or figure.value is None or isinstance(metric.source, ManualSource):
            continue
        now = figure_of(project, metric, over)
        if _is_computed(metric, figure, now):
            yield Remeasured(record, metric, figure, title_of(over), now)


def _broken_figures(project: Project, book: CycleBook, runs_by_id: Mapping[int, Run]) -> Iterator[BrokenRecord]:
    for figure in remeasured(project, book, runs_by_id):
        if isinstance(figure.now, Broken):
            yield BrokenRecord(figure.record, figure.now)
        elif figure.differs:
            facts = {"kept": f"{figure.figure.value:g}", "now": f"{figure.now.value:g}", "run": figure.measured_over}
            yield BrokenRecord(figure.record, Broken("value_changed", {"metric": figure.metric.name, **facts}))


def _figures(book: CycleBook) -> Iterator[tuple[Target | Result, Figure]]:
    for target in book.all(Target):
        if target.baseline is not None:
            yield target, target.baseline
    for result in book.all(Result):
        yield result, result.after


def _is_computed(metric: Metric, figure: Figure, now: Figure | Broken) -> bool:
    """A figure that was typed in says where it stands, and is not measured again; a measurement says what its own
    source is."""
    published = now.source if isinstance(metric.source, MeasurementSource) and isinstance(now, Figure) else ""
    return figure.source == published


def _lost_evidence(project: Project, book: CycleBook) -> Iterator[BrokenRecord]:
    for evidence in book.all(Evidence):
        if evidence.target.series_names:
            infos = merged_series.list_merged(project, evidence.target.run_id)
            there = {name for info in infos for name in names_of(info)}
            lost = [name for name in evidence.target.series_names if name not in there]
            names = ", ".join(lost or evidence.target.series_names)
            if lost or _is_outside(evidence.target, infos):
                yield BrokenRecord(evidence, Broken("evidence_lost" if lost else "evidence_moved", {"series": names}))


def _is_outside(target: EvidenceTarget, infos: Sequence[SeriesInfo]) -> bool:
    """Whether the pinned window lies before or after all its series, since a capture was read with other times."""
    wanted = frozenset(target.series_names)
    shown = [info for info in infos if not wanted.isdisjoint(names_of(info))]
    start_ns, end_ns = target.start_ns, target.end_ns
    if start_ns is None or end_ns is None:
        return False
    return not any(
        info.first_ns is not None and info.last_ns is not None and info.first_ns <= end_ns and info.last_ns >= start_ns
        for info in shown
    )


def series_of_evidence(project: Project, evidence: Evidence) -> tuple[SeriesInfo, ...]:
    """The series of a pinned window as they are now, found by name: a capture that was read anew has new ids."""
    wanted = frozenset(evidence.target.series_names)
    infos = merged_series.list_merged(project, evidence.target.run_id)
    return tuple(info for info in infos if not wanted.isdisjoint(names_of(info)))
