"""What a plan is expected to cost a server, and what an administrator should be warned of before signing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, PlannedHost, ScheduleKind

CPU_BUDGET_PCT = 1.0
"""Share of one core that the default set promises to stay below."""
BYTES_BUDGET_PER_S = 16 * 1024
SEAM_S = 3600
"""A repeating command is bounded to an hour, or to two intervals where that is longer, and then started again."""


@record
class PlanTotals:
    """Expected cost of a host's commands.

    Attributes:
        cpu_pct: share of one core, percent; None where no command's cost is known.
        bytes_per_s: None where no command's size is known.
        total_bytes: over the whole schedule; None as above.
        files: what is created on the server.
        unknown: commands whose processor cost is not known; the sums leave them out.
    """

    cpu_pct: float | None
    bytes_per_s: float | None
    total_bytes: int | None
    files: tuple[str, ...]
    unknown: int


@record
class PlanWarning:
    """`key` is a catalogue key; `host` is empty for the plan as a whole."""

    key: str
    host: str = ""
    facts: dict[str, object] = field(default_factory=dict)


def totals(plan: CapturePlan, host: str) -> PlanTotals:
    """The sums over the commands of one host, the house's own included."""
    commands = plan.on(host)
    bytes_per_s = _sum(command.bytes_per_s for command in commands)
    return PlanTotals(
        cpu_pct=_sum(command.cpu_pct for command in commands),
        bytes_per_s=bytes_per_s,
        total_bytes=None if bytes_per_s is None else round(bytes_per_s * plan.duration_s * runs(plan)),
        files=tuple(dict.fromkeys(path for command in commands for path in command.files)),
        unknown=sum(command.cpu_pct is None for command in commands if command.kind is not CommandKind.HOUSE),
    )


def usual_interval_s(plan_s: float, duration_s: float, own_s: float, shortest_s: float) -> float:
    """Seconds between the readings of a probe for which nobody chose an interval: the plan's, of a slow one its own
    (`own_s`, 0 where it has none), or as much less as lets it read twice before the end, since one reading of counters
    is no period."""
    return max(plan_s, min(own_s, max(float(duration_s // 2), shortest_s)))


def runs(plan: CapturePlan) -> int:
    """How often the schedule starts the plan."""
    return max(plan.schedule.times, 1) if plan.schedule.kind is ScheduleKind.EVERY else 1


def has_seams(plan: CapturePlan, command: PlannedCommand) -> bool:
    """Whether a command reaches its count before the plan ends, and is started again."""
    if command.interval_s is None or command.count is None:
        return False
    return command.interval_s * command.count < plan.duration_s


def warnings(plan: CapturePlan) -> tuple[PlanWarning, ...]:
    """The warnings to read before the sheet is signed, host by host."""
    return tuple(warning for host in plan.hosts for warning in _warnings_of(plan, host))


def _warnings_of(plan: CapturePlan, host: PlannedHost) -> Iterator[PlanWarning]:
    cost = totals(plan, host.name)
    if cost.cpu_pct is not None and cost.cpu_pct > CPU_BUDGET_PCT:
        yield PlanWarning("plan.warning.cpu_budget", host.name, {"cpu": cost.cpu_pct, "budget": CPU_BUDGET_PCT})
    if cost.bytes_per_s is not None and cost.bytes_per_s > BYTES_BUDGET_PER_S:
        facts: dict[str, object] = {"rate": cost.bytes_per_s / 1024, "budget": BYTES_BUDGET_PER_S // 1024}
        yield PlanWarning("plan.warning.bytes_budget", host.name, facts)
    if cost.unknown:
        yield PlanWarning("plan.warning.cost_unknown", host.name, {"count": cost.unknown})
    if host.os_source == "assumed":
        yield PlanWarning("plan.warning.os_assumed", host.name, {"os": host.os})
    if host.weak_algorithms:
        yield PlanWarning("plan.warning.weak_algorithms", host.name, {"names": ", ".join(host.weak_algorithms)})
    if own := sum(command.own_words for command in plan.on(host.name)):
        yield PlanWarning("plan.warning.own_words", host.name, {"count": own})


def _sum(figures: Iterable[float | None]) -> float | None:
    counted = [figure for figure in figures if figure is not None]
    return sum(counted) if counted else None
