"""Hosts by resources, the tighter the darker; before above after."""

from __future__ import annotations

from reportlab.graphics.shapes import Drawing, Group, Rect
from reportlab.lib.colors import Color, HexColor

from tunebench.reporting.document import Heat, HeatCell, HeatMap
from tunebench.reporting.pdf.charts import text_at
from tunebench.reporting.pdf.fonts import REGULAR, fitted, width
from tunebench.reporting.pdf.style import BODY_WIDTH, INK, MUTED, RULE, WHITE

LINE = 13.0
HEAD, FOOT = 30.0, 20.0
LABEL, TEXT, SMALLEST = 7.6, 7.0, 5.6
HOST_WIDTH, SIDE_WIDTH = 96.0, 30.0
GAP = 3.0
FILL: dict[Heat, Color] = {
    Heat.UNMEASURED: HexColor("#FFFFFF"),
    Heat.OK: HexColor("#EAF0EC"),
    Heat.WATCH: HexColor("#F6E3B4"),
    Heat.WARNING: HexColor("#E8A25C"),
    Heat.CRITICAL: HexColor("#B42318"),
}
"""Ever darker, so that a grey print tells them apart as well."""


def heat_drawing(figure: HeatMap) -> Drawing:
    tall = LINE * len(figure.sides) + GAP
    height = HEAD + tall * len(figure.rows) + FOOT
    drawing = Drawing(BODY_WIDTH, height)
    left = HOST_WIDTH + SIDE_WIDTH
    field_width = (BODY_WIDTH - left) / max(len(figure.columns), 1)
    for across, name in enumerate(figure.columns):
        drawing.add(
            text_at(
                left + field_width * (across + 0.5),
                height - HEAD + 6,
                fitted(name, field_width, _size(name, field_width - 2)),
                _size(name, field_width - 2),
                anchor="middle",
            )
        )
    for down, (host, fields) in enumerate(figure.rows):
        top = height - HEAD - tall * down
        drawing.add(text_at(0, top - LINE, fitted(host, HOST_WIDTH - 4, LABEL), LABEL, bold=True))
        for line, side in enumerate(figure.sides):
            base = top - LINE * (line + 1)
            drawing.add(text_at(HOST_WIDTH, base + 3.5, side, TEXT, colour=MUTED))
            for across, cells in enumerate(fields):
                drawing.add(_cell(cells[line], left + field_width * across, base, field_width))
    drawing.add(_legend(figure, left))
    return drawing


def _cell(cell: HeatCell, left: float, base: float, across: float) -> Group:
    group = Group(
        Rect(left + 1, base + 0.5, across - 2, LINE - 1, fillColor=FILL[cell.heat], strokeColor=RULE, strokeWidth=0.4)
    )
    group.add(
        text_at(
            left + across / 2,
            base + 3.8,
            _shown(cell.text, across - 6),
            TEXT,
            colour=ink_on(cell.heat),
            anchor="middle",
        )
    )
    return group


def _size(name: str, room: float) -> float:
    """Smaller type where the name would be cut."""
    return max(min(LABEL, LABEL * room / max(width(name, REGULAR, LABEL), 1.0)), SMALLEST)


def _shown(text: str, room: float) -> str:
    """The figure alone where it has no room for its degree, which the colour tells as well."""
    return fitted(text if width(text, REGULAR, TEXT) <= room else text.split(" · ", maxsplit=1)[0], room, TEXT)


def ink_on(heat: Heat) -> Color:
    if heat is Heat.UNMEASURED:
        return MUTED
    return WHITE if heat is Heat.CRITICAL else INK


def _legend(figure: HeatMap, left: float) -> Group:
    group, at = Group(), left
    for cell in figure.legend:
        group.add(Rect(at, 4, 12, 8, fillColor=FILL[cell.heat], strokeColor=RULE, strokeWidth=0.4))
        group.add(text_at(at + 16, 5, cell.text, TEXT, colour=MUTED))
        at += 16 + TEXT * len(cell.text) * 0.9 + 14
    return group
