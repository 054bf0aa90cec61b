"""The table of trials: values typed and pasted, Enter goes down to the next trial."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView

from app.ui.experiments.trial_model import TrialModel
from app.ui.look.theme import ROW_HEIGHT
from app.ui.tables.view import TableView

LEAST_PX, WIDEST_PX, FITTED_ROWS = 56, 220, 60


class RunTable(TableView):
    """Signals:
    pasted: (row, response index, text of the clipboard).
    cleared: a list of (row, response index).
    """

    pasted = Signal(int, int, str)
    cleared = Signal(list)

    def __init__(self) -> None:
        self.trials = TrialModel()
        super().__init__(self.trials)
        self.setFrameShape(TableView.Shape.NoFrame)
        self.setShowGrid(True)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.trials.modelReset.connect(self._fit)
        self.trials.dataChanged.connect(self._fit)

    @property
    def chosen_rows(self) -> list[int]:
        return sorted({index.row() for index in self.selectedIndexes()})

    def chosen_ids(self) -> list[int]:
        return [self.trials.rows[row].id for row in self.chosen_rows if row < len(self.trials.rows)]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here = self.currentIndex()
        response = self.trials.response_at(here.column()) if here.isValid() else None
        if event.matches(QKeySequence.StandardKey.Paste) and response is not None and self.trials.writable:
            self.pasted.emit(
                self.chosen_rows[0] if self.chosen_rows else here.row(), response, QGuiApplication.clipboard().text()
            )
        elif event.key() == Qt.Key.Key_Delete and self.trials.writable:
            self._clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and response is not None:
            if self.state() != QAbstractItemView.State.EditingState and self.trials.writable:
                self.edit(here)  # the key that ends an edit comes here too, before the editor is closed
        else:
            super().keyPressEvent(event)

    def _clear(self) -> None:
        places = [(index.row(), self.trials.response_at(index.column())) for index in self.selectedIndexes()]
        found = [place for place in places if place[1] is not None]
        if found:
            self.cleared.emit(found)

    def closeEditor(self, editor: Any, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        below = self.currentIndex().siblingAtRow(self.currentIndex().row() + 1)
        if hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache and below.isValid():
            self.setCurrentIndex(below)

    def choose_trial(self, trial_id: int) -> None:
        place = next((row for row, each in enumerate(self.trials.rows) if each.id == trial_id), None)
        if place is not None:
            self.setCurrentIndex(self.trials.index(place, self.trials.first_response))
            self.scrollTo(self.currentIndex())

    def _fit(self, *_: object) -> None:
        header, cells = self.horizontalHeader().fontMetrics(), self.fontMetrics()
        for place, column in enumerate(self.trials.columns):
            widths = [header.horizontalAdvance(column.title) + 30]
            widths += [cells.horizontalAdvance(column.text(trial)) + 34 for trial in self.trials.rows[:FITTED_ROWS]]
            self.setColumnWidth(place, min(max(LEAST_PX, *widths), WIDEST_PX))
            self.setColumnHidden(place, self.trials.is_idle(place))
