"""M/M/m: how much longer a request takes as its station fills up."""

from __future__ import annotations

from functools import lru_cache

_HALVINGS = 80  # of the interval 0..1: to the last bit of a double


def erlang_c(m: int, rho: float) -> float:
    """Share of requests that must wait at m servers, each busy for the share `rho` of the time.

    Erlang (1917); by the recurrence of Erlang B, which neither overflows nor loses digits for hundreds of servers.

    Raises:
        ValueError: m < 1, or rho outside 0 <= rho < 1.
    """
    _check_servers(m)
    if not 0 <= rho < 1:
        raise ValueError(f"utilisation {rho} is not in [0, 1)")
    offered = m * rho
    blocked = 1.0
    for servers in range(1, m + 1):
        blocked = offered * blocked / (servers + offered * blocked)
    return blocked / (1 - rho * (1 - blocked))


def stretch(m: int, rho: float) -> float:
    """Response time over service time: 1 is no waiting."""
    return 1 + erlang_c(m, rho) / (m * (1 - rho))


@lru_cache(maxsize=256)
def knee(m: int, stretch_wanted: float = 2.0) -> float:
    """The utilisation at which a request takes `stretch_wanted` times its service time.

    Raises:
        ValueError: m < 1, or a stretch that is not above 1.
    """
    _check_servers(m)
    if not stretch_wanted > 1:
        raise ValueError(f"stretch {stretch_wanted} is not above 1")
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if stretch(m, middle) < stretch_wanted else (low, middle)
    return (low + high) / 2


def _check_servers(m: int) -> None:
    if m < 1:
        raise ValueError(f"{m} servers")
