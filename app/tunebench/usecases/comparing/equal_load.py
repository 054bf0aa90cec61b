"""What asked for the work, host by host, and the figures of what depends on it where it moved.

The best measure of the demand counts: transactions or executions of the database before what the host itself shows of
the work, which tuning changes too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from tunebench.analysis.comparing.comparability import Load
from tunebench.analysis.comparing.comparison import Caution, ComparedSeries
from tunebench.analysis.comparing.deciding import PerUnit
from tunebench.analysis.comparing.disk_work import OPERATIONS, transfer_of
from tunebench.analysis.comparing.equal_load import MOST_CHANGE, AtLoad, Depends, LoadCurve, at_common_load, depends
from tunebench.analysis.comparing.judging import Prepared, Refusal
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic
from tunebench.analysis.comparing.regular_samples import Floats, Samples
from tunebench.analysis.comparing.window_sides import Side
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.records import record
from tunebench.usecases.comparing.sides import ReadPair, let_go
from tunebench.usecases.databases.comparison import DatabaseComparison

_CLIENTS = "db.client.connections"
_DEMANDS = ("db.server.transactions", "db.server.executions", "db.server.calls", "db.server.logons")
_OF_DATABASES = ("transactions", "executions", "questions", "user_calls", "logons")
_PACKETS, _SWITCHES = "system.network.packets", "system.context_switches"
_WHOLE = f"{OPERATIONS} whole"
_OF_HOSTS = (OPERATIONS, _WHOLE, _PACKETS, _SWITCHES)
WORK_METRICS = frozenset({_CLIENTS, *_DEMANDS, OPERATIONS, _PACKETS, _SWITCHES})
"""What may tell the load."""

Means = tuple[dict[int, float], dict[int, float]]
"""Mean of each occurrence of either side, by its index."""
ReadAgain = Callable[[Sequence[int]], list[ReadPair]]
AtLoadRow = tuple[Prepared, PerUnit | None, LoadCurve | None]


@record(frozen=False)
class _HostWork:
    """The work of one host by one measure: sums over its devices, as the first tool that measured them has them."""

    tool: str
    means: Means = field(default_factory=lambda: ({}, {}))
    indexes: list[int] = field(default_factory=list)

    def add(self, index: int, means: Means) -> None:
        self.indexes.append(index)
        for own, more in zip(self.means, means, strict=True):
            for occurrence, mean in more.items():
                own[occurrence] = own.get(occurrence, 0.0) + mean

    @property
    def sides(self) -> tuple[float, float]:
        before, after = (sum(own.values()) / len(own) if own else 0.0 for own in self.means)
        return before, after


@record
class _Driver:
    """What the load is measured by.

    Attributes:
        indexes: of the series it is the sum of; none where it is known for the windows as a whole only.
    """

    measure: str
    means: Means
    sides: tuple[float, float]
    indexes: tuple[int, ...] = ()

    @property
    def ratio(self) -> float:
        return self.sides[1] / self.sides[0]

    @property
    def moved(self) -> bool:
        return abs(self.ratio - 1) > MOST_CHANGE

    @property
    def facts(self) -> dict[str, object]:
        return {"measure": self.measure, "ratio": self.ratio}

    def per_unit(self, ready: Prepared) -> PerUnit:
        """Shares of the work that was done on average before, so that the figures keep their size."""
        shares = []
        for own, side, mean in zip((ready.before, ready.after), self.means, self.sides, strict=True):
            shares.append({index: side.get(index, mean) / self.sides[0] for index in own})
        return PerUnit(self.measure, shares[0], shares[1])


@record(frozen=False)
class Drivers:
    """What the load is measured by, for all hosts and for each.

    Attributes:
        load: what the gate looks at: that of all hosts together, or of the one whose share moved.
    """

    load: Load | None = None
    _by_measure: dict[str, dict[str, _HostWork]] = field(default_factory=dict)
    _everywhere: _Driver | None = None
    _by_host: dict[str, _Driver] = field(default_factory=dict)

    def take(self, index: int, row: ComparedSeries, means: Means) -> None:
        if row.metric not in WORK_METRICS or not all(means):
            return
        name = _WHOLE if row.metric == OPERATIONS and not transfer_of(row.series) else row.metric
        work = self._by_measure.setdefault(name, {}).setdefault(row.series.host, _HostWork(row.series.tool))
        if work.tool == row.series.tool:
            work.add(index, means)

    def choose(self, generated: bool, database: DatabaseComparison | None) -> None:
        """Chooses what the load is measured by, once all series were taken."""
        if generated:
            self.load = self._of_all(_CLIENTS, "clients")
            return
        for metric in _DEMANDS:
            self.load = self._of_all(metric, metric)
            if self.load is not None:
                self._everywhere = _together(metric, self._by_measure[metric].values())
                return
        self.load = _of_database(database)
        if self.load is not None:
            self._everywhere = _Driver(self.load.measure, ({}, {}), (self.load.before, self.load.after))
            return
        for measure in _OF_HOSTS:
            self.load = self.load or self._of_all(measure, measure.removesuffix(" whole"), demand=False)
            for host, work in self._by_measure.get(measure, {}).items():
                if min(work.sides) > 0:
                    name = measure.removesuffix(" whole")
                    self._by_host.setdefault(host, _Driver(name, work.means, work.sides, tuple(work.indexes)))

    def of_host(self, host: str) -> _Driver | None:
        """What the host's load is measured by, where it moved; else None."""
        driver = self._everywhere or self._by_host.get(host)
        return driver if driver is not None and min(driver.sides) > 0 and driver.moved else None

    def _of_all(self, measure: str, name: str, demand: bool = True) -> Load | None:
        sides = {host: work.sides for host, work in self._by_measure.get(measure, {}).items()}
        before, after = (sum(pair[side] for pair in sides.values()) for side in (0, 1))
        if max(before, after, 0.0) <= 0:
            return None
        whole = Load(name, before, after, demand)
        return whole if whole.moved else _moved_most(whole, sides) or whole

    # -- what depends on it

    def read_again(self, read: ReadAgain, rows: Iterable[tuple[int, ComparedSeries, Prepared]]) -> dict[int, AtLoadRow]:
        """Index of a row -> what it comes to at equal load; without those that the load does not concern."""
        at_load: dict[int, AtLoadRow] = {}
        curves: dict[str, list[tuple[int, Prepared]]] = {}
        for index, row, ready in rows:
            driver = self.of_host(row.series.host)
            if driver is None or ready.refusal is not None or index in driver.indexes or row.metric in _DEMANDS:
                continue
            how = depends(row.series)
            if how is Depends.IN_PROPORTION:
                at_load[index] = ready, driver.per_unit(ready), None
            elif how is Depends.AS_A_CURVE and driver.indexes:
                curves.setdefault(row.series.host, []).append((index, ready))
            elif how is not Depends.NOT:
                at_load[index] = replace(ready, refusal=_moved(driver)), None, None
        for host, wanted in curves.items():
            driver = self.of_host(host)
            assert driver is not None
            at_load |= _along_the_curve(read, driver, wanted)
        return at_load


