"""The verdict of a comparison: what an interval of the ratio allows to be said."""

from __future__ import annotations

from enum import StrEnum
from math import inf, isnan

from tunebench.core.records import record


class Verdict(StrEnum):
    IMPROVED = "improved"
    REGRESSED = "regressed"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT_DATA = "insufficient_data"
    NOT_COMPARABLE = "not_comparable"
    DESCRIPTIVE_ONLY = "descriptive_only"


@record
class Interval:
    """A confidence interval; an end may be infinite, none is NaN."""

    low: float
    high: float
    confidence: float = 0.95

    @property
    def inverted(self) -> Interval:
        """That of the reciprocal of a ratio: how many times less is told by the factor, as how many times more is."""
        low, high = (1 / end if end else inf for end in (self.high, self.low))
        return Interval(low, high, self.confidence)


def judge(interval: Interval | None, margin: float) -> Verdict:
    """What the interval of a ratio says, where more than 1 is better.

    Args:
        interval: None where there is no uncertainty to go by: descriptive only.
        margin: the least change that matters, as a fraction (0.05): within 1/(1+margin) to 1+margin nothing changed
            in practice.
    """
    if margin < 0:
        raise ValueError(f"margin {margin} is negative")
    if interval is None or isnan(interval.low) or isnan(interval.high):
        return Verdict.DESCRIPTIVE_ONLY
    upper = 1.0 + margin
    lower = 1.0 / upper
    if interval.low > upper:
        return Verdict.IMPROVED
    if interval.high < lower:
        return Verdict.REGRESSED
    if lower <= interval.low and interval.high <= upper:
        return Verdict.EQUIVALENT
    return Verdict.INCONCLUSIVE
