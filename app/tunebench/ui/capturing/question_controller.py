"""Brings the questions of connections to the person at the window, one after another: is this the host's key, what is
the password, what does the server ask. No dialog blocks: they are shown over whatever page is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLayout, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.connection import HostKeyQuestion, HostProfile, KeyVerdict, PromptsQuestion, SecretQuestion
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import FactTable, button, column, fact_table, label, row, selectable, set_tone
from tunebench.usecases.capturing.questions import PendingQuestion

if TYPE_CHECKING:
    from tunebench.usecases.capturing.questions import QuestionBoard

WIDTH = 560
REFUSED = (KeyVerdict.CHANGED, KeyVerdict.REVOKED)
LOOK_MS = 200


class QuestionDialog(QDialog):
    """A question with a title, its body and a row of buttons; closing it in any way declines, once."""

    answered = Signal(object)
    declined = Signal()

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self.setFixedWidth(WIDTH)
        self._settled = False
        self._title = label(role="section", wrap=True)
        language().changed.connect(self.retranslate)

    def lay_out(self, parts: Iterable[QWidget | QLayout], buttons: Iterable[QWidget | int]) -> None:
        """What is asked below the title, the answers below that."""
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(self._title, column(*parts), row(*buttons), spacing=SPACE_M, margins=margins))
        self.retranslate()

    def fit(self) -> None:
        """Makes the dialog as high as its words are at this width."""
        layout = self.layout()
        assert layout is not None
        self.resize(WIDTH, layout.heightForWidth(WIDTH))

    def answer(self, value: object) -> None:
        if not self._settled:
            self._settled = True
            self.answered.emit(value)
        super().accept()

    def decline(self) -> None:
        if not self._settled:
            self._settled = True
            self.declined.emit()
        super().reject()

    def withdraw(self) -> None:
        """The question is no longer waited for: close without an answer."""
        self._settled = True
        super().reject()

    def reject(self) -> None:
        """Escape, and the window's own close button."""
        self.decline()

    def retranslate(self) -> None:
        """Set every text again."""


