"""One verdict for each resource: of all that tools tell of it one series leads and is judged, the others fold into it.

Which one leads is decided by what was measured, never by what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from math import log

from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, Derived
from tunebench.analysis.comparing.derived import AVAILABLE, BUSY, CPU, MEMORY, state_of
from tunebench.core.alike import alike
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo


class Family(StrEnum):
    """In the order in which they are named: what users feel first."""

    RESPONSE = "response"
    THROUGHPUT = "throughput"
    DATABASE = "database"
    CPU = "cpu"
    DISK = "disk"
    MEMORY = "memory"
    NETWORK = "network"


USER_FACING = (Family.RESPONSE, Family.THROUGHPUT, Family.DATABASE)


@record(order=True)
class Resource:
    """`name`: which device, interface or database of the host it is; empty for the host's own."""

    family: Family
    host: str
    name: str = ""


@record(eq=False)
class Figure:
    """A resource with the series that leads.

    Attributes:
        use: how far the resource was used, 0 to 1, on the side where that is more; 1 where nothing bounds it.
        folded: the other series that tell of it.
        derived: what the lead is made of, where no tool prints it.
    """

    resource: Resource
    lead: ComparedSeries
    use: float = 1.0
    folded: tuple[ComparedSeries, ...] = ()
    derived: Derived | None = None


UNKNOWN_USE = 0.5
"""Where no capture tells how far a resource was used. An assumption, like `NETWORK_USE`: to be tried on readers."""
NETWORK_USE = 0.1
_LOOPBACK = ("lo", "lo0")
_TOOLS = ("sar", "mpstat", "iostat", "vmstat")
"""Of several tools that measured the same for as long and as often, the first."""
_COVERAGE_STEPS = 20
_ALL = "all"

_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("db.client.transactions", Family.THROUGHPUT),
    ("db.client.", Family.RESPONSE),
    ("db.", Family.DATABASE),
    ("system.cpu.", Family.CPU),
    ("system.context_switches", Family.CPU),
    ("system.interrupts", Family.CPU),
    ("system.softirqs", Family.CPU),
    ("system.process.", Family.CPU),
    ("system.thread.", Family.CPU),
    ("system.system_calls", Family.CPU),
    ("system.memory.", Family.MEMORY),
    ("system.paging.", Family.MEMORY),
    ("system.swap.", Family.MEMORY),
    ("system.disk.", Family.DISK),
    ("system.block.", Family.DISK),
    ("system.network.", Family.NETWORK),
    ("system.tcp.", Family.NETWORK),
    ("system.udp.", Family.NETWORK),
    ("system.ip.", Family.NETWORK),
    ("system.icmp.", Family.NETWORK),
)
"""Beginnings of metrics; the first that fits."""

_LEADS: Mapping[Family, tuple[tuple[str, str], ...]] = {
    Family.RESPONSE: (("db.client.operation.duration", ""),),
    Family.THROUGHPUT: (("db.client.transactions", ""), ("db.client.transactions.completed", "")),
    Family.DATABASE: (
        ("db.server.active_sessions", "db_time"),
        ("db.server.active_sessions", ""),
        ("db.server.transactions", ""),
    ),
    Family.CPU: ((CPU, BUSY), ("system.cpu.physical.usage", ""), (CPU, "user"), ("system.cpu.run_queue_length", "")),
    Family.MEMORY: (
        (AVAILABLE, ""),
        ("system.memory.utilization", "used"),
        ("system.memory.utilization", ""),
        (MEMORY, "used"),
        (MEMORY, "free"),
        ("system.memory.free_pages", ""),
    ),
    Family.DISK: (
        ("system.disk.response_time", ""),
        ("system.disk.response_time", "read"),
        ("system.disk.response_time", "write"),
        ("system.disk.utilization", ""),
        ("system.disk.service_time", ""),
    ),
    Family.NETWORK: (
        ("system.network.errors", "receive"),
        ("system.network.errors", "transmit"),
        ("system.network.dropped", "receive"),
        ("system.tcp.retransmissions", ""),
        ("system.network.io", "receive"),
        ("system.network.io", "transmit"),
    ),
}
"""(metric, state or direction) of what may lead, the best first."""


def figures(comparison: Comparison) -> tuple[Figure, ...]:
    """Every resource that both windows measured, once, in the order of families, hosts and names.

    Processors one by one fold into their host's: `processors` has them.
    """
    derived = {id(own.row): own for own in comparison.derived}
    rows = [row for row in (*(own.row for own in comparison.derived), *comparison.rows) if row.measured_on_both]
    of_resource = by_key((resource, row) for row in rows if (resource := resource_of(row.series)) is not None)
    leads = {resource: lead for resource, own in of_resource.items() if (lead := _lead(own)) is not None}
    return tuple(
        Figure(
            resource,
            lead,
            _use(resource, lead, of_resource[resource]),
            tuple(row for row in of_resource[resource] if row is not lead and id(row) not in derived),
            derived.get(id(lead)),
        )
        for resource, lead in sorted(leads.items(), key=lambda pair: _order(pair[0]))
    )


