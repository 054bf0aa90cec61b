"""`calc` for stations, demands, trends and forecasts: expected values from R 4.2, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tunebench.analysis.calculations.catalogue import calculate
from tunebench.analysis.calculations.inputs import CalculationRefusal

WITH_SPIKE = [41, 42, 41, 44, 43, 45, 47, 46, 46, 49, 48, 50, 52, 51, 51, 54, 53, 55, 80, 56, 58, 57, 60, 59]
PLAIN = [
    41, 42, 41, 44, 43, 45, 47, 46, 46, 49, 48, 50, 52, 51, 51, 54, 53, 55, 56, 56, 58, 57, 60, 59, 61, 60, 63, 62,
]  # fmt: skip


def test_trend() -> None:
    found = calculate("trend", {"y": WITH_SPIKE, "threshold": 80})
    assert found["slope"] == pytest.approx(0.833333333333333)
    assert found["mk_p"] == pytest.approx(1.87579312173604e-09)
    assert found["days_to_80"] == pytest.approx(23.9)
    assert calculate("trend", {"y": [5, 5, 5], "threshold": 80})["days_to_80"] is None


def test_forecast() -> None:
    """R 4.2: slope of Theil and Sen, median of y - slope t; band of the formula; first whole days at 70 or above."""
    found: Any = calculate("forecast", {"y": PLAIN, "threshold": 70, "level": 0.8, "tp": [28, 40, 55]})
    assert found["r1"] == pytest.approx(-0.571969696970)
    assert (found["infl"], found["n_eff"]) == (1, 28)
    assert found["slope"] == pytest.approx(0.826086956522)
    assert found["intercept"] == pytest.approx(40.891304347826)
    assert found["fit"] == pytest.approx([64.0217391304, 73.9347826087, 86.3260869565])
    assert found["half"] == pytest.approx([1.3007891935, 1.4449930411, 1.7055444112])
    assert (found["first_upper"], found["first_fit"], found["first_lower"]) == (34, 36, 37)
    alone: Any = calculate("forecast", {"y": PLAIN, "threshold": 70, "level": 0.8, "tp": 36})
    assert alone["fit"] == pytest.approx(40.891304347826 + 36 * 0.826086956522)
    assert (alone["first_fit"], alone["first_lower"]) == (36, 37)  # whatever is asked


WITH_WEEKS = [
    38.3, 42.2, 39, 40.1, 44.1, 41.6, 40.7, 40.1, 40.6, 41.8, 44.7, 42.3, 40.6, 41.7, 40.6, 42, 41.9, 38.9, 42.3, 43.1,
    46, 47.6, 49.6, 49.2, 49.4, 47.4, 49.9, 51.4, 48, 46.1, 47.5, 50, 53.5, 53.5, 54.1, 53.4, 49.3, 45.4, 44.1, 46.7,
    51.6, 49.4, 49.9, 54.3, 51.8, 52.8, 50.5, 50.3, 49.8, 51, 54.8, 54.3, 55.8, 53.5, 53.4, 51.8,
]  # fmt: skip


@pytest.mark.parametrize("wanted", [[62, 83, 111], [60]])
def test_the_lower_edge_is_followed_until_it_arrives(wanted: list[int]) -> None:
    """R 4.2: 56 days, limit 65: the band's edges and its middle arrive on days 76, 97 and 129, whatever is asked."""
    found: Any = calculate("forecast", {"y": WITH_WEEKS, "threshold": 65, "level": 0.8, "tp": wanted})
    assert (found["first_upper"], found["first_fit"], found["first_lower"]) == (76, 97, 129)
    flat: Any = calculate("forecast", {"y": [5, 6, 5, 6, 5, 6], "threshold": 65, "level": 0.8, "tp": 9})
    assert flat["first_fit"] is None and flat["first_lower"] is None


