"""What was typed and is not stored yet: it is stored soon, while one types too, and "saved" is said only then."""

from __future__ import annotations

from functools import partial

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QPlainTextEdit, QTextEdit, QWidget

from tunebench.ui.look.language import text
from tunebench.ui.typing import (
    TextField,
    is_modified,
    is_stored_field,
    keeper_of,
    set_modified,
    text_field,
    typing_news,
)
from tunebench.ui.undo import take_back_typing
from tunebench.ui.workspace import Change, Workspace

STORED_AFTER_MS = 600
"""After the first key that is not stored, however long the typing goes on; with the writing itself within a second."""
_WATCHED = "isWatched"


class TypedFields(QObject):
    """One per window: `Workspace.unsaved` is whether anything was typed that the project does not hold."""

    def __init__(self, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self._workspace, self._window = workspace, window
        self._typed: list[TextField] = []
        self._serial = 0
        self._soon = QTimer(self, singleShot=True, interval=STORED_AFTER_MS)
        self._soon.timeout.connect(self._store_soon)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        workspace.project_changed.connect(self._on_change)
        workspace.store_asked.connect(self.store_all)
        typing_news().settled.connect(self._look)
        typing_news().given_up.connect(self._take_back)

    def names(self) -> list[str]:
        """The names of the fields that hold what is not stored."""
        self._look()
        return list(dict.fromkeys(field.accessibleName() or text("ui.unsaved.unnamed") for field in self._typed))

    def store_all(self) -> None:
        """What was typed a moment ago is stored now: the project, or the page, is about to be left."""
        for field in tuple(self._typed):
            self._store(field)

    # --- watching
    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        self._serial += 1
        field = text_field(now)
        if field is not None and not field.property(_WATCHED) and self._is_ours(field) and is_stored_field(field):
            field.setProperty(_WATCHED, True)
            field.textChanged.connect(partial(self._on_typed, field))
            if not isinstance(field, QLineEdit):
                field.document().modificationChanged.connect(partial(self._on_typed, field))
            field.installEventFilter(self)
            field.destroyed.connect(self._on_gone)
        self._look()

    def _is_ours(self, field: TextField) -> bool:
        over: QWidget | None = field.window()
        while over is not None and over is not self._window:
            over = over.parentWidget()
        return over is not None

    def _on_typed(self, field: TextField, *_: object) -> None:
        self._look()
        if self._workspace.project is not None and is_modified(field) and not field.isReadOnly():
            if field not in self._typed:
                self._typed.append(field)
            if not self._soon.isActive():
                self._soon.start()
            self._look()

    def _on_gone(self, *_: object) -> None:
        self._soon.start()

    def _on_change(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._typed.clear()
        self._look()

    def _look(self) -> None:
        """Drops the fields in which nothing waits to be stored, and those that went with their dialog."""
        self._typed = [field for field in self._typed if shiboken6.isValid(field) and self._waits(field)]
        self._workspace.note_typing(self, unsaved=bool(self._typed))

    def _waits(self, field: TextField) -> bool:
        gone = isinstance(field.window(), QDialog) and not field.isVisible()
        return is_modified(field) and not gone

    # --- storing
    def _store_soon(self) -> None:
        for field in tuple(self._typed):
            keeper = keeper_of(field) if shiboken6.isValid(field) else None
            if keeper is not None and keeper.soon:
                self._store(field)
        self._look()

    def _store(self, field: TextField) -> None:
        keeper = keeper_of(field) if shiboken6.isValid(field) else None
        if keeper is None or not is_modified(field):
            return
        with self._workspace.typing(self._serial):
            stored = keeper.store()
        if stored and shiboken6.isValid(field):
            set_modified(field, False)
        self._look()

    def _take_back(self, field: TextField) -> None:
        if self._is_ours(field):
            take_back_typing(self._workspace.undo, self._serial)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Before the field itself hears that it is left: the rest is one typing with what was stored already."""
        if isinstance(watched, QLineEdit | QPlainTextEdit | QTextEdit) and watched in self._typed:
            keeper = keeper_of(watched)
            if keeper is not None and (_ends(event) if keeper.soon else _leaves(event, keeper.form)):
                self._store(watched)
        return False


def _ends(event: QEvent) -> bool:
    if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
        return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
    return _loses_keyboard(event)


def _leaves(event: QEvent, form: QWidget | None) -> bool:
    now = QApplication.focusWidget()
    return form is not None and _loses_keyboard(event) and now is not None and not form.isAncestorOf(now)


def _loses_keyboard(event: QEvent) -> bool:
    return (
        isinstance(event, QFocusEvent)
        and event.type() is QEvent.Type.FocusOut
        and event.reason() is not Qt.FocusReason.PopupFocusReason
    )


def ask_to_leave(window: QWidget) -> bool:
    """Asks whether to leave the project though what was typed is not in it, and names the fields that hold it."""
    names = [name for fields in window.findChildren(TypedFields) for name in fields.names()]
    question = text("ui.unsaved.question", fields=", ".join(names) or text("ui.unsaved.unnamed"))
    buttons = QMessageBox.StandardButton
    answer = QMessageBox.question(window, text("ui.status.unsaved"), question, buttons.Yes | buttons.No, buttons.No)
    return answer == buttons.Yes
