"""The two windows of every series, read device by device: what one device's columns say is needed together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.analysis.comparing.comparison import Parts
from app.analysis.comparing.disk_work import RESPONSE_TIMES, Column, transfer_of, work_of
from app.analysis.comparing.judging import Measured, Side
from app.analysis.comparing.regular_samples import NS_PER_S, Samples, samples_of
from app.analysis.series import SeriesData, joined
from app.analysis.statistics import Statistics, describe_values
from app.domain.assembly import Span, overlap_of
from app.domain.series import SeriesInfo
from app.domain.windows import Stretch
from app.store import merged_series
from app.store.merged_series import MergedSeries
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
    project: Project, pairs: Sequence[Pair], places: Sequence[int], windows: Sequence[Sequence[Stretch]]
) -> list[ReadPair]:
    """
    Args:
        windows: the stretches of the window before, and of the one after.
    """
    sides = [
        _device(project, [(place, pairs[place][which]) for place in places], stretches)
        for which, stretches in enumerate(windows)
    ]
    return [ReadPair(place, pairs[place], *(side.get(place, ReadSide()) for side in sides)) for place in places]


def _device(project: Project, wanted: Iterable[tuple[int, Parts]], stretches: Sequence[Stretch]) -> dict[int, ReadSide]:
    wanted = [(place, parts) for place, parts in wanted if parts]
    values: dict[int, list[NDArray[np.float64]]] = {place: [] for place, _ in wanted}
    measured: dict[int, list[Measured]] = {place: [] for place, _ in wanted}
    wholes = _wholes(project, [parts for _, parts in wanted])
    for number, stretch in enumerate(stretches):
        inside = [_parts_in(parts, stretch) for _, parts in wanted]
        read = [
            (place, parts[0], own, data, samples_of(data, parts[0].kind, _interval_s(own)))
            for (place, parts), own, data in zip(wanted, inside, _read(project, wholes, inside, stretch), strict=True)
        ]
        columns: dict[tuple[str, str], list[Column]] = {}
        for _, info, _, _, samples in read:
            columns.setdefault((info.metric, transfer_of(info)), []).append((info, samples))
        for place, info, own, data, samples in read:
            values[place].append(data.values[~data.since_boot])
            if len(samples):
                work = work_of(info, samples, columns) if info.metric in RESPONSE_TIMES and info.device else None
                coverage = _coverage([wholes[part.id] for part in own], stretch, samples)
                measured[place].append(Measured(number, samples, coverage, _span(own, stretch), work))
    return {
        place: ReadSide(
            describe_values(np.concatenate(values[place]) if values[place] else np.empty(0)),
            Side(parts[0], tuple(measured[place])),
        )
        for place, parts in wanted
    }


def _interval_s(parts: Parts) -> float | None:
    return max((part.interval_s for part in parts if part.interval_s), default=None)


def samples_in(project: Project, parts: Parts, stretch: Stretch) -> SeriesData:
    """Without its holes; none where no capture of its run lies in it."""
    inside = _parts_in(parts, stretch)
    return _read(project, _wholes(project, [inside]), [inside], stretch)[0]


def _wholes(project: Project, wanted: Sequence[Parts]) -> dict[int, MergedSeries]:
    ids = [part.id for parts in wanted for part in parts]
    return dict(zip(ids, merged_series.find_all_merged(project, ids), strict=True))


def _read(
    project: Project, wholes: Mapping[int, MergedSeries], inside: Sequence[Parts], stretch: Stretch
) -> list[SeriesData]:
    """The samples of each; columns of one table are read together."""
    named = [wholes[part.id] for parts in inside for part in parts]
    read = iter(merged_series.read_all_merged(project, named, *stretch.span))
    return [without_holes(joined([next(read) for _ in parts]), stretch.holes) for parts in inside]


def samples_over(project: Project, parts: Parts, stretches: Iterable[Stretch]) -> SeriesData:
    """`samples_in` all of them, as one series."""
    return joined([samples_in(project, parts, each) for each in stretches])


def _parts_in(parts: Parts, stretch: Stretch) -> Parts:
    return tuple(
        part
        for part in parts
        if stretch.run_id in (None, part.run_id)
        and (part.first_ns is None or part.first_ns <= stretch.end_ns)
        and (part.last_ns is None or part.last_ns >= stretch.start_ns)
    )


def without_holes(data: SeriesData, holes: Sequence[Span]) -> SeriesData:
    if not holes:
        return data
    kept = np.ones(len(data.times_ns), dtype=np.bool_)
    for first, last in holes:
        kept &= (data.times_ns < first) | (data.times_ns > last)
    return data.taken(kept)


def _span(inside: Parts, stretch: Stretch) -> Span:
    """The stretch as asked for; else as captured."""
    if stretch.asked:
        return stretch.span
    first = min((part.first_ns for part in inside if part.first_ns is not None), default=stretch.start_ns)
    last = max((part.last_ns for part in inside if part.last_ns is not None), default=stretch.end_ns)
    start, end = max(first, stretch.start_ns), min(last, stretch.end_ns)
    return start, max(start, end)


def _coverage(inside: Sequence[MergedSeries], stretch: Stretch, samples: Samples) -> float | None:
    """Measured time over the captures' time inside the stretch; over the stretch itself where it was asked for."""
    if not samples.interval_s or not len(samples):
        return None
    shared = [overlap_of(part.extent, stretch.span) for whole in inside for part in whole.parts if part.interval_s]
    captured_ns = sum(last - first for first, last in filter(None, shared))
    asked_ns = stretch.end_ns - stretch.start_ns if stretch.asked else 0
    wanted_ns = max(captured_ns, asked_ns) - sum(last - first for first, last in stretch.holes)
    if wanted_ns <= 0:
        return None
    return min(1.0, len(samples) * samples.interval_s * NS_PER_S / wanted_ns)


def joined_samples(
    project: Project, parts: Iterable[SeriesInfo], start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """The samples of all captures of one thing, as one series."""
    wholes = merged_series.find_all_merged(project, [part.id for part in parts])
    return joined(merged_series.read_all_merged(project, wholes, start_ns, end_ns))
