"""A small line per statement: what an execution cost in each period, before and after."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.analysis.databases.record import Numbers
from app.ui.databases.statement_model import PLACE_ROLE
from app.ui.look.formats import format_value
from app.ui.look.language import text
from app.ui.look.theme import current_theme

MARGIN_PX, DOT_PX = 5, 1.8


class Histories:
    """float64[periods, statements] of either side; empty until they are read."""

    def __init__(self) -> None:
        self.sides: dict[str, Numbers] = {}

    def of(self, place: int) -> list[tuple[str, Numbers]]:
        return [(side, values[:, place]) for side, values in self.sides.items() if place < values.shape[1]]

    def tip(self, place: int) -> str:
        lines = []
        for side, values in self.of(place):
            known = values[~np.isnan(values)]
            if len(known):
                lowest, highest = format_value(float(known.min()) * 1000), format_value(float(known.max()) * 1000)
                facts = {"count": len(known), "low": lowest, "high": highest}
                lines.append(text(f"ui.statements.history.{side}", **facts))
        return "\n".join(lines) or text("ui.statements.history.none")


class SparkDelegate(QStyledItemDelegate):
    """Before in its colour, solid; after in its colour, dashed; a period without a figure is a gap."""

    def __init__(self, histories: Histories) -> None:
        super().__init__()
        self._histories = histories

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        place = index.data(PLACE_ROLE)
        parts = self._histories.of(place) if place is not None else []
        known = np.concatenate([values[~np.isnan(values)] for _, values in parts]) if parts else np.zeros(0)
        if not len(known):
            return
        area = QRectF(option.rect).adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)  # type: ignore[attr-defined]
        count = sum(len(values) for _, values in parts)
        top = float(known.max())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first = 0
        for side, values in parts:
            _draw(painter, area, values, (first, count, top), current_theme().phase_colour(side), side == "after")
            first += len(values)
        painter.restore()


def _draw(
    painter: QPainter, area: QRectF, values: Numbers, scale: tuple[int, int, float], colour: QColor, dashed: bool
) -> None:
    """From zero up, so that heights compare."""
    first, count, top = scale
    step = area.width() / max(count - 1, 1)
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    run = QPolygonF()
    for place, value in enumerate([*values.tolist(), float("nan")]):
        if value == value:
            height = value / top if top > 0 else 0.0
            run.append(QPointF(area.left() + (first + place) * step, area.bottom() - height * area.height()))
            continue
        if run.size() > 1:
            painter.setPen(QPen(colour, 1.2, style))
            painter.drawPolyline(run)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for dot in (run.at(0), run.at(run.size() - 1)) if run.size() else ():
            painter.drawEllipse(dot, DOT_PX, DOT_PX)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        run = QPolygonF()
