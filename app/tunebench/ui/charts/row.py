"""One row of the stack: a line of words, and under it the plot. The line says what is drawn, its figures over the
windows (else over all that is shown), and its value under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from zoneinfo import ZoneInfo

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDrag,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QWidget

from tunebench.analysis.exploring.grid import on_grid
from tunebench.analysis.exploring.time_scale import CELL_PX, cells_of
from tunebench.analysis.series import Envelope
from tunebench.analysis.statistics import Statistics
from tunebench.columns.formats import format_value
from tunebench.columns.time_ticks import stamp_text
from tunebench.core.records import record
from tunebench.ui.charts.canvas import ChartCanvas
from tunebench.ui.charts.gestures import Gestures
from tunebench.ui.charts.line_painter import line_pen
from tunebench.ui.links import timeline_link
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import font_of, painter_on, write
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, add_copies, window_words
from tunebench.ui.widgets.parts import IconButton, column, name_button

HEAD_PX = 20
ROW_MIME = "application/x-tunebench-row"
SERIES_MIME = "application/x-tunebench-series"
ROW_PX = 96
TALLEST_ROW_PX = 420
CROWDED_ROW_PX = 150
EDGE_PX, SWATCH_PX, APART_PX, CLOSE_PX = 8, 10, 12, 48
VIEW = ""
"""The side of statistics that are of all that is shown."""


@record
class Entry:
    """One series of a row, in words."""

    key: int
    name: str
    unit: str
    place: str
    colour: QColor
    meaning: str = ""
    pinned: bool = False
    goal: str = ""


SideStatistics = Mapping[str, Statistics]
"""By side: ``before``, ``after``, or `VIEW` where no windows are shown."""


@record
class Word:
    """A piece of the line above a plot."""

    words: str
    colour: QColor
    bold: bool = False
    swatch: QColor | None = None
    dashed: bool = False


class RowHead(QWidget):
    """One line above the plot: what is drawn at the left, its figures at the right; drag it to move the row."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row_id = 0
        self.entries: list[Entry] = []
        self.note = ""
        self._values: dict[int, float] = {}
        self._stamps: dict[int, str] = {}
        self._statistics: Mapping[int, SideStatistics] = {}
        self._from: QPointF | None = None
        self.setFixedHeight(HEAD_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def show_entries(self, entries: Sequence[Entry], note: str) -> None:
        self.entries, self.note = list(entries), note
        self._say()

    def show_values(self, values: dict[int, float], stamps: dict[int, str]) -> None:
        """Series id -> value, and the exact stamp of the sample it is."""
        if (values, stamps) != (self._values, self._stamps):
            self._values, self._stamps = values, stamps
            self.update()

    def show_statistics(self, statistics: Mapping[int, SideStatistics]) -> None:
        self._statistics = statistics
        self._say()

    def _say(self) -> None:
        tips = ["\n".join([self._tip(entry), *self._sentences(entry)]) for entry in self.entries[:12]]
        self.setToolTip("\n\n".join(tips))
        self.update()

    def _tip(self, entry: Entry) -> str:
        head = f"{entry.name} [{entry.unit}]" if entry.unit else entry.name
        head = f"{head} ◆ {text('ui.charts.pinned')}" if entry.pinned else head
        return "\n".join(part for part in (head, entry.place, entry.meaning) if part)

    def _sentences(self, entry: Entry) -> list[str]:
        return [
            text(
                "ui.timeline.row.statistics",
                name=_side_words(side) or entry.name,
                n=f"{s.n:,}",
                mean=format_value(s.mean),
                p50=format_value(s.p50),
                p95=format_value(s.p95),
                maximum=format_value(s.maximum),
                missing=f"{s.missing:,}",
            )
            for side, s in self._statistics.get(entry.key, {}).items()
        ]

    def sentences(self) -> list[str]:
        """All figures in words, for assistive technology."""
        return [sentence for entry in self.entries for sentence in self._sentences(entry)]

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, "", SMALL_PX)
        figures = self._figures() if len(self.entries) == 1 else []
        right = float(self.width() - CLOSE_PX)
        for word in reversed(figures):
            right -= self._width(word)
            self._paint(painter, word, right)
            right -= APART_PX
        left = float(EDGE_PX)
        names = self._names()
        for number, word in enumerate(names):
            rest = len(names) - number
            more = Word(text("ui.timeline.row.more", n=rest), current_theme().muted)
            if left + self._width(word) > right - (self._width(more) + APART_PX if rest > 1 else 0):
                self._paint(painter, self._shortened(word, right - left) if number == 0 else more, left)
                return
            self._paint(painter, word, left)
            left += self._width(word) + APART_PX

    def _names(self) -> list[Word]:
        theme = current_theme()
        if len(self.entries) == 1:
            entry = self.entries[0]
            aside = " · ".join(part for part in (entry.unit, entry.place) if part)
            pin = [Word("◆", theme.accent)] if entry.pinned else []
            goal = [Word(entry.goal, theme.warning, swatch=theme.warning, dashed=True)] if entry.goal else []
            return [Word(entry.name, theme.text, bold=True), *goal, Word(aside, theme.muted), *pin]
        note = [Word(self.note, theme.muted)] if self.note else []
        return [*note, *(self._several(entry) for entry in self.entries)]

    def _several(self, entry: Entry) -> Word:
        means = " → ".join(format_value(s.mean, 3) for s in self._statistics.get(entry.key, {}).values())
        at_cursor = self._values.get(entry.key)
        figure = f"= {format_value(at_cursor, 3)}" if at_cursor is not None else f"⌀ {means}" if means else ""
        words = " ".join(part for part in (entry.name, figure, entry.unit) if part)
        return Word(f"{words} ◆" if entry.pinned else words, current_theme().text, swatch=entry.colour)

    def _figures(self) -> list[Word]:
        """Mean and p95 of each side, and the value under the cross-hair."""
        theme, entry = current_theme(), self.entries[0]
        sides = self._statistics.get(entry.key, {})
        words = [
            Word(
                text("ui.timeline.row.figures", mean=format_value(s.mean), p95=format_value(s.p95)),
                theme.phase_colour(side) if side else theme.muted,
                swatch=theme.phase_colour(side) if side else None,
                dashed=side == "after",
            )
            for side, s in sides.items()
            if s.n
        ]
        if entry.key in self._values:
            stamp, value = self._stamps.get(entry.key, ""), format_value(self._values[entry.key])
            words.append(Word(f"{stamp}  {value}".strip(), theme.accent, bold=True))
        return words

    def _metrics(self, word: Word) -> QFontMetricsF:
        return QFontMetricsF(font_of(self, SMALL_PX, bold=word.bold))

    def _width(self, word: Word) -> float:
        swatch = SWATCH_PX + 4 if word.swatch is not None else 0
        return self._metrics(word).horizontalAdvance(word.words) + swatch + 2

    def _shortened(self, word: Word, room: float) -> Word:
        elided = self._metrics(word).elidedText(word.words, Qt.TextElideMode.ElideMiddle, room - SWATCH_PX)
        return replace(word, words=elided)

    def _paint(self, painter: QPainter, word: Word, left: float) -> None:
        if word.swatch is not None:
            painter.setPen(line_pen(word.swatch, word.dashed))
            painter.drawLine(QPointF(left, HEAD_PX / 2), QPointF(left + SWATCH_PX, HEAD_PX / 2))
            left += SWATCH_PX + 4
        painter.setFont(font_of(self, SMALL_PX, bold=word.bold))
        write(painter, QRectF(left, 0, self._width(word), HEAD_PX), word.words, word.colour)

    # --- moving the row
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


