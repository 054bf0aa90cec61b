"""All figures of one statement, and the answer to "more executions, or worse behaviour?"."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tunebench.analysis.databases.statement_comparison import FigureChange, StatementChange
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.analysis.databases.statement_side import SHOWN
from tunebench.ui.look.language import text, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_L, SPACE_S, SPACE_XS, current_theme
from tunebench.ui.widgets.parts import column, label, panel, row, scrolling, selectable
from tunebench.usecases.databases.statement_words import (
    cell_words,
    decomposition_words,
    has_column,
    has_value,
    verdict_words,
)

ALWAYS = ("executions", "elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")
COLUMNS = ("figure", "before", "after", "before_each", "after_each", "ratio", "impact")
WORDS_PX = 520


class StatementFigures(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.verdict = selectable(label(role="strong", wrap=True))
        self.decomposition = selectable(label(wrap=True))
        self.table = QTableWidget()
        self._dress()
        words = panel(column(self.verdict, self.decomposition, 1, margins=(0, SPACE_XS, SPACE_S, 0)))
        self._words = scrolling(words, sideways=False)
        self._words.setMaximumWidth(WORDS_PX)
        row((self._words, 2), (self.table, 5), spacing=SPACE_L, of=self)

    def _dress(self) -> None:
        table = self.table
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setFrameShape(QTableWidget.Shape.NoFrame)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_statement(self, rows: StatementRows, place: int) -> None:
        change = rows.comparison.row(place) if rows.comparison is not None else None
        self.verdict.setText(verdict_words(change, window_locale()) if change is not None else "")
        self._words.setVisible(change is not None)
        self.decomposition.setText(decomposition_words(change, window_locale()) if change is not None else "")
        self._fill(rows, place, change)

    def _fill(self, rows: StatementRows, place: int, change: StatementChange | None) -> None:
        table = self.table
        table.setAccessibleName(text("ui.statements.tab.figures"))
        columns = [name for name in COLUMNS if has_column(name, rows)]
        figures = [name for name in SHOWN if name in ALWAYS or has_value(rows, place, name)]
        table.setColumnCount(len(columns))
        table.setRowCount(len(figures))
        table.setHorizontalHeaderLabels([text(f"ui.statements.figures.{name}") for name in columns])
        for line, figure in enumerate(figures):
            figure_change = change.changes.get(figure) if change is not None else None
            for at, name in enumerate(columns):
                words = cell_words(rows, place, figure, name, figure_change, window_locale())
                table.setItem(line, at, _item(words, name, figure_change))


def _item(words: str, column: str, change: FigureChange | None) -> QTableWidgetItem:
    item = QTableWidgetItem(words)
    side = Qt.AlignmentFlag.AlignLeft if column == "figure" else Qt.AlignmentFlag.AlignRight
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    colour = _colour(column, change)
    if colour is not None:
        item.setForeground(colour)
    return item


def _colour(column: str, change: FigureChange | None) -> QColor | None:
    theme = current_theme()
    if column != "ratio" or change is None:
        return None
    return {"improved": theme.ok, "regressed": theme.critical}.get(str(change.verdict))
