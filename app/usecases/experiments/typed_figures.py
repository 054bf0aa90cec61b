"""Figures typed into the table of trials, or pasted into it as a block: one edit, whatever it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.errors import UserError
from app.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit
from app.domain.experiments.records import Experiment, Reading, Trial, TrialState
from app.domain.experiments.rules import check_trial
from app.usecases.experiments import facade as experiments
from app.usecases.experiments.tables import number_in_row

Typed = Mapping[int, Mapping[str, str]]
"""Trial -> response -> what was typed; an empty text takes the value away."""


def typed_values(book: ExperimentBook, experiment_id: int, typed: Typed) -> ExperimentEdit:
    """What the trials become; other values of theirs stay. A trial whose last value is taken away waits for one again.

    Raises:
        UserError: trial_unknown, experiment_table_number, and what `check_trial` raises. Nothing of a block with a
            wrong figure is taken.
    """
    experiment = experiments.find(book, experiment_id)
    changes = []
    for trial_id, texts in typed.items():
        before = experiments.find_trial(book, trial_id)
        after = _with_texts(experiment, before, texts)
        if after != before:
            check_trial(experiment, after)
            changes.append(ExperimentChange(before, after))
    return ExperimentEdit(_name_of(changes), tuple(changes))


def _with_texts(experiment: Experiment, trial: Trial, texts: Mapping[str, str]) -> Trial:
    values = {reading.response: reading.value for reading in trial.values}
    for name, text in texts.items():
        values.pop(name, None)
        response = experiment.response(name)
        if text.strip() and response is not None:
            values[name] = number_in_row(text, response, trial.place)
    ordered = tuple(Reading(each.name, values[each.name]) for each in experiment.responses if each.name in values)
    if ordered == trial.values:
        return trial
    if not ordered:
        return replace(
            trial, state=TrialState.PLANNED, values=(), reason="", decided_by="", artefact_id=None, line=None, at=""
        )
    if trial.state is TrialState.EXCLUDED:
        return replace(trial, values=ordered)
    return replace(trial, state=TrialState.DONE, values=ordered, reason="", decided_by="")


def _name_of(changes: Sequence[ExperimentChange]) -> str:
    if len(changes) != 1:
        return "record_trials"
    before = changes[0].before
    return "correct_trial" if isinstance(before, Trial) and before.is_recorded else "record_trial"


def block_texts(
    experiment: Experiment, trials: Sequence[Trial], first_row: int, first_response: int, text: str
) -> dict[int, dict[str, str]]:
    """A block of a spreadsheet (tabs between cells) laid on the trials, in their order, from a cell onwards.

    Raises:
        UserError: experiment_block_outside where it reaches past the last trial or response.
    """
    rows = [line.split("\t") for line in text.replace("\r\n", "\n").rstrip("\n").split("\n")]
    names = [response.name for response in experiment.responses][first_response:]
    below = trials[first_row:]
    if len(rows) > len(below) or max(len(row) for row in rows) > len(names):
        raise UserError(
            "experiment_block_outside",
            rows=len(rows),
            columns=max(len(row) for row in rows),
            rows_left=len(below),
            columns_left=len(names),
        )
    return {trial.id: dict(zip(names, row, strict=False)) for trial, row in zip(below, rows, strict=False)}
