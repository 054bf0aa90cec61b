"""Where a figure comes from, beside the figure: run, stretch, n, source, evidence, and the way back to it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from tunebench.columns.formats import format_count, format_span
from tunebench.domain.cycle.records import Figure, Metric
from tunebench.domain.windows import Window
from tunebench.reporting.wording import Wording
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.evidence_show import leads_somewhere, run_called, show_figure
from tunebench.ui.cycle.figure_words import figure_text, wording
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_M
from tunebench.ui.widgets.parts import ElidedLabel, FactTable, button, column, label, row
from tunebench.ui.workspace import Workspace

WIDTH = 380


def name_figure(link: QPushButton, side: str, figure: Figure | None, metric: Metric, words: Wording) -> None:
    """The words of a link that opens the card of a figure; `side` is ``baseline`` or ``now``."""
    link.setText(f"{text(f'ui.board.{side}')} {figure_text(figure, metric, words)}")
    link.setEnabled(figure is not None and figure.value is not None)
    link.setToolTip(text("ui.board.figure.tip"))


class FigureCard(QFrame):
    """A small window of its own; it closes by Escape or a click elsewhere."""

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._workspace = workspace
        self.setProperty("card", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        self._column = column(margins=SPACE_M)
        self.setLayout(self._column)

    def show_figure(self, metric: Metric, side: str, figure: Figure, record_id: int, link: QWidget) -> None:
        """Shows the figure below `link`; evidence may hang on the record that holds the figure, and on its metric."""
        value = figure_text(figure, metric, wording(self._workspace))
        self._column.addWidget(ElidedLabel(f"{metric.name} · {text(f'ui.board.{side}')}", "muted"))
        self._column.addWidget(label(value, "section"))
        facts = self._facts(metric, figure)
        facts.add_widget(text("ui.board.evidence"), self._chips((record_id, metric.id)))
        self._column.addWidget(facts)
        why = CycleController.of(self._workspace).why_broken(record_id)
        if why:
            self._column.addWidget(label(f"▲ {why}", tone="warning", wrap=True))
        self._add_way(metric, figure)
        self.setAccessibleName(f"{metric.name} {value}")
        self.setFixedHeight(self._column.heightForWidth(WIDTH))
        self._place(link.mapToGlobal(QPoint(0, link.height())))
        self.show()

    def _chips(self, record_ids: tuple[int, ...]) -> EvidenceChips:
        chips = EvidenceChips(self._workspace)
        chips.show_for(record_ids, text("ui.board.no_evidence"))
        for chip in chips.chips():
            chip.clicked.connect(self.close)
        return chips

    def _facts(self, metric: Metric, figure: Figure) -> FactTable:
        table, zone = FactTable(right=False), self._workspace.zone
        window = CycleController.of(self._workspace).book.find(Window, figure.window_id)
        run = run_called(self._workspace, figure.run_id)
        title = window.name if window else run.label if run else text("ui.board.figure.typed")
        span = "" if figure.start_ns is None else format_span(figure.start_ns, figure.end_ns, zone)
        samples = text("ui.board.figure.n_unknown") if figure.samples is None else format_count(figure.samples)
        for name, words in (
            (text("ui.board.figure.run"), title),
            (text("ui.board.figure.window"), span),
            (text("ui.board.figure.statistic"), text(f"cycle.statistic.{metric.statistic}")),
            ("n", samples),
            (text("ui.board.figure.source"), figure.source),
            (text("ui.board.figure.definition"), metric.definition),
        ):
            if words:
                table.add(name, words)
        return table

    def _add_way(self, metric: Metric, figure: Figure) -> None:
        if leads_somewhere(metric, figure):
            way = button(text("ui.board.figure.show"), "primary", lambda: self._go(metric, figure))
            self._column.addLayout(row(1, way))

    def _go(self, metric: Metric, figure: Figure) -> None:
        self.close()
        show_figure(self._workspace, metric, figure)

    def _place(self, at: QPoint) -> None:
        room = self.screen().availableGeometry()
        x = min(max(at.x(), room.left()), room.right() - self.width())
        y = at.y() if at.y() + self.height() < room.bottom() else max(at.y() - self.height() - 28, room.top())
        self.move(x, y)
