"""The figures of the case, computed once: tables, bars, summary and workbook all print these rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.columns.formats import decimals_for
from tunebench.core.records import record
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, MeasurementSource, SeriesSource
from tunebench.domain.engagement import Direction, Measurement
from tunebench.reporting.calling import called, tone_of
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.cases.case import ResourceSeries, SeriesSide, SuccessCase
from tunebench.reporting.cases.cycle import CaseGuard, CaseTarget
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.document import Tone

KEY_ORDER = ("response_time", "block_access", "cpu_peak", "logical_io_peak", "logical_io_mean")
SUBJECTS = ("response", "cpu", "logical_io", "physical_io", "disk", "memory", "network", "other")
SUBJECT_OF_KEY = {"cpu_peak": "cpu", "logical_io_peak": "logical_io", "logical_io_mean": "logical_io"}
SQL_KEYS = ("response_time", "block_access")


def subject_rank(subject: str) -> int:
    """Where a subject stands in the document; one that is not known comes last."""
    return SUBJECTS.index(subject) if subject in SUBJECTS else len(SUBJECTS)


@record
class FigureRow:
    """One figure before and after, with what is known about it.

    `label` is empty for figures that the document names itself (`key` tells which); `database` is said of totals of
    statements, `host` wherever there is one; `entered` is the key of the entered figure that a metric reads. `evidence`
    are the keys printed beside it; `samples_before` and `samples_after` are None where the source does not say.
    """

    key: str
    label: str
    unit: str
    statistic: str
    direction: Direction
    before: float | None
    after: float | None
    change: Improvement
    decimals: int
    before_bound: str = ""
    after_bound: str = ""
    before_date: str = ""
    after_date: str = ""
    samples_before: int | None = None
    samples_after: int | None = None
    interval_s: float | None = None
    source: str = ""
    evidence: tuple[str, ...] = ()
    captured: bool = False
    subject: str = ""
    database: str = ""
    host: str = ""
    entered: str = ""

    def shows(self, other: FigureRow) -> bool:
        """Whether it is that row, or shows the figures of that entered one."""
        same = (self.before, self.after) == (other.before, other.after)
        return self is other or (bool(self.entered) and self.entered == other.key and not other.captured and same)


def measurement_rows(case: SuccessCase, language: str) -> tuple[FigureRow, ...]:
    """The figures entered by hand, the canonical ones first; the n-th has the evidence key M-n."""
    ordered = sorted(case.measurements, key=lambda item: KEY_ORDER.index(item.key) if item.key in KEY_ORDER else 99)
    return tuple(_from_measurement(item, language, f"M-{number}") for number, item in enumerate(ordered, 1))


def _from_measurement(item: Measurement, language: str, evidence: str) -> FigureRow:
    label = (item.label_ko, item.label_en) if language == "ko" else (item.label_en, item.label_ko)
    change = called(
        item.before,
        item.after,
        item.direction,
        before_bound=item.before_bound,
        after_bound=item.after_bound,
        percentage=item.unit == "%",
    )
    return FigureRow(
        item.key,
        label[0] or label[1] or item.key,
        item.unit,
        item.statistic,
        item.direction,
        item.before,
        item.after,
        change,
        item.decimals,
        item.before_bound,
        item.after_bound,
        item.before_date,
        item.after_date,
        item.samples,
        item.samples,
        None,
        item.source,
        (evidence,),
        subject=SUBJECT_OF_KEY.get(item.key, ""),
    )


def cycle_rows(case: SuccessCase) -> Iterator[FigureRow]:
    """What the cycle is measured by: of each iteration the top priority, all metrics where none was made it, and what
    got worse or was paid."""
    several, zone = len(case.cycle.iterations) > 1, ZoneInfo(case.engagement.zone)
    for iteration in case.cycle.iterations:
        targets = [target for target in iteration.targets if target.now is not None and target.now.value is not None]
        tops = [target for target in targets if target.target is not None and target.target.priority == 1]
        worse = [target for target in targets if target.change.change is Change.REGRESSED and target not in tops]
        paid = [guard for guard in iteration.guards if tone_of(guard.state) is not Tone.PLAIN]
        for watched in (*(tops or targets), *(worse if tops else ()), *paid):
            yield _of_metric(watched, iteration.iteration, several, zone)


def _of_metric(watched: CaseTarget | CaseGuard, iteration: Iteration, several: bool, zone: ZoneInfo) -> FigureRow:
    metric, source = watched.metric, watched.metric.source
    baseline = watched.before if isinstance(watched, CaseGuard) else watched.target.baseline if watched.target else None
    before, after = (figure or Figure(None) for figure in (baseline, watched.now))
    return FigureRow(
        f"metric.{metric.id}",
        f"{metric.name} · {iteration.title}" if several else metric.name,
        metric.unit,
        metric.statistic,
        metric.direction,
        before.value,
        after.value,
        watched.change,
        metric.decimals,
        before.bound,
        after.bound,
        before_date=_first_day(before, zone),
        after_date=_first_day(after, zone),
        samples_before=before.samples,
        samples_after=after.samples,
        source=watched.source,
        evidence=watched.evidence if isinstance(watched, CaseTarget) else (),
        captured=not isinstance(source, ManualSource | MeasurementSource),
        host=source.host if isinstance(source, SeriesSource) else "",
        entered=source.key if isinstance(source, MeasurementSource) else "",
    )


def _first_day(figure: Figure, zone: ZoneInfo) -> str:
    """The ISO day on which the figure's measurement began; empty where nobody knows."""
    moment = None if figure.start_ns is None else datetime.fromtimestamp(figure.start_ns // 1_000_000_000, zone)
    return "" if moment is None else moment.date().isoformat()


def series_row(series: ResourceSeries, statistic: str) -> FigureRow:
    """One statistic (``mean``, ``p95``, ``max``) of a captured pair; the verdict is of the level, hence of the mean."""
    sides = (series.before, series.after)
    before, after = (_statistic(side, statistic) for side in sides)
    present = [side for side in sides if side is not None]
    counts = tuple(side.summary.n if side else None for side in sides)
    row = _captured_row(series, statistic, (before, after), counts, series.judged if statistic == "mean" else None)
    return replace(
        row,
        statistic=_name_of(series, statistic),
        interval_s=present[0].interval_s if present else None,
        evidence=tuple(dict.fromkeys(key for side in present for key in side.evidence)),
    )


def _name_of(series: ResourceSeries, statistic: str) -> str:
    """The statistic's name, with what it is of where that matters.

    The largest mean of an interval is no maximum, and means of requests weigh an idle interval like a busy one, but
    for a mean that counts the requests.
    """
    if statistic == "max":
        return "largest_mean" if series.interval_means else "largest"
    sides = [side for side in (series.before, series.after) if side is not None]
    if statistic == "mean" and all(side.summary.weighted for side in sides):
        return "transaction_mean" if series.subject == "response" else "request_mean"
    return f"{statistic}_of_means" if series.request_means else statistic


def transaction_rows(series: ResourceSeries) -> list[FigureRow]:
    """Mean and maximum over every transaction, where both sides know them."""
    before, after = series.transactions
    if before is None or after is None:
        return []
    counts = (before.n, after.n)
    rows = [
        _captured_row(series, "transaction_mean", (before.mean, after.mean), counts, series.judged),
        _captured_row(series, "transaction_max", (before.maximum, after.maximum), counts, None),
    ]
    return [replace(row, evidence=tuple(dict.fromkeys((*before.evidence, *after.evidence)))) for row in rows]


def _captured_row(
    series: ResourceSeries,
    statistic: str,
    values: tuple[float | None, float | None],
    counts: tuple[int | None, ...],
    judged: Judged | None,
) -> FigureRow:
    before, after = values
    return FigureRow(
        f"{series.subject}.{statistic}",
        series.label,
        series.unit,
        statistic,
        series.direction,
        before,
        after,
        called(before, after, series.direction, judged.row.verdict if judged else None, percentage=series.unit == "%"),
        decimals_for((before, after)),
        before_date=series.before.date if series.before else "",
        after_date=series.after.date if series.after else "",
        samples_before=counts[0],
        samples_after=counts[1],
        captured=True,
        subject=series.subject,
        host=series.host,
    )


def _statistic(side: SeriesSide | None, statistic: str) -> float | None:
    if side is None:
        return None
    summary = side.summary
    return {"mean": summary.mean, "p50": summary.p50, "p95": summary.p95, "max": summary.maximum}.get(statistic)


@record
class StatementTotals:
    """One figure of a database's statements as a whole.

    Attributes:
        row: the sums over the `pairs` statements that were measured on both sides, of `listed`.
    """

    row: FigureRow
    pairs: int
    listed: int


SQL_FIGURES: Mapping[str, str] = MappingProxyType({"response_time": "elapsed_s", "block_access": "block_gets"})
"""Figures of the summary and those of the statements that they are."""


def statement_totals(case: DatabaseCase, key: str, refused: bool = False) -> StatementTotals | None:
    """Sum of elapsed seconds (``response_time``) or block accesses (``block_access``); None where nothing has both.

    Statements without executions are added up as far as both sides list them.

    Args:
        refused: the windows may not be compared, so that no verdict counts.
    """
    figure = SQL_FIGURES[key]
    totals = case.statements.totals[figure]
    pairs, before, after = totals.statements, totals.before, totals.after
    if not pairs:
        pairs, before, after = _listed_sums(case, figure)
    if before is None or after is None:
        return None
    row = FigureRow(
        key,
        "",
        "s" if key == "response_time" else "{block}",
        "total",
        Direction.LOWER,
        before,
        after,
        called(before, after, Direction.LOWER, None if refused else totals.verdict),
        3 if key == "response_time" else 0,
        samples_before=pairs,
        samples_after=pairs,
        evidence=case.evidence,
        captured=True,
    )
    return StatementTotals(row, pairs, len(case.statements))


def _listed_sums(case: DatabaseCase, figure: str) -> tuple[int, float | None, float | None]:
    before, after = case.statements.before.total(figure), case.statements.after.total(figure)
    both = ~np.isnan(before) & ~np.isnan(after)
    if not both.any():
        return 0, None, None
    return int(both.sum()), float(before[both].sum()), float(after[both].sum())


@record
class Figures:
    """All figures of one case in one language.

    Attributes:
        measured: entered by hand.
        cycle: measured by the metrics of the cycle.
        databases: totals of the statements by figure of the summary, for each database of the case.
        sql: the rows of the SQL comparison: totals entered by hand, then those of the captured statements.
        key_figures: the rows of the summary.
    """

    measured: tuple[FigureRow, ...]
    cycle: tuple[FigureRow, ...]
    databases: tuple[Mapping[str, StatementTotals], ...]
    sql: tuple[FigureRow, ...]
    key_figures: tuple[FigureRow, ...]

    def of_subject(self, subject: str) -> tuple[FigureRow, ...]:
        return tuple(row for row in self.measured if row.subject == subject)


def figures(case: SuccessCase, language: str) -> Figures:
    measured = measurement_rows(case, language)
    databases = tuple(_totals_of(database, measured, case) for database in case.databases)
    entered = tuple(row for row in measured if row.key in SQL_KEYS)
    sql = (*entered, *(totals.row for database in databases for totals in database.values()))
    rest = tuple(row for row in measured if row.key not in SQL_KEYS)
    chosen = tuple(cycle_rows(case))
    captured = () if chosen else _captured_rows(case, {row.subject for row in rest if row.subject})
    further = (row for row in (*sql, *rest, *captured) if not any(shown.shows(row) for shown in chosen))
    return Figures(measured, chosen, databases, sql, (*chosen, *further))


def _totals_of(database: DatabaseCase, measured: Sequence[FigureRow], case: SuccessCase) -> dict[str, StatementTotals]:
    """Key of the figure -> its totals, with the database. Where a total was entered by hand too, the captured one has
    a name of its own: both are shown."""
    entered = {row.key for row in measured}
    by_figure = {}
    for key in SQL_KEYS:
        totals = statement_totals(database, key, bool(case.analysis.refused))
        if totals is not None:
            named = f"captured_{key}" if key in entered else key
            by_figure[key] = replace(totals, row=replace(totals.row, key=named, database=database.label))
    return by_figure


def _captured_rows(case: SuccessCase, spoken_for: set[str]) -> Iterator[FigureRow]:
    """The first figure of every subject that was captured on both sides and stands for its host.

    Of one host mean and maximum, where no figure was entered for the subject; of several hosts the mean of each,
    whatever was entered: a host is never left out because a figure of another one is known.
    """
    several = len(case.hosts) > 1
    for subject in sorted({series.subject for series in case.series}, key=subject_rank):
        if subject in spoken_for and not several:
            continue
        for series in shown_of(case, subject):
            own = transaction_rows(series) or [series_row(series, name) for name in ("mean", "max")]
            yield from own if series.transactions[0] or not several else own[:1]


def shown_of(case: SuccessCase, subject: str) -> list[ResourceSeries]:
    """The series of a subject that are in the summary, of each host one: the worst of several stands for no host."""
    summarised = [
        series
        for series in case.series
        if series.subject == subject
        and series.before
        and series.after
        and (series.among == 1 or all(series.transactions))
    ]
    return [series for series in summarised if series.key == summarised[0].key]
