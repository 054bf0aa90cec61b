"""How the effect of one factor depends on the level of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from tunebench.analysis.experiments.samples import Samples
from tunebench.core.records import record
from tunebench.domain.experiments.records import Cell, Experiment


@record
class InteractionTable:
    """Geometric means by the levels of two factors, over all levels of the others.

    Attributes:
        values: one row for each level of the first factor; None where nothing was measured.
        effect: for each level of the second factor, the largest of its column over the smallest: how much the first
            factor matters there. None with fewer than two values.
        comparable: every value is over the same levels of the other factors; where not, their effects are mixed in.
    """

    first: str
    second: str
    first_levels: tuple[str, ...]
    second_levels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    effect: tuple[float | None, ...]
    comparable: bool


def interactions(experiment: Experiment, samples: Samples) -> tuple[InteractionTable, ...]:
    """A table for each pair of factors that both have several levels; none where a value is 0."""
    if not samples.is_positive:
        return ()
    logs = {cell: float(np.mean(np.log(sample.values))) for cell, sample in samples.cells.items() if sample.n}
    varied = [index for index, factor in enumerate(experiment.factors) if len(factor.levels) > 1]
    return tuple(_table(experiment, logs, first, second) for first, second in combinations(varied, 2)) if logs else ()


def _table(experiment: Experiment, logs: Mapping[Cell, float], first: int, second: int) -> InteractionTable:
    grouped: dict[tuple[str, str], dict[Cell, float]] = {}
    for cell, value in logs.items():
        rest = tuple(level for index, level in enumerate(cell) if index not in (first, second))
        grouped.setdefault((cell[first], cell[second]), {})[rest] = value
    rows, columns = (tuple(level.name for level in experiment.factors[index].levels) for index in (first, second))
    values = tuple(tuple(_geometric_mean(grouped.get((row, column))) for column in columns) for row in rows)
    kept = {frozenset(cells) for cells in grouped.values()}
    return InteractionTable(
        experiment.factors[first].name,
        experiment.factors[second].name,
        rows,
        columns,
        values,
        tuple(_effects(values)),
        len(kept) == 1,
    )


def _geometric_mean(logs: Mapping[Cell, float] | None) -> float | None:
    return float(np.exp(np.mean(list(logs.values())))) if logs else None


def _effects(values: tuple[tuple[float | None, ...], ...]) -> Iterator[float | None]:
    for column in zip(*values, strict=True):
        present = [value for value in column if value is not None]
        yield max(present) / min(present) if len(present) > 1 else None
