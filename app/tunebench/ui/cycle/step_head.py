"""The seven steps as cards: state by shape (hollow, half, ticked, struck through) and word, what there is, what is in
the way. The head of the chosen one: what it asks, its state and how to change it, owner and dates."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.diagnosis.cycle.board import StepStanding
from tunebench.diagnosis.cycle.gates import may_finish, may_skip
from tunebench.domain.cycle.records import Iteration, Step, StepNumber, StepState
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.record_fields import Line, form_of, spec_of
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import RADIUS, SPACE_M, SPACE_S, SPACE_XS, Theme, current_theme
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.parts import ClickableFrame, ElidedLabel, button, column, label, row, set_tone
from tunebench.usecases.cycle.acts import set_step

SIZE = 14.0
MARK_ROOM = 22
BAR = 3
NO_BREAK = "\u00a0"
MOST_GATES = 3
TONES = {StepState.DONE: "ok", StepState.IN_WORK: "accent", StepState.SKIPPED: "muted"}


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
        self.state_words.setText(cycle_words.word(standing.state, code))
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
        parts = (self.name.words(), self.state_words.text(), " · ".join(counts), self.gates.text())
        self.setAccessibleName(", ".join(part for part in parts if part))
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

    def _go_to(self, index: int) -> None:
        if 0 <= index < len(StepNumber):
            number = StepNumber(index)
            self.cards[number].setFocus(Qt.FocusReason.OtherFocusReason)
            self.chosen.emit(number)


class StepHead(QWidget):
    def __init__(self, controller: CycleController) -> None:
        super().__init__()
        self._controller, self._editable = controller, False
        self._record: Step | None = None
        self.title, self.question = label(role="section", wrap=True), label(role="muted", wrap=True)
        self.state = label(role="strong")
        self.begin = translated(button(on_click=lambda: self._set(StepState.IN_WORK)), "ui.cycle.step.begin")
        self.finish = translated(
            button(kind="primary", on_click=lambda: self._set(StepState.DONE)), "ui.cycle.step.finish"
        )
        self.skip = translated(button(on_click=self._ask_reason), "ui.cycle.step.skip")
        self.again = translated(button(on_click=lambda: self._set(StepState.OPEN)), "ui.cycle.step.again")
        self.reason = translated(Line(), placeholderText="ui.cycle.step.reason", accessibleName="ui.cycle.step.reason")
        self.skip_now = translated(button(on_click=self._skip), "ui.cycle.step.skip_now")
        self.reason.returnPressed.connect(self._skip)
        self.skipped = label(role="muted", wrap=True)
        self._before = label(role="small")
        self.gates, self._more = SentenceList(), label(role="small")
        self.skip_gates = SentenceList()
        self.form = RecordForm(controller, form_of(Step), removable=False)
        self.introduction = RecordForm(controller, [spec_of(Iteration, "introduction")], removable=False)
        self._lay_out()

    def _lay_out(self) -> None:
        head = row((self.title, 1), self.state, self.begin, self.finish, self.skip, self.again)
        asked = row(self.reason, self.skip_now, spacing=SPACE_M)
        parts = (self.skip_gates, self.skipped, self._before, self.gates, self._more, self.form, self.introduction)
        self.setLayout(column(head, self.question, asked, *parts))

    # --- showing
    def show_step(self, iteration: Iteration, number: StepNumber, step: Step | None, editable: bool) -> None:
        if step is None or self._record is None or step.id != self._record.id:
            self._end_asking()
        self._record, self._editable = step, editable
        self.title.setText(f"{int(number)}  {text(f'cycle.step_number.{int(number)}')}")
        self.question.setText(text(f"cycle.step_question.{int(number)}"))
        self.form.show_record(step, editable)
        self.form.gates.show_sentences(())
        self.introduction.show_record(iteration if number is StepNumber.PROBLEM else None, editable)
        self.introduction.gates.show_sentences(())
        self._show_state(iteration, number, step.state if step else StepState.OPEN)

    def _show_state(self, iteration: Iteration, number: StepNumber, state: StepState) -> None:
        ended = state in (StepState.DONE, StepState.SKIPPED)
        decided = number is StepNumber.DECISION
        self.state.setText(cycle_words.word(state, language().code))
        set_tone(self.state, TONES.get(state, ""))
        self.begin.setVisible(state is StepState.OPEN)
        self.finish.setVisible(not ended and not decided)
        self.skip.setVisible(not ended and not decided and not self.reason.isVisibleTo(self))
        self.again.setVisible(ended and not decided)
        lacks = may_finish(self._controller.book, iteration, number) if not decided else ()
        own = [gate for gate in self._controller.gates if gate.step is number and not decided]
        counted = own or (lacks if self._editable else ())
        for control in (self.begin, self.skip, self.again):
            control.setEnabled(self._editable)
        self.finish.setEnabled(self._editable)  # pressed too early it says why; what was typed is stored before
        set_tone(self.finish, "" if lacks else "primary", "kind")
        sentences = list(dict.fromkeys(self._controller.gate_sentences(counted)))
        self.gates.show_sentences(sentences, (iteration.id, number), MOST_GATES)
        more = len(sentences) - len(self.gates.sentences())
        self._more.setText(text("ui.cycle.step.more_gates", n=more))
        self._more.setVisible(more > 0 and not ended)
        self._before.setVisible(bool(counted or self.gates.settled()) and not ended)
        set_tone(self._before, "")
        key = "open_gates" if own else "before_finish" if counted else "nothing_left"
        self._before.setText(text(f"ui.cycle.step.{key}", n=len(own)))
        reason = self._record.skip_reason if self._record and state is StepState.SKIPPED else ""
        self.skipped.setText(text("ui.cycle.step.skipped_because", reason=reason) if reason else "")
        self.skipped.setVisible(bool(reason))

    # --- acting
    def _set(self, state: StepState) -> None:
        step, iteration = self._record, self._controller.iteration
        if step is None or iteration is None:
            return
        if state is StepState.DONE and may_finish(self._controller.book, iteration, step.number):
            self._before.setText(text("ui.cycle.step.not_yet"))
            set_tone(self._before, "critical")
        else:
            on = self._controller.today
            self._controller.attempt(lambda: set_step(self._controller.book, step.id, state, on=on))

    def _ask_reason(self) -> None:
        self.reason.setText(self._record.skip_reason if self._record else "")
        self.reason.show()
        self.skip_now.show()
        self.skip.hide()
        self.reason.setFocus()

    def _end_asking(self) -> None:
        self.reason.hide()
        mark_stored(self.reason)
        self.skip_now.hide()
        self.skip_gates.show_sentences(())

    def _skip(self) -> None:
        """What bars the skip stands below the reason."""
        step, iteration = self._record, self._controller.iteration
        if step is None or iteration is None:
            return
        reason = self.reason.text().strip()
        lacks = may_skip(iteration, step.number, reason)
        self.skip_gates.show_sentences(self._controller.gate_sentences(lacks))
        if lacks:
            return
        self._end_asking()
        on = self._controller.today
        self._controller.attempt(
            lambda: set_step(self._controller.book, step.id, StepState.SKIPPED, on=on, skip_reason=reason)
        )
