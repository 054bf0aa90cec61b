"""The head of a step: what it asks, its state and how to change it, owner and dates; what bars it stands beside."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.domain.cycle.records import Iteration, Step, StepNumber, StepState
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.record_fields import Line, form_of, spec_of
from app.ui.cycle.record_form import RecordForm
from app.ui.cycle.sentence_list import SentenceList
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_M
from app.ui.widgets.parts import button, column, label, row, set_tone
from app.usecases.cycle import asking as cycle_asking
from app.usecases.cycle import facade as cycle

MOST_GATES = 3
TONES = {StepState.DONE: "ok", StepState.IN_WORK: "accent", StepState.SKIPPED: "muted"}


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
        told = (self.skip_gates, self.skipped, self._before, self.gates, self._more, self.form, self.introduction)
        self.setLayout(column(head, self.question, asked, *told))

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
        self.state.setText(cycle.word(state, language().code))
        set_tone(self.state, TONES.get(state, ""))
        self.begin.setVisible(state is StepState.OPEN)
        self.finish.setVisible(not ended and not decided)
        self.skip.setVisible(not ended and not decided and not self.reason.isVisibleTo(self))
        self.again.setVisible(ended and not decided)
        lacks = cycle_asking.may_finish(self._controller.book, iteration, number) if not decided else ()
        own = [gate for gate in self._controller.gates if gate.step is number and not decided]
        counted = own or (lacks if self._editable else ())
        for made in (self.begin, self.skip, self.again):
            made.setEnabled(self._editable)
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
        if state is StepState.DONE and cycle_asking.may_finish(self._controller.book, iteration, step.number):
            self._before.setText(text("ui.cycle.step.not_yet"))
            set_tone(self._before, "critical")
        else:
            on = self._controller.today
            self._controller.attempt(lambda: cycle.set_step(self._controller.book, step.id, state, on=on))

    def _ask_reason(self) -> None:
        self.reason.setText(self._record.skip_reason if self._record else "")
        self.reason.show()
        self.skip_now.show()
        self.skip.hide()
        self.reason.setFocus()

    def _end_asking(self) -> None:
        self.reason.hide()
        self.skip_now.hide()
        self.skip_gates.show_sentences(())

    def _skip(self) -> None:
        """What bars the skip stands below the reason."""
        step, iteration = self._record, self._controller.iteration
        if step is None or iteration is None:
            return
        reason = self.reason.text().strip()
        lacks = cycle_asking.may_skip(iteration, step.number, reason)
        self.skip_gates.show_sentences(self._controller.gate_sentences(lacks))
        if lacks:
            return
        self._end_asking()
        on = self._controller.today
        self._controller.attempt(
            lambda: cycle.set_step(self._controller.book, step.id, StepState.SKIPPED, on=on, skip_reason=reason)
        )
