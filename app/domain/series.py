"""A series as everybody but the sample store sees it."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.engagement import Direction, Kind

ATTRIBUTE_NAMES = ("device", "cpu", "interface", "mountpoint", "process", "state", "direction", "group")
"""Attribute names a parser may use; ``group`` tells apart headings that a tool repeats (vmstat's sy)."""


GAP_FACTOR = 2.5
"""A step of more than this many intervals is a gap: nothing was measured there, and no line is drawn across it."""


@dataclass(frozen=True, slots=True)
class SeriesTraits:
    """What the metric catalogue knows of a captured column.

    Attributes:
        metric: canonical metric, ``""`` where unknown.
        unit: UCUM unit of the values as captured.
        to_base: captured value * `to_base` = value in `base_unit`.
        implied: attributes that the heading implies, to be added to the series' own.
        definition: not empty where tools or versions define this column differently.
    """

    metric: str
    unit: str
    kind: Kind
    direction: Direction
    to_base: float
    base_unit: str
    implied: tuple[tuple[str, str], ...] = ()
    definition: str = ""


@dataclass(frozen=True, slots=True)
class SeriesInfo:
    """One captured column of one thing on one host in one run.

    Values are stored as captured, in `unit` (UCUM); `to_base` converts them to the base unit of the
    canonical `metric` (``value * to_base``), so that rules and comparisons work across tools. `implied` are
    attributes that the heading itself stands for (``r/s``: direction read). `definition` is not empty where
    versions of the tool mean different things by this heading.
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

    @property
    def label(self) -> str:
        """``ssd2 svc_t``: what the consultant calls it."""
        things = " ".join(value for name, value in self.attributes.items() if name != "group")
        return f"{things} {self.native}".strip()
