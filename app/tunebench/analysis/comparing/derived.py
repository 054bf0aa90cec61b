"""Series that tools do not print although every reader asks for them: how busy the processors were, and how much memory
was left. Each is a sum of captured ones, so that its verdict needs no sample that theirs did not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tunebench.analysis.comparing.comparison import MARGIN, ComparedSeries, Derived, Formula, ratio_of_means
from tunebench.analysis.comparing.judging import UNMOVED, Prepared
from tunebench.analysis.comparing.occurrence_figures import Figure, OccurrenceFigures, Statistic
from tunebench.analysis.statistics import Statistics
from tunebench.core.grouping import by_key
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo

CPU, MEMORY, AVAILABLE = "system.cpu.utilization", "system.memory.usage", "system.memory.available"
BUSY = "busy"
_IDLE = "idle"
_WAITS = "iowait"
_WHOLE = {"%": 100.0, "1": 1.0}
_LEFT = ("free", "buffers", "cached")
"""What Linux gives away when somebody needs it, where the kernel does not say itself how much that is."""

Compared = tuple[ComparedSeries, Prepared]


def state_of(info: SeriesInfo) -> str:
    return {**info.implied, **info.attributes}.get("state", "")


def derived(rows: Sequence[Compared]) -> list[tuple[Derived, Prepared]]:
    """The derived series of all rows, without a verdict yet, each with what it is to be judged by."""
    return [*_busy(rows), *_available(rows)]


def _busy(rows: Sequence[Compared]) -> Iterator[tuple[Derived, Prepared]]:
    """A processor that waits for a disk has nothing to do: where a tool tells that time apart it is not busy."""
    parts = [(row, prepared) for row, prepared in rows if row.metric == CPU and state_of(row.series) in (_IDLE, _WAITS)]
    for columns in by_key((_table_of(row.series), (row, prepared)) for row, prepared in parts).values():
        by_state = {state_of(row.series): (row, prepared) for row, prepared in columns}
        whole = _WHOLE.get(columns[0][0].unit)
        if _IDLE in by_state and whole is not None:
            idle, waits = by_state[_IDLE], by_state.get(_WAITS)
            told_apart = (
                [waits] if waits is not None and _moves(waits[1]) and _matters(waits[0], idle[0], whole) else []
            )
            yield _made(Formula(whole), [idle, *told_apart], CPU, BUSY, Direction.LOWER)


def _moves(waits: Prepared) -> bool:
    """Whether it is not one and the same on both sides: that changes nothing, and would let the whole pass for it."""
    return waits.refusal is None or waits.refusal.reason != UNMOVED


def _matters(waits: ComparedSeries, idle: ComparedSeries, whole: float) -> bool:
    """Whether on a side it is as large a part of what is not idle as the least change that matters: less of it changes
    no verdict, and may be too rare to be judged."""
    means = ((_mean(own), _mean(rest)) for own, rest in zip(waits.side_statistics, idle.side_statistics, strict=True))
    return any(wait is not None and rest is not None and wait > MARGIN * (whole - rest) for wait, rest in means)


def _mean(side: Statistics | None) -> float | None:
    return None if side is None else side.mean


def _available(rows: Sequence[Compared]) -> Iterator[tuple[Derived, Prepared]]:
    reported = {
        (row.series.host, row.series.tool) for row, _ in rows if row.metric == AVAILABLE and row.measured_on_both
    }
    parts = ((row, prepared) for row, prepared in rows if row.metric == MEMORY and state_of(row.series) in _LEFT)
    for columns in by_key((_table_of(row.series), (row, prepared)) for row, prepared in parts).values():
        by_state = {state_of(row.series): (row, prepared) for row, prepared in columns}
        series = columns[0][0].series
        if set(by_state) == set(_LEFT) and (series.host, series.tool) not in reported:
            yield _made(Formula(), [by_state[state] for state in _LEFT], AVAILABLE, "", Direction.HIGHER)


def _table_of(info: SeriesInfo) -> tuple[object, ...]:
    things = {name: value for name, value in info.attributes.items() if name != "state"}
    return info.host, info.tool, info.table, info.unit, *sorted(things.items())


def _made(
    formula: Formula, parts: Sequence[Compared], metric: str, state: str, direction: Direction
) -> tuple[Derived, Prepared]:
    rows, prepared = [row for row, _ in parts], [own for _, own in parts]
    name = formula.written([row.native for row in rows])
    earlier, later = (
        tuple(_as(info, name, metric, state, direction) for info in own)
        for own in (rows[0].before_parts, rows[0].after_parts)
    )
    before = _statistics(formula, [row.before_statistics for row in rows])
    after = _statistics(formula, [row.after_statistics for row in rows])
    row = ComparedSeries(earlier, later, before, after, *ratio_of_means(before, after, direction))
    return Derived(row, formula, tuple(rows)), _prepared(formula, prepared)


def _as(info: SeriesInfo, name: str, metric: str, state: str, direction: Direction) -> SeriesInfo:
    attributes = {key: value for key, value in info.attributes.items() if key != "state"}
    implied = {"state": state} if state else {}
    return replace(info, native=name, metric=metric, direction=direction, attributes=attributes, implied=implied)


def _statistics(formula: Formula, sides: Sequence[Statistics | None]) -> Statistics | None:
    """Of several parts only the mean is known, of the remainder of one the median and both ends as well."""
    measured = [side for side in sides if side is not None]
    means = [side.mean for side in measured if side.mean is not None]
    if len(means) < len(sides):
        return None
    n, missing = min(side.n for side in measured), max(side.missing for side in measured)
    mean, only = formula.of(means), measured[0]
    if formula.whole is None or len(sides) > 1 or only.minimum is None or only.maximum is None or only.p50 is None:
        return Statistics(n, missing, mean=mean)
    ends = formula.of([only.maximum]), formula.of([only.minimum])
    return Statistics(n, missing, ends[0], mean, formula.of([only.p50]), None, ends[1])


def _prepared(formula: Formula, parts: Sequence[Prepared]) -> Prepared:
    refusal = next((part.refusal for part in parts if part.refusal is not None), None)
    if refusal is not None:
        return Prepared(refusal, shortest_s=min(part.shortest_s for part in parts))
    before, after = (
        _figures(formula, own) for own in ([part.before for part in parts], [part.after for part in parts])
    )
    means = tuple(formula.of(own) for own in zip(*(part.means for part in parts), strict=True))
    cautions = tuple(dict.fromkeys(caution for part in parts for caution in part.cautions if not caution.facts))
    return Prepared(
        None,
        before,
        after,
        _curve(formula, parts, (means[0], means[1])),
        (means[0], means[1]),
        shortest_s=min(part.shortest_s for part in parts),
        cautions=cautions,
    )


def _figures(formula: Formula, parts: Sequence[Mapping[int, OccurrenceFigures]]) -> dict[int, OccurrenceFigures]:
    """The means of the occurrences that all parts have; what wavers in several at once is taken to waver together."""
    shared = [index for index in parts[0] if all(index in part for part in parts)]
    return {index: _figure(formula, [part[index] for part in parts]) for index in shared}


def _figure(formula: Formula, parts: Sequence[OccurrenceFigures]) -> OccurrenceFigures:
    means = [part.figures[Statistic.MEAN] for part in parts]
    variances = [mean.variance for mean in means if mean.variance is not None]
    together = None if len(variances) < len(means) else sum(variance**0.5 for variance in variances) ** 2
    smallest = min(parts, key=lambda part: part.size.n_eff)
    mean = Figure(formula.of(figure.value for figure in means), together)
    return OccurrenceFigures(smallest.n, smallest.size, {Statistic.MEAN: mean})


def _curve(formula: Formula, parts: Sequence[Prepared], means: tuple[float, float]) -> float | None:
    """That of the logarithm of the remainder, by the delta method; None of a sum.

    Parts are taken to waver together; one that was 0 for hours, and has no logarithms, as the first does.
    """
    usual = parts[0].curve
    if formula.whole is None or usual is None or min(means) <= 0:
        return None
    reaches = [(usual if part.curve is None else part.curve) ** 0.5 for part in parts]
    shares = [
        sum(reach * part.means[side] for reach, part in zip(reaches, parts, strict=True)) / mean
        for side, mean in enumerate(means)
    ]
    return float(sum(share**2 for share in shares)) / 2
