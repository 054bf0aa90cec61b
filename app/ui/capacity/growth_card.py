"""How long a growth rate lasts, drawn from today to the limit: arithmetic on assumptions, and said to be so."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.core.errors import UserError
from app.ui.capacity.subject_picker import NumberField
from app.ui.look.fonts import SMALL_PX
from app.ui.look.formats import DASH
from app.ui.look.language import error_text, language, text, translated
from app.ui.look.painting import painter_on
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS, current_theme
from app.ui.widgets.parts import Card, caption, column, label, row, selectable
from app.usecases.capacity.outlook import RATES, Scenario, needed_growth, scenarios
from app.usecases.capacity.words import figure, percent, unit_words

_POINTS = 40
_MOST_YEARS = 15.0
_LINE_PX = 14
OWN_RATE_PCT = 25.0
OWN_YEARS = 3.0
EXAMPLE_NOW, EXAMPLE_LIMIT, EXAMPLE_YEARS = 20.0, 80.0, (3.0, 5.0)
"""The founding document's "3 years, 5 with tuning", from 20 % to a ceiling of 80 %."""


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
        """Those that never reach the limit are not drawn; nor is anything where it is reached already."""
        self.now, self.limit = now, limit
        self.scenarios = tuple(each for each in scenarios if each.years and now < limit)
        self.update()

    @property
    def years(self) -> float:
        """At the right edge."""
        return min(max((each.years or 0 for each in self.scenarios), default=1.0) * 1.08, _MOST_YEARS)

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
        for place in range(_POINTS + 1):
            year = until * place / _POINTS
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
        for scenario in sorted(self.scenarios, key=lambda each: each.years or 0):
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
        language().changed.connect(self.retranslate)
        self.retranslate()

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
        for place, (head, shown) in enumerate(zip(self._heads, self.years, strict=True)):
            for line, made in enumerate((head, shown)):
                made.setAlignment(Qt.AlignmentFlag.AlignRight)
                grid.addWidget(made, line, place)
        own = caption("ui.capacity.growth.own"), self.own_field, label("%")
        needed = row(*own, caption("ui.capacity.growth.years"), self.years_field, self.needed, 1)
        middle = row(column(grid, needed, spacing=SPACE_XS), (self.chart, 1), spacing=SPACE_L)
        column(above, middle, self.example, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S), of=self)

    def show_series(self, now: float | None, limit: float, unit: str) -> None:
        self.now_field.show_number(figure(now) if now is not None and now > 0 else "")
        self.limit_field.show_number(figure(limit))
        self._unit.setText(unit_words(unit))
        self.refresh()

    def forget_series(self) -> None:
        for field in (self.now_field, self.limit_field):
            field.show_number("")
        self._unit.setText("")
        self.refresh()

    def refresh(self) -> None:
        """From what stands in the fields; a field that holds nothing leaves dashes."""
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
        (found,) = scenarios(now, limit, [rate])
        return _years_words(found)

    @staticmethod
    def _needed(now: float | None, limit: float | None, span: float | None) -> str:
        if now is None or limit is None or span is None or now >= limit:
            return DASH
        try:
            (found,) = needed_growth(now, limit, [span])
        except UserError as refused:
            return error_text(refused)
        return text("ui.capacity.growth.means", rate=percent(found.growth, 1))

    def retranslate(self) -> None:
        three, five = needed_growth(EXAMPLE_NOW, EXAMPLE_LIMIT, EXAMPLE_YEARS)
        self.example.setText(
            text("ui.capacity.growth.example", three=percent(three.growth, 1), five=percent(five.growth, 1))
        )
        self.refresh()


def _years_words(found: Scenario) -> str:
    if found.years is None:
        return DASH
    return text("ui.capacity.growth.span", years=f"{found.years:.1f}")
