"""The two windows of every series, read device by device: what one device's columns say is needed together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.analysis.comparing.comparison import Parts, Window
from app.analysis.comparing.disk_work import RESPONSE_TIMES, Column, transfer_of, work_of
from app.analysis.comparing.judging import Side
from app.analysis.comparing.regular_samples import NS_PER_S, Samples, samples_of
from app.analysis.series import SeriesData, joined
from app.analysis.statistics import Statistics, describe
from app.domain.assembly import EVER_NS, overlap_of
from app.domain.series import SeriesInfo
from app.store import merged_series
from app.store.project import Project

Pair = tuple[Parts, Parts]


@dataclass(frozen=True, slots=True, eq=False)
class ReadSide:
    """One window of one series as captured, and ready to be judged; `side` is None where nothing was captured."""

    statistics: Statistics | None = None
    side: Side | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadPair:
    """`place`: of the pair in the list of all."""

    place: int
    parts: Pair
    before: ReadSide
    after: ReadSide


def by_device(pairs: Sequence[Pair]) -> list[list[int]]:
    """Places of the pairs of each device: what its columns say is needed together."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, (earlier, later) in enumerate(pairs):
        info = (later or earlier)[0]
        groups.setdefault((info.host, info.tool, info.identity.get("device", "")), []).append(place)
    return list(groups.values())


def read_device(
    project: Project, pairs: Sequence[Pair], places: Sequence[int], before: Window, after: Window
) -> list[ReadPair]:
    sides = [
        _device(project, [(place, pairs[place][which]) for place in places], window)
        for which, window in enumerate((before, after))
    ]
    return [ReadPair(place, pairs[place], *(side.get(place, ReadSide()) for side in sides)) for place in places]


def _device(project: Project, wanted: Iterable[tuple[int, Parts]], window: Window) -> dict[int, ReadSide]:
    read = {place: (parts, *_read(project, parts, window)) for place, parts in wanted if parts}
    columns: dict[tuple[str, str], list[Column]] = {}
    for parts, _, samples, _ in read.values():
        columns.setdefault((parts[0].metric, transfer_of(parts[0])), []).append((parts[0], samples))
    found = {}
    for place, (parts, figures, samples, coverage) in read.items():
        info = parts[0]
        work = work_of(info, samples, columns) if info.metric in RESPONSE_TIMES and info.device else None
        found[place] = ReadSide(figures, Side(info, samples, coverage, _span(parts, window), work))
    return found


def _read(project: Project, parts: Parts, window: Window) -> tuple[Statistics, Samples, float | None]:
    data = joined_samples(project, parts, window.start_ns, window.end_ns)
    interval_s = max((part.interval_s for part in parts if part.interval_s), default=None)
    samples = samples_of(data, parts[0].kind, interval_s)
    return describe(data), samples, _coverage(project, parts, window, samples)


def _span(parts: Parts, window: Window) -> tuple[int, int]:
    """The window as asked for; where it has no ends, as captured."""
    first = min((part.first_ns for part in parts if part.first_ns is not None), default=0)
    last = max((part.last_ns for part in parts if part.last_ns is not None), default=0)
    start = first if window.start_ns is None else max(window.start_ns, first)
    end = last if window.end_ns is None else min(window.end_ns, last)
    return start, max(start, end)


def _coverage(project: Project, parts: Parts, window: Window, samples: Samples) -> float | None:
    """Measured time over the captures' time inside the window; over the window itself where its ends were asked for."""
    if not samples.interval_s or not len(samples):
        return None
    captured_ns = sum(length for part in parts for length in _captured_ns(project, part, window))
    asked_ns = 0
    if window.start_ns is not None and window.end_ns is not None:
        asked_ns = window.end_ns - window.start_ns
    wanted_ns = max(captured_ns, asked_ns)
    if not wanted_ns:
        return None
    return min(1.0, len(samples) * samples.interval_s * NS_PER_S / wanted_ns)


def _captured_ns(project: Project, info: SeriesInfo, window: Window) -> Iterator[int]:
    asked = (
        window.start_ns if window.start_ns is not None else -EVER_NS,
        window.end_ns if window.end_ns is not None else EVER_NS,
    )
    for part in merged_series.find_merged(project, info.id).parts:
        inside = overlap_of(part.extent, asked)
        if inside is not None and part.interval_s:
            yield inside[1] - inside[0]


def joined_samples(
    project: Project, parts: Iterable[SeriesInfo], start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """The samples of all captures of one thing, as one series."""
    return joined(
        [
            merged_series.read_merged(project, merged_series.find_merged(project, part.id), start_ns, end_ns)
            for part in parts
        ]
    )
