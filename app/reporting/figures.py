"""The figures of the case, computed once: tables, bars, summary and workbook all print these rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.analysis.improvement import Improvement, WorkPair, fisher_ratio, improvement
from app.domain.engagement import Direction, Measurement, Statement
from app.reporting.case import ResourceSeries, SeriesSide, StatementPair, SuccessCase
from app.reporting.wording import decimals_for

KEY_ORDER = ("response_time", "block_access", "cpu_peak", "logical_io_peak", "logical_io_mean")
SUBJECTS = ("response", "cpu", "logical_io", "physical_io", "disk", "memory", "network", "other")
SUBJECT_OF_KEY = {"cpu_peak": "cpu", "logical_io_peak": "logical_io", "logical_io_mean": "logical_io"}
SQL_KEYS = ("response_time", "block_access")


def subject_rank(subject: str) -> int:
    """Where a subject stands in the document; one that is not known comes last."""
    return SUBJECTS.index(subject) if subject in SUBJECTS else len(SUBJECTS)


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure before and after, with what is known about it.

    `label` is empty for figures that the document names itself (`key` tells which). `evidence` are the keys
    printed beside it; `samples_before` and `samples_after` are None where the source does not say.
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


def measurement_rows(case: SuccessCase, language: str) -> tuple[FigureRow, ...]:
    """The figures entered by hand, the canonical ones first; the n-th has the evidence key M-n."""
    ordered = sorted(case.measurements, key=lambda item: KEY_ORDER.index(item.key) if item.key in KEY_ORDER else 99)
    return tuple(_from_measurement(item, language, f"M-{place}") for place, item in enumerate(ordered, 1))


def _from_measurement(item: Measurement, language: str, evidence: str) -> FigureRow:
    label = (item.label_ko, item.label_en) if language == "ko" else (item.label_en, item.label_ko)
    change = improvement(
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


def series_row(series: ResourceSeries, statistic: str) -> FigureRow:
    """One statistic (``mean``, ``p95``, ``max``) of a captured pair."""
    before, after = _statistic(series.before, statistic), _statistic(series.after, statistic)
    sides = [side for side in (series.before, series.after) if side is not None]
    return FigureRow(
        f"{series.subject}.{statistic}",
        series.label,
        series.unit,
        statistic,
        series.direction,
        before,
        after,
        improvement(before, after, series.direction, percentage=series.unit == "%"),
        decimals_for((before, after)),
        before_date=series.before.date if series.before else "",
        after_date=series.after.date if series.after else "",
        samples_before=series.before.summary.n if series.before else None,
        samples_after=series.after.summary.n if series.after else None,
        interval_s=sides[0].interval_s if sides else None,
        evidence=tuple(dict.fromkeys(key for side in sides for key in side.evidence)),
        captured=True,
        subject=series.subject,
    )


def _statistic(side: SeriesSide | None, statistic: str) -> float | None:
    if side is None:
        return None
    summary = side.summary
    return {"mean": summary.mean, "p50": summary.p50, "p95": summary.p95, "max": summary.maximum}.get(statistic)


@dataclass(frozen=True, slots=True)
class StatementTotals:
    """Totals over the pairs measured on both sides (`pairs` of `listed`), and the ratio at equal executions."""

    row: FigureRow
    pairs: int
    listed: int
    fisher: float | None


def elapsed_s(statement: Statement | None) -> float | None:
    return statement.elapsed_s if statement else None


def block_gets(statement: Statement | None) -> float | None:
    gets = statement.block_gets if statement else None
    return None if gets is None else float(gets)


def statement_totals(pairs: Sequence[StatementPair], key: str) -> StatementTotals | None:
    """Sum of elapsed seconds (``response_time``) or block accesses (``block_access``); None where no pair has both."""
    measure: Callable[[Statement | None], float | None] = elapsed_s if key == "response_time" else block_gets
    both = [pair for pair in pairs if measure(pair.before) is not None and measure(pair.after) is not None]
    if not both:
        return None
    before = sum(measure(pair.before) or 0.0 for pair in both)
    after = sum(measure(pair.after) or 0.0 for pair in both)
    before, after = round(before, 9), round(after, 9)
    work = [
        WorkPair(
            _executions(pair.before), measure(pair.before) or 0.0, _executions(pair.after), measure(pair.after) or 0.0
        )
        for pair in both
    ]
    keys = [key_ for pair in both for key_ in (pair.before_evidence, pair.after_evidence) if key_]
    row = FigureRow(
        key,
        "",
        "s" if key == "response_time" else "{block}",
        "total",
        Direction.LOWER,
        before,
        after,
        improvement(before, after, Direction.LOWER),
        3 if key == "response_time" else 0,
        samples_before=len(both),
        samples_after=len(both),
        evidence=tuple(dict.fromkeys(keys)),
        captured=True,
    )
    return StatementTotals(row, len(both), len(pairs), fisher_ratio(work))


def _executions(statement: Statement | None) -> int | None:
    return statement.executions if statement else None


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one case in one language.

    Attributes:
        measured: entered by hand.
        sql_time, sql_blocks: totals of the captured statements.
        sql: the rows of the SQL comparison: totals entered by hand, then those of the captured statements.
        key_figures: the rows of the summary.
    """

    measured: tuple[FigureRow, ...]
    sql_time: StatementTotals | None
    sql_blocks: StatementTotals | None
    sql: tuple[FigureRow, ...]
    key_figures: tuple[FigureRow, ...]

    def of_subject(self, subject: str) -> tuple[FigureRow, ...]:
        return tuple(row for row in self.measured if row.subject == subject)


def figures(case: SuccessCase, language: str) -> Figures:
    measured = measurement_rows(case, language)
    time, blocks = (_named_apart(measured, statement_totals(case.statements, key)) for key in SQL_KEYS)
    entered = tuple(row for row in measured if row.key in SQL_KEYS)
    sql = (*entered, *(totals.row for totals in (time, blocks) if totals))
    rest = tuple(row for row in measured if row.key not in SQL_KEYS)
    captured = _captured_rows(case, {row.subject for row in rest if row.subject})
    return Figures(measured, time, blocks, sql, (*sql, *rest, *captured))


def _named_apart(measured: Sequence[FigureRow], totals: StatementTotals | None) -> StatementTotals | None:
    """Where a total was also entered by hand, the captured one has a name of its own: both are shown."""
    if totals is None or all(row.key != totals.row.key for row in measured):
        return totals
    return replace(totals, row=replace(totals.row, key=f"captured_{totals.row.key}"))


def _captured_rows(case: SuccessCase, spoken_for: set[str]) -> tuple[FigureRow, ...]:
    """Mean and maximum of the first captured pair of every subject that no entered figure covers; at most eight."""
    rows: list[FigureRow] = []
    seen: set[str] = set()
    for series in sorted(case.series, key=lambda item: subject_rank(item.subject)):
        if series.subject in spoken_for or series.subject in seen or not (series.before and series.after):
            continue
        seen.add(series.subject)
        rows += [series_row(series, "mean"), series_row(series, "max")]
    return tuple(rows[:8])
