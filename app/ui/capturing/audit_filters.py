"""What of the audit trail is shown: words, a group of actions, a host, a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.ui.capturing.session_words import session_title
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S
from app.ui.widgets.parts import button, label, row
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.audit_trail import TrailFilter
    from app.usecases.capturing.collecting import SessionRecord

TYPING_MS = 250
GROUP_NAMES = ("session", "command", "connection", "plan", "evidence", "engagement")


class AuditFilters(QWidget):
    """`changed` when another selection of entries is wanted."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._sessions: tuple[SessionRecord, ...] = ()
        self.words = translated(
            QLineEdit(), placeholderText="ui.audit.search", accessibleName="ui.audit.search", toolTip="ui.audit.search"
        )
        self.words.setClearButtonEnabled(True)
        self.group = translated(QComboBox(), accessibleName="ui.audit.group", toolTip="ui.audit.group")
        self.host = translated(QComboBox(), accessibleName="ui.audit.host", toolTip="ui.audit.host")
        self.session = translated(QComboBox(), accessibleName="ui.audit.session", toolTip="ui.audit.session")
        for name in ("", *GROUP_NAMES):
            self.group.addItem("", name)
        self.count = label(role="small")
        self.reset = translated(button(kind="link", on_click=self.clear), "ui.audit.clear")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_MS)
        self._pause.timeout.connect(self.changed)
        self.words.textEdited.connect(self._on_typed)
        self.words.textChanged.connect(self._on_cleared)
        for box in (self.group, self.host, self.session):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(250)
            box.activated.connect(self._on_chosen)
        line = row(self.words, self.session, self.host, self.group, self.count, self.reset, spacing=SPACE_S)
        line.setStretch(0, 1)
        self.setLayout(line)
        self.words.setMinimumWidth(180)

    # --- what is wanted
    def wanted(self) -> TrailFilter:
        from app.usecases.audit_trail import TrailFilter

        return TrailFilter(
            words=self.words.text().strip(),
            group=self.group.currentData() or "",
            host=self.host.currentData() or "",
            session_id=self.session.currentData(),
        )

    def clear(self) -> None:
        self.words.clear()
        for box in (self.group, self.host, self.session):
            box.setCurrentIndex(0)
        self._ask()

    def show_session(self, session_id: int) -> None:
        """Only what concerns this session."""
        self.words.clear()
        self.group.setCurrentIndex(0)
        self.host.setCurrentIndex(0)
        self.session.setCurrentIndex(max(0, self.session.findData(session_id)))
        self._ask()

    def _ask(self) -> None:
        self._pause.stop()
        self.changed.emit()

    def _on_typed(self, _words: str) -> None:
        self._pause.start()

    def _on_cleared(self, words: str) -> None:
        if not words:
            self._pause.start()

    def _on_chosen(self, _row: int) -> None:
        self._ask()

    # --- what there is to choose
    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str]) -> None:
        self._sessions = tuple(reversed(sessions))
        _refill(self.host, [("", None), *((name, name) for name in hosts)])
        _refill(self.session, [("", None), *((self._title(each), each.id) for each in self._sessions)])
        self._name_choices()

    def _title(self, session: SessionRecord) -> str:
        return session_title(session, self._workspace.zone)

    def show_count(self, shown: int, total: int) -> None:
        narrowed = shown != total
        key = "ui.audit.count_of" if narrowed else "ui.audit.count"
        self.count.setText(text(key, shown=f"{shown:,}", total=f"{total:,}"))

    def show_narrowed(self, narrowed: bool) -> None:
        self.reset.setVisible(narrowed)

    def _name_choices(self) -> None:
        self.host.setItemText(0, text("ui.audit.every_host"))
        self.session.setItemText(0, text("ui.audit.every_session"))
        for place, name in enumerate(("every", *GROUP_NAMES)):
            self.group.setItemText(place, text(f"ui.audit.group.{name}"))

    def retranslate(self) -> None:
        self._name_choices()


def _refill(box: QComboBox, choices: Sequence[tuple[str, object]]) -> None:
    """What was chosen stays chosen where it is still there."""
    chosen = box.currentData()
    box.clear()
    for words, value in choices:
        box.addItem(words, value)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)
