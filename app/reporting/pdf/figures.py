"""Each kind of figure drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.reporting.document import (
    BarFigure,
    DotFigure,
    Figure,
    ForecastFigure,
    HeatMap,
    ImpactBars,
    LinesFigure,
    LoadFigure,
    SeriesPair,
    SmallMultiples,
    Waterfall,
)
from app.reporting.pdf.charts import bar_figure, series_pair, small_multiples
from app.reporting.pdf.dots import dot_drawing
from app.reporting.pdf.forecast import forecast_drawing
from app.reporting.pdf.heat_map import heat_drawing
from app.reporting.pdf.impacts import impact_drawing
from app.reporting.pdf.lines import lines_drawing
from app.reporting.pdf.load_curve import load_drawing
from app.reporting.pdf.waterfall import waterfall_drawing

_DRAWINGS: Mapping[type[Figure], Callable[[Any], Any]] = {
    BarFigure: bar_figure,
    SeriesPair: series_pair,
    ImpactBars: impact_drawing,
    Waterfall: waterfall_drawing,
    ForecastFigure: forecast_drawing,
    LoadFigure: load_drawing,
    LinesFigure: lines_drawing,
    HeatMap: heat_drawing,
    DotFigure: dot_drawing,
    SmallMultiples: small_multiples,
}


def drawing_of(figure: Figure) -> Any:
    """A ReportLab drawing as wide as the text of a page."""
    return _DRAWINGS[type(figure)](figure)
