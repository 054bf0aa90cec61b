"""What is unusual in a stretch: made series in which a known one moved, or none did."""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.exploring.moved import onset_ns, unusual

SERIES, STRETCHES = 2_000, 13
ASKED = STRETCHES // 2


def made(days: int, spread: float, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    by_day = 1 + random.normal(0, spread / 2, (SERIES, 1 + days, 1))
    by_hour = 1 + 0.4 * np.sin(np.arange(STRETCHES) / 3)
    return 100 * by_day * by_hour * (1 + random.normal(0, spread, (SERIES, 1 + days, STRETCHES)))


@pytest.mark.parametrize("days", [3, 4, 9])
@pytest.mark.parametrize("spread", [0.05, 0.1, 0.3])
def test_of_series_in_which_nothing_moved_few_are_called_unusual(days: int, spread: float) -> None:
    judged = unusual(made(days, spread))
    assert judged.by_days.all()
    assert float((np.abs(judged.z) >= 4).mean()) <= 0.012


@pytest.mark.parametrize("days", [3, 9])
def test_one_that_doubled_is_found_against_the_same_hour_of_other_days(days: int) -> None:
    cells = made(days, 0.1)
    cells[:50, 0, ASKED] *= 2
    judged = unusual(cells)
    assert float((judged.z[:50] >= 4).mean()) >= 0.95
    assert judged.usual[60:].mean() == pytest.approx(cells[60:, 1:, ASKED].mean(), rel=0.02)


def test_the_hours_own_course_is_nothing_unusual() -> None:
    """A rise that every day has at that hour."""
    cells = made(4, 0.02)
    cells[:, :, ASKED] *= 3
    assert float((np.abs(unusual(cells).z) >= 4).mean()) <= 0.012


def test_without_like_days_the_time_around_says_what_is_usual() -> None:
    cells = np.full((3, 1, STRETCHES), 10.0) + np.random.default_rng(2).normal(0, 0.1, (3, 1, STRETCHES))
    cells[1, 0, ASKED] = 25.0
    judged = unusual(cells)
    assert not judged.by_days.any()
    assert judged.z[1] > 20 and np.abs(judged.z[[0, 2]]).max() < 4
    assert judged.usual[1] == pytest.approx(10, abs=0.2)


def test_two_like_days_are_too_few_and_nothing_measured_says_nothing() -> None:
    cells = np.full((2, 4, STRETCHES), np.nan)
    cells[0, :3] = 10.0
    judged = unusual(cells)
    assert not judged.by_days[0] and judged.z[0] == 0
    assert np.isnan(judged.z[1])


@pytest.mark.parametrize("days", [0, 4])
def test_of_no_series_nothing_is_said(days: int) -> None:
    """A project that holds nothing but reports of a database has none to look at."""
    judged = unusual(np.empty((0, 1 + days, STRETCHES)))
    assert judged.z.shape == judged.value.shape == judged.usual.shape == judged.by_days.shape == (0,)


def test_the_onset_is_half_the_way() -> None:
    times = np.arange(0, 100, 10)
    values = np.array([4.0, 4, 5, 6, 20, 38, 39, 40, 40, 4])
    assert onset_ns(times, values, 4.0, 40.0) == 50
    assert onset_ns(times, -values, -4.0, -40.0) == 50
    assert onset_ns(times, np.full(10, 4.0), 4.0, 40.0) is None
