"""What the check of a project finds in its experiments."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.errors import UserError
from app.domain.experiment import Experiment, Trial
from app.domain.experiment_rules import check_experiment, check_trial
from app.store.experiments import StoredTrial, columns_of, name_of, record_from_json
from app.store.record_json import BadRecord


def damaged(experiments: list[tuple[int, str]], trials: list[StoredTrial]) -> Iterator[str]:
    """Records that cannot be read, trials of no experiment or none of its cells, rows that say otherwise than they."""
    known: dict[int, Experiment] = {}
    for id_, body in experiments:
        try:
            found = record_from_json("experiment", id_, body)
            assert isinstance(found, Experiment)
            known[id_] = found
            check_experiment(found)
        except (BadRecord, UserError) as error:
            yield f"experiment.{id_}: {error}"
    for row in trials:
        yield from _wrong_in(row, known)


def _wrong_in(row: StoredTrial, known: dict[int, Experiment]) -> Iterator[str]:
    try:
        trial = record_from_json("trial", row.id, row.body)
    except BadRecord as error:
        yield f"trial.{row.id}: {error}"
        return
    assert isinstance(trial, Trial)
    if columns_of(trial) != row[1:4]:
        yield f"{name_of(trial)}: {columns_of(trial)} != {row[1:4]}"
    experiment = known.get(trial.experiment_id)
    if experiment is None:
        yield f"{name_of(trial)}: experiment {trial.experiment_id}"
        return
    try:
        check_trial(experiment, trial)
    except UserError as error:
        yield f"{name_of(trial)}: {error}"
