"""Daily levels with the limit and the band that is expected."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from math import isfinite

from reportlab.graphics.shapes import Drawing, Line, Polygon, Rect

from tunebench.reporting.axis import value_axis
from tunebench.reporting.document import ForecastFigure
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.fonts import REGULAR, width
from tunebench.reporting.pdf.style import AFTER, AFTER_TINT, BAD, BEFORE, BODY_WIDTH, GRID, MUTED
from tunebench.reporting.wording import grouped

FORECAST_HEIGHT = 170.0
TOP, FOOT, RIGHT = 20.0, 20.0, 8.0
_DAY_TICKS = 6
_BAND_MOST = 1.25  # of what is otherwise shown; a wider band leaves the picture


def forecast_drawing(figure: ForecastFigure) -> Drawing:
    drawing = Drawing(BODY_WIDTH, FORECAST_HEIGHT)
    measured = [(day, value) for day, value in zip(figure.days, figure.values, strict=True) if isfinite(value)]
    highest = max([figure.limit, *(value for _, value in measured), *figure.centre])
    axis = value_axis(max([highest, *(min(edge, _BAND_MOST * highest) for edge in figure.high)]))
    left = width(grouped(axis.maximum, axis.decimals), REGULAR, TICK_SIZE) + 8
    days = [*figure.days, *figure.future_days]
    first, last = min(days), max(*days, min(days) + 1)

    def x(day: float) -> float:
        return float(left + (BODY_WIDTH - RIGHT - left) * (day - first) / (last - first))

    def y(value: float) -> float:
        return float(FOOT + (FORECAST_HEIGHT - TOP - FOOT) * max(min(value, axis.maximum), 0.0) / axis.maximum)

    for tick in axis.ticks:
        drawing.add(Line(left, y(tick), BODY_WIDTH - RIGHT, y(tick), strokeColor=GRID, strokeWidth=0.5))
        drawing.add(
            text_at(left - 4, y(tick) - 2.5, grouped(tick, axis.decimals), TICK_SIZE, colour=MUTED, anchor="end")
        )
    for step in range(_DAY_TICKS):
        day = first + (last - first) * step // (_DAY_TICKS - 1)
        anchor = "end" if step == _DAY_TICKS - 1 else "start" if step == 0 else "middle"
        drawing.add(
            text_at(
                x(day), 6, (date(1970, 1, 1) + timedelta(days=day)).isoformat(), TICK_SIZE, colour=MUTED, anchor=anchor
            )
        )
    if figure.future_days:
        upper = [(x(day), y(value)) for day, value in zip(figure.future_days, figure.high, strict=True)]
        lower = [(x(day), y(value)) for day, value in zip(figure.future_days, figure.low, strict=True)]
        corners = [end for point in (*upper, *reversed(lower)) for end in point]
        drawing.add(Polygon(corners, fillColor=AFTER_TINT, strokeColor=None))
        centre = [(x(day), y(value)) for day, value in zip(figure.future_days, figure.centre, strict=True)]
        for (x0, y0), (x1, y1) in pairwise(centre):
            drawing.add(Line(x0, y0, x1, y1, strokeColor=AFTER, strokeWidth=1.1, strokeDashArray=[4, 2]))
    for (day, value), (following, other) in pairwise(measured):
        if following - day == 1:  # no line across days that were not measured
            drawing.add(Line(x(day), y(value), x(following), y(other), strokeColor=BEFORE, strokeWidth=1.1))
    for day, value in measured:
        drawing.add(Rect(x(day) - 1, y(value) - 1, 2, 2, fillColor=BEFORE, strokeColor=None))
    end = BODY_WIDTH - RIGHT
    limit = y(figure.limit)
    drawing.add(Line(left, limit, end, limit, strokeColor=BAD, strokeWidth=1, strokeDashArray=[6, 3]))
    _legend(drawing, figure, left)
    return drawing


def _legend(drawing: Drawing, figure: ForecastFigure, left: float) -> None:
    across, level = left, FORECAST_HEIGHT - 9
    named = list(zip(figure.legend, (BEFORE, AFTER, BAD), (None, [4, 2], [6, 3]), strict=True))
    if not figure.future_days:
        del named[1]
    if figure.unit:
        drawing.add(text_at(across, level, f"({figure.unit})", TICK_SIZE, colour=MUTED))
        across += width(f"({figure.unit})", REGULAR, TICK_SIZE) + 12
    for name, colour, dashes in named:
        drawing.add(Line(across, level + 2.5, across + 16, level + 2.5, strokeColor=colour, strokeDashArray=dashes))
        drawing.add(text_at(across + 20, level, name, TICK_SIZE))
        across += 20 + width(name, REGULAR, TICK_SIZE) + 14
