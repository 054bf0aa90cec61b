"""Brings the questions of connections to the person at the window: over whatever page is shown, one after another."""

from __future__ import annotations

from typing import Any

import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.domain.connection import HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from app.ui.capturing.question_dialogs import (
    REFUSED,
    HostKeyDialog,
    KeyRefusedDialog,
    PromptsDialog,
    QuestionDialog,
    SecretDialog,
)
from app.usecases.capturing.questions import PendingQuestion

LOOK_MS = 200


class QuestionController(QObject):
    """Looks at the controller's board five times a second.

    A dialog that nobody waits for any more (the deadline passed, the connection ended) closes by itself.
    """

    def __init__(self, controller: Any, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._window = window
        self._shown: PendingQuestion | None = None
        self.dialog: QuestionDialog | None = None
        self._settled: PendingQuestion | None = None  # the question that was answered last
        self._refusals: list[tuple[str, UserError]] = []
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def refuse_key(self, profile: HostProfile, error: UserError) -> None:
        """Explain a changed or revoked key, after the questions that wait."""
        self._refusals.append((profile.name, error))
        self.look()

    def look(self) -> None:
        # the connection takes an answer on its own thread: until then the question is still on the board
        waiting = [pending for pending in self._controller.board.pending() if pending is not self._settled]
        if self.dialog is not None and shiboken6.isValid(self.dialog):
            if self._shown is None or any(pending is self._shown for pending in waiting):
                return
            self.dialog.withdraw()
        self.dialog, self._shown = None, None
        if waiting:
            self._ask(waiting[0])
        elif self._refusals:
            made = KeyRefusedDialog(*self._refusals.pop(0), self._window)
            made.declined.connect(self._settle)
            self._show(made)

    def _ask(self, pending: PendingQuestion) -> None:
        made = _dialog_for(pending.question, self._window)
        if made is None:  # a key that must not be trusted is never a question
            self._controller.board.decline(pending.id)
            return
        self._shown = pending
        made.answered.connect(self._answer)
        made.declined.connect(self._decline)
        self._show(made)

    def _show(self, made: QuestionDialog) -> None:
        self.dialog = made
        made.fit()
        made.show()
        made.raise_()
        made.activateWindow()

    def _answer(self, value: Any) -> None:
        if self._shown is not None:
            self._controller.board.answer(self._shown.id, value)
        self._settle()

    def _decline(self) -> None:
        if self._shown is not None:
            self._controller.board.decline(self._shown.id)
        self._settle()

    def _settle(self) -> None:
        self._settled = self._shown
        self.dialog, self._shown = None, None


def _dialog_for(question: object, window: QWidget) -> QuestionDialog | None:
    if isinstance(question, HostKeyQuestion):
        return None if question.verdict in REFUSED else HostKeyDialog(question, window)
    if isinstance(question, SecretQuestion):
        return SecretDialog(question, window)
    if isinstance(question, PromptsQuestion):
        return PromptsDialog(question, window)
    return None
