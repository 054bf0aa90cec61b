"""Which series speak of a capacity, over all runs of the project or in a window, and their daily figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.capacity.daily import DailyLevels, daily_levels
from tunebench.analysis.comparing.calendar_slots import local_ns
from tunebench.analysis.series import SeriesData, joined
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.engagement import Direction, Kind, is_unnamed
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, Window
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases.comparing.sides import samples_over
from tunebench.usecases.comparing.stretches import pieces_of

_DAY_NS = 86_400 * NS_PER_S
_EVER = Stretch(-EVER_NS, EVER_NS)
_ALL_PROCESSORS = frozenset({"all", "ALL", "-1", "-"})


class Resource(StrEnum):
    CPU = "cpu"
    FILESYSTEM = "filesystem"
    DISK = "disk"
    MEMORY = "memory"
    SWAP = "swap"
    OTHER = "other"


_SPACES = frozenset({Resource.FILESYSTEM, Resource.MEMORY, Resource.SWAP})


class Reading(StrEnum):
    """`busy`: 100 % minus idle and, where measured beside it, waiting for I/O."""

    AS_MEASURED = "as_measured"
    BUSY = "busy"


_CPU = "system.cpu.utilization"
_RESOURCES = {
    "system.filesystem.utilization": Resource.FILESYSTEM,
    "system.filesystem.inode_utilization": Resource.FILESYSTEM,
    "system.disk.utilization": Resource.DISK,
    "system.memory.utilization": Resource.MEMORY,
    "system.paging.utilization": Resource.SWAP,
}
_WHOLE_STATES = frozenset({"", "used", "unprivileged"})
_LOADS = (
    "db.client.transactions",
    "db.server.transactions",
    "db.server.executions",
    "db.server.calls",
    "db.server.logons",
)


@record
class Subject:
    """One figure of one thing over all runs.

    Attributes:
        info: the series of its latest run; `parts` those of all runs, in the order of time.
        waits: for a `busy` reading, the waiting for I/O beside each part; None where it is not measured.
        ceiling: what it cannot exceed, in its unit; None where there is no such thing.
    """

    info: SeriesInfo
    parts: tuple[SeriesInfo, ...]
    resource: Resource
    reading: Reading = Reading.AS_MEASURED
    waits: tuple[SeriesInfo | None, ...] = ()

    @property
    def id(self) -> int:
        return self.info.id

    @property
    def falling(self) -> bool:
        """Whether its limit lies below: free memory, hit ratios."""
        return self.reading is Reading.AS_MEASURED and self.info.direction is Direction.HIGHER

    @property
    def works(self) -> bool:
        """Whether it is busy with the load, so that the utilisation law holds; space is only filled."""
        return self.ceiling is not None and not self.falling and self.resource not in _SPACES

    @property
    def ceiling(self) -> float | None:
        is_share = self.info.base_unit == "1" and self.info.to_base > 0 and self.info.unit in ("%", "1")
        return 1 / self.info.to_base if is_share and self.info.kind is Kind.RATIO else None

    @property
    def first_ns(self) -> int:
        return min((part.first_ns for part in self.parts if part.first_ns is not None), default=0)

    @property
    def last_ns(self) -> int:
        return max((part.last_ns for part in self.parts if part.last_ns is not None), default=0)


def list_subjects(project: Project, window: Window | None = None) -> list[Subject]:
    """Everything that a limit may be set for, of the window's hosts; the likely ones first, of these what was measured
    longest: a forecast rests on its days."""
    listed = [info for info in merged_series.list_merged(project) if _is_of(window, info.host)]
    waits = _waits(listed)
    subjects = [_subject(parts, waits) for parts in _groups(listed).values() if parts[-1].kind is not Kind.COUNTER]
    resources, metrics = list(Resource), dict(zip(_RESOURCES, range(len(_RESOURCES)), strict=True))

    def rank(subject: Subject) -> tuple[int, int, int, str, str]:
        info, days = subject.info, (subject.last_ns - subject.first_ns) // _DAY_NS
        return resources.index(subject.resource), metrics.get(info.metric, 0), -days, info.host, info.label

    return sorted(subjects, key=rank)


def _is_of(window: Window | None, host: str) -> bool:
    return window is None or not window.hosts or host in window.hosts


def find_subject(project: Project, series_id: int) -> Subject:
    """The one that the series, or any column of it, belongs to.

    Raises:
        UserError: there is no such series.
    """
    wanted = merged_series.find_merged(project, series_id).info
    listed = merged_series.list_merged(project)
    return _subject(_groups(listed).get(_key(wanted), [wanted]), _waits(listed))


def loads(subjects: Iterable[Subject]) -> list[Subject]:
    """What may drive a resource: transactions, executions and calls first, then every other rate."""
    rates = [subject for subject in subjects if subject.info.kind is Kind.RATE or subject.info.metric in _LOADS]
    return sorted(
        rates, key=lambda subject: _LOADS.index(subject.info.metric) if subject.info.metric in _LOADS else len(_LOADS)
    )


def _groups(infos: Iterable[SeriesInfo]) -> dict[tuple[object, ...], list[SeriesInfo]]:
    ordered = sorted(infos, key=lambda info: (info.first_ns or 0, info.id))
    return by_key((_key(info), info) for info in ordered if info.count)


def _key(info: SeriesInfo) -> tuple[object, ...]:
    """The same in all runs; the unnamed host of another run may be another machine."""
    run = info.run_id if is_unnamed(info.host) else None
    return run, _table(info), info.native, tuple(sorted(info.identity.items())), info.unit, info.definition


def _table(info: SeriesInfo) -> tuple[int, str, str]:
    return info.host_id, info.tool, info.table


def _state(info: SeriesInfo) -> str:
    return {**info.implied, **info.attributes}.get("state", "")


def _subject(parts: Sequence[SeriesInfo], waits: Mapping[tuple[object, ...], SeriesInfo]) -> Subject:
    last = parts[-1]
    if last.metric == _CPU and _state(last) == "idle":
        whole = last.attributes.get("cpu", "all") in _ALL_PROCESSORS and "process" not in last.attributes
        beside = tuple(waits.get(_beside(part)) for part in parts)
        return Subject(last, tuple(parts), Resource.CPU if whole else Resource.OTHER, Reading.BUSY, beside)
    resource = _RESOURCES.get(last.metric, Resource.OTHER)
    if _state(last) not in _WHOLE_STATES:
        resource = Resource.OTHER
    return Subject(last, tuple(parts), resource)


def _waits(infos: Iterable[SeriesInfo]) -> dict[tuple[object, ...], SeriesInfo]:
    """The waiting for I/O, by what it is measured beside."""
    return {_beside(info): info for info in infos if info.metric == _CPU and _state(info) == "iowait"}


def _beside(info: SeriesInfo) -> tuple[object, ...]:
    """The same for all states of the same processors in the same run."""
    plain = sorted((name, value) for name, value in info.attributes.items() if name not in ("state", "group"))
    return _table(info), info.run_id, info.unit, tuple(plain)


# -- samples ---------------------------------------------------------------------------------------------


def read_samples(project: Project, subject: Subject, window: Window | None = None) -> SeriesData:
    """All runs as one, or what lies in the window; since-boot averages left out."""
    parts, stretches = [], [_EVER]
    if window is not None:
        # a sample measures what went before it, so that one at the beginning is not of the stretch
        stretches = [replace(stretch, start_ns=stretch.start_ns + 1) for stretch in pieces_of(window)]
        stretches = stretches if _is_of(window, subject.info.host) else []
    for index, part in enumerate(subject.parts):
        data = _read(project, part, stretches)
        if subject.reading is Reading.BUSY:
            wait = subject.waits[index]
            beside = _read(project, wait, stretches) if wait is not None else None
            data = _busy(data, beside, subject.ceiling or 100.0)
        parts.append(data)
    return joined(parts)


def _read(project: Project, info: SeriesInfo, stretches: Sequence[Stretch]) -> SeriesData:
    data = samples_over(project, (info,), stretches)
    return data.taken(~data.since_boot)


def _busy(idle: SeriesData, wait: SeriesData | None, whole: float) -> SeriesData:
    busy = whole - idle.values
    if wait is not None and len(wait.times_ns):
        index = np.minimum(np.searchsorted(wait.times_ns, idle.times_ns), len(wait.times_ns) - 1)
        beside = wait.times_ns[index] == idle.times_ns
        busy = busy - np.where(beside, np.nan_to_num(wait.values[index]), 0.0)
    # tools round each share, so that the sum may exceed 100 %
    return replace(idle, values=np.maximum(busy, 0.0))


def read_days(
    project: Project,
    subject: Subject,
    zone: ZoneInfo,
    hours: Collection[int] | None = None,
    window: Window | None = None,
) -> DailyLevels:
    data = read_samples(project, subject, window)
    return daily_levels(local_ns(data.times_ns, zone), data.values, hours)
