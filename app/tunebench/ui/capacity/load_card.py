"""What if the load grows, and how long a growth rate lasts: arithmetic on assumptions, and said to be so."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from tunebench.analysis.capacity.growth import Scenario
from tunebench.columns.formats import DASH
from tunebench.core.errors import UserError
from tunebench.ui.capacity.subject_picker import NumberField, SubjectPicker
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS, current_theme
from tunebench.ui.widgets.parts import Card, caption, column, label, row, selectable
from tunebench.usecases.capacity.outlook import RATES, LoadOutlook, needed_growth, scenarios
from tunebench.usecases.capacity.series import Subject
from tunebench.usecases.capacity.words import figure, no_what_if_text, percent

_POINTS = 40
_MOST_YEARS = 15.0
_LINE_PX = 14
OWN_RATE_PCT = 25.0
OWN_YEARS = 3.0
EXAMPLE_NOW, EXAMPLE_LIMIT, EXAMPLE_YEARS = 20.0, 80.0, (3.0, 5.0)
"""The founding document's "3 years, 5 with tuning", from 20 % to a ceiling of 80 %."""
FACTOR = 2.0
_HEIGHT = 46
_BAR_TOP, _BAR_PX = 18, 12


class ScenarioChart(QWidget):
    """Dotted, since they are assumptions; where a curve ends at the limit stands its year."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.limit = 0.0
        self.scenarios: tuple[Scenario, ...] = ()
        self.setMinimumWidth(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(220, 76)

    def show_scenarios(self, now: float, limit: float, scenarios: Sequence[Scenario]) -> None:
        """Draws the scenarios that reach the limit; none where it is reached already."""
        self.now, self.limit = now, limit
        self.scenarios = tuple(scenario for scenario in scenarios if scenario.years and now < limit)
        self.update()

    @property
    def years(self) -> float:
        """The years at the right edge."""
        return min(max((scenario.years or 0 for scenario in self.scenarios), default=1.0) * 1.08, _MOST_YEARS)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.scenarios:
            return
        theme, painter = current_theme(), painter_on(self, pixels=SMALL_PX)
        area = QRectF(2, 6, self.width() - 6, self.height() - _LINE_PX - 10)
        painter.setPen(QPen(theme.critical, 1.2))
        painter.drawLine(area.topLeft(), area.topRight())
        painter.setPen(QPen(theme.border, 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for scenario in self.scenarios:
            self._paint_curve(painter, area, scenario)
        self._paint_years(painter, area)
        painter.end()

    def _paint_curve(self, painter: QPainter, area: QRectF, scenario: Scenario) -> None:
        assert scenario.years is not None
        until = min(scenario.years, self.years)
        points = []
        for step in range(_POINTS + 1):
            year = until * step / _POINTS
            share = (self.now * (1 + scenario.growth) ** year - self.now) / (self.limit - self.now)
            x = area.left() + year / self.years * area.width()
            points.append(QPointF(x, area.bottom() - share * area.height()))
        painter.setPen(QPen(current_theme().text, 1.2, Qt.PenStyle.DotLine))
        painter.drawPolyline(QPolygonF(points))
        if scenario.years <= self.years:
            painter.setPen(QPen(current_theme().critical, 1.2))
            painter.drawEllipse(points[-1], 2.4, 2.4)

    def _paint_years(self, painter: QPainter, area: QRectF) -> None:
        """Years of the curves' ends along the axis, as many as fit."""
        painter.setPen(current_theme().muted)
        free_from = area.left()
        for scenario in sorted(self.scenarios, key=lambda scenario: scenario.years or 0):
            words = text("ui.capacity.growth.span", years=f"{scenario.years:.1f}")
            width = painter.fontMetrics().horizontalAdvance(words) + 4
            x = area.left() + (scenario.years or 0) / self.years * area.width()
            left = min(x - width / 2, area.right() - width)
            if scenario.years is not None and scenario.years <= self.years and left >= free_from:
                painter.drawText(QRectF(left, area.bottom() + 2, width, _LINE_PX), Qt.AlignmentFlag.AlignCenter, words)
                free_from = left + width + 4


