"""What a cell's repetitions come to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunebench.analysis.experiments.samples import CellSample, Samples
from tunebench.analysis.inference.order_statistics import median_interval
from tunebench.analysis.inference.outliers import find_outliers
from tunebench.analysis.inference.verdict import Interval
from tunebench.core.records import record
from tunebench.domain.experiments.records import Cell, Experiment, Trial

_FEWEST_FOR_OUTLIERS = 5


@record
class CellFigures:
    """
    Attributes:
        interval: of the median, between order statistics; None with fewer than 6 runs.
        spread: largest / smallest - 1; None with fewer than 2 runs or where a value is not positive.
        outliers: ids of the trials that lie apart: shown, and counted all the same.
        excluded: runs left out; `median_with_excluded` is what it would be with them.
    """

    cell: Cell
    n: int
    median: float | None
    interval: Interval | None
    minimum: float | None
    maximum: float | None
    spread: float | None
    outliers: tuple[int, ...]
    excluded: int
    failed: int
    median_with_excluded: float | None


def all_figures(samples: Samples) -> tuple[CellFigures, ...]:
    return tuple(cell_figures(cell, sample) for cell, sample in samples.cells.items())


def cell_figures(cell: Cell, sample: CellSample) -> CellFigures:
    values, n = sample.values, sample.n
    lowest, highest = (float(values.min()), float(values.max())) if n else (None, None)
    whole = sample.with_excluded
    return CellFigures(
        cell,
        n,
        median=float(np.median(values)) if n else None,
        interval=median_interval(values).interval if n else None,
        minimum=lowest,
        maximum=highest,
        spread=highest / lowest - 1 if n > 1 and lowest and highest and lowest > 0 else None,
        outliers=_outliers(sample),
        excluded=len(sample.excluded),
        failed=sample.failed,
        median_with_excluded=float(np.median(whole)) if len(sample.excluded) else None,
    )


def _outliers(sample: CellSample) -> tuple[int, ...]:
    if sample.n < _FEWEST_FOR_OUTLIERS:
        return ()
    return tuple(sample.trial_ids[index] for index in np.flatnonzero(find_outliers(sample.values).flagged))


# -- waiting -------------------------------------------------------------------------------------------

TIMES = ("real_s", "user_s", "sys_s")


@record
class Waiting:
    """Medians of the times that ``time`` prints, in seconds, of the trials that have all three.

    Attributes:
        wait_s: median of real - user - sys: neither computing nor in the kernel; None where the command used several
            processors at once, so that the difference is none.
        share: of `wait_s` in real.
        sys_ratio: sys to the reference's: what the change costs in the kernel; None where that is not known or 0.
    """

    cell: Cell
    n: int
    real_s: float
    user_s: float
    sys_s: float
    wait_s: float | None
    share: float | None
    sys_ratio: float | None = None


def waiting_of(experiment: Experiment, standing: Mapping[Cell, list[Trial]]) -> tuple[Waiting, ...]:
    """Waiting in the cells whose trials measured real, user and sys; `standing` is of one cache state."""
    if any(experiment.response(name) is None for name in TIMES):
        return ()
    rows = [row for cell in experiment.all_cells if (row := _waiting(cell, standing.get(cell, [])))]
    base = next((row.sys_s for row in rows if row.cell == experiment.reference), 0.0)
    return tuple(_with_price(row, base) for row in rows)


def _waiting(cell: Cell, trials: list[Trial]) -> Waiting | None:
    rows = [[trial.value(name) for name in TIMES] for trial in trials]
    times = np.array([row for row in rows if None not in row], dtype=np.float64)
    if not len(times):
        return None
    real, user, system = (float(value) for value in np.median(times, axis=0))
    waits = times[:, 0] - times[:, 1] - times[:, 2]
    parallel = bool(np.any(waits < -0.01 * times[:, 0]))
    wait = None if parallel else max(float(np.median(waits)), 0.0)
    share = wait / real if wait is not None and real > 0 else None
    return Waiting(cell, len(times), real, user, system, wait, share)


def _with_price(row: Waiting, base: float) -> Waiting:
    price = row.sys_s / base if base > 0 else None
    return Waiting(row.cell, row.n, row.real_s, row.user_s, row.sys_s, row.wait_s, row.share, price)
