"""Many statements as a table: filtered and sorted as columns of numbers, so that a hundred thousand stay quick."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from tunebench.analysis.databases.statement_comparison import JUDGED, StatementClass
from tunebench.ui.databases.statement_columns import SIDES, TONES, Column, columns_of, plan_changed, totals_words
from tunebench.ui.databases.statement_rows import StatementRows
from tunebench.ui.look.fonts import SMALL_PX, code_families
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import Theme, current_theme

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
PLACE_ROLE = Qt.ItemDataRole.UserRole + 1
"""The statement's place in `StatementRows`."""
TIP_TEXT = 1200


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which statements are wanted.

    Attributes:
        classes: none of them means all.
        owner, container: (kind, name); None for all.
        least_pct: impact in per cent of all impacts at least; what regressed is shown whatever its impact.
    """

    words: str = ""
    classes: frozenset[StatementClass] = frozenset()
    owner: tuple[str, str] | None = None
    container: tuple[str, str] | None = None
    least_pct: float = 0.0


class StatementModel(QAbstractTableModel):
    """`order` holds the places of the rows that are shown, in the order in which they are."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: StatementRows | None = None
        self.columns: list[Column] = []
        self.order: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self.narrowing = Narrowing()
        self.each = False
        self._sorted: tuple[str, bool] | None = None
        self._ranks: dict[str, NDArray[np.float64]] = {}

    # --- filling
    def show_rows(self, rows: StatementRows | None) -> None:
        self.beginResetModel()
        self.rows = rows
        self._ranks.clear()
        self.columns = columns_of(rows, self.each) if rows is not None else []
        self._arrange()
        self.endResetModel()

    def show_each(self, each: bool) -> None:
        """CPU and blocks per execution, or in total."""
        self.each = each
        self.show_rows(self.rows)

    def narrow(self, **changes: Any) -> None:
        self.beginResetModel()
        self.narrowing = replace(self.narrowing, **changes)
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        known = 0 <= column < len(self.columns)
        self._sorted = (self.columns[column].id, order == Qt.SortOrder.DescendingOrder) if known else None
        self._arrange()
        self.endResetModel()

    # --- arranging
    def _arrange(self) -> None:
        rows = self.rows
        if rows is None:
            self.order = np.zeros(0, dtype=np.intp)
            return
        places = np.flatnonzero(self._wanted(rows))
        if self._sorted is not None and any(each.id == self._sorted[0] for each in self.columns):
            name, falling = self._sorted
            keys = self._rank(rows, name)[places]
            places = places[np.argsort(-keys if falling else keys, kind="stable")]  # NaN comes last, both ways
        self.order = places.astype(np.intp)

    def _rank(self, rows: StatementRows, name: str) -> NDArray[np.float64]:
        """Numbers that sort like the column; texts by their rank."""
        if name not in self._ranks:
            key = next(each.key for each in self.columns if each.id == name)(rows)
            if isinstance(key, np.ndarray):
                self._ranks[name] = key.astype(np.float64)
            else:
                ranks = {words: rank for rank, words in enumerate(sorted(set(key)))}
                self._ranks[name] = np.array([ranks[words] if words else np.nan for words in key], dtype=np.float64)
        return self._ranks[name]

    def _wanted(self, rows: StatementRows) -> NDArray[np.bool_]:
        wanted = np.ones(len(rows), dtype=bool)
        asked = self.narrowing
        if asked.classes:
            codes = [code for code, outcome in enumerate(StatementClass) if outcome in asked.classes]
            wanted &= np.isin(rows.codes, codes)
        for owner in (asked.owner, asked.container):
            if owner is not None:
                own = np.zeros(len(rows), dtype=bool)
                own[rows.owners.get(owner[0], {}).get(owner[1], np.zeros(0, dtype=np.intp))] = True
                wanted &= own
        if asked.least_pct > 0:
            wanted &= self._weighty(rows, asked.least_pct) | self._regressed(rows)
        for word in asked.words.casefold().split():
            wanted &= np.fromiter((word in each for each in rows.search), dtype=bool, count=len(rows))
        return wanted

    def _weighty(self, rows: StatementRows, least_pct: float) -> NDArray[np.bool_]:
        """Whose change, or whose cost where only one side knows it, is so great a part of all."""
        weight = np.zeros(len(rows))
        for side in (rows.before, rows.after):
            if side is not None:
                weight = np.fmax(weight, np.nan_to_num(side.total("elapsed_s")))
        if rows.comparison is not None:
            impacts = np.abs(rows.comparison.impacts["elapsed_s"])
            weight = np.where(np.isnan(impacts), weight, impacts)
        whole = float(weight.sum())
        return weight >= whole * least_pct / 100.0 if whole > 0 else np.ones(len(rows), dtype=bool)

    def _regressed(self, rows: StatementRows) -> NDArray[np.bool_]:
        return rows.codes == list(StatementClass).index(StatementClass.REGRESSED)

    def hidden_regressions(self) -> int:
        """Regressed statements that the filter leaves out."""
        if self.rows is None:
            return 0
        regressed = self._regressed(self.rows)
        return int(regressed.sum() - regressed[self.order].sum())

    # --- what the view asks
    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def place_at(self, row: int) -> int:
        return int(self.order[row])

    def row_of(self, place: int) -> int | None:
        found = np.flatnonzero(self.order == place)
        return int(found[0]) if len(found) else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return heading_words(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return text(f"{column.heading}.tip")
        return int(_alignment(column)) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        rows = self.rows
        if rows is None or not index.isValid():
            return None
        place, column = self.place_at(index.row()), self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.shown(rows, place)
        if role == PLACE_ROLE:
            return place
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_alignment(column))
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(rows, place, column)
        if role == Qt.ItemDataRole.FontRole:
            return self._font(rows, place, column)
        return self._tip(rows, place, column) if role == Qt.ItemDataRole.ToolTipRole else None

    def _colour(self, rows: StatementRows, place: int, column: Column) -> QColor | None:
        theme = current_theme()
        outcome = rows.outcome(place)
        if column.id in ("ratio", "impact", "share") and np.isnan(self._rank(rows, column.id)[place]):
            return theme.muted
        if column.id in ("change", "ratio", "impact") and outcome is not None:
            return _tone(theme, TONES.get(outcome, "muted" if column.id == "change" else "text"))
        if column.id == "plan" and plan_changed(rows, place):
            return theme.warning
        if column.side and _is_missing(rows, place, column):
            return theme.muted
        return theme.muted if column.id in ("matched", "owner", "plan") else None

    def _font(self, rows: StatementRows, place: int, column: Column) -> QFont | None:
        if column.id in ("id", "text"):
            made = QFont()
            made.setFamilies(list(code_families()))
            made.setPixelSize(12)
            return made
        if column.side and _is_missing(rows, place, column):
            made = QFont()
            made.setPixelSize(SMALL_PX)
            return made
        if column.id not in ("change", "ratio"):
            return None
        made = QFont()
        made.setBold(True)
        return made

    def _tip(self, rows: StatementRows, place: int, column: Column) -> str:
        if column.id == "text":
            whole = rows.text_of("after", place) or rows.text_of("before", place)
            return whole[:TIP_TEXT]
        if column.id == "id":
            pair = rows.pairs[place]
            return "\n".join(dict.fromkeys((*pair.before_ids, *pair.after_ids)))
        if column.id == "change":
            outcome = rows.outcome(place)
            return text(f"ui.statements.class.{outcome}") if outcome is not None else ""
        if column.id == "ratio" and int(rows.judges[place]) >= 0:
            return text("ui.statements.judged_by", figure=text(f"database.figure.{JUDGED[int(rows.judges[place])]}"))
        return column.shown(rows, place)

    def plain(self, row: int, column: int) -> str:
        """A cell as a spreadsheet wants it."""
        assert self.rows is not None  # there are rows to copy
        place, wanted = self.place_at(row), self.columns[column]
        value = float("nan") if wanted.words else float(self._rank(self.rows, wanted.id)[place])
        return wanted.shown(self.rows, place) if np.isnan(value) else repr(value)