def _moved(driver: _Driver) -> Refusal:
    return Refusal(Verdict.DESCRIPTIVE_ONLY, "load_moved", driver.facts)


def _together(measure: str, hosts: Collection[_HostWork]) -> _Driver:
    whole = _HostWork("")
    for work in hosts:
        whole.add(-1, work.means)
    indexes = tuple(index for work in hosts for index in work.indexes)
    return _Driver(measure, whole.means, whole.sides, indexes)


def _moved_most(whole: Load, by_host: Mapping[str, tuple[float, float]]) -> Load | None:
    """The host with at least a tenth of the work whose own moved furthest, while that of all hosts together stayed."""
    own = [
        Load(whole.measure, before, after, whole.demand, host)
        for host, (before, after) in by_host.items()
        if max(before, after) > 0 and (before >= whole.before / 10 or after >= whole.after / 10)
    ]
    return min((load for load in own if load.moved), key=lambda load: load.alike, default=None)


def _of_database(database: DatabaseComparison | None) -> Load | None:
    lines = {line.name: line for line in database.profile.load} if database else {}
    for name in _OF_DATABASES:
        line = lines.get(name)
        if line is not None and line.ratio():
            return Load(name, line.before["per_second"], line.after["per_second"])
    return None


# -- response against load -----------------------------------------------------------------------------


