"""The targets of an iteration, each as a bullet bar: where it began, where it is, where it is to be; each with a shape
of its own and every number with its origin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import TargetStanding
from tunebench.domain.cycle.records import Figure, Result, Target
from tunebench.domain.engagement import Direction
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.figure_card import FigureCard, name_figure
from tunebench.ui.cycle.figure_words import change_text, goal_text, state_shape, state_tone, wording
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, Theme, current_theme
from tunebench.ui.widgets.parts import ElidedLabel, ElidedLink, button, column, label, row, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle.words import basis_text, refusal_texts

HEIGHT, TRACK, BAR = 22, 14, 8
HEADROOM = 1.06
LEAST_BAR_PX = 5.0
"""A bar that is there shows beside the line of a target that lies as near to zero."""
EDGE = 6.0


@record
class BulletMarks:
    """Values in the metric's unit; None is not there, and is not drawn at 0.

    Attributes:
        bound: of `now`: ``"<"`` or ``">"`` where only a limit is known.
        lower_is_better: None for a figure that is not judged.
    """

    baseline: float | None = None
    now: float | None = None
    goal: float | None = None
    bound: str = ""
    lower_is_better: bool | None = True

    @property
    def known(self) -> tuple[float, ...]:
        return tuple(value for value in (self.baseline, self.now, self.goal) if value is not None)


class BulletBar(QWidget):
    """Zero is always in the scale. Hollow diamond: baseline; solid bar: now; flag: target; hatched: where it is met."""

    def __init__(self) -> None:
        super().__init__()
        self.marks = BulletMarks()
        self._unmeasured = ""
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_marks(self, marks: BulletMarks, words: str, unmeasured: str) -> None:
        """`words` say all of it; `unmeasured` is written into the bar where there is no figure of now."""
        self.marks, self._unmeasured = marks, unmeasured
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.update()

    def scale(self) -> tuple[float, float]:
        """Least and greatest value of the bar."""
        low, high = min((0.0, *self.marks.known)), max((0.0, *self.marks.known))
        return (low * HEADROOM, high * HEADROOM) if low < high else (0.0, 1.0)

    def place(self, value: float) -> float:
        """x of a value, in px."""
        low, high = self.scale()
        return EDGE + (self.width() - 2 * EDGE) * (value - low) / (high - low)

    # --- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        track = QRectF(EDGE, (self.height() - TRACK) / 2, self.width() - 2 * EDGE, TRACK)
        painter.fillRect(track, theme.pressed)
        self._paint_met(painter, track, theme)
        self._paint_now(painter, track, theme)
        self._paint_baseline(painter, track, theme)
        self._paint_goal(painter, track, theme)

    def _paint_met(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        goal, lower = self.marks.goal, self.marks.lower_is_better
        if goal is None or lower is None:
            return
        part = QRectF(track)
        (part.setRight if lower else part.setLeft)(self.place(goal))
        _hatch(painter, part, theme)

    def _paint_now(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        now = self.marks.now
        if now is None:
            self._write(painter, track, theme)
            return
        zero, here, middle = self.place(0.0), self.place(now), track.center().y()
        if abs(here - zero) < LEAST_BAR_PX:
            here = zero + (LEAST_BAR_PX if now >= 0 else -LEAST_BAR_PX)
        bar = QRectF(min(zero, here), middle - BAR / 2, abs(here - zero), BAR)
        painter.fillRect(bar, theme.after)
        if self.marks.bound:
            _arrow(painter, QPointF(here, middle), -1 if self.marks.bound == "<" else 1, theme)

    def _write(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        painter.setPen(QPen(theme.muted, 1, Qt.PenStyle.DashLine))
        painter.drawRect(track.adjusted(0.5, 0.5, -0.5, -0.5))
        font = self.font()
        font.setPixelSize(11)
        painter.setFont(font)
        wide = painter.fontMetrics().horizontalAdvance(self._unmeasured)
        taken = sorted(self.place(value) for value in self.marks.known)
        room = [track.left(), *taken, track.right()]
        left, right = max(pairwise(room), key=lambda span: span[1] - span[0])
        if right - left > wide + 4 * SPACE_XS:
            painter.setPen(theme.muted)
            painter.drawText(
                QRectF(left, track.top(), right - left, TRACK), Qt.AlignmentFlag.AlignCenter, self._unmeasured
            )

    def _paint_baseline(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        baseline, now = self.marks.baseline, self.marks.now
        if baseline is None:
            return
        middle, reach = track.center().y(), TRACK / 2 - 1
        x = self.place(baseline)
        if now is not None:
            painter.setPen(QPen(theme.before, 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(self.place(now), middle), QPointF(x, middle))
        painter.setPen(QPen(theme.before, 1.6))
        painter.setBrush(theme.surface)
        _diamond(painter, QPointF(x, middle), reach)

    def _paint_goal(self, painter: QPainter, track: QRectF, theme: Theme) -> None:
        if self.marks.goal is None:
            return
        x = self.place(self.marks.goal)
        _flag(painter, x, self.height(), theme, -1 if x > self.width() - 3 * EDGE else 1)


def _arrow(painter: QPainter, tip: QPointF, way: int, theme: Theme) -> None:
    """The true figure lies on that side."""
    painter.setPen(QPen(theme.surface, 1.5))
    reach = BAR / 2 - 1
    back = tip + QPointF(-2.0 * way, 0) if way > 0 else tip + QPointF(-5.0, 0)
    end = back + QPointF(reach * way, 0)
    painter.drawPolyline(QPolygonF([QPointF(back.x(), back.y() - reach), end, QPointF(back.x(), back.y() + reach)]))


class MarkSample(QWidget):
    """One shape of the bullet bar, for its legend."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part
        self.setFixedSize(22, 14)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        box = QRectF(1, 1, self.width() - 2, self.height() - 2)
        middle = box.center()
        match self._part:
            case "now":
                painter.fillRect(QRectF(box.left(), middle.y() - BAR / 2, box.width(), BAR), theme.after)
            case "met":
                _hatch(painter, box, theme)
            case "baseline":
                painter.setPen(QPen(theme.before, 1.6))
                _diamond(painter, middle, box.height() / 2 - 1)
            case _:
                _flag(painter, middle.x(), self.height(), theme)


