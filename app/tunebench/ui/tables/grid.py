"""A table that works like a spreadsheet: keys, clipboard, several cells at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QMimeData, QModelIndex, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tunebench.core.messages import LANGUAGES
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import ROW_HEIGHT, current_theme
from tunebench.ui.tables.cells import is_first_showing
from tunebench.ui.tables.grid_editor import CellText
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.tables.model import Index
from tunebench.ui.tables.open_cell import OpenCell
from tunebench.ui.typing import stored_soon
from tunebench.ui.widgets.parts import lock
from tunebench.usecases.grid_cells import Typed, has_lines, heading
from tunebench.usecases.spreadsheet_cells import filled, for_spreadsheet, from_spreadsheet, placed, without_heading

_SHORTCUTS = QKeySequence.StandardKey
_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


LEAST_WIDTH, LINES_HEIGHT = 200, 84
_HANDLED_BY_TEXT = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class GridView(QTableView):
    """Arrows, Tab and Enter move; typing replaces, F2 goes on writing, Del empties; Ctrl+C, X, V, D.

    Attributes:
        more_actions: adds what else the menu offers.
        remove_rows: takes the chosen rows out, at Ctrl+Del; None: there is no such thing here.

    Signals:
        given_up: Escape, from a cell that was being typed in or from the table.
        barred: something was typed, and the table is only read.
    """

    given_up = Signal()
    barred = Signal()

    def __init__(self, model: CellModel, row_height: int = ROW_HEIGHT) -> None:
        super().__init__()
        self.replacing = False
        self._open: OpenCell | None = None
        self._refused: tuple[OpenCell, str] | None = None
        self.cells = model
        self.more_actions: Callable[[QMenu], None] = lambda _menu: None
        self.remove_rows: Callable[[], object] | None = None
        self.setModel(model)
        self.setItemDelegate(CellDelegate(self))
        model.locked.connect(self._show_lock)
        model.dataChanged.connect(self._follow_open)
        model.rowsRemoved.connect(self._follow_open)
        model.modelReset.connect(self._forget_open)
        self._dress(row_height)

    def _dress(self, row_height: int) -> None:
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.AnyKeyPressed | triggers.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(row_height > ROW_HEIGHT)
        self.setCornerButtonEnabled(False)
        upright = self.cells.upright
        self.verticalHeader().setVisible(upright)
        self.horizontalHeader().setVisible(not upright)
        self.verticalHeader().setDefaultSectionSize(row_height)
        self.verticalHeader().setMinimumSectionSize(row_height)
        self.verticalHeader().setHighlightSections(False)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(40)
        if upright:
            self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            return
        for index, column in enumerate(self.cells.columns):
            self.setColumnWidth(index, column.pixels)

    def _show_lock(self, locked: bool) -> None:
        lock(self, locked, "")

    # --- editing
    def edit(self, index: Index, *how: Any) -> Any:
        """Remembers whether typing began the edit: then it takes the place of what is there."""
        if how:
            trigger, event = how
            typed = trigger == QAbstractItemView.EditTrigger.AnyKeyPressed
            self.replacing = typed and (event is None or event.type() != QEvent.Type.MouseButtonDblClick)
            return super().edit(index, trigger, event)
        self.replacing = False
        return super().edit(index)

    def opened(self, index: Index, editor: QWidget) -> OpenCell:
        """An editor is laid over the cell."""
        if self._open is not None and self._open.is_alive:
            self.commitData(self._open.editor)
        self._open = OpenCell(self.cells, index, editor)
        return self._open

    def show_words(self, editor: QWidget) -> None:
        """In the editor that was opened last."""
        if self._open is None or self._open.editor is not editor:
            return
        if is_first_showing(editor):
            self._open.begin(self.replacing)
        else:
            self._open.refresh()

    def leave(self, editor: QWidget) -> None:
        """What was typed goes into the cell; refused, it is still there to be mended."""
        if self._open is None or self._open.editor is not editor:
            return
        refused = self._open.leave()
        if refused is not None:
            self._refused = (self._open, refused)
            QTimer.singleShot(0, self, self._open_refused)

    def _open_refused(self) -> None:
        """Where the page was left meanwhile, nobody sees what the keys would do."""
        if self._refused is None:
            return
        (cell, words), self._refused = self._refused, None
        is_free = self.isVisible() and self.state() != QAbstractItemView.State.EditingState
        if is_free and cell.is_same_record() and self.cells.takes(cell.index):
            self.setCurrentIndex(cell.index)
            self.edit(cell.index)
            if self._open is not None:
                self._open.begin_again(cell, words)

    def _follow_open(self, *_: object) -> None:
        """Another record in the place of the one that is typed in takes the editor away."""
        cell = self._open
        if cell is None or cell.is_storing or cell.is_same_record():
            return
        self._open = None
        cell.drop()
        if cell.index.isValid():  # else Qt took the editor away with the row
            self.closeEditor(cell.editor, QAbstractItemDelegate.EndEditHint.NoHint)

    def _forget_open(self) -> None:
        self._open = None

    def _shown_columns(self) -> list[int]:
        return [index for index in range(self.cells.columnCount()) if not self.isColumnHidden(index)]

    def step(self, down: int, across: int) -> None:
        """The cursor moves on; at the end of a row it goes to the next."""
        current = self.currentIndex()
        if not current.isValid() or (not down and not across):
            return
        shown = self._shown_columns()
        here = sum(index < current.column() for index in shown)  # a column that was just hidden is the one after it
        row, at = current.row() + down, min(here, len(shown) - 1) + across
        if not 0 <= at < len(shown):
            row, at = row + across, 0 if across > 0 else len(shown) - 1
        if 0 <= row < self.cells.rowCount():
            self.setCurrentIndex(self.cells.index(row, shown[at]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        acts = {
            _SHORTCUTS.Copy: self.copy,
            _SHORTCUTS.Cut: self.cut,
            _SHORTCUTS.Paste: self.paste,
            _SHORTCUTS.SelectAll: self.selectAll,
        }
        act: Callable[[], object] | None
        act = next((act for key, act in acts.items() if event.matches(key)), None)
        if act is None and self.state() != QAbstractItemView.State.EditingState:
            act = self._act(event)
        if act is not None:
            event.accept()
            act()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif not self.cells.writable and _writes(event):
            self.barred.emit()
        super().keyPressEvent(event)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        is_given_up = hint == QAbstractItemDelegate.EndEditHint.RevertModelCache
        if self._open is not None and self._open.editor is editor:
            if is_given_up:
                self._open.give_back()
            self._open = None
        super().closeEditor(editor, hint)
        if is_given_up:
            self.given_up.emit()

    def _act(self, event: QKeyEvent) -> Callable[[], object] | None:
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match key:
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if modifiers in (_SHIFT, Qt.KeyboardModifier.NoModifier):
                return lambda: self.step(-1 if modifiers else 1, 0)
            case Qt.Key.Key_Tab | Qt.Key.Key_Backtab if not self._leaves(key == Qt.Key.Key_Tab):
                return lambda: self.step(0, 1 if key == Qt.Key.Key_Tab else -1)
            case Qt.Key.Key_Delete if modifiers == _CONTROL and self.remove_rows is not None:
                return self.remove_rows
            case Qt.Key.Key_Delete:
                return self.clear_cells
            case Qt.Key.Key_Backspace if not modifiers:
                return self.clear_cells
            case Qt.Key.Key_D if modifiers == _CONTROL:
                return self.fill_down
            case Qt.Key.Key_C if modifiers == _CONTROL | _SHIFT:
                return lambda: self.copy(headings=True)
        return None

    def event(self, event: QEvent) -> bool:
        """Tab moves in the table; Qt would take it for the next widget."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            tab = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if tab and not event.modifiers() & _CONTROL and not self._leaves(event.key() == Qt.Key.Key_Tab):
                self.keyPressEvent(event)
                return True
        return super().event(event)

    def _leaves(self, forward: bool) -> bool:
        """Behind the last cell and before the first the table is left."""
        current, last = self.currentIndex(), self.cells.rowCount() - 1
        if not current.isValid():
            return True
        shown = self._shown_columns()
        edge = (last, shown[-1]) if forward else (0, shown[0])
        return (current.row(), current.column()) == edge

    # --- several cells
    def _chosen(self) -> list[QModelIndex]:
        return sorted(self.selectedIndexes(), key=lambda index: (index.row(), index.column()))

    def block(self) -> list[list[str]]:
        """The chosen cells, without the empty line at the end where others are chosen as well."""
        lines: dict[int, list[str]] = {}
        for index in self._chosen():
            if self.cells.item_at(index) is not None:
                lines.setdefault(index.row(), []).append(self.cells.read(index))
        return list(lines.values())

    def copy(self, headings: bool = False) -> None:
        rows = self.block()
        if not rows:
            return
        if headings and not self.cells.upright:
            places = sorted({index.column() for index in self._chosen()})
            rows.insert(0, [heading(self.cells.columns[index], self.cells.sheet) for index in places])
        plain, table = for_spreadsheet(rows)
        data = QMimeData()
        data.setText(plain)
        data.setHtml(table)
        QGuiApplication.clipboard().setMimeData(data)

    def cut(self) -> None:
        self.copy()
        self.clear_cells()

    def clear_cells(self) -> None:
        self.cells.clear(self._chosen())

    def fill_down(self) -> None:
        """The first chosen row into the others."""
        chosen = self._chosen()
        first = {index.column(): self.cells.read(index) for index in chosen if index.row() == chosen[0].row()}
        others = [index for index in chosen if index.row() != chosen[0].row()]
        self.cells.put([Typed(*self.cells.place(index), first[index.column()]) for index in others])

    def paste(self) -> None:
        """All of it from the upper left chosen cell, or nothing; one cell goes into every chosen one."""
        held = QGuiApplication.clipboard().mimeData()
        rows = from_spreadsheet(held.text(), held.html())
        chosen = self._chosen() or [self.currentIndex()]
        if not rows or not chosen[0].isValid():
            return
        at, column = self.cells.place(chosen[0])
        if len(rows) == 1 and len(rows[0]) == 1:
            cells = filled(rows[0][0], [self.cells.place(index) for index in chosen])
        elif self.cells.upright:
            cells = [Typed(at + cell.column, column + cell.row, cell.text) for cell in placed(rows, 0, 0)]
        else:
            columns = [index for index in self._shown_columns() if index >= column]
            block = without_heading(rows, self._headings(columns[: len(rows[0])]))
            columns += range(self.cells.columnCount(), self.cells.columnCount() + max(map(len, rows)))
            cells = [Typed(cell.row, columns[cell.column], cell.text) for cell in placed(block, at, 0)]
        self.cells.put(cells)

    def _headings(self, columns: Sequence[int]) -> list[list[str]]:
        shown = [self.cells.columns[index] for index in columns]
        return [[heading(column, replace(self.cells.sheet, language=code)) for column in shown] for code in LANGUAGES]

    # --- menu
    def build_menu(self) -> QMenu:
        """What can be done with the chosen cells."""
        menu = QMenu(self)
        self.more_actions(menu)
        if not menu.isEmpty():
            menu.addSeparator()
        able = self.cells.writable
        for name, act, allowed in (
            ("copy", self.copy, True),
            ("copy_headings", lambda: self.copy(headings=True), True),
            ("paste", self.paste, able),
            ("fill_down", self.fill_down, able),
            ("clear", self.clear_cells, able),
            *((("remove", self.remove_rows, able),) if self.remove_rows is not None else ()),
        ):
            add_action(menu, text(f"ui.grid.menu.{name}"), act, allowed)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.build_menu()
        menu.exec(event.globalPos())
        menu.deleteLater()


