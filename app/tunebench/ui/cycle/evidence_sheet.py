"""Pinning: what is pinned, under which caption, and what it supports. A sheet above the page, no dialog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem

from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_list import EvidenceTree
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, row, set_tone
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.usecases.cycle.pinning import Offer

KEY = Qt.ItemDataRole.UserRole + 1
HEIGHT = 232


class EvidenceSheet(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self._offer: Offer | None = None
        self.setProperty("card", "true")
        self.setFixedHeight(HEIGHT)
        self._title = translated(label(role="section"), "ui.pinned.title")
        self._what = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.caption = translated(QLineEdit(), accessibleName="ui.pinned.caption")
        self.caption.returnPressed.connect(self.pin)
        self._caption_word = translated(label(role="small"), "ui.pinned.caption")
        self._parts_word = translated(label(role="small"), "ui.pinned.parts")
        self._tree_word = translated(label(role="small"), "ui.pinned.attach")
        self.parts = translated(QListWidget(), accessibleName="ui.pinned.parts")
        self.tree = EvidenceTree()
        self.pin_button = translated(button(kind="primary", on_click=self.pin), "ui.pinned.pin")
        self.cancel_button = translated(button(on_click=self.cancel), "ui.action.cancel")
        self._lay_out()
        keep = QShortcut(QKeySequence("Ctrl+Return"), self, self.pin)
        keep.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.parts.itemChanged.connect(self._enable)
        self.caption.textChanged.connect(self._enable)
        workspace.project_changed.connect(self._on_project)
        self.hide()

    def _lay_out(self) -> None:
        left = column(
            row(self._title, (self._what, 1), spacing=SPACE_M),
            self._caption_word,
            self.caption,
            self._parts_word,
            (self.parts, 1),
            0,
            row(self.pin_button, self.cancel_button, 1),
        )
        right = column(self._tree_word, (self.tree, 1))
        self.setLayout(row((left, 3), (right, 2), spacing=SPACE_L, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))

    # --- opening and closing
    def offer(self, offered: Offer) -> None:
        self._offer = offered
        only = [part.words for part in offered.parts] if len(offered.parts) == 1 else []
        self._what.set_words(" · ".join((offered.words, *only)))
        self.caption.setText(offered.caption)
        self.parts.clear()
        for part in offered.parts:
            item = QListWidgetItem(part.words)
            item.setData(KEY, part.key)
            item.setCheckState(Qt.CheckState.Checked)
            self.parts.addItem(item)
        for widget in (self.parts, self._parts_word):
            widget.setVisible(len(offered.parts) > 1)
        self.tree.search.clear()
        self.tree.fill(self._controller.book, self._controller.iteration, (), True)
        self._enable()
        self.show()
        self.caption.setFocus()
        self.caption.selectAll()

    def cancel(self) -> None:
        self._offer = None
        mark_stored(self.caption)
        self.hide()

    def _on_project(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self.cancel()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        else:
            super().keyPressEvent(event)

    # --- pinning
    def _wanted(self) -> list[int]:
        items = [self.parts.item(index) for index in range(self.parts.count())]
        return [int(item.data(KEY)) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _enable(self, *_: object) -> None:
        some = self._offer is not None and (not self._offer.parts or bool(self._wanted()))
        self.pin_button.setEnabled(some and bool(self.caption.text().strip()))
        set_tone(self.caption, "" if self.caption.text().strip() else "wrong", "state")

    def pin(self) -> None:
        """Pins the evidence in one step of undo, however many runs it is taken from."""
        offered = self._offer
        if offered is None or not self.pin_button.isEnabled():
            return
        project, wanted = self._workspace.opened, self._wanted()
        targets = self._workspace.answer_of(lambda: offered.targets(project, wanted), Change.CYCLE)
        if targets is None:
            return
        done = self._controller.applied(lambda: self._edit(targets))
        if done is not None:
            codes = [change.after.code for change in done.changes if isinstance(change.after, Evidence)]
            self.cancel()
            self._workspace.say_done(text("ui.pinned.done", codes=", ".join(codes)))

    def _edit(self, targets: Sequence[EvidenceTarget]) -> CycleEdit:
        from tunebench.usecases.cycle import edits as cycle_edits
        from tunebench.usecases.cycle import evidence

        caption, ties = self.caption.text(), self.tree.ticked()
        edits = [evidence.pin(self._controller.book, target, caption, ties) for target in targets]
        return cycle_edits.together("pin_evidence", *edits)
