"""When will the limit be reached? A range of days, or the reasons why none can be named.

The steps: refuse what is no history; keep what came after the last change; weekly effects; trend; band; back-test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.analysis.capacity.back_test import FEWEST_ORIGINS, BackTest, back_test
from app.analysis.capacity.band import Band, fit_band
from app.analysis.capacity.daily import Ints
from app.analysis.capacity.line import Floats, mann_kendall, slope_interval
from app.analysis.capacity.outcome import Crossing, Forecast, Outcome, Refusal, Remark, Said, Trend
from app.analysis.capacity.quantile_line import quantile_line
from app.analysis.capacity.regime import last_regime
from app.analysis.capacity.week import FULL_WEEKS, Weekdays, WeeklyEffects, weekly_effects

FEWEST_DAYS = 14
COVERAGE = (0.65, 0.95)
_SATURATED = 0.95
RECENT_DAYS = 7
_A_YEAR = 365
_ROUNDING = 1e-6
_THURSDAY = 3  # 1970-01-01, Monday is 0


@dataclass(frozen=True, slots=True)
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


def forecast(days: Ints, values: Floats, goal: Goal) -> Forecast:
    """Of one figure a day, int64[n] ascending days since 1970-01-01; a day that was not measured is not there.

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
    return _decided(_with_trend(plain, goal))


def weekdays_of(days: Ints) -> Weekdays:
    """0 is Monday."""
    weekdays: Weekdays = (days + _THURSDAY) % 7
    return weekdays


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


def _with_trend(plain: Forecast, goal: Goal) -> Forecast:
    days, values = plain.days, plain.values
    remarks = [*_missing_days(days)]
    change = last_regime((days - days[0]).astype(np.float64), _without_week(days, values))
    if change is not None:
        before = int(change.place)
        remarks.append(Said(Remark.CHANGE, {"change_day": int(days[before]), "p": change.p, "days": before}))
        days, values = days[before:], values[before:]
        plain = replace(plain, regime_day=int(days[0]))
        if len(days) < FEWEST_DAYS or values.min() == values.max():
            facts = {"days": len(days), "needed": FEWEST_DAYS, "change_day": int(days[0])}
            refusal = Said(Refusal.FEW_DAYS_SINCE_CHANGE, facts)
            return replace(plain, remarks=tuple(remarks), refusals=(refusal,))
    trend = _trend(days, values)
    tested = back_test((days - days[0]).astype(np.float64), weekdays_of(days), values)
    found = _extended(replace(plain, trend=trend, back_test=tested), days)
    return replace(found, refusals=_refusals(found, goal), remarks=(*remarks, *_remarks(found, days)))


def _without_week(days: Ints, values: Floats) -> Floats:
    """A weekly pattern about the line hides a change of the line: every weekend is one."""
    t, weekdays = (days - days[0]).astype(np.float64), weekdays_of(days)
    effects = weekly_effects(t, weekdays, values)
    return values if effects is None else effects.taken_off(values, weekdays)


def _missing_days(days: Ints) -> list[Said]:
    span = int(days[-1] - days[0]) + 1
    missing = span - len(days)
    return [Said(Remark.MISSING_DAYS, {"missing": missing, "days": span})] if missing else []


def _trend(days: Ints, values: Floats) -> Trend:
    t, weekdays = (days - days[0]).astype(np.float64), weekdays_of(days)
    effects = weekly_effects(t, weekdays, values)
    band = fit_band(t, values, effects, weekdays)
    level = values if effects is None else effects.taken_off(values, weekdays)
    inflation = band.worth.inflation
    return Trend(
        int(days[0]),
        len(days),
        band,
        slope_interval(t, level, inflation),
        mann_kendall(level),
        mann_kendall(level, inflation),
        quantile_line(t, level, 0.9),
    )


def _extended(found: Forecast, days: Ints) -> Forecast:
    """Line and band beyond the history, as far as the history reaches back."""
    trend = found.trend
    assert trend is not None
    horizon = int(days[-1] - days[0]) + 1
    ahead = days[-1] + np.arange(1, horizon + 1, dtype=np.int64)
    centre, half = _centre_and_half(trend.band, ahead, trend.first_day)
    sign = -1 if found.falling else 1
    return replace(
        found,
        horizon=horizon,
        future_days=ahead,
        centre=centre,
        low=centre - half,
        high=centre + half,
        fitted_days=days,
        fitted=_centre_and_half(trend.band, days, trend.first_day)[0],
        crossing=Crossing(
            *(
                _first(ahead, sign * edge >= sign * found.limit)
                for edge in (centre + sign * half, centre, centre - sign * half)
            )
        ),
    )


