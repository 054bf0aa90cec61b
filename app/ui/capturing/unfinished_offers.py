"""Sessions that were cut off, each with what can be done: go on, finish, or leave it for later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.domain.capturing.plan import CaptureMode
from app.ui.capturing.capture_controller import CaptureController
from app.ui.look.formats import format_stamp
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_S
from app.ui.widgets.parts import button, label, row
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import Unfinished


class UnfinishedCard(QFrame):
    """`later` carries the session's id."""

    later = Signal(int)

    def __init__(self, workspace: Workspace, controller: CaptureController, one: Unfinished) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace, self._controller, self._one = workspace, controller, one
        self.title = label(role="strong", tone="warning")
        self.words = label(role="muted", wrap=True)
        self.resume = button(kind="primary" if one.can_resume else "", on_click=self._resume)
        self.finish = translated(
            button(kind="" if one.can_resume else "primary", on_click=self._finish), "ui.live.unfinished.finish"
        )
        self.leave = translated(button(kind="quiet", on_click=self._leave), "ui.live.unfinished.later")
        self.resume.setVisible(one.can_resume)
        self.finish.setVisible(one.plan.mode is not CaptureMode.DETACHED)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addWidget(self.title)
        column.addWidget(self.words)
        column.addLayout(row(self.resume, self.finish, self.leave, 1))
        self.retranslate()

    @property
    def session_id(self) -> int:
        return self._one.session.id

    def retranslate(self) -> None:
        one, detached = self._one, self._one.plan.mode is CaptureMode.DETACHED
        hosts = ", ".join(host.name for host in one.plan.hosts[:3]) + ("…" if len(one.plan.hosts) > 3 else "")
        began = format_stamp(one.session.started_at, self._workspace.zone)
        self.title.setText(f"✕ {text('ui.live.unfinished.title', label=one.session.label)}")
        kind = "detached" if detached else "open" if one.can_resume else "over"
        self.words.setText(
            f"{text('ui.live.unfinished.facts', hosts=hosts, began=began)} {text(f'ui.live.unfinished.{kind}')}"
        )
        self.resume.setText(text("ui.live.unfinished.fetch" if detached else "ui.live.unfinished.resume"))

    def _resume(self) -> None:
        self._controller.resume(self.session_id)

    def _finish(self) -> None:
        self._controller.finish(self.session_id)

    def _leave(self) -> None:
        self.later.emit(self.session_id)


class UnfinishedOffers(QWidget):
    """Follows the controller. What is put off stays away until the project is opened again."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self._put_off: set[int] = set()
        self.cards: list[UnfinishedCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_S)
        controller.unfinished_changed.connect(self.refresh)
        self.refresh()

    def forget(self) -> None:
        """Another project."""
        self._put_off.clear()
        self.refresh()

    def refresh(self) -> None:
        wanted = [one for one in self._controller.unfinished if one.session.id not in self._put_off]
        if [card.session_id for card in self.cards] != [one.session.id for one in wanted]:
            for card in self.cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
            self.cards = [UnfinishedCard(self._workspace, self._controller, one) for one in wanted]
            for card in self.cards:
                card.later.connect(self._put_off_one)
                self._column.addWidget(card)
        self.setVisible(bool(self.cards))

    def retranslate(self) -> None:
        for card in self.cards:
            card.retranslate()

    def _put_off_one(self, session_id: int) -> None:
        self._put_off.add(session_id)
        self.refresh()
