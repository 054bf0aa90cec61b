"""An axis holds all its values: linear from zero, logarithmic where they span decades."""

from __future__ import annotations

import pytest

from tunebench.columns.formats import rounded_text
from tunebench.columns.value_axis import axis_of, is_wide


def test_a_linear_axis_begins_at_zero_and_holds_its_largest_value() -> None:
    axis = axis_of([2.0, 10.0])
    assert not axis.wide and axis.low == 0.0 and axis.high > 10.0
    assert [tick for tick, _ in axis.ticks] == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert axis.share(axis.low) == 0.0 and axis.share(axis.high) == 1.0


def test_an_axis_that_need_not_begin_at_zero_leaves_out_what_is_below() -> None:
    axis = axis_of([100.0, 110.0], from_zero=False)
    assert 99.0 < axis.low < 100.0 and 110.0 < axis.high < 111.0


def test_decades_are_shared_out_evenly() -> None:
    axis = axis_of([1.0, 1000.0])
    assert axis.wide and [words for _, words in axis.ticks] == ["1", "10", "100", "1,000"]
    assert axis.share(100.0) - axis.share(10.0) == pytest.approx(axis.share(10.0) - axis.share(1.0))


def test_nothing_and_one_value_have_an_axis_too() -> None:
    assert axis_of([]).low == 0.0 and axis_of([]).high == pytest.approx(1.04)
    assert axis_of([0.0]).high > 0.0


@pytest.mark.parametrize(
    ("values", "wide"), [([], False), ([0.0, 100.0], False), ([1.0, 30.0], False), ([1, 31], True)]
)
def test_zero_is_on_no_logarithmic_scale(values: list[float], wide: bool) -> None:
    assert is_wide(values) is wide


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (0.0, "0"), (12_345.6, "12,350"), (0.123456, "0.1235"), (2.5e9, "2.5e+09"), (0.00001234, "1.23e-05")],
)
def test_a_rounded_figure_has_four_digits(value: float | None, words: str) -> None:
    assert rounded_text(value) == words
