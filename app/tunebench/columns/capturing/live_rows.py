"""Hosts and streams of running sessions as rows of cells, and what they come to together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tunebench.columns.capturing.live_states import (
    HOST_SHAPES,
    HOST_TONES,
    STREAM_SHAPES,
    STREAM_TONES,
    host_troubled,
    is_storing,
    lag_words,
    needs_attention,
    reason_words,
    stream_troubled,
)
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import DASH, format_bytes, format_value
from tunebench.core.records import record
from tunebench.domain.capturing.run import HostState, StreamState
from tunebench.domain.capturing.views import HostView, SessionView, StreamView

IDS = ("name", "state", "lag", "lines", "bytes", "gaps", "overhead", "round_trip", "clock", "detail")
NAME, STATE, LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK, DETAIL = range(len(IDS))
FIGURES = frozenset((LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK))
INDENT = "      "
_ENDING = (HostState.DRAINING, HostState.VERIFYING, HostState.DONE)


@record
class Row:
    """One line of the table; `stream` is empty for a host's own line. `tone` colours its state."""

    host: str
    stream: str
    cells: tuple[str, ...]
    tone: str

    @property
    def key(self) -> tuple[str, str]:
        return self.host, self.stream


def rows_of(view: SessionView, folded: Collection[str], attention_only: bool, locale: Locale) -> list[Row]:
    """What is shown: streams of a folded host are not, of the others those that the filter lets through."""
    rows: list[Row] = []
    for host in view.hosts:
        if attention_only and not needs_attention(host):
            continue
        is_folded = host.name in folded
        rows.append(_host_row(host, is_folded, locale))
        if not is_folded:
            all_of_it = not attention_only or host_troubled(host)
            streams = sorted(host.streams, key=is_house)  # what is captured first
            rows.extend(_stream_row(host, one, locale) for one in streams if all_of_it or stream_troubled(one))
    return rows


def is_house(stream: StreamView) -> bool:
    """Whether it measures us, not the host."""
    return stream.probe.startswith("house.")


def _host_row(host: HostView, folded: bool, locale: Locale) -> Row:
    running = [one for one in host.streams if one.state is StreamState.CAPTURING]
    lags = [one.lag_s for one in running if one.lag_s is not None and not is_house(one)]
    detail = reason_words(host, locale)
    if not detail and host.state is not HostState.DONE:
        detail = locale.text("ui.live.streams_running", running=len(running), streams=len(host.streams))
    cells = (
        f"{'▸' if folded else '▾'} {host.name}",
        f"{HOST_SHAPES[host.state]} {locale.text(f'host_state.{host.state}')}",
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


def _stream_row(host: HostView, stream: StreamView, locale: Locale) -> Row:
    last_line = " ".join(stream.last_line.split())
    detail = locale.text(f"error.{stream.error_key}", **stream.error_facts) if stream.error_key else last_line
    cells = (
        INDENT + (locale.text("ui.live.house") if is_house(stream) else short_name(stream.id)),
        f"{STREAM_SHAPES[stream.state]} {locale.text(f'stream_state.{stream.state}')}",
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


@record
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


def running_words(views: Sequence[SessionView], locale: Locale) -> tuple[str, str]:
    """Words and tone of what runs; a host's name where there is just one."""
    hosts = [host for view in views for host in view.hosts]
    totals = [totals_of(view) for view in views]
    streams = sum(total.streams for total in totals)
    where = hosts[0].name if len(hosts) == 1 else locale.text("ui.live.status.hosts", count=len(hosts))
    if all(map(is_storing, views)):
        return f"↓ {locale.text('ui.live.status.storing', where=where)}", ""
    if all(host.state in _ENDING for host in hosts):
        return f"↓ {locale.text('ui.live.status.ending', where=where)}", ""
    if any(total.troubled for total in totals):
        lost = sum(one.state is not StreamState.CAPTURING for host in hosts for one in host.streams)
        return f"▲ {locale.text('ui.live.status.troubled', where=where, troubled=lost, streams=streams)}", "warning"
    if not any(total.running for total in totals):
        return f"… {locale.text('ui.live.status.starting', where=where)}", ""
    return f"● {locale.text('ui.live.status.ok', where=where, streams=streams)}", "ok"


def _column(index: int, id_: str) -> Column[Row]:
    key = f"ui.live.column.{id_}"
    return Column(
        id_,
        key,
        lambda row: row.cells[index],
        right=index in FIGURES,
        tone=lambda row: _tone(row, index),
        tip=(lambda row, _: row.cells[index]) if index in (NAME, STATE, DETAIL) else None,
    )


def _tone(row: Row, column: int) -> str:
    if column == STATE and row.tone:
        return row.tone
    if column == DETAIL and row.tone not in ("", "ok"):
        return "text"
    return "text" if column in (NAME, STATE) or not row.stream else "muted"


COLUMNS = tuple(_column(index, id_) for index, id_ in enumerate(IDS))


def changed_blocks(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int, int, int]]:
    """Neighbouring changed rows as (first row, last row, first column, last column); both sequences are as long."""
    blocks: list[tuple[int, int, int, int]] = []
    for number, (before, after) in enumerate(zip(old, new, strict=True)):
        if before.cells == after.cells and before.tone == after.tone:
            continue
        pairs = zip(before.cells, after.cells, strict=True)
        columns = [column for column, (was, now) in enumerate(pairs) if was != now] or [STATE]
        left, right = columns[0], columns[-1]
        if blocks and blocks[-1][1] == number - 1:
            first, _, leftmost, rightmost = blocks.pop()
            blocks.append((first, number, min(leftmost, left), max(rightmost, right)))
        else:
            blocks.append((number, number, left, right))
    return blocks
