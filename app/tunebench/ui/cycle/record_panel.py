"""Records of one kind in a step: a table, and the form of the chosen one below it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from tunebench.domain.cycle.book import Record
from tunebench.domain.cycle.records import Iteration, StepNumber
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.record_fields import FieldSpec
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_table import RecordTable, Row
from tunebench.ui.look.language import has_text, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S
from tunebench.ui.widgets.parts import button, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits

Shown = TypeVar("Shown", bound=Record)


class StepPanel(QWidget):
    """What is worked on in a step; `name` is the part of its keys below ``ui.cycle.panel.``."""

    name: ClassVar[str] = ""
    specs: ClassVar[Sequence[FieldSpec]] = ()
    form_type: ClassVar[type[RecordForm]] = RecordForm
    step: StepNumber = StepNumber.PROBLEM

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace, self.controller = workspace, CycleController.of(workspace)
        self._title = label(role="strong")
        self._hint = label(role="muted", wrap=True)
        self.head = row(self._title, 1, spacing=SPACE_M)
        # from the start: given to the panel with its parts, a form moved while it was filled
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(SPACE_S)
        self.lay(self.head, self._hint)
        translated(self._title, f"ui.cycle.panel.{self.name}")
        translated(self._hint, f"ui.cycle.panel.{self.name}.hint")

    @property
    def iteration(self) -> Iteration:
        iteration = self.controller.iteration
        assert iteration is not None  # panels are shown for an iteration only
        return iteration

    def lay(self, *parts: QWidget | QLayout) -> None:
        """Parts of a subclass, below what is there."""
        for part in parts:
            if isinstance(part, QLayout):
                self.column.addLayout(part)
            else:
                self.column.addWidget(part)

    def refresh(self, editable: bool) -> None:
        """Show the book as it is; called only while the panel is shown and there is an iteration."""

    def choose(self, record_id: int) -> bool:
        """Make a record the current one; whether it is one of this panel."""
        return False

    def make_form(self) -> RecordForm:
        return self.form_type(self.controller, self.specs)


class TablePanel(StepPanel):
    """What is worked on is told in a table, which a subclass lays out; a sentence says where there is nothing."""

    columns: ClassVar[Sequence[str]] = ()
    wide: ClassVar[Sequence[int]] = (0,)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._editable = False
        self.table = translated(RecordTable(self.wide), accessibleName=f"ui.cycle.panel.{self.name}")

    def show_rows(self, rows: Sequence[Row], chosen: int | None = None) -> None:
        self.table.show_rows([text(f"ui.cycle.column.{name}") for name in self.columns], rows, chosen)
        empty = f"ui.cycle.panel.{self.name}.empty"
        self._hint.setText(text(empty if not rows and has_text(empty) else f"ui.cycle.panel.{self.name}.hint"))


class RecordPanel(TablePanel, Generic[Shown]):
    """A table and a form. A subclass says which records, how a row reads, and how one is added."""

    evidenced: ClassVar[bool] = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.form = self.make_form()
        self.add_button = button(on_click=self.add)
        self.head.addWidget(self.add_button)
        self.chips = EvidenceChips(workspace)
        self.lay(self.table, self.chips, self.form)
        self.table.chosen.connect(lambda _id: self._show_chosen())
        self.table.opened.connect(lambda _id: self.form.focus_first())
        self.table.delete_asked.connect(self._ask_removal)
        translated(self.add_button, f"ui.cycle.panel.{self.name}.add")

    # --- what a subclass says
    @abstractmethod
    def records(self) -> Sequence[Shown]: ...

    @abstractmethod
    def row(self, record: Shown) -> Row: ...

    @abstractmethod
    def add(self) -> None: ...

    # --- showing
    def refresh(self, editable: bool, chosen: int | None = None) -> None:
        self._editable = editable
        self.show_rows([self.row(record) for record in self.records()], chosen)
        self.add_button.setEnabled(editable)
        self._show_chosen()

    def _show_chosen(self) -> None:
        id_ = self.table.chosen_id
        self.show_record(self.controller.book.records.get(id_) if id_ is not None else None, self._editable)

    def show_record(self, record: Record | None, editable: bool) -> None:
        self.form.show_record(record, editable)
        self.chips.setVisible(self.evidenced and record is not None)
        if self.evidenced and record is not None:
            self.chips.show_for((record.id,), text("ui.cycle.evidence.none"))

    def choose(self, record_id: int) -> bool:
        return self.table.choose(record_id)

    def _ask_removal(self) -> None:
        if self._editable:
            self.form.ask_removal()


class NewRecordPanel(RecordPanel[Shown]):
    """Its records begin empty, to be filled in the form."""

    @abstractmethod
    def new(self) -> Shown: ...

    def add(self) -> None:
        """A new record, its name ready to be typed."""
        if self.is_added():
            self.form.focus_first()

    def is_added(self) -> bool:
        """Keeps a new record and chooses it; whether it was kept."""
        done = self.controller.applied(lambda: edits.add(self.controller.book, self.new()))
        record = done.changes[0].after if done and done.changes else None
        if record is not None:
            self.refresh(self._editable, record.id)
        return record is not None
