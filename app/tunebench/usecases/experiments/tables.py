"""Results of an experiment out of a table, one row for each trial: a file, or what is typed and pasted into one."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit
from tunebench.domain.experiments.order import Key
from tunebench.domain.experiments.records import CacheState, Experiment, Reading, Response, Trial, TrialRole, TrialState
from tunebench.domain.experiments.rules import check_trial
from tunebench.domain.typed_numbers import typed_number
from tunebench.sdk import decode_text
from tunebench.usecases.experiments import lookup
from tunebench.usecases.experiments.lookup import find_trial
from tunebench.usecases.experiments.recording import only_cache, record_cells

MOST_ROWS = 20_000
_MOST_BYTES = 16_000_000

CACHE, ROLE, STATE, REASON, PERSON, NOTE = "cache", "role", "state", "reason", "decided_by", "note"
_BESIDE = (CACHE, ROLE, STATE, REASON, PERSON, NOTE)


def take_table(book: ExperimentBook, experiment_id: int, path: Path, *, beyond_plan: bool = False) -> ExperimentEdit:
    """Results in a file of comma, semicolon or tab separated values.

    The heading names every factor and at least one response; ``cache``, ``role``, ``state``, ``reason``,
    ``decided_by`` and ``note`` may stand beside, other columns are left alone. One row is one trial; an empty value was
    not measured, and a row without any value is a trial still to be run, unless its state says that it failed.

    Raises:
        UserError: experiment_table_unreadable, experiment_table_empty, experiment_table_column, experiment_table_row,
            experiment_table_word, experiment_table_number, and what `record_cell` raises.
            Nothing of a table with a wrong row is taken.
    """
    experiment = lookup.find(book, experiment_id)
    rows = _rows_of(path)
    columns = _columns(experiment, rows[0], path)
    grouped: dict[Key, list[Trial]] = {}
    for number, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row):
            _take_row(experiment, columns, row, number, grouped)
    if not grouped:
        raise UserError("experiment_table_empty", path=str(path))
    return record_cells(book, experiment_id, grouped, beyond_plan=beyond_plan)


def _rows_of(path: Path) -> list[list[str]]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError("experiment_table_unreadable", path=str(path), detail=f"> {_MOST_BYTES}")
        text = decode_text(path.read_bytes()).removeprefix("\ufeff")
        first = text.partition("\n")[0]
        delimiter = max("\t;,", key=first.count)
        rows = list(csv.reader(text.splitlines(), delimiter=delimiter, strict=True))
    except (OSError, csv.Error) as error:
        raise UserError("experiment_table_unreadable", path=str(path), detail=str(error)) from error
    if len(rows) < 2 or len(rows) > MOST_ROWS:
        raise UserError("experiment_table_empty", path=str(path))
    return rows


def _columns(experiment: Experiment, heading: Sequence[str], path: Path) -> dict[str, int]:
    """Name -> column of what is known."""
    names = [name.strip() for name in heading]
    factors = [factor.name for factor in experiment.factors]
    responses = [response.name for response in experiment.responses]
    missing = [name for name in factors if name not in names]
    if missing or not any(name in names for name in responses):
        wanted = ", ".join([*factors, "|".join(responses)])
        raise UserError(
            "experiment_table_column", path=str(path), missing=", ".join(missing) or "|".join(responses), wanted=wanted
        )
    return {name: names.index(name) for name in (*factors, *responses, *_BESIDE) if name in names}


def _take_row(
    experiment: Experiment, columns: dict[str, int], row: Sequence[str], number: int, grouped: dict[Key, list[Trial]]
) -> None:
    if len(row) <= max(columns.values()):
        raise UserError("experiment_table_row", row=number, columns=len(row))
    texts = {name: row[index].strip() for name, index in columns.items()}
    cell = tuple(texts[factor.name] for factor in experiment.factors)
    cache = _member(CacheState, texts.get(CACHE, ""), number) or only_cache(experiment)
    role = _member(TrialRole, texts.get(ROLE, ""), number) or TrialRole.MEASURE
    values = tuple(
        Reading(response.name, number_in_row(texts[response.name], response, number))
        for response in experiment.responses
        if texts.get(response.name)
    )
    state = _member(TrialState, texts.get(STATE, ""), number) or TrialState.DONE
    if state is TrialState.PLANNED or not (values or state is TrialState.FAILED):
        return
    trial = Trial(
        0,
        0,
        (),
        state=state,
        values=values,
        reason=texts.get(REASON, ""),
        decided_by=texts.get(PERSON, ""),
        note=texts.get(NOTE, ""),
    )
    grouped.setdefault((cell, cache, role), []).append(trial)


Member = TypeVar("Member", bound=StrEnum)


def _member(kind: type[Member], word: str, row: int) -> Member | None:
    if not word:
        return None
    for member in kind:
        if member.value == word.casefold():
            return member
    raise UserError("experiment_table_word", row=row, word=word, known=", ".join(kind))


def number_in_row(text: str, response: Response, row: int) -> float:
    """Raises UserError experiment_table_number."""
    value = typed_number(text, response.unit)
    if value is None:
        raise UserError("experiment_table_number", row=row, response=response.name, word=text.strip())
    return value


# -- typed or pasted into the table of trials ------------------------------------------------------------


def with_text(experiment: Experiment, trial: Trial, response: Response, text: str) -> Trial:
    """The trial with what was typed as its value for `response`; an empty text takes the value away.

    Raises:
        UserError: experiment_table_number.
    """
    values = {reading.response: reading for reading in trial.values if reading.response != response.name}
    if text.strip():
        values[response.name] = Reading(response.name, number_in_row(text, response, trial.place))
    ordered = (values.get(response.name) for response in experiment.responses)
    return replace(trial, values=tuple(reading for reading in ordered if reading is not None))


def typed_values(book: ExperimentBook, experiment: Experiment, trials: Sequence[Trial]) -> ExperimentEdit:
    """Takes in the values of these trials. A trial whose last value was taken away waits for one again.

    Raises:
        UserError: trial_unknown, and what `check_trial` raises. Nothing of a block with a wrong figure is taken.
    """
    changes = []
    for trial in trials:
        before = find_trial(book, trial.id)
        if trial.values != before.values:
            after = _valued(before, trial.values)
            check_trial(experiment, after)
            changes.append(ExperimentChange(before, after))
    return ExperimentEdit(_name_of(changes), tuple(changes))


def _valued(trial: Trial, values: tuple[Reading, ...]) -> Trial:
    if not values:
        return replace(
            trial, state=TrialState.PLANNED, values=(), reason="", decided_by="", artefact_id=None, line=None, at=""
        )
    if trial.state is TrialState.EXCLUDED:
        return replace(trial, values=values)
    return replace(trial, state=TrialState.DONE, values=values, reason="", decided_by="")


def _name_of(changes: Sequence[ExperimentChange]) -> str:
    if len(changes) != 1:
        return "record_trials"
    before = changes[0].before
    return "correct_trial" if isinstance(before, Trial) and before.is_recorded else "record_trial"
