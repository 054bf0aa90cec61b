"""Trade-offs: the worksheet of the iteration that is looked at, one row in full below, and the change log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QMenu

from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import Outcome
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.record_ids import book_after
from tunebench.ui.commands import Command
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.worksheet_actions import ROW, ActionGrid, ActionModel
from tunebench.ui.cycle.worksheet_detail import RowDetail
from tunebench.ui.cycle.worksheet_files import WorksheetFiles
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.tables.grid import GridView, add_action
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.widgets.drop_overlay import DropPlace
from tunebench.ui.widgets.parts import EmptyState, button, caption, column, label, panel, row, splitter, stacked
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.worksheet_cells import Sheet
from tunebench.usecases.grid_cells import CellError

LEAST_DETAIL = 210  # px


class TradeoffPage(Page):
    page_id = "tradeoffs"
    title_key = "ui.page.tradeoffs"
    icon = "tradeoffs"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.controller = CycleController.of(workspace)
        self._split_by_hand = False
        self._make_parts()
        self._lay_out()
        self._add_commands()
        self.controller.changed.connect(self._on_book)
        self.start()
        self.fill()

    def _make_parts(self) -> None:
        self.problems = ProblemCard()
        self.problems.chosen.connect(self._on_error)
        self.problems.resized.connect(self._share_soon)
        self.files = WorksheetFiles(self.workspace, self.controller, self.problems, self)
        self._title = translated(label(role="title"), "ui.tradeoffs.title")
        self._remark = label(role="small", tone="watch")
        self.iterations = translated(QComboBox(), accessibleName="cycle.kind.iteration")
        self.iterations.activated.connect(lambda place: self.controller.choose(self.iterations.itemData(place)))
        self.add_button = translated(
            button(kind="primary", on_click=self.add), "ui.tradeoffs.add", toolTip="ui.tradeoffs.add.tip"
        )
        self.export_button = translated(
            button(on_click=self.files.ask_export), "ui.tradeoffs.export", toolTip="ui.tradeoffs.export.tip"
        )
        self.import_button = translated(
            button(on_click=self.files.ask_import), "ui.tradeoffs.import", toolTip="ui.tradeoffs.import.tip"
        )
        self.report_button = translated(
            button(on_click=self._to_report), "ui.tradeoffs.report", toolTip="ui.tradeoffs.report.tip"
        )
        self.model = ActionModel(self._store)
        self.grid = translated(ActionGrid(self.model), accessibleName="ui.tradeoffs.title")
        self.grid.more_actions = self._more
        self.model.refused.connect(lambda errors: self._show_errors(self.grid, errors))
        self.grid.selectionModel().currentChanged.connect(self._on_current)
        self._refused_table: GridView = self.grid
        self.detail = RowDetail(self.workspace)
        self.detail.refused.connect(self._show_errors)
        for table in (self.grid, *self.detail.tables()):
            table.given_up.connect(self.problems.dismiss)
            table.barred.connect(lambda: self.workspace.say(text("ui.locked.typed"), "warning"))
        self._empty = EmptyState(
            self.icon, "ui.tradeoffs.empty", (("ui.tradeoffs.to_cycle", lambda: self.workspace.show_page("cycle")),)
        )

    def _lay_out(self) -> None:
        buttons = self.report_button, self.import_button, self.export_button, self.add_button
        upper = panel(column((self.grid, 1), row(caption("ui.tradeoffs.legend"), 1, self._remark)))
        self._split = splitter(upper, self.detail, down=True, shares=(1,))
        self._split.splitterMoved.connect(self._on_split_moved)
        self._stack = stacked(self._empty, self._split)
        head = row(self._title, self.iterations, 1, *buttons)
        column(head, self.problems, (self._stack, 1), margins=(SPACE_L, SPACE_M), of=self)

    def _add_commands(self) -> None:
        for name, keys, writes, act in (
            ("add", (), True, self.add),
            ("remove", ("Ctrl+Delete",), True, self.remove),
            ("import", (), True, self.files.ask_import),
            ("export", (), False, self.files.ask_export),
        ):
            command = Command(
                f"tradeoffs.{name}",
                "analyse",
                7,
                keys,
                self.page_id,
                needs_project=True,
                needs_writing=writes,
                text_key=f"ui.tradeoffs.{name}",
            )
            self.workspace.commands.add(command, act)

    # --- page
    def enter(self) -> None:
        super().enter()
        self._share_height()
        self.grid.setFocus()

    def show_argument(self, argument: object) -> None:
        """A `Place`, or the id of an action or of a line of the change log."""
        id_ = getattr(argument, "record_id", argument)
        record = self.controller.book.records.get(id_) if isinstance(id_, int) else None
        if isinstance(record, ExecutedChange):
            self.detail.show_tab("log")
        elif isinstance(record, Action):
            self.choose(record.id)

    def drop_places(self, paths: Sequence[Path]) -> Sequence[DropPlace]:
        """A worksheet that was filled in as a workbook."""
        if len(paths) != 1 or paths[0].suffix.lower() != ".xlsx" or not self.writable:
            return ()
        words = text("ui.tradeoffs.drop", name=paths[0].name)
        return (DropPlace(self.grid, words, lambda dropped: self.files.take(dropped[0])),)

    def retranslate(self, code: str) -> None:
        self.fill()

    # --- what is shown
    def _on_book(self) -> None:
        """What was refused was typed into another book."""
        self.problems.dismiss()
        self.outdated = True
        if self.isVisible():  # without entering it: the focus stays where somebody is typing
            self.freshen()

    def _sheet(self) -> Sheet:
        iteration = self.controller.iteration
        return Sheet(language().code, book=self.controller.book, iteration_id=iteration.id if iteration else 0)

    @property
    def writable(self) -> bool:
        """A closed iteration stays as it was."""
        iteration = self.controller.iteration
        return self.controller.writable and iteration is not None and iteration.outcome is Outcome.OPEN

    def fill(self) -> None:
        sheet, chosen = self._sheet(), self.action
        actions = self.controller.book.in_iteration(Action, sheet.iteration_id)
        self.model.show(actions, sheet, self.writable)
        self._stack.setCurrentIndex(1 if self.controller.iteration is not None else 0)
        self._list_iterations()
        for tool in (self.add_button, self.import_button):
            tool.setEnabled(self.writable)
        for tool in (self.export_button, self.report_button):
            tool.setEnabled(bool(actions))
        self.detail.show_log(sheet, self.controller.writable)
        self._choose_again(chosen)
        self._share_height()

    def _choose_again(self, chosen: Action | None) -> None:
        current = self.grid.currentIndex()
        if not current.isValid() and self.model.rowCount():
            at = self.model.row_of(chosen.id if chosen else None) or 0
            self.grid.setCurrentIndex(self.model.index(at, 0))
        self._show_row()

    def _list_iterations(self) -> None:
        self.iterations.clear()
        for listed in self.controller.book.iterations:
            self.iterations.addItem(text("ui.tradeoffs.iteration", number=listed.number, title=listed.title), listed.id)
        iteration = self.controller.iteration
        self.iterations.setCurrentIndex(self.iterations.findData(iteration.id) if iteration else -1)
        self.iterations.setVisible(self.iterations.count() > 0)
        closed = iteration is not None and iteration.outcome is not Outcome.OPEN
        self._remark.setText(text("ui.tradeoffs.closed") if closed else "")

    @property
    def action(self) -> Action | None:
        """The one of the chosen row."""
        action = self.model.item_at(self.grid.currentIndex())
        return action if isinstance(action, Action) else None

    def choose(self, action_id: int) -> None:
        at = self.model.row_of(action_id)
        if at is not None:
            self.grid.setCurrentIndex(self.model.index(at, max(self.grid.currentIndex().column(), 0)))
            self.grid.setFocus()

    def _on_current(self, current: QModelIndex, old: QModelIndex) -> None:
        if current.row() != old.row():
            self._show_row()

    def _show_row(self) -> None:
        self.detail.show_row(self.action, self._sheet(), self.writable)

    def _on_split_moved(self, *_: int) -> None:
        self._split_by_hand = True

    def _share_soon(self) -> None:
        QTimer.singleShot(0, self, self._share_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_soon()

    def _share_height(self) -> None:
        """The grid as high as its rows, at most three fifths; the row in full has the rest."""
        if self._split_by_hand:
            return
        height = max(self._split.height(), 400)
        rows = self.model.rowCount() * ROW + max(self.grid.horizontalHeader().height(), 44) + 66
        upper = min(max(rows, height // 3), height * 3 // 5, height - LEAST_DETAIL)
        self._split.setSizes([upper, height - upper])

    # --- edits
    def _store(self, items: tuple[Action, ...]) -> bool:
        stored = self.model.rows
        changes = [RecordChange(old, new) for old, new in zip(stored, items, strict=False) if old != new]
        changes += [RecordChange(None, new) for new in items[len(stored) :]]
        name = "change_action" if items[len(stored) :] == () else "add_action"
        return self.controller.edit(CycleEdit(name if len(changes) == 1 else "change_worksheet", tuple(changes)))

    def add(self) -> None:
        """The empty line at the end, ready for a name."""
        spare = self.model.index(len(self.model.rows), 0)
        if self.model.spare and spare.isValid():
            self.grid.setFocus()
            self.grid.setCurrentIndex(spare)
            self.grid.edit(spare)

    def remove(self) -> None:
        """The chosen rows with their guard metrics; said, and taken back by undo."""
        rows = sorted({index.row() for index in self.grid.selectedIndexes()})
        actions = [self.model.rows[at] for at in rows if at < len(self.model.rows)]
        if not actions or not self.writable:
            return
        gone = [0]

        def build() -> CycleEdit:
            book, changes = self.controller.book, list[RecordChange]()
            for action in actions:  # one after the other: a record may lose its link to several of them
                removal = edits.removal(book, action.id)
                book = book_after(book, removal.edit)
                changes += removal.edit.changes
                gone[0] += len(removal.dependents)
            return CycleEdit("remove_action", tuple(changes))

        if self.controller.attempt(build):
            self.workspace.say_done(text("ui.tradeoffs.removed", n=len(actions), guards=gone[0]))

    def _more(self, menu: QMenu) -> None:
        add_action(menu, text("ui.tradeoffs.add"), self.add, self.writable)
        add_action(menu, text("ui.tradeoffs.remove"), self.remove, self.writable and self.action is not None)

    # --- what is wrong
    def _show_errors(self, table: GridView, errors: list[CellError]) -> None:
        self._refused_table = table
        self.problems.show_errors(errors)

    def _on_error(self, error: CellError) -> None:
        index = self._refused_table.cells.index_of(error)
        if index.isValid():
            self._refused_table.setFocus()
            self._refused_table.setCurrentIndex(index)

    # --- ways
    def _to_report(self) -> None:
        """The change log where that is looked at, else the worksheet."""
        log, chapters = self.detail.shown_tab == "log", ("change_log", "worksheet", "countermeasures")
        self.workspace.show_page("report", chapters if log else chapters[1:])
