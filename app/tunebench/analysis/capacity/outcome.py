"""What a forecast says, or why it says nothing. Keys and facts; the sentences are in the catalogues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from math import expm1

from tunebench.analysis.capacity.back_test import BackTest
from tunebench.analysis.capacity.band import Band
from tunebench.analysis.capacity.daily import Ints
from tunebench.analysis.capacity.fits import Fits, Growth
from tunebench.analysis.capacity.line import Floats, Line, MannKendall
from tunebench.core.records import record

Fact = float | int | str


class Outcome(StrEnum):
    """`possible`: only the early edge of the band reaches the limit within the horizon."""

    DATED = "dated"
    POSSIBLE = "possible"
    NOT_WITHIN = "not_within"
    REACHED = "reached"
    REFUSED = "refused"


class Refusal(StrEnum):
    NOT_FINITE = "not_finite"
    NEGATIVE = "negative"
    FEW_DAYS = "few_days"
    SHORT_DAYS = "short_days"
    CONSTANT = "constant"
    SATURATED = "saturated"
    FEW_DAYS_SINCE_CHANGE = "few_days_since_change"
    CHANGE_DOUBTED = "change_doubted"
    NO_TREND = "no_trend"
    MOVING_AWAY = "moving_away"
    BEYOND_HISTORY = "beyond_history"
    BAND_TOO_WIDE = "band_too_wide"
    NOT_BACK_TESTED = "not_back_tested"
    BAND_MISSES = "band_misses"
    WORSE_THAN_NAIVE = "worse_than_naive"


class Remark(StrEnum):
    CHANGE = "change"
    COMPOUND = "compound"
    GROWTH_OPEN = "growth_open"
    WEEK = "week"
    HOLIDAYS = "holidays"
    WEEK_UNSEEN = "week_unseen"
    YEAR_UNSEEN = "year_unseen"
    MISSING_DAYS = "missing_days"
    SHORT_DAYS_LEFT_OUT = "short_days_left_out"
    SPIKES = "spikes"
    PEAKS_FASTER = "peaks_faster"
    BAND_CAUTIOUS = "band_cautious"


@record
class Said:
    """A refusal or remark with its figures; days are numbers of days or days since 1970-01-01 (`..._day`), what is said
    as a share of the value is `..._share`."""

    key: Refusal | Remark
    facts: Mapping[str, Fact] = field(default_factory=dict)


@record
class Crossing:
    """Days since 1970-01-01 on which band and line first reach the limit; None: not within the horizon."""

    earliest: int | None
    median: int | None
    latest: int | None


@record
class Trend:
    """Of the last regime, per day. Slopes are on the scale of its growth; `a_day` takes them off it.

    Attributes:
        first_day: where t is 0, days since 1970-01-01.
        slope_interval: 95 %, variance for dependent days.
        plain: Mann-Kendall as of independent days; `corrected`: with the variance for dependent ones, which decides.
        peaks: quantile regression at tau .9, without weekly effects.
    """

    first_day: int
    n: int
    fits: Fits
    slope_interval: tuple[float, float]
    plain: MannKendall
    corrected: MannKendall
    peaks: Line

    @property
    def band(self) -> Band:
        return self.fits.main.band

    @property
    def compound(self) -> bool:
        return self.fits.main.growth is Growth.COMPOUND

    def a_day(self, slope: float) -> float:
        """The change of a day: in the unit of the series; of compound growth as a share of the value."""
        return expm1(slope) if self.compound else slope

    @property
    def significant(self) -> bool:
        return self.corrected.p < 0.05


@record
class Forecast:
    """
    Attributes:
        days, values: int64[n] and float64[n], the history as given.
        limit, falling: reached from below, or from above where `falling`.
        regime_day: first day of the stretch that the trend is of.
        trend, back_test: None where there is too little for them.
        horizon: days beyond the last measured one that are looked at: as many as the regime spans.
        future_days, centre, low, high: int64[h] and float64[h]; empty without a trend.
        fitted_days, fitted: the line over the regime's own days.
    """

    days: Ints
    values: Floats
    limit: float
    falling: bool
    outcome: Outcome
    refusals: tuple[Said, ...]
    remarks: tuple[Said, ...]
    crossing: Crossing
    regime_day: int
    horizon: int
    trend: Trend | None
    back_test: BackTest | None
    future_days: Ints
    centre: Floats
    low: Floats
    high: Floats
    fitted_days: Ints
    fitted: Floats
