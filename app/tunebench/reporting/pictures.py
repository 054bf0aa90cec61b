"""Figures of the pages that conclude something. Their texts are final; values stand beside the words that print them.

A value that is missing is None, in an array NaN: it is left out, never drawn as zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.reporting.claims import Chip, Role, Tone


@record(eq=False)
class Span:
    """A window of `Spans`.

    Attributes:
        values: float64[n] at equal steps; NaN breaks the line.
        text: the mean as it is printed, or that there is none.
    """

    title: str
    values: NDArray[np.float64]
    mean: float | None
    text: str


@record(eq=False)
class Spans:
    """Two to four windows beside each other on one axis: the start, what came between, the last.

    Attributes:
        targets: where lines are drawn, each with what it is called; the one that counts first.
    """

    title: str
    windows: tuple[Span, ...]
    caption: str
    targets: tuple[tuple[float, str], ...] = ()


@record
class Member:
    """One of many of a kind; `ratio` is after by before, `text` its name where it is to be named."""

    ratio: float | None
    text: str = ""


@record
class MemberGroup:
    """Members that changed alike; a role of its own for each group."""

    label: str
    members: tuple[Member, ...]
    role: Role = Role.MUTED


@record
class Strip:
    """A dot for each of many of a kind, by how much it changed.

    Attributes:
        band: the lowest and the highest ratio of no practical change, with its `band_text`.
    """

    title: str
    groups: tuple[MemberGroup, ...]
    caption: str
    band: tuple[float, float] | None = None
    band_text: str = ""


@record
class RatioRow:
    """A member: its ratio in each column, then what it was and became, then the change, in words."""

    label: str
    ratios: tuple[float | None, ...]
    values: str
    change: str


@record
class RatioGroup:
    rows: tuple[RatioRow, ...]
    role: Role = Role.MUTED


@record
class RatioMap:
    """Members by hours: how the hour after compares to the same hour before.

    Attributes:
        columns: names of the hours, or of other columns.
        legend: the words for a half, for the same and for the double.
    """

    title: str
    columns: tuple[str, ...]
    groups: tuple[RatioGroup, ...]
    legend: tuple[str, str, str]
    caption: str


@record
class StackBar:
    """A period: what each class takes of it. One that is `left_out` is no part of the mean."""

    label: str
    parts: tuple[float, ...]
    left_out: bool = False


@record
class StackSide:
    title: str
    bars: tuple[StackBar, ...]
    mean: float | None
    mean_text: str


@record
class StackedSides:
    """Before and after as stacked bars on one axis.

    Attributes:
        classes: names of the parts of each bar, from below.
        left_out: what the pale periods are; empty where there is none.
    """

    title: str
    before: StackSide
    after: StackSide
    classes: tuple[str, ...]
    caption: str
    left_out: str = ""


@record
class DayLine:
    """The occurrences of one side: a value for each, and their mean."""

    name: str
    values: tuple[float, ...]
    mean: float | None
    text: str
    role: Role


@record
class DayTarget:
    """A level that was wanted, with its words."""

    value: float
    text: str
    tone: Tone = Tone.STRONG


@record
class DayRow:
    """
    Attributes:
        targets: drawn across the lines.
        zoomed: says that the axis does not begin at zero; empty where it does.
        chip: stands before the sentence.
        remark: stands below it, smaller.
    """

    label: str
    sub_label: str
    lines: tuple[DayLine, ...]
    chip: Chip | None = None
    sentence: str = ""
    remark: str = ""
    zoomed: str = ""
    targets: tuple[DayTarget, ...] = ()


@record
class DayDots:
    """What got better or worse, with a dot for each occurrence and what that means beside it.

    Attributes:
        heads: what is measured, how it is drawn, what follows from it.
    """

    heads: tuple[str, str, str]
    rows: tuple[DayRow, ...]
    caption: str


@record
class BarLevel:
    """A level of a factor.

    Attributes:
        value: the main figure, `second` one beside it; None where it was not measured.
        factor: how it compares to the best, in words.
    """

    name: str
    detail: str
    value: float | None
    text: str
    factor: str = ""
    second: float | None = None
    second_text: str = ""
    is_best: bool = False


@record
class GroupedBars:
    """Levels with names, in the order in which they are to be read: the shortest first.

    Attributes:
        legend: what the bars are; one name where there is no second bar.
    """

    title: str
    unit: str
    legend: tuple[str, ...]
    levels: tuple[BarLevel, ...]
    caption: str


@record
class LevelPoint:
    """A figure at a number, with the ends of its interval where it has one."""

    number: float
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, ...]:
        """All that has to lie on the axis."""
        return tuple(end for end in (self.value, self.low, self.high) if end is not None)


@record
class LevelLine:
    name: str
    points: tuple[LevelPoint, ...]


@record
class LevelPanel:
    """The lines under one condition."""

    title: str
    lines: tuple[LevelLine, ...]


@record
class LevelLines:
    """Figures over numbers: a panel for each condition, all on the same axes; a name has one colour in all of them.

    Attributes:
        across: what the numbers along the axis are; `unit` is that of the figures.
    """

    title: str
    panels: tuple[LevelPanel, ...]
    unit: str
    across: str
    caption: str


@record
class DotRow:
    """A result against its target: all figures as multiples of the target.

    Attributes:
        low, high: ends of the interval; None where none was reckoned.
        texts: result and target, then the verdict.
        start: before the first change of the engagement.
    """

    label: str
    before: float | None
    now: float
    low: float | None
    high: float | None
    texts: tuple[str, str]
    tone: Tone = Tone.PLAIN
    start: float | None = None


@record
class DotFigure:
    """Results as dots with their intervals on one axis, on which every target is 1.

    Attributes:
        legend: names of the figure before, of the result with its interval, and of the target.
        sides: words for what lies below and above the target, where below is within it for every row.
        start: name of the figure before the first change; empty where no row has it.
    """

    rows: tuple[DotRow, ...]
    legend: tuple[str, str, str]
    caption: str
    sides: tuple[str, str] | None = None
    start: str = ""


@record
class WaterfallRow:
    """A bar from `start` to `end`; a `whole` one is a level from zero.

    `detail` stands below the label and `tone` colours a step where the bars stand: strong is better, bad is worse.
    """

    label: str
    start: float
    end: float
    text: str
    whole: bool = False
    detail: str = ""
    tone: Tone = Tone.PLAIN


@record
class Waterfall:
    """Bars, each from where the one before ends, lying below each other or `upright` side by side; values and texts
    are those of the table below."""

    title: str
    rows: tuple[WaterfallRow, ...]
    caption: str
    upright: bool = False
