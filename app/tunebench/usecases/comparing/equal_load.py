"""What asked for the work, host by host, and the figures of what depends on it where it moved.

The best measure of the demand counts: transactions or executions of the database before what the host itself shows of
the work, which tuning changes too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tunebench.analysis.comparing.comparability import Load
from tunebench.analysis.comparing.comparison import Caution, ComparedSeries
from tunebench.analysis.comparing.deciding import PerUnit
from tunebench.analysis.comparing.disk_work import OPERATIONS, transfer_of
from tunebench.analysis.comparing.equal_load import MOST_CHANGE, AtLoad, Depends, LoadCurve, at_common_load, depends
from tunebench.analysis.comparing.judging import Prepared, Refusal, Side
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic
from tunebench.analysis.comparing.regular_samples import Floats, Samples
from tunebench.analysis.inference.verdict import Verdict
from tunebench.usecases.comparing.sides import ReadPair, let_go
from tunebench.usecases.databases.comparison import DatabaseComparison

_CLIENTS = "db.client.connections"
_DEMANDS = ("db.server.transactions", "db.server.executions", "db.server.calls", "db.server.logons")
_OF_DATABASES = ("transactions", "executions", "questions", "user_calls", "logons")
_PACKETS, _SWITCHES = "system.network.packets", "system.context_switches"
_WHOLE = f"{OPERATIONS} whole"
_OF_HOSTS = (OPERATIONS, _WHOLE, _PACKETS, _SWITCHES)
_WANTED = frozenset({_CLIENTS, *_DEMANDS, OPERATIONS, _PACKETS, _SWITCHES})

Means = tuple[dict[int, float], dict[int, float]]
"""Of each occurrence of either side, by its place."""
ReadAgain = Callable[[Sequence[int]], list[ReadPair]]
AtLoadRow = tuple[Prepared, PerUnit | None, LoadCurve | None]


@dataclass(slots=True)
class _Told:
    """The work of one host by one measure: sums over its devices, as the tool that comes first tells them."""

    tool: str
    means: Means = field(default_factory=lambda: ({}, {}))
    places: list[int] = field(default_factory=list)

    def add(self, place: int, means: Means) -> None:
        self.places.append(place)
        for own, more in zip(self.means, means, strict=True):
            for occurrence, mean in more.items():
                own[occurrence] = own.get(occurrence, 0.0) + mean

    @property
    def sides(self) -> tuple[float, float]:
        before, after = (sum(own.values()) / len(own) if own else 0.0 for own in self.means)
        return before, after


@dataclass(frozen=True, slots=True)
class _Driver:
    """
    Attributes:
        places: of the series it is the sum of; none where it is known for the windows as a whole only.
    """

    measure: str
    means: Means
    sides: tuple[float, float]
    places: tuple[int, ...] = ()

    @property
    def ratio(self) -> float:
        return self.sides[1] / self.sides[0]

    @property
    def moved(self) -> bool:
        return abs(self.ratio - 1) > MOST_CHANGE

    @property
    def facts(self) -> dict[str, object]:
        return {"measure": self.measure, "ratio": self.ratio}

    def per_unit(self, found: Prepared) -> PerUnit:
        """Of the work that was done on average before, so that the figures stay of their own size."""
        shares = []
        for own, side, mean in zip((found.before, found.after), self.means, self.sides, strict=True):
            shares.append({place: side.get(place, mean) / self.sides[0] for place in own})
        return PerUnit(self.measure, shares[0], shares[1])


@dataclass(slots=True)
class Drivers:
    """`load` is what the gate looks at: of all hosts together, or that of the one whose share moved."""

    load: Load | None = None
    _told: dict[str, dict[str, _Told]] = field(default_factory=dict)
    _everywhere: _Driver | None = None
    _by_host: dict[str, _Driver] = field(default_factory=dict)

    def take(self, place: int, row: ComparedSeries, means: Means) -> None:
        if row.metric not in _WANTED or not all(means):
            return
        name = _WHOLE if row.metric == OPERATIONS and not transfer_of(row.series) else row.metric
        told = self._told.setdefault(name, {}).setdefault(row.series.host, _Told(row.series.tool))
        if told.tool == row.series.tool:
            told.add(place, means)

    def choose(self, generated: bool, database: DatabaseComparison | None) -> None:
        """Once all series are known."""
        if generated:
            self.load = self._of_all(_CLIENTS, "clients")
            return
        for metric in _DEMANDS:
            self.load = self._of_all(metric, metric)
            if self.load is not None:
                self._everywhere = _together(metric, self._told[metric].values())
                return
        self.load = _of_database(database)
        if self.load is not None:
            self._everywhere = _Driver(self.load.measure, ({}, {}), (self.load.before, self.load.after))
            return
        for measure in _OF_HOSTS:
            self.load = self.load or self._of_all(measure, measure.removesuffix(" whole"), demand=False)
            for host, told in self._told.get(measure, {}).items():
                if min(told.sides) > 0:
                    name = measure.removesuffix(" whole")
                    self._by_host.setdefault(host, _Driver(name, told.means, told.sides, tuple(told.places)))

    def of_host(self, host: str) -> _Driver | None:
        """Where it moved."""
        found = self._everywhere or self._by_host.get(host)
        return found if found is not None and min(found.sides) > 0 and found.moved else None

    def _of_all(self, measure: str, name: str, demand: bool = True) -> Load | None:
        sides = {host: told.sides for host, told in self._told.get(measure, {}).items()}
        before, after = (sum(pair[place] for pair in sides.values()) for place in (0, 1))
        if max(before, after, 0.0) <= 0:
            return None
        whole = Load(name, before, after, demand)
        return whole if whole.moved else _moved_most(whole, sides) or whole

    # -- what depends on it

    def read_again(self, read: ReadAgain, rows: Iterable[tuple[int, ComparedSeries, Prepared]]) -> dict[int, AtLoadRow]:
        """Place of a row -> what it comes to at equal load; without those that the load does not concern."""
        found: dict[int, AtLoadRow] = {}
        curves: dict[str, list[tuple[int, Prepared]]] = {}
        for place, row, made in rows:
            driver = self.of_host(row.series.host)
            if driver is None or made.refusal is not None or place in driver.places or row.metric in _DEMANDS:
                continue
            how = depends(row.series)
            if how is Depends.IN_PROPORTION:
                found[place] = made, driver.per_unit(made), None
            elif how is Depends.AS_A_CURVE and driver.places:
                curves.setdefault(row.series.host, []).append((place, made))
            elif how is not Depends.NOT:
                found[place] = replace(made, refusal=_moved(driver)), None, None
        for host, wanted in curves.items():
            driver = self.of_host(host)
            assert driver is not None
            found |= _along_the_curve(read, driver, wanted)
        return found


def _moved(driver: _Driver) -> Refusal:
    return Refusal(Verdict.DESCRIPTIVE_ONLY, "load_moved", driver.facts)


def _together(measure: str, told: Collection[_Told]) -> _Driver:
    whole = _Told("")
    for each in told:
        whole.add(-1, each.means)
    places = tuple(place for each in told for place in each.places)
    return _Driver(measure, whole.means, whole.sides, places)


def _moved_most(whole: Load, by_host: Mapping[str, tuple[float, float]]) -> Load | None:
    """The host with at least a tenth of the work whose own moved furthest, while that of all hosts together stayed."""
    own = [
        Load(whole.measure, before, after, whole.demand, host)
        for host, (before, after) in by_host.items()
        if max(before, after) > 0 and (before >= whole.before / 10 or after >= whole.after / 10)
    ]
    return min((each for each in own if each.moved), key=lambda each: each.alike, default=None)


def _of_database(database: DatabaseComparison | None) -> Load | None:
    lines = {line.name: line for line in database.profile.load} if database else {}
    for name in _OF_DATABASES:
        line = lines.get(name)
        if line is not None and line.ratio():
            return Load(name, line.before["per_second"], line.after["per_second"])
    return None


# -- response against load -----------------------------------------------------------------------------


def _along_the_curve(read: ReadAgain, driver: _Driver, wanted: Sequence[tuple[int, Prepared]]) -> dict[int, AtLoadRow]:
    again = read(driver.places)
    loads = [_sums([_side(each, which) for each in again]) for which in (0, 1)]
    let_go(again)
    found: dict[int, AtLoadRow] = {}
    for place, made in wanted:
        (pair,) = read([place])
        found[place] = _at_load(pair, made, driver, loads)
        let_go([pair])
    return found


def _at_load(pair: ReadPair, made: Prepared, driver: _Driver, loads: Sequence[Mapping[int, Samples]]) -> AtLoadRow:
    sides = []
    for which, figures in enumerate((made.before, made.after)):
        side = _side(pair, which)
        own = {each.place: each.judged for each in side.occurrences} if side else {}
        found = {place: _with_load(own[place], loads[which].get(place)) for place in figures if place in own}
        sides.append({place: each for place, each in found.items() if each is not None})
    common = at_common_load(sides[0], sides[1], (made.before, made.after)) if all(sides) else None
    if common is None:
        return replace(made, refusal=Refusal(Verdict.NOT_COMPARABLE, "no_common_load", driver.facts)), None, None
    at_load = replace(
        made,
        before=common.before,
        after=common.after,
        curve=None,
        means=(_mean_of(common.before), _mean_of(common.after)),
        weighted=False,
        cautions=(*made.cautions, Caution("common_load", {"measure": driver.measure})),
    )
    return at_load, None, replace(common.curve, measure=driver.measure)


def _mean_of(figures: Mapping[int, OccurrenceFigures]) -> float:
    return sum(each.figures[Statistic.MEAN].value for each in figures.values()) / len(figures)


def _side(pair: ReadPair, which: int) -> Side | None:
    return (pair.before, pair.after)[which].side


def _sums(sides: Sequence[Side | None]) -> dict[int, Samples]:
    """Of each occurrence the sum over the series in the base unit, at the times of the first of them."""
    found: dict[int, Samples] = {}
    for side in filter(None, sides):
        for each in side.occurrences:
            own = replace(each.samples, values=each.samples.values * side.info.to_base)
            first = found.get(each.place)
            found[each.place] = own if first is None else replace(first, values=first.values + _at(first, own))
    return found


def _at(here: Samples, other: Samples) -> Floats:
    """float64[n]: the other series at the times of this one, NaN where it has nothing within an interval."""
    place = np.clip(np.searchsorted(other.times_ns, here.times_ns), 0, len(other) - 1)
    earlier = np.maximum(place - 1, 0)
    nearer = np.abs(other.times_ns[earlier] - here.times_ns) < np.abs(other.times_ns[place] - here.times_ns)
    place = np.where(nearer, earlier, place)
    reach_ns = 1e9 * max(here.interval_s or 0.0, other.interval_s or 0.0)
    near = np.abs(other.times_ns[place] - here.times_ns) <= reach_ns
    return np.asarray(np.where(near, other.values[place], np.nan), dtype=np.float64)


def _with_load(own: Samples, load: Samples | None) -> AtLoad | None:
    if load is None or not len(load):
        return None
    work = _at(own, load)
    told = ~np.isnan(work)
    return AtLoad(own.values[told], work[told]) if told.any() else None
