"""Cells from the best to the worst; those that cannot be told apart share a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.analysis.experiments.comparisons import better_ratio
from app.analysis.experiments.samples import Samples
from app.domain.engagement import Direction
from app.domain.experiments.records import Cell


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """Cells of one place, by their medians; none of them differs significantly from the first of the group."""

    place: int
    cells: tuple[Cell, ...]


def ranking(samples: Samples, direction: Direction) -> tuple[RankedGroup, ...]:
    """Best first. Too few runs to tell anything apart make one group; a neutral response has no ranking."""
    if direction is Direction.NEUTRAL:
        return ()
    sign = -1 if direction is Direction.HIGHER else 1
    ordered = sorted(samples.measured, key=lambda cell: sign * float(np.median(samples.cells[cell].values)))
    groups, place = [], 1
    for cells in _grouped(ordered, samples, direction):
        groups.append(RankedGroup(place, tuple(cells)))
        place += len(cells)
    return tuple(groups)


def _grouped(ordered: list[Cell], samples: Samples, direction: Direction) -> Iterator[list[Cell]]:
    group: list[Cell] = []
    for cell in ordered:
        if group and _told_apart(samples, group[0], cell, direction):
            yield group
            group = []
        group.append(cell)
    if group:
        yield group


def _told_apart(samples: Samples, better: Cell, worse: Cell, direction: Direction) -> bool:
    found = better_ratio(samples.cells[better].values, samples.cells[worse].values, direction)
    return found is not None and found.interval is not None and found.interval.low > 1
