"""Axes that hold their data, and thinning that keeps the extremes."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from reportlab.graphics.shapes import String

from tunebench.reporting.axis import Axis, break_gaps, clock_label, thin, time_axis, value_axis
from tunebench.reporting.document import SeriesPair, SeriesPanel
from tunebench.reporting.pdf.charts import hatch, series_pair
from tunebench.reporting.pdf.fonts import register


@pytest.mark.parametrize("largest", [591.0, 37_539_159.0, 0.0012, 100.0, 500.0, 7.0, 1e9, 0.3])
def test_value_axis_starts_at_zero_and_ends_above(largest: float) -> None:
    axis = value_axis(largest)
    assert axis.minimum == 0 and axis.maximum > largest
    assert axis.maximum <= largest * 2.01
    assert axis.ticks[-1] == pytest.approx(axis.maximum)


@pytest.mark.parametrize(
    "step",
    [
        "0.001",
        "0.002",
        "0.0025",
        "0.005",
        "0.01",
        "0.025",
        "0.1",
        "0.2",
        "0.25",
        "0.5",
        "1",
        "2",
        "2.5",
        "5",
        "20",
        "250",
    ],
)
def test_the_labels_of_an_axis_have_the_decimals_of_its_step(step: str) -> None:
    exponent = Decimal(step).as_tuple().exponent
    assert Axis(0.0, 1.0, float(step)).decimals == -int(exponent)


def test_fixed_axis_gives_way_only_to_larger_values() -> None:
    assert value_axis(95, fixed_maximum=100).maximum == 100
    assert value_axis(100, fixed_maximum=100).maximum == 100
    assert value_axis(180, fixed_maximum=100).maximum > 180
    assert value_axis(0, fixed_maximum=100).maximum == 100


def test_time_axis_shows_whole_days_and_short_windows() -> None:
    assert time_axis(0, 86_370).ticks == [0, 21_600, 43_200, 64_800, 86_400]
    short = time_axis(36_005, 36_125, ticks=4)
    assert short.minimum <= 36_005 and short.maximum >= 36_125 and short.step == 30
    assert clock_label(36_030, 30) == "10:00:30"
    assert clock_label(90_000, 3600) == "25:00"


def test_a_window_is_a_whole_day_where_it_is_more_than_four_fifths_of_one() -> None:
    """A second past midnight is of the day still."""
    assert [time_axis(0, end).maximum for end in (86_401, 86_402)] == [86_400, 86_402]
    assert [time_axis(0, end).maximum for end in (69_120, 69_121)] == [69_120, 86_400]
    assert [time_axis(start, 86_400).minimum for start in (-1, 0, 1)] == [-1, 0, 0]


@pytest.mark.parametrize("unit_s", [1, 60])
@pytest.mark.parametrize("count", [1, 2, 5, 10, 15, 30])
def test_time_is_ticked_as_a_clock_is_read(unit_s: int, count: int) -> None:
    """Seconds and minutes by ones, twos, fives, tens, quarters and halves; hours by what divides a day."""
    step = count * unit_s
    assert time_axis(3600, 3600 + 5 * step).step == step
    assert time_axis(3600, 3600 + 5 * step + 1).step > step


def test_hours_and_days_are_ticked_by_what_divides_a_day() -> None:
    next_day = 25 * 3600
    counts = (1, 2, 3, 4, 5, 6, 7, 12, 13, 24, 25, 60)
    hours = [time_axis(next_day, next_day + 5 * 3600 * count).step / 3600 for count in counts]
    assert hours == [1, 2, 3, 4, 6, 6, 12, 12, 24, 24, 48, 72]


@pytest.mark.parametrize(("folded", "labels"), [(True, {"22:00", "00:00", "02:00"}), (False, {"24:00", "25:00"})])
def test_days_over_each_other_begin_anew_at_midnight(folded: bool, labels: set[str]) -> None:
    register()
    hours, level = np.arange(22.0, 26.25, 0.25) * 3600, np.ones(17)
    panel = SeriesPanel("", "", hours, level, 900.0, band=(level, level) if folded else None)
    missing = SeriesPanel("", "", np.empty(0), np.empty(0), absent="not captured")
    for pair in ((panel, missing), (missing, panel)):
        drawing = series_pair(SeriesPair("", *pair, None, True, ""))
        clocks = [each.text for group in drawing.contents for each in group.contents if isinstance(each, String)]
        clocks = [each for each in clocks if ":" in each]
        assert set(clocks) >= labels and len(clocks) == 2 * len(set(clocks)), "either panel has the same"


def test_thinning_keeps_every_extreme() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 50_000)
    values[31_234], values[7] = 40.0, -40.0
    times = np.arange(50_000, dtype=np.float64)
    thinned_times, thinned = thin(times, values, 400)
    assert len(thinned) <= 800
    assert thinned.max() == 40.0 and thinned.min() == -40.0
    assert (np.diff(thinned_times) > 0).all()


def test_thinning_keeps_gaps() -> None:
    values = np.ones(10_000)
    values[4_000:4_500] = np.nan
    _, thinned = thin(np.arange(10_000, dtype=np.float64), values, 100)
    assert np.isnan(thinned).any()


def test_a_missing_stretch_breaks_the_line() -> None:
    times, values = break_gaps(np.array([0.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0]), 10.0)
    assert list(times) == [0, 10, 20, 100]
    assert np.isnan(values[2]) and np.isfinite(values[[0, 1, 3]]).all()
    unknown, _ = break_gaps(np.array([0.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0]), None)
    assert len(unknown) == 3


def test_hatching_stays_inside_its_bar() -> None:
    for x1, y1, x2, y2 in hatch(10, 20, 30, 90, 4):
        assert 10 <= x1 <= x2 <= 40.001 and 20 <= y2 <= y1 <= 110.001
