"""Two factors as a grid: each cell its figure, its ground the darker the larger it is, hatched where not measured."""

from __future__ import annotations

from math import log

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from tunebench.analysis.experiments.slices import Slice
from tunebench.columns.formats import rounded_text
from tunebench.columns.value_axis import is_wide
from tunebench.domain.engagement import Direction
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import CENTRE, TippedWidget, write
from tunebench.ui.look.theme import SPACE_S, current_theme
from tunebench.ui.widgets.exhibit import Exhibited

CELL_PX, LEAST_WIDE, USUAL_WIDE, MOST_WIDE, HEAD_PX = 34, 64, 96, 132, 40
DEEPEST = 0.55


class HeatMap(TippedWidget):
    def __init__(self) -> None:
        super().__init__()
        self._slice: Slice | None = None
        self._unit, self._direction = "", Direction.NEUTRAL
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_slice(self, grid: Slice | None, unit: str, direction: Direction) -> None:
        self._slice, self._unit, self._direction = grid, unit, direction
        self.setAccessibleName(text("ui.experiments.chart.heat", cells=_cells_text(grid)) if grid else "")
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return self._size(USUAL_WIDE)

    def minimumSizeHint(self) -> QSize:
        return self._size(LEAST_WIDE)

    def _size(self, cell_px: int) -> QSize:
        rows, columns = self._shape()
        return QSize(self._names_px() + columns * cell_px + 2, HEAD_PX + rows * CELL_PX + 2)

    def _shape(self) -> tuple[int, int]:
        return (len(self._slice.first_levels), len(self._slice.second_levels)) if self._slice else (0, 0)

    def _names_px(self) -> int:
        if self._slice is None:
            return 0
        metrics = self.fontMetrics()
        words = (self._slice.first, *self._slice.first_levels)
        return min(max(metrics.horizontalAdvance(word) for word in words) + 2 * SPACE_S, 200)

    def _cell_px(self) -> float:
        _rows, columns = self._shape()
        return min(max((self.width() - self._names_px() - 2) / max(columns, 1), LEAST_WIDE), MOST_WIDE)

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._slice is None:
            return
        painter = QPainter(self)
        self._draw_heads(painter, self._slice)
        shares = _shares(self._slice)
        best = _best(self._slice, self._direction)
        for row, values in enumerate(self._slice.values):
            for column, value in enumerate(values):
                at = self._rect(row, column)
                self._draw_cell(painter, at, value, shares[row][column], (row, column) == best)

    def _rect(self, row: int, column: int) -> QRectF:
        wide = self._cell_px()
        return QRectF(self._names_px() + column * wide, HEAD_PX + row * CELL_PX, wide - 2, CELL_PX - 2)

    def _draw_heads(self, painter: QPainter, grid: Slice) -> None:
        theme, metrics = current_theme(), self.fontMetrics()
        left, wide = self._names_px(), self._cell_px()
        corner = f"{grid.first} ↓" if grid.second else grid.first
        write(painter, QRectF(0, HEAD_PX / 2, left - SPACE_S, HEAD_PX / 2), corner, theme.muted)
        if grid.second:
            write(painter, QRectF(left, 0, self.width() - left, HEAD_PX / 2), f"{grid.second} →", theme.muted)
        for column, name in enumerate(grid.second_levels):
            words = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, int(wide) - 6)
            at = QRectF(left + column * wide, HEAD_PX / 2, wide - 2, HEAD_PX / 2)
            write(painter, at, words, theme.text, CENTRE)
        for row, name in enumerate(grid.first_levels):
            words = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, left - SPACE_S)
            write(painter, QRectF(0, HEAD_PX + row * CELL_PX, left - SPACE_S, CELL_PX - 2), words, theme.text)

    def _draw_cell(self, painter: QPainter, at: QRectF, value: float | None, share: float, best: bool) -> None:
        theme = current_theme()
        if value is None:
            painter.fillRect(at, QBrush(theme.gap, Qt.BrushStyle.BDiagPattern))
            write(painter, at, "–", theme.muted, CENTRE)
            return
        painter.fillRect(at, theme.tint(theme.after, 0.06 + share * (DEEPEST - 0.06)))
        write(painter, at, f"★ {rounded_text(value)}" if best else rounded_text(value), theme.text, CENTRE)

    def tip_at(self, point: QPointF) -> str:
        grid = self._slice
        column, row = int((point.x() - self._names_px()) // self._cell_px()), int((point.y() - HEAD_PX) // CELL_PX)
        if grid is None or not (0 <= row < len(grid.first_levels) and 0 <= column < len(grid.second_levels)):
            return ""
        value = grid.values[row][column]
        if value is None:
            return text("ui.experiments.not_measured")
        second = f" · {grid.second}={grid.second_levels[column]}" if grid.second else ""
        where = f"{grid.first}={grid.first_levels[row]}{second}"
        words = f"{value:,.6g} {unit_text(self._unit)}".rstrip()
        return text("ui.experiments.chart.cell", where=where, value=words, n=grid.runs[row][column])


def _cells_text(grid: Slice) -> str:
    return "; ".join(
        f"{first} {second}: {rounded_text(value)}".replace("  ", " ")
        for first, values in zip(grid.first_levels, grid.values, strict=True)
        for second, value in zip(grid.second_levels, values, strict=True)
    )


def _shares(grid: Slice) -> list[list[float]]:
    """0 for the smallest, 1 for the largest; on logarithms where the values span decades."""
    values = [value for row in grid.values for value in row if value is not None]
    wide = is_wide(values)

    def place(value: float) -> float:
        return log(value) if wide else value

    low, high = (place(min(values)), place(max(values))) if values else (0.0, 0.0)
    return [
        [(place(value) - low) / (high - low) if value is not None and high > low else 0.0 for value in row]
        for row in grid.values
    ]


def _best(grid: Slice, direction: Direction) -> tuple[int, int] | None:
    places = [
        (value, (row, column))
        for row, values in enumerate(grid.values)
        for column, value in enumerate(values)
        if value is not None
    ]
    if direction is Direction.NEUTRAL or len(places) < 2:
        return None
    return (max if direction is Direction.HIGHER else min)(places)[1]
