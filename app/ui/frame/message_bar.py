"""Sentences above the page: what was refused and why, what has just been done, why nothing can be changed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.ui.look.formats import format_stamp
from app.ui.look.icons import pixmap
from app.ui.look.language import language, text, translated
from app.ui.look.theme import ICON_SIZE_SMALL, SPACE_M, SPACE_S, SPACE_XS, current_theme, themes
from app.ui.widgets.parts import IconButton, button, label, row, selectable, set_tone
from app.ui.workspace import Workspace

INFO_SHOWN_MS = 6000


class MessageBar(QFrame):
    """Errors stay until closed; news goes by itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messages")
        self._picture = QLabel()
        self._sentence = selectable(label(wrap=True))
        self._close = IconButton("close", self.hide, key="ui.message.close")
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        margins = (SPACE_M, SPACE_XS, SPACE_S, SPACE_XS)
        self.setLayout(row(self._picture, (self._sentence, 1), self._close, margins=margins))
        language().changed.connect(self.hide)
        themes().theme_changed.connect(self._recolour)
        self._tone = "info"
        self.hide()

    def show_sentence(self, tone: str, sentence: str) -> None:
        self._tone = tone
        set_tone(self, tone)
        self._sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self._recolour()
        self.show()
        if tone == "info":
            self._timer.start(INFO_SHOWN_MS)
        else:
            self._timer.stop()

    def sentence(self) -> str:
        return "" if self.isHidden() else self._sentence.text()

    def _recolour(self) -> None:
        theme = current_theme()
        colour = {"error": theme.critical, "warning": theme.warning}.get(self._tone, theme.accent)
        drawing = self._tone if self._tone in ("error", "warning") else "info"
        self._picture.setPixmap(pixmap(drawing, colour, ICON_SIZE_SMALL))


class ReadOnlyBanner(QFrame):
    """Says why nothing can be changed in this project; where another computer holds it, `take_over` is offered."""

    def __init__(self, workspace: Workspace, take_over: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("messages")
        set_tone(self, "warning")
        self._workspace = workspace
        self._picture = QLabel()
        self._words = label(wrap=True)
        self.take_over = button("", on_click=take_over)
        translated(self.take_over, text="ui.readonly.take_over")
        margins = (SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        self.setLayout(row(self._picture, (self._words, 1), self.take_over, margins=margins))
        workspace.project_changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        themes().theme_changed.connect(self.refresh)
        self.refresh()

    def words(self) -> str:
        return "" if self.isHidden() else self._words.text()

    def refresh(self, *_: object) -> None:
        overview = self._workspace.overview
        self.setVisible(overview is not None and overview.read_only)
        self._picture.setPixmap(pixmap("lock", current_theme().warning, ICON_SIZE_SMALL))
        if overview is None or not overview.read_only:
            return
        holder = overview.lock_holder
        self.take_over.setVisible(holder is not None and holder.is_elsewhere)
        facts = {name: getattr(holder, name, "") for name in ("user", "host", "pid")}
        facts["since"] = format_stamp(getattr(holder, "since", ""), self._workspace.zone)
        self._words.setText(text(f"ui.readonly.{overview.read_only_reason or 'asked'}", **facts))
        self.setAccessibleName(self._words.text())
