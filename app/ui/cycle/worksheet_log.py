"""The change log of an iteration: what was done, by whom, whether it was taken back, and whether it still holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QComboBox, QWidget

from app.domain.cycle.book import CycleEdit, RecordChange
from app.domain.cycle.worksheet import Action, ExecutedChange, InForce
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.evidence_show import run_called
from app.ui.cycle.worksheet_cells import Sheet
from app.ui.cycle.worksheet_columns import LOG
from app.ui.cycle.worksheet_grid import GridView
from app.ui.cycle.worksheet_model import CellModel, Index
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S, current_theme
from app.ui.widgets.parts import button, column, label, row
from app.ui.workspace import Workspace
from app.usecases.cycle import evidence as cycle_evidence


class LogModel(CellModel):
    def colour(self, index: Index) -> Any:
        line = self.item_at(index)
        if isinstance(line, ExecutedChange) and self.column_at(index).key == "in_force":
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
        self.model.show(lines, replace(sheet, zone=self._workspace.zone), writable, self._workspace.zone)
        self._list_runs()
        self.check_button.setEnabled(writable and bool(lines) and self.runs.count() > 0)

    def _list_runs(self) -> None:
        overview, chosen = self._workspace.overview, self.runs.currentData()
        runs = [view.run for view in overview.runs] if overview else []
        self.runs.clear()
        for run in sorted(runs, key=lambda run: run.phase.value != "after"):
            self.runs.addItem(run.label, run.id)
        self.runs.setCurrentIndex(max(self.runs.findData(chosen), 0))

    def _store(self, items: tuple[Any, ...]) -> bool:
        changed = [(old, new) for old, new in zip(self.model.items, items, strict=True) if old != new]
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
