"""Left the sessions that were captured, right everything that is known of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.ui.capturing.session_details import SessionDetailsView
from app.ui.capturing.session_list import SessionList, SessionModel
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_M
from app.ui.widgets.parts import EmptyState
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionDetails, SessionRecord

SIDES = (240, 800)


class SessionView(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.model = SessionModel(workspace)
        self.list = translated(SessionList(self.model), accessibleName="ui.audit.sessions")
        self.list.setMinimumWidth(180)
        self.shown = SessionDetailsView(workspace)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setProperty("plain", "true")
        split.setHandleWidth(SPACE_M)
        split.setChildrenCollapsible(False)
        split.addWidget(self.list)
        split.addWidget(self.shown)
        split.setSizes(list(SIDES))
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        self._parts = QStackedWidget()
        self._parts.addWidget(EmptyState("history", "ui.audit.no_sessions", (("ui.audit.to_plan", self._to_plan),)))
        self._parts.addWidget(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._parts)
        self.list.selectionModel().currentRowChanged.connect(self._on_row)

    def fill(self, sessions: Sequence[SessionRecord], hosts: Mapping[str, tuple[str, ...]]) -> None:
        """The chosen one stays chosen; a new one is chosen where the newest was."""
        chosen, on_top = self._chosen(), self.list.currentIndex().row() <= 0
        self.model.show_sessions(sessions, hosts)
        self._parts.setCurrentIndex(1 if sessions else 0)
        kept = self.model.row_of(chosen) if chosen is not None and not on_top else None
        if sessions:
            self.list.setCurrentIndex(self.model.index(kept or 0))

    def _chosen(self) -> int | None:
        index = self.list.currentIndex()
        return self.model.row(index.row()).session.id if index.isValid() else None

    def _to_plan(self) -> None:
        self._workspace.show_page("collect", "plan")

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        from app.usecases.capturing import collecting

        project = self._workspace.project
        if not current.isValid() or project is None:
            return
        session_id = self.model.row(current.row()).session.id
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: collecting.details(project, session_id),
            owner=self,
            slot="details",
            on_result=self._show,
        )

    def _show(self, details: SessionDetails) -> None:
        self.shown.show_details(details)

    def retranslate(self) -> None:
        self.shown.refresh()

    def apply_theme(self) -> None:
        self.list.viewport().update()
