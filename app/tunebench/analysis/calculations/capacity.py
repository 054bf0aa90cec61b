"""`calc`: trends over days t = 0, 1, ..., forecasts with a band, growth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunebench.analysis.calculations.inputs import Floats, Inputs
from tunebench.analysis.capacity import growth as scenarios
from tunebench.analysis.capacity.band import fit_band
from tunebench.analysis.capacity.line import Line, least_squares, mann_kendall, theil_sen
from tunebench.analysis.capacity.quantile_line import quantile_line

_MOST_DAYS = 3000  # every pair of days has a slope
_MOST_AHEAD = 100_000


def trend(given: Inputs) -> Mapping[str, object]:
    y, t = _days(given, 3)
    line, trend_test = theil_sen(t, y), mann_kendall(y)
    to_threshold = (given.number("threshold") - line.intercept) / line.slope - t[-1] if line.slope != 0 else None
    return {
        "slope": line.slope,
        "intercept": line.intercept,
        "ols_slope": least_squares(t, y).slope,
        "mk_S": trend_test.s,
        "mk_varS": trend_test.variance,
        "mk_Z": trend_test.z,
        "mk_p": trend_test.p,
        "days_to_80": to_threshold,
    }


def quantile_trend(given: Inputs) -> Mapping[str, object]:
    y, t = _days(given, 3)
    return {f"tau{tau * 100:.0f}": _pair(quantile_line(t, y, tau)) for tau in (0.9, 0.5)}


def forecast(given: Inputs) -> Mapping[str, object]:
    """`tp`: the days to forecast; the first crossings are looked for from the day after the last one on, to the last
    day that may be asked for; None where none comes until then."""
    y, t = _days(given, 4)
    wanted = np.array(given.number_list_or_one("tp"))
    fits = wanted.min() >= 0 and wanted.max() <= _MOST_AHEAD
    given.require(fits, "calc_out_of_range", "tp", range=f"0 … {_MOST_AHEAD}")
    threshold = given.number("threshold")
    band = fit_band(t, y, given.share("level"))
    ahead = np.arange(len(y), _MOST_AHEAD + 1, dtype=np.float64)
    centre, half = band.line.at(ahead), band.half(ahead)
    return {
        "r1": band.worth.lag1,
        "infl": band.worth.inflation,
        "n_eff": band.worth.n_eff,
        "slope": band.line.slope,
        "intercept": band.line.intercept,
        "fit": given.as_asked("tp", band.line.at(wanted).tolist()),
        "half": given.as_asked("tp", band.half(wanted).tolist()),
        "first_upper": _first(ahead, centre + half, threshold),
        "first_fit": _first(ahead, centre, threshold),
        "first_lower": _first(ahead, centre - half, threshold),
    }


def growth(given: Inputs) -> Mapping[str, object]:
    """Growth as a share per year: .25 is 25 %; a list for a list, a number for one."""
    now, limit = _positive(given, "now"), _positive(given, "limit")
    spans, rates = given.number_list_or_one("years"), given.number_list_or_one("growth")
    given.require(min(spans) > 0, "calc_not_positive", "years")
    given.require(min(rates) > -1, "calc_out_of_range", "growth", range="> -1")
    implied = [scenarios.implied_growth(now, limit, span) for span in spans]
    years = [scenarios.years_until(now, limit, rate) for rate in rates]
    return {"implied_growth": given.as_asked("years", implied), "years": given.as_asked("growth", years)}


def _days(given: Inputs, fewest: int) -> tuple[Floats, Floats]:
    y = given.numbers("y", fewest=fewest, most=_MOST_DAYS)
    return y, np.arange(len(y), dtype=np.float64)


def _positive(given: Inputs, key: str) -> float:
    value = given.number(key)
    given.require(value > 0, "calc_not_positive", key)
    return value


def _pair(line: Line) -> list[float]:
    return [line.intercept, line.slope]


def _first(t: Floats, edge: Floats, threshold: float) -> int | None:
    there = edge >= threshold
    return int(t[there.argmax()]) if there.any() else None
