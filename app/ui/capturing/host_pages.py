"""What takes the place of plan and approval while a host is edited, or keys are looked at."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.domain.connection import HostProfile
from app.ui.capturing.host_book import HostBook
from app.ui.capturing.host_form import HostForm
from app.ui.capturing.resolved_view import ResolvedView
from app.ui.look.theme import SPACE_M
from app.ui.workspace import Workspace

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
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setProperty("plain", "true")
        split.setHandleWidth(SPACE_M)
        split.setChildrenCollapsible(False)
        for part in (self.form, self.resolved):
            split.addWidget(part)
        self.resolved.setMinimumWidth(RESOLVED_WIDTH)
        split.setSizes([460, 400])
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split)
        self.form.edited.connect(self._on_edited)
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

    def _on_edited(self, profile: HostProfile) -> None:
        self.resolved.show_profile(profile)

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
