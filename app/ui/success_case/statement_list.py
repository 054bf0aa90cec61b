"""The captured SQL statements, read only, exactly as the document's table prints them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableView, QVBoxLayout, QWidget

from app.domain.engagement import Phase, Run
from app.reporting.case import StatementPair, SuccessCase
from app.reporting.chapters_results import statement_table
from app.reporting.context import Context
from app.reporting.document import ColumnKind, Table, Tone
from app.reporting.figures import figures
from app.reporting.wording import Wording
from app.ui.cycling.evidence_menu import offer_menu
from app.ui.fonts import code_families
from app.ui.language import language, text
from app.ui.theme import ROW_HEIGHT, SPACE_S, current_theme
from app.ui.widgets.parts import EmptyState, label
from app.ui.workspace import Workspace

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
EMPTY_TABLE = Table("", (), ())


class StatementModel(QAbstractTableModel):
    """A table of the document; its totals are the last rows."""

    def __init__(self) -> None:
        super().__init__()
        self._table = EMPTY_TABLE

    def fill(self, table: Table) -> None:
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    @property
    def columns(self) -> int:
        return len(self._table.columns)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._table.rows) + len(self._table.totals)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._table.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._table.columns):
            return None
        column = self._table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{column.group}\n{column.heading}" if column.group else column.heading
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        rows = (*self._table.rows, *self._table.totals)
        cell = rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.ForegroundRole and cell.tone is Tone.BAD:
            return current_theme().critical
        return self._font(index) if role == Qt.ItemDataRole.FontRole else None

    def _font(self, index: Index) -> QFont | None:
        total = index.row() >= len(self._table.rows)
        code = self._table.columns[index.column()].kind is ColumnKind.CODE
        if not total and not code:
            return None
        font = QFont()
        font.setBold(total)
        if code:
            font.setFamilies(list(code_families()))
        font.setPixelSize(12)
        return font

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        number = self._table.columns[column].kind is ColumnKind.NUMBER
        side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class StatementList(QStackedWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._shown: tuple[StatementPair, ...] = ()
        self.model = StatementModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        self._notes = label(role="small", wrap=True)
        self._dress()
        filled = QWidget()
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.table, 1)
        column.addWidget(self._notes)
        self.addWidget(
            EmptyState("file", "ui.statements.empty", (("ui.command.capture.import", workspace.ask_import),))
        )
        self.addWidget(filled)

    def _dress(self) -> None:
        table = self.table
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        offer_menu(table, self._workspace)

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("ui.engagement.tab.statements"))
        self.reload()

    def reload(self) -> None:
        pairs = self._shown = self._pairs()
        if not pairs or self._workspace.overview is None:
            self.model.fill(EMPTY_TABLE)
            self.setCurrentIndex(0)
            return
        case = SuccessCase(self._workspace.overview.engagement, statements=pairs)
        code = language().code
        table = statement_table(Context(case, figures(case, code), Wording(code, case.zone)))
        self.model.fill(table)
        self._notes.setText("\n".join(table.notes))
        self.table.resizeColumnsToContents()
        self.setCurrentIndex(1)

    @property
    def runs(self) -> dict[Phase, Run]:
        """Of several runs of a phase the last one counts, as in the document."""
        views = self._workspace.overview.runs if self._workspace.overview else ()
        return {view.run.phase: view.run for view in views}

    @property
    def chosen(self) -> StatementPair | None:
        place = self.table.currentIndex().row()
        return self._shown[place] if 0 <= place < len(self._shown) else None

    def choose(self, statement_id: str) -> None:
        for place, pair in enumerate(self._shown):
            if pair.statement_id == statement_id:
                self.table.selectRow(place)
                self.table.setFocus()

    def _pairs(self) -> tuple[StatementPair, ...]:
        from app.analysis.statements import pair_statements
        from app.usecases import projects

        if self._workspace.project is None or self._workspace.overview is None:
            return ()
        runs = self.runs
        before, after = (
            projects.read_statements(self._workspace.project, runs[phase].id) if phase in runs else []
            for phase in (Phase.BEFORE, Phase.AFTER)
        )
        return tuple(StatementPair(old, new) for old, new in pair_statements(before, after))
