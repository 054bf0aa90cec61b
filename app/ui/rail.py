"""Left edge: one button per page, icon over label."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout

from app.ui.icons import icon
from app.ui.language import language, text
from app.ui.page_list import PageEntry
from app.ui.theme import ICON_SIZE, SPACE_S, themes

WIDTH, BUTTON_HEIGHT = 76, 49


class Rail(QFrame):
    """`chosen` carries a page id."""

    chosen = Signal(str)

    def __init__(self, entries: Sequence[PageEntry]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self._entries = entries
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE_S, 0, SPACE_S)
        column.setSpacing(2)
        for entry in entries:
            column.addWidget(self._button(entry))
        column.addStretch(1)
        language().changed.connect(self.retranslate)
        themes().theme_changed.connect(self.recolour)
        self.retranslate()
        self.recolour()

    def _button(self, entry: PageEntry) -> QToolButton:
        made = QToolButton()
        made.setCheckable(True)
        made.setFixedSize(WIDTH - 1, BUTTON_HEIGHT)
        made.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        made.clicked.connect(lambda _c=False: self.chosen.emit(entry.page_id))
        self._group.addButton(made)
        self.buttons[entry.page_id] = made
        return made

    def retranslate(self) -> None:
        for entry in self._entries:
            words = text(entry.title_key)
            self.buttons[entry.page_id].setText(words)
            self.buttons[entry.page_id].setAccessibleName(words)

    def recolour(self) -> None:
        for entry in self._entries:
            self.buttons[entry.page_id].setIcon(icon(entry.icon))

    def show_page(self, page_id: str) -> None:
        """Mark the page that is shown; none of them for welcome, help and settings."""
        if page_id in self.buttons:
            self.buttons[page_id].setChecked(True)
            return
        self._group.setExclusive(False)
        for made in self.buttons.values():
            made.setChecked(False)
        self._group.setExclusive(True)
