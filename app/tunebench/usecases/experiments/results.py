"""Results of benchmarks for experiments, out of captures that were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime

import numpy as np

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.records import CacheState, Cell, Experiment, Reading, Trial, TrialRole, TrialState
from tunebench.domain.windows import Window
from tunebench.store import queries
from tunebench.store.artefacts import find_artefact
from tunebench.store.project import Project
from tunebench.usecases.comparing.stretches import pieces_of
from tunebench.usecases.experiments import lookup
from tunebench.usecases.experiments.recording import record_cell

_NS_PER_S = 1_000_000_000


@record
class BenchmarkResult:
    """What a benchmark printed: one result, with the line it stands on.

    Attributes:
        tool, table: as the reader of the capture names them.
        attributes: of what was measured (device, process ...).
        line: of the capture, from 1.
        time_ns: UTC.
        metrics: native heading -> (value, unit); what was not printed is not there.
    """

    artefact_id: int
    tool: str
    table: str
    attributes: tuple[tuple[str, str], ...]
    line: int
    time_ns: int
    metrics: Mapping[str, tuple[float, str]] = field(hash=False)


def results_of_capture(project: Project, artefact_id: int) -> tuple[BenchmarkResult, ...]:
    """Each row of each table of a capture as one result, in the order of the capture.

    Raises:
        UserError: artefact_missing.
    """
    find_artefact(project, artefact_id)
    rows: dict[tuple[str, str, tuple[tuple[str, str], ...], int], dict[str, tuple[float, str]]] = {}
    times: dict[int, int] = {}
    for info in queries.list_series(project, artefact_id=artefact_id):
        data = queries.read_series(project, info.id)
        attributes = tuple(sorted(info.attributes.items()))
        for index in np.flatnonzero(~np.isnan(data.values) & ~data.since_boot):
            line = int(data.line_numbers[index])
            times.setdefault(line, int(data.times_ns[index]))
            row = rows.setdefault((info.tool, info.table, attributes, line), {})
            row[info.native] = (float(data.values[index]), info.unit)
    ordered = sorted(rows.items(), key=lambda item: item[0][3])
    return tuple(
        BenchmarkResult(artefact_id, tool, table, attributes, line, times[line], metrics)
        for (tool, table, attributes, line), metrics in ordered
    )


def trials_of_results(experiment: Experiment, results: Iterable[BenchmarkResult]) -> list[Trial]:
    """The results that measured something the experiment asks for; a command that ended in an error is a failed trial.

    Raises:
        UserError: experiment_nothing_measured where none did; experiment_units_differ.
    """
    return _measured(experiment, [trial for result in results if (trial := _trial_of(experiment, result)) is not None])


def _measured(experiment: Experiment, trials: list[Trial]) -> list[Trial]:
    if not trials:
        names = ", ".join(response.name for response in experiment.responses)
        raise UserError("experiment_nothing_measured", known=names)
    return trials


_EXIT_STATUS = "exit_status"


def _trial_of(experiment: Experiment, result: BenchmarkResult) -> Trial | None:
    names = {name.casefold(): name for name in result.metrics}
    values = []
    for response in experiment.responses:
        native = response.name if response.name in result.metrics else names.get(response.name.casefold())
        if native is None:
            continue
        value, unit = result.metrics[native]
        if unit and response.unit and unit != response.unit:
            raise UserError("experiment_units_differ", response=response.name, unit=response.unit, found=unit)
        values.append(Reading(response.name, value))
    if not values:
        return None
    at = datetime.fromtimestamp(result.time_ns // _NS_PER_S, tz=UTC).isoformat(timespec="seconds")
    status = result.metrics.get(_EXIT_STATUS, (0.0, ""))[0]
    failed = status != 0
    return Trial(
        0,
        0,
        (),
        state=TrialState.FAILED if failed else TrialState.DONE,
        values=() if failed else tuple(values),
        reason=f"{_EXIT_STATUS} {status:g}" if failed else "",
        artefact_id=result.artefact_id,
        line=result.line,
        at=at,
    )


def _is_in(window: Window | None, run_id: int, result: BenchmarkResult) -> bool:
    return window is None or any(
        piece.run_id in (None, run_id) and piece.start_ns <= result.time_ns <= piece.end_ns
        for piece in pieces_of(window)
    )


def take_captures(
    project: Project,
    book: ExperimentBook,
    experiment_id: int,
    artefact_ids: Sequence[int],
    cell: Cell,
    *,
    cache: CacheState | None = None,
    role: TrialRole = TrialRole.MEASURE,
    beyond_plan: bool = False,
    window: Window | None = None,
) -> ExperimentEdit:
    """The results of captures for one cell, in the order of the captures, each with its line as evidence.

    Args:
        window: only what was measured in it counts, so that captures with nothing inside are passed over where others
            have something; None for all of the captures.

    Raises:
        UserError: experiment_capture_taken where a capture is evidence of this experiment already; and what
            `results_of_capture`, `trials_of_results` and `record_cell` raise.
    """
    experiment = lookup.find(book, experiment_id)
    taken = {trial.artefact_id for trial in book.trials_of(experiment_id)}
    results: list[Trial] = []
    for artefact_id in dict.fromkeys(artefact_ids):
        artefact = find_artefact(project, artefact_id)
        if artefact_id in taken:
            raise UserError("experiment_capture_taken", capture=artefact.name)
        in_capture = results_of_capture(project, artefact_id)
        lines = {result.line for result in in_capture if _is_in(window, artefact.run_id, result)}
        results += [trial for trial in trials_of_results(experiment, in_capture) if trial.line in lines]
    inside = _measured(experiment, results)
    return record_cell(book, experiment_id, cell, inside, cache=cache, role=role, beyond_plan=beyond_plan)
