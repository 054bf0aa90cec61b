"""`calc`: stations with waiting lines, service demands, scalability."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from tunebench.analysis.calculations.inputs import Inputs
from tunebench.analysis.queueing import bottleneck as bottlenecks
from tunebench.analysis.queueing import stations
from tunebench.analysis.queueing.demand import utilisation_demand
from tunebench.analysis.queueing.usl import fit_usl

_FEWEST_LEVELS = 3
_MOST_SERVERS = 10_000
_STRETCHES = {"rho_stretch_1_5": 1.5, "rho_stretch_2": 2.0, "rho_stretch_3": 3.0}


def usl(given: Inputs) -> Mapping[str, object]:
    load, measured = given.columns("N", "X", fewest=4, positive=True)
    given.require(len(np.unique(load)) >= _FEWEST_LEVELS, "calc_few_load_levels", "N", fewest=_FEWEST_LEVELS)
    curve = fit_usl(load, measured)
    return {
        "lambda": curve.scale,
        "sigma": curve.sigma,
        "kappa": curve.kappa,
        "n_star": curve.n_star,
        "x_max": curve.x_max,
        "sse": curve.sse,
        "sigma_ci": curve.sigma_interval,
        "kappa_ci": curve.kappa_interval,
        "not_reported_because": [str(reason) for reason in curve.no_peak],
    }


def erlang_c(given: Inputs) -> Mapping[str, object]:
    servers, busy = _servers(given), given.number_list_or_one("rho")
    given.require(all(0 <= rho < 1 for rho in busy), "calc_out_of_range", "rho", range="0 … < 1")
    grid = list(product(servers, busy))
    return {
        "erlang_c_rowmajor": [stations.erlang_c(m, rho) for m, rho in grid],
        "stretch_rowmajor": [stations.stretch(m, rho) for m, rho in grid],
    }


def knee(given: Inputs) -> Mapping[str, object]:
    """A list for a list of servers, a number for one."""
    servers = _servers(given)
    knees = {name: [stations.knee(m, stretch) for m in servers] for name, stretch in _STRETCHES.items()}
    return {name: given.as_asked("m", values) for name, values in knees.items()}


def demand(given: Inputs) -> Mapping[str, object]:
    load, busy = given.columns("tps", "cpu", fewest=3)
    given.require(load.min() < load.max(), "calc_load_constant", "tps")
    line = utilisation_demand(load, busy, given.whole("ncpu", low=1))
    double = 2 * line.largest_load
    return {
        "intercept_pct": line.intercept_pct,
        "slope_pct_per_tps": line.slope_pct,
        "cpu_ms_per_tx": line.demand_ms,
        "r2": line.r**2,
        "cpu_at_2x": line.at(double),
        "cpu_at_2x_upr95": line.at(double) + line.half_width(double),
        "tps_at_80": line.load_at(80),
    }


def bottleneck(given: Inputs) -> Mapping[str, object]:
    before, after = given.mapping("before"), given.mapping("after")
    for key, demands in (("before", before), ("after", after)):
        given.require(min(demands.values()) >= 0, "calc_out_of_range", key, range="0 …")
    change = bottlenecks.bottleneck(before, after)
    sides = (change.before, change.after)
    return {
        "bottleneck": [side.name for side in sides],
        "xmax": [side.x_max_per_s for side in sides],
        "gain": change.gain,
    }


def _servers(given: Inputs) -> list[int]:
    wanted = given.number_list_or_one("m")
    fits = all(1 <= m <= _MOST_SERVERS and m == int(m) for m in wanted)
    given.require(fits, "calc_out_of_range", "m", range=f"1, 2, … {_MOST_SERVERS}")
    return [int(m) for m in wanted]
