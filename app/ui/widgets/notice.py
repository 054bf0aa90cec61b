"""A sentence that wants to be seen: tinted, with a shape before it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.ui.look.theme import SPACE_M, SPACE_S, current_theme
from app.ui.widgets.parts import label, row, selectable


def notice(words: str, tone: str, shape: str) -> QWidget:
    made = QWidget()
    theme = current_theme()
    colour = getattr(theme, tone)
    made.setObjectName("notice")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    made.setStyleSheet(
        f"#notice {{ background: {theme.tint(colour, 0.10).name()}; border-left: 3px solid {colour.name()}; }}"
    )
    mark = label(shape, tone=tone)
    layout = row(mark, (selectable(label(words, wrap=True)), 1), margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S))
    layout.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
    made.setLayout(layout)
    return made
