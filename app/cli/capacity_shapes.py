"""The JSON shape of ``forecast``: keys and enum values are English and stable; days are ISO dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from app.analysis.capacity.outcome import Forecast, Said, Trend
from app.cli.shapes import Shape
from app.usecases.capacity.outlook import Limit, LoadOutlook, Outlook, Scenario, day_of


def document(found: Outlook, load: LoadOutlook | None, grown: Sequence[Scenario]) -> Shape:
    forecast = found.forecast
    return {
        "series": _series(found),
        "limit": _limit(found.limit, forecast.falling),
        "now": _number(found.now),
        "daily": _daily(found),
        "outcome": forecast.outcome.value,
        "earliest": _day(forecast.crossing.earliest),
        "median": _day(forecast.crossing.median),
        "latest": _day(forecast.crossing.latest),
        "horizon": {"days": forecast.horizon, "last": _day(_last(forecast))},
        "refusals": _said(forecast.refusals),
        "remarks": _said(forecast.remarks),
        "trend": _trend(forecast.trend) if forecast.trend is not None else None,
        "back_test": _back_test(forecast),
        "band": _band(forecast),
        "growth": [{"growth": one.growth, "years": _number(one.years)} for one in grown],
        "what_if": _load(load) if load is not None else None,
    }


def _day(number: int | None) -> str | None:
    return None if number is None else day_of(number).isoformat()


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _last(forecast: Forecast) -> int | None:
    return int(forecast.future_days[-1]) if len(forecast.future_days) else None


def _series(found: Outlook) -> Shape:
    info = found.subject.info
    return {
        "id": info.id,
        "parts": [part.id for part in found.subject.parts],
        "host": info.host,
        "tool": info.tool,
        "native": info.native,
        "metric": info.metric or None,
        "attributes": {**info.implied, **info.attributes},
        "unit": info.unit,
        "resource": found.subject.resource.value,
        "reading": found.subject.reading.value,
    }


def _limit(limit: Limit, falling: bool) -> Shape:
    proposed = limit.proposed
    return {
        "value": limit.value,
        "source": proposed.source.value if proposed is not None else "given",
        "direction": "falling" if falling else "rising",
        "knee_pct": proposed.knee_pct if proposed is not None else None,
        "servers": proposed.servers if proposed is not None else None,
    }


def _daily(found: Outlook) -> Shape:
    days = found.days
    points = zip(days.days.tolist(), days.values.tolist(), days.samples.tolist(), strict=True)
    return {
        "statistic": "hd_p95",
        "hours": list(days.hours),
        "n": len(days.days),
        "left_out": days.left_out,
        "points": [{"day": _day(day), "value": _number(value), "samples": samples} for day, value, samples in points],
    }


def _said(all_said: Iterable[Said]) -> list[Shape]:
    return [
        {"key": said.key.value, "facts": {name: _fact(name, value) for name, value in said.facts.items()}}
        for said in all_said
    ]


def _fact(name: str, value: object) -> object:
    if name.endswith("_day") and isinstance(value, int):
        return _day(value)
    return _number(value) if isinstance(value, float) else value


def _trend(trend: Trend) -> Shape:
    band, (low, high) = trend.band, trend.slope_interval
    effects = band.effects
    return {
        "from": _day(trend.first_day),
        "n": trend.n,
        "n_eff": band.worth.n_eff,
        "lag1": band.worth.lag1,
        "inflation": band.worth.inflation,
        "slope_per_day": band.line.slope,
        "slope_ci95": [low, high],
        "intercept": band.line.intercept,
        "ols_slope": band.ols.slope,
        "mk_s": trend.plain.s,
        "mk_p": trend.corrected.p,
        "mk_p_if_independent": trend.plain.p,
        "tau90_slope": trend.peaks.slope,
        "weekly": None if effects is None else {"factor": effects.factor.tolist(), "offset": effects.offset.tolist()},
    }


def _back_test(forecast: Forecast) -> Shape | None:
    tested = forecast.back_test
    if tested is None:
        return None
    return {
        "origins": tested.origins,
        "points": tested.points,
        "ahead_days": tested.ahead,
        "coverage": _number(tested.coverage),
        "mase": _number(tested.mase),
    }


def _band(forecast: Forecast) -> Shape:
    columns = (forecast.low.tolist(), forecast.centre.tolist(), forecast.high.tolist())
    rows = zip(forecast.future_days.tolist(), *columns, strict=True)
    level = forecast.trend.band.level if forecast.trend is not None else None
    return {
        "level": level,
        "points": [{"day": _day(day), "low": low, "centre": centre, "high": high} for day, low, centre, high in rows],
    }


def _load(load: LoadOutlook) -> Shape:
    fit = load.model.fit
    return {
        "load": load.load.id,
        "resource": load.resource.id,
        "limit_pct": load.limit_pct,
        "step_s": load.step_s,
        "n": len(load.loads),
        "reference_load": _number(load.model.reference_load),
        "refusals": [reason.value for reason in load.model.refusals],
        "intercept_pct": fit.intercept_pct if fit is not None else None,
        "slope_pct": fit.slope_pct if fit is not None else None,
        "r": fit.r if fit is not None else None,
        "demand_ms": fit.demand_ms if fit is not None else None,
        "factors": [
            {
                "factor": one.factor,
                "load": one.load,
                "utilisation_pct": one.utilisation_pct,
                "ci95_pct": [one.low_pct, one.high_pct],
                "feasible": one.feasible,
                "extrapolated": one.extrapolated,
                "possible_factor": _number(one.possible_factor),
                "sure_factor": _number(one.sure_factor),
                "stretch_now": _number(one.stretch_now),
                "stretch_then": _number(one.stretch_then),
            }
            for one in load.factors
        ],
    }
