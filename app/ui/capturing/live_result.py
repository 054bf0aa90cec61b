"""What a session that has ended left in the project, and where to look at it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from app.domain.capturing.plan import CommandKind
from app.domain.capturing.run import SessionState, StreamState
from app.ui.capturing.live_states import span_words
from app.ui.charts.time_range import TimeRange
from app.ui.look.formats import format_bytes, format_count
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_L, SPACE_M
from app.ui.widgets.facts import fact_table
from app.ui.widgets.layouts import refill
from app.ui.widgets.parts import button, column, label, row, set_tone
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionDetails, SessionView

_MOST_NAMES = 6


class SessionResult(QFrame):
    """`dismissed` when it has been seen."""

    dismissed = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._view: SessionView | None = None
        self._details: SessionDetails | None = None
        self.title = label(role="section")
        self._facts = column()
        self.timeline = translated(button(kind="primary", on_click=self._show_timeline), "ui.live.result.timeline")
        self.record = translated(
            button(on_click=lambda: workspace.show_page("collect", "sessions")), "ui.live.result.record"
        )
        self.close_button = translated(button(kind="quiet", on_click=self._dismiss), "ui.live.result.close")
        acts = row(self.timeline, self.record, 1, self.close_button)
        self.setLayout(
            column(self.title, self._facts, acts, spacing=SPACE_M, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M))
        )

    def show_view(self, view: SessionView) -> None:
        """Reads what was stored, once per session."""
        if self._view is not None and self._view.session_id == view.session_id:
            return
        from app.usecases.capturing import collecting

        self._view, self._details = view, None
        project = self._workspace.opened
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: collecting.details(project, view.session_id),
            owner=self,
            slot="details",
            on_result=self._take,
        )
        self.retranslate()

    def _take(self, details: SessionDetails) -> None:
        self._details = details
        self.retranslate()

    def retranslate(self) -> None:
        view = self._view
        if view is None:
            return
        whole = view.state is SessionState.FINISHED
        self.title.setText(f"{'✓' if whole else '✕'} {text(f'ui.live.result.{view.state}', label=view.label)}")
        set_tone(self.title, "ok" if whole else "warning")
        facts: list[tuple[str, str, str]] = []
        if view.message_key:
            facts.append(("why", text(f"error.{view.message_key}", **view.message_facts), "critical"))
        if self._details is not None:
            facts += result_facts(self._details)
        refill(self._facts, fact_table(*((text(f"ui.live.result.{name}"), words, tone) for name, words, tone in facts)))

    def _show_timeline(self) -> None:
        view = self._view
        self._workspace.show_page("timeline")
        if view is not None and self._details is not None:
            segments = (segment for each in self._details.segments.values() for segment in each)
            ends = (segment.ended_ns for segment in segments if segment.ended_ns is not None)
            end_ns = max(ends, default=view.planned_end_ns)
            if end_ns > view.started_ns:
                self._workspace.selection.set_range(TimeRange(view.started_ns, end_ns))

    def _dismiss(self) -> None:
        if self._view is not None:
            session_id, self._view = self._view.session_id, None
            self.dismissed.emit(session_id)


def result_facts(details: SessionDetails) -> list[tuple[str, str, str]]:
    """(name below ``ui.live.result.``, words, tone)."""
    house = {command.id for command in details.plan.commands if command.kind is CommandKind.HOUSE}
    streams = [one for one in details.streams if one.command_id not in house]
    failed = [one.command_id for one in streams if one.state is StreamState.FAILED or not one.bytes]
    stored = text(
        "ui.live.result.stored.words",
        streams=format_count(len(streams) - len(failed)),
        lines=format_count(sum(one.lines for one in streams)),
        bytes=format_bytes(sum(one.bytes for one in streams)),
    )
    found = [("stored", stored, "")]
    if failed:
        found.append(("failed_streams", _names(failed), "critical"))
    found.append(("gaps", *_gap_words(details)))
    found.extend(("leftovers", words, tone) for words, tone in _leftover_words(details))
    return found


def _gap_words(details: SessionDetails) -> tuple[str, str]:
    if not details.gaps:
        return text("ui.live.result.gaps.none"), "ok"
    seconds = sum((gap.end_ns - gap.start_ns) / 1e9 for gap in details.gaps if gap.end_ns is not None)
    causes = Counter(gap.cause for gap in details.gaps)
    words = ", ".join(f"{text(f'gap_cause.{cause}')} {count}" for cause, count in causes.most_common())
    return text("ui.live.result.gaps.words", count=len(details.gaps), span=span_words(seconds), causes=words), "warning"


def _leftover_words(details: SessionDetails) -> list[tuple[str, str]]:
    """The proof that nothing runs on any more: per host, the worst of what was found."""
    by_host: dict[str, set[str]] = {}
    hosts = {command.id: command.host for command in details.plan.commands}
    for one in details.streams:
        by_host.setdefault(hosts[one.command_id], set()).add(one.leftovers)
    found = []
    for proof, tone in (("found", "critical"), ("unknown", "warning"), ("none", "ok")):
        names = [host for host, seen in by_host.items() if _worst(seen) == proof]
        if names:
            found.append((text(f"ui.live.result.leftovers.{proof}", hosts=_names(names)), tone))
    return found


def _worst(seen: set[str]) -> str:
    return next((proof for proof in ("found", "unknown", "none") if proof in seen), "unknown")


def _names(names: list[str]) -> str:
    rest = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} {text('ui.live.and_more', count=rest)}" if rest > 0 else shown
