"""What would another load need of a resource? By the utilisation law, fitted to what was measured together."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from tunebench.analysis.capacity.line import Floats
from tunebench.analysis.inference.effective_size import effective_size
from tunebench.analysis.queueing.demand import DemandFit, utilisation_demand
from tunebench.analysis.queueing.stations import stretch
from tunebench.core.records import record

FEWEST_PAIRS = 30
LEAST_CORRELATION = 0.5
FURTHEST_LOAD = 1.5
_QUEUES_ABOVE_PCT = 70.0
_SATURATED_PCT = 95.0
_WIDEST_PCT = 50.0
"""Interval at the measured load. A line that does not even tell that tells nothing of another load: it is drawn through
two, as before and after tuning, or few of the samples are independent."""


class NoWhatIf(StrEnum):
    FEW_PAIRS = "few_pairs"
    NO_LOAD_CHANGE = "no_load_change"
    WEAKLY_RELATED = "weakly_related"
    NOT_DRIVEN = "not_driven"
    SATURATED = "saturated"
    TOO_UNSURE = "too_unsure"


@record
class LoadModel:
    """
    Attributes:
        fit: None where nothing could be fitted.
        reference_load: factor 1: the 95th percentile of the measured load.
        refusals: why no load may be computed from it; empty where it may.
    """

    fit: DemandFit | None
    reference_load: float
    refusals: tuple[NoWhatIf, ...]


@record
class WhatIf:
    """What is expected at `factor` times the reference load.

    Attributes:
        utilisation_pct, low_pct, high_pct: with the 95 % prediction interval; above 100 % it is not feasible.
        possible_factor: at which the line reaches the limit; None where the limit lies below an idle system.
        sure_factor: at which the upper end of the interval does.
        feasible: within the limit.
        extrapolated: more than 1.5 times the largest load ever measured.
        stretch_now, stretch_then: response over service time of M/M/m with that many processors; None where their
            number is not known, below 70 %, or where the queue would grow without bound.
    """

    factor: float
    load: float
    utilisation_pct: float
    low_pct: float
    high_pct: float
    possible_factor: float | None
    sure_factor: float | None
    feasible: bool
    extrapolated: bool
    stretch_now: float | None
    stretch_then: float | None


def load_model(load: Floats, utilisation_pct: Floats, servers: int | None = None) -> LoadModel:
    """The model from float64[n] figures of the same intervals; a pair with one missing does not count."""
    there = np.isfinite(load) & np.isfinite(utilisation_pct)
    load, busy = load[there], utilisation_pct[there]
    if len(load) < FEWEST_PAIRS:
        return LoadModel(None, float("nan"), (NoWhatIf.FEW_PAIRS,))
    reference = float(np.percentile(load, 95))
    if load.min() == load.max():
        return LoadModel(None, reference, (NoWhatIf.NO_LOAD_CHANGE,))
    fit = utilisation_demand(load, busy, servers)
    rest = busy - fit.intercept_pct - fit.slope_pct * load
    fit = utilisation_demand(load, busy, servers, inflation=len(rest) / effective_size(rest).n_eff)
    refusals = {
        NoWhatIf.NOT_DRIVEN: fit.slope_pct <= 0,
        NoWhatIf.WEAKLY_RELATED: fit.slope_pct > 0 and fit.r < LEAST_CORRELATION,
        NoWhatIf.SATURATED: float(np.percentile(busy, 95)) >= _SATURATED_PCT,
        NoWhatIf.TOO_UNSURE: 2 * fit.half_width(reference) > _WIDEST_PCT,
    }
    return LoadModel(fit, reference, tuple(refusal for refusal, holds in refusals.items() if holds))


def what_if(model: LoadModel, factor: float, limit_pct: float) -> WhatIf | None:
    """None where the model is refused.

    Raises:
        ValueError: a factor or limit that is not positive.
    """
    if not (0 < factor < float("inf") and 0 < limit_pct < float("inf")):
        raise ValueError(f"factor {factor}, limit {limit_pct}")
    fit = model.fit
    if fit is None or model.refusals:
        return None
    load = factor * model.reference_load
    then, half = fit.at(load), fit.half_width(load)
    possible = fit.load_at(limit_pct)
    return WhatIf(
        factor,
        load,
        then,
        then - half,
        then + half,
        possible / model.reference_load if possible is not None and possible > 0 else None,
        _sure_factor(fit, model.reference_load, limit_pct),
        then <= limit_pct,
        load > FURTHEST_LOAD * fit.largest_load,
        _stretch(fit.servers, fit.at(model.reference_load), always=then > _QUEUES_ABOVE_PCT),
        _stretch(fit.servers, then),
    )


def _sure_factor(fit: DemandFit, reference: float, limit_pct: float) -> float | None:
    """The factor by bisection: the upper end of the interval grows with the load beyond the mean one."""

    def above(load: float) -> bool:
        return fit.at(load) + fit.half_width(load) > limit_pct

    low, high = fit.mean_load, fit.load_at(limit_pct)
    if high is None or high <= low or above(low):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return low / reference


def _stretch(servers: int | None, busy_pct: float, *, always: bool = False) -> float | None:
    if servers is None or not 0 <= busy_pct < 100 or not (always or busy_pct > _QUEUES_ABOVE_PCT):
        return None
    return stretch(servers, busy_pct / 100)
