"""What may be done with a range that was dragged, and what else moved in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QSizePolicy

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.formats import format_count, format_value
from tunebench.columns.time_ticks import elapsed_text
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.painting import RIGHT, TippedWidget, font_of, painter_on, write
from tunebench.ui.look.theme import SPACE_S, SPACE_XS, current_theme
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.ui.widgets.parts import IconButton, button, column, label, row
from tunebench.usecases.exploring.moved import Moved, MovedSeries

ROW_PX, COLUMN_PX, NAME_PX, FIGURES_PX = 30, 480, 170, 190
TOLD_LEAD_S = 1.0
BELOW_PX = 208


class MovedList(TippedWidget):
    """The series that moved, the strongest first; `chosen` carries the `Strand` of one."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.moved: Moved | None = None
        self.current = 0
        Exhibited(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_moved(self, moved: Moved | None) -> None:
        self.moved, self.current = moved, 0
        self.setVisible(bool(self.rows))
        self.setAccessibleDescription("\n".join(self._sentence(moved_row) for moved_row in self.rows))
        self.updateGeometry()
        self.update()

    @property
    def rows(self) -> Sequence[MovedSeries]:
        return self.moved.rows if self.moved is not None else ()

    def sizeHint(self) -> QSize:
        columns = 2 if self.width() >= 2 * COLUMN_PX else 1
        return QSize(COLUMN_PX, ROW_PX * -(-len(self.rows) // columns))

    def resizeEvent(self, _event: object) -> None:
        self.setFixedHeight(self.sizeHint().height())

    def _box(self, number: int) -> QRectF:
        columns = 2 if self.width() >= 2 * COLUMN_PX else 1
        high = -(-len(self.rows) // columns)
        width = self.width() / columns
        return QRectF(number // high * width, number % high * ROW_PX, width, ROW_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = painter_on(self, "surface", SMALL_PX, smooth=True)
        for number, moved in enumerate(self.rows):
            box = self._box(number)
            if number == self.current and self.hasFocus():
                painter.fillRect(box, current_theme().selected)
            self._paint_row(painter, number, moved, box)

    def _paint_row(self, painter: QPainter, number: int, moved: MovedSeries, box: QRectF) -> None:
        theme, info = current_theme(), moved.strand.info
        write(painter, box.adjusted(4, 0, 0, 0), f"{number + 1}", theme.muted)
        painter.setFont(font_of(self, SMALL_PX, bold=True))
        name = painter.fontMetrics().elidedText(info.label, Qt.TextElideMode.ElideMiddle, NAME_PX - 60)
        width = painter.fontMetrics().horizontalAdvance(name)
        write(painter, QRectF(box.left() + 20, box.top(), width + 4, ROW_PX), name, theme.text)
        painter.setFont(font_of(self, SMALL_PX))
        write(
            painter,
            QRectF(box.left() + 26 + width, box.top(), NAME_PX - width, ROW_PX),
            host_words(info.host),
            theme.muted,
        )
        course = box.adjusted(NAME_PX + 24, 5, -FIGURES_PX - 8, -5)
        self._paint_course(painter, moved, course)
        words = f"{format_value(moved.usual, 3)} → {format_value(moved.value, 3)} {unit_text(info.unit)}".rstrip()
        lead = self.lead_words(moved)
        write(painter, box.adjusted(0, 0, -8, 0), f"{words}   {lead}".rstrip(), theme.text, RIGHT)

    def _paint_course(self, painter: QPainter, moved: MovedSeries, box: QRectF) -> None:
        """Its samples around the range, which is shaded."""
        if self.moved is None or box.width() < 20 or not moved.times_ns.size:
            return
        start_ns, end_ns = self.moved.span
        length_ns = end_ns - start_ns
        painter.fillRect(
            QRectF(box.left() + box.width() / 3, box.top(), box.width() / 3, box.height()), current_theme().selected
        )
        present = ~np.isnan(moved.values)
        values = moved.values[present]
        low, high = min(float(values.min()), moved.usual), max(float(values.max()), moved.usual)
        x = box.left() + (moved.times_ns[present] - start_ns + length_ns) / (3 * length_ns) * box.width()
        y = box.bottom() - (values - low) / ((high - low) or 1.0) * box.height()
        painter.setPen(QPen(current_theme().before, 1.2))
        painter.drawPolyline(QPolygonF([QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]))

    def lead_words(self, moved: MovedSeries) -> str:
        """How much earlier or later than the strongest it moved."""
        first_ns = self.moved.first_ns if self.moved is not None else None
        if first_ns is None or moved.onset_ns is None:
            return ""
        apart_ns = moved.onset_ns - first_ns
        least_s = moved.strand.info.interval_s or TOLD_LEAD_S
        if abs(apart_ns) < least_s * 1e9:
            return ""
        return text("ui.moved.earlier" if apart_ns < 0 else "ui.moved.later", time=elapsed_text(abs(apart_ns)))

    def _sentence(self, moved: MovedSeries) -> str:
        info = moved.strand.info
        return text(
            "ui.moved.row",
            name=f"{host_words(info.host)} {info.label}",
            usual=format_value(moved.usual),
            value=format_value(moved.value),
            unit=unit_text(info.unit),
            z=f"{abs(moved.z):.1f}",
        )

    def _at(self, point: QPointF) -> int | None:
        return next((number for number in range(len(self.rows)) if self._box(number).contains(point)), None)

    def tip_at(self, point: QPointF) -> str:
        number = self._at(point)
        return self._sentence(self.rows[number]) if number is not None else ""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if number is not None:
            self.current = number
            self.chosen.emit(self.rows[number].strand)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and self.rows:
            self.current = min(max(self.current + step, 0), len(self.rows) - 1)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.rows:
            self.chosen.emit(self.rows[self.current].strand)
        else:
            super().keyPressEvent(event)


class RangePanel(QFrame):
    """Signals carry the range; `noted` also the words. `closed` comes however it ends."""

    zoomed = Signal(object)
    side_set = Signal(str, object)
    noted = Signal(object, str)
    pinned = Signal(object)
    window_asked = Signal(object)
    exclusion_asked = Signal(object)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._range = TimeRange(0, 1)
        self._moved: Moved | None = None
        self.setProperty("card", "true")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.heading, self.when = label(role="strong"), label(role="small")
        self.says = label(role="small", wrap=True)
        self.list = MovedList()
        self.zoom = self._button("ui.timeline.range.zoom", self.zoomed)
        self.before = self._button("ui.timeline.range.before", self.side_set, "before")
        self.after = self._button("ui.timeline.range.after", self.side_set, "after")
        self.note = translated(button(on_click=self._begin_note), "ui.timeline.range.note")
        self.pin = self._button("ui.pinned.range", self.pinned)
        self.keep = self._button("ui.window.new", self.window_asked)
        self.exclude = self._button("ui.window.exclude", self.exclusion_asked)
        self.field = translated(
            QLineEdit(), placeholderText="ui.timeline.range.note.hint", accessibleName="ui.timeline.range.note.hint"
        )
        self.field.returnPressed.connect(self._keep_note)
        close = IconButton("close", self.dismiss, key="ui.message.close")
        acts = row(*self.buttons, 1, spacing=SPACE_XS)
        parts = (row(self.heading, self.when, 1, close), acts, self.field, self.list, self.says, 1)
        self.setLayout(column(*parts, spacing=SPACE_XS, margins=SPACE_S))
        self.hide()

    def _button(self, key: str, signal: SignalInstance, *facts: str) -> QPushButton:
        """Ends with `signal`, which carries the facts and the range."""
        return translated(button(on_click=lambda: self._finish(signal, *facts, self._range)), key)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        return (self.zoom, self.before, self.after, self.keep, self.exclude, self.note, self.pin)

    def open_with(self, picked: TimeRange, words: str, *, writable: bool) -> None:
        """Shows the range; what moved in it is told by `show_moved`, later."""
        self._range = picked
        self.when.setText(words)
        self.setAccessibleName(words)
        for control in (self.keep, self.exclude, self.note, self.pin):
            control.setEnabled(writable)
        self.field.hide()
        self.field.clear()
        self.show_moved(None)
        self.show()
        self.zoom.setFocus()

    def show_moved(self, moved: Moved | None) -> None:
        """
        Args:
            moved: None while it is reckoned.
        """
        self._moved = moved
        self.list.show_moved(moved)
        self.refresh()

    def refresh(self) -> None:
        moved = self._moved
        if moved is None:
            self.heading.setText(text("ui.moved.reading"))
            self.says.clear()
            return
        counts = {"count": format_count(moved.count), "judged": format_count(moved.judged)}
        key = "heading" if moved.count else "nothing" if moved.judged else "unjudged"
        self.heading.setText(text(f"ui.moved.{key}", **counts))
        self.list.setAccessibleName(self.heading.text().replace(": ", " "))
        still = [text("ui.moved.host", host=host_words(host)) for host in moved.still_hosts]
        still += [text(f"ui.moved.family.{family}") for family in moved.still]
        basis = text("ui.moved.by_days" if moved.by_days else "ui.moved.around")
        self.says.setText(" · ".join([text("ui.moved.still", things=", ".join(still))] * bool(still) + [basis]))

    @property
    def height_px(self) -> int:
        """What it takes below the plots: the room of its rows, until it is known that there are none."""
        return BELOW_PX if self._moved is None or self._moved.rows else self.sizeHint().height()

    def dismiss(self) -> None:
        if self.isVisible():
            mark_stored(self.field)
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            for control in self.buttons:
                if control.hasFocus():
                    control.click()
        else:
            super().keyPressEvent(event)

    def _finish(self, signal: SignalInstance, *carried: object) -> None:
        signal.emit(*carried)
        self.dismiss()

    def _begin_note(self) -> None:
        self.field.show()
        self.field.setFocus()

    def _keep_note(self) -> None:
        words = self.field.text().strip()
        if words:
            self._finish(self.noted, self._range, words)
