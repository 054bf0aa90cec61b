"""Many statements as a table: filtered and sorted as columns of numbers, so that a hundred thousand stay quick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.columns.column import Column
from tunebench.core.records import record
from tunebench.ui.look.fonts import SMALL_PX, code_families
from tunebench.ui.tables.model import Index, TableModel
from tunebench.usecases.databases.statement_columns import StatementColumn, columns_of

PLACE_ROLE = Qt.ItemDataRole.UserRole + 1
"""The statement's position in `StatementRows`."""


@record
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


class StatementModel(TableModel[int]):
    """Rows are the positions of the statements that are shown, in the order in which they are."""

    columns: list[StatementColumn]

    def __init__(self) -> None:
        super().__init__()
        self.statements: StatementRows | None = None
        self.columns = []
        self.rows: Sequence[int] = ()
        self.narrowing = Narrowing()
        self.each = False
        self._sorted: tuple[str, bool] | None = None
        self._ranks: dict[str, NDArray[np.float64]] = {}

    # --- filling
    def show_statements(self, statements: StatementRows | None) -> None:
        self.beginResetModel()
        self.statements = statements
        self._ranks.clear()
        self.columns = columns_of(statements, self.each) if statements is not None else []
        self._arrange()
        self.endResetModel()

    def show_each(self, each: bool) -> None:
        """CPU and blocks per execution, or in total."""
        self.each = each
        self.show_statements(self.statements)

    def narrow(self, **changes: Any) -> None:
        self.beginResetModel()
        self.narrowing = replace(self.narrowing, **changes)
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        exists = 0 <= column < len(self.columns)
        self._sorted = (self.columns[column].id, order == Qt.SortOrder.DescendingOrder) if exists else None
        self._arrange()
        self.endResetModel()

    # --- arranging
    def _arrange(self) -> None:
        if self.statements is None:
            self.rows = ()
            return
        positions = np.flatnonzero(self._wanted(self.statements))
        sorted_by = next((column for column in self.columns if self._sorted and column.id == self._sorted[0]), None)
        if sorted_by is not None and self._sorted is not None:
            keys = self._rank(sorted_by)[positions]
            positions = positions[np.argsort(-keys if self._sorted[1] else keys, kind="stable")]  # NaN comes last
        self.rows = positions.tolist()

    def _rank(self, column: StatementColumn) -> NDArray[np.float64]:
        """Numbers that sort like the column; texts by their rank."""
        if column.id not in self._ranks:
            keys = column.keys(self.locale)
            if not isinstance(keys, np.ndarray):
                ranks = {words: rank for rank, words in enumerate(sorted(set(keys)))}
                keys = np.array([ranks[words] if words else np.nan for words in keys])
            self._ranks[column.id] = keys.astype(np.float64)
        return self._ranks[column.id]

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
            wanted &= np.fromiter((word in searched for searched in rows.search), dtype=bool, count=len(rows))
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
        if self.statements is None:
            return 0
        regressed = self._regressed(self.statements)
        return int(regressed.sum() - regressed[list(self.rows)].sum())

    # --- what the view asks
    def row_of(self, position: int) -> int | None:
        """The row that shows a statement; None where the filter leaves it out."""
        return self.rows.index(position) if position in self.rows else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.row_at(index) if role == PLACE_ROLE and index.isValid() else super().data(index, role)

    def font(self, row: int, column: Column[int]) -> QFont | None:
        """Code as code; what is missing on a side in small letters."""
        shown = QFont()
        if column.id in ("id", "text"):
            shown.setFamilies(list(code_families()))
            shown.setPixelSize(12)
            return shown
        if column.side and column.tone is not None and column.tone(row):
            shown.setPixelSize(SMALL_PX)
            return shown
        return super().font(row, column)

    def plain(self, row: int, column: int) -> str:
        """A cell as a spreadsheet wants it: the whole figure, the words of one that is only a part."""
        shown, position = self.columns[column], self.rows[row]
        value = float(self._rank(shown)[position]) * shown.scale if shown.right else float("nan")
        return self.words(row, column) if np.isnan(value) or shown.at_least(position) else repr(value)
