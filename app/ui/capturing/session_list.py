"""The sessions that were captured, newest first: rows of two lines, painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem

from app.ui import fonts
from app.ui.capturing.session_words import SESSION_TONES, session_state, span_words
from app.ui.formats import format_stamp
from app.ui.language import text
from app.ui.theme import SPACE_S, current_theme
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.collecting import SessionRecord

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT_TWO_LINES = 46


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

    def show_sessions(
        self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]
    ) -> None:
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
                shown.session.label, text(f"phase.{shown.phase}"), span_words(shown.session, self._workspace.zone),
                session_state(shown.session), ", ".join(shown.hosts),
            ]  # fmt: skip
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


class SessionDelegate(QStyledItemDelegate):
    """Label and phase above, when and where below, the state at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, ROW_HEIGHT_TWO_LINES)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        assert isinstance(model, SessionModel)
        shown = model.row(index.row())
        painter.save()
        room = option.rect.adjusted(SPACE_S, 4, -SPACE_S, -4)
        upper = QRect(room.left(), room.top(), room.width(), room.height() // 2)
        lower = QRect(room.left(), upper.bottom() + 1, room.width(), room.height() - upper.height())
        theme, small = current_theme(), fonts.font(fonts.SMALL_PX)
        phase = text(f"phase.{shown.phase}") if shown.phase != "other" else ""
        tone = SESSION_TONES[shown.session.state]
        left = _side(painter, upper, phase, theme.phase_colour(shown.phase), small)
        _line(painter, left, shown.session.label, theme.text, fonts.font(bold=True))
        left = _side(painter, lower, session_state(shown.session), getattr(theme, tone), small)
        _line(painter, left, model.second_line(shown), theme.muted, small)
        painter.restore()


def _side(painter: QPainter, room: QRect, words: str, colour: Any, font: Any) -> QRect:
    """Draws words at the right; gives what is left of the room."""
    width = min(QFontMetrics(font).horizontalAdvance(words) + 2, room.width() // 2) if words else 0
    _line(painter, QRect(room.right() - width, room.top(), width + 1, room.height()), words, colour, font)
    return room.adjusted(0, 0, -width - (SPACE_S if width else 0), 0)


def _line(painter: QPainter, room: QRect, words: str, colour: Any, font: Any) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)


class SessionList(QListView):
    def __init__(self, model: SessionModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
