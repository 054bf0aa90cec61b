"""Edits that plan experiments: a book in, an edit out; the trials follow the plan."""

from __future__ import annotations

from dataclasses import replace

from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.order import planned_trials
from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.domain.experiments.rules import check_change, check_experiment
from tunebench.usecases.experiments.lookup import find
from tunebench.usecases.experiments.text import clean_record


def add(experiment: Experiment) -> ExperimentEdit:
    """A new experiment with its trials in order.

    Raises:
        UserError: what `check_experiment` raises.
    """
    record = clean_record(replace(experiment, id=-1))
    check_experiment(record)
    records: tuple[Record, ...] = (record, *planned_trials(record))
    return ExperimentEdit("add_experiment", tuple(ExperimentChange(None, record) for record in records))


def change(book: ExperimentBook, experiment: Experiment) -> ExperimentEdit:
    """The experiment of that id becomes another; what is planned is planned anew, what is recorded stays.

    Raises:
        UserError: experiment_unknown and what `check_change` raises.
    """
    before, after = find(book, experiment.id), clean_record(experiment)
    trials = book.trials_of(experiment.id)
    check_change(after, trials)
    changes = [ExperimentChange(before, after)] if after != before else []
    return ExperimentEdit("change_experiment", (*changes, *_replanned(after, trials)))


def plan(book: ExperimentBook, experiment_id: int) -> ExperimentEdit:
    """The trials that are missing, in the order of the experiment; also those that failed or were excluded once."""
    experiment = find(book, experiment_id)
    return ExperimentEdit("plan_trials", tuple(_replanned(experiment, book.trials_of(experiment_id))))


def _replanned(experiment: Experiment, trials: tuple[Trial, ...]) -> list[ExperimentChange]:
    """Trials whose plan stays as it is keep their ids."""
    old = {replace(trial, id=0): trial for trial in trials if not trial.is_recorded}
    wanted = planned_trials(experiment, trials)
    gone = [trial for key, trial in old.items() if key not in set(wanted)]
    changes = [ExperimentChange(trial, None) for trial in gone]
    return changes + [ExperimentChange(None, trial) for trial in wanted if trial not in old]


def remove(book: ExperimentBook, experiment_id: int) -> ExperimentEdit:
    """The experiment with all its trials."""
    experiment = find(book, experiment_id)
    trials = [ExperimentChange(trial, None) for trial in reversed(book.trials_of(experiment_id))]
    return ExperimentEdit("remove_experiment", (*trials, ExperimentChange(experiment, None)))
