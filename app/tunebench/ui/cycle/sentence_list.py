"""Gates and refusals as sentences, beside what they bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from tunebench.ui.look.icons import pixmap
from tunebench.ui.look.theme import SPACE_S, SPACE_XS, Theme, current_theme, themes
from tunebench.ui.widgets.parts import label, set_tone

MANY = 1_000


def on_record(ended: bool) -> tuple[str, str]:
    """Drawing and tone of what is disclosed: a warning while work goes on, then no more than a record."""
    return ("info", "muted") if ended else ("warning", "watch")


class SentenceList(QWidget):
    """Sentences with a sign before each; hidden while there is none.

    Given an `owner`, a sentence that no longer holds stays in its place, ticked and struck out, until another owner's
    are shown: what somebody is typing in does not move away under the hands.
    """

    def __init__(self, drawing: str = "warning", tone: str = "warning") -> None:
        super().__init__()
        self._drawing, self._tone = drawing, tone
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_S)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._places: list[str] = []
        self._open: tuple[str, ...] = ()
        self._owner: object = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        themes().theme_changed.connect(self._recolour)
        self.hide()

    def use_tone(self, drawing: str, tone: str) -> None:
        """Of the sentences that are shown from now on."""
        self._drawing, self._tone = drawing, tone

    def sentences(self) -> list[str]:
        """The sentences that hold."""
        return list(self._open)

    def settled(self) -> list[str]:
        """The sentences that held before and still stand in their places."""
        return [words for words in self._places if words not in self._open]

    def show_sentences(self, sentences: Sequence[str], owner: object = None, most: int = MANY) -> None:
        """Shows at most `most` of them, those of the same owner that stand there already first."""
        kept = self._places if owner is not None and owner == self._owner else []
        if not set(kept) & set(sentences) and sentences:
            kept = []
        new = [words for words in dict.fromkeys(sentences) if words not in kept]
        self._places = [*kept, *new[: max(most - len(kept), 0)]]
        self._owner, self._open = owner, tuple(words for words in self._places if words in sentences)
        while len(self._rows) < len(self._places):
            self._add_row()
        for index, (sign, words) in enumerate(self._rows):
            shown = index < len(self._places)
            words.setText(self._places[index] if shown else "")
            sign.setVisible(shown)
            words.setVisible(shown)
        self._recolour(current_theme())
        self.setAccessibleName(" ".join(sentences))
        self.setVisible(bool(self._places))

    def _add_row(self) -> None:
        sign, words = QLabel(), label(wrap=True, tone=self._tone)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(sign, len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(words, len(self._rows), 1)
        self._rows.append((sign, words))

    def _recolour(self, theme: Theme) -> None:
        for index, (sign, words) in enumerate(self._rows):
            holds = index >= len(self._places) or self._places[index] in self._open
            tone = self._tone if holds else "ok"
            sign.setPixmap(pixmap(self._drawing if holds else "check", getattr(theme, tone or "muted"), 14))
            set_tone(words, self._tone if holds else "", "tone")
            set_tone(words, "" if holds else "muted", "role")
            struck = words.font()
            struck.setStrikeOut(not holds)
            words.setFont(struck)
