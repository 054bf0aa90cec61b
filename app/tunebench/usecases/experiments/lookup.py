"""Experiments and trials of a book by their ids and names."""

from __future__ import annotations

from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Trial


def find(book: ExperimentBook, id_: int) -> Experiment:
    """Raises UserError experiment_unknown."""
    found = book.experiments.get(id_)
    if found is None:
        raise _unknown(book, str(id_))
    return found


def find_named(book: ExperimentBook, name: str) -> Experiment:
    """By its number or its title, the title also in part where only one fits.

    Raises:
        UserError: experiment_unknown.
    """
    wanted = name.strip().casefold()
    every = list(book.experiments.values())
    exact = [each for each in every if wanted in (str(each.id), each.title.casefold())]
    fits = exact or [each for each in every if wanted and wanted in each.title.casefold()]
    if len(fits) != 1:
        raise _unknown(book, name)
    return fits[0]


def _unknown(book: ExperimentBook, name: str) -> UserError:
    known = ", ".join(f"{each.id} {each.title}" for each in book.experiments.values())
    return UserError("experiment_unknown", name=name, known=known or "–")


def find_trial(book: ExperimentBook, trial_id: int) -> Trial:
    """Raises UserError trial_unknown."""
    found = book.trials.get(trial_id)
    if found is None:
        raise UserError("trial_unknown", id=trial_id, experiment="")
    return found
