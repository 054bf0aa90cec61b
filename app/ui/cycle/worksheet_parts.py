"""One row of the worksheet in full: tables of its changes, effects, risks, verifications, and its single fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QMenu, QWidget

from app.domain.cycle.book import CycleEdit, RecordChange
from app.domain.cycle.worksheet import Action
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.worksheet_cells import Sheet
from app.ui.cycle.worksheet_columns import DONE, FIELDS, PARTS
from app.ui.cycle.worksheet_grid import GridView, add_action
from app.ui.cycle.worksheet_model import CellModel, FieldModel
from app.ui.look.language import text, translated
from app.ui.look.theme import ROW_HEIGHT, SPACE_S
from app.ui.widgets.parts import button, column, label, row

Changed = Callable[[Action], bool]
TWO_LINES = 42


class PartTable(QWidget):
    """A part that the row has several of; an empty line at the end takes another."""

    def __init__(self, part: str, change: Changed) -> None:
        super().__init__()
        self._part, self._change = part, change
        self._action: Action | None = None
        columns, blank = PARTS[part]
        self.model = CellModel(columns, self._store, blank)
        self.table = GridView(self.model, TWO_LINES if part in ("impacts", "risks") else ROW_HEIGHT)
        self.table.more_actions = self._more
        self.table.horizontalHeader().setStretchLastSection(True)
        self._hint = label(role="small", wrap=True)
        self.remove_button = translated(button(kind="quiet", on_click=self.remove), "ui.tradeoffs.remove_line")
        self.setLayout(column(row((self._hint, 1), self.remove_button), (self.table, 1), margins=(0, SPACE_S, 0, 0)))
        translated(self._hint, f"form.{self._part}.how")
        translated(self.table, accessibleName=f"form.{self._part}.sheet")

    def show_action(self, action: Action | None, sheet: Sheet, writable: bool) -> None:
        self._action = action
        items = getattr(action, self._part) if action is not None else ()
        takes = writable and action is not None and action.state not in DONE
        self.model.show(items, sheet, takes)
        self.remove_button.setEnabled(takes)

    def _store(self, items: tuple[Any, ...]) -> bool:
        assert self._action is not None
        part: dict[str, Any] = {self._part: items}
        return self._change(replace(self._action, **part))

    def remove(self) -> None:
        """The chosen lines."""
        rows = {index.row() for index in self.table.selectedIndexes()}
        kept = tuple(item for at, item in enumerate(self.model.items) if at not in rows)
        if len(kept) < len(self.model.items) and self.model.writable:
            self._store(kept)

    def _more(self, menu: QMenu) -> None:
        add_action(menu, text("ui.tradeoffs.remove_line"), self.remove, self.model.writable)


class FieldTable(QWidget):
    """Hypothesis, causes, rollback: what the row has one of."""

    def __init__(self, change: Changed) -> None:
        super().__init__()
        self.model = FieldModel(FIELDS, lambda items: change(items[0]))
        self.table = translated(GridView(self.model, ROW_HEIGHT), accessibleName="ui.tradeoffs.tab.fields")
        self.table.verticalHeader().setMinimumWidth(150)
        self.setLayout(column(self.table, margins=(0, SPACE_S, 0, 0)))

    def show_action(self, action: Action | None, sheet: Sheet, writable: bool) -> None:
        takes = writable and action is not None and action.state not in DONE
        self.model.show(() if action is None else (action,), sheet, takes)
        self.table.resizeRowsToContents()


def change_of(controller: CycleController, after: Action) -> bool:
    """The action as changed in the detail, as one step of undo."""
    before = controller.book.find(Action, after.id)
    return controller.edit(CycleEdit("change_action", (RecordChange(before, after),)))
