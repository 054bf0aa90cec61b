"""A gap begins at, or after, the last sample before it: the clock's offset is only known to within an error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tunebench.capture.host_checks import HostChecks
from tunebench.domain.capturing.run import ClockCheck

MS = 1_000_000


def test_the_latest_that_the_servers_clock_can_show() -> None:
    """A check on a busy machine said 24 ms behind, give or take 43: a sample stamped 0.000 arrived at 0.023."""
    context: Any = SimpleNamespace(plan=SimpleNamespace(on=lambda _host: ()))
    host: Any = SimpleNamespace(name="server")
    checks = HostChecks(context, host, "host-001")
    assert checks.latest_offset_ns() == 0
    checks.take_over([ClockCheck("server", "2026-11-21T15:55:58+00:00", -24 * MS, 43 * MS, "UTC", 0, "boot")])
    assert 23 * MS + checks.offset_ns() < 0  # before the sample itself
    assert 23 * MS + checks.latest_offset_ns() >= 0
