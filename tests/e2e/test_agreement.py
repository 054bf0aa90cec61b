"""The criterion for two recordings of one machine: never a false alarm, and yet it sees what is wrong."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.e2e.agreement import EXACT, PERCENT, compare

SECONDS = 120


def growth(seed: int, steady: float, bursts: int) -> list[float]:
    """What a counter grew in each tenth of a second: some steady work, and bursts of a hundred times that."""
    choose = random.Random(seed)
    tenths = [choose.expovariate(1.0) * steady for _ in range(10 * (SECONDS + 20))]
    for _ in range(bursts):
        tenths[choose.randrange(len(tenths))] += 1000 * steady
    return tenths


def recorded(tenths: list[float], seed: int, latest: float) -> list[tuple[int, float]]:
    """A tool that sleeps a second and is late by up to `latest`; its stamps are whole seconds."""
    choose = random.Random(seed)
    at = choose.random()
    read = 0
    samples = []
    while at < SECONDS + 10:
        now = int(at * 10)
        samples.append((int(at), sum(tenths[read:now])))
        read = now
        at += 1.0 + choose.random() * latest
    return samples


@given(st.integers(0, 10**6), st.integers(0, 200), st.sampled_from([0.01, 0.2, 0.9]))
def test_recordings_of_one_counter_never_contradict(seed: int, bursts: int, latest: float) -> None:
    tenths = growth(seed, 100.0, bursts)
    one, two = recorded(tenths, seed + 1, latest), recorded(tenths, seed + 2, latest / 3)
    found = compare([one[3:50], one[60:-8]], two[1:], EXACT, stretch_s=15)
    assert found.stretches > 20
    assert found.contradictions == []


def pair() -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    tenths = growth(1, 100.0, 20)
    return recorded(tenths, 2, 0.02)[3:-8], recorded(tenths, 3, 0.02)


def test_a_tenth_too_much_or_too_little_is_seen() -> None:
    one, two = pair()
    for factor in (0.9, 1.1):
        assert compare([[(at, value * factor) for at, value in one]], two).contradictions


def test_another_time_is_seen() -> None:
    one, two = pair()
    for shift in (-5, 5):
        assert compare([[(at + shift, value) for at, value in one]], two).contradictions


def test_lost_and_doubled_samples_are_seen() -> None:
    one, two = pair()
    burst = max(range(10, 90), key=lambda index: one[index][1])
    assert compare([one[:burst] + one[burst + 1 :]], two).contradictions
    doubled = [*one[: burst + 1], (one[burst][0] + 1, one[burst][1]), *one[burst + 2 :]]
    assert compare([doubled], two).contradictions


def test_percent_allows_for_intervals_that_were_too_long() -> None:
    """Every sample says 50 %, but one tool was so slow that it has fewer of them."""
    local = [(at, 50.0) for at in range(200)]
    slow = [(at + at // 10, 50.0) for at in range(20, 120)]
    assert not compare([slow], local, PERCENT).contradictions
    assert compare([[(at, 70.0) for at, _ in local[20:180]]], local, PERCENT, stretch_s=100).contradictions
