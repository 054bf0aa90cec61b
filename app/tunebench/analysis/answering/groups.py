"""What many of a kind did: hosts, disks, processors and statements whose changes lie together are one group.

Members share their days, so that what the whole week did to all of them cancels where a group is judged relative to
another one that stayed. Where groups part is decided by the gaps between the sorted changes (see `parted`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import log, sqrt
from statistics import fmean, median

import numpy as np

from tunebench.analysis.inference.quantiles import type7_at
from tunebench.analysis.inference.student import t_quantile
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.core.records import record
from tunebench.domain.engagement import Direction

FEWEST = 12
"""Below so many each is a line of its own."""
LEAST_GAP = log(1.08)
LEAST_SD = 0.01
_GAP_OF_GROUPS, _GAP_OF_FEW_MEMBERS = 1.5, 20.0
_GAP_OF_SINGLES = 4.0
"""Standard deviations: of many members from 1.5 on, of 12 from 3.2; what few part from the others must lie farther off.

Where nothing changed and members differ by 5 to 20 %, at most 1.5 % of a thousand draws of 20 to 200 members part in
two (of 12 members 7 %); x0.6 on 5, 14 and 30 of 40 is told exactly in all of them where members differ by up to 5 %.
"""
_WIDEST, _MOST_CUTS = 8, 3
_FEWEST_OF_A_GROUP, _LEAST_SHARE = 3, 0.02
_MOST_SINGLES, _MOST_SINGLES_SHARE = 3, 0.10
FEWEST_TO_COMPARE_WITH = 5
_WHOLE_RANGE = 20
"""Up to so many members the range is that of all; of more from the 5th to the 95th percentile."""
CONFIDENCE = 0.95


@record
class Member:
    """One of a kind.

    Attributes:
        place: of it in the caller's list.
        change: ln(after / before).
        reach: half the width of its own interval, on the same scale; None where it has none.
        verdict: its own.
    """

    place: int
    change: float
    reach: float | None
    verdict: Verdict


@record
class Group:
    """Members whose changes lie together; changes and ends are ln(after / before).

    Attributes:
        members: the one that fell most first.
        change: mean of the members.
        own: where that truly lies, with what days differ by themselves; None where nothing tells that.
        relative: the difference from the group that stayed, with its interval; None where none did.
        verdict: by `relative` where there is one, else by `own`.
    """

    members: tuple[Member, ...]
    change: float
    low: float
    high: float
    own: Interval | None
    relative: tuple[float, Interval] | None
    verdict: Verdict


@record
class ManyOfAKind:
    """`apart`: members that lie far from all others, each for itself; its own verdict is all that is said of it."""

    count: int
    groups: tuple[Group, ...]
    apart: tuple[Member, ...]


def grouped(members: Sequence[Member], direction: Direction, margin: float) -> ManyOfAKind | None:
    """The groups, the one that fell most first; None of fewer than `FEWEST`.

    Args:
        direction: which way is better; of neither nothing is judged.
        margin: the least change that matters, as a fraction.
    """
    if len(members) < FEWEST:
        return None
    ordered = sorted(members, key=lambda member: (member.change, member.place))
    parts = parted([member.change for member in ordered])
    bounds = list(pairwise([0, *parts, len(ordered)]))
    cut = [ordered[start:end] for start, end in bounds]
    least = _least_of_a_group(len(ordered))
    groups = [own for own in cut if len(own) >= least]
    stayed = _stayed(groups, margin)
    return ManyOfAKind(
        len(members),
        tuple(_group(own, stayed, direction, margin) for own in groups),
        tuple(member for own in cut if len(own) < least for member in own),
    )


# -- where groups part ---------------------------------------------------------------------------------


def parted(changes: Sequence[float]) -> tuple[int, ...]:
    """Where the sorted changes are cut: indexes of the first of each further group; none where they are one group.

    Of up to three cuts among the eight widest gaps the most that all hold, of these the ones with the clearest gaps.
    """
    values = np.asarray(changes, dtype=np.float64)
    gaps = np.diff(values)
    widest = sorted(np.argsort(-gaps, kind="stable")[:_WIDEST].tolist())
    for count in range(min(_MOST_CUTS, len(widest)), 0, -1):
        clear = {cuts: _clearness(values, gaps, cuts) for cuts in combinations(widest, count)}
        best = max(clear, key=lambda cuts: clear[cuts])
        if clear[best] >= 1:
            return tuple(cut + 1 for cut in best)
    return ()


def _clearness(values: np.ndarray, gaps: np.ndarray, cuts: tuple[int, ...]) -> float:
    """The least of all cuts' gaps over what it has to be at least; 0 where too many members would stand alone."""
    n = len(values)
    edges = [0, *(cut + 1 for cut in cuts), n]
    sizes = [end - start for start, end in pairwise(edges)]
    least = _least_of_a_group(n)
    if sum(size for size in sizes if size < least) > max(_MOST_SINGLES, _MOST_SINGLES_SHARE * n):
        return 0.0
    squares = sum(
        float(np.square(values[start:end] - values[start:end].mean()).sum()) for start, end in pairwise(edges)
    )
    sd = max(sqrt(squares / max(n - len(sizes), 1)), LEAST_SD)
    wanted = (
        max(LEAST_GAP, sd * (_factor(n) if min(sizes[index : index + 2]) >= least else _GAP_OF_SINGLES))
        for index in range(len(cuts))
    )
    return min(float(gaps[cut]) / need for cut, need in zip(cuts, wanted, strict=True))


