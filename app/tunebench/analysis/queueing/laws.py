"""Operational laws: they hold for any system, so that what was measured can be checked by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunebench.core.records import record

LITTLE_TOLERANCE = 0.10


@record
class LittleCheck:
    """The number in the system by Little's law, beside the measured one.

    Attributes:
        expected: float64[n], rate x time.
        deviation: float64[n], |expected - measured| over the larger of the two; 0 where both are 0, NaN where
            one of the three is missing.
        judged: samples with all three figures.
        violated: of these, samples that deviate by more than the tolerance.
    """

    expected: NDArray[np.float64]
    deviation: NDArray[np.float64]
    judged: int
    violated: int

    @property
    def holds(self) -> bool | None:
        """Whether the law holds; None if nothing could be judged. A tenth may deviate (rounding of small figures)."""
        return None if not self.judged else self.violated <= 0.1 * self.judged


def little_check(
    rate_per_s: ArrayLike, time_s: ArrayLike, in_system: ArrayLike, tolerance: float = LITTLE_TOLERANCE
) -> LittleCheck:
    """N = X R for each sample: a violation means a bad capture, or a figure averaged over several devices.

    Args:
        rate_per_s: completions per second.
        time_s: response time of one.
        in_system: waiting and in service.
    """
    given = [np.asarray(figure, np.float64) for figure in (rate_per_s, time_s, in_system)]
    rate, time, number = np.broadcast_arrays(*given)
    expected = rate * time
    larger = np.maximum(np.abs(expected), np.abs(number))
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.where(larger == 0, 0.0, np.abs(expected - number) / larger)
        deviation = np.where(np.isfinite(expected) & np.isfinite(number), deviation, np.nan)
    judged = int(np.isfinite(deviation).sum())
    return LittleCheck(expected, deviation, judged, int((deviation > tolerance).sum()))


def amdahl_bound(share: float, speed_up: float = float("inf")) -> float:
    """At most this many times faster, if what takes `share` of the time becomes `speed_up` times faster.

    Infinite where everything is sped up without bound.

    Raises:
        ValueError: share outside 0..1, or a speed-up that is not positive.
    """
    if not 0 <= share <= 1 or not speed_up > 0:
        raise ValueError(f"share {share}, speed-up {speed_up}")
    rest = 1 - share + share / speed_up
    return 1 / rest if rest > 0 else float("inf")
