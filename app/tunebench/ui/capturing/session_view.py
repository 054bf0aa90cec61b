"""Left the sessions that were captured, newest first; right the chosen one, whole: the plan and who approved it, its
streams, gaps, clocks and starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Generic

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QWheelEvent
from PySide6.QtWidgets import QHeaderView, QScrollArea, QSizePolicy, QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.capturing import sessions as columns
from tunebench.columns.capturing.sessions import (
    SESSION_TONES,
    duration_words,
    how_words,
    iso_ns,
    note_words,
    session_state,
    span_words,
)
from tunebench.columns.column import Column, Row
from tunebench.columns.formats import NS, format_stamp, short_hash
from tunebench.core.records import record
from tunebench.domain.capturing.run import CaptureGap, SessionState
from tunebench.ui.look import fonts
from tunebench.ui.look.formats import format_interval
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS, current_theme
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import RowView
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import (
    ElidedLabel,
    EmptyState,
    IconButton,
    button,
    column,
    fact_table,
    label,
    panel,
    row,
    set_tone,
    splitter,
    stacked,
)
from tunebench.ui.widgets.row_list import RowList, TwoLineDelegate, paint_side, paint_words
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.domain.capturing.run import ClockCheck, ServerCost, SessionRecord, StreamRecord
    from tunebench.usecases.capturing.collecting import SessionDetails


AROUND_GAP_NS = 30 * NS
SIDES = (240, 800)


class WordTable(RowView):
    """As high as its rows, up to `most`."""

    def __init__(self, model: TableModel[Row], most: int) -> None:
        super().__init__(model)
        self._most = most
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        model.modelReset.connect(self.fit)

    def fit(self) -> None:
        rows = min(self.model().rowCount(), self._most)
        self.setFixedHeight(rows * ROW_HEIGHT_DENSE + self.horizontalHeader().sizeHint().height() + 4)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A table that shows all its rows leaves the wheel to the page around it."""
        if self.model().rowCount() > self._most:
            super().wheelEvent(event)
        else:
            event.ignore()


class WordSection(QWidget, Generic[Row]):
    """A heading with a count, and the table; one sentence where there are no rows.

    Args:
        name: key below ``ui.audit.section.``; the sentence is below ``ui.audit.none.``.
    """

    def __init__(self, name: str, stretched: str, most: int = 12) -> None:
        super().__init__()
        self._name, self._stretched = name, stretched
        self._head = label(role="strong")
        self._none = translated(label(role="muted", wrap=True), f"ui.audit.none.{name}")
        self.model: TableModel[Row] = TableModel()
        self.table = WordTable(self.model, most)
        self.setLayout(column(self._head, self._none, self.table, spacing=SPACE_XS))

    def fill(self, rows: Sequence[Row], columns: Sequence[Column[Row]], zone: tzinfo) -> None:
        self.model.zone = zone
        self.model.show_rows(rows, columns)
        self.table.horizontalHeader().setSectionResizeMode(
            self.model.column(self._stretched), QHeaderView.ResizeMode.Stretch
        )
        self._none.setVisible(not rows)
        self.table.setVisible(bool(rows))
        heading = text(f"ui.audit.section.{self._name}")
        self._head.setText(f"{heading} · {len(rows):,}" if rows else heading)
        self.table.setAccessibleName(heading)


