"""Step 6: close it, live with a miss, go on, or give up. Beside each way stands what bars it."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QGridLayout

from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.gates import closing_advice, may_abandon, may_close, may_continue
from tunebench.diagnosis.cycle.steps_left import steps_left
from tunebench.diagnosis.words import advice_text
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.records import Outcome, StepNumber
from tunebench.ui.cycle.figure_words import figure_text, goal_text, state_shape, state_tone, wording
from tunebench.ui.cycle.record_fields import Field, FieldSpec, Line, Lines
from tunebench.ui.cycle.record_panel import StepPanel
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.key_dialog import ask_key
from tunebench.ui.widgets.parts import button, label, line, row, set_tone
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import signatures
from tunebench.usecases.cycle import saved_templates
from tunebench.usecases.cycle.acts import abandon_iteration, close_iteration, continue_iteration, reopen_iteration
from tunebench.usecases.cycle.words import outcome_text, refusal_texts

WAYS = ("close", "accept", "go_on", "abandon")
SPECS = (
    FieldSpec("by", of="decision"),
    FieldSpec("on", of="decision"),
    FieldSpec("next", of="decision"),
    FieldSpec("reason", "lines", 12, of="decision"),
)


class DecisionPanel(StepPanel):
    """What is typed here is kept with the decision, not before it."""

    name = "decision"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.top = label(role="strong", wrap=True)
        self.refusals = SentenceList("warning", "watch")
        self.outcome = label(role="muted", wrap=True)
        self.fields = {spec.path: Field(spec, soon=False) for spec in SPECS}
        self.buttons = {
            way: translated(button(on_click=partial(self._decide, way)), f"ui.cycle.decision.{way}") for way in WAYS
        }
        self.barred = {way: SentenceList() for way in WAYS}
        self.advice = SentenceList("warning", "watch")
        self.finish_too = QCheckBox()
        self.finish_too.setChecked(True)
        self.finished = label(role="muted", wrap=True)
        self.left = SentenceList("info", "muted")
        self._about = {
            way: translated(label(role="muted", wrap=True), f"ui.cycle.decision.{way}.about") for way in WAYS
        }
        self.reopen_button = translated(button(on_click=self._reopen), "ui.cycle.decision.reopen")
        self.save_button = translated(button(on_click=self._save_template), "ui.cycle.decision.save_template")
        self._iteration_id, self._editable = 0, False
        self.ask_key = ask_key
        self._lay_out()
        for field in self.fields.values():
            if isinstance(field.input, Line | Lines):
                field.input.textChanged.connect(self._on_typed)

    def _lay_out(self) -> None:
        self._rule = line()
        fields = row(self.fields["by"], self.fields["on"], self.fields["next"], spacing=SPACE_M)
        kept = (self._rule, self.advice, self.finish_too, self.finished, self.left)
        self.lay(self.top, self.refusals, self.outcome, fields, self.fields["reason"], *kept)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_M)
        grid.setColumnStretch(1, 1)
        for index, way in enumerate(WAYS):
            grid.addWidget(self.buttons[way], 2 * index, 0)
            grid.addWidget(self._about[way], 2 * index, 1)
            grid.addWidget(self.barred[way], 2 * index + 1, 1)
        self.lay(grid, row(self.reopen_button, self.save_button, 1))

    # --- showing
    def refresh(self, editable: bool) -> None:
        iteration = self.iteration
        self._editable = self.controller.writable
        if iteration.id != self._iteration_id:
            self._iteration_id = iteration.id
            self._begin()
        self._show_top()
        is_open = iteration.outcome is Outcome.OPEN
        standing = self.controller.shown()
        read = standing.iteration if standing is not None and standing.iteration is not None else iteration
        ended = " · ".join(part for part in (read.closed_on, read.closed_by, read.reason) if part)
        words = outcome_text(standing, language().code) if standing else ""
        self.outcome.setText("" if is_open else f"{words} · {ended}".rstrip(" ·"))
        self.outcome.setVisible(not is_open)
        self.fields["reason"].setVisible(is_open)
        self.reopen_button.setVisible(not is_open)
        self.save_button.setVisible(iteration.outcome in (Outcome.MET, Outcome.ACCEPTED))
        current = self.controller.book.current
        self.reopen_button.setEnabled(self._editable and (current is None or current.outcome is not Outcome.OPEN))
        for field in self.fields.values():
            field.set_editable(self._editable)
        self._judge()

    def _begin(self) -> None:
        iteration = self.iteration
        begun = {
            "by": self.controller.consultant,
            "on": self.controller.today,
            "reason": "",
            "next": text("ui.cycle.decision.next_title", number=iteration.number + 1, title=_plain(iteration.title)),
        }
        for name, words in begun.items():
            self.fields[name].input.write(words)

    def _show_top(self) -> None:
        standing = self.controller.shown()
        top = next((target for target in (standing.targets if standing else ()) if target.is_top), None)
        self.top.setVisible(top is not None)
        if top is None:
            self.refusals.show_sentences(())
            return
        words = wording(self.workspace)
        verdict = f"{state_shape(top.called)} {self.controller.target_text(top)}"
        figures = [figure_text(figure, top.metric, words) for figure in (top.baseline, top.now)]
        goal = goal_text(top.target.value, top.metric, words)
        self.top.setText(f"{verdict} · {top.metric.name}: {figures[0]} → {figures[1]} ({goal})")
        set_tone(self.top, state_tone(top.called))
        self.refusals.show_sentences(refusal_texts(top, words.language, self.workspace.zone))

    def _on_typed(self, *_: object) -> None:
        """Judged with every letter: a way that is barred cannot be clicked to leave the field."""
        if self.controller.iteration is not None and self._iteration_id == self.controller.iteration.id:
            self._judge()

    def _typed(self, name: str) -> str:
        return self.fields[name].input.read().strip()

    def _judge(self) -> None:
        """Shows which ways are open now, and beside the others why they are not."""
        book, iteration = self.controller.book, self.iteration
        by, reason = self._typed("by"), self._typed("reason")
        is_open = iteration.outcome is Outcome.OPEN
        met = may_close(book, iteration)
        gates = {
            "close": met,
            "accept": self._lacks(by, reason) if met else (),
            "go_on": may_continue(book, iteration),
            "abandon": may_abandon(iteration, by, reason),
        }
        best = "close" if not met else "go_on"
        for way in WAYS:
            shown = self._is_shown(way, is_open, bool(met))
            self.buttons[way].setVisible(shown)
            self._about[way].setVisible(shown)
            self.buttons[way].setEnabled(self._editable and not gates[way])
            self.barred[way].show_sentences(self.controller.gate_sentences(gates[way]) if shown else ())
            set_tone(self.buttons[way], "primary" if way == best and not gates[way] else "", "kind")
        self._show_left(is_open)
        advice = closing_advice(book, iteration) if is_open else ()
        self.advice.show_sentences([advice_text(hint, language().code) for hint in advice])
        self.fields["next"].setVisible(self._is_shown("go_on", is_open, bool(met)))
        self._rule.setVisible(is_open or not gates["go_on"])
        for name in ("by", "on"):
            self.fields[name].setVisible(is_open or not gates["go_on"])

    def _show_left(self, is_open: bool) -> None:
        """Steps that were never clicked through are finished with the iteration, where nothing bars them."""
        left = steps_left(self.controller.book, self.iteration)
        names = ", ".join(_step_words(step.number) for step in left.ready)
        self.finish_too.setText(text("ui.cycle.decision.finish_too", n=len(left.ready)))
        self.finished.setText(names)
        for part in (self.finish_too, self.finished):
            part.setVisible(is_open and bool(left.ready))
        self.finish_too.setEnabled(self._editable)
        stay = [
            text(
                "ui.cycle.decision.stays",
                step=_step_words(lacking.step.number),
                why=" ".join(self.controller.gate_sentences(lacking.gates[:1])),
            )
            for lacking in left.lacking
        ]
        self.left.show_sentences(stay if is_open else ())

    def _lacks(self, by: str, reason: str) -> tuple[Gate, ...]:
        """What an acceptance lacks: the name, and the reason, each by itself."""
        book, iteration = self.controller.book, self.iteration
        if by or reason:
            return may_close(book, iteration, by, reason)
        name, why = (may_close(book, iteration, *given) for given in (("", "why"), ("by", "")))
        return (*name, *(gate for gate in why if gate not in name))

    def _is_shown(self, way: str, is_open: bool, missed: bool) -> bool:
        """What has ended can only be carried over, once."""
        if not is_open:
            return way == "go_on" and not may_continue(self.controller.book, self.iteration)
        return way != "accept" or missed

    # --- deciding
    def _decide(self, way: str) -> None:
        project, by, key = self.workspace.opened, self._typed("by"), None
        if way in ("close", "accept") and signatures.wants_signatures(project):
            key = self.ask_key()
            asked = key
            if not self.workspace.attempt(lambda: signatures.refuse_unsigned(project, by, asked), Change.CYCLE):
                return
        if self.controller.attempt(lambda: self._edit(way)):
            self.fields["reason"].input.write("")
            mark_stored(*(field.input for field in self.fields.values()))
            if way in ("close", "accept"):
                self.workspace.say(text("ui.cycle.decision.closed"), act=("ui.command.file.export_result", self._print))
            if key is not None:
                signing = key
                self.workspace.attempt(lambda: signatures.sign_trail(project, by, signing))

    def _print(self) -> None:
        self.workspace.commands.action("file.export_result").trigger()

    def _edit(self, way: str) -> CycleEdit:
        book, iteration, finishes = self.controller.book, self.iteration, self.finish_too.isChecked()
        by, on, reason = (self._typed(name) for name in ("by", "on", "reason"))
        if way == "abandon":
            return abandon_iteration(book, iteration.id, by=by, on=on, reason=reason)
        if way == "go_on":
            title = self._typed("next") or iteration.title
            return continue_iteration(book, iteration.id, title, on=on, by=by, finish_steps=finishes)
        given = reason if way == "accept" else ""
        return close_iteration(book, iteration.id, by=by, on=on, reason=given, finish_steps=finishes)

    def _save_template(self) -> None:
        """It is listed wherever an iteration begins."""
        project, book, iteration = self.workspace.opened, self.controller.book, self.iteration

        def save() -> None:
            path = saved_templates.save(project, book, iteration)
            self.workspace.say(text("ui.cycle.decision.template_saved", path=str(path)))

        self.workspace.attempt(save)

    def _reopen(self) -> None:
        self.controller.attempt(lambda: reopen_iteration(self.controller.book, self.iteration.id))


def _step_words(number: StepNumber) -> str:
    return f"{int(number)} {text(f'cycle.step_number.{int(number)}')}"


def _plain(title: str) -> str:
    """The title without the number that an earlier carry-over put before it."""
    number, _, rest = title.partition(". ")
    return rest if number.isdecimal() and rest else title
