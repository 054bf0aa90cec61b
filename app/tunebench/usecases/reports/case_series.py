"""Which captured series a success case shows as before/after charts, and how they are lined up.

The comparison table lists every series; the charts show the few that a customer asks for first: CPU,
response time, disk, memory, of every host. Each choice is a list of tool columns in order of preference, because not
every host ran the same tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.comparison import MARGIN, ComparedSeries, Parts
from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import describe
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.series import GAP_FACTOR, SeriesInfo
from tunebench.reporting.cases.case import SeriesSide

NS_PER_S = 1_000_000_000


@record
class Captured:
    """A tool's column; `attributes` must all fit, `complement` shows 100 minus it (busy out of idle).

    `table`: of several of the tool, the one that is meant; empty for any.
    """

    tool: str
    native: str
    attributes: tuple[tuple[str, str], ...] = ()
    complement: bool = False
    table: str = ""

    def fits(self, info: SeriesInfo) -> bool:
        return (
            info.tool == self.tool
            and info.native == self.native
            and self.table in ("", info.table)
            and all(info.attributes.get(name) == value for name, value in self.attributes)
        )


@record
class Choice:
    """One chart of the success case: of each host the first of `columns` that was captured.

    `interval_means`: a sample is the mean of an interval, else what was seen at its moment; `request_means`: of the
    requests in it.
    """

    subject: str
    label_key: str
    columns: tuple[Captured, ...]
    direction: Direction
    axis_maximum: float | None = None
    interval_means: bool = True
    request_means: bool = False


HOSTS_SHOWN = 4
"""Hosts of which a figure is shown; what got worse the most is shown beside them, whichever host it is of."""
_ALL = (("cpu", "all"),)

CHOICES: tuple[Choice, ...] = (
    Choice(
        "cpu",
        "report.series.cpu_busy",
        (
            Captured("sar", "%idle", _ALL, complement=True),
            Captured("mpstat", "%idle", _ALL, complement=True),
            Captured("iostat", "%idle", (), complement=True),
            Captured("vmstat", "id", (), complement=True),
            Captured("sar", "%idle", (), complement=True),
        ),
        Direction.LOWER,
        100.0,
    ),
    Choice(
        "cpu",
        "report.series.run_queue",
        (Captured("sar", "runq-sz"), Captured("vmstat", "r")),
        Direction.LOWER,
        interval_means=False,
    ),
    Choice("response", "report.series.latency", (Captured("pgbench", "lat"),), Direction.LOWER, request_means=True),
    Choice(
        "response",
        "report.series.throughput",
        (Captured("pgbench", "tps", table="progress"), Captured("pgbench", "tps")),
        Direction.HIGHER,
    ),
    Choice(
        "disk",
        "report.series.disk_busy",
        (Captured("iostat", "%util"), Captured("iostat", "%b"), Captured("sar", "%util"), Captured("sar", "%busy")),
        Direction.LOWER,
        100.0,
    ),
    Choice(
        "disk",
        "report.series.disk_time",
        (
            Captured("iostat", "await"),
            Captured("iostat", "asvc_t"),
            Captured("iostat", "svc_t"),
            Captured("sar", "await"),
            Captured("sar", "avserv"),
        ),
        Direction.LOWER,
        request_means=True,
    ),
    Choice(
        "memory",
        "report.series.memory_used",
        (Captured("sar", "%memused"),),
        Direction.LOWER,
        100.0,
        interval_means=False,
    ),
    Choice("memory", "report.series.scan_rate", (Captured("vmstat", "sr"),), Direction.LOWER),
)


@record
class ChosenPair:
    """`row` is the compared series of `column`; every side that it has was sampled.

    `among`: how many such series its host has.
    """

    choice: Choice
    column: Captured
    row: ComparedSeries
    among: int = 1

    @property
    def info(self) -> SeriesInfo:
        return self.row.series

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host; the one before and the one after where a server was replaced."""
        return tuple(dict.fromkeys(part.host for part in (self.row.before, self.row.after) if part))

    @property
    def worst(self) -> float:
        """The figure that is shown, on the side where it is worse; the larger the worse, whichever way that is."""
        return max(self._badness)

    @property
    def worsened(self) -> float:
        """By how much the figure that is shown moved the unwanted way; below zero for the wanted way."""
        return self._badness[-1] - self._badness[0]

    @property
    def _badness(self) -> list[float]:
        figures = [side for side in self.row.side_statistics if side is not None]
        means = [side.mean for side in figures if side.mean is not None]
        shown = [100.0 - mean if self.column.complement else mean for mean in means] or [float("-inf")]
        return shown if self.choice.direction is Direction.LOWER else [-mean for mean in shown]


@record
class Chosen:
    """`further`: hosts that were measured too, by the choice that does not show them."""

    pairs: tuple[ChosenPair, ...]
    further: tuple[tuple[Choice, tuple[str, ...]], ...] = ()


