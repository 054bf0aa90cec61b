"""One register of the engagement, typed in place: from the keyboard, or pasted from a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.domain.cycle.book import CycleBook, CycleEdit
from app.domain.engagement import Host
from app.domain.record_ids import book_after
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.scope_columns import Register
from app.ui.cycle.scope_grid import RegisterGrid
from app.ui.cycle.scope_hosts import HostDelegate, HostOffer, not_in_scope, system_of
from app.ui.cycle.scope_model import RegisterModel
from app.ui.cycle.worksheet_cells import Sheet, Trouble
from app.ui.cycle.worksheet_grid import add_action
from app.ui.cycle.worksheet_problems import ProblemCard
from app.ui.look.language import language, text, translated
from app.ui.widgets.parts import button, column, label, row
from app.ui.workspace import Workspace
from app.usecases.cycle import facade as cycle


class RegisterTable(QWidget):
    def __init__(self, workspace: Workspace, register: Register) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.register = register
        self.model = RegisterModel(register, self._store)
        self.model.troubled.connect(self._show_troubles)
        self.grid = RegisterGrid(self.model, self.remove)
        self.grid.more_actions = self._add_actions
        self.grid.barred.connect(lambda: workspace.say(text("ui.locked.typed"), "warning"))
        self._hint = label(role="muted", wrap=True)
        self.add_button = translated(button(on_click=self.add), "ui.scope.add")
        self.remove_button = translated(button(on_click=self.remove), "ui.scope.remove", toolTip="ui.scope.remove.tip")
        self.offer = HostOffer(self.take_hosts)
        self.problems = ProblemCard()
        self.problems.chosen.connect(self._go_to)
        self.grid.given_up.connect(self.problems.dismiss)
        self._hosts: tuple[Host, ...] = ()
        self._lay_out()
        self.grid.selectionModel().selectionChanged.connect(self._enable)
        self.model.dataChanged.connect(self._enable)
        self._controller.changed.connect(self._on_book)
        language().changed.connect(self.retranslate)
        self.retranslate()

    def _lay_out(self) -> None:
        head = row((self._hint, 1), self.remove_button, self.add_button)
        offer = []
        if self.register.name == "systems":
            offer = [self.offer]
            hosts = HostDelegate(self.grid, lambda: [host.name for host in self._hosts])
            self.grid.setItemDelegateForColumn(self.register.place("host"), hosts)
        self.setLayout(column(head, *offer, (self.grid, 1), self.problems))

    # --- showing
    def retranslate(self) -> None:
        self.grid.setAccessibleName(text(f"ui.engagement.tab.{self.register.name}"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.model.columnCount() - 1)
        self.reload()

    def reload(self) -> None:
        """Show what the project holds; the cursor stays in its row."""
        overview, book = self._workspace.overview, self._controller.book
        self._hosts = overview.hosts if overview is not None else ()
        self.model.known_hosts = tuple(host.name for host in self._hosts)
        self.model.show(self.register.rows(book), Sheet(book, language=language().code), self._controller.writable)
        self._hint.setText(
            text(f"ui.scope.how.{self.register.name}" if self._controller.writable else "ui.locked.table")
        )
        if self.register.name == "systems":
            self.offer.show_hosts(not_in_scope(self._hosts, self.model.items) if self._controller.writable else ())
        self._enable()

    def _on_book(self) -> None:
        """What was refused was typed into another book."""
        self.problems.dismiss()
        self.reload()

    def count(self) -> int:
        return len(self.model.items)

    def _enable(self, *_: object) -> None:
        self.add_button.setEnabled(self.model.writable)
        self.remove_button.setEnabled(self.model.writable and bool(self._chosen_rows()))

    # --- edits
    def _store(self, items: tuple[Any, ...]) -> bool:
        """What the table now says, as one edit."""
        book, known = self._controller.book, self.model.items
        edits = [cycle.change(book, new) for old, new in zip(known, items, strict=False) if new != old]
        edits += [cycle.add(book, new) for new in items[len(known) :]]
        name = edits[0].name if len(edits) == 1 else f"edit_{self.register.name}"
        return self._controller.attempt(lambda: cycle.together(name, *edits))

    def add(self) -> None:
        """The cursor into the line at the end, ready to be typed in."""
        place = self.model.index(self.model.rowCount() - 1, self.register.place(self.register.needs[0]))
        self.grid.setFocus()
        self.grid.setCurrentIndex(place)
        self.grid.edit(place)

    def forget(self) -> None:
        """Another engagement is open."""
        self.model.forget_draft()
        self.problems.dismiss()

    def _chosen_rows(self) -> list[int]:
        rows = sorted({index.row() for index in self.grid.selectedIndexes()})
        return [at for at in rows if at < len(self.model.items) or self.model.has_draft()]

    def remove(self) -> None:
        """The chosen lines; what named them stays, and names them no longer."""
        rows = self._chosen_rows()
        if len(self.model.items) in rows:
            self.model.forget_draft()
        ids = [self.model.items[at].id for at in rows if at < len(self.model.items)]
        if not ids or not self.model.writable:
            return
        edit, unlinked = removal_of(self._controller.book, ids, f"remove_{self.register.kind}")
        if self._controller.edit(edit) and unlinked:
            self._workspace.say(text("ui.scope.unlinked", count=unlinked))

    def take_hosts(self, hosts: Sequence[Host]) -> None:
        edits = [cycle.add(self._controller.book, system_of(host)) for host in hosts]
        self._controller.attempt(lambda: cycle.together("add_system" if len(edits) == 1 else "edit_systems", *edits))

    # --- what was not taken
    def _show_troubles(self, troubles: list[Trouble]) -> None:
        """One wrong cell is still open and is spoken of in the message bar; of several there is a list."""
        if len(troubles) > 1:
            self.problems.show_troubles(troubles)
            return
        self.problems.dismiss()
        self._workspace.say(f"{troubles[0].where}: {troubles[0].sentence}", "warning")

    def _go_to(self, trouble: Trouble) -> None:
        place = self.model.index_of(trouble)
        if place.isValid():
            self.grid.setCurrentIndex(place)
            self.grid.setFocus()

    def _add_actions(self, menu: QMenu) -> None:
        add_action(menu, text("ui.scope.add"), self.add, self.model.writable)
        add_action(menu, text("ui.scope.remove"), self.remove, self.model.writable and bool(self._chosen_rows()))


def removal_of(book: CycleBook, ids: Sequence[int], name: str) -> tuple[CycleEdit, int]:
    """Removes several records as one edit; and how many others named one of them."""
    edits, unlinked = [], set()
    for id_ in ids:
        found = cycle.removal(book, id_)
        edits.append(found.edit)
        unlinked |= {record.id for record in found.unlinked}
        book = book_after(book, found.edit)
    return cycle.together(name, *edits), len(unlinked)
