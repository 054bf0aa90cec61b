"""What ``time`` tells: bars and their figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.analysis.experiments.figures import Waiting
from app.domain.experiments.records import Experiment
from app.ui.experiments.result_columns import waiting_columns
from app.ui.experiments.short_names import short_names
from app.ui.experiments.waiting_bars import WaitingBars, WaitingRow
from app.ui.look.language import translated
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.tables.view import FigureTable
from app.ui.widgets.parts import label


class WaitingView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.explained = translated(label(role="muted", wrap=True), "ui.experiments.waiting.explained")
        self.bars, self.table = WaitingBars(), FigureTable()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setStyleSheet("QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }")
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.bars)
        inside.addStretch(1)
        area.setWidget(holder)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.explained)
        column.addWidget(area, 1)
        column.addWidget(self.table, 1)

    def show_waiting(self, experiment: Experiment | None, waiting: Sequence[Waiting]) -> None:
        names = short_names(experiment) if experiment else {}
        rows = [WaitingRow(names[each.cell], each) for each in waiting]
        self.bars.show_rows(rows)
        self.table.show_rows(waiting_columns(), rows)

    def recolour(self) -> None:
        self.bars.update()
