"""Experiments: the door for window and command line.

`read` gives all of them as one book. The builders turn a book into an edit, `apply` does it, and what it gives back is
what `undo` and `redo` take. `analyse` is pure and computed whenever it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from app.analysis.experiments.analysis import ExperimentAnalysis
from app.analysis.experiments.analysis import analyse as analyse_trials
from app.core.errors import UserError
from app.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit, Record
from app.domain.experiments.order import Key, placed_behind, planned_trials
from app.domain.experiments.records import (
    CacheState,
    Cell,
    Experiment,
    Reading,
    Trial,
    TrialRole,
    TrialState,
    cell_text,
)
from app.domain.experiments.rules import check_cell, check_change, check_experiment, check_trial
from app.domain.schema import RecordField
from app.store.experiments import records as store
from app.store.locking import current_user
from app.store.project import Project
from app.usecases.cycle.text import LONGEST_TEXT, clean

T = TypeVar("T")


def read(project: Project) -> ExperimentBook:
    """Raises UserError experiment_record_damaged."""
    return store.read_book(project)


def apply(project: Project, edit: ExperimentEdit, who: str = "") -> ExperimentEdit:
    """
    Args:
        who: the person; the one who is logged in where none is named.

    Raises:
        UserError: project_read_only, experiment_changed_meanwhile, experiment_dangling.
    """
    return store.apply(project, edit, who or current_user())


def undo(project: Project, done: ExperimentEdit, who: str = "") -> ExperimentEdit:
    return store.apply(project, done.inverse, who or current_user())


def redo(project: Project, done: ExperimentEdit, who: str = "") -> ExperimentEdit:
    return store.apply(project, done, who or current_user())


def analyse(book: ExperimentBook, experiment_id: int) -> ExperimentAnalysis:
    """Raises UserError experiment_unknown."""
    return analyse_trials(find(book, experiment_id), book.trials_of(experiment_id))


# -- finding -------------------------------------------------------------------------------------------


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


# -- planning ------------------------------------------------------------------------------------------


def add(experiment: Experiment) -> ExperimentEdit:
    """A new experiment with its trials in order.

    Raises:
        UserError: what `check_experiment` raises.
    """
    made = _clean(replace(experiment, id=-1))
    check_experiment(made)
    records: tuple[Record, ...] = (made, *planned_trials(made))
    return ExperimentEdit("add_experiment", tuple(ExperimentChange(None, each) for each in records))


def change(book: ExperimentBook, experiment: Experiment) -> ExperimentEdit:
    """The experiment of that id becomes another; what is planned is planned anew, what is recorded stays.

    Raises:
        UserError: experiment_unknown and what `check_change` raises.
    """
    before, after = find(book, experiment.id), _clean(experiment)
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


# -- results -------------------------------------------------------------------------------------------


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
    after = _clean(replace(trial, **facts))
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
                each
                for each in trials
                if not each.is_recorded and (each.cell, each.cache, each.role) == (cell, cache, role)
            ]
        )
        for result in own:
            before = next(waiting, None)
            if before is None and not beyond_plan:
                raise UserError("trial_none_planned", cell=cell_text(experiment, cell))
            place = before or placed_behind(Trial(0, experiment_id, cell, cache=cache, role=role), trials)
            after = _clean(_in_place_of(place, result))
            check_trial(experiment, after)
            changes.append(ExperimentChange(before, after))
            trials += [] if before else [after]
    return ExperimentEdit("record_trials", tuple(changes))


def _in_place_of(place: Trial, result: Trial) -> Trial:
    return replace(
        result,
        id=place.id,
        experiment_id=place.experiment_id,
        cell=place.cell,
        repetition=place.repetition,
        place=place.place,
        cache=place.cache,
        role=place.role,
    )


def only_cache(experiment: Experiment) -> CacheState:
    """Raises UserError trial_cache_wanted where the experiment plans several states."""
    if len(experiment.caches) > 1:
        raise UserError("trial_cache_wanted", known=", ".join(experiment.caches))
    return experiment.caches[0]


# -- text ----------------------------------------------------------------------------------------------


def _clean(value: T) -> T:
    """Every text composed and freed of what cannot be seen; names of levels inside too.

    Raises:
        UserError: experiment_text_too_long.
    """
    return clean(value, _bounded)


def _bounded(field: RecordField, text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise UserError("experiment_text_too_long", field=field.name, limit=LONGEST_TEXT)
    return text
