"""Native charts of the workbook, drawn from its cells, with the points cached for viewers that do not calculate."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from openpyxl.chart import BarChart, ScatterChart
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, NumData, NumDataSource, NumRef, NumVal, StrData, StrRef, StrVal
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.marker import DataPoint, Marker
from openpyxl.chart.series import Series, SeriesLabel, XYSeries
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.colors import ColorChoice
from openpyxl.drawing.fill import PatternFillProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Font, Paragraph, ParagraphProperties, RegularTextRun

from tunebench.columns.formats import decimal_format
from tunebench.core.records import record
from tunebench.reporting.axis import Axis
from tunebench.reporting.wording import brief
from tunebench.reporting.xlsx.sheet import safe_text
from tunebench.reporting.xlsx.style import AFTER, BEFORE, FACE, INK, RULE, TINT

TITLE_LIMIT = 255


@record
class Range:
    """Cells of a sheet (``'CPU'!$C$4:$C$200``) and the values they hold."""

    reference: str
    values: Sequence[float | str | None]


def _numbers(cells: Range, number_format: str = "General") -> NumRef:
    points = [
        NumVal(idx=place, v=repr(float(value)))
        for place, value in enumerate(cells.values)
        if isinstance(value, int | float) and isfinite(value)
    ]
    return NumRef(f=cells.reference, numCache=NumData(formatCode=number_format, ptCount=len(cells.values), pt=points))


def _texts(cells: Range) -> StrRef:
    points = [StrVal(idx=place, v=safe_text(str(value))) for place, value in enumerate(cells.values)]
    return StrRef(f=cells.reference, strCache=StrData(ptCount=len(points), pt=points))


def bar_chart(title: str, categories: Range, values: Range, axis: Axis, number_format: str) -> Any:
    """Before and after as two columns from zero, each labelled with its value."""
    chart: Any = BarChart()
    chart.type, chart.style, chart.gapWidth, chart.legend = "col", 10, 80, None
    chart.title = _title(title)
    series = Series(
        val=NumDataSource(numRef=_numbers(values, number_format)), cat=AxDataSource(strRef=_texts(categories))
    )
    series.graphicalProperties = GraphicalProperties(solidFill=BEFORE)
    after = DataPoint(idx=1)
    hatching = PatternFillProperties(prst="wdUpDiag", fgClr=ColorChoice(srgbClr=AFTER), bgClr=ColorChoice(srgbClr=TINT))
    after.graphicalProperties = GraphicalProperties(pattFill=hatching)
    after.graphicalProperties.line = LineProperties(solidFill=AFTER)
    series.dPt = [after]
    series.dLbls = DataLabelList(
        showVal=True, showSerName=False, showCatName=False, showLegendKey=False, showPercent=False, numFmt=number_format
    )
    chart.series.append(series)
    _axes(chart, axis)
    chart.height, chart.width = 7.2, 10.5
    return chart


def scatter_chart(title: str, lines: Sequence[tuple[str, Range, Range]], times: Axis, values: Axis) -> Any:
    """Series over time of day (x in fractions of a day): before solid, after dashed."""
    chart: Any = ScatterChart()
    chart.style, chart.scatterStyle = 13, "lineMarker"
    chart.title = _title(title)
    chart.legend.position = "b"
    for name, x, y in lines:
        chart.series.append(_line(name, x, y, after=len(chart.series) == 1))
    _axes(chart, values)
    chart.x_axis.number_format, chart.x_axis.majorUnit = "[hh]:mm", times.step / 86_400
    chart.x_axis.scaling.min, chart.x_axis.scaling.max = times.minimum / 86_400, times.maximum / 86_400
    chart.x_axis.majorGridlines = None
    chart.height, chart.width = 8.4, 18
    return chart


def _title(text: str) -> Any:
    letters = CharacterProperties(sz=1100, b=True, solidFill=INK, latin=Font(typeface=FACE), ea=Font(typeface=FACE))
    line = Paragraph(pPr=ParagraphProperties(defRPr=letters), r=[RegularTextRun(rPr=letters, t=_fitting(text))])
    return Title(tx=Text(rich=RichText(p=[line])), overlay=False)


def _fitting(text: str) -> str:
    """What a chart can hold: without control characters, and no longer than anybody reads."""
    return brief(safe_text(text), TITLE_LIMIT)


def _line(name: str, x: Range, y: Range, *, after: bool) -> XYSeries:
    series = XYSeries(
        tx=SeriesLabel(v=_fitting(name)),
        xVal=AxDataSource(numRef=_numbers(x, "[hh]:mm")),
        yVal=NumDataSource(numRef=_numbers(y)),
    )
    line = LineProperties(solidFill=AFTER if after else BEFORE, w=12_700)
    if after:
        line.dashStyle = "sysDash"
    series.graphicalProperties = GraphicalProperties(ln=line)
    series.marker = Marker(symbol="none")
    series.smooth = False
    return series


def _axes(chart: Any, axis: Axis) -> None:
    """openpyxl leaves axes hidden in recent Excel unless told not to delete them."""
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.scaling.min, chart.y_axis.scaling.max = axis.minimum, axis.maximum
    chart.y_axis.majorUnit = axis.step
    chart.y_axis.number_format = decimal_format(axis.decimals)
    chart.y_axis.majorGridlines = ChartLines(spPr=GraphicalProperties(ln=LineProperties(solidFill=RULE)))
    chart.y_axis.title = None