def with_leads(comparison: Comparison, database: str = "") -> Comparison:
    """The rows know which series leads the resource that they tell of.

    Args:
        database: name of the one whose own comparison judges it, at equal work: its series have no other verdict.
    """
    leads: dict[int, str] = {}
    for figure in figures(comparison):
        if database and figure.resource.family is Family.DATABASE:
            leads |= {id(row): database for row in (figure.lead, *figure.folded)}
        else:
            leads |= {id(row): figure.lead.native for row in figure.folded}
    rows = tuple(alike(row, led_by=leads[id(row)]) if id(row) in leads else row for row in comparison.rows)
    return replace(comparison, rows=rows)


def processors(comparison: Comparison) -> Iterator[tuple[str, ComparedSeries]]:
    """How busy each processor of each host was: (host, row), by one tool of each host."""
    busy = [own.row for own in comparison.derived if own.row.measured_on_both and _processor(own.row.series)]
    of_host = by_key((row.series.host, row) for row in busy if state_of(row.series) == BUSY)
    for host, rows in of_host.items():
        tool = min((row.series.tool for row in rows), key=_tool_rank)
        yield from ((host, row) for row in rows if row.series.tool == tool)


def resource_of(info: SeriesInfo) -> Resource | None:
    """The resource that a series tells of; None of what is no resource's, as sizes of tables of the kernel are."""
    family = _family_of(info.metric)
    if family is None:
        return None
    if family is Family.DISK:
        return Resource(family, info.host, info.device) if info.device else None
    if family is Family.NETWORK:
        name = info.attributes.get("interface", "")
        return None if name in _LOOPBACK else Resource(family, info.host, name)
    return Resource(family, info.host, info.attributes.get("database", "") if family is Family.DATABASE else "")


@lru_cache(maxsize=1024)
def _family_of(metric: str) -> Family | None:
    return next((family for beginning, family in _FAMILIES if metric.startswith(beginning)), None)


def _order(resource: Resource) -> tuple[int, str, str]:
    return list(Family).index(resource.family), resource.host, resource.name


# -- which series leads --------------------------------------------------------------------------------


def _lead(rows: Sequence[ComparedSeries]) -> ComparedSeries | None:
    family = resource_of(rows[0].series)
    assert family is not None
    fitting = [
        (rank, row) for row in rows if (rank := _rank(family.family, row)) is not None and not _processor(row.series)
    ]
    return min(fitting, key=lambda pair: (pair[0], *_preferred(pair[1])), default=(0, None))[1]


def _rank(family: Family, row: ComparedSeries) -> int | None:
    """Where the series stands among those that may lead; None where it does not, or nothing ever happened there."""
    info = row.series
    named = {**info.implied, **info.attributes}
    kind = info.metric, named.get("state", "") or named.get("direction", "")
    means = [side.mean for side in row.side_statistics if side is not None]
    if kind not in _LEADS[family] or not any(means) or "wait" in named or "process" in named:
        return None
    return _LEADS[family].index(kind)


def _preferred(row: ComparedSeries) -> tuple[float, float, int, str]:
    """A sort key: measured the longest, then the most often, then by a fixed order of tools."""
    sides = row.side_statistics
    interval_s = row.series.interval_s or 0.0
    length_s = min(side.n for side in sides if side is not None) * interval_s
    return -round(_log_steps(length_s)), interval_s, _tool_rank(row.series.tool), row.series.label


def _log_steps(length_s: float) -> float:
    """Lengths within some per cent of each other are alike."""
    return _COVERAGE_STEPS * log(length_s) if length_s > 0 else -1e9


def _tool_rank(tool: str) -> int:
    return _TOOLS.index(tool) if tool in _TOOLS else len(_TOOLS)


def _processor(info: SeriesInfo) -> bool:
    return info.attributes.get("cpu", _ALL) != _ALL


# -- how far it was used -------------------------------------------------------------------------------


def _use(resource: Resource, lead: ComparedSeries, rows: Iterable[ComparedSeries]) -> float:
    if resource.family in USER_FACING:
        return 1.0
    if resource.family is Family.CPU:
        return _share(lead) if state_of(lead.series) == BUSY else UNKNOWN_USE
    metric = {
        Family.DISK: "system.disk.utilization",
        Family.MEMORY: "system.memory.utilization",
        Family.NETWORK: "system.network.utilization",
    }[resource.family]
    shares = [_share(row) for row in rows if row.metric == metric and state_of(row.series) in ("", "used")]
    if shares:
        return max(shares)
    return NETWORK_USE if resource.family is Family.NETWORK else UNKNOWN_USE


def _share(row: ComparedSeries) -> float:
    """0 to 1, on the side where it is more; `to_base` makes per cent a fraction."""
    means = [side.mean for side in row.side_statistics if side and side.mean is not None]
    return min(max(means, default=0.0) * row.series.to_base, 1.0)
