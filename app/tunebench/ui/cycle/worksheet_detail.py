"""Below the grid: the chosen row in full, and the change log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QTabWidget, QWidget

from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.worksheet import Action, ExecutedChange, InForce
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_show import run_called
from tunebench.ui.cycle.worksheet_decision import RowDecision
from tunebench.ui.cycle.worksheet_summary import RowSummary
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_S, current_theme
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel, FieldModel
from tunebench.ui.tables.model import Index
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.worksheet_cells import Sheet
from tunebench.usecases.cycle.worksheet_columns import DONE, FIELDS, LOG, PARTS


class LogModel(CellModel):
    def colour(self, index: Index) -> object:
        line = self.item_at(index)
        if isinstance(line, ExecutedChange) and self.column_at(index).id == "in_force":
            theme = current_theme()
            return {InForce.YES: theme.ok, InForce.NO: theme.warning}.get(line.in_force, theme.muted)
        return None


class ChangeLog(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.model = LogModel(LOG, self._store)
        self.table = translated(GridView(self.model), accessibleName="ui.tradeoffs.tab.log")
        self.table.horizontalHeader().setStretchLastSection(True)
        self._hint = translated(label(role="small", wrap=True), "ui.tradeoffs.log.hint")
        self.runs = translated(QComboBox(), accessibleName="ui.tradeoffs.log.run")
        self.check_button = translated(button(on_click=self.check), "ui.tradeoffs.log.check")
        head = row((self._hint, 1), self.runs, self.check_button)
        self.setLayout(column(head, (self.table, 1), margins=(0, SPACE_S, 0, 0)))

    def show_iteration(self, sheet: Sheet, writable: bool) -> None:
        actions = {action.id for action in sheet.book.in_iteration(Action, sheet.iteration_id)}
        lines = [line for line in sheet.book.all(ExecutedChange) if line.action_id in actions]
        lines.sort(key=lambda line: line.executed_at)
        self.model.show(lines, replace(sheet, clock=self._workspace.zone), writable)
        self._list_runs()
        self.check_button.setEnabled(writable and bool(lines) and self.runs.count() > 0)

    def _list_runs(self) -> None:
        overview, chosen = self._workspace.overview, self.runs.currentData()
        runs = [view.run for view in overview.runs] if overview else []
        self.runs.clear()
        for run in sorted(runs, key=lambda run: run.phase.value != "after"):
            self.runs.addItem(run.label, run.id)
        self.runs.setCurrentIndex(max(self.runs.findData(chosen), 0))

    def _store(self, items: tuple[ExecutedChange, ...]) -> bool:
        changed = [(old, new) for old, new in zip(self.model.rows, items, strict=True) if old != new]
        return self._controller.edit(
            CycleEdit("change_executed", tuple(RecordChange(old, new) for old, new in changed))
        )

    def check(self) -> None:
        """Compares with the parameters that were captured with the chosen run."""
        run = run_called(self._workspace, self.runs.currentData())
        if run is None:
            return
        project, controller = self._workspace.opened, self._controller
        done = controller.applied(lambda: cycle_evidence.check_in_force(project, controller.book, run))
        if done is not None:
            key = "ui.tradeoffs.log.checked" if done.changes else "ui.tradeoffs.log.nothing_new"
            self._workspace.say(text(key, n=len(done.changes), run=run.label))


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
        self.table.remove_rows = self.remove
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
        self.model.owner = action.id if action is not None else None
        self.model.show(items, sheet, takes)
        self.remove_button.setEnabled(takes)

    def _store(self, items: tuple[ExecutedChange, ...]) -> bool:
        assert self._action is not None
        part: dict[str, Any] = {self._part: items}
        return self._change(replace(self._action, **part))

    def remove(self) -> None:
        """The chosen lines."""
        rows = {index.row() for index in self.table.selectedIndexes()}
        kept = tuple(item for at, item in enumerate(self.model.rows) if at not in rows)
        if len(kept) < len(self.model.rows) and self.model.writable:
            self._store(kept)


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


TABS = ("summary", "changes", "impacts", "risks", "fields", "verifications", "decision", "log")
_PARTS = ("changes", "impacts", "risks", "verifications")


class RowDetail(QTabWidget):
    """Signals:
    refused: (table, a list of `CellError`) of a table in here.
    """

    refused = Signal(object, object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        controller = CycleController.of(workspace)
        self.summary = RowSummary(workspace)
        self.parts = {name: PartTable(name, lambda after: change_of(controller, after)) for name in _PARTS}
        self.fields = FieldTable(lambda after: change_of(controller, after))
        self.decision = RowDecision(workspace)
        self.log = ChangeLog(workspace)
        self._of_row: tuple[RowSummary | PartTable | FieldTable | RowDecision, ...] = (
            self.summary,
            *self.parts.values(),
            self.fields,
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
            table.cells.refused.connect(lambda errors, table=table: self.refused.emit(table, errors))
        language().follow(self.retranslate)

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
        for index, name in enumerate(TABS):
            words, count = text(f"ui.tradeoffs.tab.{name}"), self._count(name)
            self.setTabText(index, f"{words} {count}" if count else words)

    def _count(self, name: str) -> int:
        if name == "log":
            return len(self.log.model.rows)
        return len(getattr(self._action, name)) if self._action is not None and name in _PARTS else 0

    def retranslate(self) -> None:
        self._name_tabs()
