"""Whether two captures hold the same measurements, and how far their clocks are apart. Pure numpy.

Three values that follow each other in one column are a fingerprint: where two captures share one, the difference of
its times is a vote for a shift. The shift with the most votes is then tried on all values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

NS_PER_S = 1_000_000_000
QUARTER_HOUR_NS = 900 * NS_PER_S
LONGEST_SHIFT_NS = 400 * 86_400 * NS_PER_S
LEAST_TELLING = 4  # values that are not the most frequent one of their column and agree, or nothing is claimed
LEAST_AGREEING = 0.95
LEAST_FOUND = 0.8  # share of this capture's instants, in the stretch that both cover, that the other has too
_LEAST_VOTES = 2
_MOST_MARKS = 1 << 15  # fingerprints of one column; of a longer column those are kept that any other keeps too


@record
class Measured:
    """times_ns: int64[n], rising; values: float64[n], base units, none missing."""

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]


Columns = Mapping[Hashable, Measured]
"""A capture's columns by what they mean: equal keys are comparable."""


@record
class Match:
    """`first`'s time + shift = `second`'s time of the same measurement; the stretch is in `first`'s times."""

    first: int
    second: int
    shift_ns: int
    start_ns: int
    end_ns: int
    columns: int


def _anything(first: int, second: int, shift_ns: int) -> bool:  # noqa: ARG001
    return True


def find_matches(
    captures: Mapping[int, Columns],
    odd_shifts: frozenset[int] = frozenset(),
    plausible: Callable[[int, int, int], bool] = _anything,
) -> list[Match]:
    """All pairs of captures that hold the same measurements, `first` the one with the higher number.

    Args:
        odd_shifts: captures whose start is a guess: theirs may be shifted by any number of seconds, others only by
            whole quarters of an hour, as zones and days are.
        plausible: whether the clocks of `first` and `second` can be `shift_ns` apart at all; what repeats itself
            after days is no second capture of the same.
    """
    matches = []
    for (second, first), shifts in _candidates(captures).items():
        for shift_ns in shifts:
            odd = {first, second} & odd_shifts
            shift = _rounded(shift_ns, NS_PER_S if odd else QUARTER_HOUR_NS)
            if shift is None or not plausible(first, second, shift):
                continue
            match = _match(first, captures[first], second, captures[second], shift)
            if match:
                matches.append(match)
                break
    return matches


def _rounded(shift_ns: int, step_ns: int) -> int | None:
    whole = round(shift_ns / step_ns) * step_ns
    return whole if abs(whole - shift_ns) <= NS_PER_S and abs(whole) <= LONGEST_SHIFT_NS else None


def _candidates(captures: Mapping[int, Columns]) -> dict[tuple[int, int], list[int]]:
    """Pairs (lower, higher number) -> the shifts with the most votes, best first."""
    by_key: dict[Hashable, list[int]] = {}
    for number, columns in captures.items():
        for key in columns:
            by_key.setdefault(key, []).append(number)
    votes: dict[tuple[int, int], dict[int, int]] = {}
    for key, numbers in by_key.items():
        if len(numbers) > 1:
            _vote(sorted(numbers), [captures[number][key] for number in sorted(numbers)], votes)
    return {
        pair: [
            shift
            for shift, count in sorted(counted.items(), key=lambda counts: -counts[1])[:3]
            if count >= _LEAST_VOTES
        ]
        for pair, counted in votes.items()
    }


def _vote(numbers: Sequence[int], columns: Sequence[Measured], votes: dict[tuple[int, int], dict[int, int]]) -> None:
    marked = [_marks(column) for column in columns]
    marks = np.concatenate([mark for mark, _ in marked])
    times = np.concatenate([time for _, time in marked])
    owner = np.concatenate([np.full(len(mark), index) for index, (mark, _) in enumerate(marked)])
    order = np.argsort(marks, kind="stable")
    marks, times, owner = marks[order], times[order], owner[order]
    # neighbours only: with m captures of the same stretch each meets the next one, and so on
    for reach in range(1, min(len(numbers), 4)):
        same = np.flatnonzero(marks[reach:] == marks[:-reach])
        same = same[owner[same] != owner[same + reach]]
        shifts = (times[same] - times[same + reach]) // NS_PER_S * NS_PER_S
        low, high = owner[same], owner[same + reach]  # a stable sort keeps the lower number first
        triples, counts = np.unique(np.stack([low, high, shifts]), axis=1, return_counts=True)
        for (one, two, shift), count in zip(triples.T.tolist(), counts.tolist(), strict=True):
            pair = votes.setdefault((numbers[one], numbers[two]), {})
            pair[shift] = pair.get(shift, 0) + count


def _marks(column: Measured) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Fingerprints that occur once in the column, and the time of their first value."""
    if len(column.values) < 3:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    bits = column.values.astype(np.float32).view(np.uint32).astype(np.uint64)
    one, two, three = bits[:-2], bits[1:-1], bits[2:]
    telling = (one != two) | (two != three)
    with np.errstate(over="ignore"):
        marks = (
            one * np.uint64(0x9E3779B97F4A7C15)
            ^ two * np.uint64(0xC2B2AE3D27D4EB4F)
            ^ (three * np.uint64(0x165667B19E3779F9))
        )
        marks = (marks ^ marks >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    marks, times = marks[telling], column.times_ns[:-2][telling]
    once, first, counts = np.unique(marks, return_index=True, return_counts=True)
    once, times = once[counts == 1], times[first[counts == 1]]
    if len(once) > _MOST_MARKS:
        share = np.uint64(1 << int(np.ceil(np.log2(len(once) / _MOST_MARKS))))
        kept = once >> np.uint64(20) & (share - np.uint64(1)) == 0
        once, times = once[kept], times[kept]
    return once, times


def _match(first: int, ours: Columns, second: int, theirs: Columns, shift_ns: int) -> Match | None:
    """The match where the shift holds for the columns that both have."""
    agreeing = compared = telling = inside = columns = 0
    starts, ends = [], []
    for key in ours.keys() & theirs.keys():
        mine, other = ours[key], theirs[key]
        wanted = mine.times_ns + shift_ns
        reach = (wanted >= other.times_ns[0] - NS_PER_S) & (wanted <= other.times_ns[-1] + NS_PER_S)
        if not reach.any():
            continue
        wanted, values = wanted[reach], mine.values[reach]
        at = _nearest(other.times_ns, wanted)
        there = np.abs(other.times_ns[at] - wanted) <= NS_PER_S
        equal = _equal(values[there], other.values[at][there])
        inside += len(wanted)
        compared += len(equal)
        agreeing += int(equal.sum())
        telling += int((equal & (values[there] != _most_frequent(mine.values))).sum())
        columns += 1
        starts.append(int(wanted[0]) - shift_ns)
        ends.append(int(wanted[-1]) - shift_ns)
    if telling < LEAST_TELLING or agreeing < LEAST_AGREEING * compared or compared < LEAST_FOUND * inside:
        return None
    return Match(first, second, shift_ns, min(starts), max(ends), columns)


def _nearest(times_ns: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    after = np.clip(np.searchsorted(times_ns, wanted), 0, len(times_ns) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(times_ns[before] - wanted) < np.abs(times_ns[after] - wanted), before, after)


def _equal(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(one - two) <= 1e-6 * np.maximum(np.maximum(np.abs(one), np.abs(two)), 1e-12))


def _most_frequent(values: NDArray[np.float64]) -> float:
    distinct, counts = np.unique(values, return_counts=True)
    return float(distinct[int(np.argmax(counts))]) if counts.max() > 1 else float("nan")
