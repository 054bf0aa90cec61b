"""What a reader of the figures must know: each a key below ``experiment.caution.`` with facts for its sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from math import erfc, sqrt

import numpy as np

from tunebench.analysis.experiments.comparisons import ASSUMED, CellComparison, NoiseFloor
from tunebench.analysis.experiments.figures import TIMES, CellFigures
from tunebench.analysis.experiments.samples import Samples
from tunebench.analysis.inference.rank_tests import mid_ranks
from tunebench.core.records import record
from tunebench.domain.experiments.records import CacheState, Experiment, RunOrder, Trial, TrialState, unmeasured

_FEWEST_FOR_DRIFT = 10
_DRIFT_P = 0.01
_FLUSHING = ("sync", "direct", "fsync")
"""Words of a command that waits until its data are on the disk."""


@record
class Caution:
    key: str
    facts: dict[str, object] = field(default_factory=dict, hash=False)


def of_experiment(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """Cautions on how the experiment was planned and run."""
    recorded = [trial for trial in trials if trial.is_recorded]
    waiting = len(trials) - len(recorded)
    if experiment.source and recorded:
        yield Caution("published", {"source": experiment.source})
    if waiting:
        yield Caution("unfinished", {"waiting": waiting, "total": len(trials)})
    if experiment.cells and len(experiment.cells) < experiment.combinations:
        yield Caution("incomplete", {"cells": len(experiment.cells), "combinations": experiment.combinations})
    if not recorded:
        return
    if experiment.order is RunOrder.LISTED and experiment.repetitions > 1:
        yield Caution("order_listed")
    if any(trial.cache is CacheState.UNKNOWN for trial in recorded):
        yield Caution("cache_unknown")
    if all(trial.load_run_id is None for trial in recorded):
        yield Caution("load_unrecorded")
    if _may_end_in_the_cache(experiment):
        yield Caution("sync_missing")
    yield from _left_out(recorded)
    yield from _unmeasured(experiment, [trial for trial in recorded if trial.stands])


def _may_end_in_the_cache(experiment: Experiment) -> bool:
    timed = any(response.name == TIMES[0] for response in experiment.responses)
    return timed and bool(experiment.command) and not any(word in experiment.command for word in _FLUSHING)


def _left_out(recorded: Sequence[Trial]) -> Iterator[Caution]:
    excluded = [trial for trial in recorded if trial.state is TrialState.EXCLUDED]
    failed = [trial for trial in recorded if trial.state is TrialState.FAILED]
    if excluded:
        people = ", ".join(sorted({trial.decided_by for trial in excluded}))
        yield Caution("excluded", {"count": len(excluded), "people": people})
    if failed:
        yield Caution("failed", {"count": len(failed)})


def _unmeasured(experiment: Experiment, standing: Sequence[Trial]) -> Iterator[Caution]:
    missing = Counter(name for trial in standing for name in unmeasured(experiment, trial))
    for name, count in missing.items():
        yield Caution("unmeasured", {"response": name, "count": count, "total": len(standing)})


def of_part(
    experiment: Experiment,
    figures: Sequence[CellFigures],
    comparisons: Sequence[CellComparison],
    noise: NoiseFloor,
    samples: Samples,
) -> Iterator[Caution]:
    """Cautions on one response in one cache state."""
    if comparisons and max(cell.n for cell in figures) == 1:
        assumed = Caution("single_runs", {"sd_pct": f"{100 * ASSUMED.sd:g}"})
        yield Caution("single_published") if experiment.source else assumed
    if noise.floor is None:
        yield Caution("noise_unmeasured", {"margin_pct": f"{100 * noise.margin:g}"})
    outliers = sum(len(cell.outliers) for cell in figures)
    if outliers:
        yield Caution("outliers", {"count": outliers})
    if not samples.is_positive:
        yield Caution("zero_values")
    combined = sum(1 for comparison in comparisons if len(comparison.differs) > 1)
    if combined:
        yield Caution("combined", {"count": combined})
    yield from _drift(samples)


def _drift(samples: Samples) -> Iterator[Caution]:
    """Spearman's rank correlation of what is left of each run beside its cell with its place in the order."""
    if not samples.is_positive:
        return
    several = [sample for sample in samples.cells.values() if sample.n > 1]
    if sum(sample.n for sample in several) < _FEWEST_FOR_DRIFT:
        return
    rest = np.concatenate([np.log(sample.values) - np.median(np.log(sample.values)) for sample in several])
    places = np.concatenate([np.array(sample.places, dtype=np.float64) for sample in several])
    ranks = [mid_ranks(series) - (len(rest) + 1) / 2 for series in (rest, places)]
    lengths = [float(np.linalg.norm(series)) for series in ranks]
    if min(lengths) == 0:
        return
    rho = float(ranks[0] @ ranks[1]) / (lengths[0] * lengths[1])
    if erfc(abs(rho) * sqrt((len(rest) - 1) / 2)) < _DRIFT_P:
        yield Caution("drift", {"correlation": round(rho, 2)})
