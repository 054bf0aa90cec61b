"""Icons: line drawings of one weight, coloured by the theme.

The drawings in `resources/icons` use ``currentColor``; the colour is put in when a picture is made.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from tunebench.core.paths import resources_folder
from tunebench.ui.look.theme import ICON_SIZE, current_theme


@cache
def _drawing(name: str) -> str:
    return (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def pixmap(name: str, colour: QColor, size: int = ICON_SIZE, ratio: float = 2.0) -> QPixmap:
    """The drawing `name` in `colour`, `size` px square, sharp at `ratio` device pixels per pixel."""
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour.name()).encode()))
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def icon(name: str, size: int = ICON_SIZE) -> QIcon:
    """The drawing in the current theme: muted at rest, accent when checked, pale when disabled.

    Ask again when the theme has changed.
    """
    theme = current_theme()
    themed = QIcon()
    for colour, mode, state in (
        (theme.muted, QIcon.Mode.Normal, QIcon.State.Off),
        (theme.text, QIcon.Mode.Active, QIcon.State.Off),
        (theme.accent, QIcon.Mode.Normal, QIcon.State.On),
        (theme.accent, QIcon.Mode.Active, QIcon.State.On),
        (theme.tint(theme.muted, 0.45), QIcon.Mode.Disabled, QIcon.State.Off),
    ):
        themed.addPixmap(pixmap(name, colour, size), mode, state)
    return themed
