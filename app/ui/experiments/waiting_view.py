"""What ``time`` tells: bars and their figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.analysis.experiments.figures import Waiting
from app.domain.experiments.records import Experiment
from app.ui.experiments.result_columns import waiting_columns
from app.ui.experiments.short_names import short_names
from app.ui.experiments.waiting_bars import WaitingBars, WaitingRow
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.tables.view import FigureTable
from app.ui.widgets.parts import column, label, scrolled


class WaitingView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.explained = translated(label(role="muted", wrap=True), "ui.experiments.waiting.explained")
        self.bars, self.table = WaitingBars(), FigureTable()
        holder = QWidget()
        holder.setLayout(column(self.bars, 1))
        margins = (SPACE_M, SPACE_S, SPACE_M, 0)
        self.setLayout(column(self.explained, (scrolled(holder), 1), (self.table, 1), margins=margins))

    def show_waiting(self, experiment: Experiment | None, waiting: Sequence[Waiting]) -> None:
        names = short_names(experiment) if experiment else {}
        rows = [WaitingRow(names[each.cell], each) for each in waiting]
        self.bars.show_rows(rows)
        self.table.show_rows(waiting_columns(), rows)
