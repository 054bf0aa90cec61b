"""Gates and refusals as sentences, beside what they bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.ui.icons import pixmap
from app.ui.theme import SPACE_S, SPACE_XS, Theme, current_theme, themes
from app.ui.widgets.parts import label


class SentenceList(QWidget):
    """Sentences with a sign before each; hidden while there is none."""

    def __init__(self, drawing: str = "warning", tone: str = "warning") -> None:
        super().__init__()
        self._drawing, self._tone = drawing, tone
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_S)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        themes().theme_changed.connect(self._recolour)
        self.hide()

    def sentences(self) -> list[str]:
        return [words.text() for _sign, words in self._rows if not words.isHidden()]

    def show_sentences(self, sentences: Sequence[str]) -> None:
        while len(self._rows) < len(sentences):
            self._add_row()
        for place, (sign, words) in enumerate(self._rows):
            shown = place < len(sentences)
            words.setText(sentences[place] if shown else "")
            sign.setVisible(shown)
            words.setVisible(shown)
        self.setAccessibleName(" ".join(sentences))
        self.setVisible(bool(sentences))

    def _add_row(self) -> None:
        sign, words = QLabel(), label(wrap=True, tone=self._tone)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(sign, len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(words, len(self._rows), 1)
        self._rows.append((sign, words))
        self._recolour(current_theme())

    def _recolour(self, theme: Theme) -> None:
        for sign, _words in self._rows:
            sign.setPixmap(pixmap(self._drawing, getattr(theme, self._tone or "muted"), 14))
