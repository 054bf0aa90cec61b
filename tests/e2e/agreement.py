"""Whether two recordings of the same counters, out of step with each other, can both be true.

Two `vmstat 1` beside each other see the same counters of /proc at different moments: a burst that one counts in this
second, the other counts in the next. Values of one second, and means over few seconds, may therefore differ by any
factor, and the more so the busier the machine. What cannot differ is what counters are: they never run backwards, and
the differences that a tool prints add up, sample by sample, to the counter's growth between two of its readings.

So for every stretch of captured samples, from the one stamped A to the one stamped B: the tool read the counter
within a second before, or the second after, each stamp (stamps are cut to seconds, and are taken just after reading).
The growth it saw is then at least what the other recording saw between its readings that certainly lie inside that
time, and at most what that one saw between readings that certainly lie around it. That holds however the machine is
loaded, however the bursts fall, and whatever the phase; a sample that is lost, doubled, of another second, or wrong,
breaks it as soon as it is more than what happened in the four seconds at the edges of a stretch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

_STAMP_S = 1
"""A reading lies less than this before, or after, the second that its stamp names."""

Samples = Sequence[tuple[int, float]]
"""Second of the stamp, and what was counted since the sample before. A tool that is woken by an alarm and reads close to
the change of seconds may stamp two samples alike and leave the next second out."""


@dataclass(frozen=True)
class Allowance:
    """What a tool's printing takes away from exact counts.

    Attributes:
        rounding: per sample.
        full: the greatest value of a sample that is a share of its interval (100 for percent). An interval that was
            longer than a second counts once all the same: allowed are the seconds by which the samples are too few.
        share: of the sum; for rates over an interval that the tool measured and does not tell.
    """

    rounding: float = 0.0
    full: float = 0.0
    share: float = 0.0


EXACT = Allowance()
PERCENT = Allowance(rounding=0.5, full=100.0)
RATE = Allowance(rounding=0.005, share=0.1)


@dataclass
class Agreement:
    """What came of it: how many stretches were compared, and those that cannot be; sums over whole segments."""

    stretches: int = 0
    contradictions: list[str] = field(default_factory=list)
    captured: float = 0.0
    local: float = 0.0

    @property
    def difference(self) -> float:
        """Of the sums over all whole segments, in shares of the local one: for a person to read."""
        return self.captured / self.local - 1 if self.local else 0.0


def compare(
    segments: Sequence[Samples], local: Samples, allowance: Allowance = EXACT, stretch_s: int = 20
) -> Agreement:
    """Every stretch of about `stretch_s` in each unbroken segment, and each segment as a whole.

    Stretches that the local recording does not surround are left out.
    """
    found = Agreement()
    other = _Counter(local)
    for segment in segments:
        mine = _Counter(segment)
        for first, last in _stretches(mine.stamps, stretch_s):
            _compare_one(found, mine, other, first, last, allowance)
        if len(mine.stamps) > 1:
            found.captured += mine.between(0, len(mine.stamps) - 1)
            found.local += other.between(other.at(mine.stamps[0]), other.at(mine.stamps[-1]))
    return found


class _Counter:
    """A counter as its differences tell it; the first sample's is before the beginning."""

    def __init__(self, samples: Samples) -> None:
        self.stamps = [stamp for stamp, _value in samples]
        assert all(one <= two for one, two in pairwise(self.stamps)), "stamps must not run backwards"
        self._sums = list(accumulate(value for _stamp, value in samples))

    def between(self, first: int, last: int) -> float:
        return self._sums[last] - self._sums[first]

    def at(self, stamp: int) -> int:
        return min(bisect_left(self.stamps, stamp), len(self.stamps) - 1)

    def inside(self, begin: int, end: int) -> tuple[int, int] | None:
        first, last = bisect_left(self.stamps, begin + 2 * _STAMP_S), bisect_right(self.stamps, end - 2 * _STAMP_S) - 1
        return (first, last) if first < last else None

    def around(self, begin: int, end: int) -> tuple[int, int] | None:
        first, last = bisect_right(self.stamps, begin - 2 * _STAMP_S) - 1, bisect_left(self.stamps, end + 2 * _STAMP_S)
        return (first, last) if first >= 0 and last < len(self.stamps) else None

    def lag_s(self, first: int, last: int) -> int:
        """By how many seconds, at most, intervals were longer than a second altogether."""
        return max(self.stamps[last] - self.stamps[first] - (last - first) + 2 * _STAMP_S, 0)

    def tolerance(self, first: int, last: int, allowance: Allowance) -> float:
        return allowance.rounding * (last - first) + allowance.full * self.lag_s(first, last)


def _stretches(stamps: Sequence[int], stretch_s: int) -> Iterator[tuple[int, int]]:
    for first, stamp in enumerate(stamps):
        last = bisect_left(stamps, stamp + stretch_s)
        if last < len(stamps):
            yield first, last
    if len(stamps) > 1:
        yield 0, len(stamps) - 1


def _compare_one(
    found: Agreement, mine: _Counter, other: _Counter, first: int, last: int, allowance: Allowance
) -> None:
    begin, end = mine.stamps[first], mine.stamps[last]
    around = other.around(begin, end)
    if around is None:
        return
    found.stretches += 1
    inside = other.inside(begin, end)
    seen = mine.between(first, last)
    tolerance = mine.tolerance(first, last, allowance) + other.tolerance(*around, allowance)
    least = other.between(*inside) * (1 - allowance.share) - tolerance if inside else 0.0
    most = other.between(*around) * (1 + allowance.share) + tolerance
    if not least <= seen <= most:
        found.contradictions.append(f"{begin}..{end}: {seen:g} is not within {least:g}..{most:g}")
