"""The resource that limits throughput, and how far a change can carry before the next one does."""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.core.records import record


@record
class Bottleneck:
    """The resource with the largest demand per server, and the throughput that it allows.

    `name` is the first of those that share the largest demand. Throughput per second; None where no resource
    has any demand.
    """

    name: str
    x_max_per_s: float | None


@record
class BottleneckShift:
    """`gain` bounds the throughput after the change over the one before it."""

    before: Bottleneck
    after: Bottleneck
    gain: float | None

    @property
    def shifted(self) -> bool:
        return self.before.name != self.after.name


def find_bottleneck(demand_ms: Mapping[str, float], servers: Mapping[str, int] | None = None) -> Bottleneck:
    """X <= min over resources of servers / demand (Denning and Buzen, 1978).

    Args:
        demand_ms: service time a request needs of each resource, over all its visits.
        servers: of each resource; 1 where it is not named.

    Raises:
        ValueError: no resource, or a demand that is negative or not finite.
    """
    if not demand_ms:
        raise ValueError("no resource")
    for name, demand in demand_ms.items():
        if not 0 <= demand < float("inf"):
            raise ValueError(f"demand of {name}: {demand}")
    per_server = {name: demand / (servers or {}).get(name, 1) for name, demand in demand_ms.items()}
    name = max(per_server, key=lambda station: per_server[station])
    return Bottleneck(name, 1000 / per_server[name] if per_server[name] > 0 else None)


def bottleneck(
    before: Mapping[str, float], after: Mapping[str, float], servers: Mapping[str, int] | None = None
) -> BottleneckShift:
    """The limiting station before and after a change, from the demands in ms per request."""
    first, second = find_bottleneck(before, servers), find_bottleneck(after, servers)
    if first.x_max_per_s is None or second.x_max_per_s is None:
        return BottleneckShift(first, second, None)
    return BottleneckShift(first, second, second.x_max_per_s / first.x_max_per_s)
