"""Covers the window while files are dragged over it, so that no text field takes them for text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.look.language import text
from app.ui.look.theme import RADIUS, SPACE_L, SPACE_XL, current_theme, faded
from app.ui.widgets.drop_zone import dropped_paths
from app.ui.widgets.parts import column, label, row, set_tone

ENTERED_WITHIN_MS = 80
LEAST_HEIGHT = 64


@dataclass(frozen=True, slots=True)
class DropPlace:
    """A part of a page that takes files itself: `words` say what becomes of them there."""

    part: QWidget
    words: str
    take: Callable[[Sequence[Path]], object]

    def seen(self) -> QRect:
        """What is in sight of it, on the screen, high enough to be hit."""
        inside = self.part.visibleRegion().boundingRect()
        if inside.isValid():
            inside.setHeight(max(inside.height(), LEAST_HEIGHT))
        return QRect(self.part.mapToGlobal(inside.topLeft()), inside.size())


class DropOverlay(QWidget):
    """Shown when the drag enters the window; from then on the drag is over this widget.

    Places of the page shine through and say what they do; anywhere else the files go to `take`.
    """

    def __init__(self, window: QWidget, take: Callable[[list[Path]], None]) -> None:
        super().__init__(window)
        self._window, self._take, self._entered = window, take, False
        self._places: tuple[tuple[DropPlace, QRect], ...] = ()
        self._over: DropPlace | None = None
        self.setAcceptDrops(True)
        self._words = label(role="section")
        self._words.setObjectName("dropzone")
        self._words.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        set_tone(self._words, "true", "over")
        self.setLayout(column(1, row(1, self._words, 1), 1))
        self.hide()

    def begin(self, paths: list[Path], places: Sequence[DropPlace] = ()) -> None:
        """Say what will happen to `paths` when they are let go, and where something else would."""
        opens = any(path.suffix == ".tune" for path in paths)
        self._words.setText(text("ui.drop.open" if opens else "ui.drop.import", count=len(paths)))
        self._entered, self._over = False, None
        self.setGeometry(self._window.rect())
        seen = ((place, place.seen()) for place in places)
        self._places = tuple(
            (place, QRect(self.mapFromGlobal(area.topLeft()), area.size())) for place, area in seen if area.isValid()
        )
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

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        over = self._place_at(event.position().toPoint())
        if over is not self._over:
            self._over = over
            self.update()
        event.acceptProposedAction()

    def _place_at(self, at: QPoint) -> DropPlace | None:
        return next((place for place, area in self._places if area.contains(at)), None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.hide()
        place, paths = self._place_at(event.position().toPoint()), dropped_paths(event.mimeData())
        if place is not None:
            place.take(paths)
        else:
            self._take(paths)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.fillRect(self.rect(), faded(theme.background, 0.82))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, area in self._places:
            over = place is self._over
            painter.setPen(QPen(theme.accent if over else theme.muted, 2 if over else 1, Qt.PenStyle.DashLine))
            painter.setBrush(theme.selected if over else theme.surface)
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), RADIUS, RADIUS)
            painter.setPen(theme.text)
            room = area.adjusted(SPACE_L, 0, -SPACE_L, 0)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), place.words)
