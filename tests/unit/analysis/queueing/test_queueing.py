"""Stations, laws and fits against textbook values, the stated reference table and R."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from tunebench.analysis.queueing.bottleneck import bottleneck, find_bottleneck
from tunebench.analysis.queueing.demand import utilisation_demand
from tunebench.analysis.queueing.laws import amdahl_bound, little_check
from tunebench.analysis.queueing.stations import erlang_c, knee, stretch
from tunebench.analysis.queueing.usl import NoPeak, fit_usl, throughput


def erlang_c_by_sum(m: int, rho: float) -> float:
    """The textbook sum, good for few servers."""
    offered = m * rho
    last = offered**m / factorial(m) / (1 - rho)
    return last / (sum(offered**k / factorial(k) for k in range(m)) + last)


@pytest.mark.parametrize("m", [1, 2, 3, 8, 16])
@pytest.mark.parametrize("rho", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_waiting_probability_is_the_textbook_sum(m: int, rho: float) -> None:
    assert erlang_c(m, rho) == pytest.approx(erlang_c_by_sum(m, rho), rel=1e-12)


def test_one_server_is_m_m_1() -> None:
    assert erlang_c(1, 0.7) == pytest.approx(0.7)
    assert stretch(1, 0.8) == pytest.approx(5.0)


def test_hundreds_of_servers_neither_overflow_nor_vanish() -> None:
    assert 0 < erlang_c(2000, 0.99) < 1
    assert 1 < stretch(2000, 0.999) < 2


@pytest.mark.parametrize(
    ("m", "rho"), [(1, 0.5), (2, 0.7071), (4, 0.8349), (8, 0.9092), (16, 0.9510), (32, 0.9740), (64, 0.9864)]
)
def test_knee_of_twice_the_service_time(m: int, rho: float) -> None:
    assert knee(m) == pytest.approx(rho, abs=5e-5)


def test_knee_inverts_the_stretch() -> None:
    assert stretch(6, knee(6, 3.0)) == pytest.approx(3.0)
    assert knee(2) == pytest.approx(2**-0.5)  # 1 / (1 - rho^2) = 2


@pytest.mark.parametrize(("m", "rho"), [(0, 0.5), (2, 1.0), (2, -0.1), (2, float("nan"))])
def test_impossible_stations_are_refused(m: int, rho: float) -> None:
    with pytest.raises(ValueError):
        erlang_c(m, rho)
    with pytest.raises(ValueError):
        knee(0)


@pytest.mark.parametrize("wanted", [1.0, 0.5, float("nan")])
def test_a_stretch_of_one_has_no_knee(wanted: float) -> None:
    with pytest.raises(ValueError):
        knee(4, wanted)


# -- bottlenecks -----------------------------------------------------------------------------------------


def test_cutting_the_largest_demand_gains_only_up_to_the_next_one() -> None:
    found = bottleneck({"cpu": 60, "disk": 40, "net": 5}, {"cpu": 10, "disk": 40, "net": 5})
    assert (found.before.name, found.after.name, found.shifted) == ("cpu", "disk", True)
    assert found.before.x_max_per_s == pytest.approx(1000 / 60)
    assert found.gain == pytest.approx(1.5)  # six times less work, half as much again


def test_servers_share_the_demand() -> None:
    found = find_bottleneck({"cpu": 60, "disk": 40}, {"cpu": 4})
    assert (found.name, found.x_max_per_s) == ("disk", 25.0)  # one server where none is told
    assert find_bottleneck({"net": 10, "cpu": 40, "disk": 40}).name == "cpu"  # the first of equals


def test_no_demand_at_all_bounds_nothing() -> None:
    assert bottleneck({"cpu": 0.0}, {"cpu": 1.0}).gain is None
    for wrong in ({}, {"cpu": -1.0}, {"cpu": float("nan")}, {"cpu": float("inf")}):
        with pytest.raises(ValueError):
            find_bottleneck(wrong)


# -- laws ------------------------------------------------------------------------------------------------


def test_little_holds_for_the_iostat_rows_of_the_guide() -> None:
    """(r/s + w/s) x svc_t = wait + actv, as the printed rows have it; svc_t in ms."""
    rate, service_s = np.array([1275.3, 0.0, 10.0]), np.array([0.1378, 0.0, 0.005])
    check = little_check(rate, service_s, np.array([175.7, 0.0, 0.05]))
    assert check.expected[0] == pytest.approx(175.74, abs=0.01)
    assert (check.judged, check.violated, check.holds) == (3, 0, True)


def test_little_names_violations_and_leaves_gaps_out() -> None:
    check = little_check([10.0, np.nan, 10.0], [0.1, 0.1, 0.1], [2.0, 1.0, 1.05])
    assert (check.judged, check.violated, check.holds) == (2, 1, False)
    assert check.deviation[0] == pytest.approx(0.5)
    assert np.isnan(check.deviation[1])
    assert little_check([np.nan], [1.0], [1.0]).holds is None


@pytest.mark.parametrize(("number", "violated"), [(90, 0), (89.9, 1), (111, 0), (111.2, 1), (0, 1)])
def test_little_may_be_off_by_a_tenth_of_the_larger_figure(number: float, violated: int) -> None:
    check = little_check([10.0], [10.0], [number])
    assert check.deviation[0] == pytest.approx(abs(100 - number) / max(100, number))
    assert check.violated == violated


@pytest.mark.parametrize(("violated", "holds"), [(1, True), (2, False)])
def test_little_holds_where_a_tenth_of_the_samples_deviate(violated: int, holds: bool) -> None:
    measured = [1.0] * (10 - violated) + [2.0] * violated
    assert little_check([1.0], [1.0], [*measured]).holds is holds


def test_amdahl() -> None:
    assert amdahl_bound(0.5) == pytest.approx(2)
    assert amdahl_bound(0.02, 1000) == pytest.approx(1 / (0.98 + 0.02 / 1000))
    assert amdahl_bound(1.0) == float("inf")
    assert (amdahl_bound(0.0), amdahl_bound(0.0, 5), amdahl_bound(1.0, 5)) == (1.0, 1.0, 5.0)
    for share, speed_up in ((1.2, 2), (-0.1, 2), (0.5, 0), (0.5, -1), (0.5, float("nan"))):
        with pytest.raises(ValueError):
            amdahl_bound(share, speed_up)


# -- regression ------------------------------------------------------------------------------------------

TPS, CPU = [100, 200, 300, 400, 500, 650], [12.4, 22.1, 33.9, 43.2, 54.8, 70.1]


def test_demand_is_r_s_lm() -> None:
    """R 4.2: lm(cpu ~ tps); predict(., interval = "prediction") at 1300."""
    found = utilisation_demand(TPS, CPU, 8)
    assert found.intercept_pct == pytest.approx(1.595876288660)
    assert found.slope_pct == pytest.approx(0.105546391753)
    assert found.r**2 == pytest.approx(0.999373286504)
    assert found.at(1300) == pytest.approx(138.806185567)
    assert found.at(1300) + found.half_width(1300) == pytest.approx(142.693648997)
    assert found.demand_ms == pytest.approx(0.105546391753 / 100 * 8 * 1000)
    assert found.load_at(80) == pytest.approx((80 - 1.595876288660) / 0.105546391753)


def test_dependent_samples_widen_the_interval() -> None:
    assert utilisation_demand(TPS, CPU, 8, inflation=2).half_width(500) > utilisation_demand(TPS, CPU, 8).half_width(
        500
    )


@pytest.mark.parametrize(
    ("load", "busy"), [([1, 2], [1, 2]), ([5, 5, 5], [1, 2, 3]), ([1, 2, np.nan], [1, 2, 3]), ([1, 2, 3], [1, 2])]
)
def test_what_cannot_be_fitted_is_refused(load: list[float], busy: list[float]) -> None:
    with pytest.raises(ValueError):
        utilisation_demand(load, busy)


def test_a_load_that_costs_nothing_has_no_load_at_the_limit() -> None:
    assert utilisation_demand([1, 2, 3], [5, 5, 5]).load_at(80) is None


# -- scalability -----------------------------------------------------------------------------------------

N = [1, 2, 4, 8, 16, 32, 64, 128]
RETROGRADE = [100.4, 189, 362, 637, 1055, 1490, 1712, 1598]


def test_usl_is_r_s_nls() -> None:
    """R 4.2: nls(algorithm = "port", lower = 0); intervals with qt(.975, 5)."""
    found = fit_usl(N, RETROGRADE)
    assert found.scale == pytest.approx(98.5844220029, rel=1e-6)
    assert found.sigma == pytest.approx(0.0303202856316, rel=1e-6)
    assert found.kappa == pytest.approx(1.88245708974e-4, rel=1e-6)
    assert found.sse == pytest.approx(194.654754322, rel=1e-9)
    assert found.kappa_interval is not None
    half = (found.kappa_interval[1] - found.kappa_interval[0]) / 2
    assert half == pytest.approx(2.57058183564 * 3.70826710842e-6, rel=1e-3)
    assert found.n_star == pytest.approx(((1 - 0.0303202856316) / 1.88245708974e-4) ** 0.5, rel=1e-6)
    assert found.no_peak == ()


def test_a_peak_that_nobody_saw_is_not_reported() -> None:
    found = fit_usl(N, [100.4, 189, 355, 610, 980, 1370, 1690, 1935])
    assert found.kappa == pytest.approx(4.7439e-6, rel=1e-3)
    assert found.no_peak == (NoPeak.KAPPA_NOT_ABOVE_ZERO, NoPeak.BEYOND_RANGE)


def test_without_crosstalk_there_is_a_ceiling_and_no_peak() -> None:
    """The bent-up last point would need a negative kappa: it is held at 0."""
    loads = np.array([1.0, 2, 4, 8, 16, 32])
    measured = throughput(loads, 100, 0.05, 0.0)
    measured[-1] *= 1.02
    found = fit_usl(loads, measured)
    assert (found.kappa, found.n_star, found.kappa_interval) == (0.0, None, None)
    assert found.x_max == pytest.approx(found.scale / found.sigma)


def test_straight_scaling_has_no_ceiling() -> None:
    found = fit_usl([1, 2, 4, 8, 16, 32], [100, 200, 400, 800, 1600, 3200])
    assert (found.n_star, found.x_max) == (None, None)


def test_more_than_proportional_gain_is_no_contention_of_zero() -> None:
    """Eight do ten times what one does, and then it falls; of loads in proportion no such thing is said."""
    loads = np.array([1.0, 2, 4, 8, 16, 32, 64])
    gained = fit_usl(loads, throughput(loads, 100, -0.05, 2e-3) * np.array([1, 1.01, 0.99, 1.01, 1, 0.99, 1]))
    assert gained.sigma == 0 and NoPeak.SUPERLINEAR in gained.no_peak
    said = 0
    for seed in range(40):
        measured = throughput(loads, 100, 0.0, 1e-4) * (1 + 0.02 * np.random.default_rng(seed).standard_normal(7))
        said += NoPeak.SUPERLINEAR in fit_usl(loads, measured).no_peak
    assert said == 0


def test_few_or_narrow_loads_report_no_peak() -> None:
    loads = np.array([40.0, 60, 80, 100, 120])
    found = fit_usl(loads, throughput(loads, 100, 0.03, 2e-4))
    assert found.n_star == pytest.approx((0.97 / 2e-4) ** 0.5, rel=1e-4)
    assert {NoPeak.FEW_LEVELS, NoPeak.NARROW_SPAN} <= set(found.no_peak)


@pytest.mark.parametrize(
    ("loads", "reasons"),
    [
        ([1, 2, 4, 8, 16], {NoPeak.FEW_LEVELS}),
        ([1, 2, 4, 8, 12, 16], set()),
        ([16, 18, 20, 22, 24, 26, 63], {NoPeak.NARROW_SPAN}),
        ([16, 18, 20, 22, 24, 26, 64], set()),
        ([1, 1, 2, 4, 8, 16], {NoPeak.FEW_LEVELS}),
    ],
)
def test_six_levels_over_a_span_of_four_are_the_least(loads: list[int], reasons: set[NoPeak]) -> None:
    """The peak lies at sqrt(.96 / .00375) = 16."""
    n = np.array(loads, dtype=float)
    found = fit_usl(n, throughput(n, 100, 0.04, 0.00375) * np.where(np.arange(len(n)) % 2, 1.0001, 0.9999))
    assert found.n_star == pytest.approx(16, rel=0.02)
    assert set(found.no_peak) == reasons


@pytest.mark.parametrize(("kappa", "beyond"), [(0.96 / 23.5**2, False), (0.96 / 24.5**2, True)])
def test_a_peak_half_as_far_again_as_was_measured_is_the_furthest(kappa: float, beyond: bool) -> None:
    n = np.array([1.0, 2, 4, 8, 12, 16])
    found = fit_usl(n, throughput(n, 100, 0.04, kappa))
    assert (NoPeak.BEYOND_RANGE in found.no_peak) is beyond


@pytest.mark.parametrize(
    ("load", "measured"), [([1, 2, 3], [1, 2, 3]), ([1, 1, 2, 2], [1, 1, 2, 2]), ([1, 2, 3, 4], [1, 2, 0, 4])]
)
def test_what_no_law_can_be_fitted_to(load: list[float], measured: list[float]) -> None:
    with pytest.raises(ValueError):
        fit_usl(load, measured)
