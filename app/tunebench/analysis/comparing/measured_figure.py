"""How sure the figure of a window is, by the occurrences that it was measured in, and its change from another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from tunebench.domain.comparability import ChangeInterval, FigureInterval
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import WindowLoad


@dataclass(frozen=True, slots=True)
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
        logs = all(each.value > 0 for each in (*self.others, *self.own))
        own, others = ((logarithms(side) if logs else side) for side in (self.own, self.others))
        scale = 1.0 if logs else abs(sum(each.value for each in own)) / len(own)
        found = interval_of(
            own, Prior(self.prior.sd * scale, self.prior.df, self.prior.source), others, confidence=confidence
        )
        if found.interval is None:
            return None
        value, reach = _mean(self.own), (found.interval.high - found.interval.low) / 2
        low, high = (value * exp(-reach), value * exp(reach)) if logs else (value - reach, value + reach)
        return FigureInterval(
            min(low, self.value),
            max(high, self.value),
            confidence.level,
            found.occurrences,
            _sd(found, self.load, scale),
            found.df,
            found.source.value,
            value,
            self.short,
            None if self.change is None else self.change(confidence),
            count,
        )


def as_change(found: Decision, direction: Direction, margin: float) -> ChangeInterval:
    """
    Args:
        margin: the least change that matters, as a fraction.
    """
    difference = None
    if found.least is not None and found.difference_interval is not None:
        difference = found.difference_interval.low, found.difference_interval.high
    ratio, ends = _as_measured(found, direction)
    return ChangeInterval(found.verdict.value, margin, ratio, ends, difference, found.least or 0.0)


def _mean(side: Sequence[Level]) -> float:
    return sum(each.weight * each.value for each in side) / sum(each.weight for each in side)


def logarithms(side: Sequence[Level]) -> list[Level]:
    """Of levels above zero; their variance as that of the logarithm."""
    return [Level(log(each.value), each.variance / each.value**2, each.weight) for each in side]


def _sd(found: MeanLevel, load: WindowLoad, scale: float) -> float:
    """As a fraction; what is assumed without what varies inside, which is measured."""
    if found.source is Source.ASSUMED:
        return ASSUMED_SD[load]
    return found.sd / scale if scale else 0.0


def _as_measured(found: Decision, direction: Direction) -> tuple[float | None, tuple[float, float] | None]:
    """After over before, whichever is better, with its ends; None where it is not known or has no end."""
    turned = direction is Direction.LOWER
    ratio = found.ratio and (1 / found.ratio if turned else found.ratio)
    if found.interval is None or not found.interval.low > 0 or not isfinite(found.interval.high):
        return ratio, None
    low, high = found.interval.low, found.interval.high
    return ratio, (1 / high, 1 / low) if turned else (low, high)
