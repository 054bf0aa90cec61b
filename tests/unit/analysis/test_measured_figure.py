"""The figure of a window, its interval and the words by it: drawn with stated seeds."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from tunebench.analysis.comparing.deciding import decision_of
from tunebench.analysis.comparing.measured_figure import MeasuredFigure, as_change, logarithms
from tunebench.analysis.inference.occurrences import Confidence, Level, Prior, Source
from tunebench.domain.comparability import ChangeInterval
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import WindowLoad


def measured(own: list[Level], others: list[Level], **more: object) -> MeasuredFigure:
    told: dict[str, object] = {
        "value": float(np.mean([each.value for each in own])),
        "prior": Prior(0.1, 4.0, Source.KIND),
        "load": WindowLoad.PRODUCTION,
        **more,
    }
    return MeasuredFigure(own=own, others=others, **told)  # type: ignore[arg-type]


def judged(
    before: list[Level], after: list[Level], prior: Prior, direction: Direction, unit: str, margin: float, paired: bool
) -> Callable[[Confidence], ChangeInterval]:
    """The change as a comparison decides it, at any confidence."""
    sides = (before, after)
    logs = None
    if all(each.value > 0 for side in sides for each in side):
        logs = logarithms(before), logarithms(after)

    def change(confidence: Confidence) -> ChangeInterval:
        found = decision_of(sides, logs, prior, direction, margin, unit=unit, paired=paired, confidence=confidence)
        return as_change(found, direction, margin)

    return change


def test_the_interval_lies_around_the_mean_of_the_occurrences() -> None:
    """By hand: variance of the logarithms of five days with four degrees of freedom, and four of the kind's 10 %."""
    days = [20.0, 22.0, 19.0, 23.0, 21.0]
    found = measured([Level(each) for each in days], [], value=21.4).interval()
    assert found is not None
    variance = (4 * np.var(np.log(days), ddof=1) + 4 * 0.1**2) / 8
    reach = stats.t.ppf(0.975, 8) * sqrt(variance / 5)
    assert found.value == pytest.approx(21.0)
    assert (found.low, found.high) == pytest.approx((21 * exp(-reach), 21 * exp(reach)))


def test_the_interval_reaches_to_the_figure_of_all_samples() -> None:
    """A percentile of all samples is that of the worst day: 40 of days with 20."""
    days = [Level(each) for each in (20.0, 20.1, 19.9, 20.0, 20.2)]
    found = measured(days, [], value=40.0, prior=Prior(0.01, 4.0, Source.KIND)).interval()
    assert found is not None and found.value == pytest.approx(20.04)
    assert found.low < 20.04 and found.high == 40.0


def drawn(random: np.random.Generator, share_of_zeros: float) -> tuple[MeasuredFigure, Direction]:
    """Sides of one to six occurrences, some of percentages near zero, some with zeros or below."""
    level = exp(random.uniform(log(0.1), log(90)))
    sides = []
    for ratio in (1.0, exp(random.normal(0, 0.3))):
        values = level * ratio * np.exp(random.normal(0, random.uniform(0, 0.3), random.integers(1, 7)))
        values[random.random(len(values)) < share_of_zeros] = random.choice([0.0, -level])
        weights = random.integers(10, 400, len(values))
        sides.append([Level(float(v), float((0.02 * v) ** 2), float(w)) for v, w in zip(values, weights, strict=True)])
    repeats = max(map(len, sides)) > 1
    value = float(np.mean([each.value for each in sides[1]]) * exp(random.normal(0, 0.1)))
    prior = Prior(random.uniform(0.02, 0.2), 4.0, Source.KIND if repeats else Source.ASSUMED)
    direction = (Direction.LOWER, Direction.HIGHER)[random.integers(2)]
    unit, margin = ("ms", "%")[random.integers(2)], random.choice([0.05, 0.10])
    change = judged(sides[0], sides[1], prior, direction, unit, margin, len(sides[0]) == len(sides[1]) == 3)
    return measured(sides[1], sides[0], value=value, prior=prior, change=change), direction


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.2])
def test_the_word_is_what_the_interval_says(share_of_zeros: float) -> None:
    """All of it better by what matters, all of it worse, all of it within; else undecided. Alone and as one of five."""
    random = np.random.default_rng(11)
    words, by_difference = set(), 0
    for _ in range(400):
        figure, direction = drawn(random, share_of_zeros)
        alone, among = figure.interval(), figure.interval(5)
        assert alone is not None and among is not None
        assert among.low <= alone.low <= min(alone.value, figure.value)
        assert max(alone.value, figure.value) <= alone.high <= among.high
        for found in (alone, among):
            change = found.change
            assert change is not None
            if change.difference is not None:
                ends, worse, better = change.difference, change.least, -change.least
                by_difference += 1
            elif change.ends is not None:
                assert change.ratio is not None and change.ends[0] <= change.ratio <= change.ends[1]
                ends, worse, better = change.ends, 1 + change.margin, 1 / (1 + change.margin)
            else:
                assert change.verdict in ("inconclusive", "improved", "regressed")  # an end is zero or infinite
                continue
            low, high = ends
            if direction is Direction.HIGHER:
                low, high, worse, better = -high, -low, -better, -worse
            expected = (
                "regressed"
                if low > worse
                else "improved"
                if high < better
                else "equivalent"
                if better <= low and high <= worse
                else "inconclusive"
            )
            assert change.verdict == expected
            words.add(expected)
    assert words == {"regressed", "improved", "equivalent", "inconclusive"} and by_difference > 50
