"""The methods by the names that `calc` takes; a module is loaded when one of its methods is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from math import isfinite
from typing import NamedTuple

import numpy as np

from tunebench.analysis.calculations.inputs import CalculationRefusal, Inputs

Calculation = Callable[[Inputs], Mapping[str, object]]


class Method(NamedTuple):
    """`module`: whose function of the method's name computes it. `inputs`: the names of the keys for whoever looks for
    them; those in brackets may be left out.
    """

    module: str
    inputs: str


CALCULATIONS: Mapping[str, Method] = {
    "rank-shift": Method("ranks", "before after conf"),
    "rank-ratio": Method("ranks", "before after conf"),
    "rank-effect": Method("ranks", "a b"),
    "paired-ratio": Method("ranks", "before after [conf]"),
    "median-interval": Method("samples", "x [conf]"),
    "quantiles": Method("samples", "x probs"),
    "outliers": Method("samples", "x"),
    "bca": Method("samples", "data replicates statistic conf"),
    "ratio-of-means": Method("samples", "before after [conf]"),
    "factorial": Method("samples", "y a b"),
    "adjust-p": Method("samples", "p"),
    "compare-series": Method("series", "before after [conf]"),
    "compare-occurrences": Method(
        "series", "before after [before_variances after_variances sd sd_df of_kind paired conf]"
    ),
    "autocorrelation": Method("series", "series lag"),
    "change-point": Method("series", "series min_size"),
    "percentile-ratio": Method("series", "before after prob [conf]"),
    "verdict": Method(
        "judging", "delta cases.ci [cases.n cases.n_eff cases.load_ratio cases.similarity cases.coverage]"
    ),
    "iostat-band": Method("judging", "cases.svc_t cases.pct_b"),
    "sql-mix": Method("judging", "execs_before elapsed_per_exec_before execs_after elapsed_per_exec_after [delta]"),
    "usl": Method("queueing", "N X"),
    "erlang-c": Method("queueing", "m rho"),
    "knee": Method("queueing", "m"),
    "demand": Method("queueing", "tps cpu ncpu"),
    "bottleneck": Method("queueing", "before after"),
    "trend": Method("capacity", "y threshold"),
    "quantile-trend": Method("capacity", "y"),
    "forecast": Method("capacity", "y threshold level tp"),
    "growth": Method("capacity", "now limit years growth"),
}


def calculate(name: str, document: object) -> dict[str, object]:
    """The result as JSON has it: NaN and infinities are None.

    Raises:
        CalculationRefusal: there is no such method, or the input is not what it needs.
    """
    method = CALCULATIONS.get(name)
    if method is None:
        raise CalculationRefusal("calc_unknown", method=name)
    if not isinstance(document, Mapping):
        raise CalculationRefusal("calc_no_object")
    module = import_module(f"tunebench.analysis.calculations.{method.module}")
    calculation: Calculation = getattr(module, name.replace("-", "_"))
    with np.errstate(all="ignore"):  # what comes of it is null
        try:
            answer = calculation(Inputs(document))
        except (ArithmeticError, np.linalg.LinAlgError):  # of numbers that are finite each by itself
            raise CalculationRefusal("calc_no_result", method=name) from None
    return {key: _as_json(value) for key, value in answer.items()}


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
