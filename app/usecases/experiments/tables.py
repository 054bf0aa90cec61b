"""Results of an experiment out of a table: one row for each trial."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from app.core.errors import UserError
from app.domain.experiments.book import ExperimentBook, ExperimentEdit
from app.domain.experiments.order import Key
from app.domain.experiments.records import CacheState, Experiment, Reading, Response, Trial, TrialRole, TrialState
from app.domain.typed_numbers import typed_number
from app.sdk import decode_text
from app.usecases.experiments import facade as experiments

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
    experiment = experiments.find(book, experiment_id)
    rows = _rows_of(path)
    columns = _columns(experiment, rows[0], path)
    grouped: dict[Key, list[Trial]] = {}
    for number, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row):
            _take_row(experiment, columns, row, number, grouped)
    if not grouped:
        raise UserError("experiment_table_empty", path=str(path))
    return experiments.record_cells(book, experiment_id, grouped, beyond_plan=beyond_plan)


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
    said = {name: row[index].strip() for name, index in columns.items()}
    cell = tuple(said[factor.name] for factor in experiment.factors)
    cache = _member(CacheState, said.get(CACHE, ""), number) or experiments.only_cache(experiment)
    role = _member(TrialRole, said.get(ROLE, ""), number) or TrialRole.MEASURE
    values = tuple(
        Reading(response.name, number_in_row(said[response.name], response, number))
        for response in experiment.responses
        if said.get(response.name)
    )
    state = _member(TrialState, said.get(STATE, ""), number) or TrialState.DONE
    if state is TrialState.PLANNED or not (values or state is TrialState.FAILED):
        return
    trial = Trial(
        0,
        0,
        (),
        state=state,
        values=values,
        reason=said.get(REASON, ""),
        decided_by=said.get(PERSON, ""),
        note=said.get(NOTE, ""),
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
