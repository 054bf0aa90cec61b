"""The comparison as a table: one row per series, what changed most first; filtered, sorted and copied whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import ComparedSeries
from app.analysis.inference.verdict import Verdict
from app.domain.engagement import Direction
from app.ui.charts.default_series import is_telling
from app.ui.comparing.compare_columns import (
    CHANGED,
    JUDGED,
    CompareColumn,
    change_factor,
    compare_columns,
    host_name,
    is_paired,
    series_name,
)
from app.ui.look.language import text
from app.ui.tables.model import RowFilter, TableModel
from app.ui.tables.view import TableView


class Shown(StrEnum):
    """Which verdicts are listed; beside these each verdict by itself."""

    ALL = "all"
    CHANGED = "changed"
    JUDGED = "judged"


FILTERS: tuple[Shown | Verdict, ...] = (*Shown, *Verdict)


def has_changed(row: ComparedSeries) -> bool:
    """Better or worse; of what is neither, whatever differs beyond chance."""
    neutral = row.direction is Direction.NEUTRAL and row.verdict is Verdict.DESCRIPTIVE_ONLY
    return row.verdict in CHANGED or (neutral and row.changed)


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
    if row.verdict in CHANGED:
        tier = 0
    elif row.verdict in JUDGED:
        tier = 1
    else:
        tier = 2 if has_changed(row) else 3
    factor = change_factor(row)
    return (tier, math.isinf(factor), not row.metric, -factor, not is_telling(row.series), series_name(row))


class CompareModel(TableModel[ComparedSeries]):
    """What changed most comes first; `zone` is the one that moments are told in."""

    def __init__(self) -> None:
        self.zone = ZoneInfo("UTC")
        self.compared = compare_columns(lambda: self.zone)
        super().__init__(self.compared)

    def show_comparison(self, rows: Sequence[ComparedSeries]) -> None:
        self.show_rows(sorted(rows, key=prominence))


class CompareFilter(RowFilter[ComparedSeries]):
    """Both sides or one, words, verdicts, at least so many times different."""

    def __init__(self, model: CompareModel) -> None:
        super().__init__(model)
        self.least = 1.0
        self.paired = True
        self.wanted: Shown | Verdict = Shown.ALL

    def change(self, **wanted: Any) -> None:
        """Sets what is wanted, and looks once at all rows."""
        self.beginResetModel()
        for name, value in wanted.items():
            setattr(self, name, value)
        self.endResetModel()

    def searched(self, row: ComparedSeries) -> str:
        info = row.series
        return f"{info.label} {info.metric} {info.tool} {info.table} {host_name(row)}"

    def accepts(self, row: ComparedSeries) -> bool:
        if is_paired(row) != self.paired:
            return False
        if self.paired and not (is_shown(row, self.wanted) and change_factor(row) >= self.least):
            return False
        return super().accepts(row)


class ComparisonTable(TableView):
    """Copies the rows that are chosen, where several are, else all; with every figure, also those not seen."""

    def __init__(self, model: CompareModel) -> None:
        self.filter = CompareFilter(model)
        super().__init__(self.filter)
        self._columns = model.compared

    def tab_separated(self) -> str:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(self.filter.rowCount())
        columns = [place for place, column in enumerate(self._columns) if column.is_copied]
        lines = [[_copied_title(self._columns[place]) for place in columns]]
        lines += [[self.filter.plain(row, place) for place in columns] for row in rows]
        return "\n".join("\t".join(cells) for cells in lines) + "\n"


def _copied_title(column: CompareColumn) -> str:
    """``ratio`` alone: its interval is copied in cells of its own."""
    return text("ui.compare.copied.ratio") if column.id == "ratio" else column.title
