"""Whatever is joined: each line is in the ledger of one part, under its number in the file.

The suite joins a few texts, the same ones each time. ``make fuzz`` goes on with others.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from tests.fuzz.joined import fault_of_sections, joined
from tests.fuzz.samples import Sample, samples


def texts() -> list[tuple[Sample, ...]]:
    """Captures that may stand in one text, by their readers."""
    kinds = [tuple(each for each in theirs if b"\0" not in each.data[:4000]) for theirs in samples().values()]
    return [theirs for theirs in kinds if theirs]


def fault(kinds: list[tuple[Sample, ...]], seed: int) -> tuple[str, list[str]]:
    """Of some captures joined in one order, and in the other."""
    chance = random.Random(seed)
    parts = [chance.choice(chance.choice(kinds)) for _ in range(chance.randrange(2, 5))]
    size = chance.choice((1, 7, 300, 5000))
    for order in (parts, parts[::-1]):
        found = fault_of_sections(joined(order, random.Random(seed)), size)
        if found:
            return found, [part.name for part in order]
    return "", []


def test_joined_captures():
    kinds = texts()
    assert {seed: found for seed in range(40) if (found := fault(kinds, seed))[0]} == {}


@pytest.mark.soak
def test_joined_for_a_long_time():
    """New texts for ``FUZZ_SECONDS`` (600) from ``FUZZ_SEED``; what fails is named by its seed."""
    until = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "600"))
    start = seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 10**9)
    kinds, failures = texts(), []
    while time.monotonic() < until:
        found, names = fault(kinds, seed)
        if found:
            failures.append((seed, found, names))
            print(*failures[-1])
        seed += 1
    print(f"{2 * (seed - start)} joined texts from seed {start}")
    assert failures == []
