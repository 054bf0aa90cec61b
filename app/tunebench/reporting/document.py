"""A report as a sequence of blocks: what is said, in which order, in which language; not how it is drawn.

Texts are final sentences in the document's language. Numbers stand beside their printed text, so that a chart
or a cell is filled from the value that the table prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, fields, is_dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.equal_load import LoadCurve
from tunebench.core.records import record
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.claims import Chip, Claim, NextBox, Role, Run, TextColumn, TextColumns, Tone
from tunebench.reporting.look import PLAIN_LOOK, WINDOWS, Look
from tunebench.reporting.pictures import (
    BarLevel,
    DayDots,
    DayLine,
    DayRow,
    DayTarget,
    DotFigure,
    DotRow,
    GroupedBars,
    LevelLine,
    LevelLines,
    LevelPanel,
    LevelPoint,
    Member,
    MemberGroup,
    RatioGroup,
    RatioMap,
    RatioRow,
    Span,
    Spans,
    StackBar,
    StackedSides,
    StackSide,
    Strip,
    Waterfall,
    WaterfallRow,
)

__all__ = [
    "BarLevel",
    "Chip",
    "Claim",
    "DayDots",
    "DayLine",
    "DayRow",
    "DayTarget",
    "DotFigure",
    "DotRow",
    "GroupedBars",
    "LevelLine",
    "LevelLines",
    "LevelPanel",
    "LevelPoint",
    "Member",
    "MemberGroup",
    "NextBox",
    "RatioGroup",
    "RatioMap",
    "RatioRow",
    "Role",
    "Run",
    "Span",
    "Spans",
    "StackBar",
    "StackSide",
    "StackedSides",
    "Strip",
    "TextColumn",
    "TextColumns",
    "Tone",
    "Waterfall",
    "WaterfallRow",
]
"""What `claims` and `pictures` hold is imported from here like every other block."""


class ColumnKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    CODE = "code"  # identifiers and hashes, in the fixed-width face
    FIXED = "fixed"  # text that is never broken: dates, windows, intervals


@record
class Cover:
    """The first page: who, for whom, when, and the boxes to sign.

    Attributes:
        sign_names: of those who sign in the boxes; empty where they write it themselves.
        notice: what a signature stands for.
        versions: of the document.
    """

    kicker: str
    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    control: tuple[tuple[str, str], ...]
    control_title: str
    sign_title: str
    sign_boxes: tuple[str, ...]
    sign_lines: tuple[str, ...]
    notice: str = ""
    sign_names: tuple[str, ...] = ()
    versions: Table | None = None


@record
class Heading:
    """`kicker`: it says above a claim what the page is about, in small letters."""

    text: str
    anchor: str
    level: int = 1
    number: str = ""
    new_page: bool = False
    kicker: bool = False


@record
class Volume:
    """What follows is in another language, and counted anew; `mark` goes before the places of its evidence."""

    language: str
    mark: str


@record
class Contents:
    """The contents page; its lines are generated from the headings."""

    title: str


@record
class Paragraph:
    text: str
    muted: bool = False


@record
class NumberedList:
    items: tuple[str, ...]


@record
class KeyValueTable:
    rows: tuple[tuple[str, str], ...]


@record
class TableHead:
    """A column of a table; `evidence` keys stand in small letters below the heading."""

    heading: str
    kind: ColumnKind = ColumnKind.TEXT
    weight: float = 1.0
    group: str = ""
    evidence: str = ""


@record
class Link:
    """To the heading of that anchor."""

    text: str
    anchor: str


@record
class Cell:
    """What stands in a table; `is_chip` puts a short text in a rounded field, `links` are what its text consists of."""

    text: str
    value: float | None = None
    tone: Tone = Tone.PLAIN
    is_chip: bool = False
    links: tuple[Link, ...] = ()


@record
class Table:
    """A table; `totals` repeat the columns below a rule. `notes` stand beneath it in small letters.

    Rows of one that `is_register` open with keys of evidence, which texts elsewhere cite.
    """

    caption: str
    columns: tuple[TableHead, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    dense: bool = False
    is_register: bool = False


@record
class Bar:
    label: str
    value: float
    text: str


@record
class BarPair:
    """Two bars from zero; values and texts are those of the table they are drawn beside."""

    title: str
    before: Bar
    after: Bar
    headline: str


@record
class BarFigure:
    """Bar pairs side by side under one caption."""

    pairs: tuple[BarPair, ...]
    caption: str


@record
class ImpactRow:
    """Two bars above each other; a side that was not measured has none. `worse` marks a regression; `share` is what the
    rows down to this one come to, in words."""

    label: str
    before: float | None
    after: float | None
    before_text: str
    after_text: str
    worse: bool = False
    share: str = ""


@record
class ImpactBars:
    """Horizontal pairs of bars from zero on one axis, in the order of the table they are drawn from; `share` is the
    heading of the rows' shares."""

    title: str
    legend: tuple[str, str]
    rows: tuple[ImpactRow, ...]
    caption: str
    share: str = ""


