"""JSON shapes of ``compare``: part of the command line's public contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import Caution, ComparedSeries, Quantiles, SplitOffer
from app.analysis.inference.verdict import Interval
from app.analysis.statistics import Statistics
from app.cli.shapes import Shape, time
from app.domain.comparability import GateCheck

ESTIMATORS = {"p50": "type7", "p95": "type7", "hd": "harrell_davis"}
"""Of the percentiles: type 7 is what spreadsheets compute, Harrell-Davis wavers less."""


def compared_series(row: ComparedSeries, zone: ZoneInfo) -> Shape:
    return {
        "metric": row.metric or None,
        "native": row.native,
        "attributes": {**row.series.implied, **row.attributes},
        "host": row.series.host,
        "tool": row.series.tool,
        "unit": row.unit,
        "direction": row.direction.value,
        "before": _side(row.before_statistics, row.before_quantiles),
        "after": _side(row.after_statistics, row.after_quantiles),
        "ratio": _number(row.headline),
        "ratio_of_means": row.ratio,
        "ci95": _ends(row.interval),
        "n_eff": None if row.n_eff_before is None else [row.n_eff_before, row.n_eff_after],
        "verdict": row.verdict.value,
        "reason": row.reason or None,
        "facts": facts_shape(row.facts, zone),
        "method": row.method.value,
        "difference": row.difference,
        "difference_ci95": _ends(row.difference_interval),
        "p": row.p,
        "p_adjusted": row.p_adjusted,
        "margin": row.margin,
        "changed": row.changed,
        "cautions": [_caution(one, zone) for one in row.cautions],
    }


def _side(figures: Statistics | None, quantiles: Quantiles | None) -> Shape | None:
    if figures is None:
        return None
    return {
        "n": figures.n,
        "mean": figures.mean,
        "p50": figures.p50,
        "p95": figures.p95,
        "max": figures.maximum,
        "hd": None if quantiles is None else asdict(quantiles),
    }


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_number(interval.low), _number(interval.high)]


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _caution(one: Caution, zone: ZoneInfo) -> Shape:
    return {"key": one.key, "facts": facts_shape(one.facts, zone)}


def gate_check(found: GateCheck, zone: ZoneInfo) -> Shape:
    return {
        "check": found.check.value,
        "state": found.state.value,
        "reason": found.reason,
        "facts": facts_shape(found.facts, zone),
    }


def split_offer(offer: SplitOffer, zone: ZoneInfo) -> Shape:
    return {
        "side": offer.side,
        "host": offer.host,
        "at": time(offer.at_ns, zone),
        "reason": offer.reason,
        "series": list(offer.series),
        "change": _number(offer.change),
    }


def facts_shape(facts: Mapping[str, object], zone: ZoneInfo) -> Shape:
    """Moments (``at_ns``) as ISO under the name without its unit; endless numbers are null."""
    shape: Shape = {}
    for name, value in facts.items():
        if name.endswith("_ns") and isinstance(value, int):
            shape[name.removesuffix("_ns")] = time(value, zone)
        else:
            shape[name] = _number(value) if isinstance(value, float) else value
    return shape
