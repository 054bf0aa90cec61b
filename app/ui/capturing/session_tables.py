"""Small tables of words: the streams, gaps, clock checks and starts of one session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QVBoxLayout, QWidget

from app.ui.look.language import text, translated
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_XS
from app.ui.tables.column import Column
from app.ui.tables.model import TableModel
from app.ui.tables.view import RowView
from app.ui.widgets.parts import label


class WordTable(RowView):
    """As high as its rows, up to `most`."""

    def __init__(self, model: TableModel[Any], most: int) -> None:
        super().__init__(model)
        self._most = most
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        model.modelReset.connect(self.fit)

    def fit(self) -> None:
        rows = min(self.model().rowCount(), self._most)
        self.setFixedHeight(rows * ROW_HEIGHT_DENSE + self.horizontalHeader().sizeHint().height() + 4)

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

    def __init__(self, name: str, stretched: str, most: int = 12) -> None:
        super().__init__()
        self._name, self._stretched = name, stretched
        self._head = label(role="strong")
        self._none = label(role="muted", wrap=True)
        self.model: TableModel[Any] = TableModel()
        self.table = WordTable(self.model, most)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        for part in (self._head, self._none, self.table):
            column.addWidget(part)
        translated(self._none, f"ui.audit.none.{self._name}")

    def fill(self, rows: Sequence[Any], columns: Sequence[Column[Any]]) -> None:
        self.model.show_rows(rows, columns)
        self.table.horizontalHeader().setSectionResizeMode(
            self.model.column(self._stretched), QHeaderView.ResizeMode.Stretch
        )
        self._none.setVisible(not rows)
        self.table.setVisible(bool(rows))
        self.retranslate()

    def retranslate(self) -> None:
        count = self.model.rowCount()
        heading = text(f"ui.audit.section.{self._name}")
        self._head.setText(f"{heading} · {count:,}" if count else heading)
        self.table.setAccessibleName(heading)
