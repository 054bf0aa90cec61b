"""The ranking of one response: as a chart and as a table, in the same order."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from app.analysis.experiments.analysis import PartAnalysis
from app.domain.experiments.records import Experiment
from app.ui.experiments.ranking_chart import RankedRow, RankingChart
from app.ui.experiments.result_columns import CellRow, ranking_columns
from app.ui.experiments.short_names import short_names
from app.ui.look.theme import SPACE_S
from app.ui.tables.view import FigureTable
from app.ui.widgets.parts import column, scrolling

MOST_CHART_PX = 260


class RankingView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.chart, self.table = RankingChart(), FigureTable()
        holder = QWidget()
        holder.setLayout(column(self.chart, 1, margins=(SPACE_S, SPACE_S, SPACE_S, 0)))
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(scrolling(holder, sideways=False, framed=False))
        self._split.addWidget(self.table)
        self._split.setChildrenCollapsible(False)
        self._split.setStretchFactor(1, 1)
        self.setLayout(column(self._split))

    def show_part(self, experiment: Experiment | None, part: PartAnalysis | None) -> None:
        rows = cell_rows(experiment, part) if experiment and part else []
        self.chart.show_rows([each.ranked for each in rows], part.response.unit if part else "")
        self.table.show_rows(ranking_columns(part), rows)
        wanted = min(self.chart.sizeHint().height() + 2 * SPACE_S, MOST_CHART_PX)
        self._split.setSizes([wanted, max(self.height() - wanted, 120)])


def cell_rows(experiment: Experiment, part: PartAnalysis) -> list[CellRow]:
    """Best first, with places where they can be told apart; then those without a value, as the plan lists them."""
    places = {cell: group.place for group in part.ranking for cell in group.cells}
    told_apart = len(part.ranking) > 1
    ordered = list(places) + [each.cell for each in part.cells if each.cell not in places]
    names = short_names(experiment)
    found = []
    for cell in ordered:
        figures, compared = part.figures_of(cell), part.comparison_of(cell)
        if figures is None:
            continue
        is_reference = cell == experiment.reference
        ranked = RankedRow(places.get(cell) if told_apart else None, names[cell], figures, compared, is_reference)
        found.append(CellRow(ranked, part))
    return found
