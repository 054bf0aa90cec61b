"""Pictures of a running session of as many hosts as a test wants."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from tunebench.domain.capturing.run import ClockCheck, HostState, SessionState, StreamState
from tunebench.domain.capturing.views import HostView, SessionView, StreamView

CLOCK_CHECK = ClockCheck("db000", "2026-11-21T05:00:00+00:00", 1_500_000_000, 2_000_000, "Asia/Seoul", 32400, "boot")


def made_stream(host: str, number: int, tick: int, state: StreamState = StreamState.CAPTURING) -> StreamView:
    probe = ("linux.vmstat", "linux.iostat", "linux.mpstat", "linux.sar", "house.overhead")[number]
    lines = 1000 + tick // 4 * (number + 1)
    return StreamView(
        f"{host}/{probe}", probe, state, lines, lines * 90, tick % 4 / 4, f"line {lines} of {probe}", 0, None
    )


def made_view(hosts: int = 100, tick: int = 0) -> SessionView:
    """`tick` quarters of a second after the beginning: every stream has a line a second."""
    return SessionView(
        1,
        "before",
        SessionState.RUNNING,
        time.time_ns(),
        time.time_ns() + 3_600_000_000_000,
        tuple(
            HostView(
                f"db{number:03d}",
                HostState.CAPTURING,
                "",
                {},
                None,
                False,
                0.5 + tick % 3 / 10,
                CLOCK_CHECK,
                0.4,
                tuple(made_stream(f"db{number:03d}", stream, tick) for stream in range(5)),
            )
            for number in range(hosts)
        ),
        (),
        70_000_000_000,
    )


def with_host(view: SessionView, place: int, **changes: Any) -> SessionView:
    hosts = list(view.hosts)
    hosts[place] = replace(hosts[place], **changes)
    return replace(view, hosts=tuple(hosts))


def lost(view: SessionView, place: int) -> SessionView:
    host = view.hosts[place]
    streams = tuple(replace(one, state=StreamState.LOST, gaps=1) for one in host.streams)
    return with_host(
        view,
        place,
        state=HostState.WAITING,
        reason_key="ssh.lost",
        facts={"host": host.name, "detail": "closed_by_server"},
        next_try_s=11.6,
        streams=streams,
    )
