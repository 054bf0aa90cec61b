"""The JSON shape of ``forecast``: keys and enum values are English and stable; days are ISO dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tunebench.analysis.capacity.growth import Scenario
from tunebench.analysis.capacity.outcome import Forecast, Said, Trend
from tunebench.contract.shapes import Shape, number, plain, shape
from tunebench.usecases.capacity.outlook import Limit, LoadOutlook, Outlook, day_of


def document(outlook: Outlook, load: LoadOutlook | None, grown: Sequence[Scenario]) -> Shape:
    forecast = outlook.forecast
    return {
        "series": _series(outlook),
        "limit": _limit(outlook.limit, forecast.falling),
        "now": number(outlook.now),
        "daily": _daily(outlook),
        "outcome": forecast.outcome.value,
        "earliest": _day(forecast.crossing.earliest),
        "median": _day(forecast.crossing.median),
        "latest": _day(forecast.crossing.latest),
        "horizon": {"days": forecast.horizon, "last": _day(_last(forecast))},
        "refusals": _remarks(forecast.refusals),
        "remarks": _remarks(forecast.remarks),
        "trend": _trend(forecast.trend) if forecast.trend is not None else None,
        "back_test": _back_test(forecast),
        "band": _band(forecast),
        "growth": [shape(one, "growth years") for one in grown],
        "what_if": _load(load) if load is not None else None,
    }


def _day(number: int | None) -> str | None:
    return None if number is None else day_of(number).isoformat()


def _last(forecast: Forecast) -> int | None:
    return int(forecast.future_days[-1]) if len(forecast.future_days) else None


def _series(outlook: Outlook) -> Shape:
    info = outlook.subject.info
    return {
        "id": info.id,
        "parts": [part.id for part in outlook.subject.parts],
        **shape(info, "host tool native metric?"),
        "attributes": {**info.implied, **info.attributes},
        "unit": info.unit,
        **shape(outlook.subject, "resource reading"),
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


def _daily(outlook: Outlook) -> Shape:
    days = outlook.days
    points = zip(days.days.tolist(), days.values.tolist(), days.samples.tolist(), strict=True)
    return {
        "statistic": "hd_p95",
        "hours": list(days.hours),
        "n": len(days.days),
        "left_out": days.left_out,
        "points": [{"day": _day(day), "value": number(value), "samples": samples} for day, value, samples in points],
    }


def _remarks(remarks: Iterable[Said]) -> list[Shape]:
    return [
        {"key": remark.key.value, "facts": {name: _fact(name, value) for name, value in remark.facts.items()}}
        for remark in remarks
    ]


def _fact(name: str, value: object) -> object:
    if name.endswith("_day") and isinstance(value, int):
        return _day(value)
    return plain(value)


def _trend(trend: Trend) -> Shape:
    band, effects, (low, high) = trend.band, trend.fits.main.effects, trend.slope_interval
    return {
        "from": _day(trend.first_day),
        "n": trend.n,
        **shape(band.worth, "n_eff lag1 inflation"),
        "growths": [growth.value for growth in trend.fits.growths],
        "slope_per_day": trend.a_day(band.line.slope),
        "slope_ci95": [trend.a_day(low), trend.a_day(high)],
        "intercept": float(trend.fits.main.growth.unscaled(np.array(band.line.intercept))),
        "ols_slope": trend.a_day(band.ols.slope),
        "mk_s": trend.plain.s,
        "mk_p": trend.corrected.p,
        "mk_p_if_independent": trend.plain.p,
        "tau90_slope": trend.a_day(trend.peaks.slope),
        "weekly": None if effects is None else {"factor": effects.factor.tolist(), "offset": effects.offset.tolist()},
    }


def _back_test(forecast: Forecast) -> Shape | None:
    tested = forecast.back_test
    return None if tested is None else shape(tested, "origins points ahead_days=ahead coverage mase")


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
        **shape(load, "limit_pct step_s"),
        "n": len(load.loads),
        **shape(load.model, "reference_load refusals"),
        "intercept_pct": fit.intercept_pct if fit is not None else None,
        "slope_pct": fit.slope_pct if fit is not None else None,
        "r": fit.r if fit is not None else None,
        "demand_ms": fit.demand_ms if fit is not None else None,
        "factors": [
            {
                **shape(one, "factor load utilisation_pct"),
                "ci95_pct": [one.low_pct, one.high_pct],
                **shape(one, "feasible extrapolated possible_factor sure_factor stretch_now stretch_then"),
            }
            for one in load.factors
        ],
    }
