"""The names that rules use, and what captures hold of them; read from ``resources/signals``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tunebench.core.paths import resources_folder
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.operating_systems import os_word

ATTRIBUTE_OF = {
    "host": "",
    "device": "device",
    "interface": "interface",
    "filesystem": "mountpoint",
    "process": "process",
    "database": "database",
}
"""By which attribute the things of a scope are told apart."""


@record
class MetricSource:
    """Captured columns of a canonical metric.

    Attributes:
        where: the states and directions that the column must have, no more and no fewer.
        natives: globs of headings; empty for any.
        definition: as the catalogue of columns words it (``while-busy``); None for any.
    """

    metric: str
    where: Mapping[str, str] = field(default_factory=dict)
    natives: tuple[str, ...] = ()
    definition: str | None = None


@record
class FormulaSource:
    """Computed from other figures; a name that ends in ``?`` may be missing and then counts as 0."""

    formula: str
    of: tuple[str, ...]


Source = MetricSource | FormulaSource


@record
class Signal:
    """One figure.

    Attributes:
        scope: of what there is one: a key of `ATTRIBUTE_OF`.
        each: ``cpu`` where the figure is one row per processor, or another scope that it has one row of each of.
        os: systems on which the name means this; empty for all.
        probes: by system word, what would capture it.
        direction: which way it is better; the worst value of a stretch is the other one.
    """

    name: str
    scope: str
    unit: str
    sources: tuple[Source, ...]
    each: str = ""
    os: tuple[str, ...] = ()
    probes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    direction: Direction = Direction.LOWER

    def is_of(self, os: str) -> bool:
        """Whether the name means this on that system; an unknown system is given the benefit of the doubt."""
        return not self.os or not os or os_word(os) in self.os


class Vocabulary:
    """Signals by name."""

    def __init__(self, signals: Mapping[str, Signal]) -> None:
        self._signals = signals

    def find(self, name: str) -> Signal | None:
        return self._signals.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._signals

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def direction_of(self, name: str) -> Direction:
        signal = self.find(name)
        return signal.direction if signal else Direction.LOWER

    def scope_of(self, names: Iterable[str]) -> str:
        """What a rule that uses these names is judged on: the one kind of thing that they describe, or the host."""
        scopes = [signal.scope for name in names if (signal := self.find(name)) is not None]
        return next((scope for scope in scopes if scope != "host"), "host")

    def probes_for(self, name: str, os: str) -> tuple[str, ...]:
        """The probes that capture the figure or its parts; of every system where `os` is not known."""
        signal = self.find(name)
        if signal is None:
            return ()
        probes = _of_system(signal.probes, os)
        if probes or signal.probes:
            return probes
        formulas = [source for source in signal.sources if isinstance(source, FormulaSource)]
        parts = [part.rstrip("?") for source in formulas for part in source.of]
        return tuple(dict.fromkeys(probe for part in parts for probe in self.probes_for(part, os)))


def _of_system(probes: Mapping[str, tuple[str, ...]], os: str) -> tuple[str, ...]:
    if os:
        return probes.get(os_word(os), ())
    return tuple(dict.fromkeys(probe for own in probes.values() for probe in own))


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    return read_vocabulary(sorted((resources_folder() / "signals").glob("*.toml")))


def read_vocabulary(paths: Sequence[Path]) -> Vocabulary:
    """Raises ValueError where two signals share a name, or one says something that nobody reads."""
    signals: dict[str, Signal] = {}
    for path in paths:
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("signals", []):
            signal = _signal(dict(entry))
            for name in (signal.name, *entry.get("also", [])):
                if name in signals:
                    raise ValueError(f"{path.name}: {name} stands twice")
                signals[name] = signal
    return Vocabulary(signals)


_KEYS = frozenset({"name", "also", "of", "each", "unit", "os", "from", "probes", "better"})


def _signal(entry: dict[str, Any]) -> Signal:
    unknown = entry.keys() - _KEYS
    if unknown or entry["of"] not in ATTRIBUTE_OF:
        raise ValueError(f"signal {entry.get('name')}: {sorted(unknown) or entry['of']}")
    return Signal(
        entry["name"],
        entry["of"],
        entry["unit"],
        tuple(_source(source) for source in entry["from"]),
        entry.get("each", ""),
        tuple(entry.get("os", ())),
        {os: tuple(probes) for os, probes in entry.get("probes", {}).items()},
        Direction(entry.get("better", Direction.LOWER)),
    )


def _source(entry: dict[str, Any]) -> Source:
    if "formula" in entry:
        return FormulaSource(entry["formula"], tuple(entry["of"]))
    return MetricSource(
        entry["metric"], entry.get("where", {}), tuple(entry.get("natives", ())), entry.get("definition")
    )
