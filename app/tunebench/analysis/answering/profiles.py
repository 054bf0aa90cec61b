"""The course of a figure on either side, laid over each other by the clock or from the start of the windows."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.calendar_slots import local_ns
from tunebench.analysis.comparing.regular_samples import NS_PER_S, Floats
from tunebench.analysis.series import SeriesData
from tunebench.core.records import record

_DAY_S = 86_400
_LEAST_SHARED = 0.5
"""Of the shorter side's hours: windows that share fewer are laid over each other from their starts."""
_CLOCK_STEP_S = 900


@record(eq=False)
class Profile:
    """Means of either side in equal steps; NaN where nothing was measured.

    Attributes:
        clock: steps are of the day, else of the time since the window began.
        first_s, step_s: where the first step begins, and how long each is.
        before, after: float64[n].
    """

    clock: bool
    first_s: float
    step_s: float
    before: Floats
    after: Floats

    @property
    def ratios(self) -> Floats:
        """float64[n]: after / before of each step; NaN where either is missing or not above zero."""
        usable = (self.before > 0) & (self.after > 0)
        return np.where(usable, self.after / np.where(usable, self.before, 1.0), np.nan)


Occurrences = Sequence[SeriesData]
"""What was measured in each occurrence of a side."""


def profile(before: Occurrences, after: Occurrences, zones: tuple[ZoneInfo, ZoneInfo], most: int) -> Profile | None:
    """The profile in at most so many steps; None where a side measured nothing."""
    sides = [_measured(own) for own in (before, after)]
    if not all(sides):
        return None
    clocks = [[_of_day(own.times_ns, zone) for own in side] for side, zone in zip(sides, zones, strict=True)]
    by_clock = _share_hours(clocks)
    seconds = clocks if by_clock else [[(own.times_ns - own.times_ns[0]) / NS_PER_S for own in side] for side in sides]
    every = np.concatenate([own for side in seconds for own in side])
    first_s, last_s = float(every.min()), float(every.max())
    step_s = max((last_s - first_s) / most, 1.0)
    if by_clock:  # steps that begin at whole minutes
        step_s = float(_CLOCK_STEP_S * max(-(-step_s // _CLOCK_STEP_S), 1))
        first_s = first_s // step_s * step_s
    count = int((last_s - first_s) // step_s) + 1
    means = [_means(side, own, first_s, step_s, count) for side, own in zip(sides, seconds, strict=True)]
    return Profile(by_clock, first_s, step_s, means[0], means[1])


def _measured(side: Occurrences) -> list[SeriesData]:
    taken = [own.taken(~own.since_boot & ~np.isnan(own.values)) for own in side]
    return [own for own in taken if len(own.values)]


def _of_day(times_ns: np.ndarray, zone: ZoneInfo) -> Floats:
    return np.asarray(local_ns(times_ns, zone) // NS_PER_S % _DAY_S, dtype=np.float64)


def _share_hours(clocks: Sequence[Sequence[Floats]]) -> bool:
    before, after = ({int(step) for own in side for step in np.unique(own // _CLOCK_STEP_S)} for side in clocks)
    return len(before & after) >= max(_LEAST_SHARED * min(len(before), len(after)), 2)


def _means(side: Sequence[SeriesData], seconds: Sequence[Floats], first_s: float, step_s: float, count: int) -> Floats:
    """Mean over the occurrences' samples in each step."""
    sums, counts = np.zeros(count), np.zeros(count)
    for own, at in zip(side, seconds, strict=True):
        steps = np.minimum((at - first_s) // step_s, count - 1).astype(np.intp)
        sums += np.bincount(steps, weights=own.values, minlength=count)
        counts += np.bincount(steps, minlength=count)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
