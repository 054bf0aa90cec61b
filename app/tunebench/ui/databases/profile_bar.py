"""Before over after as two bars of one scale, cut into the lines of the profile; colours stand beside words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from tunebench.analysis.databases.profile_lines import LineKind, Profile, ProfileLine
from tunebench.columns.formats import format_value
from tunebench.core.records import record
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.look.painting import font_of, painter_on
from tunebench.ui.look.theme import current_theme
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.usecases.databases.profile_words import line_name, not_measured

MOST_LINES = 6
BAR_PX, GAP_PX, KEY_PX, WORD_PX, EDGE_PX = 22, 5, 18, 74, 8
LEAST_WORD_PX = 34


@record
class Part:
    """A piece of both bars; None is not listed on that side."""

    name: str
    kind: str
    amounts: tuple[float | None, float | None]

    def width(self, side: int) -> float:
        return max(self.amounts[side] or 0.0, 0.0)


def parts_of(profile: Profile) -> list[Part]:
    """Processor time, the largest lines, all others as one, and what nothing accounts for. Pure."""
    lines = sorted(profile.lines, key=lambda line: -_size(line))
    cpu = [line for line in lines if line.kind is LineKind.CPU]
    waits = [line for line in lines if line.kind in (LineKind.WAIT, LineKind.SAMPLED)]
    rest = [line for line in lines if line.kind is LineKind.UNACCOUNTED]
    parts = [_part(line, str(line.kind)) for line in (*cpu, *waits[:MOST_LINES])]
    if others := waits[MOST_LINES:]:
        parts.append(Part(text("ui.profile.others", n=len(others)), "others", (_sum(others, 0), _sum(others, 1))))
    return parts + [_part(line, "unaccounted") for line in rest]


def _part(line: ProfileLine, kind: str) -> Part:
    return Part(line_name(line, window_locale()), kind, (line.before.amount, line.after.amount))


def _size(line: ProfileLine) -> float:
    return max(line.before.amount or 0.0, line.after.amount or 0.0)


def _sum(lines: Sequence[ProfileLine], side: int) -> float:
    return sum((line.before, line.after)[side].amount or 0.0 for line in lines)


class ProfileBar(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[Part] = []
        self.sides: tuple[str, ...] = ()
        self._unit = ""
        self._boxes: list[tuple[QRectF, str]] = []
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def show_profile(self, profile: Profile | None, sides: Sequence[str], unit: str) -> None:
        self.parts = parts_of(profile) if profile is not None else []
        self.sides, self._unit = tuple(sides), unit
        self.setAccessibleName(text("ui.profile.bar"))
        self.setAccessibleDescription("\n".join(self._words(part) for part in self.parts))
        self.setVisible(bool(self.parts))
        self.setFixedHeight(self.heightForWidth(self.width()))
        self.update()

    def _words(self, part: Part) -> str:
        values = [
            f"{text(f'ui.phase.{side}')} {self._amount(part.amounts[index])}" for index, side in enumerate(self.sides)
        ]
        return f"{part.name}: {', '.join(values)}"

    def _amount(self, amount: float | None) -> str:
        return not_measured(window_locale()) if amount is None else f"{format_value(amount)} {self._unit}".strip()

    # --- geometry
    def sizeHint(self) -> QSize:
        return QSize(300, self.heightForWidth(max(self.width(), 300)))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        bars = len(self.sides) * (BAR_PX + GAP_PX)
        return bars + len(self._key_rows(width)) * KEY_PX + GAP_PX

    def resizeEvent(self, event: QEvent) -> None:  # type: ignore[override]
        self.setFixedHeight(self.heightForWidth(self.width()))

    def _key_rows(self, width: float) -> list[list[tuple[int, float]]]:
        """(part, where its word begins) row by row."""
        metrics = QFontMetricsF(font_of(self, SMALL_PX))
        rows: list[list[tuple[int, float]]] = [[]]
        left = float(WORD_PX)
        for number, part in enumerate(self.parts):
            wide = metrics.horizontalAdvance(part.name) + 30
            if rows[-1] and left + wide > width - EDGE_PX:
                rows.append([])
                left = float(WORD_PX)
            rows[-1].append((number, left))
            left += wide
        return rows

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, pixels=SMALL_PX)
        self._boxes = []
        whole = max((sum(part.width(index) for part in self.parts) for index, _ in enumerate(self.sides)), default=0.0)
        for index, side in enumerate(self.sides):  # a side alone is the first of a comparison with itself
            self._paint_side(painter, index, side, whole)
        self._paint_key(painter)
        painter.end()

    def _paint_side(self, painter: QPainter, index: int, side: str, whole: float) -> None:
        theme, top = current_theme(), index * (BAR_PX + GAP_PX)
        painter.setPen(theme.phase_colour(side))
        sign = {"before": "— ", "after": "- - "}[side]
        words = QRectF(0, top, WORD_PX - 6, BAR_PX)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, sign + text(f"ui.phase.{side}"))
        room = max(self.width() - WORD_PX - EDGE_PX, 10)
        left = float(WORD_PX)
        for number, part in enumerate(self.parts):
            wide = part.width(index) / whole * room if whole else 0.0
            if wide > 0:
                self._paint_part(painter, number, QRectF(left, top, max(wide, 1.0), BAR_PX))
                left += wide

    def _paint_part(self, painter: QPainter, number: int, box: QRectF) -> None:
        part, theme = self.parts[number], current_theme()
        fill = self.brush(number)
        painter.fillRect(box, theme.surface)
        painter.fillRect(box, fill)
        painter.setPen(QPen(theme.surface, 1))
        painter.drawLine(QPointF(box.right(), box.top()), QPointF(box.right(), box.bottom()))
        self._boxes.append((box, self._words(part)))
        if part.kind == "unaccounted" or box.width() < LEAST_WORD_PX:
            return
        painter.setPen(theme.surface)
        inside = box.adjusted(5, 0, -4, 0)
        shown = painter.fontMetrics().elidedText(part.name, Qt.TextElideMode.ElideRight, int(inside.width()))
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def brush(self, number: int) -> QBrush:
        theme, part = current_theme(), self.parts[number]
        if part.kind == "unaccounted":
            return QBrush(theme.muted, Qt.BrushStyle.BDiagPattern)
        if part.kind == "others":
            return QBrush(theme.muted)
        return QBrush(QColor(theme.series[number % len(theme.series)]))

    def _paint_key(self, painter: QPainter) -> None:
        top = len(self.sides) * (BAR_PX + GAP_PX)
        for row in self._key_rows(self.width()):
            for number, left in row:
                box = QRectF(left, top + 4, 10, 10)
                painter.fillRect(box, self.brush(number))
                painter.setPen(current_theme().border)
                painter.drawRect(box)
                painter.setPen(current_theme().text)
                words = QRectF(left + 15, top, self.width() - left - 15, KEY_PX)
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.parts[number].name)
            top += KEY_PX

    def words_at(self, position: QPointF) -> str:
        return next((words for box, words in self._boxes if box.contains(position)), "")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(QPointF(event.pos())), self)  # without words it goes
            return True
        return super().event(event)
