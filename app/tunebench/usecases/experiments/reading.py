"""The experiments of an engagement as one book, and their analysis: pure, computed whenever it is shown."""

from __future__ import annotations

from tunebench.analysis.experiments import analysis
from tunebench.analysis.experiments.analysis import ExperimentAnalysis
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.store.experiments import records as store
from tunebench.store.project import Project
from tunebench.usecases.experiments.lookup import find


def read(project: Project) -> ExperimentBook:
    """Raises UserError experiment_record_damaged."""
    return store.read_book(project)


def analyse(book: ExperimentBook, experiment_id: int) -> ExperimentAnalysis:
    """Raises UserError experiment_unknown."""
    return analysis.analyse(find(book, experiment_id), book.trials_of(experiment_id))