def _hatch(painter: QPainter, part: QRectF, theme: Theme) -> None:
    """Where the target is met."""
    painter.fillRect(part, theme.tint(theme.ok, 0.16))
    painter.fillRect(part, QBrush(theme.tint(theme.ok, 0.45), Qt.BrushStyle.BDiagPattern))


def _diamond(painter: QPainter, middle: QPointF, reach: float) -> None:
    corners = ((0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0))
    painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in corners]))


def _flag(painter: QPainter, x: float, height: int, theme: Theme, side: int = 1) -> None:
    painter.setPen(QPen(theme.text, 2))
    painter.drawLine(QPointF(x, 1), QPointF(x, height - 1))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.text)
    painter.drawPolygon(QPolygonF([QPointF(x, 0), QPointF(x + 6 * side, 3), QPointF(x, 6)]))


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
        self.state = label(role="strong", wrap=True)
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.bar = BulletBar()
        self.baseline = button(kind="link", on_click=lambda: self._open("baseline", self.baseline))
        self.now = button(kind="link", on_click=lambda: self._open("now", self.now))
        self.goal = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.chips = EvidenceChips(workspace, most=2)
        self.setLayout(
            column(
                row((self.name, 1), (self.state, 1), spacing=SPACE_M),
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
        basis = basis_text(standing, language().code, self._workspace.zone)
        asides = [text("ui.board.top")] if standing.is_top else []
        asides.append(text(f"cycle.statistic.{metric.statistic}"))
        asides += [text("ui.board.due", date=target.due_on)] if target.due_on else []
        asides += [text("ui.board.single")] if single else []
        self.top.setText(" · ".join(asides))
        self.top.setToolTip(text("ui.board.single.tip") if single else "")
        self.change.setText(change_text(standing.improvement, words))
        state = standing.called
        self.state.setText(f"{state_shape(state)} {CycleController.of(self._workspace).target_text(standing)}")
        refusals = refusal_texts(standing, language().code, self._workspace.zone)
        self.state.setToolTip("\n".join(filter(None, (*refusals, basis))))
        set_tone(self.state, state_tone(state))
        for link, side in ((self.baseline, "baseline"), (self.now, "now")):
            figure, record = _figure(standing, side)
            name_figure(link, side, figure, metric, words)
            if record and record.id in CycleController.of(self._workspace).broken:
                link.setText(f"{link.text()} ▲")
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
            target_row = TargetRow(self._workspace)
            target_row.asked.connect(self.asked)
            self.rows.append(target_row)
            self._column.addWidget(target_row)
        for shown, standing in zip(self.rows, standings, strict=True):
            shown.show_standing(standing)
        self._none.setVisible(not standings)
        self._legend.setVisible(bool(standings))
