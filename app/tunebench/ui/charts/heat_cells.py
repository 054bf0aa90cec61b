"""Rows of coloured cells: what each row is called at the left, how high it is at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from tunebench.columns.formats import format_value
from tunebench.core.records import record
from tunebench.ui.charts.ground_painter import side_pen
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.painting import CENTRE, RIGHT, TippedWidget, painter_on, write
from tunebench.ui.look.theme import current_theme, faded
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words

NAMES_PX, BARS_PX, BAR_PX, HEADS_PX = 132, 108, 54, 22
LEAST_ROW_PX, MOST_ROW_PX, NAMED_ROW_PX = 8, 34, 13
LEVELS, LEGEND_PX = 64, 0.75
DRAG_PX = 4
HIGHEST, HIGH_OF_BAD = 99.0, 75.0
"""Percentiles of all cells, and of a row unlike the others."""
HALF = 50.0
"""Per cent: less is no reason for the colour of danger."""

Floats = NDArray[np.float64]


@record(eq=False)
class HeatPicture:
    """
    Attributes:
        names: of the rows, the first at the top.
        values: float64[rows, columns], from 0 on; NaN where nothing was measured.
        columns: left and right end of each, shares of the width.
        heads: words below, each about a share of the width.
        levels: one figure of each row, at its right.
        marked: rows that are unlike the others, or those of a window.
        called: what each column is.
        tip: what is said of a cell.
        framed: side, row, left and right end (shares of the width) of what is compared.
    """

    names: Sequence[str]
    values: Floats
    columns: Sequence[tuple[float, float]]
    heads: Sequence[tuple[float, str]]
    levels: Floats
    marked: frozenset[int]
    faint: frozenset[int]
    unit: str
    called: Sequence[str]
    tip: Callable[[int, int], str]
    framed: Sequence[tuple[str, int, float, float]] = ()

    @property
    def top(self) -> float:
        """What is the darkest colour: a single spike would leave all else pale, and a bad row is to stand out."""
        present = self.values[~np.isnan(self.values)]
        if not present.size:
            return 1.0
        bad = self.values[min(self.marked)] if self.marked else present
        high = max(float(np.percentile(present, HIGHEST)), float(np.nanpercentile(bad, HIGH_OF_BAD)))
        return max(high, HALF if self.unit == "%" else 0.0)


Cells = tuple[int, int, int, int]
"""First and last row, first and last column, ends included."""


class HeatCells(TippedWidget):
    """
    Signals:
        row_chosen: its number.
        dragged: `Cells`.
    """

    row_chosen = Signal(int)
    dragged = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: HeatPicture | None = None
        self.current = 0
        self._from: QPointF | None = None
        self._to = QPointF()
        Exhibited(self, self.exhibit)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_picture(self, picture: HeatPicture | None) -> None:
        self.picture, self.current, self._from = picture, 0, None
        self.update()

    def exhibit(self) -> Exhibit:
        """A line for every row, all of them, with what its cells are called."""
        picture = self.picture
        if picture is None:
            return Exhibit(self.accessibleName(), [])
        lines = [
            [name, *("" if np.isnan(value) else f"{value:.6g}" for value in values.tolist())]
            for name, values in zip(picture.names, picture.values, strict=True)
        ]
        return Exhibit(self.accessibleName(), [[picture.unit, *picture.called], *lines], window_words(self))

    def sizeHint(self) -> QSize:
        return QSize(600, 320)

    # --- geometry
    @property
    def area(self) -> QRectF:
        return QRectF(NAMES_PX, 2, max(self.width() - NAMES_PX - BARS_PX, 10), self.height() - HEADS_PX - 2)

    @property
    def shown_rows(self) -> int:
        """As many as have room; the others are further down in rank."""
        rows = len(self.picture.names) if self.picture is not None else 0
        return min(rows, int(self.area.height() // LEAST_ROW_PX))

    @property
    def row_px(self) -> float:
        return min(self.area.height() / max(self.shown_rows, 1), MOST_ROW_PX)

    @property
    def _foot_px(self) -> float:
        """Where the heads stand: below the last row."""
        return self.area.top() + self.shown_rows * self.row_px

    def row_at(self, y: float) -> int:
        return int((y - self.area.top()) // self.row_px)

    def column_at(self, x: float) -> int | None:
        share = (x - self.area.left()) / self.area.width()
        columns = self.picture.columns if self.picture is not None else ()
        return next((at for at, (left, right) in enumerate(columns) if left <= share < right), None)

    def _box(self, row: int, share: float, end: float) -> QRectF:
        area, high = self.area, self.row_px
        return QRectF(area.left() + share * area.width(), area.top() + row * high, (end - share) * area.width(), high)

    # --- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = painter_on(self, "surface", SMALL_PX)
        picture = self.picture
        if picture is None:
            return
        self._paint_cells(painter, picture)
        theme = current_theme()
        for row in range(self.shown_rows):
            self._paint_row(painter, picture, row)
        for side, row, left, right in picture.framed:
            if row < self.shown_rows:
                frame = self._box(row, left, right).adjusted(1, 1, -1, -1)
                for pen in (QPen(theme.surface, 3), side_pen(side, theme.phase_colour(side))):  # seen on any cell
                    painter.setPen(pen)
                    painter.drawRect(frame)
        for share, words in picture.heads:
            x, width = self.area.left() + share * self.area.width(), painter.fontMetrics().horizontalAdvance(words)
            foot = QRectF(x - width / 2 - 1, self._foot_px, width + 2, HEADS_PX)
            write(painter, foot, words, theme.muted, CENTRE)
        self._paint_legend(painter, picture)
        if self._from is not None:
            painter.fillRect(QRectF(self._from, self._to).normalized(), faded(theme.accent, 0.25))

    def _paint_legend(self, painter: QPainter, picture: HeatPicture) -> None:
        """Below the names: from nothing to the most."""
        foot, most = self._foot_px, f"{format_value(picture.top, 3)} {picture.unit}".rstrip()
        for step, colour in enumerate(colours()):
            painter.fillRect(QRectF(14 + step * LEGEND_PX, foot + 8, LEGEND_PX, 8), colour)
        write(painter, QRectF(2, foot, 10, HEADS_PX), "0", current_theme().muted)
        write(painter, QRectF(20 + LEVELS * LEGEND_PX, foot, 90, HEADS_PX), most, current_theme().muted)

    def _paint_cells(self, painter: QPainter, picture: HeatPicture) -> None:
        rows = self.shown_rows
        image = cell_image(picture.values[:rows], picture.top)
        for column, (left, right) in enumerate(picture.columns):
            target = QRectF(self._box(0, left, right).topLeft(), self._box(rows - 1, left, right).bottomRight())
            painter.drawImage(target, image, QRectF(column, 0, 1, rows))
        if self.row_px >= LEAST_ROW_PX:
            for row in range(1, rows):
                painter.fillRect(
                    QRectF(NAMES_PX, self._box(row, 0, 0).top(), self.area.width(), 1), current_theme().surface
                )

    def _paint_row(self, painter: QPainter, picture: HeatPicture, row: int) -> None:
        theme, box = current_theme(), self._box(row, 0.0, 1.0)
        marked, every = row in picture.marked, max(1, round(NAMED_ROW_PX / self.row_px))
        colour = theme.critical if marked else theme.muted if row in picture.faint else theme.text
        if row % every == 0 or marked:
            metrics = painter.fontMetrics()
            name = metrics.elidedText(
                ("▲ " if marked else "") + picture.names[row], Qt.TextElideMode.ElideMiddle, NAMES_PX - 10
            )
            head = QRectF(0, box.center().y() - NAMED_ROW_PX, NAMES_PX - 8, 2 * NAMED_ROW_PX)
            write(painter, head, name, colour, RIGHT)
        level, most = picture.levels[row], float(np.nanmax(picture.levels)) if picture.levels.size else 0.0
        if not np.isnan(level) and most > 0:
            left = self.area.right() + 8
            bar = QRectF(left, box.top() + 1, BAR_PX * max(level, 0) / most, max(box.height() - 2, 1))
            painter.fillRect(bar, theme.critical if marked else theme.tint(theme.muted, 0.5))
            if row % every == 0:
                foot = QRectF(bar.right() + 4, box.center().y() - NAMED_ROW_PX, 60, 2 * NAMED_ROW_PX)
                write(painter, foot, format_value(float(level), 3), theme.muted)
        if marked or (self.hasFocus() and row == self.current):
            painter.setPen(QPen(theme.critical if marked else theme.accent, 2 if row == self.current else 1))
            painter.drawRect(box.adjusted(-1, 0, 0, -1))

    # --- mouse and keys
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.picture is not None and self.area.contains(event.position()):
            self._from = self._to = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._to = event.position()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        begin, self._from = self._from, None
        self.update()
        row = self.row_at(event.position().y())
        if begin is not None and (event.position() - begin).manhattanLength() >= DRAG_PX:
            self._end_drag(begin, event.position())
        elif self.picture is not None and 0 <= row < self.shown_rows:
            self.current = row
            self.row_chosen.emit(row)

    def _end_drag(self, begin: QPointF, end: QPointF) -> None:
        rows = sorted(min(max(self.row_at(point.y()), 0), self.shown_rows - 1) for point in (begin, end))
        left, right = sorted(
            min(max((point.x() - self.area.left()) / self.area.width(), 0.0), 1.0) for point in (begin, end)
        )
        columns = self.picture.columns if self.picture is not None else ()
        touched = [at for at, (start, stop) in enumerate(columns) if start < right and stop > left]
        if touched:
            self.dragged.emit((rows[0], rows[1], touched[0], touched[-1]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and self.shown_rows:
            self.current = min(max(self.current + step, 0), self.shown_rows - 1)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.shown_rows:
            self.row_chosen.emit(self.current)
        else:
            super().keyPressEvent(event)

    def tip_at(self, point: QPointF) -> str:
        row, column = self.row_at(point.y()), self.column_at(point.x())
        if self.picture is None or not 0 <= row < self.shown_rows:
            return ""
        return self.picture.names[row] if column is None else self.picture.tip(row, column)


def colours() -> list[QColor]:
    """From nothing to the most: the surface, the accent, then the two warnings."""
    theme = current_theme()
    stops = (
        (0.0, theme.tint(theme.accent, 0.06)),
        (0.5, theme.tint(theme.accent, 0.7)),
        (0.75, theme.watch),
        (1.0, theme.critical),
    )
    return [_between(stops, level / (LEVELS - 1)) for level in range(LEVELS)]


def _between(stops: Sequence[tuple[float, QColor]], share: float) -> QColor:
    at = [stop for stop, _ in stops]
    parts = [[getattr(colour, part)() for _, colour in stops] for part in ("red", "green", "blue")]
    return QColor(*(round(float(np.interp(share, at, values))) for values in parts))


def cell_image(values: Floats, top: float) -> QImage:
    """One pixel a cell; what was not measured is the colour of gaps."""
    table = np.array([colour.rgb() for colour in (*colours(), current_theme().gap)], dtype=np.uint32)
    level = np.nan_to_num(np.clip(values / (top or 1.0), 0, 1) * (LEVELS - 1)).astype(np.intp)
    pixels = np.ascontiguousarray(table[np.where(np.isnan(values), LEVELS, level)])
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()
