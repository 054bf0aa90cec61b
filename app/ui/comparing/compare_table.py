"""The comparison as a table: one row per series, what changed most first; filtered, sorted and copied whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont

from app.analysis.comparing.comparison import ComparedSeries
from app.analysis.inference.verdict import Verdict
from app.domain.engagement import Direction
from app.ui.charts.default_series import is_telling
from app.ui.charts.sample_table import CopyTable
from app.ui.charts.series_chooser import matches_words
from app.ui.comparing.compare_columns import (
    COLUMNS,
    JUDGED,
    Column,
    change_factor,
    host_name,
    is_paired,
    series_name,
    verdict_reason,
)
from app.ui.look.language import text
from app.ui.look.theme import current_theme

AnyIndex = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
_CHANGED = (Verdict.IMPROVED, Verdict.REGRESSED)


class Shown(StrEnum):
    """Which verdicts are listed; beside these each verdict by itself."""

    ALL = "all"
    CHANGED = "changed"
    JUDGED = "judged"


FILTERS: tuple[Shown | Verdict, ...] = (*Shown, *Verdict)


def has_changed(row: ComparedSeries) -> bool:
    """Better or worse; of what is neither, whatever differs beyond chance."""
    neutral = row.direction is Direction.NEUTRAL and row.verdict is Verdict.DESCRIPTIVE_ONLY
    return row.verdict in _CHANGED or (neutral and row.changed)


def is_shown(row: ComparedSeries, wanted: Shown | Verdict) -> bool:
    if wanted is Shown.CHANGED:
        return has_changed(row)
    if wanted is Shown.JUDGED:
        return row.verdict in JUDGED
    return wanted is Shown.ALL or row.verdict is wanted


def prominence(row: ComparedSeries) -> tuple[int, bool, bool, float, bool, str]:
    """What changed first, then what was judged not to, then what differs without being better, then the rest.

    Each by its effect; endless ones (from or to zero) and what the catalogue does not know come last.
    """
    if row.verdict in _CHANGED:
        tier = 0
    elif row.verdict in JUDGED:
        tier = 1
    else:
        tier = 2 if has_changed(row) else 3
    factor = change_factor(row)
    return (tier, math.isinf(factor), not row.metric, -factor, not is_telling(row.series), series_name(row))


class CompareModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[ComparedSeries, ...] = ()
        self.zone = ZoneInfo("UTC")

    def show_rows(self, rows: Sequence[ComparedSeries]) -> None:
        self.beginResetModel()
        self.rows = tuple(sorted(rows, key=prominence))
        self.endResetModel()

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(COLUMNS) - 1))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.shown(row, self.zone)
        if role == SORT_ROLE:
            return column.figure(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return column.tone(row) if column.tone else None
        if role == Qt.ItemDataRole.FontRole and column.id in ("ratio", "verdict") and row.verdict in _CHANGED:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        return None

    def _tip(self, row: ComparedSeries, column: Column) -> str | None:
        if column.id in ("verdict", "ratio", "n_eff", "change", "why"):
            return verdict_reason(row, self.zone)
        if column.id == "name":
            return "\n".join(part for part in (series_name(row), row.metric, host_name(row)) if part)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.compare.column.{column.id}")
        if role == Qt.ItemDataRole.ForegroundRole and column.side:
            return current_theme().phase_colour(column.side)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column.id in ("ratio", "verdict", "n_eff"):
            return text(f"ui.compare.column.{column.id}.tip")
        return None


def _alignment(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignLeft if column.words else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class CompareFilter(QSortFilterProxyModel):
    """Both sides or one, words, verdicts, at least so many times different. What has no figure sorts last both ways."""

    def __init__(self, model: CompareModel) -> None:
        super().__init__()
        self._model = model
        self.words = ""
        self.least = 1.0
        self.paired = True
        self.wanted: Shown | Verdict = Shown.ALL
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def change(self, set_to: Callable[[CompareFilter], None]) -> None:
        """Sets what is wanted, and looks once at all rows."""
        self.beginResetModel()
        set_to(self)
        self.endResetModel()

    def row_at(self, index: AnyIndex) -> ComparedSeries:
        return self._model.rows[self.mapToSource(index).row()]  # type: ignore[arg-type]

    def accepts(self, row: ComparedSeries) -> bool:
        if is_paired(row) != self.paired:
            return False
        if self.paired and not (is_shown(row, self.wanted) and change_factor(row) >= self.least):
            return False
        info = row.series
        words = f"{info.label} {info.metric} {info.tool} {info.table} {host_name(row)}"
        return matches_words(words, self.words)

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        return self.accepts(self._model.rows[row])

    def lessThan(self, left: AnyIndex, right: AnyIndex) -> bool:  # type: ignore[override]
        a, b = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if a is None or b is None:
            if a is None and b is None:
                return False
            missing_last = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return (b is None) == missing_last
        return bool(a < b)

    def plain(self, row: int, column: int) -> str:
        """A cell as a spreadsheet wants it: the whole figure."""
        series, wanted = self.row_at(self.index(row, column)), COLUMNS[column]
        if wanted.words:
            return wanted.shown(series, self._model.zone)
        figure = wanted.figure(series)
        return "" if figure is None else str(figure)


class ComparisonTable(CopyTable):
    """Copies the rows that are chosen, where several are, else all; with every figure, also those not seen."""

    def tab_separated(self) -> str:
        model = self.model()
        assert isinstance(model, CompareFilter)
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(model.rowCount())
        columns = [place for place, column in enumerate(COLUMNS) if column.copied]
        lines = [[_copied_title(COLUMNS[place]) for place in columns]]
        lines += [[model.plain(row, place) for place in columns] for row in rows]
        return "\n".join("\t".join(cells) for cells in lines) + "\n"


def _copied_title(column: Column) -> str:
    """``ratio`` alone: its interval is copied in cells of its own."""
    return text("ui.compare.copied.ratio") if column.id == "ratio" else text(f"ui.compare.column.{column.id}")
