"""How the trials of the experiments came about, read from the audit trail beside what they are now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tunebench.core.errors import UserError
from tunebench.domain.cycle.recorded import Recorded, Tried, Tries
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Trial, TrialRole, cell_text
from tunebench.store.audit.replay import recorded_changes
from tunebench.store.experiments import records as experiments
from tunebench.store.project import Project


@dataclass(slots=True)
class _Told:
    """By id of the trial or experiment."""

    made: dict[int, int] = field(default_factory=dict)
    recorded: dict[int, Recorded] = field(default_factory=dict)
    corrected: set[int] = field(default_factory=set)
    of_experiment: dict[int, int] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)


def tries_of(project: Project) -> Tries:
    """None of records that are damaged: the check names those."""
    try:
        book = experiments.read_book(project)
    except UserError:
        return Tries()
    told = _told(project)
    with_results = {told.of_experiment[id_] for id_ in told.recorded if id_ in told.of_experiment}
    removed = tuple(told.titles[id_] for id_ in sorted(with_results - {*book.experiments}) if id_ in told.titles)
    titles = {each.id: each.title for each in book.experiments.values()}
    return Tries(tuple(_tried(book, told)), removed, titles)


def _told(project: Project) -> _Told:
    told = _Told()
    for entry, changes in recorded_changes(project, "experiment_changed"):
        for place, pair in changes.items():
            reference, _, name = place.partition(" ")
            kind, _, number = reference.partition(".")
            if not number.isdecimal() or not isinstance(pair, list) or len(pair) != 2:
                continue
            id_, (old, new) = int(number), pair
            if kind == "experiment":
                if name == "title" and new:
                    told.titles[id_] = str(new)
                continue
            told.made.setdefault(id_, entry.id)
            if name == "experiment_id" and isinstance(old or new, int):
                told.of_experiment[id_] = old or new
            if name == "values" and new:
                told.recorded.setdefault(id_, Recorded(entry.id, entry.time))
            if name == "values" and old:
                told.corrected.add(id_)
    return told


def _tried(book: ExperimentBook, told: _Told) -> Iterator[Tried]:
    for experiment in book.experiments.values():
        trials = [each for each in book.trials_of(experiment.id) if each.role is TrialRole.MEASURE]
        entries = [told.recorded[each.id].entry for each in trials if each.id in told.recorded]
        first = min(entries, default=0)
        for each in trials:
            if each.id in told.recorded:
                yield _of(experiment, each, told, first)


def _of(experiment: Experiment, trial: Trial, told: _Told, first: int) -> Tried:
    several = len(experiment.caches) > 1
    return Tried(
        experiment.id,
        trial.cell,
        (trial.cache.value, "") if trial.cache is experiment.caches[0] else (trial.cache.value,),
        cell_text(experiment, trial.cell) + (f" · {trial.cache.value}" if several else ""),
        trial.state.value,
        tuple(each.response for each in trial.values),
        trial.artefact_id is None,
        told.recorded[trial.id],
        trial.id in told.corrected,
        told.made.get(trial.id, 0) > first,
    )
