"""Finds the figures that rules name among the series of one host, and brings them onto common times."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.series import SeriesData
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.diagnosis.signals.file_systems import can_fill
from tunebench.diagnosis.signals.formulas import FORMULAS
from tunebench.diagnosis.signals.host_facts import HostFacts
from tunebench.diagnosis.signals.streams import Numbers, Stream, Table, Times, coarsest, in_blocks, onto, spacing_ns
from tunebench.diagnosis.signals.vocabulary import ATTRIBUTE_OF, FormulaSource, MetricSource, Signal, Source, Vocabulary
from tunebench.domain.finding import Fact
from tunebench.domain.series import SeriesInfo

Reader = Callable[[Sequence[int]], Sequence[SeriesData]]
"""Samples of series by their ids; asked once per series."""

_TELLING = ("state", "direction")
_STATES = (*_TELLING, "group")
_FACTORS = {("1", "%"): 100.0, ("s", "ms"): 1000.0, ("By", "KiBy"): 1 / 1024, ("By/s", "KiBy/s"): 1 / 1024}
"""From the base unit of a metric to the unit in which rules name a figure."""
_WHOLE = frozenset({"", "all", "-1", "-"})
"""What tools write where a row is of all processors together."""
_MEASURED_OF = {
    "device": "system.disk.",
    "interface": "system.network.",
    "filesystem": "system.filesystem.",
    "process": "system.cgroup.",
    "database": "db.",
}
"""What is measured of a thing of that scope: an area of swap has a device's name, and is no disk. Of processes only
groups are judged."""
_MOST_OF_A_SHARE = 1e4
"""A million percent: more than any entitlement was ever exceeded."""
_MOST = 1e18
_MAY_BE_NEGATIVE = frozenset({"system.filesystem.usage"})
"""df counts what is left below the reserve of root."""
_UNKNOWN_THINGS = frozenset({"", "Total:", "total", "all"})


@record
class Thing:
    """The thing a rule is judged on: a host, or one device, interface, file system of it."""

    scope: str
    name: str = ""
    alias: str = ""

    @property
    def attributes(self) -> dict[str, str]:
        return {ATTRIBUTE_OF[self.scope]: self.name} if self.name else {}


@record(eq=False)
class _Column:
    """Samples of a column without averages since boot, in its own unit; with them where it holds nothing else.

    Attributes:
        values: float64[columns, n], of all that were read with it: its own are those of `row`.
    """

    times_ns: Times
    values: Numbers
    row: int
    since_boot: bool


@record(eq=False)
class Group:
    """Things of one scope of which the same was captured on the same clocks.

    Attributes:
        tables: figures by name; of each the rows of `things`, or the one row of the host.
        facts: what inventories tell of each of them alike, where there is no figure of that name.
    """

    things: tuple[Thing, ...]
    tables: Mapping[str, Table]
    facts: Mapping[str, Fact]

    def streams(self, thing: Thing, names: Iterable[str]) -> dict[str, Stream]:
        return {name: self.tables[name].of(thing.name) for name in names if name in self.tables}

    def on(self, name: str, base: Table) -> Numbers:
        """The figure at the times of `base`, NaN where there is none; float64[things, n] or float64[1, n]."""
        table = self.tables.get(name)
        return np.full((1, len(base)), np.nan) if table is None else onto(table, base.times_ns, spacing_ns(base))


@dataclass
class HostSignals:
    """All figures of one host; every series is read and every figure computed once, those of all things together."""

    host: str
    os: str
    series: Sequence[SeriesInfo]
    facts: HostFacts
    reader: Reader
    vocabulary: Vocabulary
    _by_metric: dict[tuple[str, str], dict[_Look, dict[str, list[SeriesInfo]]]] = field(
        default_factory=dict, init=False
    )
    _ranks: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict, init=False)
    _tables: dict[tuple[str, str], Mapping[str, Table]] = field(default_factory=dict, init=False)
    _columns: dict[int, _Column] = field(default_factory=dict, init=False)
    _clocks: dict[tuple[int, ...], list[Times]] = field(default_factory=dict, init=False)
    _things: dict[str, list[Thing]] = field(default_factory=dict, init=False)
    _facts_of: dict[Thing, Mapping[str, Fact]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        aliases: dict[tuple[str, str], str] = {}
        places: dict[tuple[int, str], tuple[str, str]] = {}  # columns of one thing share their attributes
        states: dict[tuple[int, int], tuple[str, ...]] = {}
        for info in self.series:
            own = id(info.attributes), info.alias
            scope, name = places[own] if own in places else places.setdefault(own, _place(info))
            if scope:
                both = id(info.attributes), id(info.implied)
                look = states.get(both) or states.setdefault(both, _states(info)), info.definition, info.native
                key = info.metric, scope
                self._by_metric.setdefault(key, {}).setdefault(look, {}).setdefault(name, []).append(info)
                ranks = self._ranks.setdefault(key, {})
                ranks.setdefault(name, len(ranks))
                if info.metric.startswith(_MEASURED_OF.get(scope, " ")):
                    aliases.setdefault((scope, name), info.alias)
        for (scope, name), alias in aliases.items():
            kind = str(self.facts.of_filesystem(name).get("fs_type", "")) if scope == "filesystem" else ""
            if name not in _UNKNOWN_THINGS and (scope != "filesystem" or can_fill(name, kind)):
                self._things.setdefault(scope, []).append(Thing(scope, name, alias))

    def things(self, scope: str) -> list[Thing]:
        """All things of a scope that have any series; the host itself always."""
        return [Thing("host")] if scope == "host" else self._things.get(scope, [])

    def fact(self, name: str, thing: Thing) -> Fact:
        """A fact of the inventory, the thing's own first; None where it has neither."""
        if thing not in self._facts_of:
            lookup = {
                "device": self.facts.of_device,
                "interface": self.facts.of_interface,
                "filesystem": self.facts.of_filesystem,
            }.get(thing.scope)
            self._facts_of[thing] = lookup(thing.name) if lookup else {}
        fact = self._facts_of[thing].get(name)
        return self.facts.values.get(name) if fact is None else fact

    def stream(self, name: str, thing: Thing) -> Stream | None:
        """The figure over time; None where nothing of it was captured. Figures of the host serve its things too."""
        table = self.table(name, thing)
        return None if table is None else table.of(thing.name)

    def table(self, name: str, thing: Thing) -> Table | None:
        """The table of a figure among those captured with the thing."""
        tables = self._of_all(name, thing.scope)
        return tables.get(thing.name) or tables.get("")

    def groups(self, scope: str, names: Iterable[str], among: Sequence[Thing] | None = None) -> list[Group]:
        """The things of a scope, parted by what of these figures and facts there is of them."""
        tables = {name: self._of_all(name, scope) for name in names}
        alike: dict[tuple[object, ...], list[Thing]] = {}
        for thing in self.things(scope) if among is None else among:
            key: list[object] = []
            for name, own in tables.items():
                table = own.get(thing.name) or own.get("")
                fact = None if table is not None else self.fact(name, thing)
                key.append(id(table) if table is not None else (type(fact), fact))
            alike.setdefault(tuple(key), []).append(thing)
        return [self._group(tables, tuple(things)) for things in alike.values()]

    def _group(self, tables: Mapping[str, Mapping[str, Table]], things: tuple[Thing, ...]) -> Group:
        first, names = things[0], tuple(thing.name for thing in things)
        taken: dict[int, Table] = {}  # a figure of two names is one
        own: dict[str, Table] = {}
        facts: dict[str, Fact] = {}
        for name, by_thing in tables.items():
            table = by_thing.get(first.name) or by_thing.get("")
            if table is not None:
                own[name] = taken[id(table)] = taken.get(id(table)) or table.taken(names)
            elif (fact := self.fact(name, first)) is not None:
                facts[name] = fact
        return Group(things, own, facts)

    def _of_all(self, name: str, scope: str) -> Mapping[str, Table]:
        """Name of a thing -> the table that holds its figure; the empty name is the host."""
        signal = self.vocabulary.find(name)
        if signal is None or not signal.is_of(self.os) or signal.scope not in (scope, "host"):
            return {}
        key = (signal.name, signal.scope)
        if key not in self._tables:
            self._tables[key] = {}  # a figure that is computed from itself is none
            self._tables[key] = self._resolved(signal)
        return self._tables[key]

    # -- sources ---------------------------------------------------------------------------------------

    def _resolved(self, signal: Signal) -> Mapping[str, Table]:
        """The first source of each thing with measured samples; else the first with averages since boot."""
        resolved: dict[str, Table] = {}
        spare: dict[str, Table] = {}
        waiting = self.things(signal.scope)
        for source in signal.sources:
            for table in self._from(source, signal, waiting):
                measured = (name for name, there in zip(table.names, table.measured.tolist(), strict=True) if there)
                for name in measured:
                    (spare if table.since_boot else resolved).setdefault(name, table)
            waiting = [thing for thing in waiting if thing.name not in resolved]
            if not waiting:
                break
        return {**spare, **resolved}

    def _from(self, source: Source, signal: Signal, things: Sequence[Thing]) -> list[Table]:
        if isinstance(source, FormulaSource):
            groups = self.groups(signal.scope, [part.rstrip("?") for part in source.of], things)
            return [table for group in groups if (table := _computed(source, group)) is not None]
        key = (source.metric, signal.each or signal.scope)
        fitting = [own for look, own in self._by_metric.get(key, {}).items() if _fits(look, source)]
        if signal.each:
            return self._members(self._in_order(key, fitting), signal)
        by_thing = by_key((name, info) for own in fitting for name, infos in own.items() for info in infos)
        return self._best({name: by_thing[name] for thing in things if (name := thing.name) in by_thing}, signal)

    def _in_order(self, key: tuple[str, str], by_name: Iterable[Mapping[str, list[SeriesInfo]]]) -> list[SeriesInfo]:
        """Thing by thing, as the host's series name them."""
        ranks = self._ranks.get(key, {})
        ranked = ((ranks[name], info.id, info) for own in by_name for name, infos in own.items() for info in infos)
        return [info for *_, info in sorted(ranked, key=lambda entry: entry[:2])]

    def _best(self, fitting: Mapping[str, Sequence[SeriesInfo]], signal: Signal) -> list[Table]:
        """The tool that measured most, of several that report the same of a thing."""
        factors = {info.base_unit: _factor(info.base_unit, signal.unit) for own in fitting.values() for info in own}
        waiting = {
            name: sorted((info for info in own if factors[info.base_unit] is not None), key=_measured_least)
            for name, own in fitting.items()
        }
        alike: dict[tuple[object, ...], list[tuple[str, SeriesInfo, _Column]]] = {}
        while waiting := {name: own for name, own in waiting.items() if own}:
            self._read([own[-1] for own in waiting.values()])
            for name, own in waiting.items():
                info = own.pop()
                column = self._columns[info.id]
                if len(column.times_ns):
                    factor = info.to_base * (factors[info.base_unit] or 1.0)
                    key = (id(column.times_ns), factor, info.interval_s, column.since_boot)
                    alike.setdefault(key, []).append((name, info, column))
                    own.clear()
        return [_stacked(rows, signal) for rows in alike.values()]

    def _members(self, fitting: Sequence[SeriesInfo], signal: Signal) -> list[Table]:
        """One row per processor (or what there is one of each), of the tool that lists most of them."""
        by_tool: dict[tuple[str, str], list[SeriesInfo]] = {}
        for info in fitting:
            by_tool.setdefault((info.tool, info.native), []).append(info)
        if not by_tool:
            return []
        own = max(by_tool.values(), key=lambda infos: (len(infos), sum(info.count for info in infos)))
        tables = self._best({str(info.id): [info] for info in own}, signal)
        by_id = {name: table for table in tables for name in table.names}
        rows = [by_id[id_].of(id_) for info in own if (id_ := str(info.id)) in by_id]
        if not rows:
            return []
        base = max(rows, key=len)
        spacing = spacing_ns(base)
        values = np.stack([onto(row, base.times_ns, spacing) for row in rows])[np.newaxis]
        series = tuple({info.id: info for row in rows for info in row.series}.values())
        return [Table(("",), base.times_ns, values, [series], base.interval_s, base.since_boot)]

    def _read(self, infos: Iterable[SeriesInfo]) -> None:
        """The columns that were not read yet; those that share their rows are looked at together."""
        new = [info for info in infos if info.id not in self._columns]
        read = self.reader([info.id for info in new])
        alike = by_key(
            ((id(data.times_ns), id(data.since_boot), _limits(info)), (info.id, data))
            for info, data in zip(new, read, strict=True)
        )
        for (_, _, limits), rows in alike.items():
            first = rows[0][1]
            keep = ~first.since_boot
            only_since_boot = len(keep) > 0 and not keep.any()
            kept = slice(None) if only_since_boot or keep.all() else keep
            times = self._clock(first.times_ns[kept])
            values = np.stack([data.values for _, data in rows])[:, kept]
            for some in in_blocks(values):
                some[~_possible(some, limits)] = np.nan
            self._columns |= {id_: _Column(times, values, row, only_since_boot) for row, (id_, _) in enumerate(rows)}

    def _clock(self, times_ns: Times) -> Times:
        """One shared array for equal times."""
        ends = (len(times_ns), *times_ns[[0, -1]].tolist()) if len(times_ns) else (0,)
        alike = self._clocks.setdefault(ends, [])
        same = next((times for times in alike if np.array_equal(times, times_ns)), None)
        if same is None:
            alike.append(times_ns)
        return times_ns if same is None else same


