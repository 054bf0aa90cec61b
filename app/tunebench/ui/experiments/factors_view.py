"""Two factors at a time: a heat map with its figures, and how the effect of one depends on the other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QWidget

from tunebench.analysis.experiments.analysis import PartAnalysis
from tunebench.analysis.experiments.slices import Slice, slice_of, usual_factors
from tunebench.domain.experiments.records import Experiment
from tunebench.ui.experiments.heat_map import HeatMap
from tunebench.ui.experiments.line_plot import Line, LinePlot
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.parts import column, label, row
from tunebench.usecases.experiments.result_columns import VARIANCE_COLUMNS
from tunebench.usecases.experiments.words import no_variance_text

ALL_LEVELS = None


class FactorsView(QScrollArea):
    def __init__(self) -> None:
        super().__init__()
        self._experiment: Experiment | None = None
        self._part: PartAnalysis | None = None
        self.first = translated(QComboBox(), accessibleName="ui.experiments.factors.first")
        self.second = translated(QComboBox(), accessibleName="ui.experiments.factors.second")
        self.held: dict[int, QComboBox] = {}
        self.heat, self.plot, self.effects = HeatMap(), LinePlot(), FigureTable()
        self.mixed = label(tone="watch", wrap=True)
        self.variance = label(role="muted", wrap=True)
        self._first_name = translated(label(role="muted"), "ui.experiments.factors.first")
        self._second_name = translated(label(role="muted"), "ui.experiments.factors.second")
        self._held_parts: list[QWidget] = []
        self._choosers = row(self._first_name, self.first, self._second_name, self.second, 1)
        beside = row((self.heat, 3), (self.plot, 4), spacing=SPACE_M)
        for picture in (self.heat, self.plot):
            beside.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
        margins = (SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        inside = QWidget()
        inside.setLayout(column(self._choosers, self.mixed, beside, self.variance, self.effects, 1, margins=margins))
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        for box in (self.first, self.second):
            box.activated.connect(self._on_factors)

    def show_part(self, experiment: Experiment | None, part: PartAnalysis | None) -> None:
        other = (
            experiment is None
            or self._experiment is None
            or ([f.name for f in experiment.factors] != [f.name for f in self._experiment.factors])
        )
        self._experiment, self._part = experiment, part
        if experiment is None or part is None:
            return
        self._fill_factors(experiment, other)
        self._fill_held(experiment)
        self._draw()
        self._show_variance(part)

    def _fill_factors(self, experiment: Experiment, other: bool) -> None:
        varied = sorted(range(len(experiment.factors)), key=lambda i: (len(experiment.factors[i].levels) < 2, i))
        kept = (self.first.currentData(), self.second.currentData())
        for box in (self.first, self.second):
            box.clear()
        for index in varied:
            self.first.addItem(experiment.factors[index].name, index)
            self.second.addItem(experiment.factors[index].name, index)
        stays = not other and kept[0] != kept[1] and set(kept) <= set(varied)
        usual = usual_factors(experiment)
        pair = kept if stays else usual if None not in usual else (varied[0], varied[min(1, len(varied) - 1)])
        self.first.setCurrentIndex(self.first.findData(pair[0]))
        self.second.setCurrentIndex(self.second.findData(pair[1]))
        alone = len(varied) < 2
        self._second_name.setVisible(not alone)
        self.second.setVisible(not alone)

    @property
    def _pair(self) -> tuple[int, int | None]:
        first, second = int(self.first.currentData()), int(self.second.currentData())
        return first, (second if second != first else None)

    def _on_factors(self, _place: int) -> None:
        """The same factor on both sides makes no grid: the other one gives way."""
        if self._experiment is None:
            return
        if self.first.currentData() == self.second.currentData() and self.first.count() > 1:
            other = self.second if self.sender() is self.first else self.first
            other.setCurrentIndex((other.currentIndex() + 1) % other.count())
        self._fill_held(self._experiment)
        self._draw()

    def _fill_held(self, experiment: Experiment) -> None:
        kept = {index: box.currentData() for index, box in self.held.items()}
        for part in self._held_parts:
            self._choosers.removeWidget(part)
            part.hide()
            part.deleteLater()
        self.held, self._held_parts = {}, []
        for index, factor in enumerate(experiment.factors):
            if index in self._pair or len(factor.levels) < 2:
                continue
            box = QComboBox()
            box.addItem(text("ui.experiments.factors.all"), ALL_LEVELS)
            for level in factor.levels:
                box.addItem(level.name, level.name)
            box.setCurrentIndex(max(box.findData(kept.get(index)), 0))
            box.setAccessibleName(factor.name)
            box.activated.connect(lambda _place: self._draw())
            name = label(factor.name, role="muted")
            for part in (name, box):
                self._choosers.insertWidget(self._choosers.count() - 1, part)
            self._held_parts += [name, box]
            self.held[index] = box

    def _draw(self) -> None:
        experiment, part = self._experiment, self._part
        if experiment is None or part is None:
            return
        first, second = self._pair
        held = {index: box.currentData() for index, box in self.held.items() if box.currentData() is not ALL_LEVELS}
        grid = slice_of(experiment, part, first, second, held)
        self.heat.show_slice(grid, part.response.unit, part.response.direction)
        lines, levels = _lines_of(grid)
        self.plot.show_lines(lines, grid.second or grid.first, part.response.unit, levels)
        averaged = any(box.currentData() is ALL_LEVELS for box in self.held.values())
        self.mixed.setText(f"⚠ {text('ui.experiments.factors.mixed')}")
        self.mixed.setVisible(averaged and not grid.comparable)

    def _show_variance(self, part: PartAnalysis) -> None:
        table = part.variance
        self.effects.setVisible(table is not None)
        if table is None:
            self.variance.setText(no_variance_text(part.no_variance, language().code))
            return
        self.variance.setText(
            text("ui.experiments.factors.variance", df=table.error_df, residual=f"{table.residual_pct:.1f}")
        )
        self.effects.show_rows(VARIANCE_COLUMNS, table.effects)
        self.effects.setFixedHeight(self.effects.horizontalHeader().height() + 26 * len(table.effects) + 6)


def _lines_of(grid: Slice) -> tuple[list[Line], tuple[str, ...]]:
    """One line for each level of the first factor; a single factor is one line over its levels."""
    if not grid.second:
        points = tuple((float(index), values[0]) for index, values in enumerate(grid.values))
        return [Line(grid.first, points)], grid.first_levels
    lines = [
        Line(name, tuple((float(index), value) for index, value in enumerate(values)))
        for name, values in zip(grid.first_levels, grid.values, strict=True)
    ]
    return [line for line in lines if any(y is not None for _x, y in line.points)], grid.second_levels
