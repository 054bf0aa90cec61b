"""The shapes of a drawing where they stand, whatever groups they are in."""

from __future__ import annotations

from collections.abc import Iterator

from reportlab.graphics.shapes import Circle, Drawing, Group, PolyLine, Rect, Shape
from reportlab.lib.colors import Color


def shapes(
    holder: Drawing | Group, kind: type, across: float = 0.0, up: float = 0.0
) -> Iterator[tuple[Shape, float, float]]:
    """(shape, how far it is moved to the right, how far up) of every shape of a kind; groups are only ever moved."""
    for part in holder.contents:
        if isinstance(part, Group):
            _a, _b, _c, _d, right, above = part.transform
            yield from shapes(part, kind, across + right, up + above)
        elif type(part) is kind:
            yield part, across, up


def circles(drawing: Drawing) -> list[tuple[float, float, Circle]]:
    """(x, y, circle) of each."""
    return [(circle.cx + across, circle.cy + up, circle) for circle, across, up in shapes(drawing, Circle)]


def bars(drawing: Drawing, colour: Color | None = None) -> list[tuple[float, float, float, float]]:
    """(left, foot, width, height) of the rectangles of a colour, or of all."""
    return [
        (bar.x + across, bar.y + up, bar.width, bar.height)
        for bar, across, up in shapes(drawing, Rect)
        if colour is None or bar.fillColor == colour
    ]


def lines(drawing: Drawing, colour: Color) -> list[list[float]]:
    """The points of the broken lines of a colour."""
    return [
        list(line.points)
        for line, _across, _up in shapes(drawing, PolyLine)
        if line.strokeColor.hexval() == colour.hexval()
    ]
