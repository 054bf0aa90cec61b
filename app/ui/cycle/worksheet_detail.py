"""Below the grid: the chosen row in full, and the change log."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget

from app.domain.cycle.worksheet import Action
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.worksheet_cells import Sheet
from app.ui.cycle.worksheet_decision import RowDecision
from app.ui.cycle.worksheet_grid import GridView
from app.ui.cycle.worksheet_log import ChangeLog
from app.ui.cycle.worksheet_parts import FieldTable, PartTable, change_of
from app.ui.cycle.worksheet_summary import RowSummary
from app.ui.look.language import language, text
from app.ui.workspace import Workspace

TABS = ("summary", "changes", "impacts", "risks", "fields", "verifications", "decision", "log")
_PARTS = ("changes", "impacts", "risks", "verifications")


class RowDetail(QTabWidget):
    """Signals:
    troubled: (table, a list of `Trouble`) of a table in here.
    """

    troubled = Signal(object, object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        controller = CycleController.of(workspace)
        self.summary = RowSummary(workspace)
        self.parts = {name: PartTable(name, lambda after: change_of(controller, after)) for name in _PARTS}
        self.fields = FieldTable(lambda after: change_of(controller, after))
        self.decision = RowDecision(workspace)
        self.log = ChangeLog(workspace)
        tables = (*self.parts.values(), self.fields)
        self._of_row: tuple[RowSummary | PartTable | FieldTable | RowDecision, ...] = (
            self.summary,
            *tables,
            self.decision,
        )
        pages = {
            "summary": self.summary,
            **self.parts,
            "fields": self.fields,
            "decision": self.decision,
            "log": self.log,
        }
        for name in TABS:
            self.addTab(pages[name], "")
        self._action: Action | None = None
        for table in self.tables():
            table.cells.troubled.connect(lambda troubles, table=table: self.troubled.emit(table, troubles))
        language().changed.connect(self.retranslate)
        self.retranslate()

    def tables(self) -> Iterator[GridView]:
        yield from (part.table for part in self.parts.values())
        yield self.fields.table
        yield self.log.table

    def show_row(self, action: Action | None, sheet: Sheet, writable: bool) -> None:
        self._action = action
        for part in self._of_row:
            part.show_action(action, sheet, writable)
        self._name_tabs()

    def show_log(self, sheet: Sheet, writable: bool) -> None:
        self.log.show_iteration(sheet, writable)
        self._name_tabs()

    @property
    def shown_tab(self) -> str:
        return TABS[self.currentIndex()]

    def show_tab(self, name: str) -> None:
        self.setCurrentIndex(TABS.index(name))

    def _name_tabs(self) -> None:
        for place, name in enumerate(TABS):
            words, count = text(f"ui.tradeoffs.tab.{name}"), self._count(name)
            self.setTabText(place, f"{words} {count}" if count else words)

    def _count(self, name: str) -> int:
        if name == "log":
            return len(self.log.model.items)
        return len(getattr(self._action, name)) if self._action is not None and name in _PARTS else 0

    def retranslate(self) -> None:
        for table in self.tables():
            table.cells.rename()
        self._name_tabs()