def _measured_least(info: SeriesInfo) -> tuple[int, int]:
    return info.count, -info.id


def _stacked(rows: Sequence[tuple[str, SeriesInfo, _Column]], signal: Signal) -> Table:
    """Columns of one clock and one unit in the unit of the signal."""
    names, infos, columns = zip(*rows, strict=True)
    first, read = infos[0], columns[0].values
    factor = first.to_base * (_factor(first.base_unit, signal.unit) or 1.0)
    places = [column.row for column in columns if column.values is read]
    if factor == 1.0 and places == list(range(len(columns))):  # as they were read: not copied
        values = read[: len(columns)]
    else:
        values = np.stack([column.values[column.row] for column in columns]) * factor
    series = [(info,) for info in infos]
    return Table(names, columns[0].times_ns, values, series, first.interval_s, columns[0].since_boot)


def _computed(source: FormulaSource, group: Group) -> Table | None:
    given: list[Table | float] = []
    for part in source.of:
        name = part.rstrip("?")
        fact = group.facts.get(name)
        operand = group.tables.get(name) or (float(fact) if isinstance(fact, (int, float)) else None)
        if operand is None and not part.endswith("?"):
            return None
        given.append(0.0 if operand is None else operand)
    over_time = [table for table in given if isinstance(table, Table)]
    members = {table.values.shape[1] for table in over_time if table.values.ndim == 3}
    if not over_time or len(members) > 1:  # tools that list different numbers of processors cannot be put together
        return None
    base = coarsest(over_time)
    spacing = spacing_ns(base)
    arrays = [
        onto(operand, base.times_ns, spacing) if isinstance(operand, Table) else np.full((1, len(base)), operand)
        for operand in given
    ]
    values = FORMULAS[source.formula](base.times_ns, arrays)
    names = tuple(thing.name for thing in group.things)
    series = [
        tuple({info.id: info for table in over_time for info in table.of(name).series}.values()) for name in names
    ]
    since_boot = any(table.since_boot for table in over_time)
    whole = np.broadcast_to(values, (len(names), *values.shape[1:]))
    return Table(names, base.times_ns, whole, series, base.interval_s, since_boot)


