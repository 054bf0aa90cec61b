"""Left side of the plan: the hosts, and what can be done with one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.capturing.host_book import HostBook
from app.ui.capturing.host_list import HostDelegate, HostModel
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.layouts import STYLE_SPACING
from app.ui.widgets.parts import EmptyState, IconButton, button, column, label, panel, row, stacked
from app.ui.widgets.row_list import RowList
from app.ui.workspace import Workspace

EMPTY_WIDTH = 168


class HostView(RowList):
    """Delete removes; Space toggles the check box by itself."""

    remove_asked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.remove_asked.emit()
        else:
            super().keyPressEvent(event)


class HostPanel(QWidget):
    """Signals:
    edit_asked: a host's name, empty for a new one.
    copy_asked: name of the host that a new one is to be like.
    keys_asked: show the accepted keys.
    """

    edit_asked = Signal(str)
    copy_asked = Signal(str)
    keys_asked = Signal()

    def __init__(self, workspace: Workspace, book: HostBook) -> None:
        super().__init__()
        self._workspace = workspace
        self._book = book
        self._leaving = ""
        self.model = HostModel(book)
        self.view = translated(HostView(self.model), accessibleName="ui.capture.hosts")
        self.view.setItemDelegate(HostDelegate(self.view))
        self.view.opened.connect(self.edit_current)
        self.view.remove_asked.connect(self.ask_removal)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self._make_buttons()
        self._lay_out()
        book.changed.connect(self.refresh)
        book.tested.connect(self._enable)

    def _make_buttons(self) -> None:
        self._title = translated(label(role="section"), "ui.capture.hosts")
        self._count = label(role="small")
        self.add = IconButton("plus", self.add_host, key="ui.capture.host.add")
        self.test = translated(button(on_click=self.test_current), "ui.capture.host.test")
        self.edit = IconButton("edit", self.edit_current, key="ui.capture.host.edit")
        self.duplicate = IconButton("copy", self._copy_current, key="ui.capture.host.duplicate")
        self.remove = IconButton("trash", self.ask_removal, key="ui.capture.host.remove")
        self.keys = translated(button(kind="link", on_click=self.keys_asked.emit), "ui.capture.keys.open")
        self.all = translated(button(kind="link", on_click=lambda: self._book.choose_all(True)), "ui.capture.hosts.all")
        self.none = translated(
            button(kind="link", on_click=lambda: self._book.choose_all(False)), "ui.capture.hosts.none"
        )
        self._question = label(role="muted", wrap=True)
        self.confirm = translated(button(kind="danger", on_click=self._remove), "ui.capture.host.remove")
        self.keep = translated(button(on_click=self.keep_host), "ui.capture.host.keep")

    def _lay_out(self) -> None:
        self._empty = EmptyState(
            "host", "ui.capture.hosts.empty", (("ui.capture.host.add", self.add_host),), EMPTY_WIDTH
        )
        self._removal = panel(column(self._question, row(self.confirm, self.keep, 1), spacing=STYLE_SPACING))
        self._removal.hide()
        choice = row(self.all, self.none, 1, spacing=SPACE_S * 2)
        acts = row(self.test, 1, self.edit, self.duplicate, self.remove, spacing=SPACE_XS)
        self._parts = stacked(self._empty, panel(column(choice, (self.view, 1), acts, self._removal)))
        head = row(self._title, self._count, 1, self.add)
        self.setLayout(column(head, (self._parts, 1), row(self.keys, 1)))

    # --- what is shown
    def refresh(self) -> None:
        count = len(self._book.profiles)
        self._parts.setCurrentIndex(1 if count else 0)
        self._count.setText(text("ui.capture.hosts.count", chosen=len(self._book.chosen), count=count) if count else "")
        if count and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))
        self._enable()

    def retranslate(self) -> None:
        self._say_question()
        self.refresh()

    def _enable(self) -> None:
        writable, current = self._workspace.writable, bool(self.current())
        self.add.setEnabled(writable)
        self._empty.setEnabled(writable)
        for made in (self.edit, self.duplicate, self.remove, self.test):
            made.setEnabled(writable and current)

    def _on_current(self) -> None:
        self.keep_host()
        self._enable()

    # --- actions
    def current(self) -> str:
        index = self.view.currentIndex()
        return self.model.row_at(index).name if index.isValid() else ""

    def show_host(self, name: str) -> None:
        found = self.model.row_of(name)
        if found is not None:
            self.view.setCurrentIndex(self.model.index(found, 0))

    def add_host(self) -> None:
        if self._workspace.writable:
            self.edit_asked.emit("")

    def _with_current(self, act: Callable[[str], object]) -> None:
        if self.current() and self._workspace.writable:
            act(self.current())

    def edit_current(self) -> None:
        self._with_current(self.edit_asked.emit)

    def _copy_current(self) -> None:
        self._with_current(self.copy_asked.emit)

    def test_current(self) -> None:
        self._with_current(self._book.test)

    def _show_menu(self, place: QPoint) -> None:
        if not self.view.indexAt(place).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for shown in (self.test, self.edit, self.duplicate, self.remove):
            made = menu.addAction(shown.text() or shown.toolTip())
            made.setEnabled(shown.isEnabled())
            made.triggered.connect(shown.click)
        menu.popup(self.view.viewport().mapToGlobal(place))

    def ask_removal(self) -> None:
        self._with_current(self._ask_removal)

    def _ask_removal(self, name: str) -> None:
        self._leaving = name
        self._say_question()
        self._removal.show()
        self.keep.setFocus()

    @property
    def asks_removal(self) -> bool:
        return bool(self._leaving)

    def _say_question(self) -> None:
        if self._leaving:
            self._question.setText(text("ui.capture.host.remove_question", name=self._leaving))

    def _remove(self) -> None:
        self._book.remove(self._leaving)
        self.keep_host()

    def keep_host(self) -> None:
        """The question whether to remove it is taken back."""
        self._leaving = ""
        self._removal.hide()
