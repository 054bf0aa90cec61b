"""The sessions that were captured, newest first: rows of two lines, painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.ui.capturing.session_words import SESSION_TONES, session_state, span_words
from app.ui.look import fonts
from app.ui.look.formats import format_stamp
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme
from app.ui.widgets.two_lines import Index, TwoLineDelegate, paint_side, paint_words
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionRecord


@dataclass(frozen=True, slots=True)
class SessionRow:
    """`phase` of the run the session went into, `hosts` as the plan names them."""

    session: SessionRecord
    phase: str
    hosts: tuple[str, ...]


class SessionModel(QAbstractListModel):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._rows: tuple[SessionRow, ...] = ()
        language().changed.connect(self.retranslate)

    def show_sessions(self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]) -> None:
        """`hosts`: by the digest of their plan."""
        self.beginResetModel()
        self._rows = tuple(
            SessionRow(session, self._phase(session), hosts.get(session.digest, ())) for session in reversed(sessions)
        )
        self.endResetModel()

    def _phase(self, session: SessionRecord) -> str:
        overview = self._workspace.overview
        runs = {view.run.id: view.run for view in overview.runs} if overview is not None else {}
        return str(runs[session.run_id].phase) if session.run_id in runs else "other"

    def row(self, row: int) -> SessionRow:
        return self._rows[row]

    def row_of(self, session_id: int) -> int | None:
        return next((row for row, each in enumerate(self._rows) if each.session.id == session_id), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        shown = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown.session.label
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = [
                shown.session.label,
                text(f"phase.{shown.phase}"),
                span_words(shown.session, self._workspace.zone),
                session_state(shown.session),
                ", ".join(shown.hosts),
            ]
            return ("\n" if role == Qt.ItemDataRole.ToolTipRole else ", ").join(filter(None, words))
        return None

    def second_line(self, shown: SessionRow) -> str:
        """When it began, and on which hosts."""
        when = format_stamp(shown.session.started_at, self._workspace.zone)[5:16]
        hosts = ", ".join(shown.hosts[:2]) + (f" +{len(shown.hosts) - 2}" if len(shown.hosts) > 2 else "")
        return f"{when} · {hosts}" if hosts else when

    def retranslate(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))


class SessionDelegate(TwoLineDelegate):
    """Label and phase above, when and where below, the state at the right."""

    def paint_lines(self, painter: QPainter, upper: QRect, lower: QRect, index: Index) -> None:
        model = index.model()
        assert isinstance(model, SessionModel)
        shown = model.row(index.row())
        theme, small = current_theme(), fonts.font(fonts.SMALL_PX)
        phase = text(f"phase.{shown.phase}") if shown.phase != "other" else ""
        tone = SESSION_TONES[shown.session.state]
        left = paint_side(painter, upper, phase, theme.phase_colour(shown.phase), small)
        paint_words(painter, left, shown.session.label, theme.text, fonts.font(bold=True))
        left = paint_side(painter, lower, session_state(shown.session), getattr(theme, tone), small)
        paint_words(painter, left, model.second_line(shown), theme.muted, small)


class SessionList(QListView):
    def __init__(self, model: SessionModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