_Limits = tuple[float, float, float]


def _limits(info: SeriesInfo) -> _Limits:
    """Factor to the base unit, and the least and the most that may be in it."""
    in_percent = info.base_unit == "1" and info.to_base < 1
    least = -np.inf if info.metric in _MAY_BE_NEGATIVE else 0.0
    return info.to_base, least, _MOST_OF_A_SHARE if in_percent else _MOST


def _possible(values: Numbers, limits: _Limits) -> NDArray[np.bool_]:
    """Which values are finite, not negative, and not as large as a counter that wrapped between two readings."""
    to_base, least, most = limits
    with np.errstate(invalid="ignore", over="ignore"):
        based = values * to_base
        possible: NDArray[np.bool_] = np.isfinite(based) & (based >= least) & (np.abs(based) <= most)
    return possible


def _place(info: SeriesInfo) -> tuple[str, str]:
    """Scope and name of what a series is of; a scope of ``""`` where rules know no such thing."""
    attributes = {name: value for name, value in info.attributes.items() if name not in _STATES}
    processor = attributes.pop("cpu", "")
    if not attributes:
        return ("host", "") if processor in _WHOLE else ("cpu", "")
    if len(attributes) > 1:
        return "", ""
    ((attribute, value),) = attributes.items()
    scope = next((scope for scope, own in ATTRIBUTE_OF.items() if own == attribute), "")
    return scope, (info.alias or value) if scope == "device" else value


_Look = tuple[tuple[str, ...], str, str]
"""What tells columns of one metric apart: states, directions and group; definition; heading."""


def _states(info: SeriesInfo) -> tuple[str, ...]:
    return tuple(info.attributes.get(name, info.implied.get(name, "")) for name in _STATES)


def _fits(look: _Look, source: MetricSource) -> bool:
    values, definition, native = look
    states = {name: state for name, state in zip(_STATES, values, strict=True) if state}
    if "group" not in source.where:
        states.pop("group", None)
    if states != dict(source.where) or source.definition not in (None, definition):
        return False
    return not source.natives or any(fnmatch.fnmatchcase(native, pattern) for pattern in source.natives)


def _factor(base_unit: str, unit: str) -> float | None:
    """value in `unit` = value in `base_unit` * factor; None where the two measure different things."""
    return 1.0 if base_unit == unit else _FACTORS.get((base_unit, unit))