def _factor(n: int) -> float:
    return _GAP_OF_GROUPS + _GAP_OF_FEW_MEMBERS / n


def _least_of_a_group(n: int) -> float:
    return max(_FEWEST_OF_A_GROUP, _LEAST_SHARE * n)


# -- what became of a group ----------------------------------------------------------------------------


def _stayed(groups: Sequence[Sequence[Member]], margin: float) -> Sequence[Member] | None:
    """The largest group whose mean lies inside the margin, where it has enough members to be compared with."""
    fitting = [
        own
        for own in groups
        if len(own) >= FEWEST_TO_COMPARE_WITH and abs(fmean(member.change for member in own)) <= log(1 + margin)
    ]
    return max(fitting, key=len, default=None)


def _group(members: Sequence[Member], stayed: Sequence[Member] | None, direction: Direction, margin: float) -> Group:
    changes = [member.change for member in members]
    own, mean = _own(members), fmean(changes)
    relative = None if stayed is None or stayed is members else _between(members, stayed)
    verdict = Verdict.DESCRIPTIVE_ONLY
    if direction is not Direction.NEUTRAL:
        verdict = _verdict(mean, own, relative, direction, log(1 + margin))
    return Group(tuple(members), mean, *_range(changes), own, relative, verdict)


def _own(members: Sequence[Member]) -> Interval | None:
    """As sure as its members are: they share their days, so that many are no surer than one. None where hardly any
    member has an interval."""
    reaches = [member.reach for member in members if member.reach is not None]
    if 2 * len(reaches) < len(members):
        return None
    mean, reach = fmean(member.change for member in members), median(reaches)
    return Interval(mean - reach, mean + reach, CONFIDENCE)


def _between(members: Sequence[Member], others: Sequence[Member]) -> tuple[float, Interval]:
    """Welch's t interval of the difference of the means (Welch, Biometrika 34, 1947)."""
    sides = [np.array([member.change for member in side]) for side in (members, others)]
    variances = [max(float(side.var(ddof=1)), LEAST_SD**2) / len(side) for side in sides]
    total = sum(variances)
    df = total**2 / sum(own**2 / (len(side) - 1) for own, side in zip(variances, sides, strict=True))
    difference = float(sides[0].mean() - sides[1].mean())
    reach = t_quantile((1 + CONFIDENCE) / 2, df) * sqrt(total)
    return difference, Interval(difference - reach, difference + reach, CONFIDENCE)


def _verdict(
    mean: float, own: Interval | None, relative: tuple[float, Interval] | None, direction: Direction, margin: float
) -> Verdict:
    """Relative to what stayed a group has changed where the interval clears the margin and its own change has that
    sign; that it stayed its own interval has to show."""
    sure = own if relative is None else relative[1]
    if sure is not None:
        fell, rose = sure.high < -margin and mean < 0, sure.low > margin and mean > 0
        if fell or rose:
            return Verdict.IMPROVED if fell is (direction is Direction.LOWER) else Verdict.REGRESSED
    if own is None:
        return Verdict.DESCRIPTIVE_ONLY
    return Verdict.EQUIVALENT if -margin <= own.low and own.high <= margin else Verdict.INCONCLUSIVE


def _range(changes: Sequence[float]) -> tuple[float, float]:
    if len(changes) <= _WHOLE_RANGE:
        return min(changes), max(changes)
    ordered = np.sort(np.asarray([changes], dtype=np.float64))
    low, high = (float(type7_at(ordered, np.array([p]))[0]) for p in (0.05, 0.95))
    return low, high
