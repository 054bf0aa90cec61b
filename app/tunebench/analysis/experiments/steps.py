"""What one factor comes to by itself: cells that differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.analysis.experiments.figures import CellFigures
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.experiments.records import Experiment


@record
class Step:
    """Two cells of which the second has the larger median; they differ in the level of this factor alone."""

    factor: str
    low: CellFigures
    high: CellFigures
    ratio: float


def largest_steps(experiment: Experiment, cells: Sequence[CellFigures]) -> tuple[Step, ...]:
    """For each factor the two cells that differ in it alone and most, the largest ratio of medians first; none where
    a single factor varies, which the ranking shows already."""
    varied = [index for index, factor in enumerate(experiment.factors) if len(factor.levels) > 1]
    medians = {figures.cell: figures.median for figures in cells if figures.median is not None and figures.median > 0}
    measured = [figures for figures in cells if figures.cell in medians]
    steps = []
    for index in varied if len(varied) > 1 else ():
        alike = by_key((figures.cell[:index] + figures.cell[index + 1 :], figures) for figures in measured)
        for group in alike.values():
            low, high = (choose(group, key=lambda figures: medians[figures.cell]) for choose in (min, max))
            steps.append(Step(experiment.factors[index].name, low, high, medians[high.cell] / medians[low.cell]))
    steps.sort(key=lambda step: -step.ratio)
    largest = {step.factor: step for step in reversed(steps) if step.ratio > 1}
    return tuple(sorted(largest.values(), key=lambda step: -step.ratio))
