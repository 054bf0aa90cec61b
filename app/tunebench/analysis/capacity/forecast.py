"""When will the limit be reached? A range of days, or the reasons why none can be named.

The steps: refuse what is no history; keep what came after the last change; weekly effects; trend; band; back-test.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from datetime import date

import numpy as np

from tunebench.analysis.capacity.back_test import FEWEST_ORIGINS, BackTest, back_test
from tunebench.analysis.capacity.daily import Ints
from tunebench.analysis.capacity.fits import Fits, Growth, fit, fit_all, possible_growths
from tunebench.analysis.capacity.line import Floats, mann_kendall, slope_interval
from tunebench.analysis.capacity.outcome import Crossing, Fact, Forecast, Outcome, Refusal, Remark, Said, Trend
from tunebench.analysis.capacity.quantile_line import quantile_line
from tunebench.analysis.capacity.regime import DOUBT, Change, find_change, last_regime
from tunebench.analysis.capacity.week import FULL_WEEKS, Weekdays, WeeklyEffects
from tunebench.core.records import record

FEWEST_DAYS = 14
COVERAGE = (0.65, 0.95)
_SATURATED = 0.95
RECENT_DAYS = 7
_A_YEAR = 365
_ROUNDING = 1e-6
_WIDER = 1.1
_EPOCH = date(1970, 1, 1).toordinal()
_THURSDAY = 3  # 1970-01-01, Monday is 0
_SUNDAY = 6


@record
class Goal:
    """
    Attributes:
        falling: the limit lies below and is approached from above (free space).
        ceiling: what the figure cannot exceed (100 for a percentage); None where there is no such thing.
    """

    limit: float
    falling: bool = False
    ceiling: float | None = None

    def reached(self, values: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return values <= self.limit if self.falling else values >= self.limit


def forecast(days: Ints, values: Floats, goal: Goal, holidays: Container[int] = ()) -> Forecast:
    """Forecasts one figure a day, int64[n] ascending days since 1970-01-01; a day not measured is absent.

    Args:
        holidays: days as ordinals that are like Sundays, where Sundays were measured and the history does not deny it.

    Raises:
        ValueError: the limit is not a positive number.
    """
    if not 0 < goal.limit < float("inf"):
        raise ValueError(f"limit {goal.limit}")
    there = ~np.isnan(values)
    days, values = days[there], values[there]
    plain = _without_trend(days, values, goal)
    refusal = _no_history(values, goal)
    if refusal is not None:
        return _decided(replace(plain, refusals=(refusal,)))
    return _decided(_with_trend(plain, goal, holidays if _like_sundays(days, values, holidays) else ()))


def _like_sundays(days: Ints, values: Floats, holidays: Container[int]) -> bool:
    """Whether holidays explain the history better when taken as Sundays; not every machine rests when people do."""
    t, plain, free = _since_first(days), weekdays_of(days), weekdays_of(days, holidays)
    if (plain == _SUNDAY).sum() < FULL_WEEKS:
        return False
    if (plain == free).all():
        return True
    left = [fit(Growth.STRAIGHT, t, weekdays, values).squares(t, weekdays, values) for weekdays in (free, plain)]
    return left[0] <= left[1]


def weekdays_of(days: Ints, holidays: Container[int] = ()) -> Weekdays:
    """0 is Monday; a holiday is a Sunday."""
    free = np.array([day + _EPOCH in holidays for day in days.tolist()], bool)
    return np.where(free, _SUNDAY, (days + _THURSDAY) % 7)


def _without_trend(days: Ints, values: Floats, goal: Goal) -> Forecast:
    none, no_days = np.empty(0), np.empty(0, np.int64)
    reached = len(values) > 0 and bool(goal.reached(values[-RECENT_DAYS:]).mean() >= 0.5)
    return Forecast(
        days,
        values,
        goal.limit,
        goal.falling,
        Outcome.REACHED if reached else Outcome.REFUSED,
        (),
        (),
        Crossing(None, None, None),
        int(days[0]) if len(days) else 0,
        0,
        None,
        None,
        no_days,
        none,
        none,
        none,
        no_days,
        none,
    )


def _no_history(values: Floats, goal: Goal) -> Said | None:
    if np.isinf(values).any():
        return Said(Refusal.NOT_FINITE)
    if (values < 0).any():
        return Said(Refusal.NEGATIVE, {"value": float(values.min())})
    if len(values) < FEWEST_DAYS:
        return Said(Refusal.FEW_DAYS, {"days": len(values), "needed": FEWEST_DAYS})
    if values.min() == values.max():
        return Said(Refusal.CONSTANT, {"value": float(values[0])})
    if goal.ceiling is not None and np.percentile(values, 95) >= _SATURATED * goal.ceiling:
        return Said(Refusal.SATURATED, {"p95": float(np.percentile(values, 95)), "ceiling": goal.ceiling})
    return None


def _with_trend(plain: Forecast, goal: Goal, holidays: Container[int]) -> Forecast:
    days, values = plain.days, plain.values
    remarks = [*_missing_days(days)]
    growths, change = _one_way(days, weekdays_of(days, holidays), values)
    if change is not None:
        before = int(change.place)
        remarks.append(Said(Remark.CHANGE, {"change_day": int(days[before]), "p": change.p, "days": before}))
        days, values = days[before:], values[before:]
        plain = replace(plain, regime_day=int(days[0]))
        if len(days) < FEWEST_DAYS or values.min() == values.max():
            facts = {"days": len(days), "needed": FEWEST_DAYS, "change_day": int(days[0])}
            refusal = Said(Refusal.FEW_DAYS_SINCE_CHANGE, facts)
            return replace(plain, remarks=tuple(remarks), refusals=(refusal,))
    t, weekdays = _since_first(days), weekdays_of(days, holidays)
    fits = fit_all(t, weekdays, values, growths)
    trend = _trend(t, fits, int(days[0]))
    tested = back_test(t, weekdays, values, fits.growths)
    extended = _extended(replace(plain, trend=trend, back_test=tested), days, holidays)
    refusals = (*_doubted(t, fits, days), *_refusals(extended, goal))
    return replace(extended, refusals=refusals, remarks=(*remarks, *_remarks(extended, days, holidays)))


def _since_first(days: Ints) -> Floats:
    t: Floats = (days - days[0]).astype(np.float64)
    return t


def _one_way(days: Ints, weekdays: Weekdays, values: Floats) -> tuple[tuple[Growth, ...], Change | None]:
    """The growths by which the history went one way throughout; where there is none, all, and its last change.

    Asked of values without their week, which hides a change of the line: every weekend is one. A compound curve looks
    like a change to a line, and a line to a compound curve.
    """
    t, possible = _since_first(days), possible_growths(values)
    levels = {growth: fit(growth, t, weekdays, values).level for growth in possible}
    changes = {growth: last_regime(t, level) for growth, level in levels.items()}
    throughout = tuple(growth for growth, change in changes.items() if change is None)
    if any(find_change(t, levels[growth], DOUBT) is None for growth in throughout):
        return throughout, None
    return possible, next((change for change in changes.values() if change is not None), None)


def _doubted(t: Floats, fits: Fits, days: Ints) -> list[Said]:
    """A change that is not shown but may well be there: a line through it would date nothing."""
    both = (fits.main, fits.other) if fits.other is not None else (fits.main,)
    changes = [change for one in both if (change := find_change(t, one.level, DOUBT)) is not None]
    if len(changes) < len(both):
        return []
    return [Said(Refusal.CHANGE_DOUBTED, {"change_day": int(days[changes[0].place]), "p": changes[0].p})]


def _missing_days(days: Ints) -> list[Said]:
    span = int(days[-1] - days[0]) + 1
    missing = span - len(days)
    return [Said(Remark.MISSING_DAYS, {"missing": missing, "days": span})] if missing else []


def _trend(t: Floats, fits: Fits, first_day: int) -> Trend:
    level, inflation = fits.main.level, fits.main.band.worth.inflation
    return Trend(
        first_day,
        len(t),
        fits,
        slope_interval(t, level, inflation),
        mann_kendall(level),
        mann_kendall(level, inflation),
        quantile_line(t, level, 0.9),
    )


def _extended(forecast: Forecast, days: Ints, holidays: Container[int]) -> Forecast:
    """Line and band beyond the history, as far as the history reaches back."""
    trend = forecast.trend
    assert trend is not None
    horizon = int(days[-1] - days[0]) + 1
    ahead = days[-1] + np.arange(1, horizon + 1, dtype=np.int64)
    t, weekdays = (ahead - trend.first_day).astype(np.float64), weekdays_of(ahead, holidays)
    centre, (low, high) = trend.fits.main.centre(t, weekdays), trend.fits.edges(t, weekdays)
    sign, (near, far) = (-1, (low, high)) if forecast.falling else (1, (high, low))
    return replace(
        forecast,
        horizon=horizon,
        future_days=ahead,
        centre=centre,
        low=low,
        high=high,
        fitted_days=days,
        fitted=trend.fits.main.centre(_since_first(days), weekdays_of(days, holidays)),
        crossing=Crossing(*(_first(ahead, sign * edge >= sign * forecast.limit) for edge in (near, centre, far))),
    )


def _first(days: Ints, there: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int | None:
    return int(days[there.argmax()]) if there.any() else None


def _refusals(forecast: Forecast, goal: Goal) -> tuple[Said, ...]:
    """Why no day may be named; empty where one may, or where the limit is out of reach."""
    trend, tested = forecast.trend, forecast.back_test
    assert trend is not None
    assert tested is not None
    refusals = []
    if not trend.significant:
        refusals.append(Said(Refusal.NO_TREND, {"p": trend.corrected.p}))
    elif (trend.band.line.slope < 0) != goal.falling:
        refusals.append(Said(Refusal.MOVING_AWAY, _a_day(trend, slope=trend.band.line.slope)))
    refusals += _failed(tested)
    width = _width_asked(forecast)
    if width > goal.limit / 2:
        refusals.append(Said(Refusal.BAND_TOO_WIDE, {"width": width, "half_limit": goal.limit / 2}))
    if forecast.crossing.median is None and not refusals:
        refusals.append(
            Said(Refusal.BEYOND_HISTORY, {"days": forecast.horizon, "last_day": int(forecast.future_days[-1])})
        )
    return tuple(refusals)


def _failed(tested: BackTest) -> list[Said]:
    if tested.origins < FEWEST_ORIGINS or tested.coverage is None:
        return [Said(Refusal.NOT_BACK_TESTED, {"origins": tested.origins, "needed": FEWEST_ORIGINS})]
    failed = []
    if tested.coverage < COVERAGE[0]:
        failed.append(Said(Refusal.BAND_MISSES, {"coverage": tested.coverage, "least": COVERAGE[0]}))
    if tested.mase is None or tested.mase >= 1:
        failed.append(Said(Refusal.WORSE_THAN_NAIVE, {"mase": tested.mase if tested.mase is not None else "-"}))
    return failed


def _a_day(trend: Trend, **slopes: float) -> dict[str, Fact]:
    suffix = "_share" if trend.compound else ""
    return {f"{name}{suffix}": trend.a_day(slope) for name, slope in slopes.items()}


def _index_asked(forecast: Forecast) -> int:
    """The day that is asked about: where the line reaches the limit, else the last one."""
    median = forecast.crossing.median
    return len(forecast.future_days) - 1 if median is None else int(median - forecast.future_days[0])


def _width_asked(forecast: Forecast) -> float:
    asked = _index_asked(forecast)
    return float(forecast.high[asked] - forecast.low[asked])


def _remarks(forecast: Forecast, days: Ints, holidays: Container[int]) -> list[Said]:
    trend, tested = forecast.trend, forecast.back_test
    assert trend is not None
    assert tested is not None
    low, high = trend.slope_interval
    slack = _ROUNDING * abs(trend.band.line.slope)
    remarks = _growth_remarks(forecast, trend, holidays)
    if trend.fits.main.effects is not None:
        remarks.append(Said(Remark.WEEK, {"swing": _swing(trend.fits.main.effects, forecast.fitted)}))
        free = int((weekdays_of(days, holidays) != weekdays_of(days)).sum())
        remarks += [Said(Remark.HOLIDAYS, {"days": free})] if free else []
    elif len(days) < FULL_WEEKS * 7:
        remarks.append(Said(Remark.WEEK_UNSEEN, {"weeks": FULL_WEEKS}))
    if not low - slack <= trend.band.ols.slope <= high + slack:
        remarks.append(Said(Remark.SPIKES, _a_day(trend, ols=trend.band.ols.slope, robust=trend.band.line.slope)))
    if (trend.peaks.slope < low - slack) if forecast.falling else (trend.peaks.slope > high + slack):
        remarks.append(Said(Remark.PEAKS_FASTER, _a_day(trend, peaks=trend.peaks.slope, robust=trend.band.line.slope)))
    if tested.coverage is not None and tested.coverage > COVERAGE[1]:
        remarks.append(Said(Remark.BAND_CAUTIOUS, {"coverage": tested.coverage}))
    if len(days) < 2 * _A_YEAR:
        remarks.append(Said(Remark.YEAR_UNSEEN))
    return remarks


def _growth_remarks(forecast: Forecast, trend: Trend, holidays: Container[int]) -> list[Said]:
    """Both growths are named only where that makes the band wider, on the day that is asked about."""
    if trend.compound:
        return [Said(Remark.COMPOUND, {"growth_share": trend.a_day(trend.band.line.slope)})]
    if trend.fits.other is None:
        return []
    asked = _index_asked(forecast)
    t = forecast.future_days[asked : asked + 1]
    at, weekdays = (t - trend.first_day).astype(np.float64), weekdays_of(t, holidays)
    low, high = trend.fits.main.edges(at, weekdays)
    if _width_asked(forecast) < _WIDER * float(high[0] - low[0]):
        return []
    compound = float(trend.fits.other.centre(at, weekdays)[0])
    facts: dict[str, Fact] = {"asked_day": int(t[0]), "straight": float(forecast.centre[asked]), "compound": compound}
    return [Said(Remark.GROWTH_OPEN, facts)]


def _swing(effects: WeeklyEffects, fitted: Floats) -> float:
    """Between the quietest and the busiest day of a week, at the mean level of the stretch."""
    week = effects.put_on(np.full(7, fitted.mean()), np.arange(7))
    return float(np.ptp(week))


def _decided(forecast: Forecast) -> Forecast:
    """The outcome from refusals and crossing; a limit that is reached already needs no forecast."""
    if forecast.outcome is Outcome.REACHED:
        return forecast
    beyond_only = [refusal.key for refusal in forecast.refusals] == [Refusal.BEYOND_HISTORY]
    if not forecast.refusals:
        return replace(forecast, outcome=Outcome.DATED)
    if beyond_only:
        return replace(forecast, outcome=Outcome.NOT_WITHIN if forecast.crossing.earliest is None else Outcome.POSSIBLE)
    return replace(forecast, crossing=Crossing(None, None, None))
