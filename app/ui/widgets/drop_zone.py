"""A dashed field that says what may be dropped here; clicking it asks for files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout

from app.ui.look.icons import pixmap
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_L, SPACE_S, current_theme, themes
from app.ui.widgets.parts import ClickableFrame, label, set_tone


def dropped_paths(data: QMimeData) -> list[Path]:
    """Local files and folders among what is dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []


class DropZone(ClickableFrame):
    """The window takes the drop itself; this shows where and what."""

    def __init__(self, key: str, on_click: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("dropzone")
        self._key = key
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words = label(role="muted", wrap=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addStretch(1)
        column.addWidget(self._picture)
        column.addWidget(self._words)
        column.addStretch(1)
        self.clicked.connect(on_click)
        themes().theme_changed.connect(self.recolour)
        translated(self._words, self._key)
        translated(self, accessibleName=self._key)
        self.recolour()

    def show_over(self, over: bool) -> None:
        set_tone(self, "true" if over else "false", "over")

    def recolour(self) -> None:
        self._picture.setPixmap(pixmap("captures", current_theme().muted, 28))
