"""A plan as it is being written: lists of cells and the reference follow when factors and levels change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Cell, Experiment, Factor, Level, Response
from tunebench.domain.typed_numbers import typed_number

STARTING_REPETITIONS = 10


def starting_plan(title: str, factor: str, levels: Sequence[str], titles: Mapping[str, str]) -> Experiment:
    """A new experiment that can be run at once: one factor of two levels, what ``time`` tells, ten repetitions."""
    responses = tuple(
        Response(name, "s", Direction.LOWER, titles.get(name, "")) for name in ("real_s", "user_s", "sys_s")
    )
    return Experiment(
        0, title, (Factor(factor, tuple(Level(name) for name in levels)),), responses, repetitions=STARTING_REPETITIONS
    )


def free_title(title: str, taken: Sequence[str]) -> str:
    """The title, with a number behind it where it is taken."""
    if title not in taken:
        return title
    return next(f"{title} {n}" for n in range(2, len(taken) + 3) if f"{title} {n}" not in taken)


def with_factors(experiment: Experiment, factors: Sequence[Factor], origins: Sequence[int | None]) -> Experiment:
    """The experiment with other factors.

    A level that only got another name keeps its place in the listed cells and in the reference; cells whose level is
    gone are left out, and a new factor joins them with its first level.

    Args:
        origins: for each factor the index it had before; None for a new one.
    """

    def moved(cell: Cell) -> Cell | None:
        names = []
        for factor, origin in zip(factors, origins, strict=True):
            name = _level_name(experiment, factor, origin, cell)
            if name is None:
                return None
            names.append(name)
        return tuple(names)

    cells = tuple(dict.fromkeys(kept for cell in experiment.cells if (kept := moved(cell)) is not None))
    baseline = moved(experiment.baseline) if experiment.baseline else None
    if cells and baseline not in cells:
        baseline = None
    return replace(experiment, factors=tuple(factors), cells=cells, baseline=baseline or ())


def with_level(experiment: Experiment, factor: str, level: str) -> Experiment:
    """A further level, such as an array of disks that was built meanwhile; measured with every level of the others.

    Raises:
        UserError: experiment_cell_unknown where there is no such factor.
    """
    wanted = experiment.factor(factor)
    if wanted is None:
        names = ", ".join(own.name for own in experiment.factors)
        raise UserError("experiment_cell_unknown", cell=f"{factor}={level}", known=names)
    if wanted.level(level.strip()) is not None:
        return experiment
    grown = replace(wanted, levels=(*wanted.levels, Level(level.strip(), typed_number(level))))
    factors = tuple(grown if own is wanted else own for own in experiment.factors)
    return replace(experiment, factors=factors)


def _level_name(experiment: Experiment, factor: Factor, origin: int | None, cell: Cell) -> str | None:
    if not factor.levels:
        return None
    if origin is None:
        return factor.levels[0].name
    name, old = cell[origin], experiment.factors[origin]
    if factor.level(name) is not None:
        return name
    index = next((i for i, level in enumerate(old.levels) if level.name == name), len(factor.levels))
    same_number = len(old.levels) == len(factor.levels)
    return factor.levels[index].name if same_number and index < len(factor.levels) else None