def choose(rows: Sequence[ComparedSeries]) -> Chosen:
    """The charts these captures allow: the worst thing of each host, and what got worse the most beside them.

    What is worst is judged by the figure that is shown, on either side alike: choosing by one side alone would favour
    a change for the better, or one for the worse. Where only one side was captured at all, its series stand alone.
    """
    both = any(row.before_parts and row.after_parts for row in rows)
    by_column = by_key((_column(row.series), row) for row in rows)
    pairs: list[ChosenPair] = []
    further = []
    for choice in CHOICES:
        fitting = _fitting(choice, by_column, both)
        shown = _shown(fitting)
        named = {host for pair in shown for host in pair.hosts}
        left = tuple(sorted({host for pair in fitting for host in pair.hosts} - named))
        pairs += shown
        if left:
            further.append((choice, left))
    return Chosen(tuple(pairs), tuple(further))


def _column(column: SeriesInfo | Captured) -> tuple[str, str]:
    return column.tool, column.native


def _fitting(
    choice: Choice, by_column: Mapping[tuple[str, str], Sequence[ComparedSeries]], both: bool
) -> list[ChosenPair]:
    """The series of the first column that each host has."""
    pairs_by_host: dict[str, list[ChosenPair]] = {}
    taken: dict[str, Captured] = {}
    for column in choice.columns:
        for row in by_column.get(_column(column), ()):
            if column.fits(row.series) and _sampled(row, both):
                host = row.series.host
                if taken.setdefault(host, column) is column:
                    pairs_by_host.setdefault(host, []).append(ChosenPair(choice, column, row))
    return [pair for pairs in pairs_by_host.values() for pair in pairs]


def _shown(fitting: Sequence[ChosenPair]) -> list[ChosenPair]:
    ordered = sorted(fitting, key=lambda pair: -pair.worst)
    of_hosts: dict[str, ChosenPair] = {}
    for pair in ordered:
        of_hosts.setdefault(pair.info.host, pair)
    shown = list(of_hosts.values())[:HOSTS_SHOWN]
    others = [pair for pair in ordered if pair not in shown and pair.worsened > MARGIN * abs(shown[0].worst)]
    counts = Counter(pair.info.host for pair in fitting)
    chosen = [*shown, *sorted(others, key=lambda pair: -pair.worsened)[:1]]
    return [replace(pair, among=counts[pair.info.host]) for pair in chosen]


def _sampled(row: ComparedSeries, both: bool) -> bool:
    """Whether it has samples to show; those since boot are none."""
    sides = [bool(statistics and statistics.n) for statistics in row.side_statistics]
    return all(sides) if both else any(sides)


def values_of(column: Captured, data: SeriesData) -> SeriesData:
    """The samples as the chart shows them."""
    if not column.complement:
        return data
    return SeriesData(data.times_ns, 100.0 - data.values, data.since_boot, data.line_numbers)


def share_a_time_of_day(windows: Sequence[tuple[int, int]], zones: Sequence[ZoneInfo]) -> bool:
    """Whether two windows cover at least half of the same hours, so that they belong on a clock's axis.

    Args:
        windows: (first, last), UTC ns, of both sides; one alone is on its own clock.
        zones: the clock of each.
    """
    spans = []
    for (first_ns, last_ns), zone in zip(windows, zones, strict=True):
        start = _seconds_of_day(first_ns, zone)
        spans.append((start, start + (last_ns - first_ns) / NS_PER_S))
    (a0, a1), (b0, b1) = spans[0], spans[-1]
    shared = min(a1, b1) - max(a0, b0)
    return shared >= 0.5 * max(min(a1 - a0, b1 - b0), 1.0)


def _seconds_of_day(time_ns: int, zone: ZoneInfo) -> float:
    local = datetime.fromtimestamp(time_ns // NS_PER_S, tz=UTC).astimezone(zone)
    return local.hour * 3600 + local.minute * 60 + local.second


def side(parts: Parts, data: SeriesData, zone: ZoneInfo, by_time_of_day: bool, evidence: tuple[str, ...]) -> SeriesSide:
    """One side of a chart, since-boot samples left out, the line broken at gaps; `data` is of all `parts`."""
    intervals = {part.interval_s for part in parts if part.interval_s is not None}
    times_ns, values = data.times_ns[~data.since_boot], data.values[~data.since_boot]
    first_ns, last_ns = int(times_ns[0]), int(times_ns[-1])
    times_s = (times_ns - first_ns) / NS_PER_S
    if by_time_of_day:
        times_s = times_s + _seconds_of_day(first_ns, zone)
    times_s, values = _broken_at_gaps(times_s, values, max(intervals, default=None))
    return SeriesSide(
        run=parts[0].run,
        times_s=times_s,
        values=values,
        summary=describe(data),
        date=datetime.fromtimestamp(first_ns // NS_PER_S, tz=UTC).astimezone(zone).date().isoformat(),
        start_ns=first_ns,
        end_ns=last_ns,
        interval_s=intervals.pop() if len(intervals) == 1 else None,
        evidence=evidence,
    )


def _broken_at_gaps(
    times_s: NDArray[np.float64], values: NDArray[np.float64], interval_s: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A NaN in the middle of every step longer than 2.5 intervals: no line across what was not measured."""
    if interval_s is None or len(times_s) < 2:
        return times_s, values
    after = np.flatnonzero(np.diff(times_s) > GAP_FACTOR * interval_s) + 1
    middles = (times_s[after] + times_s[after - 1]) / 2
    return np.insert(times_s, after, middles), np.insert(values, after, np.nan)
