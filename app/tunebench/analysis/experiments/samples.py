"""The trials of one response in one cache state, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.experiments.records import CacheState, Cell, Experiment, Trial, TrialRole, TrialState


@record
class CellSample:
    """
    Attributes:
        values: float64[n] of the trials that stand, in the order of `trial_ids`.
        excluded: float64 of those that were left out by a named person.
        failed: trials that gave no value.
    """

    values: Floats
    trial_ids: tuple[int, ...]
    places: tuple[int, ...]
    excluded: Floats
    failed: int

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def with_excluded(self) -> Floats:
        return np.concatenate([self.values, self.excluded])


@record
class Samples:
    """One response in one cache state; `cells` has every cell of the experiment, also those without a value."""

    cells: Mapping[Cell, CellSample]
    same_first: CellSample
    same_second: CellSample

    @property
    def measured(self) -> tuple[Cell, ...]:
        return tuple(cell for cell, sample in self.cells.items() if sample.n)

    @property
    def is_positive(self) -> bool:
        """Logarithms and ratios can be taken of all that stands."""
        return all(bool(np.all(sample.values > 0)) for sample in self.cells.values())


def samples_of(experiment: Experiment, trials: Iterable[Trial], response: str, cache: CacheState) -> Samples:
    grouped = by_key(((trial.cell, trial.role), trial) for trial in trials if trial.cache is cache)
    cells = {cell: _sample(grouped.get((cell, TrialRole.MEASURE), ()), response) for cell in experiment.all_cells}
    first, second = (
        _sample(grouped.get((experiment.reference, role), ()), response)
        for role in (TrialRole.SAME_FIRST, TrialRole.SAME_SECOND)
    )
    return Samples(cells, first, second)


def _sample(trials: Iterable[Trial], response: str) -> CellSample:
    standing: list[tuple[float, Trial]] = []
    excluded: list[float] = []
    failed = 0
    for trial in trials:
        value = trial.value(response)
        failed += trial.state is TrialState.FAILED
        if value is not None and trial.stands:
            standing.append((value, trial))
        elif value is not None and trial.state is TrialState.EXCLUDED:
            excluded.append(value)
    return CellSample(
        np.array([value for value, _trial in standing]),
        tuple(trial.id for _value, trial in standing),
        tuple(trial.place for _value, trial in standing),
        np.array(excluded),
        failed,
    )
