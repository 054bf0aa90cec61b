"""The project's plans, newest first: what was approved can run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListView, QStackedWidget, QVBoxLayout, QWidget

from app.ui.capturing.draft_controller import DraftController
from app.ui.look.formats import format_stamp
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_S, current_theme
from app.ui.widgets.parts import EmptyState, button, label, row
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.plans import PlanRecord

Index = QModelIndex | QPersistentModelIndex


class PlanModel(QAbstractListModel):
    def __init__(self, workspace: Workspace, draft: DraftController) -> None:
        super().__init__()
        self._workspace = workspace
        self._draft = draft
        self._records: tuple[PlanRecord, ...] = ()
        draft.plans_changed.connect(self._on_plans)
        language().changed.connect(self.retranslate)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._records)

    def record(self, row: int) -> PlanRecord:
        return self._records[row]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        record = self._records[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._words(record, short=role == Qt.ItemDataRole.DisplayRole)
        if role == Qt.ItemDataRole.ForegroundRole and not record.approvals:
            return current_theme().muted
        return None

    def _words(self, record: PlanRecord, *, short: bool) -> str:
        plan, approvals = record.plan, record.approvals
        mark = text("ui.capture.plans.approved", by=approvals[-1].approved_by) if approvals else ""
        made = format_stamp(plan.created_at, self._workspace.zone)[:16]
        hosts = ", ".join(host.name for host in plan.hosts[:3]) + ("…" if len(plan.hosts) > 3 else "")
        words = [f"{'✓' if approvals else '○'} {plan.run}", mark or text("ui.capture.plans.draft"), hosts, made]
        return " · ".join(words) if short else "\n".join([*words, record.digest])

    def retranslate(self) -> None:
        if self._records:
            self.dataChanged.emit(self.index(0), self.index(len(self._records) - 1))

    def _on_plans(self) -> None:
        self.beginResetModel()
        self._records = self._draft.records
        self.endResetModel()


class _View(QListView):
    chosen = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class PlanList(QWidget):
    """`used` after an earlier plan was put on the table."""

    used = Signal()

    def __init__(self, workspace: Workspace, draft: DraftController) -> None:
        super().__init__()
        self._draft = draft
        self.model = PlanModel(workspace, draft)
        self.view = translated(_View(), accessibleName="ui.capture.plans")
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.chosen.connect(self.use)
        self.view.doubleClicked.connect(self._on_double_click)
        self._words = translated(label(role="muted", wrap=True), "ui.capture.plans.words")
        self.take = translated(button(on_click=self.use), "ui.capture.plans.use")
        self._parts = QStackedWidget()
        self._parts.addWidget(EmptyState("run", "ui.capture.plans.empty", width=280))
        self._parts.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self._words)
        column.addWidget(self._parts, 1)
        column.addLayout(row(self.take, 1))
        draft.plans_changed.connect(self._show_parts)
        self._show_parts()

    def use(self) -> None:
        index = self.view.currentIndex()
        if index.isValid():
            self._draft.show_record(self.model.record(index.row()))
            self.used.emit()

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.use()

    def _show_parts(self) -> None:
        count = self.model.rowCount()
        self._parts.setCurrentIndex(1 if count else 0)
        self.take.setEnabled(count > 0)
        if count:
            self.view.setCurrentIndex(self.model.index(0))
