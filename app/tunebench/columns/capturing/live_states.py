"""States of hosts and streams as a shape, a word and a tone; the colour only repeats what shape and word say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tunebench.columns.column import Locale
from tunebench.columns.formats import DASH
from tunebench.domain.capturing.run import GapCause, HostState, SessionState, StreamState

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import HostView, SessionView, StreamView

HOST_SHAPES = {
    HostState.IDLE: "○",
    HostState.SCHEDULED: "○",
    HostState.CONNECTING: "…",
    HostState.HOST_KEY: "?",
    HostState.AUTHENTICATING: "…",
    HostState.PROBING: "…",
    HostState.CAPTURING: "●",
    HostState.SUSPECT: "▲",
    HostState.WAITING: "✕",
    HostState.DRAINING: "↓",
    HostState.VERIFYING: "↓",
    HostState.DONE: "✓",
    HostState.REFUSED: "✕",
}
HOST_TONES = {
    HostState.CAPTURING: "ok",
    HostState.DONE: "ok",
    HostState.HOST_KEY: "watch",
    HostState.SUSPECT: "watch",
    HostState.WAITING: "warning",
    HostState.REFUSED: "critical",
}
STREAM_SHAPES = {
    StreamState.PLANNED: "○",
    StreamState.STARTING: "…",
    StreamState.CAPTURING: "●",
    StreamState.SUSPECT: "▲",
    StreamState.LOST: "✕",
    StreamState.WAITING: "✕",
    StreamState.DRAINING: "↓",
    StreamState.VERIFIED: "✓",
    StreamState.ENDED: "■",
    StreamState.FAILED: "✕",
}
STREAM_TONES = {
    StreamState.CAPTURING: "ok",
    StreamState.VERIFIED: "ok",
    StreamState.SUSPECT: "watch",
    StreamState.LOST: "warning",
    StreamState.WAITING: "warning",
    StreamState.FAILED: "critical",
}
_TROUBLED_HOSTS = {HostState.HOST_KEY, HostState.SUSPECT, HostState.WAITING, HostState.REFUSED}
_TROUBLED_STREAMS = {StreamState.SUSPECT, StreamState.LOST, StreamState.WAITING, StreamState.FAILED}
_LOSSES = {"network_lost": GapCause.NETWORK_LOST, "closed_by_server": GapCause.KILLED_BY_SERVER}
_ENDED_HOSTS = {HostState.DONE, HostState.REFUSED}


def host_troubled(host: HostView) -> bool:
    """Whether somebody should look at the host itself."""
    return host.state in _TROUBLED_HOSTS or host.needs_person or bool(host.reason_key)


def stream_troubled(stream: StreamView) -> bool:
    return stream.state in _TROUBLED_STREAMS or bool(stream.error_key)


def needs_attention(host: HostView) -> bool:
    return host_troubled(host) or any(map(stream_troubled, host.streams))


def is_storing(view: SessionView) -> bool:
    """The hosts are done; what came is being put into the project."""
    return view.state is SessionState.RUNNING and all(host.state in _ENDED_HOSTS for host in view.hosts)


def reason_words(host: HostView, locale: Locale) -> str:
    """Why the host does not capture, and when it is tried again."""
    words = locale.text(f"error.{host.reason_key}", **_spoken(host.facts, locale)) if host.reason_key else ""
    if host.needs_person:
        return f"{locale.text('ui.live.needs_person')} {words}".strip()
    if host.next_try_s is not None:
        return f"{locale.text('ui.live.next_try', seconds=round(host.next_try_s))} {words}".strip()
    return words


def _spoken(facts: Mapping[str, object], locale: Locale) -> dict[str, object]:
    """The detail of a loss is the name of its cause where nothing else is known of it."""
    cause = _LOSSES.get(str(facts.get("detail", "")))
    return {**facts, "detail": locale.text(f"gap_cause.{cause}")} if cause else dict(facts)


def lag_words(lag_s: float | None) -> str:
    """Whole seconds: a figure that flickers cannot be read."""
    if lag_s is None:
        return DASH
    seconds = int(lag_s)
    return f"{seconds} s" if seconds < 600 else f"{seconds // 60} min"


def span_words(seconds: float) -> str:
    """``1:02:03`` or ``02:03``."""
    whole = max(int(seconds), 0)
    hours, rest = divmod(whole, 3600)
    clock = f"{rest // 60:02d}:{rest % 60:02d}"
    return f"{hours}:{clock}" if hours else clock
