"""How sure the figure of a window is, by the occurrences that it was measured in, and its change from another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, isfinite, log

from tunebench.analysis.comparing.deciding import ASSUMED_SD, Decision
from tunebench.analysis.inference.occurrences import (
    Confidence,
    Level,
    MeanLevel,
    Prior,
    Source,
    confidence_among,
    interval_of,
)
from tunebench.core.records import record
from tunebench.domain.comparability import ChangeInterval, FigureInterval
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import WindowLoad


@record
class MeasuredFigure:
    """
    Attributes:
        value: of all samples together.
        own: what each occurrence measured, in the unit of the figure; one or more.
        others: of the window that it is compared with; none where that has no samples.
        prior: relative.
        change: from the other window's figure, at a confidence; None where that has no samples.
        short: an occurrence is shorter, or has fewer samples, than a verdict needs.
    """

    value: float
    own: Sequence[Level]
    others: Sequence[Level]
    prior: Prior
    load: WindowLoad
    change: Callable[[Confidence], ChangeInterval] | None = None
    short: bool = False

    def interval(self, count: int = 1) -> FigureInterval | None:
        """Around the mean of the occurrences, as one of `count` figures that are judged together.

        Another window has the same mean of occurrences within its interval; a percentile of all samples follows the
        worst of them, and its interval would hold the truth in 79 to 95 % (days that differ by 10 to 40 %). Where the
        figure of all samples lies beyond, the interval reaches to it: nothing is said that one of the two contradicts.
        """
        repeats = len(self.own) > 1 or len(self.others) > 1
        confidence = confidence_among(count, self.prior, repeats=repeats)
        logs = all(level.value > 0 for level in (*self.others, *self.own))
        own, others = ((logarithms(side) if logs else side) for side in (self.own, self.others))
        scale = 1.0 if logs else abs(sum(level.value for level in own)) / len(own)
        estimate = interval_of(
            own, Prior(self.prior.sd * scale, self.prior.df, self.prior.source), others, confidence=confidence
        )
        if estimate.interval is None:
            return None
        value, reach = _mean(self.own), (estimate.interval.high - estimate.interval.low) / 2
        low, high = (value * exp(-reach), value * exp(reach)) if logs else (value - reach, value + reach)
        return FigureInterval(
            min(low, self.value),
            max(high, self.value),
            confidence.level,
            estimate.occurrences,
            _sd(estimate, self.load, scale),
            estimate.df,
            estimate.source.value,
            value,
            self.short,
            None if self.change is None else self.change(confidence),
            count,
        )


def as_change(decision: Decision, direction: Direction, margin: float) -> ChangeInterval:
    """
    Args:
        margin: the least change that matters, as a fraction.
    """
    difference = None
    if decision.least is not None and decision.difference_interval is not None:
        difference = decision.difference_interval.low, decision.difference_interval.high
    ratio, ends = _as_measured(decision, direction)
    return ChangeInterval(decision.verdict.value, margin, ratio, ends, difference, decision.least or 0.0)


def _mean(side: Sequence[Level]) -> float:
    return sum(level.weight * level.value for level in side) / sum(level.weight for level in side)


def logarithms(side: Sequence[Level]) -> list[Level]:
    """Logarithms of levels above zero, with the variance of the logarithm."""
    return [Level(log(level.value), level.variance / level.value**2, level.weight) for level in side]


def _sd(mean: MeanLevel, load: WindowLoad, scale: float) -> float:
    """Variation as a fraction; an assumed one without that inside an occurrence, which is measured."""
    if mean.source is Source.ASSUMED:
        return ASSUMED_SD[load]
    return mean.sd / scale if scale else 0.0


def _as_measured(decision: Decision, direction: Direction) -> tuple[float | None, tuple[float, float] | None]:
    """After over before, whichever is better, with its ends; None where it is not known or has no end."""
    turned = direction is Direction.LOWER
    ratio = decision.ratio and (1 / decision.ratio if turned else decision.ratio)
    if decision.interval is None or not decision.interval.low > 0 or not isfinite(decision.interval.high):
        return ratio, None
    low, high = decision.interval.low, decision.interval.high
    return ratio, (1 / high, 1 / low) if turned else (low, high)
