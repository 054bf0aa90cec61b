"""The words of one step of the ring: its state, what there is of it, what is in its way. One button."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.domain.cycle.records import StepNumber, StepState
from app.ui.cycle.step_shapes import SIZE, paint_state
from app.ui.look.fonts import BODY_PX, SMALL_PX, font
from app.ui.look.language import language, text
from app.ui.look.theme import RADIUS, SPACE_XS, Theme, current_theme
from app.usecases.cycle import facade as cycle
from app.usecases.cycle.facade import StepStanding

NAME_PX, LINE_PX, LINES, LEAST_LINES = 20, 16, 4, 3
"""Below the name: the state, and three lines of counts; two where the ring is low."""
SEPARATOR = " · "


class RingStep(QAbstractButton):
    """`chosen` and `hovered` carry the step (None when left). `lines`: name, state and counts, as shown."""

    chosen = Signal(object)
    hovered = Signal(object)

    def __init__(self, number: StepNumber, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._side, self._marked = number, "left", False
        self.state, self._gates = StepState.OPEN, 0
        self.lines = ("", "", "")
        self.set_lines(LINES)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(lambda: self.chosen.emit(number))

    def set_lines(self, lines: int) -> None:
        """How many lines there are below the name."""
        self._count_lines = lines - 1
        self.setFixedHeight(height_of(lines))

    def set_side(self, side: str) -> None:
        """Where its words are flush: ``left``, ``right`` or ``centre``."""
        self._side = side
        self.update()

    def show_standing(self, standing: StepStanding, marked: bool) -> None:
        self.state, self._gates, self._marked = standing.state, standing.gates, marked
        name = f"{int(self._number)} {text(f'ui.board.step.{int(self._number)}')}"
        blocked = [text("ui.board.gates", n=standing.gates)] if standing.gates else []
        state = SEPARATOR.join((cycle.word(standing.state, language().code), *blocked))
        self.lines = (name, state, SEPARATOR.join(_counts(standing)))
        self.setToolTip("\n".join((name, text(f"cycle.step_question.{int(self._number)}"), *self.lines[1:])))
        self.setAccessibleName(f"{name}: {self.lines[1]}, {self.lines[2]}")
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit(self._number)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(QPen(theme.accent, 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        top = float(SPACE_XS)
        name, state, counts = self.lines
        self._paint_name(painter, name, top, theme)
        self._paint_line(painter, state, top + NAME_PX, theme.warning if self._gates else theme.muted)
        for place, words in enumerate(self._wrapped(counts), 1):
            self._paint_line(painter, words, top + NAME_PX + place * LINE_PX, theme.muted)

    def _paint_name(self, painter: QPainter, name: str, top: float, theme: Theme) -> None:
        made = font(BODY_PX, bold=True)
        painter.setFont(made)
        metrics = QFontMetricsF(made)
        room = self.width() - SIZE - 4 * SPACE_XS
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        wide = metrics.horizontalAdvance(shown) + SIZE + SPACE_XS
        left = {"left": float(SPACE_XS), "right": self.width() - wide - SPACE_XS}.get(
            self._side, (self.width() - wide) / 2
        )
        paint_state(painter, QPointF(left + SIZE / 2, top + NAME_PX / 2), self.state, theme)
        painter.setPen(theme.accent if self._marked else theme.text)
        box = QRectF(left + SIZE + SPACE_XS, top, wide, NAME_PX)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _wrapped(self, counts: str) -> tuple[str, ...]:
        """Lines that are parted between two counts; what is more than the last line holds is cut there."""
        metrics, room = QFontMetricsF(font(SMALL_PX)), self.width() - 2 * SPACE_XS
        lines: list[str] = []
        for part in counts.split(SEPARATOR):
            longer = SEPARATOR.join((*lines[-1:], part))
            if lines and (metrics.horizontalAdvance(longer) <= room or len(lines) == self._count_lines):
                lines[-1] = longer
            else:
                lines.append(part)
        return tuple(lines)

    def _paint_line(self, painter: QPainter, words: str, top: float, colour: QColor) -> None:
        made = font(SMALL_PX)
        painter.setFont(made)
        painter.setPen(colour)
        box = QRectF(SPACE_XS, top, self.width() - 2 * SPACE_XS, LINE_PX)
        side = {"left": Qt.AlignmentFlag.AlignLeft, "right": Qt.AlignmentFlag.AlignRight}.get(
            self._side, Qt.AlignmentFlag.AlignHCenter
        )
        shown = QFontMetricsF(made).elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)


def height_of(lines: int) -> int:
    return NAME_PX + lines * LINE_PX + 2 * SPACE_XS


def _counts(standing: StepStanding) -> list[str]:
    counts = [text(f"cycle.count.{key}", n=n) for key, n in standing.counts.items()]
    more = {"questions": standing.open_questions, "attachments": standing.attachments, "pieces": standing.evidence}
    return counts + [text(f"ui.board.{key}", n=n) for key, n in more.items() if n]
