"""The customer's issues, causes, questions, and countermeasures in short: kinds whose form has little of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox

from tunebench.columns.formats import DASH
from tunebench.diagnosis.cycle.causes import ranked_causes
from tunebench.diagnosis.cycle.gates import may_execute
from tunebench.diagnosis.cycle.worksheet_rules import is_approved
from tunebench.domain.cycle.book import CycleEdit, Record
from tunebench.domain.cycle.records import Cause, CauseDomain, CauseState, CustomerIssue, Question, StepNumber
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.places import go_to
from tunebench.ui.cycle.record_fields import FieldSpec, Line, form_of, typed_text
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_panel import NewRecordPanel
from tunebench.ui.cycle.record_table import Cell, Row
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.widgets.parts import button, column, label
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.edits import change_typed

TONES = {ActionState.EXECUTED: "ok", ActionState.ROLLED_BACK: "watch", ActionState.DROPPED: "muted"}


class ActionPanel(NewRecordPanel[Action]):
    name = "actions"
    columns = ("title", "changes", "prices", "approval", "state")
    wide = (0, 1, 2)
    specs = form_of(Action)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.open_button = translated(button(on_click=self._open), "ui.cycle.action.open")
        self.form.tools.insertWidget(0, self.open_button)
        self.table.opened.connect(lambda _id: self._open())

    def records(self) -> Sequence[Action]:
        return self.controller.book.in_iteration(Action, self.iteration.id)

    def row(self, record: Action) -> Row:
        code = language().code
        faded = "muted" if record.state is ActionState.DROPPED else ""
        changes = ", ".join(_change(change.parameter, change.old, change.new) for change in record.changes)
        prices = ", ".join(dict.fromkeys(cycle_words.word(price.resource, code) for price in record.prices))
        approved = is_approved(record)
        approval = text("ui.cycle.action.approved" if approved else "ui.cycle.action.not_approved")
        return Row(
            record.id,
            (
                Cell(record.title, faded, strong=not faded),
                Cell(changes or DASH, faded),
                Cell(prices or DASH, faded),
                Cell(approval, "ok" if approved else "muted"),
                Cell(cycle_words.word(record.state, code), TONES.get(record.state, "")),
            ),
        )

    def show_record(self, record: Record | None, editable: bool) -> None:
        super().show_record(record, editable)
        ended = (ActionState.DROPPED, ActionState.EXECUTED, ActionState.ROLLED_BACK)
        if not isinstance(record, Action) or record.state in ended:
            return
        lacks = may_execute(self.controller.book, record)
        if lacks:
            self.form.gates.show_sentences(self.controller.gate_sentences(lacks), record.id)

    def new(self) -> Action:
        return Action(0, self.iteration.id, text("ui.cycle.new.action"))

    def _open(self) -> None:
        id_ = self.table.chosen_id
        if id_ is not None:
            go_to(self.workspace, StepNumber.COUNTERMEASURES, (id_,))


def _change(parameter: str, old: str, new: str) -> str:
    values = " → ".join(value for value in (old, new) if value)
    return f"{parameter} {values}".strip()


class IssuePanel(NewRecordPanel[CustomerIssue]):
    """Step 0: the customer's numbered issues."""

    name = "issues"
    columns = ("number", "title", "severity", "state")
    wide = (1,)
    specs = form_of(CustomerIssue)

    def records(self) -> Sequence[CustomerIssue]:
        return sorted(self.controller.book.all(CustomerIssue), key=lambda issue: issue.number)

    def row(self, record: CustomerIssue) -> Row:
        code = language().code
        return Row(
            record.id,
            (
                Cell(str(record.number), "muted"),
                Cell(record.title, strong=True),
                Cell(cycle_words.word(record.severity, code)),
                Cell(cycle_words.word(record.state, code)),
            ),
        )

    def new(self) -> CustomerIssue:
        number = 1 + max((issue.number for issue in self.controller.book.all(CustomerIssue)), default=0)
        return CustomerIssue(0, number, text("ui.cycle.new.issue"), reported_on=self.controller.today)


