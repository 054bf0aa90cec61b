"""Pictures of many cells: devices over time, each against its peers, and the hours of days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.exploring.day_hours import DayHours, day_hours
from tunebench.analysis.exploring.grid import on_grid
from tunebench.analysis.exploring.peers import Peers, peers, stays_apart_from
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo
from tunebench.store.project import Project
from tunebench.usecases import browse
from tunebench.usecases.comparing.clocks import calendar_of
from tunebench.usecases.exploring.strands import (
    Strand,
    is_telling,
    reaches,
    state_of,
    strand_samples,
    strands,
    whole_host,
)

LEAST_PEERS = 3
CELLS = 160
"""About as many columns as are told apart on a small screen."""
BINS_A_CELL = 4
MOST_TRIED = 6
BUSY = "system.cpu.utilization"
DISK_TIMES = ("system.disk.response_time", "system.disk.service_time", "system.disk.wait_time")

Floats = NDArray[np.float64]


@record(eq=False)
class Kind:
    """Things of a kind that one tool measures alike: all disks' await, every host's CPU."""

    strands: tuple[Strand, ...]

    @property
    def info(self) -> SeriesInfo:
        return self.strands[0].info


@record(eq=False)
class DeviceHeat:
    """
    Attributes:
        cells: the stretches of time that the columns are.
        values: float64[k, c], the mean of each thing in each cell; NaN where nothing was measured.
        since: the cell from which on the first stays apart from the others; None where that is for a while.
    """

    kind: Kind
    cells: tuple[Span, ...]
    values: Floats
    peers: Peers
    since: int | None

    @property
    def first(self) -> int:
        """The one least like the others."""
        return int(self.peers.order[0])


def kinds_of(series: Iterable[SeriesInfo], span: Span) -> list[Kind]:
    """What is measured of three things or more in the span: how long disks take first, then what has most things."""
    groups = by_key((_kind_key(info), info) for info in series if reaches(info, span) and _is_of_a_kind(info))
    kinds = [Kind(tuple(strands(own))) for own in groups.values()]
    many = [kind for kind in kinds if len(kind.strands) >= LEAST_PEERS]
    return sorted(many, key=lambda kind: (kind.info.metric not in DISK_TIMES, -len(kind.strands), kind.info.label))


def _is_of_a_kind(info: SeriesInfo) -> bool:
    return bool(info.device) or "interface" in info.attributes or whole_host(info) or "cpu" in info.attributes


def _kind_key(info: SeriesInfo) -> tuple[object, ...]:
    """A device's peers are those of its host, a host's the other hosts; a processor is no peer of all of them."""
    own = {name: value for name, value in info.attributes.items() if name not in ("device", "interface", "cpu")}
    host = info.host_id if len(own) < len(info.attributes) and not whole_host(info) or info.device else None
    return info.tool, info.table, info.native, info.unit, host, *sorted(own.items())


def device_heat(project: Project, kind: Kind, pieces: Sequence[Span], progress: Progress | None = None) -> DeviceHeat:
    """
    Args:
        pieces: the stretches that are looked at, in the order of time.
    """
    cells = _cut(pieces)
    starts, ends = np.array(cells, dtype=np.int64).T
    values = np.full((len(kind.strands), len(cells)), np.nan)
    for row, strand in enumerate(kind.strands):
        if progress is not None:
            progress.raise_if_cancelled()
        parts = [part for part in strand.parts if reaches(part, (pieces[0][0], pieces[-1][1]))]
        drawn = [
            browse.envelope(project, part.id, pieces[0][0], pieces[-1][1], BINS_A_CELL * len(cells)) for part in parts
        ]
        values[row] = on_grid(drawn, starts, ends)
    high_is_bad = kind.info.direction is not Direction.HIGHER
    ranked = peers(values, high_is_bad=high_is_bad)
    since = stays_apart_from(values, int(ranked.order[0]), high_is_bad=high_is_bad)
    return DeviceHeat(kind, cells, values, ranked, since)


def telling_heat(
    project: Project, kinds: Sequence[Kind], pieces: Sequence[Span], progress: Progress | None = None
) -> DeviceHeat | None:
    """Of the first kinds the one in which a thing is least like its peers; None where there is no kind."""
    drawn = [device_heat(project, kind, pieces, progress) for kind in kinds[:MOST_TRIED]]
    return max(drawn, key=lambda one: float(np.nanmax(one.peers.score, initial=0.0)), default=None)


def unlike_disk(project: Project, series: Sequence[SeriesInfo], pieces: Sequence[Span]) -> str:
    """The disk of a host that takes unlike its others; empty where they are alike or few."""
    kinds = [kind for kind in kinds_of(series, (pieces[0][0], pieces[-1][1])) if kind.info.metric in DISK_TIMES]
    drawn = telling_heat(project, kinds, pieces)
    apart = drawn is not None and drawn.peers.score[drawn.first] >= 1
    return drawn.kind.strands[drawn.first].info.device if drawn is not None and apart else ""


def _cut(pieces: Sequence[Span]) -> tuple[Span, ...]:
    """The pieces in cells of about equal length."""
    length = max(sum(end - start for start, end in pieces) / CELLS, 1)
    cells: list[Span] = []
    for start, end in pieces:
        edges = np.linspace(start, end, max(1, round((end - start) / length)) + 1).astype(np.int64).tolist()
        cells.extend(pairwise(edges))
    return tuple(cells)


def busy_candidates(series: Iterable[SeriesInfo]) -> list[Strand]:
    """Of what the hours of days are worth a look: how busy processors are, then what else tells of a whole host."""

    def rank(strand: Strand) -> tuple[bool, bool, bool]:
        info = strand.info
        return info.metric != BUSY, state_of(info) != "user", bool(info.device)

    return sorted(
        strands(info for info in series if is_telling(info) and info.implied.get("state") != "idle"), key=rank
    )


def hours_of_days(project: Project, strand: Strand, span: Span) -> DayHours | None:
    """None where nothing was measured."""
    calendar = calendar_of(project)
    data = strand_samples(project, strand, span).without_boot()
    return day_hours(data.times_ns, data.values, calendar.zone, calendar.days_off)
