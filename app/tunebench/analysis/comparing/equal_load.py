"""Figures at equal load: what depends on the work done is divided by it, or compared where both sides had the same.

How busy something is, and what it moves, is proportional to the work: it is judged per unit of it. Response times and
queues are not: they are compared over the range of loads that both sides visited, each part of it counting alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.disk_work import RESPONSE_TIMES
from tunebench.analysis.comparing.occurrence_figures import Figure, OccurrenceFigures, Statistic
from tunebench.analysis.comparing.regular_samples import Floats
from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo

MOST_CHANGE = 0.10
"""A load that moved by no more needs nothing."""
LEAST_SHARE = 0.20
"""Of the samples of either side that lie in the range both visited."""
BINS = 5
FEWEST_IN_BIN = 5
_TAIL = 0.05
_BUSY = frozenset({"system.cpu.utilization", "system.disk.utilization", "system.network.utilization"})
_WAITING_UNITS = frozenset({"s", "ms", "us", "{request}", "{thread}", "{session}", "{packet}"})


class Depends(Enum):
    """How a figure depends on the load."""

    NOT = "not"
    IN_PROPORTION = "in_proportion"
    AS_A_CURVE = "as_a_curve"
    INVERSELY = "inversely"  # idle time and the like: neither divided nor compared


def depends(info: SeriesInfo) -> Depends:
    if info.metric in _BUSY:
        return Depends.IN_PROPORTION if info.direction is Direction.LOWER else Depends.INVERSELY
    if info.direction is Direction.HIGHER:
        return Depends.INVERSELY if info.kind is Kind.RATE else Depends.NOT
    if info.direction is Direction.NEUTRAL:
        return Depends.NOT
    if info.kind is Kind.RATE:
        return Depends.IN_PROPORTION
    waits = info.metric in RESPONSE_TIMES or info.base_unit in _WAITING_UNITS or "pressure" in info.metric
    return Depends.AS_A_CURVE if waits or "occupancy" in info.metric else Depends.NOT


@record(eq=False)
class AtLoad:
    """float64[n] each, of one occurrence: the figure, and the work per second at the same times; none missing."""

    values: Floats
    loads: Floats


@record
class PartLevel:
    """Of one side in one part of the range: mean over its occurrences that were there, the lowest and the highest."""

    mean: float
    lowest: float
    highest: float
    occurrences: int


@record
class LoadPart:
    """From `low` to `high` work per second; a side that was hardly ever there has nothing."""

    low: float
    high: float
    before: PartLevel | None
    after: PartLevel | None


@record
class LoadCurve:
    """Response against load, over the range that both sides visited.

    Attributes:
        before, after: the loads of either side without its lowest and highest twentieth.
        parts: of the common range, each counting alike, the lowest first.
        measure: what the work is told by.
    """

    before: tuple[float, float]
    after: tuple[float, float]
    parts: tuple[LoadPart, ...]
    measure: str = ""

    @property
    def common(self) -> tuple[float, float]:
        return self.parts[0].low, self.parts[-1].high


@record(eq=False)
class CommonLoad:
    """Figures of each occurrence at the common load, by its place, and the parts that they are means of."""

    before: Mapping[int, OccurrenceFigures]
    after: Mapping[int, OccurrenceFigures]
    curve: LoadCurve


def at_common_load(
    before: Mapping[int, AtLoad],
    after: Mapping[int, AtLoad],
    sizes: tuple[Mapping[int, OccurrenceFigures], Mapping[int, OccurrenceFigures]],
) -> CommonLoad | None:
    """None where less than a fifth of either side's samples lie at loads that both had.

    An occurrence that did not visit each part is set right for those it did not by what the others show of them.
    """
    sides = (before, after)
    loads = [np.concatenate([occurrence.loads for occurrence in side.values()]) for side in sides]
    ends = [tuple(np.quantile(own, (_TAIL, 1 - _TAIL)).tolist()) for own in loads]
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    inside = [own[(own >= low) & (own <= high)] for own in loads]
    if low > high or min(len(one) / len(own) for one, own in zip(inside, loads, strict=True)) < LEAST_SHARE:
        return None
    edges = np.unique(np.quantile(np.concatenate(inside), np.linspace(0, 1, BINS + 1)))
    if len(edges) < 2:
        return None
    cells = [[_cells(occurrence, edges) for occurrence in side.values()] for side in sides]
    levels = _levels(np.array([means for side in cells for means, _ in side]))
    if levels is None:
        return None
    figures = []
    rest = iter(levels)
    for side, own, size in zip(sides, cells, sizes, strict=True):
        figures.append({index: _figures(next(rest), cell, size[index]) for index, cell in zip(side, own, strict=True)})
    means = [np.array([levels for levels, _ in own]) for own in cells]
    return CommonLoad(figures[0], figures[1], LoadCurve(ends[0], ends[1], tuple(_parts(edges, means))))


def _parts(edges: Floats, means: Sequence[Floats]) -> Iterator[LoadPart]:
    """
    Args:
        means: of either side float64[occurrences, parts], NaN where an occurrence hardly ever was.
    """
    for part, (low, high) in enumerate(pairwise(edges.tolist())):
        before, after = (_part_level(own[np.isfinite(own[:, part]), part]) for own in means)
        if before or after:
            yield LoadPart(low, high, before, after)


def _part_level(means: Floats) -> PartLevel | None:
    return PartLevel(float(means.mean()), float(means.min()), float(means.max()), len(means)) if len(means) else None


Cells = tuple[NDArray[np.float64], NDArray[np.float64]]


def _cells(one: AtLoad, edges: Floats) -> Cells:
    """float64[parts] each: mean in each part of the range, NaN of too few samples; and the variance of that."""
    parts = len(edges) - 1
    means, variances = np.full(parts, np.nan), np.full(parts, np.nan)
    columns = np.clip(np.searchsorted(edges, one.loads, side="right") - 1, 0, parts - 1)
    inside = (one.loads >= edges[0]) & (one.loads <= edges[-1])
    for part in range(parts):
        own = one.values[inside & (columns == part)]
        if len(own) >= FEWEST_IN_BIN:
            means[part], variances[part] = own.mean(), own.var(ddof=1) / len(own)
    return means, variances


def _levels(table: Floats) -> list[float] | None:
    """Mean over all parts of each occurrence (rows), by the additive model row + part where cells are empty."""
    measured = np.isfinite(table)
    if not measured.any(axis=1).all() or not measured.any(axis=0).any():
        return None
    table, measured = table[:, measured.any(axis=0)], measured[:, measured.any(axis=0)]
    rows, columns = table.shape
    at_row, at_column = np.nonzero(measured)
    design = np.zeros((len(at_row) + 1, rows + columns))
    design[np.arange(len(at_row)), at_row] = 1.0
    design[np.arange(len(at_row)), rows + at_column] = 1.0
    design[-1, rows:] = 1.0  # the parts' own levels add up to nothing
    wanted = np.append(table[measured], 0.0)
    solution, _, rank, _ = np.linalg.lstsq(design, wanted, rcond=None)
    return [float(level) for level in solution[:rows]] if rank == rows + columns else None


def _figures(level: float, cells: Cells, whole: OccurrenceFigures) -> OccurrenceFigures:
    """The variance of a part's mean is that of independent samples, made larger by how dependent all of them are."""
    variances = cells[1][np.isfinite(cells[1])]
    dependent = whole.n / max(whole.size.n_eff - 1, 1.0)
    variance = float(variances.sum()) / len(variances) ** 2 * dependent
    return OccurrenceFigures(whole.n, whole.size, {Statistic.MEAN: Figure(level, variance)})
