"""A dot for each of many of a kind, by how much it changed: stacked where several changed alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, isfinite, log, log10

from reportlab.graphics.shapes import Circle, Drawing, Group, Line, Rect

from tunebench.core.records import record
from tunebench.reporting.document import Member, Role, Strip
from tunebench.reporting.pdf.charts import TICK_SIZE, text_at
from tunebench.reporting.pdf.labels import (
    ROLE_COLOURS,
    Box,
    Taken,
    apart,
    height_of,
    lines_of,
    squeezed,
    text_box,
    text_width,
    written,
)
from tunebench.reporting.pdf.style import BODY_WIDTH, DOT, GRID, MUTED, SHADE, STRONG_RULE, WHITE
from tunebench.reporting.wording import grouped

TITLE = 9.0
GROUP = 8.6
NAME = 6.8
BAND = 7.0
TICKS_FOOT = 16.0
LARGEST_DOT = 6.6
SMALLEST_DOT = 2.0
TALLEST = 110.0
"""Points that a stack of dots may take."""
INSET = 16.0
NOTHING = 34.0
"""Points beside the axis for what fell to nothing."""
LEAST_AXIS = (0.9, 1.1)
"""Ratios that are always on the axis: what hardly changed is not drawn as if it had."""
MOST_TICKS = 9
NOTHING_PCT = -100.0
STEPS_PCT = (1, 2, 5, 10, 20, 25, 50)
WIDEST_STEPS = 4.0
"""Ratios that span more have ticks at 1, 2 and 5 of each decade."""


@record
class _Dot:
    x: float
    level: int
    member: Member
    group: int


def strip_drawing(figure: Strip) -> Drawing:
    ends = _ends(figure)
    has_nothing = any(ratio <= 0 for ratio in _ratios(figure))
    left = INSET + (NOTHING if has_nothing else 0.0)
    right: float = BODY_WIDTH - INSET

    def x(ratio: float) -> float:
        """What fell to nothing has no logarithm and stands beside the axis."""
        if ratio <= 0:
            return INSET
        return left + (right - left) * log(ratio / ends[0]) / log(ends[1] / ends[0])

    size, dots = _dots(figure, x)
    tall = size * (max((dot.level for dot in dots), default=0) + 1) + 2 * NAME
    marks, unplaced = _marks(figure, dots, size)
    notes = lines_of(" · ".join(unplaced), NAME, BODY_WIDTH) if unplaced else []
    foot = TICKS_FOOT + height_of(notes, NAME) + (3 if notes else 0)
    labels = [lines_of(group.label, GROUP, BODY_WIDTH / len(figure.groups) - 10, bold=True) for group in figure.groups]
    heads = max((height_of(lines, GROUP) for lines in labels), default=0.0) + 4
    band_room = BAND * 1.6 if figure.band else 0.0
    title = lines_of(figure.title, TITLE, BODY_WIDTH, bold=True)
    top = foot + tall + heads
    height = top + band_room + height_of(title, TITLE) + 4
    drawing = Drawing(BODY_WIDTH, height)
    drawing.add(written(title, 0, height, TITLE, bold=True))
    drawing.add(_band(figure, x, foot, top))
    ticks = ([NOTHING_PCT] if has_nothing else []) + _ticks_pct(*ends)
    drawing.add(_ticks(ticks, x, foot, foot + tall))
    drawing.add(_heads(figure, labels, dots, top))
    marks.translate(0, foot + size / 2 + 1)
    drawing.add(marks)
    drawing.add(written(notes, 0, foot - TICKS_FOOT, NAME, colour=MUTED))
    return drawing


def _ratios(figure: Strip) -> list[float]:
    members = (member for group in figure.groups for member in group.members)
    return [member.ratio for member in members if member.ratio is not None and isfinite(member.ratio)]


def _ends(figure: Strip) -> tuple[float, float]:
    """The lowest and the highest ratio of the axis: all that is drawn, and some room."""
    ratios = [ratio for ratio in (*_ratios(figure), *(figure.band or ()), *LEAST_AXIS) if ratio > 0]
    low = min(ratios)
    high = max(ratios)
    margin = max(log(high / low) * 0.04, 0.01)
    return low * exp(-margin), high * exp(margin)


def _dots(figure: Strip, x: Callable[[float], float]) -> tuple[float, list[_Dot]]:
    """The largest size of dots, at most `LARGEST_DOT`, at which the tallest stack has room, and where they stand."""
    size = LARGEST_DOT
    dots = _stacked(figure, x, size)
    while size > SMALLEST_DOT and size * (max((dot.level for dot in dots), default=0) + 1) > TALLEST:
        size -= 0.4
        dots = _stacked(figure, x, size)
    return size, dots


def _stacked(figure: Strip, x: Callable[[float], float], size: float) -> list[_Dot]:
    """Each dot on the lowest level on which it meets none to its left."""
    members = [
        (x(member.ratio), group, member)
        for group, owner in enumerate(figure.groups)
        for member in owner.members
        if member.ratio is not None and isfinite(member.ratio)
    ]
    ends: list[float] = []
    dots: list[_Dot] = []
    for at, group, member in sorted(members, key=lambda entry: entry[:2]):
        level = next((level for level, end in enumerate(ends) if end <= at), len(ends))
        ends[level : level + 1] = [at + size]
        dots.append(_Dot(at, level, member, group))
    return dots


def _marks(figure: Strip, dots: Sequence[_Dot], size: float) -> tuple[Group, list[str]]:
    """The dots, from the level of the lowest one's middle, with names where there is room; the other names."""
    group = Group()
    taken = Taken()
    for dot in dots:
        y = dot.level * size
        taken.add(Box(dot.x - size / 2, y - size / 2, dot.x + size / 2, y + size / 2))
        group.add(_mark(dot, figure.groups[dot.group].role, size))
    unplaced = []
    for dot in dots:
        if not dot.member.text:
            continue
        box = taken.first_free(_beside(dot, size))
        if box is None:
            unplaced.append(dot.member.text)
        else:
            group.add(text_at(box.left, box.foot + NAME * 0.24, dot.member.text, NAME))
    return group, unplaced


