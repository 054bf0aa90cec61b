"""The seven steps as cards: state by shape (hollow, half, ticked, struck through) and word, what there is, who owns it
until when, what is in the way. Colour only repeats it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.domain.cycle.records import StepNumber, StepState
from app.ui.look.language import language, text
from app.ui.look.painting import painter_on
from app.ui.look.theme import RADIUS, SPACE_S, SPACE_XS, Theme, current_theme
from app.ui.widgets.parts import ClickableFrame, ElidedLabel, column, label, row, set_tone
from app.usecases.cycle import facade as cycle
from app.usecases.cycle.facade import StepStanding

SIZE = 14.0
MARK_ROOM = 22
BAR = 3
NO_BREAK = "\u00a0"


def state_colour(state: StepState, theme: Theme) -> QColor:
    return {StepState.DONE: theme.ok, StepState.IN_WORK: theme.accent}.get(state, theme.muted)


def paint_state(painter: QPainter, middle: QPointF, state: StepState, theme: Theme, size: float = SIZE) -> None:
    colour = state_colour(state, theme)
    radius = size / 2 - 1
    circle = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(colour if state is StepState.DONE else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(circle)
    match state:
        case StepState.IN_WORK:
            half = QPainterPath(QPointF(middle.x(), circle.top()))
            half.arcTo(circle, 90, -180)
            half.closeSubpath()
            painter.fillPath(half, colour)
        case StepState.SKIPPED:
            reach = radius * 0.7
            painter.drawLine(middle + QPointF(-reach, reach), middle + QPointF(reach, -reach))
        case StepState.DONE:
            painter.setPen(QPen(theme.on_accent, 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            steps = ((-0.45, 0.02), (-0.12, 0.36), (0.48, -0.36))
            painter.drawPolyline(QPolygonF([middle + QPointF(x * radius, y * radius) for x, y in steps]))
    painter.restore()


class StepCard(ClickableFrame):
    """One step. `moved` carries -1 or 1 for the arrow keys."""

    moved = Signal(int)

    def __init__(self, number: StepNumber) -> None:
        super().__init__()
        self.number, self.chosen, self._state = number, False, StepState.OPEN
        self.name = ElidedLabel(role="strong", mode=Qt.TextElideMode.ElideRight)
        self.state_words = label(role="small")
        self.counts = label(role="small", wrap=True)
        self.people = ElidedLabel(role="small", mode=Qt.TextElideMode.ElideRight)
        self.gates = label(role="small", tone="warning")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setLayout(
            column(
                row((self.name, 1), self.state_words),
                self.counts,
                row((self.people, 1), self.gates),
                spacing=1,
                margins=(MARK_ROOM + SPACE_S, SPACE_XS + 2, SPACE_S, SPACE_XS + 2),
            )
        )

    def show_step(self, standing: StepStanding, chosen: bool) -> None:
        self.chosen, self._state = chosen, standing.state
        record, code = standing.record, language().code
        self.name.set_words(f"{int(self.number)}  {text(f'cycle.step_number.{int(self.number)}')}")
        self.state_words.setText(cycle.word(standing.state, code))
        set_tone(self.state_words, {"done": "ok", "in_work": "accent"}.get(standing.state.value, ""))
        counts = [text(f"cycle.count.{key}", n=n) for key, n in standing.counts.items()]
        aside = (("questions", standing.open_questions), ("attachments", standing.attachments))
        counts += [text(f"ui.cycle.card.{key}", n=n) for key, n in aside if n]
        self.counts.setText(" · ".join(part.replace(" ", NO_BREAK) for part in counts))
        self.gates.setText(text("ui.cycle.card.gates", n=standing.gates) if standing.gates else "")
        due = text("ui.cycle.card.due", day=record.due_on) if record and record.due_on else ""
        ended = record.ended_on if record else ""
        people = " · ".join(part for part in (record.owner if record else "", ended or due) if part)
        self.people.set_words(people or text("ui.cycle.card.nobody"))
        said = (self.name.words(), self.state_words.text(), " · ".join(counts), self.gates.text())
        self.setAccessibleName(", ".join(part for part in said if part))
        self.setToolTip(text(f"cycle.step_question.{int(self.number)}"))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.accent if self.chosen or self.hasFocus() else theme.border, 1))
        painter.setBrush(theme.selected if self.chosen else theme.hover if self.underMouse() else theme.surface)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        if self.chosen:
            painter.fillRect(QRectF(0, RADIUS, BAR, self.height() - 2 * RADIUS), theme.accent)
        paint_state(painter, QPointF(SPACE_S + SIZE / 2, self.name.geometry().center().y() + 1.0), self._state, theme)


class StepCards(QWidget):
    """All seven, one of them chosen with mouse or arrows."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.number = StepNumber.PROBLEM
        self.cards = {number: StepCard(number) for number in StepNumber}
        self.setLayout(column(*self.cards.values(), 1, spacing=SPACE_XS + 2, margins=(0, 0, SPACE_S, 0)))
        for number, card in self.cards.items():
            card.clicked.connect(lambda number=number: self.chosen.emit(number))
            card.moved.connect(lambda by, number=number: self._go_to(number + by))

    def show_steps(self, steps: tuple[StepStanding, ...]) -> None:
        for standing in steps:
            self.cards[standing.number].show_step(standing, standing.number is self.number)

    def _go_to(self, place: int) -> None:
        if 0 <= place < len(StepNumber):
            number = StepNumber(place)
            self.cards[number].setFocus(Qt.FocusReason.OtherFocusReason)
            self.chosen.emit(number)
