"""The cell that is typed in: of which record it is, what it said, and what was typed into it since."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QComboBox, QWidget

from tunebench.ui.tables.cells import store_typed
from tunebench.ui.tables.grid_editor import CellText
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.tables.model import Index
from tunebench.ui.typing import give_up, mark_stored, set_modified, text_field


class OpenCell:
    """An editor over a cell. What is typed goes into the record that it was opened over, and into no other that has
    come to its place since: by undo, by another row that was chosen, or because a table is sorted.

    A record without a number is known by what it says.

    Attributes:
        is_storing: rows that change now are changed by what is typed here.
    """

    def __init__(self, cells: CellModel, index: Index, editor: QWidget) -> None:
        self.editor = editor
        self.is_storing = False
        self._cells, self._cell = cells, QPersistentModelIndex(index)
        self._begun, self._owner = cells.begun(), cells.owner_of_rows()
        self._id = 0
        self._first = cells.read(index)
        self._note(self._first)

    def _note(self, typed: str) -> None:
        """Cell and editor say the same now."""
        self._record = self._cells.item_at(self.index)
        self._id = self._id or _id_of(self._record)
        self._said = self._cells.read(self.index)
        self._typed = typed

    @property
    def index(self) -> QModelIndex:
        """Invalid where its row is gone."""
        return self._cells.index(self._cell.row(), self._cell.column()) if self._cell.isValid() else QModelIndex()

    def is_same_record(self) -> bool:
        if not self._cell.isValid() or self._cells.owner_of_rows() != self._owner:
            return False
        record = self._cells.item_at(self.index)
        return _id_of(record) == self._id if self._id else bool(record == self._record)

    @property
    def is_alive(self) -> bool:
        """Qt takes an editor away with its row."""
        return shiboken6.isValid(self.editor)

    def begin(self, replacing: bool) -> None:
        """The editor as it opens."""
        _put_words(self.editor, self._said, replacing)

    def begin_again(self, refused: OpenCell, words: str) -> None:
        """With what was typed before and refused, to be mended; it is not in the project."""
        self._first = refused._first
        _put_words(self.editor, words, replacing=False)
        field = text_field(self.editor)
        if field is not None:
            set_modified(field, True)

    def refresh(self) -> None:
        """The cell says something else; what was typed and is not stored stays."""
        if self.is_storing or self._is_typed_in() or not self.is_same_record():
            return
        words = self._cells.read(self.index)
        if words != self._said:
            _put_words(self.editor, words, replacing=False)
            self._note(words)
            self._first = words

    def _is_typed_in(self) -> bool:
        return _words_in(self.editor) != self._typed

    # --- storing
    def store(self) -> bool:
        """While typing goes on; whether the cell says it now."""
        if not self.is_same_record():
            return False
        return store_typed(_words_in(self.editor), self._cells.read(self.index), self._write)

    def leave(self) -> str | None:
        """What was typed goes into the cell; what was refused is given."""
        words = _words_in(self.editor)
        is_refused = self._is_typed_in() and self.is_same_record() and not self._write(words)
        mark_stored(self.editor)  # it goes: whoever is given the words holds them
        return words if is_refused else None

    def _write(self, words: str) -> bool:
        self.is_storing = True
        try:
            is_kept = self._cells.setData(self.index, words)
        finally:
            self.is_storing = False
        if is_kept and self._cell.isValid():
            self._note(words)
        return is_kept

    # --- giving up
    def give_back(self) -> None:
        """All that was stored while it was typed is as it was before."""
        self.is_storing = True
        give_up(self.editor)
        self._cells.give_back(self._begun)
        if self.is_same_record() and self._cells.read(self.index) != self._first:  # other edits came after its own
            self._cells.setData(self.index, self._first)

    def drop(self) -> None:
        """Its record is gone from here, and what was typed with it."""
        if self.is_alive:
            mark_stored(self.editor)


def _id_of(record: object) -> int:
    """0: it has no number, or none yet."""
    return int(getattr(record, "id", 0))


def _words_in(editor: QWidget) -> str:
    if isinstance(editor, CellText):
        return editor.toPlainText()
    return editor.currentText() if isinstance(editor, QComboBox) else ""


def _put_words(editor: QWidget, words: str, replacing: bool) -> None:
    """`replacing`: what is typed next takes their place."""
    if isinstance(editor, CellText):
        editor.begin(words, replacing)
    elif isinstance(editor, QComboBox) and (line := editor.lineEdit()) is not None:
        line.setText(words)
        line.selectAll()
    elif isinstance(editor, QComboBox):
        if editor.findText(words) < 0:  # what is there stays, unless something else is chosen
            editor.addItem(words)
        editor.setCurrentIndex(editor.findText(words))
