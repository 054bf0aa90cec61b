"""A response over a numeric factor, and where it bends."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QWidget

from app.analysis.experiments.analysis import PartAnalysis
from app.analysis.experiments.curves import Curve
from app.domain.experiments.records import Experiment
from app.ui.experiments.line_plot import Bend, Line, LinePlot
from app.ui.look.language import language, translated
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.widgets.parts import column, label, row, selectable
from app.usecases.experiments.words import curve_text


class CurveView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._part: PartAnalysis | None = None
        self.factor = translated(QComboBox(), accessibleName="ui.experiments.curve.over")
        self._name = translated(label(role="muted"), "ui.experiments.curve.over")
        self.plot = LinePlot()
        self.sentences = selectable(label(wrap=True))
        head, margins = row(self._name, self.factor, 1), (SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        self.setLayout(column(head, (self.plot, 1), self.sentences, margins=margins))
        self.factor.activated.connect(lambda _place: self._draw())

    def show_part(self, experiment: Experiment | None, part: PartAnalysis | None) -> None:
        self._part = part
        kept = self.factor.currentText()
        self.factor.clear()
        for name in dict.fromkeys(curve.factor for curve in (part.curves if part else ())):
            self.factor.addItem(name)
        self.factor.setCurrentIndex(max(self.factor.findText(kept), 0))
        self._draw()

    def _draw(self) -> None:
        part = self._part
        curves = [each for each in part.curves if each.factor == self.factor.currentText()] if part else []
        if part is None or not curves:
            self.sentences.clear()
            return
        bends = [
            Bend(place, each.knee.at, each.knee.interval.low, each.knee.interval.high)
            for place, each in enumerate(curves)
            if each.knee is not None
        ]
        lines = [Line(_name_of(each), tuple((x, y) for x, y, _n in each.points)) for each in curves]
        across = f"{curves[0].factor} [{curves[0].unit}]" if curves[0].unit else curves[0].factor
        self.plot.show_lines(lines, across, part.response.unit, bends=bends)
        told: dict[str, list[str]] = {}
        for each in curves:
            told.setdefault(curve_text(each, language().code), []).append(_name_of(each))
        alone = len(told) == 1
        self.sentences.setText(
            "\n".join(sentence if alone else f"{', '.join(names)}: {sentence}" for sentence, names in told.items())
        )


def _name_of(curve: Curve) -> str:
    return " · ".join(level for _factor, level in curve.fixed) or curve.factor
