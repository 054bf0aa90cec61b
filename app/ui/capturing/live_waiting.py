"""What comes before the running session: plans whose time has not come yet, and sessions that were cut off."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.domain.capturing.plan import CaptureMode
from app.ui.capturing.capture_controller import Awaited, CaptureController
from app.ui.capturing.live_states import span_words
from app.ui.look.formats import format_stamp, format_time
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_S
from app.ui.widgets.layouts import refill
from app.ui.widgets.parts import ElidedLabel, button, column, label, row
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import Unfinished


class WaitingCard(QFrame):
    def __init__(self, workspace: Workspace, controller: CaptureController, awaited_id: int) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace, self.awaited_id = workspace, awaited_id
        self.title = label(role="strong")
        self.words = ElidedLabel(role="muted")
        self.cancel = translated(button(on_click=lambda: controller.cancel(awaited_id)), "ui.live.waiting.cancel")
        line = row(self.title, (self.words, 1), self.cancel)
        line.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        self.setLayout(line)

    def show_one(self, one: Awaited) -> None:
        self.title.setText(f"◷ {text('ui.live.waiting.title', label=one.label)}")
        left_s = (one.next_ns - time.time_ns()) / 1e9
        when = format_time(one.next_ns, self._workspace.zone)
        words = text("ui.live.waiting.words", when=when, left=span_words(left_s))
        if one.left > 1:
            words += " " + text("ui.live.waiting.times", count=one.left)
        if words != self.words.words():
            self.words.set_words(words)


class WaitingList(QWidget):
    """Follows controller and language."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self.cards: list[WaitingCard] = []
        self._column = column()
        self.setLayout(self._column)
        controller.changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        wanted = self._controller.awaited
        if [card.awaited_id for card in self.cards] != [one.id for one in wanted]:
            self.cards = [WaitingCard(self._workspace, self._controller, one.id) for one in wanted]
            refill(self._column, *self.cards)
        for card, one in zip(self.cards, wanted, strict=True):
            card.show_one(one)
        self.setVisible(bool(self.cards))


class UnfinishedCard(QFrame):
    """`later` carries the session's id."""

    later = Signal(int)

    def __init__(self, workspace: Workspace, controller: CaptureController, one: Unfinished) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace, self._one, self._detached = workspace, one, one.plan.mode is CaptureMode.DETACHED
        self.session_id = session_id = one.session.id
        self.title = label(role="strong", tone="warning")
        self.words = label(role="muted", wrap=True)
        self.resume = translated(
            button(kind="primary" if one.can_resume else "", on_click=lambda: controller.resume(session_id)),
            "ui.live.unfinished.fetch" if self._detached else "ui.live.unfinished.resume",
        )
        self.finish = translated(
            button(kind="" if one.can_resume else "primary", on_click=lambda: controller.finish(session_id)),
            "ui.live.unfinished.finish",
        )
        self.leave = translated(
            button(kind="quiet", on_click=lambda: self.later.emit(session_id)), "ui.live.unfinished.later"
        )
        acts = row(self.resume, self.finish, self.leave, 1)
        self.setLayout(column(self.title, self.words, acts, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))
        self.resume.setVisible(one.can_resume)
        self.finish.setVisible(not self._detached)
        self.retranslate()

    def retranslate(self) -> None:
        one = self._one
        hosts = ", ".join(host.name for host in one.plan.hosts[:3]) + ("…" if len(one.plan.hosts) > 3 else "")
        began = format_stamp(one.session.started_at, self._workspace.zone)
        self.title.setText(f"✕ {text('ui.live.unfinished.title', label=one.session.label)}")
        kind = "detached" if self._detached else "open" if one.can_resume else "over"
        self.words.setText(
            f"{text('ui.live.unfinished.facts', hosts=hosts, began=began)} {text(f'ui.live.unfinished.{kind}')}"
        )


class UnfinishedOffers(QWidget):
    """Follows controller and language. What is put off stays away until the project is opened again."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self._put_off: set[int] = set()
        self.cards: list[UnfinishedCard] = []
        self._column = column()
        self.setLayout(self._column)
        controller.unfinished_changed.connect(self.refresh)
        language().changed.connect(self.retranslate)
        self.refresh()

    def forget(self) -> None:
        """Another project."""
        self._put_off.clear()
        self.refresh()

    def refresh(self) -> None:
        wanted = [one for one in self._controller.unfinished if one.session.id not in self._put_off]
        if [card.session_id for card in self.cards] != [one.session.id for one in wanted]:
            self.cards = [UnfinishedCard(self._workspace, self._controller, one) for one in wanted]
            refill(self._column, *self.cards)
            for card in self.cards:
                card.later.connect(self._put_off_one)
        self.setVisible(bool(self.cards))

    def retranslate(self) -> None:
        for card in self.cards:
            card.retranslate()

    def _put_off_one(self, session_id: int) -> None:
        self._put_off.add(session_id)
        self.refresh()