class GrowthCard(Card):
    """`now` and `limit` follow the chosen series until somebody types others."""

    def __init__(self) -> None:
        super().__init__()
        self.now_field = translated(NumberField(72), accessibleName="ui.capacity.growth.now")
        self.limit_field = translated(NumberField(72), accessibleName="ui.capacity.growth.limit")
        self.own_field = translated(NumberField(56), accessibleName="ui.capacity.growth.own")
        self.years_field = translated(NumberField(56), accessibleName="ui.capacity.growth.years")
        self._unit = label(role="small")
        self.chart = ScenarioChart()
        self._heads = [label(role="small") for _ in range(len(RATES) + 1)]
        self.years = [selectable(label(role="strong")) for _ in range(len(RATES) + 1)]
        self.needed = selectable(label())
        self.example = selectable(label(role="small", wrap=True))
        self.own_field.show_number(figure(OWN_RATE_PCT))
        self.years_field.show_number(figure(OWN_YEARS))
        for field in (self.now_field, self.limit_field, self.own_field, self.years_field):
            field.taken.connect(lambda _number: self.refresh())
        self._lay_out()
        language().follow(self.retranslate)

    def _lay_out(self) -> None:
        above = row(
            caption("ui.capacity.growth", "strong"),
            caption("ui.capacity.growth.assumed", tone="watch"),
            1,
            caption("ui.capacity.growth.now"),
            self.now_field,
            label("→"),
            caption("ui.capacity.growth.limit"),
            self.limit_field,
            self._unit,
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_XS)
        for index, (head, shown) in enumerate(zip(self._heads, self.years, strict=True)):
            for line, cell in enumerate((head, shown)):
                cell.setAlignment(Qt.AlignmentFlag.AlignRight)
                grid.addWidget(cell, line, index)
        own = caption("ui.capacity.growth.own"), self.own_field, label("%")
        needed = row(*own, caption("ui.capacity.growth.years"), self.years_field, self.needed, 1)
        middle = row(column(grid, needed, spacing=SPACE_XS), (self.chart, 1), spacing=SPACE_L)
        column(above, middle, self.example, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S), of=self)

    def show_series(self, now: float | None, limit: float, unit: str) -> None:
        self.now_field.show_number(figure(now) if now is not None and now > 0 else "")
        self.limit_field.show_number(figure(limit))
        self._unit.setText(unit_text(unit))
        self.refresh()

    def forget_series(self) -> None:
        for field in (self.now_field, self.limit_field):
            field.show_number("")
        self._unit.setText("")
        self.refresh()

    def refresh(self) -> None:
        """Computes from the fields; an empty field leaves dashes."""
        now, limit, own, span = (
            field.number() for field in (self.now_field, self.limit_field, self.own_field, self.years_field)
        )
        rates = [*RATES, own / 100 if own is not None else None]
        for head, shown, rate in zip(self._heads, self.years, rates, strict=True):
            head.setText(text("ui.capacity.growth.rate", rate=percent(rate)) if rate is not None else DASH)
            shown.setText(self._years(now, limit, rate))
        self.needed.setText(self._needed(now, limit, span))
        given = [rate for rate in rates if rate is not None]
        self.chart.show_scenarios(now or 0, limit or 0, scenarios(now, limit, given) if now and limit else ())

    @staticmethod
    def _years(now: float | None, limit: float | None, rate: float | None) -> str:
        if now is None or limit is None or rate is None:
            return DASH
        if now >= limit:
            return text("ui.capacity.growth.reached")
        (scenario,) = scenarios(now, limit, [rate])
        return _years_words(scenario)

    @staticmethod
    def _needed(now: float | None, limit: float | None, span: float | None) -> str:
        if now is None or limit is None or span is None or now >= limit:
            return DASH
        try:
            (scenario,) = needed_growth(now, limit, [span])
        except UserError as refused:
            return error_text(refused)
        return text("ui.capacity.growth.means", rate=percent(scenario.growth, 1))

    def retranslate(self) -> None:
        three, five = needed_growth(EXAMPLE_NOW, EXAMPLE_LIMIT, EXAMPLE_YEARS)
        self.example.setText(
            text("ui.capacity.growth.example", three=percent(three.growth, 1), five=percent(five.growth, 1))
        )
        self.refresh()


def _years_words(scenario: Scenario) -> str:
    if scenario.years is None:
        return DASH
    return text("ui.capacity.growth.span", years=f"{scenario.years:.1f}")


