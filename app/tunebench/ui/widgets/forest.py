"""What engagements measured of one change: a diamond for their mean, then a dot and the line of an interval each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.columns.formats import ratio_text
from tunebench.columns.value_axis import ValueAxis, axis_of
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, painter_on, write
from tunebench.ui.look.theme import SPACE_S, current_theme
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.usecases.archiving import words
from tunebench.usecases.archiving.experience import Effect, MeasuredRatio

ROW_PX, AXIS_PX, DOT_PX = 20, 22, 4.0
_WORDS_SHARE = 0.3


class Forest(QWidget):
    """Hidden without an effect that anybody measured. A hollow dot was rolled back; more than 1 is better."""

    def __init__(self) -> None:
        super().__init__()
        self._effect: Effect | None = None
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_effect(self, effect: Effect | None) -> None:
        self._effect = effect if effect is not None and effect.ratios else None
        if self._effect is not None:
            facts = {"change": self._effect.change, "metric": self._effect.metric}
            figures = "; ".join(f"{row.title}: {ratio_text(row.ratio)}x" for row in self._effect.ratios)
            self.setAccessibleName(text("ui.archive.forest", ratios=figures, **facts))
        self.setMinimumHeight(self.sizeHint().height())
        self.setVisible(self._effect is not None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        rows = len(self._effect.ratios) + (self._effect.mean is not None) if self._effect else 0
        return QSize(420, rows * ROW_PX + AXIS_PX + SPACE_S)

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        effect = self._effect
        if effect is None:
            return
        painter = painter_on(self, smooth=True)
        side = int(self.width() * _WORDS_SHARE)
        rows = len(effect.ratios) + (effect.mean is not None)
        plot = QRectF(side, AXIS_PX, max(self.width() - 2 * side, 60), rows * ROW_PX)
        axis = axis_of(_extent(effect), from_zero=False, most=max(int(plot.width() // 90), 2))
        self._draw_axis(painter, plot, axis)
        if effect.mean is not None and effect.low is not None and effect.high is not None:
            middle = AXIS_PX + 0.5 * ROW_PX
            self._write_beside(painter, plot, middle, text("archive.column.mean"), words.mean_text(effect))
            _draw_mean(painter, plot, axis, (effect.low, effect.mean, effect.high), middle)
        for index, ratio in enumerate(effect.ratios, rows - len(effect.ratios)):
            middle = AXIS_PX + (index + 0.5) * ROW_PX
            self._write_beside(painter, plot, middle, ratio.title, _words(ratio))
            _draw_ratio(painter, plot, axis, ratio, middle)

    def _draw_axis(self, painter: QPainter, plot: QRectF, axis: ValueAxis) -> None:
        theme = current_theme()
        for value, tick in axis.ticks:
            x = _x(plot, axis, value)
            painter.setPen(QPen(theme.grid, 1))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            write(painter, QRectF(x - 50, plot.top() - 18, 100, 16), f"{tick}x", theme.muted, CENTRE)
        painter.setPen(QPen(theme.muted, 1, Qt.PenStyle.DashLine))
        x = _x(plot, axis, 1.0)
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    def _write_beside(self, painter: QPainter, plot: QRectF, middle: float, name: str, figures: str) -> None:
        theme, metrics, top = current_theme(), self.fontMetrics(), middle - ROW_PX / 2
        wide = plot.left() - 2 * SPACE_S
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(wide))
        write(painter, QRectF(SPACE_S, top, wide, ROW_PX), shown, theme.text)
        write(painter, QRectF(plot.right() + SPACE_S, top, wide, ROW_PX), figures, theme.muted)


def _draw_ratio(painter: QPainter, plot: QRectF, axis: ValueAxis, ratio: MeasuredRatio, y: float) -> None:
    theme = current_theme()
    if ratio.low is not None and ratio.high is not None:
        painter.setPen(QPen(theme.accent, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(_x(plot, axis, ratio.low), y), QPointF(_x(plot, axis, ratio.high), y))
    painter.setPen(QPen(theme.accent, 1.5))
    painter.setBrush(theme.surface if ratio.rolled_back else theme.accent)
    painter.drawEllipse(QPointF(_x(plot, axis, ratio.ratio), y), DOT_PX, DOT_PX)


def _draw_mean(
    painter: QPainter, plot: QRectF, axis: ValueAxis, interval: tuple[float, float, float], y: float
) -> None:
    low, mean, high = (_x(plot, axis, value) for value in interval)
    theme = current_theme()
    painter.setPen(QPen(theme.text, 1))
    painter.setBrush(theme.text)
    corners = QPointF(low, y), QPointF(mean, y - DOT_PX - 1), QPointF(high, y), QPointF(mean, y + DOT_PX + 1)
    painter.drawPolygon(QPolygonF(corners))


def _x(plot: QRectF, axis: ValueAxis, value: float) -> float:
    return plot.left() + axis.share(value) * plot.width()


def _words(ratio: MeasuredRatio) -> str:
    """``1.31x (1.20-1.44) · rolled back``"""
    ends = f" ({ratio_text(ratio.low)}-{ratio_text(ratio.high)})" if ratio.low is not None and ratio.high else ""
    back = f" · {text('archive.column.rolled_back')}" if ratio.rolled_back else ""
    return f"{words.ratio_text(ratio.ratio)}{ends}{back}"


def _extent(effect: Effect) -> list[float]:
    """Every end that is drawn, and 1, where nothing changes."""
    values = [1.0, effect.low, effect.high]
    for ratio in effect.ratios:
        values += [ratio.ratio, ratio.low, ratio.high]
    return [value for value in values if value is not None and value > 0]