def _centre_and_half(band: Band, days: Ints, first_day: int) -> tuple[Floats, Floats]:
    t, weekdays = (days - first_day).astype(np.float64), weekdays_of(days)
    return band.centre(t, weekdays), band.half(t, weekdays)


def _first(days: Ints, there: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int | None:
    return int(days[there.argmax()]) if there.any() else None


def _refusals(found: Forecast, goal: Goal) -> tuple[Said, ...]:
    """Why no day may be named; empty where one may, or where the limit is out of reach."""
    trend, tested = found.trend, found.back_test
    assert trend is not None
    assert tested is not None
    refusals = []
    if not trend.significant:
        refusals.append(Said(Refusal.NO_TREND, {"p": trend.corrected.p}))
    elif (trend.band.line.slope < 0) != goal.falling:
        refusals.append(Said(Refusal.MOVING_AWAY, {"slope": trend.band.line.slope}))
    refusals += _failed(tested)
    width = _width_asked(found)
    if width > goal.limit / 2:
        refusals.append(Said(Refusal.BAND_TOO_WIDE, {"width": width, "half_limit": goal.limit / 2}))
    if found.crossing.median is None and not refusals:
        refusals.append(Said(Refusal.BEYOND_HISTORY, {"days": found.horizon, "last_day": int(found.future_days[-1])}))
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


def _width_asked(found: Forecast) -> float:
    """Of the band on the day that is asked about: where the line reaches the limit, else at the horizon."""
    median = found.crossing.median
    place = -1 if median is None else int(median - found.future_days[0])
    return float(found.high[place] - found.low[place])


def _remarks(found: Forecast, days: Ints) -> list[Said]:
    trend, tested = found.trend, found.back_test
    assert trend is not None
    assert tested is not None
    low, high = trend.slope_interval
    slack = _ROUNDING * abs(trend.band.line.slope)
    remarks = []
    if trend.band.effects is not None:
        remarks.append(Said(Remark.WEEK, {"swing": _swing(trend.band.effects, found.fitted)}))
    elif len(days) < FULL_WEEKS * 7:
        remarks.append(Said(Remark.WEEK_UNSEEN, {"weeks": FULL_WEEKS}))
    if not low - slack <= trend.band.ols.slope <= high + slack:
        remarks.append(Said(Remark.SPIKES, {"ols": trend.band.ols.slope, "robust": trend.band.line.slope}))
    if (trend.peaks.slope < low - slack) if found.falling else (trend.peaks.slope > high + slack):
        remarks.append(Said(Remark.PEAKS_FASTER, {"peaks": trend.peaks.slope, "robust": trend.band.line.slope}))
    if tested.coverage is not None and tested.coverage > COVERAGE[1]:
        remarks.append(Said(Remark.BAND_CAUTIOUS, {"coverage": tested.coverage}))
    if len(days) < 2 * _A_YEAR:
        remarks.append(Said(Remark.YEAR_UNSEEN))
    return remarks


def _swing(effects: WeeklyEffects, fitted: Floats) -> float:
    """Between the quietest and the busiest day of a week, at the mean level of the stretch."""
    week = effects.put_on(np.full(7, fitted.mean()), np.arange(7))
    return float(np.ptp(week))


def _decided(found: Forecast) -> Forecast:
    """The outcome from refusals and crossing; a limit that is reached already needs no forecast."""
    if found.outcome is Outcome.REACHED:
        return found
    beyond_only = [said.key for said in found.refusals] == [Refusal.BEYOND_HISTORY]
    if not found.refusals:
        return replace(found, outcome=Outcome.DATED)
    if beyond_only:
        return replace(found, outcome=Outcome.NOT_WITHIN if found.crossing.earliest is None else Outcome.POSSIBLE)
    return replace(found, crossing=Crossing(None, None, None))
