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
Parts = tuple[SeriesInfo, ...]
"""The captures of one thing in one run, in the order of time; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Window:
    """A run, or a stretch of it; None leaves that end open. UTC nanoseconds, both ends included."""

    run_id: int
    start_ns: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedSeries:
    """One row of the comparison: what one thing was in either window, over all captures of the run.

    A side's parts are its captures (a day's file each, say) in the order of time, none where that side has no
    such series; its statistics are over all of them together.

    `ratio` is that of the means: before/after where lower is better, after/before where higher is better
    or neither; None where it cannot be computed, `reason` then says why (``zero``, ``no_samples``,
    ``one_side_only``, ``definition_differs``: the tools' versions mean different things by this heading),
    else ``no_uncertainty``.
    """

    before_parts: Parts
    after_parts: Parts
    before_statistics: Statistics | None
    after_statistics: Statistics | None
    ratio: float | None
    reason: str
    verdict: str = DESCRIPTIVE_ONLY

    @property
    def before(self) -> SeriesInfo | None:
        """The first capture before; None where there is none."""
        return self.before_parts[0] if self.before_parts else None

    @property
    def after(self) -> SeriesInfo | None:
        """The first capture after; None where there is none."""
        return self.after_parts[0] if self.after_parts else None

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


def thing_key(info: SeriesInfo) -> MatchKey:
    """What a series measures, and where: equal in every capture of the same thing, a device by its alias."""
    return (info.host, info.tool, info.table, info.native, info.unit, tuple(sorted(info.identity.items())))


def in_time_order(parts: Iterable[SeriesInfo]) -> Parts:
    return tuple(sorted(parts, key=lambda info: (info.first_ns or 0, info.id)))


def pair_series(before: Sequence[SeriesInfo], after: Sequence[SeriesInfo]) -> list[tuple[Parts, Parts]]:
    """Pairs what two runs measured alike, each run as a whole, in the order of the before side.

    Same tool, table, heading, unit and attributes, on the host of the same name; where each side has one host
    only, the hosts' names may differ (a server replaced by its successor). Captures whose headings are
    defined differently stay apart within a run; across the runs they pair only where nothing fits better.
    """
    by_host = len({s.host for s in before}) > 1 or len({s.host for s in after}) > 1
    earlier, later = _wholes(before), _wholes(after)
    partner: dict[int, Parts] = {}
    for alike in (_defined_alike, _named_alike):
        waiting: dict[MatchKey, list[Parts]] = {}
        for whole in later:
            waiting.setdefault(alike(whole[0], by_host), []).append(whole)
        for whole in earlier:
            fitting = waiting.get(alike(whole[0], by_host))
            if whole[0].id not in partner and fitting:
                partner[whole[0].id] = fitting.pop(0)
        taken = {parts[0].id for parts in partner.values()}
        later = [whole for whole in later if whole[0].id not in taken]
    _pair_half_named([whole for whole in earlier if whole[0].id not in partner], later, by_host, partner)
    return [(whole, partner.get(whole[0].id, ())) for whole in earlier] + [((), whole) for whole in later]


def _pair_half_named(earlier: list[Parts], later: list[Parts], by_host: bool, partner: dict[int, Parts]) -> None:
    """A device that only one side has a name for pairs with the one that the tools call alike."""
    for whole in earlier:
        fitting = [
            other for other in later
            if not (whole[0].alias and other[0].alias)
            and _device_alike(whole[0], by_host) == _device_alike(other[0], by_host)
        ]
        if fitting:
            partner[whole[0].id] = fitting[0]
            later.remove(fitting[0])


def _device_alike(info: SeriesInfo, by_host: bool) -> MatchKey:
    place = tuple(sorted(info.attributes.items()))
    return (info.host if by_host else "", info.tool, info.table, info.native, info.unit, place)


def _wholes(series: Iterable[SeriesInfo]) -> list[Parts]:
    """The captures of each thing of one run; the order of first appearance stays."""
    groups: dict[MatchKey, list[SeriesInfo]] = {}
    for info in series:
        groups.setdefault((*thing_key(info), info.definition), []).append(info)
    return [in_time_order(parts) for parts in groups.values()]


def _named_alike(info: SeriesInfo, by_host: bool) -> MatchKey:
    host, *rest = thing_key(info)
    return (host if by_host else "", *rest)


def _defined_alike(info: SeriesInfo, by_host: bool) -> MatchKey:
    return (*_named_alike(info, by_host), info.definition)