class HostKeyDialog(QuestionDialog):
    """An unknown key. There is no default button: trust takes a decision, not a Return key."""

    def __init__(self, question: HostKeyQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self._words = label(wrap=True)
        self.fingerprint = translated(
            selectable(label(question.key.fingerprint, wrap=False)),
            accessibleName="ui.capture.question.key.fingerprint",
        )
        self.fingerprint.setFont(fonts.code_font(17))
        self.fingerprint.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._ask = translated(label(role="strong", wrap=True), "ui.capture.question.key.ask")
        self._facts = column()
        self.trust = translated(button(on_click=lambda: self.answer(True)), "ui.capture.question.key.trust")
        self.refuse = translated(button(on_click=self.decline), "ui.capture.question.key.refuse")
        self.lay_out((self._words, self.fingerprint, self._ask, self._facts), (self.trust, 1, self.refuse))
        self.fingerprint.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the button that has the focus, and nothing where none has."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            for control in (self.trust, self.refuse):
                if control.hasFocus():
                    control.click()
            return
        super().keyPressEvent(event)

    def retranslate(self) -> None:
        question, key = self._question, self._question.key
        target = question.hop or question.host
        self.setWindowTitle(text("ui.capture.question.key.window", host=question.host))
        self._title.setText(text(f"ui.capture.question.key.{question.verdict}", host=target))
        self._words.setText(text(f"ui.capture.question.key.{question.verdict}.words", host=target))
        facts = [
            ("type", key.key_type),
            ("address", f"{key.address}:{key.port}"),
            ("addresses", ", ".join(question.addresses) or key.address),
            *([("on_the_way", question.host)] if question.hop else ()),
            *(("known", f"{trusted.key_type} {trusted.fingerprint}") for trusted in question.known),
        ]
        refill(self._facts, fact_table(*((text(f"ui.capture.question.key.{name}"), value) for name, value in facts)))


class KeyRefusedDialog(QuestionDialog):
    """The host showed another key than the stored one, or a revoked one: explained, never overridden here."""

    def __init__(self, host: str, error: UserError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._host, self._error = host, error
        self._kind = error.key.rpartition("_")[2]  # changed, revoked
        set_tone(self._title, "critical")
        words = translated(label(wrap=True), f"ui.capture.refused.{self._kind}.words")
        self._facts = column()
        then = translated(label(wrap=True), f"ui.capture.refused.{self._kind}.next")
        self.close_button = translated(button(kind="primary", on_click=self.decline), "ui.action.close")
        self.lay_out((words, self._facts, then), (1, self.close_button))
        self.close_button.setFocus()

    def retranslate(self) -> None:
        facts = self._error.facts
        self.setWindowTitle(text("ui.capture.question.key.window", host=self._host))
        self._title.setText(text(f"ui.capture.refused.{self._kind}", host=self._host))
        table = FactTable(right=False)
        for name in ("key_type", "fingerprint", "known"):
            if facts.get(name):
                shown = table.add(text(f"ui.capture.refused.fact.{name}"), str(facts[name]))
                shown.setFont(fonts.code_font())
        refill(self._facts, table)


class SecretDialog(QuestionDialog):
    """A password or a passphrase; kept in the system's keyring by the connection, never by the window."""

    def __init__(self, question: SecretQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self._words = label(wrap=True)
        self._again = label(tone="critical", wrap=True)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        kept = translated(label(role="muted", wrap=True), "ui.capture.host.secrets")
        self.send = translated(button(kind="primary", on_click=self._send), "ui.capture.question.send")
        self.send.setDefault(True)
        self.refuse = translated(button(on_click=self.decline), "ui.action.cancel")
        self.lay_out((self._words, self._again, self.field, kept), (1, self.refuse, self.send))
        self._again.setVisible(question.again)
        self.field.setFocus()

    def _send(self) -> None:
        secret = self.field.text()
        self.field.clear()
        self.answer(secret)

    def retranslate(self) -> None:
        kind, subject = self._question.kind, self._question.subject
        self.setWindowTitle(text("ui.capture.question.secret.window", host=self._question.host))
        self._title.setText(text(f"ui.capture.question.{kind}", subject=subject, host=self._question.host))
        self._words.setText(text(f"ui.capture.question.{kind}.words", host=self._question.host))
        self._again.setText(text(f"ui.capture.question.{kind}.again"))
        self.field.setAccessibleName(self._title.text())


class PromptsDialog(QuestionDialog):
    """All prompts of one keyboard-interactive round in one form; what the server lets be seen is shown as typed."""

    def __init__(self, question: PromptsQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        texts = (words.strip() for words in (question.title, question.instructions))
        parts: list[QWidget] = [selectable(label(words, "muted", wrap=True)) for words in texts if words]
        self.fields: list[QLineEdit] = []
        for prompt in question.prompts:
            named, field = label(prompt.text.strip(), wrap=True), QLineEdit()
            field.setEchoMode(QLineEdit.EchoMode.Normal if prompt.echo else QLineEdit.EchoMode.Password)
            field.setAccessibleName(named.text())
            named.setBuddy(field)
            self.fields.append(field)
            parts += [named, field]
        self.send = translated(button(kind="primary", on_click=self._send), "ui.capture.question.send")
        self.send.setDefault(True)
        self.refuse = translated(button(on_click=self.decline), "ui.action.cancel")
        self.lay_out(parts, (1, self.refuse, self.send))
        if self.fields:
            self.fields[0].setFocus()

    def _send(self) -> None:
        answers = [field.text() for field in self.fields]
        for field in self.fields:
            field.clear()
        self.answer(answers)

    def retranslate(self) -> None:
        self.setWindowTitle(text("ui.capture.question.secret.window", host=self._question.host))
        self._title.setText(
            text("ui.capture.question.prompts", subject=self._question.subject, host=self._question.host)
        )


class QuestionController(QObject):
    """Looks at the board five times a second.

    A dialog that nobody waits for any more (the deadline passed, the connection ended) closes by itself.
    """

    def __init__(self, board: QuestionBoard, window: QWidget) -> None:
        super().__init__(window)
        self._board = board
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
        waiting = [pending for pending in self._board.pending() if pending is not self._settled]
        if self.dialog is not None and shiboken6.isValid(self.dialog):
            if self._shown is None or any(pending is self._shown for pending in waiting):
                return
            self.dialog.withdraw()
        self.dialog, self._shown = None, None
        if waiting:
            self._ask(waiting[0])
        elif self._refusals:
            dialog = KeyRefusedDialog(*self._refusals.pop(0), self._window)
            dialog.declined.connect(self._settle)
            self._show(dialog)

    def _ask(self, pending: PendingQuestion) -> None:
        dialog = _dialog_for(pending.question, self._window)
        if dialog is None:  # a key that must not be trusted is never a question
            self._board.decline(pending.id)
            return
        self._shown = pending
        dialog.answered.connect(self._answer)
        dialog.declined.connect(self._decline)
        self._show(dialog)

    def _show(self, dialog: QuestionDialog) -> None:
        self.dialog = dialog
        dialog.fit()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _answer(self, value: bool | str | Sequence[str]) -> None:
        if self._shown is not None:
            self._board.answer(self._shown.id, value)
        self._settle()

    def _decline(self) -> None:
        if self._shown is not None:
            self._board.decline(self._shown.id)
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
