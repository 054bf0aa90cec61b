"""A record's form: what is typed is an edit at once, a refusal stands below it in its own sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleEdit, Record
from tunebench.domain.record_labels import labels
from tunebench.domain.translations import Translated
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.record_fields import TWELFTHS, Field, FieldSpec, typed_text
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S
from tunebench.ui.widgets.parts import button, column, row
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.edits import change_typed

GRID_STEP = 3
"""Rows of the grid per row of fields: the fields, what is refused of them, and what a subclass puts between."""


def refusal(error: UserError, spec: FieldSpec | None = None) -> str:
    """The sentence, naming the field as the form does."""
    if spec is not None and "field" in error.facts:
        error.facts = {**error.facts, "field": spec.words}
    return error_text(error)


class RecordForm(QWidget):
    """Fields in rows of twelfths, what is refused below the row that it was typed in, and the way to remove the record.

    Signals:
        removed: the record is gone, by the button of this form.
    """

    removed = Signal()

    def __init__(self, controller: CycleController, specs: Sequence[FieldSpec], removable: bool = True) -> None:
        super().__init__()
        self._controller, self._editable = controller, False
        self._record_now: Record | None = None
        self.fields = {spec.path: Field(spec) for spec in specs}
        self.gates = SentenceList()
        self.error = SentenceList("error", "critical")
        self._asks = SentenceList("warning", "warning")
        self.remove_button = translated(button(kind="link", on_click=self.ask_removal), "ui.cycle.remove")
        self._really = translated(button(kind="danger", on_click=self._remove), "ui.cycle.remove_all")
        self._keep = translated(button(on_click=self._end_asking), "ui.cycle.keep")
        self._removable = removable
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.grid = self._grid()
        self.tools = row(1, self._keep, self._really, self.remove_button, spacing=SPACE_M)
        self.column = column(self.gates, self.grid, self._asks, self.tools)
        self.setLayout(self.column)
        for field in self.fields.values():
            field.committed.connect(self._commit)
        self._end_asking()

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_S)
        for index in range(TWELFTHS):
            grid.setColumnStretch(index, 1)
        down = across = 0
        for field in self.fields.values():
            if across + field.spec.span > TWELFTHS:
                down, across = down + GRID_STEP, 0
            grid.addWidget(field, down, across, 1, field.spec.span)
            across += field.spec.span
        grid.addWidget(self.error, down + GRID_STEP, 0, 1, TWELFTHS)
        return grid

    def refuse(self, sentence: str, field: Field | None = None) -> None:
        """Shows the sentence below the row of `field`, below all where it is about none."""
        rows = [self.grid.getItemPosition(self.grid.indexOf(shown))[0] for shown in self.fields.values()]  # type: ignore[index]
        at = next((at for at, shown in enumerate(self.fields.values()) if field in (shown, shown.second)), None)
        down = max(rows) + GRID_STEP if field is None or at is None else rows[at] + 1
        self.grid.addWidget(self.error, down, 0, 1, TWELFTHS)
        self.error.show_sentences([sentence])

    @property
    def record(self) -> Record | None:
        return self._record_now

    def show_record(self, record: Record | None, editable: bool) -> None:
        if record is None or self._record_now is None or record.id != self._record_now.id:
            self.error.show_sentences(())
            self._end_asking()
        self._record_now, self._editable = record, editable
        self.setVisible(record is not None)
        if record is None:
            return
        for path, field in self.fields.items():
            field.show_text(typed_text(getattr(record, path)), record.id, editable)
            if isinstance(record, Translated):
                field.show_second(record, self._controller.second_language, editable)
        self.remove_button.setEnabled(editable)
        self.gates.show_sentences(self._sentences(record), record.id)

    def _sentences(self, record: Record) -> list[str]:
        """Sentences of the gates that this record stands in first; the others stand beside their own first record."""
        gates = (gate for gate in self._controller.gates if gate.record_ids[:1] == (record.id,))
        return self._controller.gate_sentences(gates)

    # --- editing
    def focus_first(self) -> None:
        """The name of a new record, ready to be typed over."""
        first = next(iter(self.fields.values())).input
        first.setFocus()
        if hasattr(first, "selectAll"):
            first.selectAll()

    def _field_of(self, path: str) -> Field:
        """The input of a path, that of the second language for ``title@en``."""
        field = self.fields[path.partition("@")[0]]
        return field.second if field.second is not None and "@" in path else field

    def _commit(self, path: str, typed: str) -> None:
        field = self._field_of(path)
        if self._record_now is None or not self._editable:
            return
        try:
            edit = self.build(self._record_now, path, typed)
        except UserError as error:
            if not self._controller.is_typing:
                field.mark(True)
                self.refuse(refusal(error, field.spec), field)
            return
        self.error.show_sentences(())
        field.mark(False)
        if self._controller.edit(edit):
            field.kept(typed)

    def build(self, record: Record, path: str, typed: str) -> CycleEdit:
        """The edit of what was typed; a subclass may do more with it. Raises UserError."""
        return change_typed(self._controller.book, record.id, {path: typed})

    # --- removing
    def ask_removal(self) -> None:
        """Removes the record at once where nothing hangs on it; else says what goes too, and asks here."""
        if self._record_now is None:
            return
        try:
            removal = edits.removal(self._controller.book, self._record_now.id)
        except UserError as error:
            self.refuse(error_text(error))
            return
        if not removal.dependents:
            self._remove()
            return
        self._asks.show_sentences([text("ui.cycle.removes_too", records=labels(removal.dependents))])
        for widget in (self._really, self._keep):
            widget.show()
        self.remove_button.hide()
        self._keep.setFocus()

    def _remove(self) -> None:
        record = self._record_now
        if record is not None and self._controller.attempt(
            lambda: edits.remove(self._controller.book, record.id, with_dependents=True)
        ):
            self.removed.emit()
        self._end_asking()

    def _end_asking(self) -> None:
        self._asks.show_sentences(())
        self._really.hide()
        self._keep.hide()
        self.remove_button.setVisible(self._removable)
