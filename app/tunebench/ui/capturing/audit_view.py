"""Third tab of the capture page: the sessions that were captured, and the audit trail of the engagement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.ui.capturing.audit_chain_bar import AuditChainBar
from tunebench.ui.capturing.audit_trail_view import AuditTrailView
from tunebench.ui.capturing.session_view import SessionView
from tunebench.ui.look.language import language, translated
from tunebench.ui.look.theme import SPACE_L, themes
from tunebench.ui.widgets.parts import column, row, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import audit_trail
from tunebench.usecases.capturing import plans as capture_plans

if TYPE_CHECKING:
    from tunebench.domain.capturing.run import SessionRecord
    from tunebench.usecases.projects import Project

PARTS = ("sessions", "trail")
LOOK_MS = 2_000
CHECKED_AT_ONCE = 20_000
"""A trail up to this long is checked again whenever it grows, which takes a tenth of a second."""
TOLD_BY = (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS)


@record
class Captured:
    """What the tab shows besides details. `hosts`: names by the digest of a plan; `head`: of the audit trail."""

    sessions: tuple[SessionRecord, ...]
    hosts: Mapping[str, tuple[str, ...]]
    host_names: tuple[str, ...]
    head: tuple[int, str]


def _read(project: Project) -> Captured:
    from tunebench.usecases.capturing import collecting

    plans = capture_plans.list_plans(project)
    hosts = {record.digest: tuple(host.name for host in record.plan.hosts) for record in plans}
    return Captured(
        collecting.list_sessions(project), hosts, audit_trail.host_names(project), audit_trail.head(project)
    )


class AuditView(QWidget):
    """Follows project, language and theme itself; reads only while it is seen."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._stale = True
        self._head: tuple[int, str] | None = None
        self.switch = translated(tab_bar(*PARTS), tabText=[f"ui.audit.part.{name}" for name in PARTS])
        self.chain = AuditChainBar(workspace)
        self.sessions = SessionView(workspace)
        self.trail = AuditTrailView(workspace)
        self.parts = stacked(self.sessions, self.trail)
        head = row(self.switch, (self.chain, 1), spacing=SPACE_L)
        self.setLayout(column(head, (self.parts, 1)))
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._connect()
        self._retranslate()

    def _connect(self) -> None:
        self.switch.currentChanged.connect(self.parts.setCurrentIndex)
        self.sessions.shown.trail_asked.connect(self.show_trail_of)
        self.chain.verified.connect(lambda state: self.trail.model.show_broken(state.broken_at))
        self.chain.broken_asked.connect(self._show_broken)
        self._look.timeout.connect(self._look_for_more)
        self._workspace.project_changed.connect(self._on_project)
        language().changed.connect(self._retranslate)
        themes().theme_changed.connect(self._on_theme)

    # --- what is shown
    def show_trail_of(self, session_id: int) -> None:
        self.switch.setCurrentIndex(PARTS.index("trail"))
        self.trail.filters.show_session(session_id)

    def _show_broken(self, entry_id: int) -> None:
        self.switch.setCurrentIndex(PARTS.index("trail"))
        self.trail.show_entry(entry_id)

    def reload(self) -> None:
        """Read everything again; the chain is computed anew."""
        self._stale = False
        if self._workspace.project is not None:
            self._read_again()
            self.chain.verify()

    def _read_again(self) -> None:
        project = self._workspace.opened
        self._workspace.jobs.run("cpu", lambda _handle: _read(project), owner=self, slot="read", on_result=self._show)

    def _show(self, captured: Captured) -> None:
        self._head = captured.head
        self.sessions.fill(captured.sessions, captured.hosts)
        self.trail.fill(captured.sessions, captured.host_names, captured.head[0])

    def _look_for_more(self) -> None:
        """A running capture adds to the trail without telling anybody."""
        project = self._workspace.project
        if project is None or self._workspace.jobs.busy:
            return
        try:
            head = audit_trail.head(project)
        except UserError:  # somebody who does something with the project is told
            return
        if head != self._head:
            self._read_again()
            if head[0] <= CHECKED_AT_ONCE:
                self.chain.verify()

    # --- events
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look.start()
        if self._stale:
            self.reload()
        else:
            self._look_for_more()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._look.stop()

    def _on_project(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._head = None
            self.chain.begin()
            self.sessions.fill((), {})
            self.trail.begin()
            self.switch.setCurrentIndex(0)
        if change in TOLD_BY:
            self._stale = True
            if self.isVisible():
                self.reload()

    def _on_theme(self) -> None:
        for painted in (self.sessions.list, self.trail.table):
            painted.viewport().update()

    def _retranslate(self) -> None:
        self.chain.retranslate()
        self.sessions.shown.refresh()
        self.trail.retranslate()