class SessionDetailsView(QScrollArea):
    """`trail_asked` carries the session whose audit trail is wanted."""

    trail_asked = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.details: SessionDetails | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._make_parts()
        self._lay_out()

    def _make_parts(self) -> None:
        self._title = ElidedLabel(role="section")
        self._state = label()
        self._hint = label(role="muted", wrap=True)
        self._facts = column()
        self.show_time = translated(button(on_click=lambda: self._show_range(self.time_range())), "ui.audit.show_time")
        self.open = translated(
            button(on_click=lambda: self._open_stream(self.streams.table.current)),
            "ui.audit.open",
            toolTip="ui.audit.open.tip",
        )
        self.trail = translated(button(kind="link", on_click=self._ask_trail), "ui.audit.of_session")
        self.copy = IconButton("copy", self._copy_digest, key="ui.audit.copy_digest")
        self.streams: WordSection[StreamRecord] = WordSection("streams", stretched="version", most=16)
        self.gaps: WordSection[CaptureGap] = WordSection("gaps", stretched="evidence")
        self.clocks: WordSection[ClockCheck] = WordSection("clocks", stretched="boot")
        self.costs: WordSection[tuple[str, ServerCost]] = WordSection("costs", stretched="host")
        self.starts: WordSection[columns.Start] = WordSection("starts", stretched="command")
        self.sections = (self.streams, self.gaps, self.clocks, self.costs, self.starts)
        self.streams.table.opened.connect(self._open_stream)
        self.gaps.table.opened.connect(self._show_gap)
        self.streams.table.selectionModel().currentRowChanged.connect(self._enable)

    def _lay_out(self) -> None:
        head = row((self._title, 1), self._state, spacing=SPACE_M)
        acts = row(self.show_time, self.open, self.trail, 1)
        parts = (head, self._hint, self._facts, acts, *self.sections, 1)
        self.setWidget(panel(column(*parts, spacing=SPACE_M, margins=(SPACE_M, 0, SPACE_M, SPACE_M))))

    def show_details(self, details: SessionDetails) -> None:
        another = self.details is None or self.details.session.id != details.session.id
        self.details = details
        self.refresh()
        if another:
            self.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Everything again, in the language and colours of now."""
        details = self.details
        if details is None:
            return
        zone, session, locale = self._workspace.zone, details.session, window_locale()
        self._title.set_words(session.label)
        self._state.setText(session_state(session, locale))
        set_tone(self._state, SESSION_TONES[session.state])
        self._hint.setVisible(session.state is SessionState.INTERRUPTED)
        self._hint.setText(text("ui.audit.interrupted"))
        self._fill_facts(details)
        tool_lines = {command.id: command.tool_line for command in details.plan.commands}
        self.streams.fill(details.streams, columns.stream_columns(details.gaps, tool_lines), zone)
        gaps = sorted(details.gaps, key=lambda gap: (gap.start_ns, gap.stream))
        self.gaps.fill(gaps, columns.GAP_COLUMNS, zone)
        self.clocks.fill(details.clocks, columns.CLOCK_COLUMNS, zone)
        self.costs.fill(sorted(details.overheads.items()), columns.COST_COLUMNS, zone)
        self.starts.fill(columns.starts(details.segments), columns.START_COLUMNS, zone)
        if details.streams:
            self.streams.table.selectRow(0)
        self._enable()

    # --- facts
    def _fill_facts(self, details: SessionDetails) -> None:
        right = fact_table(*_fact_names(self._approval_facts(details)))
        right.add_widget(text("ui.audit.plan"), self._digest(details.session.digest))
        line = row(spacing=SPACE_XL)
        for side in (fact_table(*_fact_names(self._run_facts(details))), right):
            line.addWidget(side, 1, Qt.AlignmentFlag.AlignTop)
        refill(self._facts, panel(line))

    def _run_facts(self, details: SessionDetails) -> Iterator[tuple[str, str, str]]:
        """(name below ``ui.audit.fact.``, words, tone)."""
        session, plan, locale = details.session, details.plan, window_locale()
        start, end = iso_ns(session.started_at), iso_ns(session.ended_at)
        length = duration_words(end - start, locale) if start is not None and end is not None else ""
        yield "period", span_words(session, self._workspace.zone), ""
        planned = text(
            "ui.audit.planned",
            interval=format_interval(plan.interval_s),
            length=duration_words(round(plan.duration_s * NS), locale),
        )
        yield "length", f"{length} · {planned}" if length else planned, ""
        if details.shorter:
            shorter = (
                f"{name} {duration_words(round(seconds * NS), locale)}" for name, seconds in details.shorter.items()
            )
            yield "shorter", ", ".join(shorter), "warning"
        yield "phase", f"{text(f'phase.{plan.phase}')} · {plan.run}", ""
        yield "hosts", ", ".join(host.name for host in plan.hosts), ""
        if session.note:
            yield "note", "; ".join(note_words(note, locale) for note in session.note.split()), ""

    def _approval_facts(self, details: SessionDetails) -> Iterator[tuple[str, str, str]]:
        session, zone = details.session, self._workspace.zone
        for approval in details.approvals:
            at = format_stamp(approval.approved_at, zone)
            words = [approval.approved_by, at, how_words(approval.how, window_locale()), approval.note]
            yield "approved_by", " · ".join(filter(None, words)), ""
        if not details.approvals:
            yield "approved_by", text("ui.audit.not_approved"), "critical"
        yield "mode", text(f"plan.mode.{details.plan.mode}"), ""
        yield "user", f"{session.user} · {session.machine}", ""

    def _digest(self, digest: str) -> QWidget:
        shown = label(short_hash(digest), "code")
        shown.setToolTip(digest)
        return panel(row(shown, self.copy, 1, spacing=SPACE_S // 2))

    # --- actions
    def _copy_digest(self) -> None:
        if self.details is not None:
            QGuiApplication.clipboard().setText(self.details.session.digest)

    def _enable(self) -> None:
        stream: StreamRecord | None = self.streams.table.current
        self.open.setEnabled(stream is not None and stream.artefact_id is not None)
        self.show_time.setEnabled(self.time_range() is not None)

    def _ask_trail(self) -> None:
        if self.details is not None:
            self.trail_asked.emit(self.details.session.id)

    def time_range(self) -> TimeRange | None:
        """The range from the first start to the last end of what ran in intervals, by the servers' clocks."""
        starts = columns.starts(self.details.segments) if self.details is not None else []
        moments = [moment for _, it in starts for moment in (it.began_ns, it.ended_ns) if moment is not None]
        return TimeRange(min(moments), max(moments)) if moments and min(moments) < max(moments) else None

    def _show_gap(self, gap: CaptureGap) -> None:
        """Shows a gap with some time on both sides."""
        end_ns = gap.start_ns if gap.end_ns is None else gap.end_ns
        around = max(AROUND_GAP_NS, end_ns - gap.start_ns)
        self._show_range(TimeRange(gap.start_ns - around, end_ns + around))

    def _show_range(self, wanted: TimeRange | None) -> None:
        if wanted is not None:
            self._workspace.selection.set_range(wanted)
            self._workspace.show_page("timeline")

    def _open_stream(self, stream: StreamRecord | None) -> None:
        if stream is not None and stream.artefact_id is not None:
            self._workspace.show_page("captures", stream.artefact_id)


