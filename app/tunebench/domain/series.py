"""A series as everybody but the sample store sees it."""

from __future__ import annotations

import math
from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Kind

ATTRIBUTE_NAMES = (
    "device",
    "cpu",
    "interface",
    "mountpoint",
    "process",
    "database",
    "wait",
    "state",
    "direction",
    "group",
)
"""Attribute names a parser may use; ``wait`` is a wait event or a class of them, ``group`` tells apart headings that
a tool repeats (vmstat's sy)."""


_PERIOD_TABLES = frozenset({"load", "time_model", "wait_class", "wait_event"})
GAP_FACTOR = 2.5
"""A step of more than this many intervals is a gap: nothing was measured there, and no line is drawn across it."""


@record
class SeriesTraits:
    """What the metric catalogue knows of a captured column.

    Attributes:
        metric: canonical metric, ``""`` where unknown.
        unit: UCUM unit of the values as captured.
        to_base: captured value * `to_base` = value in `base_unit`.
        implied: attributes that the heading implies, to be added to the series' own.
        definition: not empty where tools or versions define this column differently.
        least, most: what lies beyond them, in `unit`, cannot have been measured.
    """

    metric: str
    unit: str
    kind: Kind
    direction: Direction
    to_base: float
    base_unit: str
    implied: tuple[tuple[str, str], ...] = ()
    definition: str = ""
    least: float = -math.inf
    most: float = math.inf


@record
class SeriesInfo:
    """One column of one thing on one host in one run, over one capture or over all that continue each other.

    Values are stored as captured, in `unit` (UCUM); `to_base` converts them to the base unit of the
    canonical `metric` (``value * to_base``), so that rules and comparisons work across tools. `implied` are
    attributes that the heading itself stands for (``r/s``: direction read). `definition` is not empty where
    versions of the tool mean different things by this heading.

    `artefact_ids` are the captures it is made of, in the order of time; `artefact_id` and `clock_id` are the first
    one's. `alias` is what the consultant calls the device (``/oradata``), `devices` the names it went by where it was
    renamed.
    """

    id: int
    run_id: int
    run: str
    host_id: int
    host: str
    artefact_id: int
    clock_id: int
    tool: str
    table: str
    native: str
    metric: str
    unit: str
    kind: Kind
    direction: Direction
    to_base: float
    base_unit: str
    count: int
    missing: int
    first_ns: int | None
    last_ns: int | None
    interval_s: float | None
    attributes: dict[str, str] = field(default_factory=dict)
    implied: dict[str, str] = field(default_factory=dict)
    definition: str = ""
    artefact_ids: tuple[int, ...] = ()
    alias: str = ""
    devices: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """``ssd2 svc_t``, ``dm-3 (/oradata) svc_t``: what the consultant calls it."""
        things = " ".join(self._thing(name, value) for name, value in self.attributes.items() if name != "group")
        return f"{things} {self.native}".strip()

    @property
    def device(self) -> str:
        """The device with its alias, as it is printed; empty where it is of none."""
        return self._thing("device", self.attributes["device"]) if "device" in self.attributes else ""

    @property
    def captures(self) -> int:
        return max(len(self.artefact_ids), 1)

    @property
    def identity(self) -> dict[str, str]:
        """The attributes by which the same thing is known in every capture: a device by its alias."""
        return {**self.attributes, "device": self.alias} if self.alias else self.attributes

    def _thing(self, name: str, value: str) -> str:
        if name != "device":
            return value
        names = ", ".join(self.devices) or value
        return f"{names} ({self.alias})" if self.alias and self.alias != names else names


def is_period_mean(info: SeriesInfo) -> bool:
    """Whether the samples of a series are means over the periods of a database."""
    return "database" in info.attributes and info.table in _PERIOD_TABLES and info.metric.startswith("db.server.")
