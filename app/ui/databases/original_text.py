"""Lines of a capture as they stand there, any number of them, one marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.look import fonts
from app.ui.look.language import translated
from app.ui.look.theme import current_theme

_CODE_PX = 12
_ROW_PX = 18
AnyIndex = QModelIndex | QPersistentModelIndex


class _Lines(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.marked = 1, 0
        self.lines: Sequence[str] = ()

    def show(self, first: int, lines: Sequence[str], marked: int) -> None:
        self.beginResetModel()
        self.first, self.lines, self.marked = first, [line.expandtabs(8) for line in lines], marked
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        number = self.first + index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{number:>6}  {self.lines[index.row()]}"
        if role == Qt.ItemDataRole.BackgroundRole and number == self.marked:
            return current_theme().tint(current_theme().accent, 0.18)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.lines[index.row()]
        return None


class OriginalText(QListView):
    """Scrolls both ways; a line is never wrapped. Copying takes the chosen lines without their numbers."""

    def __init__(self) -> None:
        super().__init__(uniformItemSizes=True)
        self._lines = _Lines()
        self.setModel(self._lines)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setFont(fonts.code_font(_CODE_PX))
        translated(self, accessibleName="ui.evidence.lines")

    @property
    def marked(self) -> int:
        return self._lines.marked

    def show_lines(self, first: int, lines: Sequence[str], marked: int) -> None:
        self._lines.show(first, lines, marked)
        metrics = self.fontMetrics()
        longest = max(self._lines.lines, key=len, default="")
        width = metrics.horizontalAdvance(" " * 8 + longest) + 24
        self.setItemDelegate(_FixedSize(self, QSize(width, max(_ROW_PX, metrics.height()))))
        if marked >= first and marked - first < len(lines):
            index = self._lines.index(marked - first, 0)
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def holds(self, line: int) -> bool:
        return self._lines.first <= line < self._lines.first + len(self._lines.lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(index.row() for index in self.selectedIndexes())
            QGuiApplication.clipboard().setText("\n".join(self._lines.lines[row] for row in rows))
        else:
            super().keyPressEvent(event)


class _FixedSize(QStyledItemDelegate):
    """All rows as wide as the longest line, without measuring each."""

    def __init__(self, parent: QListView, size: QSize) -> None:
        super().__init__(parent)
        self._size = size

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return self._size