class CauseForm(RecordForm):
    """The form of a cause, with the issues that it explains."""

    def __init__(self, controller: CycleController, specs: Sequence[FieldSpec]) -> None:
        super().__init__(controller, specs)
        self._issues_name = translated(label(role="small"), "ui.cycle.field.issue_ids")
        self._issues = column(spacing=SPACE_XS)
        self._boxes: dict[int, QCheckBox] = {}
        self.column.insertWidget(2, self._issues_name)
        self.column.insertLayout(3, self._issues)

    def show_record(self, record: Record | None, editable: bool) -> None:
        super().show_record(record, editable)
        issues = {issue.id: issue for issue in self._controller.book.all(CustomerIssue)}
        for id_ in [id_ for id_ in self._boxes if id_ not in issues]:
            self._boxes.pop(id_).deleteLater()
        for id_, issue in issues.items():
            if id_ not in self._boxes:
                self._boxes[id_] = QCheckBox()
                self._boxes[id_].clicked.connect(lambda on, id_=id_: self._link(id_, on))
                self._issues.addWidget(self._boxes[id_])
            self._boxes[id_].setText(f"{issue.number}. {issue.title}")
            self._boxes[id_].setChecked(isinstance(record, Cause) and id_ in record.issue_ids)
            self._boxes[id_].setEnabled(editable)
        self._issues_name.setVisible(bool(issues))

    def _link(self, issue_id: int, on: bool) -> None:
        cause = self.record
        assert isinstance(cause, Cause)
        others = tuple(id_ for id_ in cause.issue_ids if id_ != issue_id)
        linked = replace(cause, issue_ids=(*others, issue_id) if on else others)
        self._controller.attempt(lambda: edits.change(self._controller.book, linked))


class CausePanel(NewRecordPanel[Cause]):
    """Step 3: why it is slow, the largest share of the response time first."""

    name = "causes"
    columns = ("rank", "title", "domain", "share", "confidence", "state", "evidence")
    wide = (1,)
    specs = form_of(Cause)
    form_type = CauseForm

    def records(self) -> Sequence[Cause]:
        return ranked_causes(self.controller.book, self.iteration.id)

    def row(self, record: Cause) -> Row:
        code, ranked = language().code, self.records()
        share = DASH if record.share_pct is None else f"{typed_text(record.share_pct)} %"
        evidence = " ".join(evidence.code for evidence in self.controller.book.evidence_of(record.id))
        faded = "muted" if record.state is CauseState.REFUTED else ""
        return Row(
            record.id,
            (
                Cell(str(1 + [cause.id for cause in ranked].index(record.id)), "muted"),
                Cell(record.title, faded, strong=not faded),
                Cell(cycle_words.word(record.domain, code), faded),
                Cell(share, faded, right=True),
                Cell(cycle_words.word(record.confidence, code), faded),
                Cell(cycle_words.word(record.state, code), faded),
                Cell(evidence or DASH, "accent" if evidence else "muted"),
            ),
        )

    def new(self) -> Cause:
        return Cause(0, self.iteration.id, CauseDomain.SYSTEM, text("ui.cycle.new.cause"))


class QuestionForm(RecordForm):
    """An answer gets its day by itself."""

    def build(self, record: Record, path: str, typed: str) -> CycleEdit:
        values = {path: typed}
        if path == "answer":
            values["answered_on"] = self._controller.today if typed.strip() else ""
        return change_typed(self._controller.book, record.id, values)


class QuestionPanel(NewRecordPanel[Question]):
    """What is not clear yet in a step; open while it has no answer."""

    name = "questions"
    columns = ("question", "answered")
    evidenced = False
    specs = form_of(Question)
    form_type = QuestionForm

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.ask = translated(
            Line(), placeholderText="ui.cycle.panel.questions.ask", accessibleName="ui.cycle.panel.questions.ask"
        )
        self.ask.returnPressed.connect(self.add)
        self.column.insertWidget(2, self.ask)

    def refresh(self, editable: bool, chosen: int | None = None) -> None:
        super().refresh(editable, chosen)
        self.ask.set_editable(editable)
        self.ask.setPlaceholderText(text("ui.cycle.panel.questions.ask") if editable else "")

    def records(self) -> Sequence[Question]:
        return [
            question
            for question in self.controller.book.in_iteration(Question, self.iteration.id)
            if question.step is self.step
        ]

    def row(self, record: Question) -> Row:
        answered = bool(record.answer.strip())
        state = text("ui.cycle.question.answered" if answered else "ui.cycle.question.open")
        words = " ".join(record.text.split())
        return Row(record.id, (Cell(words, "muted" if answered else ""), Cell(state, "ok" if answered else "watch")))

    def new(self) -> Question:
        asked = self.ask.text().strip()
        return Question(0, self.iteration.id, self.step, asked, asked_on=self.controller.today)

    def add(self) -> None:
        if not self.ask.text().strip():
            self.ask.setFocus()
        elif self.is_added():
            self.ask.clear()
