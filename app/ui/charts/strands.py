"""Series that measure the same thing on the same host, capture after capture: one line to the reader. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.analysis.comparing.comparison import in_time_order, thing_key
from app.analysis.series import joined
from app.analysis.statistics import Statistics, describe
from app.domain.series import SeriesInfo
from app.ui.charts.source import Source
from app.ui.charts.steps import REACH_NS, stepped
from app.ui.charts.time_range import TimeRange

StrandKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Strand:
    """The captures of one thing, in the order of time. `id` is the first series' id."""

    key: StrandKey
    parts: tuple[SeriesInfo, ...]

    @property
    def id(self) -> int:
        return self.parts[0].id

    @property
    def info(self) -> SeriesInfo:
        return self.parts[0]

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(part.id for part in self.parts)

    def inside(self, window: TimeRange) -> list[SeriesInfo]:
        """The parts that may have samples in `window`."""
        return [part for part in self.parts if reaches(part, window)]


def strands(series: Iterable[SeriesInfo]) -> list[Strand]:
    """Groups series by what they measure; the order of first appearance stays."""
    groups: dict[StrandKey, list[SeriesInfo]] = {}
    for info in series:
        groups.setdefault(thing_key(info), []).append(info)
    return [Strand(key, in_time_order(parts)) for key, parts in groups.items()]


def reaches(info: SeriesInfo, window: TimeRange) -> bool:
    if info.first_ns is None or info.last_ns is None:
        return False
    lead_ns = max(round((info.interval_s or 0) * 1e9), REACH_NS if stepped(info) else 0)
    return info.first_ns - lead_ns <= window.end_ns and window.start_ns <= info.last_ns + lead_ns


def strand_statistics(source: Source, strand: Strand, window: TimeRange) -> Statistics:
    """Statistics of the strand over `window`, its captures taken together."""
    parts = strand.inside(window)
    if not parts:
        return Statistics(0, 0)
    if len(parts) == 1:
        return source.statistics(parts[0].id, window.start_ns, window.end_ns)
    return describe(joined([source.series_data(part.id, window.start_ns, window.end_ns) for part in parts]))


def companions(wanted: Sequence[Sequence[int]], series: Mapping[int, SeriesInfo]) -> list[list[int]]:
    """The same rows, each with the other captures of the same things, so that a row runs through all runs."""
    by_key: dict[StrandKey, list[int]] = {}
    for info in series.values():
        by_key.setdefault(thing_key(info), []).append(info.id)
    return [[twin for key in row for twin in by_key[thing_key(series[key])]] for row in wanted]
