"""Values from the published success case and from the arithmetic of the definition."""

from __future__ import annotations

from decimal import Decimal
from math import nan

import pytest

from tunebench.analysis.comparing.improvement import Change, half_up, improvement, towards_zero
from tunebench.domain.engagement import Direction

LOWER, HIGHER, NEUTRAL = Direction.LOWER, Direction.HIGHER, Direction.NEUTRAL


@pytest.mark.parametrize(
    ("before", "after", "ratio", "rate"),
    [
        (590.997, 33.17, "17.8", "94.4"),
        (37_539_159, 841_817, "44.6", "97.8"),
        (800_000, 110_000, "7.3", "86.3"),
        (200_000, 20_000, "10.0", "90.0"),
        (10, 1, "10.0", "90.0"),
        (200, 100, "2.0", "50.0"),
    ],
)
def test_lower_is_better(before: float, after: float, ratio: str, rate: str) -> None:
    result = improvement(before, after, LOWER)
    assert result.change is Change.IMPROVED
    assert result.ratio is not None and result.rate_pct is not None
    assert str(half_up(result.ratio, 1)) == ratio
    assert str(half_up(result.rate_pct, 1)) == rate


def test_regression_keeps_its_sign() -> None:
    result = improvement(1, 1.3, LOWER)
    assert (result.change, result.ratio) == (Change.REGRESSED, Decimal("1.3"))
    assert result.rate_pct == Decimal(30)
    worse = improvement(100, 50, HIGHER)
    assert (worse.change, worse.ratio, worse.rate_pct) == (Change.REGRESSED, Decimal(2), Decimal(-50))


def test_higher_is_better_is_after_over_before() -> None:
    result = improvement(100, 250, HIGHER)
    assert (result.change, result.ratio, result.rate_pct) == (Change.IMPROVED, Decimal("2.5"), Decimal(150))


def test_unchanged_and_neutral() -> None:
    assert improvement(7, 7, LOWER).change is Change.UNCHANGED
    result = improvement(200, 100, NEUTRAL)
    assert (result.change, result.ratio, result.rate_pct) == (Change.CHANGED, Decimal("0.5"), Decimal(-50))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (None, 1.0, "before_missing"),
        (1.0, None, "after_missing"),
        (None, None, "both_missing"),
        (nan, 1.0, "before_missing"),
        (0.0, 5.0, "before_zero"),
        (5.0, 0.0, "after_zero"),
        (-1.0, 2.0, "negative"),
    ],
)
def test_refusals(before: float | None, after: float | None, reason: str) -> None:
    result = improvement(before, after, LOWER)
    assert (result.change, result.reason, result.ratio) == (Change.NOT_COMPUTABLE, reason, None)


def test_bound_below_gives_at_least() -> None:
    result = improvement(95, 20, LOWER, after_bound="<", percentage=True)
    assert result.at_least and result.change is Change.IMPROVED
    assert result.points == Decimal(-75)
    assert result.ratio == Decimal("4.75")


def test_bound_pointing_the_wrong_way_says_nothing() -> None:
    assert improvement(95, 20, LOWER, after_bound=">").reason == "bounds"
    assert improvement(95, 20, LOWER, before_bound="<").reason == "bounds"
    assert improvement(20, 95, LOWER, after_bound="<").reason == "bounds"


def test_bound_proves_a_regression() -> None:
    result = improvement(20, 95, LOWER, after_bound=">")
    assert (result.change, result.ratio, result.at_least) == (Change.REGRESSED, Decimal("4.75"), True)


def test_half_up_works_on_the_decimal_not_the_binary() -> None:
    assert str(half_up(2.675, 2)) == "2.68"
    assert str(half_up(0.05, 1)) == "0.1"
    assert str(half_up(-2.5, 0)) == "-3"
    assert str(towards_zero(Decimal("7.2799"), 2)) == "7.27"


@pytest.mark.parametrize("value", [1e20, 1.5e300, -1e308])
def test_figures_of_any_size_are_rounded(value: float) -> None:
    assert float(half_up(value, 9)) == float(towards_zero(Decimal(value), 9)) == value