class FactorBar(QWidget):
    """Filled up to the possible factor; a mark at 1 (today) and one at what is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.possible: float | None = None
        self.asked = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def show_factors(self, possible: float | None, asked: float) -> None:
        self.possible, self.asked = possible, asked
        self.update()

    def _x(self, factor: float) -> float:
        most = max(self.asked, self.possible or 0.0, 1.0) * 1.12
        return 1 + factor / most * (self.width() - 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.possible is None:
            return
        theme, painter = current_theme(), painter_on(self, pixels=SMALL_PX)
        painter.fillRect(QRectF(1, _BAR_TOP, self.width() - 2, _BAR_PX), theme.pressed)
        colour = theme.ok if self.asked <= self.possible else theme.warning
        painter.fillRect(QRectF(1, _BAR_TOP, self._x(self.possible) - 1, _BAR_PX), colour)
        self._mark(painter, 1.0, text("ui.capacity.load.today"), above=False)
        words = text("ui.capacity.load.possible", factor=figure(self.possible, 3))
        self._mark(painter, self.possible, words, above=True)
        if abs(self.asked - 1) > 1e-9:
            self._mark(painter, self.asked, text("ui.capacity.load.asked", factor=figure(self.asked, 3)), above=False)
        painter.end()

    def _mark(self, painter: QPainter, factor: float, words: str, *, above: bool) -> None:
        theme, x = current_theme(), self._x(factor)
        painter.setPen(QPen(theme.text, 1.5))
        top = _BAR_TOP - 3 if above else _BAR_TOP
        painter.drawLine(round(x), top, round(x), _BAR_TOP + _BAR_PX + (0 if above else 3))
        width = painter.fontMetrics().horizontalAdvance(words) + 4
        left = min(max(x - width / 2, 0), self.width() - width)
        box = QRectF(left, 0 if above else _BAR_TOP + _BAR_PX + 2, width, 15)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


class LoadCard(Card):
    """Signal `asked`: another load or factor was chosen."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picker = SubjectPicker("ui.capacity.load.pick")
        self.factor_field = translated(
            NumberField(56), accessibleName="ui.capacity.load.factor", toolTip="ui.capacity.load.factor"
        )
        self.bar = FactorBar()
        self.words, self.small = selectable(label(wrap=True)), selectable(label(role="small", wrap=True))
        self.found: LoadOutlook | None = None
        self._factor = FACTOR
        self._why = ""
        self.factor_field.show_number(figure(FACTOR))
        self.factor_field.taken.connect(self._on_factor)
        self.picker.picked.connect(lambda _id: self.asked.emit())
        title = caption("ui.capacity.load", "strong")
        head = row(title, caption("ui.capacity.load.pick"), (self.picker, 1), self.factor_field, label("×"))
        column(head, self.words, self.bar, self.small, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S), of=self)
        language().follow(self._say)

    @property
    def factor(self) -> float:
        return self._factor

    def fill(self, loads: Sequence[Subject], chosen: int | None) -> None:
        self.picker.fill(loads, chosen)
        self.setEnabled(bool(loads))

    def show_found(self, outlook: LoadOutlook | None, why: str = "") -> None:
        """Shows the outlook; `why` says in a sentence that there is none."""
        self.found, self._why = outlook, why
        self._say()

    def _say(self) -> None:
        estimate = self.found
        answer = estimate.factors[0] if estimate is not None and estimate.factors else None
        self.bar.show_factors(answer.possible_factor if answer is not None else None, self._factor)
        self.bar.setVisible(answer is not None and answer.possible_factor is not None)
        if estimate is None or answer is None:
            reasons = (
                [no_what_if_text(refusal, language().code) for refusal in estimate.model.refusals] if estimate else []
            )
            self.words.setText("\n".join(reasons) or self._why)
            self.small.setText("")
            return
        fit = estimate.model.fit
        assert fit is not None
        feasible = text(f"capacity.feasible.{'yes' if answer.feasible else 'no'}")
        self.words.setText(
            text(
                "ui.capacity.load.answer",
                factor=figure(answer.factor, 3),
                need=figure(answer.utilisation_pct, 3),
                low=figure(answer.low_pct, 3),
                high=figure(answer.high_pct, 3),
                verdict=feasible,
                limit=figure(estimate.limit_pct, 3),
                possible=figure(answer.possible_factor, 3),
            )
        )
        notes = [
            text(
                "ui.capacity.load.basis",
                n=f"{len(estimate.loads):,}",
                r=f"{fit.r:.2f}",
                now=figure(estimate.model.reference_load, 3),
            )
        ]
        if answer.sure_factor is not None:
            notes.append(text("ui.capacity.load.sure", sure=figure(answer.sure_factor, 3)))
        if answer.extrapolated:
            notes.append(text("ui.capacity.load.extrapolated"))
        if answer.stretch_then is not None and answer.stretch_now is not None:
            notes.append(
                text(
                    "ui.capacity.load.stretch",
                    now=f"{answer.stretch_now:.2f}",
                    then=f"{answer.stretch_then:.2f}",
                    servers=fit.servers,
                )
            )
        self.small.setText(" ".join(notes))

    def _on_factor(self, factor: float) -> None:
        self._factor = factor
        self.asked.emit()
