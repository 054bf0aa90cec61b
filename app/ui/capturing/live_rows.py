"""A running session as rows of cells: one per host, its streams below it. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.capturing.run import HostState, StreamState
from app.ui.capturing.live_states import (
    HOST_SHAPES,
    HOST_TONES,
    STREAM_SHAPES,
    STREAM_TONES,
    host_troubled,
    lag_words,
    needs_attention,
    reason_words,
    stream_troubled,
)
from app.ui.look.formats import DASH, format_bytes, format_value
from app.ui.look.language import text

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import HostView, SessionView, StreamView

COLUMNS = ("name", "state", "lag", "lines", "bytes", "gaps", "overhead", "round_trip", "clock", "detail")
NAME, STATE, LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK, DETAIL = range(len(COLUMNS))
FIGURES = frozenset((LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK))
INDENT = "      "


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `stream` is empty for a host's own line. `tone` colours its state."""

    host: str
    stream: str
    cells: tuple[str, ...]
    tone: str

    @property
    def key(self) -> tuple[str, str]:
        return self.host, self.stream


def rows_of(view: SessionView, folded: Collection[str], attention_only: bool) -> list[Row]:
    """What is shown: streams of a folded host are not, of the others those that the filter lets through."""
    rows: list[Row] = []
    for host in view.hosts:
        if attention_only and not needs_attention(host):
            continue
        is_folded = host.name in folded
        rows.append(_host_row(host, is_folded))
        if not is_folded:
            all_of_it = not attention_only or host_troubled(host)
            streams = sorted(host.streams, key=is_house)  # what is captured first
            rows.extend(_stream_row(host, one) for one in streams if all_of_it or stream_troubled(one))
    return rows


def is_house(stream: StreamView) -> bool:
    """Whether it measures us, not the host."""
    return stream.probe.startswith("house.")


def _host_row(host: HostView, folded: bool) -> Row:
    running = [one for one in host.streams if one.state is StreamState.CAPTURING]
    lags = [one.lag_s for one in running if one.lag_s is not None and not is_house(one)]
    detail = reason_words(host)
    if not detail and host.state is not HostState.DONE:
        detail = text("ui.live.streams_running", running=len(running), streams=len(host.streams))
    cells = (
        f"{'▸' if folded else '▾'} {host.name}",
        f"{HOST_SHAPES[host.state]} {text(f'host_state.{host.state}')}",
        lag_words(max(lags) if lags else None),
        f"{sum(one.lines for one in host.streams):,}",
        format_bytes(sum(one.bytes for one in host.streams)),
        _gaps(sum(one.gaps for one in host.streams)),
        DASH if host.overhead_pct is None else f"{format_value(host.overhead_pct, 2)} %",
        DASH if host.round_trip_ms is None else f"{format_value(host.round_trip_ms, 2)} ms",
        clock_words(host),
        detail,
    )
    return Row(host.name, "", cells, HOST_TONES.get(host.state, ""))


def clock_words(host: HostView) -> str:
    """Server minus here; a difference within the error of its measurement is none."""
    if host.clock is None:
        return DASH
    if abs(host.clock.offset_ns) <= host.clock.error_ns:
        return "0 s"
    seconds = host.clock.offset_ns / 1e9
    digits = 0 if abs(seconds) >= 100 else 2
    return f"{seconds:+,.{digits}f} s"


def _stream_row(host: HostView, stream: StreamView) -> Row:
    said = " ".join(stream.last_line.split())
    detail = text(f"error.{stream.error_key}", **stream.error_facts) if stream.error_key else said
    cells = (
        INDENT + (text("ui.live.house") if is_house(stream) else short_name(stream.id)),
        f"{STREAM_SHAPES[stream.state]} {text(f'stream_state.{stream.state}')}",
        lag_words(stream.lag_s),
        f"{stream.lines:,}",
        format_bytes(stream.bytes),
        _gaps(stream.gaps),
        DASH if stream.cpu_s is None else f"{format_value(stream.cpu_s, 2)} s",
        "",
        "",
        detail,
    )
    return Row(host.name, stream.id, cells, STREAM_TONES.get(stream.state, ""))


def _gaps(count: int) -> str:
    return f"{count:,}" if count else ""


def short_name(stream_id: str) -> str:
    """``linux.vmstat`` of ``db01/linux.vmstat``."""
    return stream_id.partition("/")[2] or stream_id


@dataclass(frozen=True, slots=True)
class Totals:
    hosts: int
    streams: int
    running: int
    troubled: int
    gaps: int
    lines: int
    bytes: int


def totals_of(view: SessionView) -> Totals:
    streams = [one for host in view.hosts for one in host.streams]
    return Totals(
        hosts=len(view.hosts),
        streams=len(streams),
        running=sum(one.state is StreamState.CAPTURING for one in streams),
        troubled=sum(map(needs_attention, view.hosts)),
        gaps=sum(one.gaps for one in streams),
        lines=sum(one.lines for one in streams),
        bytes=sum(one.bytes for one in streams),
    )
