"""Words in drawings: broken into lines, made smaller, moved apart, and put where nothing else stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from reportlab.graphics.shapes import Group, Rect
from reportlab.lib.colors import Color

from tunebench.reporting.claims import Role
from tunebench.reporting.pdf.charts import text_at
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, width
from tunebench.reporting.pdf.style import AFTER, BAD, BEFORE, INK, MUTED, WHITE

ROLE_COLOURS: Mapping[Role, Color] = MappingProxyType(
    {Role.PLAIN: INK, Role.MUTED: MUTED, Role.START: BEFORE, Role.BEFORE: BEFORE, Role.AFTER: AFTER, Role.BAD: BAD}
)
LEADING = 1.34
"""Of a line, in sizes of its type."""
SMALLEST = 5.4
NAME_SIZE = 7.8
DETAIL_SIZE = 6.8
COLUMN_GAP = 4.0
ASCENT, DESCENT = 0.86, 0.24
"""How far letters reach above and below their line, in sizes of the type."""


class Box(NamedTuple):
    left: float
    foot: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.foot < other.top and other.foot < self.top


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    return width(text, BOLD if bold else REGULAR, size)


def text_box(x: float, y: float, text: str, size: float, *, bold: bool = False, anchor: str = "start") -> Box:
    """Where `text_at` puts its letters."""
    across = text_width(text, size, bold=bold)
    left = x - {"start": 0.0, "middle": across / 2, "end": across}[anchor]
    return Box(left, y - size * DESCENT, left + across, y + size * ASCENT)


def backed(
    x: float, y: float, text: str, size: float, *, bold: bool = False, colour: Color = INK, anchor: str = "start"
) -> Group:
    """A text on white, so that no line of the grid goes through it."""
    box = text_box(x, y, text, size, bold=bold, anchor=anchor)
    ground = Rect(box.left, y - 0.5, box.right - box.left, size * 0.74 + 1, fillColor=WHITE, strokeColor=None)
    return Group(ground, text_at(x, y, text, size, bold=bold, colour=colour, anchor=anchor))


class Taken:
    """What stands in a drawing already."""

    def __init__(self) -> None:
        self._boxes: list[Box] = []

    def add(self, box: Box) -> None:
        self._boxes.append(box)

    def first_free(self, boxes: Iterable[Box]) -> Box | None:
        """The first that meets nothing, which is taken from now on."""
        free = next((box for box in boxes if not any(map(box.meets, self._boxes))), None)
        if free is not None:
            self.add(free)
        return free


def lines_of(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """Lines no wider than `room` points: broken between words, and inside of one that is wider by itself."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if text_width(longer, size, bold=bold) <= room:
                line = longer
                continue
            lines += [line] if line else []
            *full, line = _parts_of(word, size, room, bold=bold)
            lines += full
        lines.append(line)
    return lines


def _parts_of(word: str, size: float, room: float, *, bold: bool) -> list[str]:
    parts = [""]
    for character in word:
        if parts[-1] and text_width(parts[-1] + character, size, bold=bold) > room:
            parts.append("")
        parts[-1] += character
    return parts


def fitting_size(texts: Iterable[str], size: float, room: float, *, bold: bool = False) -> float:
    """The largest size up to `size` at which each of the texts takes `room` points at most, or the smallest legible."""
    widest = max((text_width(text, size, bold=bold) for text in texts), default=0.0)
    return size if widest <= room else max(size * room / widest * 0.999, SMALLEST)


def squeezed(text: str, size: float, room: float, *, bold: bool = False) -> tuple[str, float]:
    """A text on one line of `room` points and its size: smaller, and shortened where the smallest is too wide."""
    smaller = fitting_size([text], size, room, bold=bold)
    return shortened(text, room, smaller, bold=bold), smaller


def shortened(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """A name without its middle where it is too long: names of one kind differ at their ends."""
    if text_width(text, size, bold=bold) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        head = kept - kept // 2
        short = f"{text[:head]}…{text[len(text) - kept // 2 :]}"
        if text_width(short, size, bold=bold) <= room:
            return short
    return text[:1] + "…"


def written(
    lines: Sequence[str],
    x: float,
    top: float,
    size: float,
    *,
    bold: bool = False,
    colour: Color = INK,
    anchor: str = "start",
) -> Group:
    """Lines below each other, the first one's letters right below `top`."""
    group = Group()
    for number, line in enumerate(lines):
        y = top - size * (ASCENT + LEADING * number)
        group.add(text_at(x, y, line, size, bold=bold, colour=colour, anchor=anchor))
    return group


def height_of(lines: Sequence[str], size: float) -> float:
    """Points that `written` takes."""
    return size * LEADING * len(lines)


def apart(centres: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Centres of things of these sizes, moved as little as keeps them from running into each other, in the order of
    `centres`; those that have room stay between `low` and `high`.

    The moves are least squares: neighbours that meet are pooled (isotonic regression).
    """
    order = sorted(range(len(centres)), key=lambda index: centres[index])
    pools: list[tuple[float, int]] = []
    before = 0.0
    starts = []
    for index in order:
        starts.append(before)
        wish = centres[index] - sizes[index] / 2 - before
        pools.append((wish, 1))
        before += sizes[index]
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (left, lefts), (right, rights) = pools[-2:]
            pools[-2:] = [((left * lefts + right * rights) / (lefts + rights), lefts + rights)]
    firsts = [first for first, count in pools for _ in range(count)]
    moved = [0.0] * len(centres)
    for index, first, start in zip(order, firsts, starts, strict=True):
        inside = max(min(first, high - before), low)
        moved[index] = inside + start + sizes[index] / 2
    return moved


def in_rows(widths: Sequence[float], room: float) -> list[tuple[float, int]]:
    """(x, row) of things beside each other; one that finds no room in a row begins the next."""
    entries: list[tuple[float, int]] = []
    across = 0.0
    row = 0
    for wide in widths:
        if across and across + wide > room:
            across = 0.0
            row += 1
        entries.append((across, row))
        across += wide
    return entries


class ColumnLabels:
    """What stands below columns `step` wide: of each a name and, smaller, a detail, both in as many lines as it takes.

    Attributes:
        height: points of the tallest.
    """

    def __init__(self, labels: Sequence[tuple[str, str]], step: float) -> None:
        room = step - COLUMN_GAP
        names, details = ([label[part] for label in labels] for part in (0, 1))
        self._name_size = fitting_size(_words_in(names), NAME_SIZE, room, bold=True)
        self._detail_size = fitting_size(_words_in(details), DETAIL_SIZE, room)
        self._names = [lines_of(name, self._name_size, room, bold=True) for name in names]
        self._details = [lines_of(detail, self._detail_size, room) if detail else [] for detail in details]
        self.height = max(
            height_of(name, self._name_size) + height_of(detail, self._detail_size)
            for name, detail in zip(self._names, self._details, strict=True)
        )

    def drawn(self, index: int, middle: float, top: float) -> Group:
        name = self._names[index]
        below = top - height_of(name, self._name_size)
        detail = written(self._details[index], middle, below, self._detail_size, colour=MUTED, anchor="middle")
        return Group(written(name, middle, top, self._name_size, bold=True, anchor="middle"), detail)


def _words_in(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.split()]
