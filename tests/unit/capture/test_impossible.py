"""What cannot have been measured is taken out of a batch, and what can be stays as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunebench.capture.impossible import Plausibility
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.ledger import Ledger
from tunebench.domain.series import SeriesTraits
from tunebench.sdk.batches import SampleBatch, SeriesKey

PERCENT, COUNT = SeriesKey("cpu", "%user"), SeriesKey("cpu", "runs")
UNBOUNDED = SeriesTraits("", "", Kind.GAUGE, Direction.NEUTRAL, 1.0, "")
TRAITS = {PERCENT: replace(UNBOUNDED, least=0.0, most=100.0), COUNT: UNBOUNDED}
NAN = float("nan")


def batch(*rows: tuple[float, float], since_boot: bool = False) -> SampleBatch:
    count = len(rows)
    return SampleBatch(
        "cpu",
        np.arange(count, dtype=np.int64),
        (PERCENT, COUNT),
        np.array(rows, dtype=float).reshape(count, 2),
        np.full(count, since_boot),
        np.arange(10, 10 + count, dtype=np.int64),
    )


@pytest.fixture
def plausibility() -> Plausibility:
    return Plausibility(TRAITS.__getitem__)


@pytest.mark.parametrize("rows", [[], [(0.0, -5.0), (100.0, 1e18)], [(NAN, 1.0), (50.0, NAN)], [(NAN, NAN)]])
def test_what_may_be_is_given_as_it_came(plausibility: Plausibility, rows: list[tuple[float, float]]) -> None:
    given = batch(*rows)
    assert plausibility.judged(given) is given
    assert plausibility.named(Ledger()).impossible.count == 0


def test_what_cannot_be_is_not_measured_and_is_named(plausibility: Plausibility) -> None:
    judged = plausibility.judged(batch((50.0, 1.0), (100.5, NAN), (NAN, 2.0), (-0.1, 3.0)))
    assert np.array_equal(judged.values[:, 0], [50.0, NAN, NAN, NAN], equal_nan=True)
    assert np.array_equal(judged.values[:, 1], [1.0, NAN, 2.0, 3.0], equal_nan=True)
    named = plausibility.named(Ledger(samples=6))
    assert (named.impossible.count, named.impossible.first_line, named.samples) == (2, 11, 4)


def test_an_average_since_boot_counts_nowhere(plausibility: Plausibility) -> None:
    judged = plausibility.judged(batch((900.0, 1.0), since_boot=True))
    assert judged.values[0, 0] == 900.0
    assert plausibility.named(Ledger()).impossible.count == 0
