"""A part of a page that shows what a job computed; until then that it is being computed, or why it was not; and
afterwards that what it rests on has changed, where computing it again takes long."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QRect, Qt, QTimer
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QProgressBar, QStackedWidget, QWidget

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.ui.jobs_bridge import JobsBridge, Ticket
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import RADIUS, SPACE_L, SPACE_M, SPACE_S, current_theme, faded
from tunebench.ui.widgets.parts import Card, EmptyState, button, caption, column, label, panel, row

if TYPE_CHECKING:
    from tunebench.usecases.jobs import JobHandle

T = TypeVar("T")
OUTLINE_MS, BAR_MS = 200, 1000
BAR_PX, BAR_STEP_PX, BAR_WIDTH_PX = 12, 26, 180
BAR_SHARES = (0.88, 0.72, 0.80, 0.57)
"""Of the width, so that it looks like lines of words."""
LONG_S = 3.0
"""What took longer is not computed again without being asked for."""
VEIL = 0.6


class ViewKind(StrEnum):
    READING = "reading"
    FAILED = "failed"
    DONE = "done"
    STALE = "stale"


@record
class ViewState:
    """
    Attributes:
        cause: why it failed; None where it was stopped.
        ticket: the job that reads; None where something else does.
        changed: what an answer that still stands rests on and is no longer so; a name under ``ui.answering.stale``.
    """

    kind: ViewKind
    cause: UserError | None = None
    ticket: Ticket | None = None
    changed: str = ""


class Veil(QWidget):
    """Over an answer of before: dimmed, to be read and scrolled as ever, and why it is so."""

    def __init__(self, parent: QWidget, again: Callable[[], object]) -> None:
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._why = label()
        self._again = translated(button(on_click=again), "ui.answering.again")
        self.strip = Card(row(self._why, self._again, spacing=SPACE_M, margins=(SPACE_M, SPACE_S)))
        self.strip.setParent(parent)
        self.cover(shown=False)

    def cover(self, *, shown: bool, changed: str = "") -> None:
        self._why.setText(text(f"ui.answering.stale.{changed}") if changed else "")
        for part in (self, self.strip):
            part.setVisible(shown)
            part.raise_()
        self.fit()

    def fit(self) -> None:
        inside = self._over.rect()
        self.setGeometry(inside)
        self.strip.adjustSize()
        self.strip.move((inside.width() - self.strip.width()) // 2, SPACE_L)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter_on(self).fillRect(self.rect(), faded(current_theme().background, VEIL))


class Reading(QWidget):
    """Nothing for a moment, then the outline of an answer, then how far it is and a button that stops it."""

    def __init__(self) -> None:
        super().__init__()
        self._ticket: Ticket | None = None
        self._is_outlined = False
        self._words = caption("ui.answering.reading", "muted")
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedWidth(BAR_WIDTH_PX)
        self._stop = translated(button(kind="link", on_click=self._cancel), "ui.action.cancel")
        self.progress = panel(row(self._bar, self._stop, 1, spacing=SPACE_M))
        room = SPACE_L + len(BAR_SHARES) * BAR_STEP_PX
        column(self._words, self.progress, 1, margins=(SPACE_L, room, SPACE_L, SPACE_L), of=self)
        self._outline_soon, self._bar_soon = QTimer(self, singleShot=True), QTimer(self, singleShot=True)
        self._outline_soon.timeout.connect(self._outline)
        self._bar_soon.timeout.connect(lambda: self.progress.setVisible(self._ticket is not None))

    def begin(self, ticket: Ticket | None) -> None:
        self._ticket, self._is_outlined = ticket, False
        self.progress.hide()
        self._bar.setRange(0, 0)
        self._outline_soon.start(OUTLINE_MS)
        self._bar_soon.start(BAR_MS)

    def show_progress(self, ticket: Ticket) -> None:
        if ticket.fraction is not None:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(ticket.fraction * 1000))

    def _outline(self) -> None:
        self._is_outlined = True
        self.update()

    def _cancel(self) -> None:
        if self._ticket is not None:
            self._ticket.cancel()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._is_outlined:
            painter = painter_on(self)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().pressed)
            for line, share in enumerate(BAR_SHARES):
                width = round((self.width() - 2 * SPACE_L) * share)
                painter.drawRoundedRect(QRect(SPACE_L, SPACE_L + line * BAR_STEP_PX, width, BAR_PX), RADIUS, RADIUS)


class Answering(QStackedWidget):
    """Nothing stands there as a result (a count of 0, an empty axis, "none") before it is one.

    Args:
        inside: what shows the answer.
        again: asks once more; offered where the job was stopped or refused.
    """

    def __init__(self, inside: QWidget, drawing: str, again: Callable[[], object]) -> None:
        super().__init__()
        self.state = ViewState(ViewKind.DONE)
        self._reading = Reading()
        self._failed = EmptyState(drawing, "ui.answering.stopped", (("ui.answering.again", again),))
        self._parts = {ViewKind.DONE: inside, ViewKind.READING: self._reading, ViewKind.FAILED: self._failed}
        for part in self._parts.values():
            self.addWidget(part)
        self._veil = Veil(self, again)
        self._question: object = None
        self._took_s = 0.0
        language().changed.connect(self._say_cause)

    @property
    def waits(self) -> bool:
        return self.state.kind is ViewKind.READING

    @property
    def stands(self) -> bool:
        """Whether an answer is to be seen, be it one of before."""
        return self.state.kind in (ViewKind.DONE, ViewKind.STALE)

    def show_state(self, state: ViewState) -> None:
        if state.kind is ViewKind.READING and (not self.waits or state.ticket is not self.state.ticket):
            self._reading.begin(state.ticket)
        self.state = state
        self.setCurrentWidget(self._parts.get(state.kind, self._parts[ViewKind.DONE]))
        self._say_cause()

    def wait(self) -> None:
        self.show_state(ViewState(ViewKind.READING))

    def stop(self, cause: UserError | None = None) -> None:
        self.show_state(ViewState(ViewKind.FAILED, cause))

    def reveal(self) -> None:
        self.show_state(ViewState(ViewKind.DONE))

    def _say_cause(self) -> None:
        self._failed.say(error_text(self.state.cause) if self.state.cause is not None else text("ui.answering.stopped"))
        self._veil.cover(shown=self.state.kind is ViewKind.STALE, changed=self.state.changed)

    def outlives(self, question: object, changed: str) -> bool:
        """Whether an answer to that question stands which took long: it stays, dimmed, until it is asked for again.

        Args:
            question: as it was given to `run`.
            changed: what has changed since; a name under ``ui.answering.stale``.
        """
        if not self.stands or self._question != question or self._took_s < LONG_S:
            return False
        self.show_state(ViewState(ViewKind.STALE, changed=changed))
        return True

    def forget(self) -> None:
        """What stands there is the answer to nothing any more."""
        self._question = None

    def run(
        self,
        jobs: JobsBridge,
        lane: str,
        work: Callable[[JobHandle], T],
        *,
        owner: QObject,
        slot: str,
        on_result: Callable[[T], object],
        on_stopped: Callable[[], object],
        on_error: Callable[[UserError], object] | None = None,
        title_key: str = "",
        question: object = None,
    ) -> None:
        """Runs a job as `JobsBridge.run` does, and shows meanwhile that it runs.

        Args:
            question: what is asked, to be compared with a later one; the answer of before comes back where it is the
                same and the job is stopped.
            on_stopped: it was cancelled, or refused where `on_error` does not show that as an answer; why stands there.
        """

        begun_s = monotonic()

        def answer(value: T) -> None:
            self._question, self._took_s = question, monotonic() - begun_s
            self.reveal()
            on_result(value)

        def stopped(cause: UserError | None = None) -> None:
            if cause is None and question is not None and self._question == question:
                self.show_state(ViewState(ViewKind.STALE, changed="stopped"))
            else:
                self.stop(cause)
            on_stopped()

        def refused(error: UserError) -> None:
            self.forget()
            if on_error is None:
                stopped(error)
            else:
                self.reveal()
                on_error(error)

        ticket = jobs.run(
            lane,
            work,
            owner=owner,
            slot=slot,
            on_result=answer,
            on_error=refused,
            on_cancelled=stopped,
            on_progress=self._reading.show_progress,
            title_key=title_key,
        )
        self.show_state(ViewState(ViewKind.READING, ticket=ticket))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._veil.fit()
