"""One register of the engagement, typed in place: from the keyboard, or pasted from a spreadsheet; hosts of the
captures are offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStyleOptionViewItem, QWidget

from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record
from tunebench.domain.cycle.records import SystemInScope, SystemKind
from tunebench.domain.engagement import Host
from tunebench.domain.record_ids import book_after
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.scope_model import Register, RegisterModel
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_S
from tunebench.ui.tables.grid import CellDelegate, GridView, add_action
from tunebench.ui.tables.model import Index
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits as cycle_edits
from tunebench.usecases.cycle.worksheet_cells import Sheet

LEAST_TEXT_PX = 96
CELL_PADDING_PX, LINE_GAP_PX = 26, 10
MOST_FITTED_ROWS = 200
"""Longer tables show one line of words per row: every line is measured after every edit."""
MOST_OFFERED = 4


class RegisterGrid(GridView):
    """Columns share the width, and lines are as high as what they say."""

    def __init__(self, model: RegisterModel, remove: Callable[[], object]) -> None:
        super().__init__(model)
        self.remove_rows = remove
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self.fit)
        self._dragged = self._fitting = False
        self.setWordWrap(True)
        self.horizontalHeader().sectionHandleDoubleClicked.connect(self._fit_anew)
        self.horizontalHeader().sectionResized.connect(self._on_resized)
        model.dataChanged.connect(self._fit_later)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_later()

    def _fit_later(self, *_: object) -> None:
        self._fit_soon.start()

    def _on_resized(self, _column: int, _old: int, _new: int) -> None:
        """A column that was dragged keeps its width; the lines take their new heights."""
        if not self._fitting:
            self._dragged = True
            self._fit_soon.start()

    def _fit_anew(self, _column: int) -> None:
        self._dragged = False
        self._fit_later()

    def fit(self) -> None:
        self._fitting = True
        if not self._dragged:
            for index, width in enumerate(widths(self.cells_wanted(), self.viewport().width())):
                self.setColumnWidth(index, width)
        if self.cells.rowCount() <= MOST_FITTED_ROWS:
            for down in range(self.cells.rowCount()):
                self.setRowHeight(down, self._height(down))
        self._fitting = False

    def _height(self, down: int) -> int:
        metrics, high = self.fontMetrics(), ROW_HEIGHT
        for across in range(self.cells.columnCount()):
            words = str(self.cells.index(down, across).data() or "")
            room = QRect(0, 0, max(self.columnWidth(across) - CELL_PADDING_PX, 1), 0)
            if words:
                high = max(high, metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words).height() + LINE_GAP_PX)
        return high

    def cells_wanted(self) -> list[tuple[int, bool]]:
        """Wanted width of each column, and whether it gives way."""
        return [
            (column.pixels, not column.right and (column.edit is None or column.edit.choices is None))
            for column in self.cells.columns
        ]


def widths(wanted: Sequence[tuple[int, bool]], room: int) -> list[int]:
    """Columns that do not give way have what they want; the others share what is left as they want it, each enough to
    be read."""
    fitted = [width for width, _gives in wanted]
    sharing = [index for index, (_width, gives) in enumerate(wanted) if gives]
    while sharing:
        left = room - sum(width for index, width in enumerate(fitted) if index not in sharing)
        share = sum(wanted[index][0] for index in sharing)
        short = [index for index in sharing if left * wanted[index][0] < LEAST_TEXT_PX * share]
        for index in short or sharing:
            fitted[index] = LEAST_TEXT_PX if short else left * wanted[index][0] // share
        sharing = [index for index in sharing if index not in short] if short else []
    if fitted:
        fitted[-1] += max(room - sum(fitted), 0)
    return fitted


def not_in_scope(hosts: Sequence[Host], systems: Sequence[SystemInScope]) -> tuple[Host, ...]:
    """Captured hosts that no system stands for, neither by its host nor by its name."""
    names = {name.casefold() for system in systems for name in (system.host, system.name) if name}
    return tuple(host for host in hosts if host.name.casefold() not in names)


def system_of(host: Host) -> SystemInScope:
    product = " ".join(part for part in (host.os, host.os_version) if part)
    return SystemInScope(0, SystemKind.HOST, host.name, product=product, host=host.name)


class HostDelegate(CellDelegate):
    """A captured host is chosen; the name of one that is still to be captured is typed."""

    def __init__(self, view: GridView, names: Callable[[], Sequence[str]]) -> None:
        super().__init__(view)
        self._names = names

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        if not self._names():
            return super().createEditor(parent, option, index)
        return self._choices(parent, index, self._names(), editable=True)


class HostOffer(QFrame):
    """One button per captured host that is not in scope; `take` gets those that were chosen."""

    def __init__(self, take: Callable[[Sequence[Host]], object]) -> None:
        super().__init__()
        self._hosts: tuple[Host, ...] = ()
        self._words = label(role="muted")
        self.buttons = [
            button(kind="quiet", on_click=lambda at=at: take(self._hosts[at : at + 1])) for at in range(MOST_OFFERED)
        ]
        self.all = button(kind="link", on_click=lambda: take(self._hosts))
        self.setLayout(row(self._words, *self.buttons, self.all, 1, spacing=SPACE_S))

    def show_hosts(self, hosts: Sequence[Host]) -> None:
        self._hosts = tuple(hosts)
        self._words.setText(text("ui.scope.hosts_captured"))
        for at, host_button in enumerate(self.buttons):
            host_button.setVisible(at < len(hosts))
            if at < len(hosts):
                host_button.setText(text("ui.scope.take_host", host=hosts[at].name))
        self.all.setVisible(len(hosts) > 1)
        self.all.setText(text("ui.scope.take_all_hosts", count=len(hosts)))
        self.setVisible(bool(hosts))


class RegisterTable(QWidget):
    def __init__(self, workspace: Workspace, register: Register) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.register = register
        self.model = RegisterModel(register, self._store)
        self.grid = RegisterGrid(self.model, self.remove)
        self.grid.more_actions = self._add_actions
        self.grid.barred.connect(lambda: workspace.say(text("ui.locked.typed"), "warning"))
        self._hint = label(role="muted", wrap=True)
        self.add_button = translated(button(on_click=self.add), "ui.scope.add")
        self.remove_button = translated(button(on_click=self.remove), "ui.scope.remove", toolTip="ui.scope.remove.tip")
        self.offer = HostOffer(self.take_hosts)
        self.problems = ProblemCard()
        self.problems.follow(self.grid, workspace.say)
        self._hosts: tuple[Host, ...] = ()
        self._lay_out()
        self.grid.selectionModel().selectionChanged.connect(self._enable)
        self.model.dataChanged.connect(self._enable)
        self.model.dataChanged.connect(self._note_draft)
        self._controller.changed.connect(self._on_book)
        language().follow(self.retranslate)

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
        self.model.show(self.register.rows(book), Sheet(language().code, book=book), self._controller.writable)
        self._hint.setText(
            text(f"ui.scope.how.{self.register.name}" if self._controller.writable else "ui.locked.table")
        )
        if self.register.name == "systems":
            self.offer.show_hosts(not_in_scope(self._hosts, self.model.rows) if self._controller.writable else ())
        self._enable()
        self._note_draft()

    def _on_book(self) -> None:
        """What was refused was typed into another book."""
        self.problems.dismiss()
        self.reload()

    def _note_draft(self, *_: object) -> None:
        """A line that waits for its name is not in the project."""
        self._workspace.note_typing(self, unsaved=self.model.has_draft())

    def count(self) -> int:
        return len(self.model.rows)

    def _enable(self, *_: object) -> None:
        self.add_button.setEnabled(self.model.writable)
        self.remove_button.setEnabled(self.model.writable and bool(self._chosen_rows()))

    # --- edits
    def _store(self, items: tuple[Record, ...]) -> bool:
        """What the table now says, as one edit."""
        book, stored = self._controller.book, self.model.rows
        edits = [cycle_edits.change(book, new) for old, new in zip(stored, items, strict=False) if new != old]
        edits += [cycle_edits.add(book, new) for new in items[len(stored) :]]
        name = edits[0].name if len(edits) == 1 else f"edit_{self.register.name}"
        return self._controller.attempt(lambda: cycle_edits.together(name, *edits))

    def add(self) -> None:
        """The cursor into the line at the end, ready to be typed in."""
        index = self.model.index(self.model.rowCount() - 1, self.register.place(self.register.needs[0]))
        self.grid.setFocus()
        self.grid.setCurrentIndex(index)
        self.grid.edit(index)

    def forget(self) -> None:
        """Another engagement is open."""
        self.model.forget_draft()
        self._note_draft()
        self.problems.dismiss()

    def _chosen_rows(self) -> list[int]:
        rows = sorted({index.row() for index in self.grid.selectedIndexes()})
        return [at for at in rows if at < len(self.model.rows) or self.model.has_draft()]

    def remove(self) -> None:
        """The chosen lines; what named them stays, and names them no longer."""
        rows = self._chosen_rows()
        if len(self.model.rows) in rows:
            self.model.forget_draft()
        ids = [self.model.rows[at].id for at in rows if at < len(self.model.rows)]
        if not ids or not self.model.writable:
            return
        edit, unlinked = removal_of(self._controller.book, ids, f"remove_{self.register.kind}")
        if self._controller.edit(edit) and unlinked:
            self._workspace.say_done(text("ui.scope.unlinked", count=unlinked))

    def take_hosts(self, hosts: Sequence[Host]) -> None:
        edits = [cycle_edits.add(self._controller.book, system_of(host)) for host in hosts]
        self._controller.attempt(
            lambda: cycle_edits.together("add_system" if len(edits) == 1 else "edit_systems", *edits)
        )

    def _add_actions(self, menu: QMenu) -> None:
        add_action(menu, text("ui.scope.add"), self.add, self.model.writable)


def removal_of(book: CycleBook, ids: Sequence[int], name: str) -> tuple[CycleEdit, int]:
    """Removes several records as one edit; and how many others named one of them."""
    edits, unlinked = [], set()
    for id_ in ids:
        removal = cycle_edits.removal(book, id_)
        edits.append(removal.edit)
        unlinked |= {record.id for record in removal.unlinked}
        book = book_after(book, removal.edit)
    return cycle_edits.together(name, *edits), len(unlinked)
