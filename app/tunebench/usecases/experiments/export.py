"""Trials and figures of an experiment as tables, for spreadsheets and for a statistician's own tools."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.core.whole_files import whole_file
from tunebench.domain.experiments.book import ExperimentBook
from tunebench.domain.experiments.records import Experiment, Trial, in_order
from tunebench.usecases.experiments import lookup
from tunebench.usecases.experiments.tables import CACHE, NOTE, PERSON, REASON, ROLE, STATE

_FORMULA = ("=", "+", "-", "@", "\t")


def export_trials(book: ExperimentBook, experiment_id: int, path: Path) -> Path:
    """Every trial in the order of the plan; `experiment_tables.take_table` reads it again.

    Raises:
        UserError: experiment_unknown, file_unwritable.
    """
    experiment = lookup.find(book, experiment_id)
    heading = [
        "trial",
        "place",
        "repetition",
        CACHE,
        ROLE,
        *(factor.name for factor in experiment.factors),
        STATE,
        *(response.name for response in experiment.responses),
        "at",
        "artefact",
        "line",
        PERSON,
        REASON,
        NOTE,
    ]
    rows = (_trial_row(experiment, trial) for trial in in_order(book.trials_of(experiment_id)))
    return _write(path, heading, rows)


def _trial_row(experiment: Experiment, trial: Trial) -> list[object]:
    values = [trial.value(response.name) for response in experiment.responses]
    return [
        trial.id,
        trial.place,
        trial.repetition,
        trial.cache,
        trial.role,
        *trial.cell,
        trial.state,
        *values,
        trial.at,
        trial.artefact_id,
        trial.line,
        trial.decided_by,
        trial.reason,
        trial.note,
    ]


def export_figures(analysis: ExperimentAnalysis, path: Path) -> Path:
    """One row for each cell, response and cache state, with its ratio to the reference, interval and verdict."""
    heading = [
        "response",
        "unit",
        CACHE,
        *(factor.name for factor in analysis.experiment.factors),
        "n",
        "median",
        "median_low",
        "median_high",
        "min",
        "max",
        "ratio_to_reference",
        "ratio_low",
        "ratio_high",
        "p_adjusted",
        "verdict",
    ]
    return _write(path, heading, (row for part in analysis.parts for row in _figure_rows(part)))


def _figure_rows(part: PartAnalysis) -> Iterator[list[object]]:
    for figures in part.cells:
        compared = part.comparison_of(figures.cell)
        interval, ratio = figures.interval, compared.interval if compared else None
        yield [
            part.response.name,
            part.response.unit,
            part.cache,
            *figures.cell,
            figures.n,
            figures.median,
            interval and interval.low,
            interval and interval.high,
            figures.minimum,
            figures.maximum,
            compared and compared.ratio,
            ratio and ratio.low,
            ratio and ratio.high,
            compared and compared.p_adjusted,
            compared.verdict if compared else "",
        ]


def _write(path: Path, heading: Sequence[str], rows: Iterator[list[object]]) -> Path:
    """Missing figures are empty; a text that a spreadsheet would compute is written behind an apostrophe."""
    with whole_file(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([_shown(name) for name in heading])
        writer.writerows([[_shown(cell) for cell in row] for row in rows])
    return path


def _shown(cell: object) -> object:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return repr(cell)
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
