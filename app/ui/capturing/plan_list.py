"""The project's plans, newest first: what was approved can run again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.capturing.draft_controller import DraftController
from app.ui.look.formats import format_stamp
from app.ui.look.language import text, translated
from app.ui.tables.column import Column
from app.ui.tables.model import TableModel
from app.ui.widgets.parts import EmptyState, button, column, label, row, stacked
from app.ui.widgets.row_list import RowList
from app.ui.workspace import Workspace
from app.usecases.capturing.plans import PlanRecord


def _words(record: PlanRecord, workspace: Workspace) -> list[str]:
    plan, approvals = record.plan, record.approvals
    mark = text("ui.capture.plans.approved", by=approvals[-1].approved_by) if approvals else ""
    made = format_stamp(plan.created_at, workspace.zone)[:16]
    hosts = ", ".join(host.name for host in plan.hosts[:3]) + ("…" if len(plan.hosts) > 3 else "")
    return [f"{'✓' if approvals else '○'} {plan.run}", mark or text("ui.capture.plans.draft"), hosts, made]


class PlanList(QWidget):
    """`used` after an earlier plan was put on the table."""

    used = Signal()

    def __init__(self, workspace: Workspace, draft: DraftController) -> None:
        super().__init__()
        self._draft = draft
        shown: Column[PlanRecord] = Column(
            "plan",
            "",
            lambda it: " · ".join(_words(it, workspace)),
            tone=lambda it: "" if it.approvals else "muted",
            tip=lambda it: "\n".join([*_words(it, workspace), it.digest]),
        )
        self.model = TableModel([shown])
        self.view = translated(RowList(self.model), accessibleName="ui.capture.plans")
        self.view.opened.connect(self.use)
        words = translated(label(role="muted", wrap=True), "ui.capture.plans.words")
        self.take = translated(button(on_click=self.use), "ui.capture.plans.use")
        self._parts = stacked(EmptyState("run", "ui.capture.plans.empty", width=280), self.view)
        self.setLayout(column(words, (self._parts, 1), row(self.take, 1)))
        draft.plans_changed.connect(self._on_plans)
        self._on_plans()

    def use(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self._draft.show_record(self.model.row_at(index))
            self.used.emit()

    def _on_plans(self) -> None:
        self.model.show_rows(self._draft.records)
        count = len(self._draft.records)
        self._parts.setCurrentIndex(1 if count else 0)
        self.take.setEnabled(count > 0)
        if count:
            self.view.setCurrentIndex(self.model.index(0, 0))
