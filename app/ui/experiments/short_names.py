"""Cells by the levels that tell them apart."""

from __future__ import annotations

from app.domain.experiments.records import Cell, Experiment


def short_names(experiment: Experiment) -> dict[Cell, str]:
    """Levels of the factors that vary; a number with the name of its factor, for it says nothing by itself."""
    cells = experiment.all_cells
    varied = [index for index in range(len(experiment.factors)) if len({cell[index] for cell in cells}) > 1]
    shown = varied or list(range(len(experiment.factors)))

    def part(cell: Cell, index: int) -> str:
        factor = experiment.factors[index]
        return f"{factor.name}={cell[index]}" if factor.is_numeric else cell[index]

    return {cell: " · ".join(part(cell, index) for index in shown) for cell in cells}
