"""Which of many things is unlike the others: made sets with one that was changed by a known factor."""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.exploring.peers import peers, robust_z, stays_apart_from

DISKS, CELLS = 100, 120


def made(seed: int) -> np.ndarray:
    """Disks of 2 to 8 ms, each with a quarter of noise."""
    random = np.random.default_rng(seed)
    return random.uniform(2, 8, (DISKS, 1)) * random.lognormal(0, 0.25, (DISKS, CELLS))


def test_one_three_times_as_slow_all_the_time_comes_first() -> None:
    first = 0
    for seed in range(60):
        values = made(seed)
        values[63] = 15 * np.random.default_rng(seed).lognormal(0, 0.25, CELLS)  # thrice the middle of the others
        ranked = peers(values)
        first += int(ranked.order[0]) == 63
        assert 63 in ranked.order[:5]
    assert first >= 55


def test_one_that_is_slow_for_an_hour_comes_first_and_is_a_surge() -> None:
    values = made(1)
    values[7, 40:50] *= 6
    ranked = peers(values)
    assert ranked.order[0] == 7 and ranked.score[7] >= 1
    assert 40 <= ranked.surge[7] < 50
    assert stays_apart_from(values, 7) is None


def test_from_when_on_it_stays_apart_is_told() -> None:
    values = np.full((12, 100), 5.0)
    values[3, 60:] = 40.0
    assert stays_apart_from(values, 3) == 60
    assert stays_apart_from(values, 4) is None
    values[3] = 40.0
    assert stays_apart_from(values, 3) == 0


def test_where_high_is_good_the_lowest_is_unlike() -> None:
    values = np.full((12, 20), 300.0) + np.arange(12.0)[:, None]
    values[5] = 20.0
    ranked = peers(values, high_is_bad=False)
    assert ranked.order[0] == 5 and ranked.level[5] == 20.0
    assert stays_apart_from(values, 5, high_is_bad=False) == 0


def test_what_was_not_measured_is_neither_first_nor_in_the_way() -> None:
    values = made(2)
    values[4] = np.nan
    ranked = peers(values)
    assert ranked.order[-1] == 4 and np.isnan(ranked.score[4]) and ranked.surge[4] == -1
    assert np.isnan(robust_z(np.full(3, np.nan))).all()


def test_things_that_are_alike_have_no_first() -> None:
    values = np.full((40, 30), 5.0) + np.random.default_rng(3).normal(0, 0.02, (40, 30))
    assert float(np.nanmax(peers(values).score)) < 1


def test_the_usual_level_is_that_of_the_others() -> None:
    values = np.array([[9.0], [1.0], [2.0], [3.0]])
    assert peers(values).usual(0) == pytest.approx(2.0)
