"""Hosts, plan and approval side by side; the form of a host takes the place of the latter two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.domain.capturing.plan import CapturePlan
from app.domain.connection import HostKey, HostProfile
from app.ui.capturing.approval_panel import ApprovalPanel
from app.ui.capturing.draft_controller import DraftController
from app.ui.capturing.host_book import HostBook
from app.ui.capturing.host_form import HostForm
from app.ui.capturing.host_panel import HostPanel
from app.ui.capturing.key_table import KeyTable
from app.ui.capturing.plan_editor import PlanEditor
from app.ui.capturing.resolved_view import ResolvedView
from app.ui.look.theme import SPACE_M
from app.ui.widgets.parts import column, splitter, stacked
from app.ui.workspace import Workspace

HOSTS_SHARE, HOSTS_WIDTHS = 0.22, (216, 320)
PLAN_SHARE = 0.56

RESOLVED_WIDTH = 340


class HostPage(QWidget):
    """The form, and beside it what will really be used. `closed` when it is saved or left."""

    closed = Signal()

    def __init__(self, workspace: Workspace, book: HostBook) -> None:
        super().__init__()
        self._book = book
        self._name = ""
        self.form = HostForm()
        self.resolved = ResolvedView(workspace)
        self.resolved.setMinimumWidth(RESOLVED_WIDTH)
        self.setLayout(column(splitter(self.form, self.resolved, handle=SPACE_M, shares=(5, 4), sizes=(460, 400))))
        self.form.edited.connect(self.resolved.show_profile)
        self.form.submitted.connect(self._save)
        self.form.closed.connect(self.closed.emit)
        book.tested.connect(self._on_tested)

    def show_host(self, name: str) -> None:
        """Empty for a new one."""
        self._name = name
        self.form.show_profile(self._book.find(name), former=name)
        self.resolved.show_test(self._book.last_test(name))

    def copy_host(self, name: str) -> None:
        """A new one that is reached like `name`."""
        self._name = ""
        profile = self._book.find(name)
        self.form.show_profile(replace(profile, name="") if profile else None)
        self.resolved.show_test(self._book.last_test(""))

    def retranslate(self) -> None:
        self.form.retranslate()
        self.resolved.retranslate()

    def _on_tested(self, name: str) -> None:
        if name == self._name:
            self.resolved.show_test(self._book.last_test(name))

    def _save(self, profile: HostProfile, former: str, test: bool) -> None:
        error = self._book.save(profile, former)
        if error is not None:
            self.form.show_refusal(error)
            return
        self.closed.emit()
        if test:
            self._book.test(profile.name)


class PlanTab(QWidget):
    """Signals:
    start_asked: carries the approved plan.
    key_refused: (profile, UserError).
    """

    start_asked = Signal(object)
    key_refused = Signal(object, object)

    def __init__(self, workspace: Workspace, controller: Any) -> None:
        super().__init__()
        self._workspace = workspace
        self._dragged = False
        self.book = HostBook(workspace, controller)
        self.draft = DraftController(workspace)
        self.hosts = HostPanel(workspace, self.book)
        self.editor = PlanEditor(workspace, self.book, self.draft)
        self.approval = ApprovalPanel(workspace, self.draft)
        self.host_page = HostPage(workspace, self.book)
        self.keys = KeyTable(workspace)
        self._lay_out()
        self.hosts.edit_asked.connect(self.edit_host)
        self.hosts.copy_asked.connect(self.copy_host)
        self.hosts.keys_asked.connect(self.show_keys)
        self.host_page.closed.connect(self.show_plan)
        self.keys.closed.connect(self.show_plan)
        self.keys.replaced.connect(self._ask_key_anew)
        self.approval.start_asked.connect(self.start_asked.emit)
        self.book.key_refused.connect(self.key_refused.emit)

    def show_kept(self, plan: CapturePlan) -> None:
        self.show_plan()
        self.draft.show_kept(plan)

    def _lay_out(self) -> None:
        self._plan = splitter(self.editor, self.approval, handle=SPACE_M)
        self.editor.setMinimumWidth(360)
        self.approval.setMinimumWidth(320)
        self.parts = stacked(self._plan, self.host_page, self.keys)
        self._split = splitter(self.hosts, self.parts, handle=SPACE_M)
        self.hosts.setMinimumWidth(HOSTS_WIDTHS[0])
        for split in (self._plan, self._split):
            split.splitterMoved.connect(self._on_dragged)
        self.setLayout(column(self._split))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shares the width out until somebody has dragged a border."""
        super().resizeEvent(event)
        if not self._dragged:
            width = event.size().width()
            hosts = min(max(round(width * HOSTS_SHARE), HOSTS_WIDTHS[0]), HOSTS_WIDTHS[1])
            self._split.setSizes([hosts, width - hosts])
            self._plan.setSizes([round((width - hosts) * PLAN_SHARE), round((width - hosts) * (1 - PLAN_SHARE))])

    def event(self, event: QEvent) -> bool:
        """Escape leads from a form back to the plan, as its Cancel does, before it is a command of the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self._can_leave():
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.show_plan()
                return True
        return super().event(event)

    def _can_leave(self) -> bool:
        return self.parts.currentWidget() is not self._plan or self.hosts.asks_removal

    def _on_dragged(self) -> None:
        self._dragged = True

    def begin(self) -> None:
        """A project was opened: nothing of the one before stays."""
        self.draft.reload()
        self.book.reload(forget=True)
        self.editor.begin()
        overview = self._workspace.overview
        self.approval.choose_language(overview.engagement.language if overview else "")
        self.show_plan()

    def retranslate(self) -> None:
        for part in (self.hosts, self.editor, self.approval, self.host_page):
            part.retranslate()

    def apply_theme(self) -> None:
        self.hosts.view.viewport().update()
        self.editor.table.viewport().update()
        self.approval.text.rewrite()

    # --- what is shown right of the hosts
    def show_plan(self) -> None:
        self.parts.setCurrentWidget(self._plan)
        self.hosts.keep_host()
        self.hosts.view.setFocus()

    def edit_host(self, name: str) -> None:
        self.parts.setCurrentWidget(self.host_page)
        self.host_page.show_host(name)

    def copy_host(self, name: str) -> None:
        self.parts.setCurrentWidget(self.host_page)
        self.host_page.copy_host(name)

    def show_keys(self) -> None:
        self.keys.reload()
        self.parts.setCurrentWidget(self.keys)
        self.keys.take_focus()

    def add_host(self) -> None:
        self.hosts.add_host()

    def test_host(self) -> None:
        self.hosts.test_current()

    # --- keys
    def _ask_key_anew(self, key: HostKey) -> None:
        """The stored key is gone: connect, so that the host shows its new one and a person compares it."""
        for profile in self.book.profiles:
            error = self.book.last_test(profile.name).error
            if profile.address == key.address or (error is not None and error.facts.get("address") == key.address):
                self.show_plan()
                self.book.test(profile.name)
                return
