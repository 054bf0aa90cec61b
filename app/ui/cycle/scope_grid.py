"""The grid of a register: as wide as the page, every line as high as its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent

from app.ui.cycle.scope_model import RegisterModel
from app.ui.cycle.worksheet_grid import GridView
from app.ui.look.theme import ROW_HEIGHT

LEAST_TEXT_PX = 96
CELL_PADDING_PX, LINE_GAP_PX = 26, 10
MOST_FITTED_ROWS = 200
"""Longer tables show one line of words per row: every line is measured after every edit."""


class RegisterGrid(GridView):
    """`GridView`, where Ctrl+Delete takes whole lines out."""

    def __init__(self, model: RegisterModel, remove: Callable[[], object]) -> None:
        super().__init__(model)
        self._remove = remove
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self.fit)
        self._dragged = self._fitting = False
        self.setWordWrap(True)
        self.horizontalHeader().sectionHandleDoubleClicked.connect(self._fit_anew)
        self.horizontalHeader().sectionResized.connect(self._on_resized)
        model.dataChanged.connect(self._fit_later)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            event.accept()
            self._remove()
            return
        super().keyPressEvent(event)

    # --- widths and heights
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_later()

    def _fit_later(self, *_: object) -> None:
        self._fit_soon.start()

    def _on_resized(self, _column: int, _old: int, _new: int) -> None:
        """A column that was dragged keeps its width; the lines take their new heights."""
        if not self._fitting:
            self._dragged = True
            self._fit_soon.start()

    def _fit_anew(self, _column: int) -> None:
        self._dragged = False
        self._fit_later()

    def fit(self) -> None:
        self._fitting = True
        if not self._dragged:
            for place, width in enumerate(widths(self.cells_wanted(), self.viewport().width())):
                self.setColumnWidth(place, width)
        if self.cells.rowCount() <= MOST_FITTED_ROWS:
            for down in range(self.cells.rowCount()):
                self.setRowHeight(down, self._height(down))
        self._fitting = False

    def _height(self, down: int) -> int:
        metrics, high = self.fontMetrics(), ROW_HEIGHT
        for across in range(self.cells.columnCount()):
            words = str(self.cells.index(down, across).data() or "")
            room = QRect(0, 0, max(self.columnWidth(across) - CELL_PADDING_PX, 1), 0)
            if words:
                high = max(high, metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words).height() + LINE_GAP_PX)
        return high

    def cells_wanted(self) -> list[tuple[int, bool]]:
        """Wanted width of each column, and whether it gives way."""
        return [(column.width, column.choices is None and not column.number) for column in self.cells.columns]


def widths(wanted: Sequence[tuple[int, bool]], room: int) -> list[int]:
    """Columns that do not give way have what they want; the others share what is left as they want it, each enough to
    be read."""
    found = [width for width, _gives in wanted]
    sharing = [place for place, (_width, gives) in enumerate(wanted) if gives]
    while sharing:
        left = room - sum(width for place, width in enumerate(found) if place not in sharing)
        share = sum(wanted[place][0] for place in sharing)
        short = [place for place in sharing if left * wanted[place][0] < LEAST_TEXT_PX * share]
        for place in short or sharing:
            found[place] = LEAST_TEXT_PX if short else left * wanted[place][0] // share
        sharing = [place for place in sharing if place not in short] if short else []
    if found:
        found[-1] += max(room - sum(found), 0)
    return found
