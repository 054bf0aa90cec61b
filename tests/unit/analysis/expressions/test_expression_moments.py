"""Gaps, means over stretches of time and states that last, on a few samples counted by hand."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.expressions.moments import Moments, lasting, stretches, trailing_mean

SECOND = 10**9
NAN = float("nan")


def moments(*seconds: float) -> Moments:
    return Moments(len(seconds), np.array([round(second * SECOND) for second in seconds], dtype=np.int64))


def test_a_gap_is_more_than_three_usual_distances():
    assert moments(0, 5, 10, 25, 30).run_starts.tolist() == [0]
    assert moments(0, 5, 10, 25.1, 30).run_starts.tolist() == [0, 3]
    assert moments(7).run_starts.tolist() == [0]
    assert moments().run_starts.tolist() == []


def test_a_mean_needs_its_whole_stretch():
    values = np.array([1.0, 2.0, 3.0, 4.0, 100.0, 6.0, 8.0])
    times = moments(0, 10, 20, 30, 200, 210, 220)
    found = trailing_mean(values, times, 20)
    np.testing.assert_allclose(found, [NAN, 1.5, 2.5, 3.5, NAN, 53.0, 7.0])


def test_a_mean_needs_half_of_its_samples():
    values = np.array([1.0, NAN, NAN, 4.0, 6.0])
    np.testing.assert_allclose(trailing_mean(values, moments(0, 1, 2, 3, 4), 3), [NAN, NAN, NAN, NAN, 5.0])


def test_a_sample_that_stands_for_the_whole_stretch_is_its_mean():
    """sar every ten minutes, asked for means over ten minutes."""
    values = np.array([80.0, 90.0, 70.0])
    np.testing.assert_allclose(trailing_mean(values, moments(0, 600, 1200), 600), values)


def test_the_mean_of_a_constant_is_not_above_it():
    values = np.full(5000, 85.3)
    found = trailing_mean(values, moments(*range(5000)), 600)
    assert not np.any(found > 85.3)
    assert np.isfinite(found[600:]).all()


def test_a_state_lasts_until_it_is_cleared():
    value = np.array([80.0, 90.0, 80.0, 70.0, 80.0, 90.0, 80.0, 80.0])
    times = moments(0, 1, 2, 3, 4, 5, 100, 101)
    state = lasting(value > 85, value < 75, times)
    # raised at 90, held at 80, cleared at 70, not raised again by 80; raised at 90 and ended by the gap
    assert state.tolist() == [False, True, True, False, False, True, False, False]


def test_raising_wins_over_clearing():
    yes = np.array([True])
    assert lasting(yes, yes, moments(0)).tolist() == [True]


def test_stretches_end_at_gaps():
    held = np.array([True, True, False, True, True, True])
    first, last = stretches(held, moments(0, 1, 2, 3, 4, 100))
    assert (first.tolist(), last.tolist()) == ([0, 3, 5], [1, 4, 5])
