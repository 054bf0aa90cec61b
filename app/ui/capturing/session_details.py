"""One session, whole: the plan and who approved it, its streams, gaps, clocks and starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.domain.capturing.run import CaptureGap, SessionState
from app.ui.capturing import session_columns as columns
from app.ui.capturing.session_tables import WordSection
from app.ui.capturing.session_words import (
    SESSION_TONES,
    duration_words,
    how_words,
    iso_ns,
    note_words,
    session_state,
    span_words,
)
from app.ui.look.formats import NS, format_interval, format_stamp, short_hash
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XL
from app.ui.selection import TimeRange
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import ElidedLabel, IconButton, button, label, row, set_tone
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionDetails, StreamRecord

AROUND_GAP_NS = 30 * NS


class SessionDetailsView(QScrollArea):
    """`trail_asked` carries the session whose audit trail is wanted."""

    trail_asked = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._details: SessionDetails | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._make_parts()
        self._lay_out()

    def _make_parts(self) -> None:
        self._title = ElidedLabel(role="section")
        self._state = label()
        self._hint = label(role="muted", wrap=True)
        self._facts = QVBoxLayout()
        self.show_time = translated(button(on_click=self.show_on_time_line), "ui.audit.show_time")
        self.open = translated(button(on_click=self.open_capture), "ui.audit.open", toolTip="ui.audit.open.tip")
        self.trail = translated(button(kind="link", on_click=self._ask_trail), "ui.audit.of_session")
        self.copy = IconButton("copy", self._copy_digest, key="ui.audit.copy_digest")
        self.streams = WordSection("streams", stretched="version", most=16)
        self.gaps = WordSection("gaps", stretched="evidence")
        self.clocks = WordSection("clocks", stretched="boot")
        self.costs = WordSection("costs", stretched="host")
        self.starts = WordSection("starts", stretched="command")
        self.sections = (self.streams, self.gaps, self.clocks, self.costs, self.starts)
        self.streams.table.opened.connect(self._open_stream)
        self.gaps.table.opened.connect(self._show_gap)
        self.streams.table.selectionModel().currentRowChanged.connect(self._enable)

    def _lay_out(self) -> None:
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(SPACE_M, 0, SPACE_M, SPACE_M)
        self._column.setSpacing(SPACE_M)
        head = row(self._title, self._state, spacing=SPACE_M)
        head.setStretch(0, 1)
        self._column.addLayout(head)
        self._column.addWidget(self._hint)
        self._column.addLayout(self._facts)
        self._column.addLayout(row(self.show_time, self.open, self.trail, 1, spacing=SPACE_S))
        for section in self.sections:
            self._column.addWidget(section)
        self._column.addStretch(1)
        self.setWidget(body)

    @property
    def details(self) -> SessionDetails | None:
        return self._details

    def show_details(self, details: SessionDetails) -> None:
        another = self._details is None or self._details.session.id != details.session.id
        self._details = details
        self.refresh()
        if another:
            self.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Everything again, in the language and colours of now."""
        details = self._details
        if details is None:
            return
        zone, session = self._workspace.zone, details.session
        self._title.set_words(session.label)
        self._state.setText(session_state(session))
        set_tone(self._state, SESSION_TONES[session.state])
        self._hint.setVisible(session.state is SessionState.INTERRUPTED)
        self._hint.setText(text("ui.audit.interrupted"))
        self._fill_facts(details)
        self.streams.fill(details.streams, columns.stream_columns(details))
        gaps = sorted(details.gaps, key=lambda gap: (gap.start_ns, gap.stream))
        self.gaps.fill(gaps, columns.gap_columns(zone))
        self.clocks.fill(details.clocks, columns.clock_columns(zone))
        self.costs.fill(sorted(details.overheads.items()), columns.cost_columns())
        self.starts.fill(columns.starts(details), columns.start_columns(zone))
        if details.streams:
            self.streams.table.selectRow(0)
        self.retranslate()
        self._enable()

    def retranslate(self) -> None:
        for section in self.sections:
            section.retranslate()

    # --- facts
    def _fill_facts(self, details: SessionDetails) -> None:
        left, right = FactTable(right=False), FactTable(right=False)
        self._add_run(left, details)
        self._add_approval(right, details)
        holder = QWidget()
        line = row(left, right, spacing=SPACE_XL)
        line.setStretch(0, 1)
        line.setStretch(1, 1)
        line.setAlignment(left, Qt.AlignmentFlag.AlignTop)
        line.setAlignment(right, Qt.AlignmentFlag.AlignTop)
        holder.setLayout(line)
        right.add_widget(text("ui.audit.plan"), self._digest(details.session.digest))
        if (old := self._facts.takeAt(0)) is not None and (shown := old.widget()) is not None:
            shown.hide()  # until it is gone
            shown.deleteLater()
        self._facts.addWidget(holder)

    def _add_run(self, table: FactTable, details: SessionDetails) -> None:
        session, plan = details.session, details.plan
        start, end = iso_ns(session.started_at), iso_ns(session.ended_at)
        length = duration_words(end - start) if start is not None and end is not None else ""
        table.add(text("ui.audit.fact.period"), span_words(session, self._workspace.zone))
        planned = text(
            "ui.audit.planned",
            interval=format_interval(plan.interval_s),
            length=duration_words(round(plan.duration_s * NS)),
        )
        table.add(text("ui.audit.fact.length"), f"{length} · {planned}" if length else planned)
        if details.shorter:
            shorter = (f"{name} {duration_words(round(seconds * NS))}" for name, seconds in details.shorter.items())
            table.add(text("ui.audit.fact.shorter"), ", ".join(shorter), tone="warning")
        table.add(text("ui.audit.fact.phase"), f"{text(f'phase.{plan.phase}')} · {plan.run}")
        table.add(text("ui.audit.fact.hosts"), ", ".join(host.name for host in plan.hosts))
        if session.note:
            table.add(text("ui.audit.fact.note"), "; ".join(map(note_words, session.note.split())))

    def _add_approval(self, table: FactTable, details: SessionDetails) -> None:
        session, zone = details.session, self._workspace.zone
        for approval in details.approvals:
            at = format_stamp(approval.approved_at, zone)
            words = [approval.approved_by, at, how_words(approval.how), approval.note]
            table.add(text("ui.audit.fact.approved_by"), " · ".join(filter(None, words)))
        if not details.approvals:
            table.add(text("ui.audit.fact.approved_by"), text("ui.audit.not_approved"), tone="critical")
        table.add(text("ui.audit.fact.mode"), text(f"plan.mode.{details.plan.mode}"))
        table.add(text("ui.audit.fact.user"), f"{session.user} · {session.machine}")

    def _digest(self, digest: str) -> QWidget:
        shown = label(short_hash(digest), "code")
        shown.setToolTip(digest)
        holder = QWidget()
        holder.setLayout(row(shown, self.copy, 1, spacing=SPACE_S // 2))
        return holder

    # --- actions
    def _copy_digest(self) -> None:
        if self._details is not None:
            QGuiApplication.clipboard().setText(self._details.session.digest)

    def _enable(self, *_: object) -> None:
        stream: StreamRecord | None = self.streams.table.current
        self.open.setEnabled(stream is not None and stream.artefact_id is not None)
        self.show_time.setEnabled(self.time_range() is not None)

    def _ask_trail(self) -> None:
        if self._details is not None:
            self.trail_asked.emit(self._details.session.id)

    def time_range(self) -> TimeRange | None:
        """From the first start to the last end of what ran in intervals, by the servers' clocks."""
        details = self._details
        if details is None:
            return None
        ends = [
            moment
            for segments in details.segments.values()
            for segment in segments
            for moment in (segment.began_ns, segment.ended_ns)
            if moment is not None
        ]
        return TimeRange(min(ends), max(ends)) if ends and min(ends) < max(ends) else None

    def show_on_time_line(self) -> None:
        self._show_range(self.time_range())

    def _show_gap(self, gap: CaptureGap) -> None:
        """With something to see on both sides."""
        end_ns = gap.start_ns if gap.end_ns is None else gap.end_ns
        around = max(AROUND_GAP_NS, end_ns - gap.start_ns)
        self._show_range(TimeRange(gap.start_ns - around, end_ns + around))

    def _show_range(self, wanted: TimeRange | None) -> None:
        if wanted is not None:
            self._workspace.selection.set_range(wanted)
            self._workspace.show_page("timeline")

    def open_capture(self) -> None:
        self._open_stream(self.streams.table.current)

    def _open_stream(self, stream: StreamRecord | None) -> None:
        if stream is not None and stream.artefact_id is not None:
            self._workspace.show_page("captures", stream.artefact_id)
