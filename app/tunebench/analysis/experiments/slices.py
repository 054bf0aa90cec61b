"""A response over two factors, with the others held at levels or averaged over."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log

from tunebench.analysis.experiments.analysis import PartAnalysis
from tunebench.core.records import record
from tunebench.domain.experiments.records import Experiment


@record
class Slice:
    """
    Attributes:
        values: one row for each level of the first factor: the cell's median, or the geometric mean of the medians of
            several cells; None where nothing was measured, or a mean was asked of a value that is not positive.
        runs: likewise, how many runs stand behind a value.
        comparable: every value is over the same levels of the factors that are averaged over.
    """

    first: str
    second: str
    first_levels: tuple[str, ...]
    second_levels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    runs: tuple[tuple[int, ...], ...]
    comparable: bool


def usual_factors(experiment: Experiment) -> tuple[int | None, int | None]:
    """Indexes of the factors that tell lines apart and that run along the axis, as benchmarks are drawn: the numbers of
    most levels across, a line for each level of the first of the others. None: there is no such factor."""
    varied = [index for index, factor in enumerate(experiment.factors) if len(factor.levels) > 1]
    numeric = [index for index in varied if experiment.factors[index].is_numeric]
    across = max(numeric, key=lambda index: len(experiment.factors[index].levels), default=None)
    return next((index for index in varied if index != across), None), across


def slice_of(
    experiment: Experiment, part: PartAnalysis, first: int, second: int | None, held: Mapping[int, str]
) -> Slice:
    """
    Args:
        first, second: indexes of the two factors; None for a single one, which gives one column without a name.
        held: index of another factor -> the level it is held at; the factors not named are averaged over.
    """
    grouped: dict[tuple[str, str], list[tuple[tuple[str, ...], float, int]]] = {}
    for figures in part.cells:
        if figures.median is None or any(figures.cell[index] != level for index, level in held.items()):
            continue
        column = figures.cell[second] if second is not None else ""
        rest = tuple(name for index, name in enumerate(figures.cell) if index not in (first, second))
        grouped.setdefault((figures.cell[first], column), []).append((rest, figures.median, figures.n))
    rows = tuple(level.name for level in experiment.factors[first].levels)
    columns = tuple(level.name for level in experiment.factors[second].levels) if second is not None else ("",)
    points = [[grouped.get((row, column), []) for column in columns] for row in rows]
    kept = {frozenset(rest for rest, _value, _n in cells) for cells in grouped.values()}
    return Slice(
        experiment.factors[first].name,
        experiment.factors[second].name if second is not None else "",
        rows,
        columns,
        tuple(tuple(_mean([value for _rest, value, _n in cell]) for cell in row) for row in points),
        tuple(tuple(sum(n for _rest, _value, n in cell) for cell in row) for row in points),
        len(kept) <= 1,
    )


def _mean(values: list[float]) -> float | None:
    if len(values) < 2:
        return values[0] if values else None
    return exp(sum(log(value) for value in values) / len(values)) if min(values) > 0 else None
