"""Which trials an experiment needs, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from tunebench.domain.experiments.records import CacheState, Cell, Experiment, RunOrder, Trial, TrialRole, in_order

Key = tuple[Cell, CacheState, TrialRole]


def planned_trials(experiment: Experiment, recorded: Iterable[Trial] = ()) -> tuple[Trial, ...]:
    """The trials that are missing, behind those that were recorded; what failed or was excluded is run again.

    Trials of one cache state stay together, A/A trials go first. The order of a random plan depends on the seed and on
    nothing else.
    """
    kept = [trial for trial in recorded if trial.is_recorded]
    standing = Counter(_key(trial) for trial in kept if trial.stands)
    used = Counter[Key]()
    for trial in kept:
        used[_key(trial)] = max(used[_key(trial)], trial.repetition)
    position = max((trial.place for trial in kept), default=0)
    planned: list[Trial] = []
    for cache in experiment.caches:
        for cell, role in _run_of(experiment):
            key = (cell, cache, role)
            if standing[key] > 0:
                standing[key] -= 1
                continue
            used[key] += 1
            position += 1
            planned.append(Trial(0, experiment.id, cell, used[key], position, cache, role))
    return tuple(planned)


def _key(trial: Trial) -> Key:
    return trial.cell, trial.cache, trial.role


def _run_of(experiment: Experiment) -> Iterator[tuple[Cell, TrialRole]]:
    """One cache state's trials: A, A', A, A' ..., then the cells."""
    for _pair in range(experiment.same_repetitions):
        yield experiment.reference, TrialRole.SAME_FIRST
        yield experiment.reference, TrialRole.SAME_SECOND
    for cell in _cells_in_order(experiment):
        yield cell, TrialRole.MEASURE


def _cells_in_order(experiment: Experiment) -> Iterator[Cell]:
    cells, rounds = experiment.all_cells, range(experiment.repetitions)
    if experiment.order is RunOrder.LISTED:
        yield from (cell for cell in cells for _round in rounds)
        return
    random = Random(experiment.seed)  # noqa: S311  an order, no secret
    for _round in rounds:
        yield from cells if experiment.order is RunOrder.ABAB else shuffled(cells, random)


def shuffled(cells: Sequence[Cell], random: Random) -> list[Cell]:
    """Fisher and Yates' shuffle, by `random.random` alone: the one method whose sequence Python promises to keep."""
    order = list(cells)
    for last in range(len(order) - 1, 0, -1):
        other = int(random.random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def next_trial(trials: Iterable[Trial]) -> Trial | None:
    """The first planned one in the order."""
    return next((trial for trial in in_order(trials) if not trial.is_recorded), None)


def placed_behind(trial: Trial, trials: Iterable[Trial]) -> Trial:
    """A trial that nobody planned: behind all others, with the next repetition of its cell."""
    others = list(trials)
    same = [other.repetition for other in others if _key(other) == _key(trial)]
    position = max((other.place for other in others), default=0) + 1
    return replace(trial, repetition=max(same, default=0) + 1, place=position)
