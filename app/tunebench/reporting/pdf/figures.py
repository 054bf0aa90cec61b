"""Each kind of figure drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tunebench.reporting.document import (
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
from tunebench.reporting.pdf.charts import bar_figure, series_pair, small_multiples
from tunebench.reporting.pdf.dots import dot_drawing
from tunebench.reporting.pdf.forecast import forecast_drawing
from tunebench.reporting.pdf.heat_map import heat_drawing
from tunebench.reporting.pdf.impacts import impact_drawing
from tunebench.reporting.pdf.lines import lines_drawing
from tunebench.reporting.pdf.load_curve import load_drawing
from tunebench.reporting.pdf.waterfall import waterfall_drawing

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
