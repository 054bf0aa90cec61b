"""One row of the stack: header, plot, readout; the two sides say what is drawn, and its values under the cursor and
over the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDrag,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from tunebench.analysis.statistics import Statistics
from tunebench.core.records import record
from tunebench.ui.charts.canvas import ChartCanvas
from tunebench.ui.charts.gestures import Gestures
from tunebench.ui.charts.ticks import stamp_text
from tunebench.ui.look.fonts import BODY_PX, SECTION_PX, SMALL_PX
from tunebench.ui.look.formats import format_value
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import RIGHT, font_of, painter_on, write
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.parts import IconButton, name_button, row

HEADER_PX = 134
READOUT_PX = 112
ROW_MIME = "application/x-tunebench-row"
SERIES_MIME = "application/x-tunebench-series"
_LINE_PX = 17
ROW_PX = 88
TALLEST_ROW_PX = 420
CROWDED_ROW_PX = 150


@record
class Entry:
    """One series of a row, in words."""

    key: int
    name: str
    unit: str
    place: str
    colour: QColor
    meaning: str = ""


def in_two_lines(words: str, metrics: QFontMetricsF, room: float) -> list[str]:
    """A name too long for one line, broken where it is narrowest: ``dm-3 (/oradata) await`` keeps its alias."""
    if metrics.horizontalAdvance(words) <= room or " " not in words:
        return [words]
    parts = words.split(" ")
    halves = [(" ".join(parts[:at]), " ".join(parts[at:])) for at in range(1, len(parts))]
    return list(min(halves, key=lambda pair: max(map(metrics.horizontalAdvance, pair))))


class RowHeader(QWidget):
    """Names and units at the left; drag it to move the row."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row_id = 0
        self.entries: list[Entry] = []
        self.note = ""
        self._from: QPointF | None = None
        self.setFixedWidth(HEADER_PX)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def show_entries(self, entries: Sequence[Entry], note: str) -> None:
        self.entries, self.note = list(entries), note
        self.setToolTip("\n\n".join(self._tip(entry) for entry in self.entries[:12]))
        self.update()

    def _tip(self, entry: Entry) -> str:
        head = f"{entry.name} [{entry.unit}]" if entry.unit else entry.name
        return "\n".join(part for part in (head, entry.place, entry.meaning) if part)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if len(self.entries) == 1:
            self._paint_single(painter, self.entries[0])
        else:
            self._paint_several(painter)

    def _paint_single(self, painter: QPainter, entry: Entry) -> None:
        theme = current_theme()
        y = 7.0
        font = font_of(self, BODY_PX, bold=True)
        for line in in_two_lines(entry.name, QFontMetricsF(font), self.width() - 12 - 24):
            y = self._write(painter, line, y, font, entry.colour)
        y = self._write(painter, entry.unit, y, font_of(self, SMALL_PX), theme.muted)
        self._write(painter, entry.place, y, font_of(self, SMALL_PX), theme.muted)

    def _write(self, painter: QPainter, words: str, y: float, font: QFont, colour: QColor) -> float:
        if not words:
            return y
        painter.setFont(font)
        height, room = painter.fontMetrics().height(), self.width() - 12 - 24
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, room)
        write(painter, QRectF(12, y, room + 2, height), shown, colour)
        return y + height

    def _paint_several(self, painter: QPainter) -> None:
        theme = current_theme()
        most = lines_that_fit(self.height(), len(self.entries), note=bool(self.note))
        for number, entry in enumerate(self.entries[:most]):
            y = 7 + number * _LINE_PX
            painter.setPen(QPen(entry.colour, 2))
            painter.drawLine(QPointF(12, y + 8), QPointF(22, y + 8))
            painter.setFont(font_of(self, SMALL_PX, bold=True))
            room = self.width() - 28 - (24 if number == 0 else 6)
            label = f"{entry.name}  {entry.unit}".strip()
            shown = painter.fontMetrics().elidedText(label, Qt.TextElideMode.ElideMiddle, room)
            write(painter, QRectF(28, y, self.width() - 28, 16), shown, theme.text)
        rest = len(self.entries) - most
        words = self.note or (text("ui.timeline.row.more", n=rest) if rest else "")
        if words:
            painter.setFont(font_of(self, SMALL_PX))
            write(painter, QRectF(12, 7 + most * _LINE_PX, self.width() - 14, 16), words, theme.muted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.position()
        self.pressed.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._from = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is None:
            return
        if (event.position() - self._from).manhattanLength() >= QApplication.startDragDistance():
            self._from = None
            drag = QDrag(self)
            data = QMimeData()
            data.setData(ROW_MIME, str(self.row_id).encode())
            drag.setMimeData(data)
            drag.setPixmap(self.grab())
            drag.exec(Qt.DropAction.MoveAction)


def lines_that_fit(height: int, wanted: int, *, note: bool) -> int:
    """How many entries have room, keeping a line for "+ n more"."""
    room = max((height - 10) // _LINE_PX, 1)
    if wanted <= room and not note:
        return wanted
    return max(min(room - 1, wanted), 1)


class RowReadout(QWidget):
    """Value at the cursor, and the statistics of the visible window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []
        self._values: dict[int, float] = {}
        self._stamps: dict[int, str] = {}
        self._statistics: dict[int, Statistics] = {}
        self._note = False
        self.setFixedWidth(READOUT_PX)

    def sizeHint(self) -> QSize:
        return QSize(READOUT_PX, 96)

    def show_entries(self, entries: Sequence[Entry], *, note: bool) -> None:
        self._entries, self._note = list(entries), note
        self.update()

    def show_values(self, values: dict[int, float], stamps: dict[int, str]) -> None:
        """Series id -> value, and the exact stamp of the sample it is."""
        if (values, stamps) != (self._values, self._stamps):
            self._values, self._stamps = values, stamps
            self.update()

    def show_statistics(self, statistics: dict[int, Statistics]) -> None:
        self._statistics = statistics
        self.setToolTip("\n".join(self._sentence(entry) for entry in self._entries[:12] if entry.key in statistics))
        self.update()

    def _sentence(self, entry: Entry) -> str:
        s = self._statistics[entry.key]
        return text(
            "ui.timeline.row.statistics",
            name=entry.name,
            n=f"{s.n:,}",
            mean=format_value(s.mean),
            p50=format_value(s.p50),
            p95=format_value(s.p95),
            maximum=format_value(s.maximum),
            missing=f"{s.missing:,}",
        )

    def sentences(self) -> list[str]:
        """The same in words, for assistive technology."""
        return [self._sentence(entry) for entry in self._entries if entry.key in self._statistics]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if len(self._entries) == 1:
            self._paint_single(painter, self._entries[0])
        else:
            self._paint_several(painter)

    def _right(self, painter: QPainter, words: str, y: float, height: float, colour: QColor) -> None:
        write(painter, QRectF(0, y, self.width() - 12, height), words, colour, RIGHT)

    def _paint_single(self, painter: QPainter, entry: Entry) -> None:
        theme = current_theme()
        painter.setFont(font_of(self, SECTION_PX, bold=True))
        shown = format_value(self._values.get(entry.key))
        self._right(painter, shown, 4, 20, theme.text)
        left = self.width() - 12 - painter.fontMetrics().horizontalAdvance(shown)
        painter.setFont(font_of(self, SMALL_PX))
        stamp = self._stamps.get(entry.key, "")
        if painter.fontMetrics().horizontalAdvance(stamp) + 8 < left:
            write(painter, QRectF(4, 4, 80, 20), stamp, theme.muted)
        statistics = self._statistics.get(entry.key)
        if statistics is None:
            return
        figures = (
            ("mean", format_value(statistics.mean)),
            ("p95", format_value(statistics.p95)),
            ("max", format_value(statistics.maximum)),
            ("n", f"{statistics.n:,}"),
        )
        for number, (name, value) in enumerate(figures):
            y = 26 + number * 15
            if y + 14 > self.height():
                break
            write(painter, QRectF(8, y, 50, 14), text(f"ui.charts.statistic.{name}"), theme.muted)
            self._right(painter, value, y, 14, theme.text)

    def _paint_several(self, painter: QPainter) -> None:
        most = lines_that_fit(self.height(), len(self._entries), note=self._note)
        for number, entry in enumerate(self._entries[:most]):
            y = 7 + number * _LINE_PX
            painter.setFont(font_of(self, SMALL_PX, bold=True))
            self._right(painter, format_value(self._values.get(entry.key), 3), y, 16, entry.colour)
            statistics = self._statistics.get(entry.key)
            if statistics is not None:
                painter.setFont(font_of(self, SMALL_PX))
                words = f"⌀ {format_value(statistics.mean, 3)}"
                write(painter, QRectF(6, y, 60, 16), words, current_theme().muted)


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
        theme, painter = current_theme(), painter_on(self, "surface")
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
