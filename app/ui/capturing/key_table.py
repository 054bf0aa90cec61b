"""The host keys that somebody accepted for this engagement: who, when, and the way to take one back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHeaderView

from app.domain.connection import AcceptedKey
from app.ui.look import fonts
from app.ui.look.formats import format_stamp
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_L, SPACE_M
from app.ui.tables.model import Column, TableModel
from app.ui.tables.view import TableView
from app.ui.widgets.parts import button, column, label, row
from app.ui.workspace import Workspace
from app.usecases.capturing import connections

Key = Column[AcceptedKey]


def key_columns(workspace: Workspace) -> list[Key]:
    def column(id_: str, words: Callable[[AcceptedKey], str], font: Callable[[object], QFont] | None = None) -> Key:
        return Column(id_, f"ui.capture.keys.column.{id_}", words, tip=words, font=font)

    return [
        column("address", lambda it: f"{it.key.address}:{it.key.port}"),
        column("type", lambda it: it.key.key_type),
        column("fingerprint", lambda it: it.key.fingerprint, lambda _: fonts.code_font()),
        column("by", lambda it: it.accepted_by),
        column("at", lambda it: format_stamp(it.accepted_at, workspace.zone)),
    ]


class KeyTable(QFrame):
    """`closed` when the person is done; `replaced` carries the address of a key that is to be asked about anew."""

    closed = Signal()
    replaced = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._title = translated(label(role="section"), "ui.capture.keys")
        self._words = translated(label(role="muted", wrap=True), "ui.capture.keys.words")
        self._none = translated(label(role="muted", wrap=True), "ui.capture.keys.none")
        self.model = TableModel(key_columns(workspace))
        self.table = translated(TableView(self.model), accessibleName="ui.capture.keys")
        self._dress()
        self.forget = translated(
            button(kind="danger", on_click=lambda: self._drop(ask_anew=False)), "ui.capture.keys.forget"
        )
        self.replace = translated(
            button(kind="danger", on_click=lambda: self._drop(ask_anew=True)),
            "ui.capture.keys.replace",
            toolTip="ui.capture.keys.replace.tip",
        )
        self.close_button = translated(button(on_click=self.closed.emit), "ui.action.close")
        acts = row(self.replace, self.forget, 1, self.close_button)
        parts = (self._title, self._words, self._none, (self.table, 1), 0, acts)
        self.setLayout(column(*parts, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))

    def _dress(self) -> None:
        table = self.table
        table.choose_single_rows()
        head = table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(self.model.column("fingerprint"), QHeaderView.ResizeMode.Stretch)
        table.selectionModel().selectionChanged.connect(self._enable)

    def reload(self) -> None:
        project = self._workspace.project
        keys = connections.accepted_keys(project) if project is not None else ()
        self.model.show_rows(keys)
        self._none.setVisible(not keys)
        self.table.setVisible(bool(keys))
        if keys:
            self.table.selectRow(0)
        self._enable()

    def take_focus(self) -> None:
        (self.table if self.model.rowCount() else self.close_button).setFocus()

    def _enable(self) -> None:
        possible = self._workspace.writable and self.table.currentIndex().isValid() and self.model.rowCount() > 0
        self.forget.setEnabled(possible)
        self.replace.setEnabled(possible)

    def _drop(self, *, ask_anew: bool) -> None:
        """The key is no longer trusted; it stays in the audit trail."""
        index = self.table.currentIndex()
        if not index.isValid():
            return
        key, project = self.model.row_at(index).key, self._workspace.opened
        if self._workspace.attempt(lambda: connections.forget_key(project, key)):
            self.reload()
            if ask_anew:
                self.replaced.emit(key)
