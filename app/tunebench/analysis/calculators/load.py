"""Queues, bounds and how much better a figure became."""

from __future__ import annotations

from tunebench.analysis.calculators.calculator import (
    Answer,
    Calculator,
    Given,
    Input,
    InputRefusal,
    Note,
    Output,
    maybe,
    number,
    warning_if,
)
from tunebench.analysis.comparing.improvement import Change, improvement
from tunebench.analysis.queueing.laws import LITTLE_TOLERANCE, amdahl_bound
from tunebench.analysis.queueing.stations import knee, stretch
from tunebench.domain.engagement import Direction

BURST_MARGIN_PCT = 10
MOST_SERVERS = 1024


def _knee(given: Given) -> Answer:
    servers = int(number(given, "servers"))
    knee_pct = 100 * knee(servers, number(given, "stretch"))
    used_pct = maybe(given, "utilisation_pct")
    at_used = None if used_pct is None else stretch(servers, used_pct / 100)
    values = {"knee_pct": knee_pct, "plan_pct": max(knee_pct - BURST_MARGIN_PCT, 0.0), "stretch_now": at_used}
    above = used_pct is not None and used_pct > knee_pct
    return Answer(values, (*warning_if(above, "above_knee"), Note("knee_assumes")))


def _amdahl(given: Given) -> Answer:
    share = number(given, "share_pct") / 100
    most = amdahl_bound(share)
    reached = amdahl_bound(share, number(given, "speed_up"))
    without_end = share == 1
    notes = (Note("no_bound"),) if without_end else ()
    values = {
        "whole_speed_up": reached,
        "most_speed_up": None if without_end else most,
        "saved_pct": 100 * (1 - 1 / reached),
    }
    return Answer(values, notes)


def _little(given: Given) -> Answer:
    expected = number(given, "rate_per_s") * number(given, "time_ms") / 1000
    measured = maybe(given, "in_system")
    if measured is None:
        return Answer({"expected_in_system": expected, "deviation_pct": None})
    larger = max(expected, measured)
    deviation = abs(expected - measured) / larger if larger else 0.0
    kept = deviation <= LITTLE_TOLERANCE
    note = Note("little_holds") if kept else Note("little_violated", "warning")
    return Answer({"expected_in_system": expected, "deviation_pct": 100 * deviation}, (note,))


def utilisation_pct(throughput_per_s: float, demand_ms: float, servers: float) -> float:
    return 100 * throughput_per_s * demand_ms / 1000 / servers


def _utilisation(given: Given) -> Answer:
    rate, demand_ms, servers = (number(given, name) for name in ("throughput_per_s", "demand_ms", "servers"))
    load_pct = utilisation_pct(rate, demand_ms, servers)
    most = servers * 1000 / demand_ms
    knee_pct = 100 * knee(int(servers))
    notes = warning_if(load_pct > 100, "infeasible") or warning_if(load_pct > knee_pct, "above_knee")
    return Answer({"load_pct": load_pct, "most_per_s": most, "knee_per_s": most * knee_pct / 100}, notes)


def _improved(given: Given) -> Answer:
    direction = Direction.LOWER if given["better"] == "lower" else Direction.HIGHER
    change = improvement(number(given, "before"), number(given, "after"), direction)
    if change.ratio is None or change.rate_pct is None:
        name = "before" if change.reason.startswith("before") else "after"
        raise InputRefusal("calculator_zero", name=name)
    note = Note("became_worse", "warning") if change.change is Change.REGRESSED else Note("ratio_alone")
    ratio = float(change.ratio)
    return Answer({"ratio": ratio, "exact_ratio": ratio, "rate_pct": float(change.rate_pct)}, (note, Note("rounding")))


_SERVERS = Input("servers", 8, "", 1, MOST_SERVERS, whole=True)

CALCULATORS = (
    Calculator(
        "queueing_knee",
        (
            _SERVERS,
            Input("stretch", 2, "times", 1.01, 100),
            Input("utilisation_pct", "", "pct", 0, 99.999, optional=True),
        ),
        (Output("knee_pct", "pct", 1), Output("plan_pct", "pct", 1), Output("stretch_now", "times", 2)),
        ("M-KNEE", "SF-063", "C-02"),
        _knee,
    ),
    Calculator(
        "amdahl",
        (Input("share_pct", 40, "pct", 0, 100), Input("speed_up", 3, "times", 0.001, 1e9)),
        (Output("whole_speed_up", "times", 2), Output("most_speed_up", "times", 2), Output("saved_pct", "pct", 1)),
        ("M-AMDAHL", "M-METHODR", "SF-020"),
        _amdahl,
    ),
    Calculator(
        "little",
        (
            Input("rate_per_s", 141, "per_s", 0, 1e12),
            Input("time_ms", 1246.4, "ms", 0, 1e12),
            Input("in_system", 175.7, "", 0, 1e12, optional=True),
        ),
        (Output("expected_in_system", "", 2), Output("deviation_pct", "pct", 1)),
        ("M-LITTLE", "T-WRITEBEHIND", "C-03"),
        _little,
    ),
    Calculator(
        "utilisation_law",
        (Input("throughput_per_s", 650, "per_s", 0, 1e12), Input("demand_ms", 8.5, "ms", 1e-6, 1e9), _SERVERS),
        (Output("load_pct", "pct", 1), Output("knee_per_s", "per_s", 1), Output("most_per_s", "per_s", 1)),
        ("M-UTILLAW", "M-KNEE"),
        _utilisation,
    ),
    Calculator(
        "improvement",
        (
            Input("before", 590.997, "", 0, 1e18),
            Input("after", 33.17, "", 0, 1e18),
            Input("better", "lower", choices=("lower", "higher")),
        ),
        (Output("ratio", "times", 1), Output("exact_ratio", "times", 4), Output("rate_pct", "pct", 1)),
        ("M-ROUNDING", "C-01", "T-SUCCESS"),
        _improved,
    ),
)
