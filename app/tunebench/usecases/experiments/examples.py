"""Worked examples: what the founding documents measured or planned, as experiments to look at and to repeat."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.paths import resources_folder
from tunebench.core.records import record
from tunebench.domain.experiments.book import ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.order import planned_trials
from tunebench.domain.experiments.records import Experiment, Trial, TrialState
from tunebench.domain.experiments.rules import check_experiment, check_trial
from tunebench.usecases.experiments.definition import Table, experiment_of, said
from tunebench.usecases.experiments.recording import readings


@record
class Example:
    """
    Attributes:
        name: by which it is asked for.
        title, summary, source: in the language asked for.
        measured: trials with values; 0 for a plan whose figures were pictures only.
    """

    name: str
    title: str
    summary: str
    source: str
    cells: int
    measured: int


def examples(language: str) -> tuple[Example, ...]:
    """All that are shipped, in the order of the documents."""
    return tuple(_example(path, language) for path in sorted(_folder().glob("*.toml")))


def _example(path: Path, language: str) -> Example:
    table = _read(path)
    experiment = experiment_of(table, path.stem, language)
    return Example(
        name_of(path),
        experiment.title,
        said(table["summary"], language),
        experiment.source,
        len(experiment.all_cells),
        len(table.get("trials", ())),
    )


def name_of(path: Path) -> str:
    """``10-fs-copy.toml`` is ``fs-copy``; the number is its place."""
    return path.stem.partition("-")[2]


def example_edit(name: str, language: str) -> ExperimentEdit:
    """The example as a new experiment with its results; repeated by planning, it keeps them as single runs.

    Raises:
        UserError: experiment_example_unknown.
    """
    paths = {name_of(path): path for path in sorted(_folder().glob("*.toml"))}
    if name not in paths:
        raise UserError("experiment_example_unknown", name=name, known=", ".join(paths))
    table = _read(paths[name])
    experiment = replace(experiment_of(table, name, language), id=-1)
    check_experiment(experiment)
    records: list[Record] = [experiment, *_trials(experiment, table, language)]
    return ExperimentEdit("add_example", tuple(ExperimentChange(None, record) for record in records))


def _folder() -> Path:
    return resources_folder() / "experiments"


def _read(path: Path) -> Table:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _trials(experiment: Experiment, table: Table, language: str) -> Iterator[Trial]:
    """The trials that were measured, each for the planned one of its cell; all others stay planned."""
    results = {tuple(trial["cell"]): trial for trial in table.get("trials", ())}
    for planned in planned_trials(experiment):
        trial, result = planned, results.get(planned.cell)
        if result is not None:
            note, values = said(result.get("note", ""), language), readings(result["values"])
            trial = replace(planned, state=TrialState.DONE, note=note, values=values)
        check_trial(experiment, trial)
        yield trial
