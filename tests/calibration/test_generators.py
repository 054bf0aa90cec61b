"""What the calibration takes for true is true of what it generates."""

from __future__ import annotations

import numpy as np
import pytest

from tests.calibration.generators import (
    AFTER,
    BEFORE,
    CHANGED,
    HOURS,
    LOADS,
    REQUESTS_PER_S,
    ROWS,
    SERVICE_S,
    UNCHANGED,
    Workload,
    autoregression,
    fractional,
    queued,
)

DAYS = 300
MOST_ERRORS = 4.0
"""Standard errors."""


@pytest.mark.parametrize("generator", [*UNCHANGED, *CHANGED], ids=lambda each: each.name)
def test_the_means_of_both_sides_differ_by_what_is_said(generator):
    random = np.random.default_rng(1)
    means = [generator.side(random, side, generator.factors(random, DAYS)).mean(axis=1) for side in (BEFORE, AFTER)]
    error = np.hypot(*(each.std() / np.sqrt(DAYS) / each.mean() for each in means))
    assert abs(np.log(means[0].mean() / means[1].mean() / generator.ratio)) < MOST_ERRORS * error


@pytest.mark.parametrize("hurst", [0.7, 0.85, 0.9])
def test_fractional_noise_keeps_its_memory(hurst):
    random = np.random.default_rng(2)
    means = np.array([fractional(random, hurst).mean() for _ in range(1000)])
    assert means.std() == pytest.approx(ROWS ** (hurst - 1), rel=0.1)


@pytest.mark.parametrize("root", [0.5, 0.9, 0.98])
def test_autoregression_has_its_root(root):
    random = np.random.default_rng(3)
    days = np.array([autoregression(random, root) for _ in range(500)])
    assert days.var() == pytest.approx(1, abs=0.1)
    assert (days[:, 1:] * days[:, :-1]).mean() / days.var() == pytest.approx(root, abs=0.02)


@pytest.mark.parametrize("load", sorted({load for load, _ in LOADS.values()}))
def test_a_steady_queue_is_that_of_the_book(load):
    """M/M/1: busy = rate x service, response = service / (1 - busy), queue = busy / (1 - busy)."""
    random = np.random.default_rng(4)
    days = [queued(random, np.full(ROWS, load)) for _ in range(10)]
    busy = REQUESTS_PER_S * SERVICE_S * load
    assert np.mean([each.busy_pct for each in days]) == pytest.approx(100 * busy, rel=0.02)
    assert np.mean([each.response_ms for each in days]) == pytest.approx(1000 * SERVICE_S / (1 - busy), rel=0.05)
    assert np.mean([each.queue for each in days]) == pytest.approx(busy / (1 - busy), rel=0.05)


def test_statements_cost_the_same_in_every_period():
    random = np.random.default_rng(5)
    workload = Workload.drawn(random, 0.1)
    hours = [hour for _ in range(DAYS // HOURS) for hour in workload.day(random)]
    each = [one.total_ms / one.calls / workload.each_ms for one in hours]
    assert np.mean(each) == pytest.approx(1, abs=0.01)
    assert np.log(np.mean(each, axis=0)).std() < 0.03
