"""Cells from the best to the worst; those that cannot be told apart share a place."""

from __future__ import annotations

from math import comb

from tunebench.analysis.experiments.comparisons import is_better, mean_of
from tunebench.analysis.experiments.samples import Samples
from tunebench.analysis.inference.occurrences import CONFIDENCE, Prior
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Cell, Response


@record
class RankedGroup:
    """Cells of one place, by their means; the first of the group is not sure to be better than any of them."""

    place: int
    cells: tuple[Cell, ...]


def ranking(samples: Samples, response: Response, margin: float, prior: Prior) -> tuple[RankedGroup, ...]:
    """Best first. Too few runs to tell anything apart make one group; a neutral response has no ranking.

    Which two are compared follows from how they came out: so all pairs count (Bonferroni).
    """
    if response.direction is Direction.NEUTRAL:
        return ()
    means = {cell: mean_of(samples, cell) for cell in samples.measured}
    ordered = sorted(means, key=lambda cell: means[cell], reverse=response.direction is Direction.HIGHER)
    confidence = 1 - (1 - CONFIDENCE) / max(comb(len(ordered), 2), 1)
    groups: list[list[Cell]] = []
    for cell in ordered:
        if groups and not is_better(samples, (cell, groups[-1][0]), response, margin, prior, confidence):
            groups[-1].append(cell)
        else:
            groups.append([cell])
    return tuple(RankedGroup(1 + sum(map(len, groups[:number])), tuple(cells)) for number, cells in enumerate(groups))
