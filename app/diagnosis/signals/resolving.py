"""Finds the figures that rules name among the series of one host, and brings them onto common times."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.analysis.series import SeriesData
from app.diagnosis.signals.file_systems import can_fill
from app.diagnosis.signals.formulas import FORMULAS
from app.diagnosis.signals.host_facts import HostFacts
from app.diagnosis.signals.streams import Numbers, Stream, coarsest, joined_series, onto, spacing_ns
from app.diagnosis.signals.vocabulary import ATTRIBUTE_OF, FormulaSource, MetricSource, Signal, Source, Vocabulary
from app.domain.finding import Fact
from app.domain.series import SeriesInfo

Reader = Callable[[int], SeriesData]
"""Samples of a series by its id; asked once per series."""

_TELLING = ("state", "direction")
_FACTORS = {("1", "%"): 100.0, ("s", "ms"): 1000.0, ("By", "KiBy"): 1 / 1024, ("By/s", "KiBy/s"): 1 / 1024}
"""From the base unit of a metric to the unit in which rules name a figure."""
_WHOLE = frozenset({"", "all", "-1", "-"})
"""What tools write where a row is of all processors together."""
_MEASURED_OF = {
    "device": "system.disk.",
    "interface": "system.network.",
    "filesystem": "system.filesystem.",
    "database": "db.",
}
"""What is measured of a thing of that scope: an area of swap has a device's name, and is no disk."""
_MOST_OF_A_SHARE = 1e4
"""A million percent: more than any entitlement was ever exceeded."""
_MOST = 1e18
_MAY_BE_NEGATIVE = frozenset({"system.filesystem.usage"})
"""df counts what is left below the reserve of root."""
_UNKNOWN_THINGS = frozenset({"", "Total:", "total", "all"})


@dataclass(frozen=True, slots=True)
class Thing:
    """What a rule is judged on: a host, or one device, interface, file system of it."""

    scope: str
    name: str = ""
    alias: str = ""

    @property
    def attributes(self) -> dict[str, str]:
        return {ATTRIBUTE_OF[self.scope]: self.name} if self.name else {}


