"""A sentence that wants to be seen: tinted, with a shape before it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.look.theme import SPACE_M, SPACE_S, current_theme
from app.ui.widgets.parts import label, selectable, set_tone


def notice(words: str, tone: str, shape: str) -> QWidget:
    made = QWidget()
    theme = current_theme()
    colour = getattr(theme, tone)
    made.setObjectName("notice")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    made.setStyleSheet(
        f"#notice {{ background: {theme.tint(colour, 0.10).name()}; border-left: 3px solid {colour.name()}; }}"
    )
    layout = QHBoxLayout(made)
    layout.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
    layout.setSpacing(SPACE_S)
    mark = label(shape)
    set_tone(mark, tone)
    layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
    layout.addWidget(selectable(label(words, wrap=True)), 1)
    return made
