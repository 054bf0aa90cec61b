"""The stack of rows: order, overlay and dropping; everything in it shares one view and one cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from tunebench.analysis.exploring.arrangement import Arrangement, Row
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.exploring.time_scale import TimeScale
from tunebench.columns.time_ticks import Tick
from tunebench.ui.charts.canvas import GUTTER_PX, MARGIN_PX, ChartCanvas
from tunebench.ui.charts.lines import Mark
from tunebench.ui.charts.row import ROW_MIME, SERIES_MIME, ChartRow, SideStatistics
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.parts import column


class RowStack(QScrollArea):
    """Rows of `arrangement`. `arranged` says that the user changed it; `row_made` a new canvas to connect."""

    arranged = Signal()
    row_made = Signal(object)
    row_picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.arrangement = Arrangement()
        self.rows: dict[int, ChartRow] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(True)
        self._body = QWidget()
        self._column = column(0, spacing=0)
        self._body.setLayout(self._column)
        self.setWidget(self._body)
        self._place_mark = QFrame(self.viewport())
        self._place_mark.hide()

    # --- rows follow the arrangement
    def follow(self) -> None:
        """Make, drop and order row widgets as the arrangement says."""
        wanted = [row.id for row in self.arrangement.rows]
        for row_id in [row_id for row_id in self.rows if row_id not in wanted]:
            gone = self.rows.pop(row_id)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for index, row_id in enumerate(wanted):
            widget = self.rows.get(row_id) or self._make(row_id)
            if self._column.indexOf(widget) != index:
                self._column.removeWidget(widget)
                self._column.insertWidget(index, widget, 1)
        for index, row_id in enumerate(wanted):
            self.rows[row_id].canvas.mark_words = index == 0

    def _make(self, row_id: int) -> ChartRow:
        row = ChartRow(row_id, self._body)
        row.removed.connect(lambda i: self._change(lambda: self._remove(i)))
        row.moved.connect(lambda i, by: self._change(lambda: self._step(i, by)))
        row.separated.connect(lambda i: self._change(lambda: self.arrangement.separate(i)))
        row.picked.connect(self.row_picked)
        self.rows[row_id] = row
        self.row_made.emit(row)
        return row

    def _change(self, act: Callable[[], None]) -> None:
        act()
        self.arranged.emit()

    def _remove(self, row_id: int) -> None:
        row = self.arrangement.row(row_id)
        if row is not None:
            self.arrangement.remove(row.keys)

    def _step(self, row_id: int, by: int) -> None:
        row = self.arrangement.row(row_id)
        if row is None:
            return
        now = self.arrangement.rows.index(row)
        to = now + by
        if 0 <= to < len(self.arrangement.rows):
            self.arrangement.move(row_id, to + 1 if by > 0 else to)

    def ordered_rows(self) -> list[tuple[Row, ChartRow]]:
        return [(row, self.rows[row.id]) for row in self.arrangement.rows if row.id in self.rows]

    @property
    def canvases(self) -> list[ChartCanvas]:
        return [row.canvas for row in self.rows.values()]

    def plot_width(self) -> int:
        """Pixels of one plot area; what the feed's bins are counted by."""
        return max(self.viewport().width() - GUTTER_PX - MARGIN_PX, 50)

    # --- what all rows show
    def show_scale(self, scale: TimeScale, ticks: Sequence[Tick]) -> None:
        for canvas in self.canvases:
            canvas.show_scale(scale, ticks)

    def show_marks(self, marks_of: Callable[[ChartRow], Sequence[Mark]]) -> None:
        for row in self.rows.values():
            row.canvas.show_marks(marks_of(row))

    def show_cursor(self, time_ns: int | None) -> None:
        for canvas in self.canvases:
            canvas.show_cursor(time_ns)

    def show_statistics(self, statistics: Mapping[int, SideStatistics]) -> None:
        for row in self.rows.values():
            row.show_statistics(statistics)

    def show_picked(self, picked: TimeRange | None) -> None:
        for canvas in self.canvases:
            canvas.show_picked(picked)

    # --- drag and drop
    def place_at(self, at: QPoint) -> tuple[int, ChartRow | None]:
        """(index to insert before, row to overlay). The middle of a row means overlay."""
        for index, (_, widget) in enumerate(self.ordered_rows()):
            top = widget.mapTo(self.viewport(), QPoint(0, 0)).y()
            if at.y() < top + widget.height():
                share = (at.y() - top) / widget.height()
                if 0.25 <= share <= 0.75:
                    return index, widget
                return (index if share < 0.25 else index + 1), None
        return len(self.arrangement.rows), None

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        data = event.mimeData()
        if data.hasFormat(ROW_MIME) or data.hasFormat(SERIES_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        index, row = self.place_at(event.position().toPoint())
        self._show_place(index, row if event.mimeData().hasFormat(SERIES_MIME) else None)
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._place_mark.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._place_mark.hide()
        index, row = self.place_at(event.position().toPoint())
        data = event.mimeData()
        if data.hasFormat(ROW_MIME):
            self.arrangement.move(int(bytes(data.data(ROW_MIME).data()).decode()), index)
        elif data.hasFormat(SERIES_MIME):
            self._drop_series(keys_in(bytes(data.data(SERIES_MIME).data())), index, row)
        else:
            return
        event.acceptProposedAction()
        self.arranged.emit()

    def _drop_series(self, keys: list[int], index: int, row: ChartRow | None) -> None:
        if row is not None:
            self.arrangement.overlay(keys, row.row_id)
        else:
            shown = set(self.arrangement.keys)
            for offset, key in enumerate(key for key in keys if key not in shown):
                self.arrangement.add([key], index + offset)

    def _show_place(self, index: int, row: ChartRow | None) -> None:
        colour = current_theme().accent
        widgets = [widget for _, widget in self.ordered_rows()]
        if row is not None:
            top = row.mapTo(self.viewport(), QPoint(0, 0)).y()
            self._place_mark.setGeometry(QRect(0, top, self.viewport().width(), row.height() - 1))
            self._place_mark.setStyleSheet(
                f"background: rgba({colour.red()},{colour.green()},{colour.blue()},40);"
                f"border: 1px solid {colour.name()};"
            )
        else:
            y = 0
            if widgets:
                near = widgets[min(index, len(widgets) - 1)]
                y = near.mapTo(self.viewport(), QPoint(0, 0)).y() + (near.height() if index >= len(widgets) else 0)
            self._place_mark.setGeometry(QRect(0, max(y - 1, 0), self.viewport().width(), 3))
            self._place_mark.setStyleSheet(f"background: {colour.name()}; border: none;")
        self._place_mark.show()
        self._place_mark.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, Home and End belong to the page's time; only the page keys scroll."""
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        super().mousePressEvent(event)


def series_data(keys: Sequence[int]) -> bytes:
    """Series ids as they are dragged."""
    return ",".join(str(key) for key in keys).encode()


def keys_in(data: bytes) -> list[int]:
    return [int(part) for part in data.decode().split(",") if part]
