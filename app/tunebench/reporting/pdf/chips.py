"""Chips: a word or two in a rounded field, and what is remarked beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from reportlab.graphics.shapes import Drawing, Group, Rect
from reportlab.lib.colors import Color, HexColor

from tunebench.core.records import record
from tunebench.reporting.claims import Chip, Tone
from tunebench.reporting.pdf.labels import LEADING, height_of, lines_of, text_width, written
from tunebench.reporting.pdf.style import MUTED, RULE

PADDING = 0.85
"""Beside the words of a chip, in sizes of its type."""
GAP = 5.0


@record
class ChipColours:
    ink: Color
    fill: Color
    edge: Color


CHIP_COLOURS: Mapping[Tone, ChipColours] = MappingProxyType(
    {
        Tone.STRONG: ChipColours(HexColor("#0B6B4F"), HexColor("#EAF6F1"), HexColor("#8CC5AE")),
        Tone.WARNING: ChipColours(HexColor("#7A4B00"), HexColor("#FCF5E2"), HexColor("#DDBE6E")),
        Tone.BAD: ChipColours(HexColor("#A31D13"), HexColor("#FCEDEB"), HexColor("#E4A29B")),
        Tone.PLAIN: ChipColours(HexColor("#57606A"), HexColor("#F4F6F8"), RULE),
    }
)


def chip_width(text: str, size: float) -> float:
    return max(text_width(line, size, bold=True) for line in text.split("\n")) + 2 * PADDING * size


def chip_shape(chip: Chip, left: float, top: float, size: float, room: float) -> tuple[Group, float, float]:
    """(shape, width, height) of a chip no wider than `room`: words that are longer take more lines."""
    lines = lines_of(chip.text, size, room - 2 * PADDING * size, bold=True)
    across = chip_width("\n".join(lines), size)
    tall = _chip_height(len(lines), size)
    colours = CHIP_COLOURS[chip.tone]
    radius = _chip_height(1, size) / 2
    frame = Rect(left, top - tall, across, tall, rx=radius, ry=radius, fillColor=colours.fill, strokeColor=colours.edge)
    frame.strokeWidth = 0.6
    words = written(lines, left + PADDING * size, top - size * 0.36, size, bold=True, colour=colours.ink)
    return Group(frame, words), across, tall


def _chip_height(lines: int, size: float) -> float:
    return size * (LEADING * lines + 0.5)


def chip_line(chips: Sequence[Chip], remark: str, room: float, size: float) -> Drawing:
    """Chips beside each other, then a muted remark that goes on below them where it is long."""
    shapes, height = chip_shapes(chips, remark, room, size, MUTED)
    shapes.translate(0, height)
    drawing = Drawing(room, height)
    drawing.add(shapes)
    return drawing


def chip_shapes(chips: Sequence[Chip], words: str, room: float, size: float, colour: Color) -> tuple[Group, float]:
    """(chips and the words after them, their height), below a line at zero."""
    group = Group()
    one = _chip_height(1, size)
    left = 0.0
    top = 0.0
    tallest = one
    for chip in chips:
        across = chip_shape(chip, 0, 0, size, room)[1]
        if left and left + across > room:
            left = 0.0
            top -= tallest + 3
            tallest = one
        shape, across, tall = chip_shape(chip, left, top, size, room)
        group.add(shape)
        left += across + GAP
        tallest = max(tallest, tall)
    first, rest = _first_line(words, size, room - left)
    if first:
        group.add(written([first], left, top - size * 0.36, size, colour=colour))
    below = lines_of(rest, size, room) if rest else []
    group.add(written(below, 0, top - tallest - 2, size, colour=colour))
    return group, tallest - top + (height_of(below, size) + 2 if below else 0)


def _first_line(text: str, size: float, room: float) -> tuple[str, str]:
    """The words that `room` holds, and the others."""
    words = text.split()
    count = 0
    while count < len(words) and text_width(" ".join(words[: count + 1]), size) <= room:
        count += 1
    return " ".join(words[:count]), " ".join(words[count:])
