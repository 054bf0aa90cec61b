"""`calc`: verdicts, the guide's bands of disks, the mix of statements."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunebench.analysis.calculations.inputs import Floats, Inputs
from tunebench.analysis.databases.statement_side import StatementSide
from tunebench.analysis.databases.workload import mix_similarity, workload_totals
from tunebench.analysis.inference.verdict import Interval, Verdict, judge

LEAST_EFFECTIVE = 10
LOAD_RATIOS = (0.7, 1.43)
LEAST_SIMILARITY = 0.5
LEAST_COVERAGE = 0.8
"""Beyond these two windows are not comparable: the refusals of the gate's checks of load, likeness and coverage."""
_FIGURE = "elapsed_s"


def verdict(given: Inputs) -> Mapping[str, object]:
    margin = given.number("delta", low=0)
    return {"verdicts": [_verdict(case, margin).value for case in given.objects("cases")]}


def _verdict(case: Inputs, margin: float) -> Verdict:
    load = case.number("load_ratio", low=0, default=1.0)
    similarity, coverage = (case.number(key, low=0, high=1, default=1.0) for key in ("similarity", "coverage"))
    if not LOAD_RATIOS[0] <= load <= LOAD_RATIOS[1] or similarity < LEAST_SIMILARITY or coverage < LEAST_COVERAGE:
        return Verdict.NOT_COMPARABLE
    ends = case.pair_or_null("ci")
    interval = None if ends is None else Interval(*ends)
    if interval is None or case.number("n", low=0, default=2.0) < 2:
        return Verdict.DESCRIPTIVE_ONLY
    if case.number("n_eff", low=0, default=LEAST_EFFECTIVE) < LEAST_EFFECTIVE:
        return Verdict.INSUFFICIENT_DATA
    return judge(interval, margin)


def iostat_band(given: Inputs) -> Mapping[str, object]:
    cases = given.objects("cases")
    return {"bands": [disk_band(case.number("svc_t", low=0), case.number("pct_b", low=0)) for case in cases]}


def disk_band(svc_t_ms: float, busy_pct: float) -> str:
    """The founding guide's bands; what it leaves undefined is ``watch``, never normal nor a bottleneck."""
    if svc_t_ms <= 30 or (svc_t_ms < 50 and busy_pct <= 5):
        return "normal"
    return "bottleneck" if svc_t_ms >= 50 and busy_pct >= 20 else "watch"


def sql_mix(given: Inputs) -> Mapping[str, object]:
    """Totals at equal executions; `regressed_index` counts from 0, statements slower by more than `delta`."""
    keys = ("execs_before", "elapsed_per_exec_before", "execs_after", "elapsed_per_exec_after")
    columns = [given.numbers(key, positive=key.startswith("elapsed")) for key in keys]
    given.same_length(*keys)
    for key, executions in zip(keys[::2], columns[::2], strict=True):
        given.require(executions.sum() > 0 and executions.min() >= 0, "calc_not_counts", key)
    margin = given.number("delta", low=0, default=0.05)
    before, after = (_side(*columns[:2]), _side(*columns[2:]))
    everything = np.ones(len(columns[0]), dtype=np.bool_)
    totals = workload_totals(_FIGURE, before, after, everything, None, margin)
    return {
        "raw_ratio": totals.raw_ratio,
        "laspeyres": totals.laspeyres,
        "paasche": totals.paasche,
        "fisher": totals.fisher,
        "geomean": totals.geometric_mean,
        "similarity_exec": _likeness(columns[0], columns[2]),
        "similarity_time": _likeness(before.total(_FIGURE), after.total(_FIGURE)),
        "similarity_fixed_cost": mix_similarity(_FIGURE, before, after, ~everything),
        "regressed_index": np.flatnonzero(columns[3] / columns[1] > 1 + margin),
    }


def _side(executions: Floats, per_execution: Floats) -> StatementSide:
    some = np.ones(len(executions), dtype=np.bool_)
    return StatementSide(
        {_FIGURE: executions * per_execution},
        {_FIGURE: executions},
        {_FIGURE: per_execution},
        ~some,
        some,
        some,
        tuple(() for _ in executions),
        np.full(len(executions), np.nan),
    )


def _likeness(before: Floats, after: Floats) -> float:
    return float(np.minimum(before / before.sum(), after / after.sum()).sum())
