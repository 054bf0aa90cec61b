"""The comparison as a table: one row per series, figures of both sides, ratio, change. Descriptive only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QFont

from app.analysis.comparison import ComparedSeries
from app.analysis.statistics import Statistics
from app.domain.engagement import Direction
from app.ui.charts.default_series import is_telling
from app.ui.charts.series_chooser import matches_words
from app.ui.charts.series_words import series_words, unit_words
from app.ui.formats import DASH, format_value, host_words
from app.ui.language import text
from app.ui.theme import current_theme

AnyIndex = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
SMALL_RATIO = 0.1
STATISTICS = ("mean", "p50", "p95", "maximum", "n")


@dataclass(frozen=True, slots=True)
class Column:
    """`figure` gives the number a cell stands for (None where there is none); `shown` its text."""

    id: str
    shown: Callable[[ComparedSeries], str]
    figure: Callable[[ComparedSeries], float | str | None]
    side: str = ""
    width: int = 74


def series_name(row: ComparedSeries) -> str:
    return series_words(row.series)


def host_name(row: ComparedSeries) -> str:
    """The host, both where the sides' hosts differ."""
    hosts = dict.fromkeys(host_words(info.host) for info in (row.before, row.after) if info)
    return " → ".join(hosts)


def change_ratio(row: ComparedSeries) -> float | None:
    """(after - before) / before of the means; None where it cannot be computed."""
    before, after = _mean(row.before_statistics), _mean(row.after_statistics)
    return None if before is None or after is None or before == 0 else (after - before) / abs(before)


def change_factor(row: ComparedSeries) -> float:
    """How many times the means differ, whichever way; endless where only one of them is zero."""
    before, after = _mean(row.before_statistics), _mean(row.after_statistics)
    if before is None or after is None:
        return 1.0
    low, high = sorted((abs(before), abs(after)))
    if low == high:
        return 1.0
    return math.inf if low == 0 else high / low


def _mean(statistics: Statistics | None) -> float | None:
    return statistics.mean if statistics else None


def ratio_text(row: ComparedSeries) -> str:
    if row.ratio is None:
        return DASH
    if row.ratio < SMALL_RATIO:
        return text("ui.compare.ratio", ratio=format_value(row.ratio, 2))
    return text("ui.compare.ratio", ratio=f"{row.ratio:,.{1 if row.ratio >= 10 else 2}f}")


def change_text(row: ComparedSeries) -> str:
    """Relative change; of percentages the difference in points."""
    before, after = _mean(row.before_statistics), _mean(row.after_statistics)
    if before is None or after is None:
        return DASH
    if row.unit == "%":
        return text("ui.compare.points", difference=signed(after - before))
    change = change_ratio(row)
    return DASH if change is None else f"{signed(change * 100)} %"


def signed(number: float) -> str:
    """One decimal with its sign; nothing is plainly nothing."""
    return "0" if abs(number) < 0.05 else f"{number:+,.1f}"


def verdict_text(row: ComparedSeries) -> str:
    if row.before is None or row.after is None:
        return text("ui.compare.only." + ("after" if row.before is None else "before"))
    return text("ui.compare.descriptive")


def verdict_reason(row: ComparedSeries) -> str:
    words = text(f"ui.compare.reason.{row.reason}")
    if row.direction is Direction.NEUTRAL:
        words += "\n" + text("ui.compare.reason.neutral")
    return words


def _statistic(side: str, name: str) -> Column:
    def figure(row: ComparedSeries) -> float | None:
        statistics = row.before_statistics if side == "before" else row.after_statistics
        return getattr(statistics, name) if statistics else None

    def shown(row: ComparedSeries) -> str:
        value = figure(row)
        return DASH if value is None else f"{value:,}" if name == "n" else format_value(value)

    return Column(f"{side}.{name}", shown, figure, side, 66 if name == "n" else 76)


COLUMNS: tuple[Column, ...] = (
    Column(
        "name",
        lambda row: f"{series_name(row)} · {row.series.tool}",
        lambda row: series_name(row).casefold(),
        width=190,
    ),
    Column("unit", lambda row: unit_words(row.series), lambda row: row.unit, width=54),
    _statistic("before", "mean"),
    _statistic("after", "mean"),
    Column("ratio", ratio_text, lambda row: row.ratio, width=84),
    Column("change", change_text, change_ratio, width=84),
    Column("verdict", verdict_text, lambda row: row.reason, width=84),
    *(_statistic(side, name) for name in STATISTICS[1:] for side in ("before", "after")),
    Column("host", host_name, host_name, width=110),
    Column("metric", lambda row: row.metric, lambda row: row.metric, width=200),
)
_TEXT_COLUMNS = ("name", "unit", "verdict", "host", "metric")


def _prominence(row: ComparedSeries) -> tuple[bool, bool, bool, float, str]:
    factor = change_factor(row)
    return (not is_telling(row.series), math.isinf(factor), not row.metric, -factor, series_name(row))


class CompareModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[ComparedSeries, ...] = ()

    def show_rows(self, rows: Sequence[ComparedSeries]) -> None:
        """Whole resources come first, then what the catalogue knows, each with the largest difference first."""
        self.beginResetModel()
        self.rows = tuple(sorted(rows, key=_prominence))
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
            return column.shown(row)
        if role == SORT_ROLE:
            return column.figure(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column.id in _TEXT_COLUMNS else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row, column)
        if role == Qt.ItemDataRole.FontRole and column.id == "ratio":
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        return None

    def _colour(self, row: ComparedSeries, column: Column) -> QColor | None:
        theme = current_theme()
        if column.id in ("unit", "verdict", "host", "metric") or column.id.endswith(".n"):
            return theme.muted
        if column.id == "ratio" and row.direction is Direction.NEUTRAL:
            return theme.muted
        return None

    def _tip(self, row: ComparedSeries, column: Column) -> str | None:
        if column.id in ("verdict", "ratio", "change"):
            return verdict_reason(row)
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
            side = Qt.AlignmentFlag.AlignLeft if column.id in _TEXT_COLUMNS else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole and column.id in ("ratio", "verdict"):
            return text(f"ui.compare.column.{column.id}.tip")
        return None


class CompareFilter(QSortFilterProxyModel):
    """Both sides or one; words; at least so many times different. What has no figure sorts last, both ways."""

    def __init__(self, model: CompareModel) -> None:
        super().__init__()
        self._model = model
        self.words = ""
        self.least = 1.0
        self.paired = True
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def narrow(self, *, words: str | None = None, least: float | None = None, paired: bool | None = None) -> None:
        self.beginResetModel()
        self.words = self.words if words is None else words
        self.least = self.least if least is None else least
        self.paired = self.paired if paired is None else paired
        self.endResetModel()

    def row_at(self, index: AnyIndex) -> ComparedSeries:
        return self._model.rows[self.mapToSource(index).row()]  # type: ignore[arg-type]

    def accepts(self, row: ComparedSeries) -> bool:
        if (row.before is not None and row.after is not None) != self.paired:
            return False
        if self.paired and change_factor(row) < self.least:
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
        figure = wanted.figure(series)
        if wanted.id in _TEXT_COLUMNS:
            return wanted.shown(series)
        return "" if figure is None else str(figure)
