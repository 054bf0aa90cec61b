"""A running capture as a window or a terminal shows it: plain values, made anew for every look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.capturing.run import CaptureMark, ClockCheck, HostState, SessionState, StreamState


@record
class StreamView:
    """One command.

    Attributes:
        lag_s: seconds since its last line; None before the first.
        last_line: its last whole line, cut to 200 characters.
        gaps: how many so far, open ones included.
        error_key: below ``error.``, empty while all is well; `error_facts` fill the sentence.
        cpu_s: processor time on the server of its finished starts; None while not measured.
    """

    id: str
    probe: str
    state: StreamState
    lines: int
    bytes: int
    lag_s: float | None
    last_line: str
    gaps: int
    exit_status: int | None
    error_key: str = ""
    error_facts: Mapping[str, object] = field(default_factory=dict)
    cpu_s: float | None = None


@record
class HostView:
    """One host.

    Attributes:
        reason_key: why it is not capturing, below ``error.``; `facts` fill the sentence.
        next_try_s: seconds until the next try; None where none is planned.
        needs_person: it will not be tried again until `retry` is called.
        overhead_pct: measured processor time of our commands there, percent of one core; None: not measured.
    """

    name: str
    state: HostState
    reason_key: str
    facts: Mapping[str, object]
    next_try_s: float | None
    needs_person: bool
    round_trip_ms: float | None
    clock: ClockCheck | None
    overhead_pct: float | None
    streams: tuple[StreamView, ...]


@record
class SessionView:
    """The whole capture. `message_key` (below ``error.``) says why it ended early; empty while all is well."""

    session_id: int
    label: str
    state: SessionState
    started_ns: int
    planned_end_ns: int
    hosts: tuple[HostView, ...]
    marks: tuple[CaptureMark, ...]
    free_disk_bytes: int | None
    message_key: str = ""
    message_facts: Mapping[str, object] = field(default_factory=dict)
