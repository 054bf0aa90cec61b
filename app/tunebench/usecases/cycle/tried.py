"""How the trials of the experiments came about, read from the audit trail beside what they are now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.recorded import Recorded, Tried, Tries
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Trial, TrialRole, cell_text
from tunebench.store.audit.replay import Entry, entered_at, recorded_changes
from tunebench.store.experiments import records as experiments
from tunebench.store.project import Project


@record(frozen=False)
class _History:
    """What the audit trail tells of trials and experiments, by their ids."""

    made: dict[int, int] = field(default_factory=dict)
    recorded: dict[int, Recorded] = field(default_factory=dict)
    corrected: set[int] = field(default_factory=set)
    of_experiment: dict[int, int] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)


def tries_of(project: Project) -> Tries:
    """Every trial that was tried, as the trail has it; none where the records are damaged: the check names those."""
    try:
        book = experiments.read_book(project)
    except UserError:
        return Tries()
    history = _history(project)
    with_results = {history.of_experiment[id_] for id_ in history.recorded if id_ in history.of_experiment}
    removed = tuple(history.titles[id_] for id_ in sorted(with_results - {*book.experiments}) if id_ in history.titles)
    titles = {experiment.id: experiment.title for experiment in book.experiments.values()}
    return Tries(tuple(_tried(book, history)), removed, titles)


def recorded_at(project: Project, entry: Entry, heading: str) -> Recorded:
    """Where and when one of an entry's changes was entered."""
    return Recorded(*entered_at(project, entry.id, entry.time, entry.entered.get(heading)))


def _history(project: Project) -> _History:
    history = _History()
    for entry, changes in recorded_changes(project, "experiment_changed"):
        for heading, pair in changes.items():
            reference, _, name = heading.partition(" ")
            kind, _, number = reference.partition(".")
            if not number.isdecimal() or not isinstance(pair, list) or len(pair) != 2:
                continue
            id_, (old, new) = int(number), pair
            if kind == "experiment":
                if name == "title" and new:
                    history.titles[id_] = str(new)
                continue
            history.made.setdefault(id_, entry.id)
            if name == "experiment_id" and isinstance(old or new, int):
                history.of_experiment[id_] = old or new
            if name == "values" and new:
                history.recorded.setdefault(id_, recorded_at(project, entry, heading))
            if name == "values" and old:
                history.corrected.add(id_)
    return history


def _tried(book: ExperimentBook, history: _History) -> Iterator[Tried]:
    for experiment in book.experiments.values():
        trials = [trial for trial in book.trials_of(experiment.id) if trial.role is TrialRole.MEASURE]
        entries = [history.recorded[trial.id].entry for trial in trials if trial.id in history.recorded]
        first = min(entries, default=0)
        for trial in trials:
            if trial.id in history.recorded:
                yield _of(experiment, trial, history, first)


def _of(experiment: Experiment, trial: Trial, history: _History, first: float) -> Tried:
    several = len(experiment.caches) > 1
    return Tried(
        experiment.id,
        trial.cell,
        (trial.cache.value, "") if trial.cache is experiment.caches[0] else (trial.cache.value,),
        cell_text(experiment, trial.cell) + (f" · {trial.cache.value}" if several else ""),
        trial.state.value,
        tuple(value.response for value in trial.values),
        trial.artefact_id is None,
        history.recorded[trial.id],
        trial.id in history.corrected,
        history.made.get(trial.id, 0) > first,
    )
