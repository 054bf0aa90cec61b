"""Edits that say what trials gave: recorded, corrected, failed, left out; a book in, an edit out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit
from tunebench.domain.experiments.order import Key, placed_behind
from tunebench.domain.experiments.records import (
    CacheState,
    Cell,
    Experiment,
    Reading,
    Trial,
    TrialRole,
    TrialState,
    cell_text,
)
from tunebench.domain.experiments.rules import check_cell, check_trial
from tunebench.store.experiments import records as store
from tunebench.usecases.experiments.lookup import find, find_trial
from tunebench.usecases.experiments.text import clean_record


def record(book: ExperimentBook, trial_id: int, values: Mapping[str, float], **facts: Any) -> ExperimentEdit:
    """What a planned trial measured.

    Args:
        values: response -> value in its unit; what was not measured is not there.
        facts: further fields of the trial (artefact_id, line, load_run_id, at, note).

    Raises:
        UserError: trial_unknown; trial_recorded where it has a result; what `check_trial` raises.
    """
    trial = find_trial(book, trial_id)
    if trial.is_recorded:
        raise UserError("trial_recorded", trial=store.name_of(trial))
    return _changed(book, trial, "record_trial", state=TrialState.DONE, values=readings(values), **facts)


def correct(book: ExperimentBook, trial_id: int, values: Mapping[str, float], **facts: Any) -> ExperimentEdit:
    """Other values for a trial that has some: what stood there before is in the audit trail."""
    trial = _recorded(book, trial_id)
    state = TrialState.DONE if trial.state is TrialState.FAILED else trial.state
    return _changed(book, trial, "correct_trial", state=state, values=readings(values), **facts)


def readings(values: Mapping[str, float]) -> tuple[Reading, ...]:
    return tuple(Reading(name, float(value)) for name, value in values.items())


def fail(book: ExperimentBook, trial_id: int, reason: str, by: str = "") -> ExperimentEdit:
    """A trial that gave no value, and why."""
    trial = find_trial(book, trial_id)
    return _changed(book, trial, "fail_trial", state=TrialState.FAILED, values=(), reason=reason, decided_by=by)


def exclude(book: ExperimentBook, trial_id: int, reason: str, by: str) -> ExperimentEdit:
    """Leaves a result out of the analysis; its values stay, and the figures with it are shown beside.

    Raises:
        UserError: trial_reason_missing, trial_person_missing, trial_not_recorded.
    """
    trial = _recorded(book, trial_id)
    if trial.state is TrialState.FAILED:
        raise UserError("trial_not_recorded", trial=store.name_of(trial))
    return _changed(book, trial, "exclude_trial", state=TrialState.EXCLUDED, reason=reason, decided_by=by)


def restore(book: ExperimentBook, trial_id: int) -> ExperimentEdit:
    """An excluded result counts again; a failed trial waits for its result again."""
    trial = _recorded(book, trial_id)
    state = TrialState.DONE if trial.values else TrialState.PLANNED
    return _changed(book, trial, "restore_trial", state=state, reason="", decided_by="")


def _recorded(book: ExperimentBook, trial_id: int) -> Trial:
    trial = find_trial(book, trial_id)
    if not trial.is_recorded:
        raise UserError("trial_not_recorded", trial=store.name_of(trial))
    return trial


def _changed(book: ExperimentBook, trial: Trial, name: str, **facts: Any) -> ExperimentEdit:
    after = clean_record(replace(trial, **facts))
    check_trial(find(book, trial.experiment_id), after)
    return ExperimentEdit(name, (ExperimentChange(trial, after),) if after != trial else ())


def record_cell(
    book: ExperimentBook,
    experiment_id: int,
    cell: Cell,
    results: Sequence[Trial],
    *,
    cache: CacheState | None = None,
    role: TrialRole = TrialRole.MEASURE,
    beyond_plan: bool = False,
) -> ExperimentEdit:
    """Results of one cell; `cache` may be None where the experiment plans one state only. See `record_cells`."""
    experiment = find(book, experiment_id)
    cache = cache if cache is not None else only_cache(experiment)
    return record_cells(book, experiment_id, {(cell, cache, role): results}, beyond_plan=beyond_plan)


def record_cells(
    book: ExperimentBook, experiment_id: int, results: Mapping[Key, Sequence[Trial]], *, beyond_plan: bool = False
) -> ExperimentEdit:
    """Results of several cells, for the planned trials of each in their order.

    Args:
        results: trials of which the values and what belongs to them are taken (state, evidence, moment, note).
        beyond_plan: results for which no trial is planned become further ones.

    Raises:
        UserError: trial_cache_unplanned, trial_none_planned, and what `check_cell` and `check_trial` raise.
    """
    experiment = find(book, experiment_id)
    trials = list(book.trials_of(experiment_id))
    changes: list[ExperimentChange] = []
    for (cell, cache, role), own in results.items():
        check_cell(experiment, cell)
        if cache not in experiment.caches:
            raise UserError("trial_cache_unplanned", cache=cache.value, known=", ".join(experiment.caches))
        waiting = iter(
            [
                trial
                for trial in trials
                if not trial.is_recorded and (trial.cell, trial.cache, trial.role) == (cell, cache, role)
            ]
        )
        for result in own:
            before = next(waiting, None)
            if before is None and not beyond_plan:
                raise UserError("trial_none_planned", cell=cell_text(experiment, cell))
            planned = before or placed_behind(Trial(0, experiment_id, cell, cache=cache, role=role), trials)
            after = clean_record(_in_place_of(planned, result))
            check_trial(experiment, after)
            changes.append(ExperimentChange(before, after))
            trials += [] if before else [after]
    return ExperimentEdit("record_trials", tuple(changes))


def _in_place_of(planned: Trial, result: Trial) -> Trial:
    return replace(
        result,
        id=planned.id,
        experiment_id=planned.experiment_id,
        cell=planned.cell,
        repetition=planned.repetition,
        place=planned.place,
        cache=planned.cache,
        role=planned.role,
    )


def only_cache(experiment: Experiment) -> CacheState:
    """Raises UserError trial_cache_wanted where the experiment plans several states."""
    if len(experiment.caches) > 1:
        raise UserError("trial_cache_wanted", known=", ".join(experiment.caches))
    return experiment.caches[0]
