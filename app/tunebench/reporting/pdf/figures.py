"""Each kind of figure drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tunebench.reporting.document import (
    BarFigure,
    DayDots,
    DotFigure,
    Figure,
    ForecastFigure,
    GroupedBars,
    HeatMap,
    ImpactBars,
    LevelLines,
    LoadFigure,
    RatioMap,
    SeriesPair,
    SmallMultiples,
    Spans,
    StackedSides,
    Strip,
    Waterfall,
)
from tunebench.reporting.pdf.charts import bar_figure, series_pair, small_multiples
from tunebench.reporting.pdf.day_dots import day_drawing
from tunebench.reporting.pdf.dots import dot_drawing
from tunebench.reporting.pdf.forecast import forecast_drawing
from tunebench.reporting.pdf.heat_map import heat_drawing
from tunebench.reporting.pdf.impacts import impact_drawing
from tunebench.reporting.pdf.levels import bars_drawing, lines_by_level_drawing
from tunebench.reporting.pdf.load_curve import load_drawing
from tunebench.reporting.pdf.ratio_map import ratio_drawing
from tunebench.reporting.pdf.spans import spans_drawing
from tunebench.reporting.pdf.stacks import stacks_drawing
from tunebench.reporting.pdf.strip import strip_drawing
from tunebench.reporting.pdf.waterfall import waterfall_drawing

_DRAWINGS: Mapping[type[Figure], Callable[[Any], Any]] = {
    BarFigure: bar_figure,
    SeriesPair: series_pair,
    ImpactBars: impact_drawing,
    Waterfall: waterfall_drawing,
    ForecastFigure: forecast_drawing,
    LoadFigure: load_drawing,
    HeatMap: heat_drawing,
    DotFigure: dot_drawing,
    SmallMultiples: small_multiples,
    Spans: spans_drawing,
    Strip: strip_drawing,
    RatioMap: ratio_drawing,
    StackedSides: stacks_drawing,
    DayDots: day_drawing,
    GroupedBars: bars_drawing,
    LevelLines: lines_by_level_drawing,
}


def drawing_of(figure: Figure) -> Any:
    """A ReportLab drawing as wide as the text of a page."""
    return _DRAWINGS[type(figure)](figure)
