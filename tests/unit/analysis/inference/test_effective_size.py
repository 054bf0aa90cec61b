"""Effective sample sizes: known processes, missing samples, and the warning of slow decay."""

from __future__ import annotations

from itertools import takewhile

import numpy as np
import pytest

from tests.unit.analysis.inference.test_series_comparison import autoregressions
from tunebench.analysis.inference.autocovariance import Autocorrelation
from tunebench.analysis.inference.effective_size import effective_size


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_an_autoregression_is_worth_what_theory_says(phi: float) -> None:
    series = autoregressions(phi, 20_000, 3, 11)
    expected = 20_000 * (1 - phi) / (1 + phi)
    for row in series:
        found = effective_size(row)
        assert found.lag1 == pytest.approx(phi, abs=0.02)
        assert found.n_ar1 == pytest.approx(expected, rel=0.1)
        assert found.n_geyer == pytest.approx(expected, rel=0.25)
        assert found.n_eff == min(found.n_ar1, found.n_geyer)


@pytest.mark.parametrize("n", [4, 6, 9, 10, 11, 12, 13, 30, 61, 240])
@pytest.mark.parametrize("phi", [-0.6, 0.0, 0.5, 0.97])
def test_the_second_estimate_is_geyer_s_initial_monotone_sequence(n: int, phi: float) -> None:
    """Written out: sums of neighbouring correlations up to a third of the series, until one is not positive, none
    counted as more than the one before; with the correction of the mean of a short series."""
    for series in [*autoregressions(phi, n, 8, 19), np.arange(float(n))]:
        deviations = series - series.mean()
        correlations = [float(np.dot(deviations[: n - lag], deviations[lag:])) for lag in range(n)]
        pairs = [
            (correlations[2 * place] + correlations[2 * place + 1]) / correlations[0]
            for place in range(n)
            if 2 * place + 1 <= n / 3
        ]
        positive = list(takewhile(lambda pair: pair > 0, pairs))
        tau = max(1.0, 2 * sum(np.minimum.accumulate(positive)) - 1)
        found = effective_size(series)
        assert found.n_geyer == pytest.approx(n / (tau * (1 + 2 * tau / n)), rel=1e-9)
        lag1 = correlations[1] / correlations[0]
        lag1 = min(max(lag1 + (1 + 4 * lag1) / n, 0.0), 0.97)  # the bias of a short series (Kendall 1954)
        assert found.n_ar1 == pytest.approx(max(n * (1 - lag1) / (1 + lag1), 2.0), rel=1e-9)
        assert found.slowly_decaying is (n >= 10 and found.n_ar1 > 1.5 * found.n_geyer)


@pytest.mark.parametrize(
    ("values", "slow"), [([2.0, 0, 5, 1, 4, 7, 2, 8, 6], False), ([8.0, 2, 7, 3, 0, 4, 0, 0, 2, 0], True)]
)
def test_fewer_than_ten_samples_show_no_slow_decay(values: list[float], slow: bool) -> None:
    found = effective_size(np.array(values))
    assert found.n_ar1 > 2 * found.n_geyer
    assert found.slowly_decaying is slow


@pytest.mark.parametrize(("count", "n"), [(0, 0), (1, 1)])
def test_too_little_for_a_correlation(count: int, n: int) -> None:
    found = effective_size(np.full(count, 3.0))
    assert (found.n, found.n_eff, found.slowly_decaying) == (n, float(n), False)


def test_a_constant_series_counts_in_full() -> None:
    found = effective_size(np.full(1_000, 0.1))  # 0.1's mean is not exactly 0.1
    assert (found.n_eff, found.lag1) == (1_000.0, 0.0)


def test_never_below_two() -> None:
    assert effective_size(np.arange(50.0)).n_eff == pytest.approx(2.0)
    two = effective_size(np.array([1.0, 2.0]))
    assert (two.n_eff, two.lag1) == (2.0, -0.5)  # -1/2 times 1/2, over twice a quarter
    three = effective_size(np.array([1.0, 2.0, 3.0]))
    assert three.n_eff == pytest.approx(2.0)
    assert three.lag1 == 0.0


def test_a_ramp_counts_as_an_autoregression_of_97_hundredths() -> None:
    assert effective_size(np.arange(1_000.0)).n_ar1 == pytest.approx(1_000 * 0.03 / 1.97)


def test_slow_decay_is_noticed_and_seldom_imagined() -> None:
    """A slow component under noise looks harmless at lag 1; a true autoregression does not set the warning off."""
    slow = autoregressions(0.97, 240, 200, 12) + np.random.default_rng(13).standard_normal((200, 240))
    plain = autoregressions(0.5, 240, 400, 14)
    assert np.mean([effective_size(row).slowly_decaying for row in slow]) > 0.9
    assert np.mean([effective_size(row).slowly_decaying for row in plain]) < 0.1


@pytest.mark.parametrize("n", [50, 2_880, 30_001])
def test_products_and_transform_agree(n: int) -> None:
    series = autoregressions(0.8, n, 1, 15)[0]
    direct = Autocorrelation(series[np.newaxis])
    deviations = series - series.mean()
    for lag in (1, 7, 24, 40, n // 3):
        expected = float(np.dot(deviations[:-lag], deviations[lag:]) / np.dot(deviations, deviations))
        assert direct.at(lag)[0] == pytest.approx(expected, abs=1e-10)
    assert direct.at(0)[0] == 1.0 and direct.at(n)[0] == 0.0


def test_missing_samples_neither_raise_nor_lower_the_correlation() -> None:
    series = autoregressions(0.8, 20_000, 1, 16)[0]
    holes = series.copy()
    holes[np.random.default_rng(17).random(20_000) < 0.3] = np.nan
    whole, rest = Autocorrelation(series[np.newaxis]), Autocorrelation(holes[np.newaxis])
    assert rest.count[0] < 15_000
    for lag in (1, 3, 30, 200):
        assert rest.at(lag)[0] == pytest.approx(whole.at(lag)[0], abs=0.03)


def test_a_full_mask_changes_nothing() -> None:
    """The formula for missing samples, with none missing but one beyond the end."""
    series = autoregressions(0.6, 400, 1, 18)[0]
    padded = np.append(series, np.nan)
    for lag in (1, 5, 60):
        share = (1 - lag / 401) * 400 / (400 - lag)
        found, plain = (Autocorrelation(each[np.newaxis]).at(lag)[0] for each in (padded, series))
        assert found == pytest.approx(plain * share, rel=1e-9)


def test_what_does_not_vary_has_no_correlation_to_speak_of() -> None:
    """No sample, a single one, the same one again and again; and two that differ."""
    gap = float("nan")
    rows = [[gap] * 4, [gap, 7.1, gap, gap], [0.1, 0.1, gap, 0.1], [1.0, gap, gap, 2.0]]
    correlation = Autocorrelation(np.array(rows))
    assert correlation.usable.tolist() == [False, False, False, True]
    assert correlation.count.tolist() == [0, 1, 3, 2]
    assert correlation.at(1)[:3].tolist() == [0.0] * 3
