"""Covers the window while files are dragged over it, so that no text field takes them for text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.language import text
from app.ui.theme import SPACE_L, SPACE_XL, current_theme
from app.ui.widgets.drop_zone import dropped_paths
from app.ui.widgets.parts import label, set_tone

ENTERED_WITHIN_MS = 80


class DropOverlay(QWidget):
    """Shown when the drag enters the window; from then on the drag is over this widget."""

    def __init__(self, window: QWidget, take: Callable[[list[Path]], None]) -> None:
        super().__init__(window)
        self._window, self._take, self._entered = window, take, False
        self.setAcceptDrops(True)
        self._words = label(role="section")
        self._words.setObjectName("dropzone")
        self._words.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        set_tone(self._words, "true", "over")
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(self._words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self.hide()

    def begin(self, paths: list[Path]) -> None:
        """Say what will happen to `paths` when they are let go."""
        opens = any(path.suffix == ".tune" for path in paths)
        self._words.setText(text("ui.drop.open" if opens else "ui.drop.import", count=len(paths)))
        self._entered = False
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()

    def end_unless_entered(self) -> None:
        """The drag left the window below: either it is over this widget now, or it is gone."""
        QTimer.singleShot(ENTERED_WITHIN_MS, self, self._hide_if_gone)

    def _hide_if_gone(self) -> None:
        if not self._entered:
            self.hide()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._entered = True
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.hide()
        self._take(dropped_paths(event.mimeData()))

    def paintEvent(self, event: QPaintEvent) -> None:
        veil = QColor(current_theme().background)
        veil.setAlphaF(0.82)
        QPainter(self).fillRect(self.rect(), veil)
