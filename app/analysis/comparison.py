"""Two windows side by side, series by series.

No verdict is given here: a ratio without its uncertainty is descriptive, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.analysis.statistics import Statistics
from app.domain.engagement import Direction
from app.domain.series import SeriesInfo

DESCRIPTIVE_ONLY = "descriptive_only"

MatchKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A run, or a stretch of it; None leaves that end open. UTC nanoseconds, both ends included."""

    run_id: int
    start_ns: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedSeries:
    """One row of the comparison; a side is None where that side has no such series.

    `ratio` is that of the means: before/after where lower is better, after/before where higher is better
    or neither; None where it cannot be computed, `reason` then says why (``zero``, ``no_samples``,
    ``one_side_only``, ``definition_differs``: the tools' versions mean different things by this heading),
    else ``no_uncertainty``.
    """

    before: SeriesInfo | None
    after: SeriesInfo | None
    before_statistics: Statistics | None
    after_statistics: Statistics | None
    ratio: float | None
    reason: str
    verdict: str = DESCRIPTIVE_ONLY

    @property
    def series(self) -> SeriesInfo:
        """The side that exists; the after side where both do."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def metric(self) -> str:
        return self.series.metric

    @property
    def native(self) -> str:
        return self.series.native

    @property
    def attributes(self) -> dict[str, str]:
        return self.series.attributes

    @property
    def unit(self) -> str:
        return self.series.unit

    @property
    def direction(self) -> Direction:
        return self.series.direction


@dataclass(frozen=True, slots=True)
class Comparison:
    before: Window
    after: Window
    rows: tuple[ComparedSeries, ...]


def ratio_of_means(
    before: Statistics | None, after: Statistics | None, direction: Direction
) -> tuple[float | None, str]:
    """(ratio, reason); see `ComparedSeries`, where ``definition_differs`` is found too."""
    if before is None or after is None:
        return None, "one_side_only"
    if before.mean is None or after.mean is None:
        return None, "no_samples"
    upper, lower = (before.mean, after.mean) if direction is Direction.LOWER else (after.mean, before.mean)
    if lower == 0 or upper == 0:
        return None, "zero"
    return upper / lower, "no_uncertainty"


def pair_series(
    before: Sequence[SeriesInfo], after: Sequence[SeriesInfo]
) -> list[tuple[SeriesInfo | None, SeriesInfo | None]]:
    """Pairs the series of two runs that measure the same thing, in the order of the before side.

    Same tool, table, heading and attributes, on the host of the same name; where each side has one host
    only, the hosts' names may differ (a server replaced by its successor).
    """
    by_host = len({s.host for s in before}) > 1 or len({s.host for s in after}) > 1
    later = _by_key(after, by_host)
    pairs: list[tuple[SeriesInfo | None, SeriesInfo | None]] = []
    for key, series in _by_key(before, by_host).items():
        pairs.append((series, later.pop(key, None)))
    pairs.extend((None, series) for series in later.values())
    return pairs


def _by_key(series: Iterable[SeriesInfo], by_host: bool) -> dict[MatchKey, SeriesInfo]:
    """The n-th series of one name (a capture in several files) pairs with the other side's n-th."""
    found: dict[MatchKey, SeriesInfo] = {}
    for info in series:
        place = info.host if by_host else ""
        key: MatchKey = (place, info.tool, info.table, info.native, tuple(sorted(info.attributes.items())))
        number = 0
        while (*key, number) in found:
            number += 1
        found[(*key, number)] = info
    return found
