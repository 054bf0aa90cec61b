"""News over the page, lower right: it moves nothing, goes by itself or with its cause, and can be read again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QMainWindow, QMenu, QToolButton

from tunebench.core.records import record
from tunebench.ui.look.icons import icon, pixmap
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ICON_SIZE_SMALL, SPACE_L, SPACE_M, SPACE_S, SPACE_XS, Theme, current_theme, themes
from tunebench.ui.widgets.parts import IconButton, button, fit_words, label, row, selectable, set_tone
from tunebench.ui.workspace import Act, Change, Workspace

SHOWN_MS, OFFERED_MS, HELD_MS = 6000, 20_000, 1500
"""A message, one that offers an act, and one that the pointer has left."""
MOST, KEPT = 3, 50
WORDS_WIDTH, MENU_LETTERS = 420, 90
_MARKS = {"error": "✕", "warning": "▲"}


@record
class Message:
    """
    Attributes:
        cause: what it speaks of; None where it is of nothing that may change.
        act: key of the button's words, and what the button does.
    """

    tone: str
    sentence: str
    said_at: datetime
    cause: Hashable = None
    act: Act | None = None

    @property
    def is_lasting(self) -> bool:
        """An error stays until it is closed or its cause ends, and so does a doubt that somebody can resolve here."""
        return self.tone == "error" or (self.tone == "warning" and self.act is not None)


class Toast(QFrame):
    """One message; stays while the pointer or the keyboard is on it."""

    def __init__(self, window: QMainWindow, message: Message, close: Callable[[Toast], object]) -> None:
        super().__init__(window)
        themes().dress(self)  # it is placed, by its size, before it is shown
        self.setObjectName("messages")
        set_tone(self, message.tone if message.tone in _MARKS else "info")
        self.message, self._close = message, close
        self._picture, sentence = QLabel(), selectable(label(message.sentence))
        fit_words(sentence, WORDS_WIDTH)
        self.close_button = IconButton("close", self.end, key="ui.message.close")
        acts = [translated(button(kind="link", on_click=self.act), message.act[0])] if message.act is not None else []
        margins = (SPACE_M, SPACE_S, SPACE_S, SPACE_S)
        self.setLayout(row(self._picture, sentence, *acts, self.close_button, spacing=SPACE_M, margins=margins))
        self.setAccessibleName(message.sentence)
        self._timer = QTimer(self, singleShot=True, interval=OFFERED_MS if message.act is not None else SHOWN_MS)
        self._timer.timeout.connect(self._end_unless_held)
        if not message.is_lasting:
            self._timer.start()
        themes().theme_changed.connect(self._recolour)
        self._recolour(current_theme())

    def act(self) -> None:
        act = self.message.act
        self.end()
        if act is not None:
            act[1]()

    def end(self) -> None:
        self._close(self)

    @property
    def has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def _end_unless_held(self) -> None:
        if self.underMouse() or self.has_keyboard:
            self._timer.start(HELD_MS)
        else:
            self.end()

    def _recolour(self, theme: Theme) -> None:
        tone = self.message.tone if self.message.tone in _MARKS else "info"
        colour = {"error": theme.critical, "warning": theme.warning}.get(tone, theme.accent)
        self._picture.setPixmap(pixmap(tone, colour, ICON_SIZE_SMALL))


class Toasts(QObject):
    """The messages of a window: those that are shown, and the last ones that were (`history`, the newest last)."""

    def __init__(self, workspace: Workspace, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.shown: list[Toast] = []
        self.history: list[Message] = []
        self.bell = Bell(self)
        window.installEventFilter(self)
        workspace.said.connect(self.say)
        workspace.settled.connect(self.settle)
        language().changed.connect(self.clear)

    def say(self, tone: str, sentence: str, cause: Hashable = None, act: Act | None = None) -> None:
        message = Message(tone, sentence, datetime.now().astimezone(), cause, act)
        self.history = [*self.history, message][-KEPT:]
        self.bell.count(message)
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        """In the place of what was said before in the same words, or of the same cause."""
        for toast in tuple(self.shown):
            same_cause = message.cause is not None and toast.message.cause == message.cause
            if same_cause or toast.message.sentence == message.sentence:
                self._take_away(toast)
        for toast in self.shown[: max(len(self.shown) - MOST + 1, 0)]:
            self._take_away(toast)
        toast = Toast(self._window, message, self._take_away)
        self.shown.append(toast)
        self._place()  # where it would be shown first, the pointer may be
        toast.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(toast, message.sentence))

    def settle(self, cause: Hashable) -> None:
        """What speaks of `cause` goes, and what it offered is offered no more."""
        self.history = [replace(entry, act=None) if entry.cause == cause else entry for entry in self.history]
        for toast in tuple(self.shown):
            if toast.message.cause == cause or cause is Change.OPENED:
                self._take_away(toast)

    def clear(self, *_: object) -> None:
        for toast in tuple(self.shown):
            self._take_away(toast)

    def close_held(self) -> bool:
        """Closes the message that has the keyboard; whether there was one."""
        toast = next((toast for toast in self.shown if toast.has_keyboard), None)
        if toast is not None:
            self._take_away(toast)
        return toast is not None

    def sentence(self) -> str:
        """The newest that is shown; empty where nothing is."""
        return self.shown[-1].message.sentence if self.shown else ""

    def _take_away(self, toast: Toast) -> None:
        if toast in self.shown:
            self.shown.remove(toast)
            toast.hide()
            toast.deleteLater()
            self._place()

    def _place(self) -> None:
        """The newest lowest, above the status bar; they lie over whatever is there."""
        bottom = self._window.statusBar().geometry().top() - SPACE_S
        for toast in reversed(self.shown):
            toast.adjustSize()
            toast.move(self._window.width() - toast.width() - SPACE_L, bottom - toast.height())
            toast.raise_()
            bottom -= toast.height() + SPACE_XS

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._place)
        return False


class Bell(QToolButton):
    """What was said last, the newest first; what is chosen there is shown again. Counts what came since it was read."""

    def __init__(self, toasts: Toasts) -> None:
        super().__init__()
        self._toasts, self._unread, self._tone = toasts, 0, ""
        self.setProperty("kind", "icon")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        translated(self, toolTip="ui.message.history", accessibleName="ui.message.history")
        self._list = QMenu(self, toolTipsVisible=True)
        self._list.aboutToShow.connect(self._fill)
        self.setMenu(self._list)
        themes().follow(self._show_count)

    def count(self, message: Message) -> None:
        self._unread += 1
        self._tone = "warning" if message.tone in _MARKS else self._tone
        self._show_count()

    def _show_count(self, *_: object) -> None:
        self.setIcon(icon("bell", ICON_SIZE_SMALL))
        self.setText(str(self._unread or ""))
        set_tone(self, self._tone)

    def _fill(self) -> None:
        self._list.clear()
        for message in reversed(self._toasts.history):
            words = f"{message.said_at:%H:%M}  {_MARKS.get(message.tone, '·')}  {message.sentence}"
            shown = words if len(words) <= MENU_LETTERS else f"{words[:MENU_LETTERS]}…"
            action = self._list.addAction(shown.replace("&", "&&"))
            action.setToolTip(message.sentence)
            action.triggered.connect(lambda _checked=False, entry=message: self._toasts.show_message(entry))
        if self._list.isEmpty():
            self._list.addAction(text("ui.message.history.none")).setEnabled(False)
        self._unread, self._tone = 0, ""
        self._show_count()
