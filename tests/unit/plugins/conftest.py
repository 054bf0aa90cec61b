"""Loads built-in plug-ins the way the plug-in host does: by folder, under a private package name."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest

from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import Ledger
from tunebench.sdk import ParseContext, Parser, SampleBatch, SeriesKey

PLUGINS = Path(__file__).parents[3] / "plugins"


def load_parser(folder: str, entry: str) -> type[Parser]:
    """The class that ``module:Class`` names in ``plugins/<folder>``."""
    module, _, class_name = entry.partition(":")
    package = _package(folder)
    found: type[Parser] = getattr(importlib.import_module(f"{package.__name__}.{module}"), class_name)
    return found


def _package(folder: str) -> ModuleType:
    name = f"_tunebench_test_{folder}"
    if name not in sys.modules:
        path = PLUGINS / folder
        spec = importlib.util.spec_from_file_location(
            name, path / "__init__.py", submodule_search_locations=[str(path)]
        )
        assert spec is not None
        assert spec.loader is not None
        package = importlib.util.module_from_spec(spec)
        sys.modules[name] = package
        spec.loader.exec_module(package)
    return sys.modules[name]


@dataclass(frozen=True)
class Sample:
    time_ns: int
    value: float
    since_boot: bool
    line: int

    @property
    def utc(self) -> datetime:
        return datetime.fromtimestamp(self.time_ns / 1e9, tz=UTC)


@dataclass
class Reading:
    """What a parser made of some bytes."""

    ledger: Ledger
    events: Sequence[CaptureEvent]
    samples: dict[SeriesKey, list[Sample]] = field(default_factory=dict)

    def of(self, table: str, native: str, **attributes: str) -> list[Sample]:
        """The samples of one series; fails where there is none."""
        return self.samples[SeriesKey(table, native, tuple(sorted(attributes.items())))]

    def values(self, table: str, native: str, **attributes: str) -> list[float]:
        return [sample.value for sample in self.of(table, native, **attributes)]

    def times(self, table: str, native: str, **attributes: str) -> list[str]:
        """UTC, ``2026-11-21 07:10:15``."""
        return [f"{sample.utc:%Y-%m-%d %H:%M:%S}" for sample in self.of(table, native, **attributes)]

    def skipped(self) -> dict[str, int]:
        return {entry.reason: entry.count for entry in self.ledger.skipped}


def read_capture(
    parser_class: type[Parser], data: bytes, piece: int = 1 << 20, zone: str = "UTC", **context: object
) -> Reading:
    """Feeds `data` in pieces of `piece` bytes; NaN samples (a device that was not there) are left out."""
    known = {"zone": ZoneInfo(zone), "zone_source": "host"} | context
    parser = parser_class(ParseContext(**known))  # type: ignore[arg-type]
    batches: list[SampleBatch] = []
    for start in range(0, len(data), piece):
        batches.extend(parser.feed(data[start : start + piece]))
    batches.extend(parser.finish())
    reading = Reading(parser.ledger(), parser.events())
    for batch in batches:
        rows = list(zip(batch.times_ns.tolist(), batch.since_boot.tolist(), batch.line_numbers.tolist(), strict=True))
        for column, key in enumerate(batch.series):
            kept = reading.samples.setdefault(key, [])
            for (time_ns, since_boot, line), value in zip(rows, batch.values[:, column].tolist(), strict=True):
                if not math.isnan(value):
                    kept.append(Sample(time_ns, value, since_boot, line))
    return reading


@pytest.fixture(scope="session")
def load() -> Callable[[str, str], type[Parser]]:
    return load_parser


@pytest.fixture(scope="session")
def read() -> Callable[..., Reading]:
    """`read(parser_class, data, piece=..., zone=..., file_name=...)` -> `Reading`."""
    return read_capture