def _side_words(side: str) -> str:
    return text(f"ui.compare.side.{side}") if side else ""


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
        self.head = RowHead(self)
        self.head.row_id = row_id
        self.entries: list[Entry] = []
        self._close = IconButton("close", lambda: self.removed.emit(self.row_id))
        self._close.setParent(self.head)
        self._close.setFixedSize(20, 20)
        self._close.setStyleSheet("padding: 0; min-height: 0;")
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close.hide()
        self.setLayout(column(self.head, (self.canvas, 1), spacing=0, margins=(0, 0, 0, 1)))
        self.zone = ZoneInfo("UTC")
        Exhibited(self, self.exhibit, self.link)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(ROW_PX)
        self.setMaximumHeight(TALLEST_ROW_PX)
        self.head.pressed.connect(self.setFocus)
        self.canvas.clicked.connect(lambda _time: self.setFocus())

    def exhibit(self) -> Exhibit:
        """Every line's mean in cells as wide as a few pixels, on the clock of the time line."""
        starts, ends = cells_of(self.canvas.scale, self.canvas.area.width() / CELL_PX)
        lines: dict[str, list[Envelope]] = {}
        for line in self.canvas.lines:
            lines.setdefault(f"{line.name} [{line.unit}]" if line.unit else line.name, []).extend(
                [line.envelope] if line.envelope is not None else []
            )
        values = [on_grid(envelopes, starts, ends).tolist() for envelopes in lines.values()]
        rows = [
            [stamp_text(start, self.zone), *("" if isnan(value) else f"{value:.6g}" for value in row)]
            for start, *row in zip(starts.tolist(), *values, strict=True)
            if not all(map(isnan, row))
        ]
        places = dict.fromkeys(entry.place for entry in self.entries)
        title = ", ".join(f"{entry.name} {entry.unit}".strip() for entry in self.entries[:4])
        source = " · ".join(filter(None, (window_words(self), *places)))
        return Exhibit(title, [[text("ui.charts.table.time"), *lines], *rows], source)

    def link(self) -> str:
        """These series over what is in sight."""
        return timeline_link([line.key for line in self.canvas.lines], self.canvas.view.ends)

    def show_entries(self, entries: Sequence[Entry], note: str = "") -> None:
        self.entries = list(entries)
        self.head.show_entries(entries, note)
        units = {entry.unit for entry in entries}
        self.canvas.unit = units.pop() if len(units) == 1 else ""
        self.setMinimumHeight(CROWDED_ROW_PX if note else ROW_PX)
        self.name_for_reader()

    def show_statistics(self, statistics: Mapping[int, SideStatistics]) -> None:
        self.head.show_statistics({e.key: statistics[e.key] for e in self.entries if e.key in statistics})
        self.setAccessibleDescription("\n".join(self.head.sentences()))

    def show_readings(self, readings: Mapping[int, tuple[int, float]], zone: ZoneInfo) -> None:
        own = {e.key: readings[e.key] for e in self.entries if e.key in readings}
        stamps = {key: stamp_text(time_ns, zone, with_date=False, with_zone=False) for key, (time_ns, _) in own.items()}
        self.head.show_values({key: value for key, (_, value) in own.items()}, stamps)

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
        self._close.move(self.width() - 46, 0)
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
        add_copies(menu, self)
        menu.addSeparator()
        menu.addAction(text("ui.timeline.row.remove"), lambda: self.removed.emit(self.row_id))
        return menu