@dataclass
class HostSignals:
    """All figures of one host; every series is read and every figure computed once."""

    host: str
    os: str
    series: Sequence[SeriesInfo]
    facts: HostFacts
    reader: Reader
    vocabulary: Vocabulary
    _by_metric: dict[tuple[str, str, str], list[SeriesInfo]] = field(default_factory=dict, init=False)
    _streams: dict[tuple[str, Thing], Stream | None] = field(default_factory=dict, init=False)
    _columns: dict[int, tuple[Stream, bool]] = field(default_factory=dict, init=False)
    _things: dict[str, list[Thing]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        aliases: dict[tuple[str, str], str] = {}
        for info in self.series:
            scope, name = _place(info)
            if scope:
                self._by_metric.setdefault((info.metric, scope, name), []).append(info)
                if info.metric.startswith(_MEASURED_OF.get(scope, " ")):
                    aliases.setdefault((scope, name), info.alias)
        for (scope, name), alias in aliases.items():
            kind = str(self.facts.of_filesystem(name).get("fs_type", "")) if scope == "filesystem" else ""
            if name not in _UNKNOWN_THINGS and (scope != "filesystem" or can_fill(name, kind)):
                self._things.setdefault(scope, []).append(Thing(scope, name, alias))

    def things(self, scope: str) -> list[Thing]:
        """All of that scope that any series is of; the host itself always."""
        return [Thing("host")] if scope == "host" else self._things.get(scope, [])

    def fact(self, name: str, thing: Thing) -> Fact:
        """What the inventory tells, of the thing first."""
        told = {
            "device": self.facts.of_device,
            "interface": self.facts.of_interface,
            "filesystem": self.facts.of_filesystem,
        }.get(thing.scope)
        found = told(thing.name).get(name) if told else None
        return self.facts.values.get(name) if found is None else found

    def stream(self, name: str, thing: Thing) -> Stream | None:
        """The figure over time; None where nothing of it was captured. Figures of the host serve its things too."""
        signal = self.vocabulary.find(name)
        if signal is None or not signal.is_of(self.os):
            return None
        place = thing if signal.scope == thing.scope else Thing("host")
        if signal.scope not in (place.scope, "host"):
            return None
        key = (signal.name, place)
        if key not in self._streams:
            self._streams[key] = None  # a figure that is computed from itself is none
            self._streams[key] = self._resolved(signal, place)
        return self._streams[key]

    # -- sources ---------------------------------------------------------------------------------------

    def _resolved(self, signal: Signal, thing: Thing) -> Stream | None:
        """The first source with measured samples; else the first with averages since boot."""
        spare: Stream | None = None
        for source in signal.sources:
            found = self._from(source, signal, thing)
            if found is not None and found.measured:
                if not found.since_boot:
                    return found
                spare = spare or found
        return spare

    def _from(self, source: Source, signal: Signal, thing: Thing) -> Stream | None:
        if isinstance(source, FormulaSource):
            return self._computed(source, thing)
        if signal.each:
            listed = self._each(source.metric, signal.each)
            return self._matrix([info for info in listed if _fits(info, source)], signal)
        known = self._by_metric.get((source.metric, thing.scope, thing.name), ())
        return self._best([info for info in known if _fits(info, source)], signal)

    def _each(self, metric: str, scope: str) -> list[SeriesInfo]:
        """The series of that metric of every thing of the scope."""
        groups = (found for (own, of, _), found in self._by_metric.items() if (own, of) == (metric, scope))
        return [info for found in groups for info in found]

    def _best(self, fitting: Sequence[SeriesInfo], signal: Signal) -> Stream | None:
        """Of several tools that tell the same, the one that measured most."""
        for info in sorted(fitting, key=lambda each: (-each.count, each.id)):
            times = _factor(info.base_unit, signal.unit)
            if times is None:
                continue
            column, since_boot = self._column(info)
            if len(column):
                scaled = column.values * (info.to_base * times)
                return Stream(column.times_ns, scaled, (info,), info.interval_s, since_boot)
        return None

    def _matrix(self, fitting: Sequence[SeriesInfo], signal: Signal) -> Stream | None:
        """One row per processor (or what there is one of each), of the tool that lists most of them."""
        by_tool: dict[tuple[str, str], list[SeriesInfo]] = {}
        for info in fitting:
            by_tool.setdefault((info.tool, info.native), []).append(info)
        if not by_tool:
            return None
        own = max(by_tool.values(), key=lambda each: (len(each), sum(info.count for info in each)))
        rows = [stream for info in own if (stream := self._best([info], signal)) is not None]
        if not rows:
            return None
        base = max(rows, key=len)
        values = np.vstack([onto(row, base.times_ns, spacing_ns(base)) for row in rows])
        return Stream(base.times_ns, values, joined_series(rows), base.interval_s, base.since_boot)

    def _computed(self, source: FormulaSource, thing: Thing) -> Stream | None:
        streams: list[Stream | float | None] = []
        for part in source.of:
            name, may_lack = part.rstrip("?"), part.endswith("?")
            found: Stream | float | None = self.stream(name, thing)
            if found is None:
                told = self.fact(name, thing)
                found = float(told) if isinstance(told, (int, float)) else None
            if found is None and not may_lack:
                return None
            streams.append(found)
        over_time = [each for each in streams if isinstance(each, Stream)]
        rows = {each.values.shape[0] for each in over_time if each.values.ndim == 2}
        if not over_time or len(rows) > 1:  # tools that list different numbers of processors cannot be put together
            return None
        base = coarsest(over_time)
        spacing = spacing_ns(base)
        given = [
            onto(each, base.times_ns, spacing)
            if isinstance(each, Stream)
            else np.full(len(base), 0.0 if each is None else each)
            for each in streams
        ]
        values = FORMULAS[source.formula](base.times_ns, given)
        since_boot = any(each.since_boot for each in over_time)
        return Stream(base.times_ns, values, joined_series(over_time), base.interval_s, since_boot)

    def _column(self, info: SeriesInfo) -> tuple[Stream, bool]:
        """Its samples without averages since boot, in its own unit; with them where it holds nothing else."""
        known = self._columns.get(info.id)
        if known is None:
            data = self.reader(info.id)
            keep = ~data.since_boot
            only_since_boot = len(keep) > 0 and not keep.any()
            if only_since_boot:
                keep = data.since_boot
            whole = bool(keep.all())
            times = data.times_ns if whole else data.times_ns[keep]
            values = data.values if whole else data.values[keep]
            values = np.where(_possible(values, info), values, np.nan)
            known = self._columns[info.id] = (Stream(times, values, (info,), info.interval_s), only_since_boot)
        return known


def _possible(values: Numbers, info: SeriesInfo) -> NDArray[np.bool_]:
    """Not infinite, not negative, and not so large as only a counter can be that wrapped between two readings."""
    in_percent = info.base_unit == "1" and info.to_base < 1
    most = _MOST_OF_A_SHARE if in_percent else _MOST
    least = -np.inf if info.metric in _MAY_BE_NEGATIVE else 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        based = values * info.to_base
        found: NDArray[np.bool_] = np.isfinite(based) & (based >= least) & (np.abs(based) <= most)
    return found


def _place(info: SeriesInfo) -> tuple[str, str]:
    """Scope and name of what a series is of; a scope of ``""`` where rules know no such thing."""
    attributes = {name: value for name, value in info.attributes.items() if name not in (*_TELLING, "group")}
    processor = attributes.pop("cpu", "")
    if not attributes:
        return ("host", "") if processor in _WHOLE else ("cpu", "")
    if len(attributes) > 1:
        return "", ""
    ((attribute, value),) = attributes.items()
    scope = next((scope for scope, own in ATTRIBUTE_OF.items() if own == attribute), "")
    return scope, (info.alias or value) if scope == "device" else value


def _fits(info: SeriesInfo, source: MetricSource) -> bool:
    told = {**info.implied, **info.attributes}
    states = {name: told[name] for name in (*_TELLING, "group") if told.get(name)}
    if "group" not in source.where:
        states.pop("group", None)
    if states != dict(source.where) or source.definition not in (None, info.definition):
        return False
    return not source.natives or any(fnmatch.fnmatchcase(info.native, each) for each in source.natives)


def _factor(base_unit: str, unit: str) -> float | None:
    """value in `unit` = value in `base_unit` * factor; None where the two measure different things."""
    return 1.0 if base_unit == unit else _FACTORS.get((base_unit, unit))