def _along_the_curve(read: ReadAgain, driver: _Driver, wanted: Sequence[tuple[int, Prepared]]) -> dict[int, AtLoadRow]:
    again = read(driver.indexes)
    loads = [_sums([_side(pair, which) for pair in again]) for which in (0, 1)]
    let_go(again)
    rows: dict[int, AtLoadRow] = {}
    for index, ready in wanted:
        (pair,) = read([index])
        rows[index] = _at_load(pair, ready, driver, loads)
        let_go([pair])
    return rows


def _at_load(pair: ReadPair, ready: Prepared, driver: _Driver, loads: Sequence[Mapping[int, Samples]]) -> AtLoadRow:
    sides = []
    for which, figures in enumerate((ready.before, ready.after)):
        side = _side(pair, which)
        own = {occurrence.place: occurrence.judged for occurrence in side.occurrences} if side else {}
        loaded = {index: _with_load(own[index], loads[which].get(index)) for index in figures if index in own}
        sides.append({index: samples for index, samples in loaded.items() if samples is not None})
    common = at_common_load(sides[0], sides[1], (ready.before, ready.after)) if all(sides) else None
    if common is None:
        return replace(ready, refusal=Refusal(Verdict.NOT_COMPARABLE, "no_common_load", driver.facts)), None, None
    at_load = replace(
        ready,
        before=common.before,
        after=common.after,
        curve=None,
        means=(_mean_of(common.before), _mean_of(common.after)),
        weighted=False,
        cautions=(*ready.cautions, Caution("common_load", {"measure": driver.measure})),
    )
    return at_load, None, replace(common.curve, measure=driver.measure)


def _mean_of(figures: Mapping[int, OccurrenceFigures]) -> float:
    return sum(occurrence.figures[Statistic.MEAN].value for occurrence in figures.values()) / len(figures)


def _side(pair: ReadPair, which: int) -> Side | None:
    return (pair.before, pair.after)[which].side


def _sums(sides: Sequence[Side | None]) -> dict[int, Samples]:
    """Index of an occurrence -> the sum over the series in the base unit, at the times of the first of them."""
    sums: dict[int, Samples] = {}
    for side in filter(None, sides):
        for occurrence in side.occurrences:
            own = replace(occurrence.samples, values=occurrence.samples.values * side.info.to_base)
            first = sums.get(occurrence.place)
            sums[occurrence.place] = own if first is None else replace(first, values=first.values + _at(first, own))
    return sums


def _at(here: Samples, other: Samples) -> Floats:
    """float64[n]: the other series at the times of this one, NaN where it has nothing within an interval."""
    nearest = np.clip(np.searchsorted(other.times_ns, here.times_ns), 0, len(other) - 1)
    earlier = np.maximum(nearest - 1, 0)
    nearer = np.abs(other.times_ns[earlier] - here.times_ns) < np.abs(other.times_ns[nearest] - here.times_ns)
    nearest = np.where(nearer, earlier, nearest)
    reach_ns = 1e9 * max(here.interval_s or 0.0, other.interval_s or 0.0)
    near = np.abs(other.times_ns[nearest] - here.times_ns) <= reach_ns
    return np.asarray(np.where(near, other.values[nearest], np.nan), dtype=np.float64)


def _with_load(own: Samples, load: Samples | None) -> AtLoad | None:
    if load is None or not len(load):
        return None
    work = _at(own, load)
    loaded = ~np.isnan(work)
    return AtLoad(own.values[loaded], work[loaded]) if loaded.any() else None
