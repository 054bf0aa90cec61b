"""Small tables of words: the streams, gaps, clock checks and starts of one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QVBoxLayout, QWidget

from app.ui.charts.sample_table import CopyTable
from app.ui.look.language import text
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_XS, current_theme
from app.ui.widgets.parts import label

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class WordRow:
    """`cells`, `tones` and `tips` by column; `thing` is what the row is about."""

    cells: Mapping[str, str]
    thing: Any
    tones: Mapping[str, str] = field(default_factory=dict)
    tips: Mapping[str, str] = field(default_factory=dict)


class WordModel(QAbstractTableModel):
    def __init__(self, columns: Sequence[str], numbers: Sequence[str]) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self._numbers = frozenset(numbers)
        self._rows: tuple[WordRow, ...] = ()

    def fill(self, rows: Sequence[WordRow]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def row(self, row: int) -> WordRow:
        return self._rows[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.audit.column.{self.columns[section]}")
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            tone = row.tones.get(column)
            return getattr(current_theme(), tone) if tone else None
        return row.tips.get(column) if role == Qt.ItemDataRole.ToolTipRole else None

    def _alignment(self, section: int) -> Qt.AlignmentFlag:
        number = self.columns[section] in self._numbers
        return (Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter


class WordTable(CopyTable):
    """As high as its rows, up to `most`; `opened` on a double click or Enter."""

    opened = Signal(object)

    def __init__(self, model: WordModel, stretched: str, most: int) -> None:
        super().__init__()
        self._most = most
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(model.columns.index(stretched), QHeaderView.ResizeMode.Stretch)
        self.doubleClicked.connect(self._on_double_click)
        model.modelReset.connect(self.fit)

    def fit(self) -> None:
        rows = min(self.model().rowCount(), self._most)
        self.setFixedHeight(rows * ROW_HEIGHT_DENSE + self.horizontalHeader().sizeHint().height() + 4)

    def current(self) -> Any:
        """What the current row is about; None where there is none."""
        index = self.currentIndex()
        model = self.model()
        assert isinstance(model, WordModel)
        return model.row(index.row()).thing if index.isValid() else None

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.opened.emit(self.current())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current() is not None:
            self.opened.emit(self.current())
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A table that shows all its rows leaves the wheel to the page around it."""
        if self.model().rowCount() > self._most:
            super().wheelEvent(event)
        else:
            event.ignore()


class WordSection(QWidget):
    """A heading with a count, and the table; one sentence where there are no rows.

    Args:
        name: key below ``ui.audit.section.``; the sentence is below ``ui.audit.none.``.
    """

    def __init__(
        self, name: str, columns: Sequence[str], *, numbers: Sequence[str] = (), stretched: str, most: int = 12
    ) -> None:
        super().__init__()
        self._name = name
        self._head = label(role="strong")
        self._none = label(role="muted", wrap=True)
        self.model = WordModel(columns, numbers)
        self.table = WordTable(self.model, stretched, most)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        for part in (self._head, self._none, self.table):
            column.addWidget(part)

    def fill(self, rows: Sequence[WordRow]) -> None:
        self.model.fill(rows)
        self._none.setVisible(not rows)
        self.table.setVisible(bool(rows))
        self.retranslate()

    def retranslate(self) -> None:
        count = self.model.rowCount()
        heading = text(f"ui.audit.section.{self._name}")
        self._head.setText(f"{heading} · {count:,}" if count else heading)
        self._none.setText(text(f"ui.audit.none.{self._name}"))
        self.table.setAccessibleName(heading)
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.model.columns) - 1)