class Heat(StrEnum):
    """How tight a resource is found to be; the colour never stands without its word."""

    UNMEASURED = "unmeasured"
    OK = "ok"
    WATCH = "watch"
    WARNING = "warning"
    CRITICAL = "critical"


@record
class HeatCell:
    text: str
    heat: Heat


@record
class HeatMap:
    """Hosts by resources; a field has a cell for each of `sides`.

    Attributes:
        rows: (host, fields in the order of `columns`).
        legend: degrees that occur, with their words.
    """

    columns: tuple[str, ...]
    sides: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[HeatCell, ...], ...]], ...]
    legend: tuple[HeatCell, ...]
    caption: str


@record
class ForecastFigure:
    """Daily levels against their limit, with the band that is expected.

    `days` and `future_days` count from 1970-01-01; a day that was not measured has NaN. `legend` names the measured
    line, the band and the limit.
    """

    unit: str
    days: tuple[int, ...]
    values: tuple[float, ...]
    future_days: tuple[int, ...]
    centre: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    limit: float
    legend: tuple[str, str, str]
    caption: str


@record(eq=False)
class SeriesPanel:
    """One side of a pair; `times_s` as in `SeriesSide`. `absent` replaces the plot where nothing was captured.

    Attributes:
        band: float64[n], lowest and highest of the occurrences whose median `values` are.
    """

    title: str
    subtitle: str
    times_s: NDArray[np.float64]
    values: NDArray[np.float64]
    interval_s: float | None = None
    absent: str = ""
    band: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None


@record(eq=False)
class SeriesPair:
    """Before and after on the same two axes; `windows` says which of them are drawn."""

    unit: str
    before: SeriesPanel
    after: SeriesPanel
    axis_maximum: float | None
    by_time_of_day: bool
    caption: str
    windows: tuple[str, ...] = WINDOWS


@record(eq=False)
class SmallMultiple:
    """Before and after on the same axes; `verdict` is what may be said of it."""

    title: str
    pair: SeriesPair
    verdict: str = ""
    tone: Tone = Tone.PLAIN


@record(eq=False)
class SmallMultiples:
    """Series beside and below each other, in the order in which they are to be read."""

    panels: tuple[SmallMultiple, ...]
    legend: tuple[str, ...]
    caption: str


@record(eq=False)
class LoadFigure:
    """Response against load, before and after.

    Attributes:
        across: what the load is told by.
        legend: names of either side and of the range that both visited.
    """

    curve: LoadCurve
    unit: str
    across: str
    legend: tuple[str, str, str]
    caption: str


@record
class Badge:
    """The verdict on comparability with its reasons."""

    label: str
    text: str
    tone: Tone = Tone.WARNING


@record
class MarkedCode:
    """Verbatim text (SQL, plans) of which some lines (counted from 0) differ from what stands beside it."""

    title: str
    text: str
    marked: frozenset[int]


@record
class CommandLine:
    """One command to the letter: wrapped without losing a character, so that it can be read and copied.

    `facts` stand below it, as (name, text).
    """

    title: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()


@record
class Note:
    text: str
    tone: Tone = Tone.PLAIN


@record
class Together:
    """Blocks that belong on one page: a table and the figure drawn from it."""

    blocks: tuple[Block, ...]


@record
class OnePage:
    """What stands below a heading and has one page: it is printed smaller where it needs more."""

    blocks: tuple[Block, ...]


Figure = (
    BarFigure
    | ImpactBars
    | Waterfall
    | ForecastFigure
    | SeriesPair
    | LoadFigure
    | HeatMap
    | DotFigure
    | SmallMultiples
    | Spans
    | Strip
    | RatioMap
    | StackedSides
    | DayDots
    | GroupedBars
    | LevelLines
)
"""Drawn, with a number and a caption below."""

TextBlock = (
    Cover
    | Volume
    | Heading
    | Claim
    | TextColumns
    | NextBox
    | Contents
    | Paragraph
    | NumberedList
    | KeyValueTable
    | Badge
    | MarkedCode
    | CommandLine
    | Note
)
"""Words in lines: neither cells nor a drawing, and no frame of others."""

Block = TextBlock | Table | Figure | Together | OnePage


@record
class ReportSection:
    """A part that can be left out of an issue of the document; `id` is stable, `title` what the reader sees."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@record(eq=False)
class ReportDocument:
    """The document in one language, with the case it was built from (the workbook draws on the same values)."""

    language: str
    title: str
    author: str
    subject: str
    keywords: str
    issued: str
    footer: str
    case: SuccessCase
    sections: tuple[ReportSection, ...] = field(default=())
    look: Look = PLAIN_LOOK

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(block for section in self.sections for block in section.blocks)


def every_block(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block in order, those that stand inside of others included."""
    for block in blocks:
        if isinstance(block, Together | OnePage):
            yield from every_block(block.blocks)
        else:
            yield block


def strings_of(value: object) -> Iterator[str]:
    """Every text in a block, a section, or whatever they are made of."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from strings_of(part)
    elif is_dataclass(value):
        for own in fields(value):
            yield from strings_of(getattr(value, own.name))
