"""The methods by the names that `calc` takes; a module is loaded when one of its methods is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from math import isfinite

import numpy as np

from app.analysis.calculations.inputs import CalculationRefusal, Inputs

Calculation = Callable[[Inputs], Mapping[str, object]]

_HERE = "app.analysis.calculations."
CALCULATIONS: Mapping[str, str] = {
    "rank-shift": _HERE + "ranks:rank_shift",
    "rank-ratio": _HERE + "ranks:rank_ratio",
    "rank-effect": _HERE + "ranks:rank_effect",
    "paired-ratio": _HERE + "ranks:paired_ratio",
    "median-interval": _HERE + "samples:median_interval",
    "quantiles": _HERE + "samples:quantiles",
    "outliers": _HERE + "samples:outliers",
    "bca": _HERE + "samples:bca",
    "ratio-of-means": _HERE + "samples:ratio_of_means",
    "factorial": _HERE + "samples:factorial",
    "adjust-p": _HERE + "samples:adjust_p",
    "compare-series": _HERE + "series:compare_series",
    "compare-occurrences": _HERE + "series:compare_occurrences",
    "autocorrelation": _HERE + "series:autocorrelation",
    "change-point": _HERE + "series:change_point",
    "percentile-ratio": _HERE + "series:percentile_ratio",
    "verdict": _HERE + "judging:verdict",
    "iostat-band": _HERE + "judging:iostat_band",
    "sql-mix": _HERE + "judging:sql_mix",
    "usl": _HERE + "queueing:usl",
    "erlang-c": _HERE + "queueing:erlang_c",
    "knee": _HERE + "queueing:knee",
    "demand": _HERE + "queueing:demand",
    "bottleneck": _HERE + "queueing:bottleneck",
    "trend": _HERE + "capacity:trend",
    "quantile-trend": _HERE + "capacity:quantile_trend",
    "forecast": _HERE + "capacity:forecast",
    "growth": _HERE + "capacity:growth",
}
INPUT_KEYS: Mapping[str, str] = {
    "rank-shift": "before after conf",
    "rank-ratio": "before after conf",
    "rank-effect": "a b",
    "paired-ratio": "before after [conf]",
    "median-interval": "x [conf]",
    "quantiles": "x probs",
    "outliers": "x",
    "bca": "data replicates statistic conf",
    "ratio-of-means": "before after [conf]",
    "factorial": "y a b",
    "adjust-p": "p",
    "compare-series": "before after [conf]",
    "compare-occurrences": "before after [before_variances after_variances sd sd_df of_kind paired conf]",
    "autocorrelation": "series lag",
    "change-point": "series min_size",
    "percentile-ratio": "before after prob [conf]",
    "verdict": "delta cases.ci [cases.n cases.n_eff cases.load_ratio cases.similarity cases.coverage]",
    "iostat-band": "cases.svc_t cases.pct_b",
    "sql-mix": "execs_before elapsed_per_exec_before execs_after elapsed_per_exec_after [delta]",
    "usl": "N X",
    "erlang-c": "m rho",
    "knee": "m",
    "demand": "tps cpu ncpu",
    "bottleneck": "before after",
    "trend": "y threshold",
    "quantile-trend": "y",
    "forecast": "y threshold level tp",
    "growth": "now limit years growth",
}
"""Names of the inputs for whoever looks for them; those in brackets may be left out."""


def calculate(name: str, document: object) -> dict[str, object]:
    """The result as JSON has it: NaN and infinities are None.

    Raises:
        CalculationRefusal: there is no such method, or the input is not what it needs.
    """
    place = CALCULATIONS.get(name)
    if place is None:
        raise CalculationRefusal("calc_unknown", method=name)
    if not isinstance(document, Mapping):
        raise CalculationRefusal("calc_no_object")
    module, function = place.split(":")
    calculation: Calculation = getattr(import_module(module), function)
    with np.errstate(all="ignore"):  # what comes of it is null
        try:
            found = calculation(Inputs(document))
        except (ArithmeticError, np.linalg.LinAlgError):  # of numbers that are finite each by itself
            raise CalculationRefusal("calc_no_result", method=name) from None
    return {key: _as_json(value) for key, value in found.items()}


def _as_json(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    return value
