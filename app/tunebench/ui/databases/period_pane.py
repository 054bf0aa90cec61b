"""The calendar of snapshots (a row per run and day, a box per period, as dark as the database was busy) with what is
known of the chosen period, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from tunebench.columns.formats import format_value
from tunebench.columns.time_ticks import weekday_text
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.painting import font_of
from tunebench.ui.look.theme import SPACE_S, SPACE_XS, current_theme
from tunebench.ui.widgets.parts import button, column, label, row, selectable
from tunebench.usecases.databases.period_book import Box, Cell, Day, days, summary
from tunebench.usecases.databases.period_words import cell_words, legend, signs_of
from tunebench.usecases.databases.words import source_text

HEAD_PX, ROW_PX, DAY_PX, EDGE_PX, RUN_PX = 20, 22, 128, 8, 22
LIGHTEST, DARKEST = 0.06, 0.52
"""Share of the accent over the surface, so that the words in a box stay readable."""
LEAST_BOX_PX = 7.0
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class PeriodCalendar(QAbstractScrollArea):
    """Signals:
    picked: number of the period under mouse or keyboard.
    entered: the same, by Enter or a double click.
    """

    picked = Signal(int)
    entered = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.cells: Sequence[Cell] = ()
        self.days: list[Day] = []
        self.chosen = -1
        self._runs: Mapping[int, str] = {}
        self._zone = ZoneInfo("UTC")
        self._busiest = 0.0
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(ROW_PX)
        translated(self, accessibleName="ui.profile.calendar")

    def show_cells(self, cells: Sequence[Cell], runs: Mapping[int, str], zone: ZoneInfo) -> None:
        self.cells, self._runs, self._zone = list(cells), runs, zone
        self.days = days(cells, zone)
        self._busiest = max((cell.sessions or 0.0 for cell in cells), default=0.0)
        self.chosen = -1
        self.verticalScrollBar().setValue(0)
        self._range()
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleDescription(self.words(self.chosen))
        self.viewport().update()

    def words(self, number: int) -> str:
        if not 0 <= number < len(self.cells):
            return ""
        cell = self.cells[number]
        return cell_words(cell, self._runs.get(cell.run_id, ""), window_locale(self._zone))

    # --- geometry
    def _top(self, number: int) -> float:
        """The top of a day's row below the heading, before scrolling."""
        heads = sum(day.heads for day in self.days[: number + 1])
        return number * ROW_PX + heads * RUN_PX

    def _height(self) -> float:
        return len(self.days) * ROW_PX + sum(day.heads for day in self.days) * RUN_PX + EDGE_PX

    def _range(self) -> None:
        room = self.viewport().height() - HEAD_PX
        self.verticalScrollBar().setPageStep(max(room, ROW_PX))
        self.verticalScrollBar().setRange(0, max(round(self._height() - room), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._range()
        super().resizeEvent(event)

    def _x(self, hours: float) -> float:
        return DAY_PX + hours / 24 * max(self.viewport().width() - DAY_PX - EDGE_PX, 24)

    def box_of(self, number: int, box: Box) -> QRectF:
        """The area of a day's box in the viewport."""
        top = HEAD_PX + self._top(number) - self.verticalScrollBar().value()
        left = self._x(box.left) if self.days[number].day else DAY_PX + box.left * 40
        right = self._x(box.right) if self.days[number].day else left + 36
        return QRectF(left, top + 1, max(right - left, LEAST_BOX_PX), ROW_PX - 2)

    def box_at(self, position: QPointF) -> int:
        """Number of the period there, -1 where there is none."""
        if position.y() < HEAD_PX:
            return -1
        for line, day in enumerate(self.days):
            for box in reversed(day.boxes):
                if self.box_of(line, box).contains(position):
                    return box.cell
        return -1

    def place_of(self, number: int) -> QRectF | None:
        """The first box of a period; None where it is on no day."""
        boxes = ((row, box) for row, day in enumerate(self.days) for box in day.boxes if box.cell == number)
        return next((self.box_of(row, box) for row, box in boxes), None)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(font_of(self, SMALL_PX))
        theme, height = current_theme(), self.viewport().height()
        painter.fillRect(self.viewport().rect(), theme.surface)
        painter.save()
        painter.setClipRect(0, HEAD_PX, self.viewport().width(), height - HEAD_PX)
        for hour in range(0, 25, 6):
            painter.fillRect(QRectF(self._x(hour), HEAD_PX, 1, height), theme.grid)
        for number, day in enumerate(self.days):
            top = HEAD_PX + self._top(number) - self.verticalScrollBar().value()
            if top > height or top + ROW_PX < HEAD_PX - RUN_PX:
                continue
            self._paint_day(painter, number, day, top)
        painter.restore()
        self._paint_hours(painter)
        painter.end()

    def _paint_hours(self, painter: QPainter) -> None:
        painter.setPen(current_theme().muted)
        for hour in range(0, 25, 3):
            box = QRectF(self._x(hour) - 20, 0, 40, HEAD_PX)
            if hour in (0, 24):
                box.moveLeft(self._x(hour) if hour == 0 else self._x(hour) - 40 + EDGE_PX - 2)
            side = {0: Qt.AlignmentFlag.AlignLeft, 24: Qt.AlignmentFlag.AlignRight}
            across = side.get(hour, Qt.AlignmentFlag.AlignHCenter)
            painter.drawText(box, across | Qt.AlignmentFlag.AlignVCenter, f"{hour:02d}")

    def _paint_day(self, painter: QPainter, number: int, day: Day, top: float) -> None:
        theme = current_theme()
        if day.heads:
            painter.setPen(theme.text)
            box = QRectF(EDGE_PX, top - RUN_PX, self.viewport().width() - 2 * EDGE_PX, RUN_PX)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._runs.get(day.run_id, ""))
        painter.setPen(theme.muted)
        box = QRectF(EDGE_PX, top, DAY_PX - EDGE_PX - 4, ROW_PX)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.day_words(day))
        for day_box in day.boxes:
            self._paint_box(painter, self.box_of(number, day_box), day_box.cell)

    def day_words(self, day: Day) -> str:
        if day.day is None:
            return text("ui.profile.untimed")
        return f"{day.day:%Y-%m-%d} ({weekday_text(day.day, language().code)})"

    def fill(self, cell: Cell) -> QColor:
        theme = current_theme()
        if cell.sessions is None or not self._busiest:
            return theme.surface
        return theme.tint(theme.accent, LIGHTEST + (DARKEST - LIGHTEST) * cell.sessions / self._busiest)

    def _paint_box(self, painter: QPainter, box: QRectF, number: int) -> None:
        theme, cell = current_theme(), self.cells[number]
        valid = cell.period.record.valid
        painter.fillRect(box, self.fill(cell))
        if not valid:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.BDiagPattern)
            painter.fillRect(box, theme.gap)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        signs = signs_of(cell)
        edge = theme.accent if number == self.chosen else theme.critical if not valid else theme.border
        painter.setPen(QPen(edge, 2 if number == self.chosen else 1))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        self._paint_words(painter, box, cell, signs)

    def _paint_words(self, painter: QPainter, box: QRectF, cell: Cell, signs: str) -> None:
        theme = current_theme()
        value = format_value(cell.sessions, 2) if cell.sessions is not None else ""
        wide = painter.fontMetrics().horizontalAdvance
        middle = Qt.AlignmentFlag.AlignCenter
        candidates = (f"{value} {signs}".strip(), signs or value)
        shown = next((words for words in candidates if wide(words) <= box.width() - 2), signs[:1])
        painter.setPen(theme.critical if signs and not cell.period.record.valid else theme.text)
        painter.drawText(box, middle, shown)

    # --- choosing
    def choose(self, number: int) -> None:
        if not 0 <= number < len(self.cells):
            return
        self.chosen = number
        self.setAccessibleDescription(self.words(number))
        self._show(number)
        self.viewport().update()
        self.picked.emit(number)

    def _show(self, number: int) -> None:
        area = self.place_of(number)
        bar = self.verticalScrollBar()
        if area is None:
            return
        if area.top() < HEAD_PX:
            bar.setValue(round(bar.value() + area.top() - HEAD_PX))
        elif area.bottom() > self.viewport().height():
            bar.setValue(round(bar.value() + area.bottom() - self.viewport().height()) + 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.choose(self.box_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        number = self.box_at(event.position())
        if number >= 0:
            self.entered.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self.choose(min(max(self.chosen + _STEPS[key], 0), len(self.cells) - 1))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step_day(-1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.choose(0 if key == Qt.Key.Key_Home else len(self.cells) - 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen >= 0:
            self.entered.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def _step_day(self, by: int) -> None:
        """Chooses the period of about the same hour in the next row."""
        boxes = ((row, box) for row, day in enumerate(self.days) for box in day.boxes)
        here = next((hit for hit in boxes if hit[1].cell == self.chosen), None)
        if here is None:
            self.choose(0)
            return
        row = here[0] + by
        if 0 <= row < len(self.days):
            self.choose(min(self.days[row].boxes, key=lambda box: abs(box.left - here[1].left)).cell)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words(self.box_at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), words, self.viewport())  # without words it goes
            return True
        return super().viewportEvent(event)


class PeriodPane(QWidget):
    """Signals:
    picked: the `Cell` that is looked at.
    time_line_asked, before_asked, after_asked: the `Cell` whose time is to be shown, or to be a side of a comparison.
    """

    picked = Signal(object)
    time_line_asked = Signal(object)
    before_asked = Signal(object)
    after_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self._runs: Mapping[int, str] = {}
        self.calendar = PeriodCalendar()
        self._summary = label(role="small")
        self._legend = label(role="small", wrap=True)
        self._words = selectable(label(wrap=True))
        self.show_on_time_line = translated(
            button(on_click=lambda: self._ask(self.time_line_asked)), "ui.profile.periods.time_line"
        )
        self.as_before = translated(
            button(kind="quiet", on_click=lambda: self._ask(self.before_asked)), "ui.profile.periods.as_before"
        )
        self.as_after = translated(
            button(kind="quiet", on_click=lambda: self._ask(self.after_asked)), "ui.profile.periods.as_after"
        )
        buttons = row(self.show_on_time_line, self.as_before, self.as_after, 1)
        column(
            row(self._summary, 1, margins=(SPACE_S, SPACE_XS, SPACE_S, 0)),
            (self.calendar, 1),
            row(self._legend, margins=(SPACE_S, 0)),
            column(self._words, buttons, spacing=SPACE_XS, margins=(SPACE_S, SPACE_XS, SPACE_S, SPACE_S)),
            spacing=SPACE_XS,
            of=self,
        )
        self.calendar.picked.connect(self._on_picked)
        self.calendar.entered.connect(self._on_entered)

    @property
    def chosen(self) -> Cell | None:
        number = self.calendar.chosen
        return self.calendar.cells[number] if 0 <= number < len(self.calendar.cells) else None

    def show_cells(self, cells: Sequence[Cell], runs: Mapping[int, str], zone: ZoneInfo) -> None:
        self._zone, self._runs = zone, runs
        self.calendar.show_cells(cells, runs, zone)
        self.refresh()

    def refresh(self) -> None:
        count, invalid = summary(self.calendar.cells)
        words = text("ui.profile.periods.count", n=count)
        if invalid:
            words += " · " + text("ui.profile.periods.invalid", n=invalid)
        self._summary.setText(words)
        self._legend.setText(legend(self.calendar.cells, window_locale()))
        self._legend.setVisible(bool(self._legend.text()))
        chosen = self.chosen
        timed = chosen is not None and chosen.period.end_ns is not None
        for control in (self.show_on_time_line, self.as_before, self.as_after):
            control.setEnabled(timed and chosen is not None and not chosen.reaches_back)
        self._words.setText(text("ui.profile.periods.choose") if chosen is None else self._of(chosen))

    def _of(self, cell: Cell) -> str:
        record = cell.period.record
        parts = [cell_words(cell, self._runs.get(cell.run_id, ""), window_locale(self._zone)).replace("\n", " · ", 2)]
        ends = [end.snapshot for end in (record.begin, record.end) if end is not None and end.snapshot is not None]
        facts = [source_text(record.source, language().code)]
        if ends:
            facts.append(text("ui.profile.snapshots", numbers=" – ".join(map(str, ends))))
        return "\n".join([*parts, " · ".join(facts)])

    def _on_picked(self, _number: int) -> None:
        self.refresh()
        if self.chosen is not None:
            self.picked.emit(self.chosen)

    def _on_entered(self, _number: int) -> None:
        if self.show_on_time_line.isEnabled():
            self._ask(self.time_line_asked)

    def _ask(self, signal) -> None:  # type: ignore[no-untyped-def]
        if self.chosen is not None:
            signal.emit(self.chosen)

    def retranslate(self) -> None:
        self.calendar.retranslate()
        self.refresh()
