"""What may be dropped: a dashed field that says so and asks for files when clicked, and what covers the window while
files are dragged over it, so that no text field takes them for text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from tunebench.core.records import record
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import RADIUS, SPACE_L, SPACE_XL, current_theme, faded
from tunebench.ui.widgets.parts import ClickableFrame, column, label, row, set_tone

ENTERED_WITHIN_MS = 80
LEAST_HEIGHT = 64


def dropped_paths(data: QMimeData) -> list[Path]:
    """Local files and folders among what is dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []


class DropZone(ClickableFrame):
    """The window takes the drop itself; this shows where and what."""

    def __init__(self, key: str, on_click: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("dropzone")
        self._words = translated(label(role="muted", wrap=True), key)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setLayout(column(self._words, margins=SPACE_L))
        self.clicked.connect(on_click)
        translated(self, accessibleName=key)

    def show_over(self, over: bool) -> None:
        set_tone(self, "true" if over else "false", "over")


@record
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
        """Says what will happen to `paths` when they are let go, and where something else would."""
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
