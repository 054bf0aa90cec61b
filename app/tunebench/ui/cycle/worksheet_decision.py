"""Who agreed, and what was done: decisions on a row, its execution and its rollback, each passing its gate."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.moments import typed_moment
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent, Decision
from tunebench.reporting.cycle_words import word_key
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.key_dialog import ask_signature
from tunebench.ui.widgets.parts import button, column, label, lock, row, set_tone
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle import approving, offers
from tunebench.usecases.cycle import worksheet as cycle_worksheet
from tunebench.usecases.cycle.acts import approve_action, execute_action, roll_back
from tunebench.usecases.cycle.offers import MINUTE, OPEN
from tunebench.usecases.cycle.worksheet_cells import Sheet
from tunebench.usecases.cycle.worksheet_columns import CONSENTS

_FIELDS = ("role", "name", "decided_at", "note", "signature", "by", "at", "commands")
_MOMENTS = ("decided_at", "at")


class RowDecision(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self._action: Action | None = None
        self._writable = False
        self._offered = ""
        self.model = CellModel(CONSENTS, lambda _items: False)
        self.table = translated(GridView(self.model), accessibleName="form.consents.sheet")
        self.table.horizontalHeader().setStretchLastSection(True)
        self.edits = {name: QLineEdit() for name in _FIELDS}
        translated(self.edits["role"], placeholderText="ui.tradeoffs.decision.role.known")
        translated(self.edits["signature"], placeholderText="ui.tradeoffs.decision.signature.known")
        self.decision = QComboBox()
        for member in Decision:
            self.decision.addItem("", member.value)
        translated(self.decision, itemText=[word_key(member) for member in Decision])
        self._labels = {
            name: translated(label(role="small"), f"ui.tradeoffs.decision.{name}") for name in (*_FIELDS, "decision")
        }
        self.consent_button = translated(
            button(kind="primary", on_click=self.record_decision), "ui.tradeoffs.decision.record"
        )
        self.sign_button = translated(button(on_click=self.sign), "ui.tradeoffs.decision.sign")
        self.ask_signature = ask_signature
        self.execute_button = translated(button(kind="primary", on_click=self.execute), "ui.tradeoffs.decision.execute")
        self.roll_back_button = translated(button(on_click=self.roll_back), "ui.tradeoffs.decision.roll_back")
        self._why = label(role="muted", wrap=True)
        self._moment = ""
        self.moment_button = button(kind="link", on_click=self.take_moment)
        self._lay_out()
        for edit in self.edits.values():
            edit.textChanged.connect(lambda _words: self._enable())

    def _lay_out(self) -> None:
        asked, done = QGridLayout(), QGridLayout()
        asking = ("role", "name", "decision", "decided_at", "note", "signature")
        for form, names in ((asked, asking), (done, ("by", "at", "commands"))):
            form.setHorizontalSpacing(SPACE_S)
            form.setVerticalSpacing(SPACE_XS)
            for down, name in enumerate(names):
                field = self.decision if name == "decision" else self.edits[name]
                form.addWidget(self._labels[name], down, 0)
                form.addWidget(field, down, 1)
                self._labels[name].setBuddy(field)
            form.setColumnStretch(1, 1)
        asked.addLayout(row(self.consent_button, self.sign_button, 1), asked.rowCount(), 1)
        done.addWidget(self.moment_button, done.rowCount(), 1)
        done.addLayout(row(self.execute_button, self.roll_back_button, 1), done.rowCount(), 1)
        left, right = column(asked, 1, spacing=-1), column(done, self._why, 1, spacing=-1)
        self.setLayout(row((self.table, 5), (left, 3), (right, 4), spacing=SPACE_XL, margins=(0, SPACE_S, SPACE_M, 0)))

    # --- shown
    def show_action(self, action: Action | None, sheet: Sheet, writable: bool) -> None:
        if (action.id if action else None) != (self._action.id if self._action else None):
            self._offer_now()
            self.edits["commands"].clear()
        self._action = action
        self._offer_known(action)
        self.model.show(action.consents if action else (), replace(sheet, clock=self._workspace.zone), False)
        self._writable = writable and action is not None
        for edit in self.edits.values():
            edit.setReadOnly(not self._writable)
            lock(edit, not self._writable)
        self.decision.setEnabled(self._writable)
        self._enable()

    def _enable(self) -> None:
        action = self._action
        may = self._writable
        executed = action is not None and action.state is ActionState.EXECUTED
        lacks: tuple[Gate, ...] = ()
        if action is not None and action.state in OPEN:
            standing = cycle_worksheet.row_standing(self._controller.book, action)
            lacks = (*standing.lacks, *standing.approval)
        waits = action is not None and action.state in OPEN
        self._why.setText("\n".join(self._controller.gate_sentences(lacks)))
        set_tone(self._why, "warning" if lacks else "")
        for act in (self.consent_button, self.sign_button):
            act.setEnabled(may and waits and bool(self.edits["name"].text().strip()))
        named = bool(self.edits["by"].text().strip())
        self.execute_button.setEnabled(may and waits and not lacks and named)
        self.execute_button.setVisible(not executed)
        self.roll_back_button.setEnabled(may and executed and named)
        self.roll_back_button.setVisible(executed)

    # --- acts
    def _now(self) -> datetime:
        return datetime.now(self._workspace.zone)

    def _offer_now(self) -> None:
        self._offered = self._now().strftime(MINUTE)
        for name in _MOMENTS:
            self.edits[name].setText(self._offered)

    def _offer_known(self, action: Action | None) -> None:
        """Who approved and who carried out a change last, where nobody is named yet; and when it can have been made."""
        project, chosen = self._workspace.project, self._workspace.selection
        if project is None:
            return
        offer = offers.offered(project, self._controller.book, action, chosen.before, chosen.after)
        for name, words in offer.people.items():
            if not self.edits[name].text():
                self.edits[name].setText(words)
        self._moment = offer.moment
        self.moment_button.setText(text("ui.tradeoffs.decision.between", moment=offer.moment))
        self.moment_button.setVisible(bool(offer.moment))

    def take_moment(self) -> None:
        """The person who decides says that it was then."""
        for name in _MOMENTS:
            self.edits[name].setText(self._moment)

    def sign(self) -> None:
        """An approval with the approver's key, of what is there now."""
        action, name = self._action, self.edits["name"].text()
        if action is None:
            return
        at = self._workspace.answer_of(lambda: self._when("decided_at"), Change.CYCLE)
        if at is None:
            return
        signed_text = approving.text_to_sign(self._workspace.opened, self._controller.book, action, name, at)
        signature = self.ask_signature(signed_text)
        if signature is not None:
            typed = self.edits["decided_at"].text()
            self.edits["decided_at"].setText(at)
            self.edits["signature"].setText(signature)
            self.decision.setCurrentIndex(self.decision.findData(Decision.APPROVED.value))
            self.record_decision()
            self.edits["decided_at"].setText(typed)

    def record_decision(self) -> None:
        action, words = self._action, {name: edit.text() for name, edit in self.edits.items()}
        if action is None:
            return
        decision = Decision(self.decision.currentData())

        def build() -> CycleEdit:
            at = self._when("decided_at")
            consent = Consent(words["role"], words["name"], decision, at, words["note"], words["signature"])
            return approve_action(self._controller.book, action.id, consent)

        if self._controller.attempt(build):
            self.edits["note"].clear()
            self.edits["signature"].clear()
            mark_stored(*(self.edits[name] for name in ("role", "name", "decided_at")))

    def _when(self, name: str = "at") -> str:
        """What was typed, on the clock of the engagement; the present moment where what was offered was left alone:
        it may have stood there for hours, and what is executed now is not older than its approval.

        Raises:
            UserError: cycle_value_moment.
        """
        typed = self.edits[name].text().strip()
        if typed == self._offered:
            return self._now().isoformat(timespec="seconds")
        try:
            return typed_moment(typed, self._workspace.zone).isoformat(timespec="seconds")
        except ValueError as error:
            raise UserError("cycle_value_moment", field=text(f"ui.tradeoffs.decision.{name}"), value=typed) from error

    def execute(self) -> None:
        action, by, commands = self._action, self.edits["by"].text(), self.edits["commands"].text()
        if action is not None and self._controller.attempt(
            lambda: execute_action(self._controller.book, action.id, by, self._when(), commands)
        ):
            self._end_act()
            measuring = ("ui.cycle.measure_due", self._controller.measure_due) if self._controller.due() else None
            self._workspace.say(text("ui.tradeoffs.decision.executed"), act=measuring)

    def roll_back(self) -> None:
        action, by = self._action, self.edits["by"].text()
        if action is not None and self._controller.attempt(
            lambda: roll_back(self._controller.book, action.id, by, self._when())
        ):
            self._end_act()

    def _end_act(self) -> None:
        self._offer_now()
        mark_stored(self.edits["by"], self.edits["commands"])
