"""Cells from best to worst: a dot at the median, a line over its 95 % interval, small ticks at the extremes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.columns.formats import rounded_text
from tunebench.columns.value_axis import ValueAxis, axis_of
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.look.painting import CENTRE, painter_on, write
from tunebench.ui.look.theme import SPACE_S, current_theme, tone_colour
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.usecases.experiments.result_columns import RankedRow, verdict_tone, verdict_words

ROW_PX, AXIS_PX, DOT_PX = 22, 22, 4.0


class RankingChart(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[RankedRow, ...] = ()
        self._unit = ""
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[RankedRow], unit: str) -> None:
        self._rows = tuple(row for row in rows if row.figures.median is not None)
        self._unit = unit
        medians = "; ".join(f"{row.name}: {rounded_text(row.figures.median)}" for row in self._rows)
        self.setAccessibleName(text("ui.experiments.chart.ranking", rows=medians))
        self.setVisible(bool(self._rows))
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, len(self._rows) * ROW_PX + AXIS_PX + 2)

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter = painter_on(self, smooth=True)
        metrics = self.fontMetrics()
        names = [_name(row) for row in self._rows]
        unit = metrics.horizontalAdvance(f"{unit_text(self._unit)} 0.000")  # it stands before half a number of the axis
        wide = max(unit, *(metrics.horizontalAdvance(name) + 2 for name in names))
        left = min(wide + SPACE_S, int(self.width() * 0.38))
        beside = max(metrics.horizontalAdvance(_beside(row)) for row in self._rows) + SPACE_S
        plot = QRectF(left, AXIS_PX, max(self.width() - left - beside - SPACE_S, 60), len(self._rows) * ROW_PX)
        axis = axis_of(_extent(self._rows), most=max(int(plot.width() // 90), 2))
        self._draw_axis(painter, plot, axis)
        for index, row in enumerate(self._rows):
            middle = AXIS_PX + index * ROW_PX + ROW_PX / 2
            shown = metrics.elidedText(names[index], Qt.TextElideMode.ElideMiddle, left - SPACE_S)
            write(painter, QRectF(0, middle - ROW_PX / 2, left - SPACE_S, ROW_PX), shown, current_theme().text)
            self._draw_row(painter, plot, axis, row, middle)
            self._draw_beside(painter, row, plot.right() + SPACE_S, middle)

    def _draw_axis(self, painter: QPainter, plot: QRectF, axis: ValueAxis) -> None:
        theme = current_theme()
        for value, words in axis.ticks:
            x = plot.left() + axis.share(value) * plot.width()
            painter.setPen(QPen(theme.grid, 1))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            write(painter, QRectF(x - 50, plot.top() - 18, 100, 16), words, theme.muted, CENTRE)
        scale = text("ui.experiments.chart.log") if axis.wide else ""
        words = " · ".join(part for part in (unit_text(self._unit), scale) if part)
        first = self.fontMetrics().horizontalAdvance(axis.ticks[0][1]) / 2 if axis.ticks else 0
        aside = QRectF(0, plot.top() - 18, plot.left() - SPACE_S - first, 16)
        write(painter, aside, words, theme.muted, Qt.AlignmentFlag.AlignRight)

    def _draw_row(self, painter: QPainter, plot: QRectF, axis: ValueAxis, row: RankedRow, y: float) -> None:
        theme = current_theme()
        colour = tone_colour(verdict_tone(row.compared.verdict)) if row.compared is not None else theme.text

        def x(value: float) -> float:
            return plot.left() + axis.share(value) * plot.width()

        figures = row.figures
        if figures.n > 1 and figures.minimum is not None and figures.maximum is not None:
            painter.setPen(QPen(theme.muted, 1))
            painter.drawLine(QPointF(x(figures.minimum), y), QPointF(x(figures.maximum), y))
            for end in (figures.minimum, figures.maximum):
                painter.drawLine(QPointF(x(end), y - 3), QPointF(x(end), y + 3))
        if figures.interval is not None:
            painter.setPen(QPen(colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLine(QPointF(x(figures.interval.low), y), QPointF(x(figures.interval.high), y))
        assert figures.median is not None
        painter.setPen(QPen(colour, 1.5))
        painter.setBrush(theme.surface if row.is_reference else colour)
        dot = QPointF(x(figures.median), y)
        if row.is_reference:  # the reference is a square, all others are dots
            painter.drawRect(QRectF(dot.x() - DOT_PX, dot.y() - DOT_PX, 2 * DOT_PX, 2 * DOT_PX))
        else:
            painter.drawEllipse(dot, DOT_PX, DOT_PX)

    def _draw_beside(self, painter: QPainter, row: RankedRow, x: float, y: float) -> None:
        colour = tone_colour("muted" if row.compared is None else verdict_tone(row.compared.verdict))
        write(painter, QRectF(x, y - ROW_PX / 2, self.width() - x, ROW_PX), _beside(row), colour)


def _name(row: RankedRow) -> str:
    return f"{row.place}. {row.name}" if row.place is not None else row.name


def _beside(row: RankedRow) -> str:
    words = text("ui.experiments.reference") if row.compared is None else verdict_words(row.compared, window_locale())
    return f"{rounded_text(row.figures.median)}   {words}"


def _extent(rows: Sequence[RankedRow]) -> list[float]:
    values = []
    for row in rows:
        ends = (row.figures.minimum, row.figures.maximum, row.figures.median)
        values += [end for end in ends if end is not None]
    return values