def _writes(event: QKeyEvent) -> bool:
    """A letter, or a key that would begin to write."""
    return (event.text().isprintable() and bool(event.text())) or event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)


def add_action(menu: QMenu, words: str, act: Callable[[], object], allowed: bool = True) -> QAction:
    action = menu.addAction(words)
    action.setEnabled(allowed)
    action.triggered.connect(lambda _checked=False: act())
    return action


class CellDelegate(QStyledItemDelegate):
    """Editors of a grid: a text, or the words to choose from."""

    def __init__(self, view: GridView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        self.draw_cursor(painter, option, index)

    def draw_cursor(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """A frame around the cell that keys are for."""
        if index == self._view.currentIndex():
            theme = current_theme()
            painter.save()
            keyed = self._view.hasFocus() and self._view.cells.writable
            painter.setPen(QPen(theme.accent if keyed else theme.border, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(option.rect.adjusted(1, 1, -1, -1))
            painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        column = self._view.cells.column_at(index)
        edit = column.edit
        assert edit is not None  # the model lets no other cell be edited
        if edit.choices is not None:
            return self._choices(parent, index, edit.choices(self._view.cells.sheet))
        editor = CellText(parent, edit.lines, text(edit.hint) if edit.hint else "")
        editor.ended.connect(lambda down, across: self._end(editor, down, across))
        cell = self._view.opened(index, editor)
        if not edit.whole:
            stored_soon(editor, cell.store)
        if edit.offers is not None:
            editor.offer(edit.offers(self._view.cells.sheet))
        return editor

    def _choices(self, parent: QWidget, index: Index, choices: Sequence[str], editable: bool = False) -> QComboBox:
        box = QComboBox(parent)
        box.setEditable(editable)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(choices)
        box.activated.connect(lambda _place: self._end(box, 0, 0))
        if not (editable and self._view.replacing):
            QTimer.singleShot(0, box, box.showPopup)
        self._view.opened(index, box)
        return box

    def _end(self, editor: QWidget, down: int, across: int) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)
        self._view.step(down, across)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tab and Enter only move on: the next cell is not opened."""
        if isinstance(watched, QComboBox) and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {
                Qt.Key.Key_Tab: (0, 1),
                Qt.Key.Key_Backtab: (0, -1),
                Qt.Key.Key_Return: (1, 0),
                Qt.Key.Key_Enter: (1, 0),
            }
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                self._end(watched, *step)
                return True
        if isinstance(watched, CellText) and isinstance(event, QKeyEvent) and event.key() in _HANDLED_BY_TEXT:
            return False
        return super().eventFilter(watched, event)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        self._view.show_words(editor)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        self._view.leave(editor)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """At least wide enough to type in, and within the table."""
        room = self._view.viewport().rect()
        height = LINES_HEIGHT if has_lines(self._view.cells.column_at(index)) else max(option.rect.height(), 28)
        size = QSize(max(option.rect.width(), LEAST_WIDTH), height)
        if isinstance(editor, QComboBox):
            size = QSize(max(option.rect.width(), 140), option.rect.height())
        left = max(min(option.rect.left(), room.right() - size.width()), 0)
        top = max(min(option.rect.top(), room.bottom() - size.height()), 0)
        editor.setGeometry(left, top, size.width(), size.height())
