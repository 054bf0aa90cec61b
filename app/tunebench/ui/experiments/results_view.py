"""What an experiment says: the verdict in words on top, what stands against it, then figures and pictures: the ranking,
and the response over a numeric factor with where it bends."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedWidget, QTabBar, QWidget

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.figures import Waiting
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.experiments.records import CacheState, Experiment, short_names
from tunebench.ui.experiments.factors_view import FactorsView
from tunebench.ui.experiments.line_plot import Bend, Line, LinePlot
from tunebench.ui.experiments.ranking_chart import RankingChart
from tunebench.ui.experiments.waiting_bars import WaitingBars
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.notice import CautionList
from tunebench.ui.widgets.parts import button, column, label, row, scrolling, selectable, set_tone, show_tab
from tunebench.usecases.experiments.result_columns import (
    MARKS,
    WAITING_COLUMNS,
    WaitingRow,
    cell_rows,
    ranking_columns,
    verdict_sentence,
    verdict_tone,
)
from tunebench.usecases.experiments.words import caution_text, curve_lines, member_text, name_of_curve, noise_text

MOST_CHART_PX = 260

VIEWS = ("ranking", "factors", "curve", "waiting")


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
        curves = [curve for curve in part.curves if curve.factor == self.factor.currentText()] if part else []
        if part is None or not curves:
            self.sentences.clear()
            return
        bends = [
            Bend(index, curve.knee.at, curve.knee.interval.low, curve.knee.interval.high)
            for index, curve in enumerate(curves)
            if curve.knee is not None
        ]
        lines = [Line(name_of_curve(curve), tuple((x, y) for x, y, _n in curve.points)) for curve in curves]
        across = f"{curves[0].factor} [{curves[0].unit}]" if curves[0].unit else curves[0].factor
        self.plot.show_lines(lines, across, part.response.unit, bends=bends)
        self.sentences.setText("\n".join(curve_lines(curves, language().code)))


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
        self.chart.show_rows([cell_row.ranked for cell_row in rows], part.response.unit if part else "")
        self.table.show_rows(ranking_columns(part), rows)
        wanted = min(self.chart.sizeHint().height() + 2 * SPACE_S, MOST_CHART_PX)
        self._split.setSizes([wanted, max(self.height() - wanted, 120)])


class WaitingView(QWidget):
    """What ``time`` tells: bars and their figures."""

    def __init__(self) -> None:
        super().__init__()
        self.explained = translated(label(role="muted", wrap=True), "ui.experiments.waiting.explained")
        self.bars, self.table = WaitingBars(), FigureTable()
        holder = QWidget()
        holder.setLayout(column(self.bars, 1))
        margins = (SPACE_M, SPACE_S, SPACE_M, 0)
        self.setLayout(
            column(
                self.explained, (scrolling(holder, sideways=False, framed=False), 1), (self.table, 1), margins=margins
            )
        )

    def show_waiting(self, experiment: Experiment | None, waiting: Sequence[Waiting]) -> None:
        names = short_names(experiment) if experiment else {}
        rows = [WaitingRow(names[entry.cell], entry) for entry in waiting]
        self.bars.show_rows(rows)
        self.table.show_rows(WAITING_COLUMNS, rows)


class ResultsView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.analysis: ExperimentAnalysis | None = None
        self.verdict = selectable(label(role="section", wrap=True))
        self.noise = selectable(label(role="muted", wrap=True))
        self.cautions = CautionList()
        self.part_box = translated(QComboBox(), accessibleName="ui.experiments.result.of")
        self.part_box.setMaximumWidth(340)
        self.part_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.ranking, self.factors, self.curve, self.waiting = RankingView(), FactorsView(), CurveView(), WaitingView()
        self.stack = QStackedWidget()
        for name, view in zip(VIEWS, (self.ranking, self.factors, self.curve, self.waiting), strict=True):
            self.stack.addWidget(view)
            self.tabs.addTab(name)
        self._copy = translated(
            button(kind="quiet", on_click=self.copy), "ui.experiments.copy", toolTip="ui.experiments.copy.tip"
        )
        self._part_name = translated(label(role="muted"), "ui.experiments.result.of")
        parts = (self.verdict, self.noise, self.cautions)
        choice = row(self.tabs, 1, self._part_name, self.part_box, self._copy)
        margins = (SPACE_M, SPACE_S, SPACE_S, 0)
        self.setLayout(column(*parts, choice, (self.stack, 1), spacing=SPACE_XS, margins=margins))
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.part_box.activated.connect(lambda _place: self._show_part())
        translated(self.tabs, tabText=[f"ui.experiments.view.{name}" for name in VIEWS])

    # --- showing
    def show_analysis(self, analysis: ExperimentAnalysis | None) -> None:
        self.analysis = analysis
        kept = self.part_box.currentData()
        self.part_box.clear()
        for part in analysis.parts if analysis else ():
            self.part_box.addItem(_part_words(part), (part.response.name, part.cache.value))
        index = next((i for i in range(self.part_box.count()) if _key(self.part_box, i) == kept), 0)
        self.part_box.setCurrentIndex(index if self.part_box.count() else -1)
        self._show_part()

    @property
    def part(self) -> PartAnalysis | None:
        index = self.part_box.currentIndex()
        return self.analysis.parts[index] if self.analysis and 0 <= index < len(self.analysis.parts) else None

    def _show_part(self) -> None:
        analysis, part = self.analysis, self.part
        experiment = analysis.experiment if analysis else None
        self._say(analysis, part)
        self.ranking.show_part(experiment, part)
        self.factors.show_part(experiment, part)
        self.curve.show_part(experiment, part)
        waiting = dict(analysis.waiting).get(part.cache, ()) if analysis and part else ()
        self.waiting.show_waiting(experiment, waiting)
        can = {
            "ranking": True,
            "factors": part is not None,
            "curve": bool(part and part.curves),
            "waiting": bool(waiting),
        }
        for index, name in enumerate(VIEWS):
            show_tab(self.tabs, index, can[name])
        self.stack.setVisible(part is not None)
        for widget in (self.tabs, self.part_box, self._part_name, self._copy):
            widget.setVisible(part is not None)
        self.stack.setCurrentIndex(self.tabs.currentIndex())

    def _say(self, analysis: ExperimentAnalysis | None, part: PartAnalysis | None) -> None:
        code = language().code
        if analysis is None or part is None:
            self.verdict.setText(f"{MARKS[Verdict.INSUFFICIENT_DATA]} {text('ui.experiments.result.none')}")
            set_tone(self.verdict, "")
            self.noise.setVisible(False)
        else:
            self.verdict.setText(verdict_sentence(analysis, part, window_locale()))
            set_tone(self.verdict, verdict_tone(part.verdict))
            self.noise.setText(noise_text(part.noise, code))
            self.noise.setVisible(True)
        cautions = (*(part.cautions if part else ()), *(analysis.cautions if analysis else ()))
        sentences = [caution_text(caution, code) for caution in cautions]
        if analysis is not None:
            sentences += [
                text("ui.experiments.result.confounder", words=confounder)
                for confounder in analysis.experiment.confounders
            ]
        self.cautions.show_sentences(sentences)

    def show_view(self, name: str) -> None:
        self.tabs.setCurrentIndex(VIEWS.index(name))

    def retranslate(self) -> None:
        self.show_analysis(self.analysis)

    def recolour(self) -> None:
        self.cautions.recolour()

    def copy(self) -> None:
        """The table of the view that is shown."""
        waits = VIEWS[self.tabs.currentIndex()] == "waiting"
        (self.waiting if waits else self.ranking).table.exhibited.copy(("tsv",))


def _key(box: QComboBox, index: int) -> tuple[object, ...] | None:
    key = box.itemData(index)
    return tuple(key) if key is not None else None


def _part_words(part: PartAnalysis) -> str:
    name = part.response.title or part.response.name
    if part.cache is CacheState.UNKNOWN:
        return name
    return f"{name} · {member_text(part.cache, language().code)}"