def _mark(dot: _Dot, role: Role, size: float) -> Circle:
    """What rose is a ring, so that a grey print tells it from what fell."""
    colour = DOT if role is Role.MUTED else ROLE_COLOURS[role]
    is_ring = role in (Role.BEFORE, Role.START)
    return Circle(
        dot.x,
        dot.level * size,
        size / 2 - (0.9 if is_ring else 0.4),
        fillColor=WHITE if is_ring else colour,
        strokeColor=colour if is_ring else None,
        strokeWidth=1.1,
    )


def _beside(dot: _Dot, size: float) -> list[Box]:
    """Above, to the right and to the left of a dot, inside of the drawing."""
    y = dot.level * size
    text = dot.member.text
    boxes = [
        text_box(dot.x, y + size * 0.8, text, NAME, anchor="middle"),
        text_box(dot.x + size, y - NAME * 0.32, text, NAME),
        text_box(dot.x - size, y - NAME * 0.32, text, NAME, anchor="end"),
    ]
    return [box for box in boxes if box.left >= 0 and box.right <= BODY_WIDTH]


def _band(figure: Strip, x: Callable[[float], float], foot: float, top: float) -> Group:
    group = Group()
    if figure.band is None:
        return group
    start, end = (x(ratio) for ratio in figure.band)
    group.add(Rect(start, foot, end - start, top - foot, fillColor=SHADE, strokeColor=None))
    text, size = squeezed(figure.band_text, BAND, BODY_WIDTH)
    half = text_width(text, size) / 2
    middle = max(min((start + end) / 2, BODY_WIDTH - half), half)
    group.add(text_at(middle, top + 3, text, size, colour=MUTED, anchor="middle"))
    return group


def _ticks(ticks: Sequence[float], x: Callable[[float], float], foot: float, top: float) -> Group:
    """Upright lines with their change in per cent; one whose words would meet others has none."""
    group = Group()
    taken = Taken()
    for pct in ticks:
        at = x(1 + pct / 100)
        label = _pct_text(pct)
        box = text_box(at, foot - 11, label, TICK_SIZE, anchor="middle")
        if not 0 <= box.left < box.right <= BODY_WIDTH or taken.first_free([_wider(box)]) is None:
            continue
        colour = STRONG_RULE if pct == 0 else GRID
        group.add(Line(at, foot - 3, at, top, strokeColor=colour, strokeWidth=0.9 if pct == 0 else 0.5))
        group.add(text_at(at, foot - 11, label, TICK_SIZE, colour=MUTED, anchor="middle"))
    return group


def _wider(box: Box) -> Box:
    return box._replace(left=box.left - 4, right=box.right + 4)


def _ticks_pct(low: float, high: float) -> list[float]:
    """Round changes between two ratios, the more telling ones first: none, decades, then the others."""
    if high / low > WIDEST_STEPS:
        ratios = [
            float(f"{digit}e{power}")
            for power in range(int(log10(low)) - 1, int(log10(high)) + 2)
            for digit in (1, 2, 5)
        ]
        inside = [ratio for ratio in ratios if low <= ratio <= high]
        inside.sort(key=lambda ratio: (ratio != 1, log10(ratio) % 1 > 1e-9, abs(log(ratio))))
        return [100 * (ratio - 1) for ratio in inside]
    for step in STEPS_PCT:
        first = -int((1 - low) * 100 / step)
        last = int((high - 1) * 100 / step)
        if last - first < MOST_TICKS:
            break
    return sorted((float(step * number) for number in range(first, last + 1)), key=abs)


def _pct_text(pct: float) -> str:
    """``-40 %``, ``+900 %``, ``-99.9 %``; no change is 0."""
    decimals = next((count for count in range(6) if abs(pct - round(pct, count)) < 1e-7), 6)
    text = grouped(round(pct, decimals), decimals)
    return "0" if pct == 0 else f"{'+' if pct > 0 else ''}{text} %"


def _heads(figure: Strip, labels: Sequence[Sequence[str]], dots: Sequence[_Dot], top: float) -> Group:
    """The name of each group above its dots, moved aside where two would meet."""
    widths = [max(text_width(line, GROUP, bold=True) for line in lines) + 10 for lines in labels]
    middles = [_middle([dot.x for dot in dots if dot.group == number]) for number in range(len(figure.groups))]
    group = Group()
    for owner, lines, middle in zip(figure.groups, labels, apart(middles, widths, 0, BODY_WIDTH), strict=True):
        colour = ROLE_COLOURS[owner.role]
        group.add(written(lines, middle, top - 1, GROUP, bold=True, colour=colour, anchor="middle"))
    return group


def _middle(xs: Sequence[float]) -> float:
    return sum(xs) / len(xs) if xs else BODY_WIDTH / 2
