"""The targets of an iteration: a bullet bar each, every number with its origin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.domain.cycle.records import Figure, Result, Target
from app.domain.engagement import Direction
from app.ui.cycle.bullet import BulletBar, BulletMarks, MarkSample
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.evidence_chips import EvidenceChips
from app.ui.cycle.figure_card import FigureCard, name_figure
from app.ui.cycle.figure_words import STATE_SHAPES, STATE_TONES, change_text, goal_text, wording
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.widgets.parts import ElidedLabel, ElidedLink, button, column, label, row, set_tone
from app.ui.workspace import Workspace
from app.usecases.cycle import facade as cycle
from app.usecases.cycle.facade import TargetStanding


class TargetRow(QWidget):
    """`asked` carries the `Target` whose step is wanted."""

    asked = Signal(object)
    _standing: TargetStanding

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.name = ElidedLink(lambda: self.asked.emit(self._standing.target))
        self.top = label(role="small")
        self.change = label(role="muted")
        self.state = label(role="strong")
        self.bar = BulletBar()
        self.baseline = button(kind="link", on_click=lambda: self._open("baseline", self.baseline))
        self.now = button(kind="link", on_click=lambda: self._open("now", self.now))
        self.goal = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.chips = EvidenceChips(workspace, most=2)
        self.setLayout(
            column(
                row((self.name, 1), self.state, spacing=SPACE_M),
                row(self.top, self.change, 1, spacing=SPACE_M),
                self.bar,
                row(self.baseline, self.now, (self.goal, 1), self.chips, spacing=SPACE_M),
                spacing=1,
            )
        )

    def show_standing(self, standing: TargetStanding) -> None:
        self._standing = standing
        metric, target, words = standing.metric, standing.target, wording(self._workspace)
        self.name.set_words(metric.name)
        single = standing.descriptive_only and standing.state.value in ("met", "missed")
        basis = cycle.basis_text(standing, language().code, self._workspace.zone)
        asides = [text("ui.board.top")] if standing.is_top else []
        asides.append(text(f"cycle.statistic.{metric.statistic}"))
        asides += [text("ui.board.due", date=target.due_on)] if target.due_on else []
        asides += [text("ui.board.single")] if single else []
        self.top.setText(" · ".join(asides))
        self.top.setToolTip(text("ui.board.single.tip") if single else "")
        self.change.setText(change_text(standing.improvement, words))
        state = standing.state.value
        self.state.setText(f"{STATE_SHAPES[state]} {cycle.state_text(standing, language().code)}")
        refusals = cycle.refusal_texts(standing, language().code, self._workspace.zone)
        self.state.setToolTip("\n".join(filter(None, (*refusals, basis))))
        set_tone(self.state, STATE_TONES.get(state, ""))
        for made, side in ((self.baseline, "baseline"), (self.now, "now")):
            figure, record = _figure(standing, side)
            name_figure(made, side, figure, metric, words)
            if record and record.id in CycleController.of(self._workspace).broken:
                made.setText(f"{made.text()} ▲")
        self.goal.set_words(f"{text('ui.board.goal')} {goal_text(target.value, metric, words)}")
        self.chips.show_for((target.id, metric.id, *((standing.result.id,) if standing.result else ())))
        self._show_bar(standing)

    def _show_bar(self, standing: TargetStanding) -> None:
        metric, now = standing.metric, standing.now
        neutral = metric.direction is Direction.NEUTRAL
        marks = BulletMarks(
            standing.baseline.value if standing.baseline else None,
            now.value if now else None,
            standing.target.value,
            now.bound if now else "",
            None if neutral else metric.direction is Direction.LOWER,
        )
        shown = (metric.name, self.baseline.text(), self.now.text(), self.goal.words(), self.state.text())
        self.bar.show_marks(marks, ", ".join(shown), text("ui.board.not_measured"))

    def _open(self, side: str, at: QPushButton) -> None:
        figure, record = _figure(self._standing, side)
        if figure is not None and record is not None:
            self.card = FigureCard(self._workspace, self)
            self.card.show_figure(self._standing.metric, side, figure, record.id, at)


def _figure(standing: TargetStanding, side: str) -> tuple[Figure | None, Target | Result | None]:
    """The figure of a side, and the record that holds it."""
    return (standing.baseline, standing.target) if side == "baseline" else (standing.now, standing.result)


class TargetList(QWidget):
    """One row per target, the top priority first; the legend of the bar's shapes below."""

    asked = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.rows: list[TargetRow] = []
        self._column = column(spacing=SPACE_M)
        self._none = translated(label(role="muted", wrap=True), "ui.board.no_targets")
        self._legend = QWidget()
        self._legend.setLayout(self._legend_line())
        self.setLayout(column(self._none, self._column, self._legend, 1, spacing=SPACE_M))

    def _legend_line(self) -> QHBoxLayout:
        line = row(spacing=SPACE_S)
        for part in ("baseline", "now", "goal", "met"):
            line.addWidget(MarkSample(part))
            line.addWidget(translated(label(role="small"), f"ui.board.legend.{part}"))
            line.addSpacing(SPACE_S)
        line.addStretch(1)
        return line

    def show_standings(self, standings: Sequence[TargetStanding]) -> None:
        while len(self.rows) > len(standings):
            gone = self.rows.pop()
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self.rows) < len(standings):
            made = TargetRow(self._workspace)
            made.asked.connect(self.asked)
            self.rows.append(made)
            self._column.addWidget(made)
        for shown, standing in zip(self.rows, standings, strict=True):
            shown.show_standing(standing)
        self._none.setVisible(not standings)
        self._legend.setVisible(bool(standings))
