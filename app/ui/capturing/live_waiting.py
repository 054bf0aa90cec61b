"""Plans whose time has not come yet: when it comes, how often, and a way out."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.ui.capturing.capture_controller import Awaited, CaptureController
from app.ui.capturing.live_states import span_words
from app.ui.look.formats import format_time
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_L, SPACE_S
from app.ui.widgets.parts import ElidedLabel, button, label, row
from app.ui.workspace import Workspace


class WaitingCard(QFrame):
    """`cancelled` carries the id of what was waited for."""

    cancelled = Signal(object)

    def __init__(self, workspace: Workspace, one: Awaited) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self.one = one
        self.title = label(role="strong")
        self.words = ElidedLabel(role="muted")
        self.cancel = translated(button(on_click=self._cancel), "ui.live.waiting.cancel")
        line = row(self.title, self.words, self.cancel)
        line.setStretch(1, 1)
        line.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        self.setLayout(line)
        self.retranslate()

    def show_one(self, one: Awaited) -> None:
        self.one = one
        left_s = (one.next_ns - time.time_ns()) / 1e9
        when = format_time(one.next_ns, self._workspace.zone)
        words = text("ui.live.waiting.words", when=when, left=span_words(left_s))
        if one.left > 1:
            words += " " + text("ui.live.waiting.times", count=one.left)
        if words != self.words.words():
            self.words.set_words(words)

    def retranslate(self) -> None:
        self.title.setText(f"◷ {text('ui.live.waiting.title', label=self.one.label)}")
        self.show_one(self.one)

    def _cancel(self) -> None:
        self.cancelled.emit(self.one.id)


class WaitingList(QWidget):
    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self.cards: list[WaitingCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_S)
        controller.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        wanted = self._controller.awaited
        if [card.one.id for card in self.cards] != [one.id for one in wanted]:
            for card in self.cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
            self.cards = [WaitingCard(self._workspace, one) for one in wanted]
            for card in self.cards:
                card.cancelled.connect(self._cancel)
                self._column.addWidget(card)
        for card, one in zip(self.cards, wanted, strict=True):
            card.show_one(one)
        self.setVisible(bool(self.cards))

    def retranslate(self) -> None:
        for card in self.cards:
            card.retranslate()

    def _cancel(self, awaited_id: int) -> None:
        self._controller.cancel(awaited_id)
