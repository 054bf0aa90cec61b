"""What the check of a project finds in its experiments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.domain.cycle.record_json import BadRecord
from tunebench.domain.experiments.book import Record
from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.domain.experiments.rules import check_experiment, check_trial
from tunebench.store.audit.replay import Difference, differences
from tunebench.store.experiments.records import TABLES, StoredTrial, columns_of, name_of, record_from_json

if TYPE_CHECKING:
    from tunebench.store.project import Project


def damaged(experiments: list[tuple[int, str]], trials: list[StoredTrial]) -> Iterator[str]:
    """Records that cannot be read, trials without experiment or cell, rows that differ from their records."""
    by_id: dict[int, Experiment] = {}
    for id_, body in experiments:
        try:
            experiment = record_from_json("experiment", id_, body)
            assert isinstance(experiment, Experiment)
            by_id[id_] = experiment
            check_experiment(experiment)
        except (BadRecord, UserError) as error:
            yield f"experiment.{id_}: {error}"
    for row in trials:
        yield from _wrong_in(row, by_id)


def changed_outside(
    project: Project, experiments: list[tuple[int, str]], trials: list[StoredTrial]
) -> list[Difference]:
    """Experiments and trials that are not what the audit trail says was last written of them."""
    stored = [("experiment", *row) for row in experiments] + [("trial", row.id, row.body) for row in trials]
    by_reference: dict[str, Record] = {}
    for table, id_, body in stored:
        try:
            by_reference[f"{table}.{id_}"] = record_from_json(table, id_, body)
        except BadRecord:
            continue  # `damaged` reports it
    there = [f"{table}.{id_}" for table, id_, _body in stored]
    return list(differences(project, "experiment_changed", TABLES, by_reference, there))


def _wrong_in(row: StoredTrial, experiments: dict[int, Experiment]) -> Iterator[str]:
    try:
        trial = record_from_json("trial", row.id, row.body)
    except BadRecord as error:
        yield f"trial.{row.id}: {error}"
        return
    assert isinstance(trial, Trial)
    if columns_of(trial) != row[1:4]:
        yield f"{name_of(trial)}: {columns_of(trial)} != {row[1:4]}"
    experiment = experiments.get(trial.experiment_id)
    if experiment is None:
        yield f"{name_of(trial)}: experiment {trial.experiment_id}"
        return
    try:
        check_trial(experiment, trial)
    except UserError as error:
        yield f"{name_of(trial)}: {error}"