def test_quantile_trend_of_a_straight_line() -> None:
    found: Any = calculate("quantile-trend", {"y": [3, 5, 7, 9, 11]})
    assert found["tau90"] == pytest.approx([3, 2])
    assert found["tau50"] == pytest.approx([3, 2])


def test_growth() -> None:
    found: Any = calculate("growth", {"now": 20, "limit": 80, "years": [3, 5], "growth": [0.1, 0.2, 0.3, 0.5]})
    assert [round(100 * rate, 1) for rate in found["implied_growth"]] == [58.7, 32.0]
    assert [round(span, 1) for span in found["years"]] == [14.5, 7.6, 5.3, 3.4]
    one: Any = calculate("growth", {"now": 20, "limit": 80, "years": 3, "growth": 0})
    assert (round(one["implied_growth"], 3), one["years"]) == (0.587, None)


def test_knee_of_one_station_and_of_several() -> None:
    assert calculate("knee", {"m": 2})["rho_stretch_2"] == pytest.approx(2**-0.5)
    assert calculate("knee", {"m": [1, 4]})["rho_stretch_2"] == pytest.approx([0.5, 0.8349], abs=5e-5)


def test_demand() -> None:
    given = {"tps": [100, 200, 300, 400, 500, 650], "cpu": [12.4, 22.1, 33.9, 43.2, 54.8, 70.1], "ncpu": 8}
    found = calculate("demand", given)
    assert found["cpu_at_2x"] == pytest.approx(138.806185567)
    assert found["cpu_at_2x_upr95"] == pytest.approx(142.693648997)
    assert found["cpu_ms_per_tx"] == pytest.approx(8.44371134)


def test_usl() -> None:
    given = {"N": [1, 2, 4, 8, 16, 32, 64, 128], "X": [100.4, 189, 362, 637, 1055, 1490, 1712, 1598]}
    found = calculate("usl", given)
    assert found["kappa"] == pytest.approx(1.88245708974e-4, rel=1e-6)
    assert found["not_reported_because"] == []


def test_bottleneck() -> None:
    found = calculate("bottleneck", {"before": {"cpu": 60, "disk": 40}, "after": {"cpu": 10, "disk": 40}})
    assert (found["bottleneck"], found["gain"]) == (["cpu", "disk"], pytest.approx(1.5))


@pytest.mark.parametrize(
    ("name", "given", "named"),
    [
        ("trend", {"y": [1, 2], "threshold": 5}, "y"),
        ("trend", {"y": [1, 2, 3]}, "threshold"),
        ("forecast", {"y": PLAIN, "threshold": 70, "tp": 1e9}, "tp"),
        ("forecast", {"y": PLAIN, "threshold": 70, "tp": 30, "level": 1.2}, "level"),
        ("growth", {"now": 0, "limit": 80, "years": 3, "growth": 0.1}, "now"),
        ("growth", {"now": 20, "limit": 80, "years": -3, "growth": 0.1}, "years"),
        ("growth", {"now": 20, "limit": 80, "years": 3, "growth": -1}, "growth"),
        ("knee", {"m": 0}, "m"),
        ("knee", {"m": 1.5}, "m"),
        ("erlang-c", {"m": 2, "rho": [0.5, 1.0]}, "rho"),
        ("demand", {"tps": [5, 5, 5], "cpu": [1, 2, 3], "ncpu": 2}, "tps"),
        ("demand", {"tps": [1, 2, 3], "cpu": [1, 2], "ncpu": 2}, "cpu"),
        ("usl", {"N": [1, 1, 2, 2], "X": [1, 1, 2, 2]}, "N"),
        ("bottleneck", {"before": {"cpu": -1}, "after": {"cpu": 1}}, "before"),
    ],
)
def test_a_refusal_names_the_key(name: str, given: dict[str, Any], named: str) -> None:
    with pytest.raises(CalculationRefusal) as refused:
        calculate(name, given)
    assert refused.value.facts["name"].startswith(named)  # type: ignore[attr-defined]