class TotalsModel(QAbstractTableModel):
    """One row below the statements: the sums of all of them, whatever the filter."""

    def __init__(self, statements: StatementModel) -> None:
        super().__init__()
        self._statements = statements
        statements.modelReset.connect(self._on_reset)

    def _on_reset(self) -> None:
        self.beginResetModel()
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() or self._statements.rows is None else 1

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._statements.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        rows = self._statements.rows
        if rows is None:
            return None
        column = self._statements.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._label(rows) if index.column() == 0 else totals_words(rows, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_alignment(column))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return self._label(rows)
        if role == Qt.ItemDataRole.ToolTipRole:
            return text("ui.statements.totals.tip") if rows.comparison is not None else ""
        if role == Qt.ItemDataRole.FontRole:
            made = QFont()
            made.setBold(True)
            return made
        return None

    def _label(self, rows: StatementRows) -> str:
        if rows.comparison is None:
            return text("ui.statements.totals.listed", count=f"{len(rows):,}")
        count = rows.comparison.totals["elapsed_s"].statements
        return text("ui.statements.totals", count=f"{count:,}", listed=f"{len(rows):,}")


def heading_words(column: Column) -> str:
    """``Executions · before``, in one line."""
    words = text(column.heading)
    return f"{words} · {text(f'ui.statements.side.{column.side}')}" if column.side in SIDES else words


def _is_missing(rows: StatementRows, place: int, column: Column) -> bool:
    side = rows.side(column.side)
    if side is None:
        return True
    values = side.each(column.figure) if column.each else side.total(column.figure)
    return bool(np.isnan(values[place]))


def _tone(theme: Theme, name: str) -> QColor:
    colour: QColor = getattr(theme, name)
    return colour


def _alignment(column: Column) -> Qt.AlignmentFlag:
    left = column.words or column.id == "history"
    return (Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight) | Qt.AlignmentFlag.AlignVCenter
