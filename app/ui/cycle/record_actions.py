"""Step 4 in short: every countermeasure with what it changes, what pays and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.cycle.book import Record
from app.domain.cycle.records import StepNumber
from app.domain.cycle.worksheet import Action, ActionState
from app.ui.cycle.places import go_to
from app.ui.cycle.record_fields import form_of
from app.ui.cycle.record_panel import NewRecordPanel
from app.ui.cycle.record_table import Cell, Row
from app.ui.look.formats import DASH
from app.ui.look.language import language, text, translated
from app.ui.widgets.parts import button
from app.ui.workspace import Workspace
from app.usecases.cycle import asking as cycle_asking
from app.usecases.cycle import facade as cycle

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
        changes = ", ".join(_change(each.parameter, each.old, each.new) for each in record.changes)
        prices = ", ".join(dict.fromkeys(cycle.word(each.resource, code) for each in record.prices))
        approved = cycle_asking.is_approved(record)
        approval = text("ui.cycle.action.approved" if approved else "ui.cycle.action.not_approved")
        return Row(
            record.id,
            (
                Cell(record.title, faded, strong=not faded),
                Cell(changes or DASH, faded),
                Cell(prices or DASH, faded),
                Cell(approval, "ok" if approved else "muted"),
                Cell(cycle.word(record.state, code), TONES.get(record.state, "")),
            ),
        )

    def show_record(self, record: Record | None, editable: bool) -> None:
        super().show_record(record, editable)
        ended = (ActionState.DROPPED, ActionState.EXECUTED, ActionState.ROLLED_BACK)
        if not isinstance(record, Action) or record.state in ended:
            return
        lacks = cycle_asking.may_execute(self.controller.book, record)
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
