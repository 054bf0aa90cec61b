"""A sentence that wants to be seen: tinted, with a shape before it; and several of them: the first few, and the rest
when asked for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, current_theme, themes
from tunebench.ui.widgets.parts import button, column, label, panel, row, scrolling, selectable

SHOWN, TALLEST_PX = 2, 132


def notice(words: str, tone: str, shape: str) -> QWidget:
    box = QWidget()
    theme = current_theme()
    colour = getattr(theme, tone)
    box.setObjectName("notice")
    box.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    box.setStyleSheet(
        f"#notice {{ background: {theme.tint(colour, 0.10).name()}; border-left: 3px solid {colour.name()}; }}"
    )
    mark = label(shape, tone=tone)
    layout = row(mark, (selectable(label(words, wrap=True)), 1), margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S))
    layout.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
    box.setLayout(layout)
    return box


class CautionList(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.sentences: list[str] = []
        self._open = False
        self.setObjectName("cautions")
        self._words = selectable(label(wrap=True))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._area = scrolling(panel(column(self._words)), sideways=False)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setStyleSheet("QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }")
        self.more = button(kind="link", on_click=self._toggle)
        inside = column(self._area, self.more, spacing=0, margins=(SPACE_S, SPACE_XS), of=self)
        inside.setAlignment(self.more, Qt.AlignmentFlag.AlignLeft)
        themes().follow(self.recolour)
        self.hide()

    def recolour(self) -> None:
        theme = current_theme()
        self.setStyleSheet(
            f"#cautions {{ background: {theme.tint(theme.watch, 0.10).name()};"
            f" border-left: 3px solid {theme.watch.name()}; }}"
        )

    def show_sentences(self, sentences: Sequence[str]) -> None:
        self.sentences = list(dict.fromkeys(sentences))
        self._open = False
        self._fill()

    def _toggle(self) -> None:
        self._open = not self._open
        self._fill()

    def _fill(self) -> None:
        shown = self.sentences if self._open else self.sentences[:SHOWN]
        self._words.setText("\n".join(f"⚠ {sentence}" for sentence in shown))
        left = len(self.sentences) - SHOWN
        self.more.setText(text("ui.profile.cautions.less") if self._open else text("ui.profile.cautions.more", n=left))
        self.more.setVisible(left > 0)
        self.setVisible(bool(self.sentences))
        self._fit()

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wanted = self._words.heightForWidth(max(self.width() - 2 * SPACE_S - 16, 200)) + 2
        self._area.setFixedHeight(min(wanted, TALLEST_PX))
