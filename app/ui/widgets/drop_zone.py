"""A dashed field that says what may be dropped here; clicking it asks for files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QLabel

from app.ui.look.icons import pixmap
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_L, current_theme, themes
from app.ui.widgets.parts import ClickableFrame, column, label, set_tone


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
        self.setLayout(column(1, self._picture, self._words, 1, margins=SPACE_L))
        self.clicked.connect(on_click)
        themes().theme_changed.connect(self.recolour)
        translated(self._words, self._key)
        translated(self, accessibleName=self._key)
        self.recolour()

    def show_over(self, over: bool) -> None:
        set_tone(self, "true" if over else "false", "over")

    def recolour(self) -> None:
        self._picture.setPixmap(pixmap("captures", current_theme().muted, 28))
