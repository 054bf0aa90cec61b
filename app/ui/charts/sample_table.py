"""The same samples as a table: for screen readers, for copying, for looking at exact figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.analysis.series import SeriesData
from app.ui.charts.time_ticks import stamp_text
from app.ui.look.formats import format_value
from app.ui.look.language import text
from app.ui.look.theme import ROW_HEIGHT, ROW_HEIGHT_DENSE

AnyIndex = QModelIndex | QPersistentModelIndex
MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class SampleColumn:
    name: str
    unit: str
    data: SeriesData


@dataclass(frozen=True, slots=True)
class SampleGrid:
    """Samples of several series on the union of their stamps.

    Attributes:
        times_ns: int64[r].
        rows: per column int64[r], the index into the column's own samples, -1 where it has none then.
        cut: whether rows beyond `MOST_ROWS` were left out.
    """

    times_ns: NDArray[np.int64]
    columns: tuple[SampleColumn, ...]
    rows: tuple[NDArray[np.int64], ...]
    cut: bool


def sample_grid(columns: Sequence[SampleColumn], most: int = MOST_ROWS) -> SampleGrid:
    """Lines the columns up by stamp. A stamp that a column repeats (a clock put back) shows its first sample."""
    stamps = [column.data.times_ns for column in columns]
    times = np.unique(np.concatenate(stamps)) if stamps else np.empty(0, dtype=np.int64)
    cut, times = times.size > most, times[:most]
    rows = []
    for own in stamps:
        order = np.argsort(own, kind="stable")
        place = np.searchsorted(own[order], times, side="left")
        found = np.full(times.size, -1, dtype=np.int64)
        inside = place < own.size
        hits = np.zeros(times.size, dtype=np.bool_)
        hits[inside] = own[order][place[inside]] == times[inside]
        found[hits] = order[place[hits]]
        rows.append(found)
    return SampleGrid(times, tuple(columns), tuple(rows), cut)


class SampleModel(QAbstractTableModel):
    """One row per stamp, one column per series."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = sample_grid([])
        self._zone = ZoneInfo("UTC")

    def show_grid(self, grid: SampleGrid, zone: ZoneInfo) -> None:
        self.beginResetModel()
        self._grid, self._zone = grid, zone
        self.endResetModel()

    @property
    def cut(self) -> bool:
        return self._grid.cut

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else int(self._grid.times_ns.size)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else 1 + len(self._grid.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole and self._since_boot(index.row(), index.column()):
            return text("ui.charts.since_boot.cell")
        return None

    def cell(self, row: int, column: int) -> str:
        if column == 0:
            return stamp_text(int(self._grid.times_ns[row]), self._zone)
        at = self._grid.rows[column - 1][row]
        if at < 0:
            return ""
        shown = format_value(float(self._grid.columns[column - 1].data.values[at]))
        return text("ui.charts.since_boot.value", value=shown) if self._since_boot(row, column) else shown

    def _since_boot(self, row: int, column: int) -> bool:
        if column == 0:
            return False
        at = self._grid.rows[column - 1][row]
        return bool(at >= 0 and self._grid.columns[column - 1].data.since_boot[at])

    def plain(self, row: int, column: int) -> str:
        """A cell as another program wants it: the whole figure, no thousands separators."""
        if column == 0:
            return self.cell(row, 0)
        at = self._grid.rows[column - 1][row]
        value = float("nan") if at < 0 else float(self._grid.columns[column - 1].data.values[at])
        return "" if np.isnan(value) else repr(value)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return text("ui.charts.table.time")
        column = self._grid.columns[section - 1]
        return f"{column.name} [{column.unit}]" if column.unit else column.name


class CopyTable(QTableView):
    """A table whose selection (all of it, where nothing is selected) is copied as tab-separated text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        self.horizontalHeader().setHighlightSections(False)

    def choose_rows(self) -> None:
        """Whole rows, sorted by any heading, in their own order again at its third click. The model must be set."""
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setStyleSheet("QTableView { border: none; } QAbstractScrollArea::corner { background: transparent; }")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.horizontalHeader().setSectionsMovable(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.tab_separated())
        else:
            super().keyPressEvent(event)

    def tab_separated(self) -> str:
        model = self.model()
        plain = getattr(model, "plain", None)
        picked = self.selectedIndexes()
        rows = sorted({i.row() for i in picked}) if len(picked) > 1 else range(model.rowCount())
        columns = sorted({i.column() for i in picked}) if len(picked) > 1 else range(model.columnCount())
        across = Qt.Orientation.Horizontal
        lines = ["\t".join(str(model.headerData(c, across) or "") for c in columns)]
        for row in rows:
            cells = (plain(row, c) if plain else str(model.index(row, c).data() or "") for c in columns)
            lines.append("\t".join(cells))
        return "\n".join(lines) + "\n"