def _fact_names(facts: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    return ((text(f"ui.audit.fact.{name}"), words, tone) for name, words, tone in facts)


@record
class SessionRow:
    """`phase` of the run the session went into, `hosts` as the plan names them."""

    session: SessionRecord
    phase: str
    hosts: tuple[str, ...]


class SessionModel(TableModel[SessionRow]):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            [Column("label", "", lambda it: it.session.label, tip=lambda it, _: "\n".join(self._words(it)))]
        )
        self._workspace = workspace

    def show_sessions(self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]) -> None:
        """Lists the sessions, the newest first; `hosts` by the digest of their plan."""
        self.show_rows(
            [SessionRow(session, self._phase(session), hosts.get(session.digest, ())) for session in reversed(sessions)]
        )

    def _phase(self, session: SessionRecord) -> str:
        overview = self._workspace.overview
        runs = {view.run.id: view.run for view in overview.runs} if overview is not None else {}
        return str(runs[session.run_id].phase) if session.run_id in runs else "other"

    def row_of(self, session_id: int) -> int | None:
        return next((row for row, entry in enumerate(self.rows) if entry.session.id == session_id), None)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            return ", ".join(self._words(self.row_at(index)))
        return super().data(index, role)

    def _words(self, shown: SessionRow) -> list[str]:
        words = (
            shown.session.label,
            text(f"phase.{shown.phase}"),
            span_words(shown.session, self._workspace.zone),
            session_state(shown.session, self.locale),
            ", ".join(shown.hosts),
        )
        return [word for word in words if word]

    def second_line(self, shown: SessionRow) -> str:
        """When it began, and on which hosts."""
        when = format_stamp(shown.session.started_at, self._workspace.zone)[5:16]
        hosts = ", ".join(shown.hosts[:2]) + (f" +{len(shown.hosts) - 2}" if len(shown.hosts) > 2 else "")
        return f"{when} · {hosts}" if hosts else when


class SessionDelegate(TwoLineDelegate):
    """Label and phase above, when and where below, the state at the right."""

    def paint_lines(self, painter: QPainter, upper: QRect, lower: QRect, index: Index) -> None:
        model = index.model()
        assert isinstance(model, SessionModel)
        shown = model.row_at(index)
        theme, small = current_theme(), fonts.font(fonts.SMALL_PX)
        phase = text(f"phase.{shown.phase}") if shown.phase != "other" else ""
        tone = SESSION_TONES[shown.session.state]
        left = paint_side(painter, upper, phase, theme.phase_colour(shown.phase), small)
        paint_words(painter, left, shown.session.label, theme.text, fonts.font(bold=True))
        left = paint_side(painter, lower, session_state(shown.session, window_locale()), getattr(theme, tone), small)
        paint_words(painter, left, model.second_line(shown), theme.muted, small)


class SessionView(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.model = SessionModel(workspace)
        self.list = translated(RowList(self.model), accessibleName="ui.audit.sessions")
        self.list.setItemDelegate(SessionDelegate(self.list))
        self.list.setMinimumWidth(180)
        self.shown = SessionDetailsView(workspace)
        to_plan = ("ui.audit.to_plan", lambda: workspace.show_page("collect", "plan"))
        self._parts = stacked(
            EmptyState("history", "ui.audit.no_sessions", (to_plan,)),
            splitter(self.list, self.shown, handle=SPACE_M, shares=(0, 1), sizes=SIDES),
        )
        self.setLayout(column(self._parts))
        self.list.selectionModel().currentRowChanged.connect(self._on_row)

    def fill(self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]) -> None:
        """The chosen one stays chosen; a new one is chosen where the newest was."""
        chosen, on_top = self._chosen(), self.list.currentIndex().row() <= 0
        self.model.show_sessions(sessions, hosts)
        self._parts.setCurrentIndex(1 if sessions else 0)
        kept = self.model.row_of(chosen) if chosen is not None and not on_top else None
        if sessions:
            self.list.setCurrentIndex(self.model.index(kept or 0, 0))

    def _chosen(self) -> int | None:
        index = self.list.currentIndex()
        return self.model.row_at(index).session.id if index.isValid() else None

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        from tunebench.usecases.capturing import collecting

        project = self._workspace.project
        if not current.isValid() or project is None:
            return
        session_id = self.model.row_at(current).session.id
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: collecting.details(project, session_id),
            owner=self,
            slot="details",
            on_result=self.shown.show_details,
        )
