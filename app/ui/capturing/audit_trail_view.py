"""The audit trail of the engagement: filters, the entries newest first, and the chosen one whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.ui.capturing.audit_entry import AuditEntryPanel
from app.ui.capturing.audit_filters import AuditFilters
from app.ui.capturing.audit_table import AuditModel, AuditTable
from app.ui.capturing.audit_words import sentences
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_S
from app.ui.widgets.parts import EmptyState
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionRecord

PARTS = (330, 150)


class AuditTrailView(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._total = 0
        self._wanted_id: int | None = None
        self.filters = AuditFilters(workspace)
        self.model = AuditModel(workspace)
        self.table = translated(AuditTable(self.model), accessibleName="ui.audit.trail")
        self.panel = translated(AuditEntryPanel(workspace), accessibleName="ui.audit.entry")
        self._parts = QStackedWidget()
        self._parts.addWidget(self.table)
        self._parts.addWidget(EmptyState("search", "ui.audit.nothing", (("ui.audit.clear", self.filters.clear),)))
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setProperty("plain", "true")
        self._split.setHandleWidth(SPACE_S)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._parts)
        self._split.addWidget(self.panel)
        self._split.setSizes(list(PARTS))
        self._split.setStretchFactor(0, 2)
        self._split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.filters)
        column.addWidget(self._split, 1)
        self.filters.changed.connect(self.search)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)

    def begin(self) -> None:
        """Another project, or none: nothing of the one before stays."""
        self.filters.fill((), ())
        self.filters.words.clear()
        self.filters.group.setCurrentIndex(0)
        self._total, self._wanted_id = 0, None
        self.model.show_broken(None)
        self._show_found(())

    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str], total: int) -> None:
        self._total = total
        self.filters.fill(sessions, hosts)
        self.search()

    def search(self) -> None:
        from app.usecases import audit_trail

        project = self._workspace.project
        if project is None:
            return
        wanted, sentence = self.filters.wanted(), sentences(self._workspace.zone)
        self.filters.show_narrowed(wanted != audit_trail.TrailFilter())
        self._workspace.jobs.run(
            "cpu",
            lambda handle: audit_trail.find(project, wanted, sentence, handle),
            owner=self,
            slot="find",
            on_result=self._show_found,
        )

    def show_entry(self, entry_id: int) -> None:
        """That entry among all of them; the newest where it is gone."""
        self._wanted_id = entry_id
        self.filters.clear()

    def _show_found(self, ids: Sequence[int]) -> None:
        """The chosen entry stays chosen; where the newest was looked at, the newest is shown again."""
        before = self.panel.entry
        on_top = self.table.currentIndex().row() <= 0
        self.model.show_ids(ids)
        self._total = max(self._total, len(ids))
        self.filters.show_count(len(ids), self._total)
        self._parts.setCurrentIndex(0 if ids or not self._total else 1)
        kept = self.model.row_of(before.id) if before is not None and not on_top else None
        if self._wanted_id is not None:
            kept, self._wanted_id = self.model.row_of(self._wanted_id), None
        if ids:
            self.table.selectRow(kept or 0)
            self.table.scrollTo(self.model.index(kept or 0, 0))
        else:
            self.panel.show_entry(None)

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        self.panel.show_entry(self.model.entry(self.model.row_at(current)) if current.isValid() else None)

    def retranslate(self) -> None:
        self.filters.retranslate()
        self.filters.show_count(self.model.rowCount(), self._total)
        self.panel.retranslate()

    def apply_theme(self) -> None:
        self.table.viewport().update()
