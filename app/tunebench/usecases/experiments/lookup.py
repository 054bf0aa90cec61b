"""Experiments and trials of a book by their ids and names."""

from __future__ import annotations

from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Trial


def find(book: ExperimentBook, id_: int) -> Experiment:
    """Raises UserError experiment_unknown."""
    match = book.experiments.get(id_)
    if match is None:
        raise _unknown(book, str(id_))
    return match


def find_named(book: ExperimentBook, name: str) -> Experiment:
    """The experiment by its number or its title, the title also in part where only one fits.

    Raises:
        UserError: experiment_unknown.
    """
    wanted = name.strip().casefold()
    every = list(book.experiments.values())
    exact = [experiment for experiment in every if wanted in (str(experiment.id), experiment.title.casefold())]
    fits = exact or [experiment for experiment in every if wanted and wanted in experiment.title.casefold()]
    if len(fits) != 1:
        raise _unknown(book, name)
    return fits[0]


def _unknown(book: ExperimentBook, name: str) -> UserError:
    titles = ", ".join(f"{experiment.id} {experiment.title}" for experiment in book.experiments.values())
    return UserError("experiment_unknown", name=name, known=titles or "–")


def find_trial(book: ExperimentBook, trial_id: int) -> Trial:
    """Raises UserError trial_unknown."""
    match = book.trials.get(trial_id)
    if match is None:
        raise UserError("trial_unknown", id=trial_id, experiment="")
    return match
