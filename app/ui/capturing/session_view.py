"""Left the sessions that were captured, newest first, right everything that is known of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.ui.capturing.session_details import SessionDetailsView
from app.ui.capturing.session_words import SESSION_TONES, session_state, span_words
from app.ui.look import fonts
from app.ui.look.formats import format_stamp
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, current_theme
from app.ui.tables.column import Column
from app.ui.tables.model import Index, TableModel
from app.ui.widgets.parts import EmptyState, column, splitter, stacked
from app.ui.widgets.row_list import RowList
from app.ui.widgets.two_lines import TwoLineDelegate, paint_side, paint_words
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionRecord

SIDES = (240, 800)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """`phase` of the run the session went into, `hosts` as the plan names them."""

    session: SessionRecord
    phase: str
    hosts: tuple[str, ...]


class SessionModel(TableModel[SessionRow]):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__([Column("label", "", lambda it: it.session.label, tip=lambda it: "\n".join(self._words(it)))])
        self._workspace = workspace

    def show_sessions(self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]) -> None:
        """`hosts`: by the digest of their plan."""
        self.show_rows([SessionRow(each, self._phase(each), hosts.get(each.digest, ())) for each in reversed(sessions)])

    def _phase(self, session: SessionRecord) -> str:
        overview = self._workspace.overview
        runs = {view.run.id: view.run for view in overview.runs} if overview is not None else {}
        return str(runs[session.run_id].phase) if session.run_id in runs else "other"

    def row_of(self, session_id: int) -> int | None:
        return next((row for row, each in enumerate(self.rows) if each.session.id == session_id), None)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            return ", ".join(self._words(self.row_at(index)))
        return super().data(index, role)

    def _words(self, shown: SessionRow) -> list[str]:
        words = (
            shown.session.label,
            text(f"phase.{shown.phase}"),
            span_words(shown.session, self._workspace.zone),
            session_state(shown.session),
            ", ".join(shown.hosts),
        )
        return [each for each in words if each]

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
        left = paint_side(painter, lower, session_state(shown.session), getattr(theme, tone), small)
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
        from app.usecases.capturing import collecting

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
