"""Waiting times between tries, and noticing that the machine slept."""

from __future__ import annotations

import pytest

from tunebench.capture.backoff import Backoff
from tunebench.capture.suspend import SuspendWatch


def test_the_steps_are_those_of_the_design() -> None:
    backoff = Backoff(jitter=0.0)
    assert [backoff.next_s() for _ in range(9)] == [1, 2, 5, 10, 20, 40, 80, 80, 80]
    backoff.reset()
    assert backoff.next_s() == 1


def test_the_spread_is_a_fifth() -> None:
    first, last = Backoff(spread=lambda low, high: low), Backoff(spread=lambda low, high: high)
    assert [round(first.next_s(), 9) for _ in range(3)] == [0.8, 1.6, 4.0]
    assert [round(last.next_s(), 9) for _ in range(3)] == [1.2, 2.4, 6.0]
    one = Backoff()
    assert all(64.0 <= value <= 96.0 for value in [one.next_s() for _ in range(50)][6:])


class Clocks:
    def __init__(self) -> None:
        self.steady, self.wall = 1000.0, 5000.0

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def watch(self) -> SuspendWatch:
        return SuspendWatch(10.0, lambda: self.steady, lambda: self.wall)


def test_time_that_passes_normally_is_no_sleep() -> None:
    clocks = Clocks()
    watch = clocks.watch()
    for _ in range(100):
        clocks.passes(1.0)
        assert watch.look() is None
    assert watch.recent(60.0) is None


@pytest.mark.parametrize(
    ("steady_s", "wall_s", "slept_s"),
    [(0.0, 300.0, 300.0), (0.0, 9.75, None), (0.0, 10.0, 10.0), (40.0, 0.0, 40.0), (40.0, -3600.0, 40.0)],
)
def test_a_sleep_is_noticed_by_whichever_clock_shows_it(steady_s: float, wall_s: float, slept_s: float | None) -> None:
    """The steady clock stops while the machine sleeps; the wall clock may be set back meanwhile."""
    clocks = Clocks()
    watch = clocks.watch()
    clocks.steady += steady_s
    clocks.wall += wall_s
    sleep = watch.look()
    assert (None if sleep is None else sleep.slept_s) == slept_s


def test_a_stopped_program_is_noticed_by_whoever_asks_first() -> None:
    clocks = Clocks()
    watch = clocks.watch()
    clocks.passes(40.0)
    assert watch.recent(30.0) is not None
    clocks.passes(5.0)
    assert watch.recent(30.0) is not None
    for _ in range(6):
        clocks.passes(5.0)
        watch.look()
    assert watch.recent(30.0) is None
