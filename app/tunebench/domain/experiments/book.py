"""All experiments of a project with their trials, and what may be done to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.experiments.records import Experiment, Trial, in_order

Record = Experiment | Trial


@record
class ExperimentChange:
    """One record before and after; None before: added, None after: removed.

    A record to be added has id 0, or the id it had when it was removed; a new experiment whose trials are added by the
    same edit has a negative id, which they name.
    """

    before: Record | None
    after: Record | None


@record
class ExperimentEdit:
    """What happens together, is undone together, and has one name (a key below ``experiment.edit.``)."""

    name: str
    changes: tuple[ExperimentChange, ...]

    @property
    def inverse(self) -> ExperimentEdit:
        turned = tuple(ExperimentChange(change.after, change.before) for change in reversed(self.changes))
        return ExperimentEdit(self.name, turned)


@dataclass(frozen=True)
class ExperimentBook:
    """Experiments by id in the order they were made; trials by id."""

    experiments: Mapping[int, Experiment] = field(default_factory=dict)
    trials: Mapping[int, Trial] = field(default_factory=dict)

    @classmethod
    def of(cls, experiments: Iterable[Experiment], trials: Iterable[Trial]) -> ExperimentBook:
        return cls(
            {experiment.id: experiment for experiment in sorted(experiments, key=lambda experiment: experiment.id)},
            {trial.id: trial for trial in in_order(trials)},
        )

    @cached_property
    def _by_experiment(self) -> Mapping[int, tuple[Trial, ...]]:
        by_experiment = by_key((trial.experiment_id, trial) for trial in self.trials.values())
        return {id_: tuple(trials) for id_, trials in by_experiment.items()}

    def trials_of(self, experiment_id: int) -> tuple[Trial, ...]:
        """The experiment's trials in the order they are run."""
        return self._by_experiment.get(experiment_id, ())
