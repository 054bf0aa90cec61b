"""One row of the stack: header, plot, readout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.analysis.statistics import Statistics
from app.ui.charts.canvas import ChartCanvas
from app.ui.charts.gestures import Gestures
from app.ui.charts.row_panels import Entry, RowHeader, RowReadout
from app.ui.charts.time_ticks import stamp_text
from app.ui.look.language import text
from app.ui.look.theme import current_theme
from app.ui.widgets.parts import IconButton, name_button, row

ROW_PX = 88
TALLEST_ROW_PX = 420
CROWDED_ROW_PX = 150


class ChartRow(QWidget):
    """Signals carry this row's id; `moved` also -1 for up, 1 for down, `menu_asked` the menu instead."""

    removed = Signal(int)
    moved = Signal(int, int)
    separated = Signal(int)
    picked = Signal(int)
    menu_asked = Signal(object)

    def __init__(self, row_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row_id = row_id
        self.canvas = ChartCanvas(self)
        Gestures(self.canvas)
        self.header = RowHeader(self)
        self.header.row_id = row_id
        self.readout = RowReadout(self)
        self.entries: list[Entry] = []
        self._close = IconButton("close", lambda: self.removed.emit(self.row_id))
        self._close.setParent(self.header)
        self._close.setFixedSize(20, 20)
        self._close.setStyleSheet("padding: 0; min-height: 0;")
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close.hide()
        self.setLayout(row(self.header, (self.canvas, 1), self.readout, spacing=0, margins=(0, 0, 0, 1)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(ROW_PX)
        self.setMaximumHeight(TALLEST_ROW_PX)
        self.header.pressed.connect(self.setFocus)
        self.canvas.clicked.connect(lambda _time: self.setFocus())

    def show_entries(self, entries: Sequence[Entry], note: str = "") -> None:
        self.entries = list(entries)
        self.header.show_entries(entries, note)
        self.readout.show_entries(entries, note=bool(note))
        units = {entry.unit for entry in entries}
        self.canvas.unit = units.pop() if len(units) == 1 else ""
        self.setMinimumHeight(CROWDED_ROW_PX if note else ROW_PX)
        self.name_for_reader()

    def show_statistics(self, statistics: Mapping[int, Statistics]) -> None:
        self.readout.show_statistics({e.key: statistics[e.key] for e in self.entries if e.key in statistics})
        self.setAccessibleDescription("\n".join(self.readout.sentences()))

    def show_readings(self, readings: Mapping[int, tuple[int, float]], zone: ZoneInfo) -> None:
        own = {e.key: readings[e.key] for e in self.entries if e.key in readings}
        stamps = {key: stamp_text(time_ns, zone, with_date=False, with_zone=False) for key, (time_ns, _) in own.items()}
        self.readout.show_values({key: value for key, (_, value) in own.items()}, stamps)

    def name_for_reader(self) -> None:
        names = ", ".join(f"{e.name} {e.unit}".strip() for e in self.entries)
        self.setAccessibleName(text("ui.timeline.row.name", names=names))
        self.canvas.setAccessibleName(names)
        name_button(self._close, text("ui.timeline.row.remove"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.surface)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.border)
        if self.hasFocus():
            painter.fillRect(0, 0, 3, self.height() - 1, theme.accent)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._close.move(self.header.width() - 22, 5)
        super().resizeEvent(event)

    def enterEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        self._close.show()

    def leaveEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        self._close.hide()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.picked.emit(self.row_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Delete:
            self.removed.emit(self.row_id)
        elif control and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(self.row_id, -1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        elif event.key() == Qt.Key.Key_Menu:
            self.open_menu(self.mapToGlobal(QPoint(20, 20)))
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.open_menu(event.globalPos())

    def open_menu(self, at: QPoint) -> None:
        self.build_menu().popup(at)

    def build_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(text("ui.timeline.row.up"), lambda: self.moved.emit(self.row_id, -1))
        menu.addAction(text("ui.timeline.row.down"), lambda: self.moved.emit(self.row_id, 1))
        split = menu.addAction(text("ui.timeline.row.separate"), lambda: self.separated.emit(self.row_id))
        split.setEnabled(len(self.entries) > 1)
        reset = menu.addAction(text("ui.timeline.row.reset_values"), lambda: self.canvas.zoom_values(None))
        reset.setEnabled(self.canvas.values_zoomed)
        self.menu_asked.emit(menu)
        menu.addSeparator()
        menu.addAction(text("ui.timeline.row.remove"), lambda: self.removed.emit(self.row_id))
        return menu
