"""What else moved in a stretch of time: every series against itself at the same hours of like days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.answering.resources import Family, resource_of
from tunebench.analysis.comparing.calendar_slots import day_class
from tunebench.analysis.exploring.moved import UNUSUAL_Z, onset_ns, unusual
from tunebench.analysis.series import SeriesData
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases.comparing.captured import day_of, local_ns
from tunebench.usecases.comparing.clocks import calendar_of
from tunebench.usecases.exploring.strands import Strand, strand_samples, strands

MOST_DAYS = 10
AROUND = 6
"""Stretches of the same length before, and as many after."""
MOST_ROWS = 7
LEAST_SAMPLES = 2
DAYS_AWAY = 60

Floats = NDArray[np.float64]


@record(eq=False)
class MovedSeries:
    """
    Attributes:
        value, usual: its mean in the stretch, and what is usual then.
        z: how many robust standard deviations these are apart.
        onset_ns: when it went half the way.
        times_ns, values: its samples around the stretch.
    """

    strand: Strand
    value: float
    usual: float
    z: float
    onset_ns: int | None
    times_ns: NDArray[np.int64]
    values: Floats


@record(eq=False)
class Moved:
    """
    Attributes:
        rows: those that moved most, the strongest first.
        first_ns: when the strongest of them moved that has such a moment: the others are earlier or later.
        count: how many moved.
        judged: of how many there were samples enough to say.
        by_days: what is usual was said by like days, and not by the time before and after alone.
        still_hosts: hosts of which nothing moved.
        still: what did not move of the others.
    """

    span: Span
    rows: tuple[MovedSeries, ...]
    first_ns: int | None
    count: int
    judged: int
    by_days: bool
    still_hosts: tuple[str, ...]
    still: tuple[Family, ...]


def moved_in(
    project: Project,
    span: Span,
    series: Sequence[SeriesInfo],
    alike: Sequence[Span] = (),
    progress: Progress | None = None,
) -> Moved:
    """
    Args:
        alike: the stretches that days are looked for in, where another state of the system must not count as usual.
        series: that are looked at; means over periods of a database are not, they say nothing of minutes.
    """
    wanted = strands(info for info in series if not is_period_mean(info))
    judged = unusual(_cells(project, span, wanted, alike, progress))
    apart = np.nan_to_num(np.abs(judged.z))
    moved = [int(index) for index in np.argsort(-apart, kind="stable") if apart[index] >= UNUSUAL_Z]
    rows = [
        _row(project, span, wanted[at], float(judged.value[at]), float(judged.usual[at]), float(judged.z[at]))
        for at in _one_of_each(wanted, moved)
    ]
    first_ns = next((row.onset_ns for row in rows if row.onset_ns is not None), None)
    sure = [wanted[index].info for index in np.flatnonzero(~np.isnan(judged.z))]
    return Moved(
        span,
        tuple(rows),
        first_ns,
        len(moved),
        len(sure),
        bool(judged.by_days.any()),
        *_still(sure, [wanted[at].info for at in moved]),
    )


def _one_of_each(wanted: Sequence[Strand], moved: Sequence[int]) -> list[int]:
    """A quantity of a thing once, by the tool that shows it clearest."""
    shown: dict[tuple[object, ...], int] = {}
    for at in moved:
        info = wanted[at].info
        quantity = (info.metric, *sorted(info.implied.items())) if info.metric else (info.tool, info.table, info.native)
        shown.setdefault((info.host_id, *sorted(info.identity.items()), quantity), at)
    return list(shown.values())[:MOST_ROWS]


def _cells(
    project: Project, span: Span, wanted: Sequence[Strand], alike: Sequence[Span], progress: Progress | None
) -> Floats:
    """float64[k, 1 + d, 2 * AROUND + 1] for `unusual`."""
    infos = [part for strand in wanted for part in strand.parts]
    wholes = dict(
        zip(
            (info.id for info in infos),
            merged_series.find_all_merged(project, [info.id for info in infos]),
            strict=True,
        )
    )
    columns = [[wholes[part.id] for part in strand.parts] for strand in wanted]
    middles = [span, *_like_days(project, span, infos, alike)]
    cells = np.full((len(wanted), len(middles), 2 * AROUND + 1), np.nan)
    length_ns = span[1] - span[0]
    for number, (start_ns, end_ns) in enumerate(middles):
        if progress is not None:
            progress.raise_if_cancelled()
        begin_ns = start_ns - AROUND * length_ns
        tables = merged_series.read_tables(project, columns, begin_ns, end_ns + AROUND * length_ns)
        for indexes, table in tables:
            intervals = np.array([wanted[index].info.interval_s or np.nan for index in indexes])
            cells[indexes, number] = _means(table.without_boot(), begin_ns, length_ns, intervals)
    return cells


def _means(table: SeriesData, begin_ns: int, length_ns: int, intervals_s: Floats) -> Floats:
    """float64[k, cells]; NaN where less than half of the samples are there that the interval promises."""
    count = 2 * AROUND + 1
    # A sample stands for the interval before its stamp: one at the begin of a stretch is not of it.
    edges = np.searchsorted(table.times_ns, begin_ns + length_ns * np.arange(count + 1), side="right")
    means = np.full((len(table.values), count), np.nan)
    wanted = np.fmax(length_ns / NS_PER_S / intervals_s / 2, LEAST_SAMPLES)
    for cell, (first, last) in enumerate(pairwise(edges.tolist())):
        part = table.values[:, first:last]
        counts = (~np.isnan(part)).sum(axis=1)
        sums = np.nansum(part, axis=1)
        means[:, cell] = np.divide(sums, counts, out=np.full(len(part), np.nan), where=counts >= wanted)
    return means


def _like_days(project: Project, span: Span, infos: Sequence[SeriesInfo], alike: Sequence[Span]) -> Iterator[Span]:
    """The same clock times on the nearest days of the same class on which something was measured."""
    calendar = calendar_of(project)
    zone, own = calendar.zone, day_of(span[0], calendar.zone)
    clock_ns = span[0] - local_ns(own, 0, zone)
    first = min((info.first_ns for info in infos if info.first_ns is not None), default=span[0])
    last = max((info.last_ns for info in infos if info.last_ns is not None), default=span[1])
    kind, taken = day_class(own.toordinal(), calendar.days_off or ()), 0
    for away in (step for days in range(1, DAYS_AWAY + 1) for step in (-days, days)):
        day = own + timedelta(days=away)
        start_ns = local_ns(day, 0, zone) + clock_ns
        if not first <= start_ns <= last or day_class(day.toordinal(), calendar.days_off or ()) != kind:
            continue
        like = start_ns, start_ns + span[1] - span[0]
        if alike and not any(overlap_of(like, stretch) for stretch in alike):
            continue
        yield like
        taken += 1
        if taken == MOST_DAYS:
            return


def _row(project: Project, span: Span, strand: Strand, value: float, usual: float, z: float) -> MovedSeries:
    length_ns = span[1] - span[0]
    data = strand_samples(project, strand, (span[0] - length_ns, span[1] + length_ns)).without_boot()
    inside = data.times_ns >= span[0] - length_ns // 4
    onset = onset_ns(data.times_ns[inside], data.values[inside], usual, value)
    return MovedSeries(strand, value, usual, z, onset, data.times_ns, data.values)


def _still(judged: Sequence[SeriesInfo], moved: Sequence[SeriesInfo]) -> tuple[tuple[str, ...], tuple[Family, ...]]:
    """Hosts of which nothing moved, and kinds of resources of which nothing moved on the others."""
    moving = {info.host for info in moved}
    hosts = tuple(sorted({info.host for info in judged} - moving))
    kinds = {family for info in judged if info.host in moving and (family := _family(info)) is not None}
    return hosts, tuple(family for family in Family if family in kinds - {_family(info) for info in moved})


def _family(info: SeriesInfo) -> Family | None:
    resource = resource_of(info)
    return resource.family if resource is not None else None
