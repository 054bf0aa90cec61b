"""Turns the blocks of a document into what ReportLab lays out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import singledispatchmethod
from typing import Any
from xml.sax.saxutils import escape

from reportlab.platypus import CondPageBreak, Flowable, KeepInFrame, KeepTogether, NextPageTemplate, Spacer, TableStyle
from reportlab.platypus import PageBreak as NewPage
from reportlab.platypus import Paragraph as Flowed
from reportlab.platypus.tableofcontents import TableOfContents

from tunebench.core.messages import catalogue
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.reporting.citing import explained_keys
from tunebench.reporting.document import (
    Badge,
    BarFigure,
    Block,
    Claim,
    CommandLine,
    Contents,
    Cover,
    Figure,
    Heading,
    KeyValueTable,
    MarkedCode,
    NextBox,
    Note,
    NumberedList,
    OnePage,
    Paragraph,
    ReportDocument,
    SeriesPair,
    Table,
    TextColumns,
    Together,
    Tone,
    Volume,
)
from tunebench.reporting.pdf.charts import BAR_HEIGHT, SERIES_HEIGHT
from tunebench.reporting.pdf.claims import claim_flowables, columns_flowables, next_flowables
from tunebench.reporting.pdf.command import command_flowables, marked_flowables
from tunebench.reporting.pdf.cover import cover_flowables
from tunebench.reporting.pdf.figures import drawing_of
from tunebench.reporting.pdf.fonts import BOLD, REGULAR, GlyphGuard
from tunebench.reporting.pdf.links import Links
from tunebench.reporting.pdf.style import (
    BODY,
    BODY_HEIGHT,
    BODY_WIDTH,
    CAPTION,
    CONTENTS,
    FIGURE_CAPTION,
    HEADING,
    MUTED,
    MUTED_BODY,
    RULE,
    SHADE,
    SMALL,
    STRONG_RULE,
    WARNING,
    WARNING_TINT,
    HouseColours,
    cell_style,
)
from tunebench.reporting.pdf.table import PagedTable, minimum_height, table_flowable

SPACE_BETWEEN = 16.0
"""Points between two conclusions on one page."""
LEAST_SCALE = 0.84
"""Two conclusions share a page where they need to be printed no smaller."""


@record(frozen=False)
class _Part:
    """A conclusion: its heading, and what stands below it as it is laid out on a width in points."""

    heading: list[Any]
    breaks: bool
    flow: Callable[[float], list[Any]]
    content: list[Any]

    @property
    def height(self) -> float:
        return _height([*self.heading, *self.content])


@record(frozen=False)
class _Page:
    """Conclusions on one page, as many as there is room for.

    Attributes:
        heading: whose content is to come.
    """

    heading: tuple[Heading, list[Any]] | None = None
    _parts: list[_Part] = field(default_factory=list)

    def take(self, flow: Callable[[float], list[Any]], story: list[Any]) -> None:
        """Adds the content of the heading; where both have no room together, what was there is laid out before."""
        assert self.heading is not None
        block, heading = self.heading
        self.heading = None
        part = _Part(heading, block.new_page, flow, flow(BODY_WIDTH))
        together = LEAST_SCALE * (self._tall() + SPACE_BETWEEN + part.height)
        if self._parts and (together > BODY_HEIGHT or not self._parts[0].breaks):  # page one shares with none
            self.lay_out(story)
        self._parts.append(part)

    def _tall(self) -> float:
        return sum(part.height for part in self._parts) + SPACE_BETWEEN * max(len(self._parts) - 1, 0)

    def lay_out(self, story: list[Any]) -> None:
        """Puts what is on the page into the story; printed smaller where it needs more than a page."""
        if not self._parts:
            return
        if self._parts[0].breaks:
            story.append(NewPage())
        headings = sum(_height(part.heading) for part in self._parts) + SPACE_BETWEEN * (len(self._parts) - 1)
        room, heights = BODY_HEIGHT - headings - _SLACK, sum(_height(part.content) for part in self._parts)
        scale = 1.0 if heights <= room else self._reduced(room, room / heights)
        if headings + heights < _LEAST_FILLED * BODY_HEIGHT:
            self._air(_LEAST_FILLED * BODY_HEIGHT - headings - heights)
        for index, part in enumerate(self._parts):
            story += [Spacer(0, SPACE_BETWEEN)] if index else []
            story += part.heading
            story += part.content if scale == 1 else [_Reduced(part.content, scale)]
        self._parts = []

    def _reduced(self, room: float, scale: float) -> float:
        """Lays out again as wide as the page is once it is printed at `scale`, or larger if that has room as well."""
        heights = sum(_height(part.flow(BODY_WIDTH / scale), BODY_WIDTH / scale) for part in self._parts)
        largest = min(room / heights, 1.0)
        for larger in (largest, (largest + scale) / 2, scale):
            width = BODY_WIDTH / larger
            for part in self._parts:
                part.content = part.flow(width)
            if larger * sum(_height(part.content, width) for part in self._parts) <= room + 0.01:
                return larger
        return scale

    def _air(self, points: float) -> None:
        """Parts what stands on a page that is half empty, so that it reaches farther down."""
        gaps = sum(len(part.content) - 1 for part in self._parts)
        for part in self._parts:
            spread = part.content[:1]
            for flowable in part.content[1:]:
                spread += [Spacer(0, min(points / max(gaps, 1), _MOST_AIR)), flowable]
            part.content = spread


class _Reduced(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Flowables below each other, printed smaller over the whole width of the page."""

    def __init__(self, content: list[Any], scale: float) -> None:
        super().__init__()
        self._content, self._scale = content, scale

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, self.height = BODY_WIDTH, self._scale * _height(self._content, BODY_WIDTH / self._scale)
        return self.width, self.height

    def draw(self) -> None:
        self.canv.scale(self._scale, self._scale)
        top = self.height / self._scale
        for flowable, above, height in _stacked(self._content, BODY_WIDTH / self._scale):
            top -= above + height
            flowable.drawOn(self.canv, 0, top)


_LEAST_FILLED, _MOST_AIR = 0.64, 26.0
_ENDLESS = 100_000.0
_SLACK = 14.0
"""Points for what headings put around themselves."""


@record
class Start:
    """How far a document has come before a chapter.

    Attributes:
        above: points of the page that are taken.
        tables, figures: that were counted.
        volume: whose part of the document it is; None for the first language.
    """

    page: int = 1
    above: float = 0.0
    tables: int = 0
    figures: int = 0
    volume: Volume | None = None


class Story:
    """Turns blocks into flowables; every text passes the glyph guard."""

    def __init__(self, document: ReportDocument, guard: GlyphGuard, progress: Progress | None = None) -> None:
        self._document = document
        self._progress = progress or SilentProgress()
        self._volume: Volume | None = None
        self._guard = guard
        self._links = Links(explained_keys(document.blocks))
        self._colours = HouseColours.of(document.look)
        self._table_number = 0
        self._figure_number = 0
        self._width = BODY_WIDTH
        self._words = catalogue(document.language)

    def begin(self, start: Start) -> None:
        """Goes on where a document that was laid out before had come to."""
        if start.volume is not None:
            self._turn_to(start.volume)
        self._table_number, self._figure_number = start.tables, start.figures

    def flowables(self, blocks: Sequence[Block] | None = None) -> list[Any]:
        """
        Args:
            blocks: some of the document's, one after the other; None for all.
        """
        story: list[Any] = []
        blocks = self._document.blocks if blocks is None else blocks
        page = _Page()
        for index, block in enumerate(blocks):
            self._progress.raise_if_cancelled()
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            if isinstance(block, OnePage) and page.heading is not None:
                page.take(self._numbered(block.blocks), story)
                continue
            if isinstance(block, Heading) and isinstance(following, OnePage):
                page.heading = (block, list(self._flow(block)))
                continue
            page.lay_out(story)
            if isinstance(block, Heading):
                story.append(NewPage() if block.new_page else CondPageBreak(_heading_room(block, following)))
            story.extend(self._flow(block))
        page.lay_out(story)
        if not any(isinstance(block, Cover) for block in blocks):
            story.insert(0, NextPageTemplate("page"))
        if self._guard.missing:
            story.extend(self._flow(self._glyph_warning()))
        return story

    def _numbered(self, blocks: tuple[Block, ...]) -> Callable[[float], list[Any]]:
        """Lays the blocks out on a width; however often, tables and figures keep the numbers that they had first."""
        first = self._table_number, self._figure_number

        def flow(width: float) -> list[Any]:
            last = self._table_number, self._figure_number
            self._table_number, self._figure_number = first
            self._width = width
            content = self._unbroken(blocks)
            self._width = BODY_WIDTH
            if last != first:
                self._table_number, self._figure_number = last
            return content

        return flow

    def _glyph_warning(self) -> Note:
        points = ", ".join(f"U+{ord(character):04X}" for character in sorted(self._guard.missing))
        return Note(self._words.text("report.note.glyphs", points=points), Tone.WARNING)

    def _clean(self, text: str) -> str:
        return self._links.markup(self._guard.text(text))

    @singledispatchmethod
    def _flow(self, block: Block) -> Iterator[Any]:
        raise TypeError(f"no way to print {type(block).__name__}")

    def _turn_to(self, volume: Volume) -> None:
        self._volume, self._words = volume, catalogue(volume.language)
        self._links = replace(self._links, mark=volume.mark)
        self._table_number = self._figure_number = 0

    @_flow.register
    def _(self, block: Cover) -> Iterator[Any]:
        yield from cover_flowables(block, self._guard, self._document.look)
        yield NextPageTemplate("page")
        yield NewPage()

    @_flow.register
    def _(self, block: Volume) -> Iterator[Any]:
        self._turn_to(block)
        yield from ()

    @_flow.register
    def _(self, block: Heading) -> Iterator[Any]:
        title = self._guard.text(f"{block.number} {block.text}".strip())
        flowable = Flowed(escape(title), self._colours.kicker if block.kicker else self._colours.headings[block.level])
        if block.anchor:
            flowable.tb_anchor, flowable.tb_title, flowable.tb_level = block.anchor, title, block.level - 1
            if block.level == 1:
                flowable.tb_start = Start(tables=self._table_number, figures=self._figure_number, volume=self._volume)
        yield flowable

    @_flow.register
    def _(self, block: Claim) -> Iterator[Flowable]:
        yield from claim_flowables(block, self._guard, self._width)

    @_flow.register
    def _(self, block: TextColumns) -> Iterator[Flowable]:
        yield from columns_flowables(block, self._guard, self._width)

    @_flow.register
    def _(self, block: NextBox) -> Iterator[Flowable]:
        yield from next_flowables(block, self._guard, self._colours.accent, self._width)

    @_flow.register
    def _(self, block: Contents) -> Iterator[Any]:
        contents = TableOfContents(levelStyles=CONTENTS, dotsMinLevel=0)
        contents.tableStyle = TableStyle(
            [
                ("FONTNAME", (0, 0), (-1, -1), REGULAR),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("RIGHTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 0),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 0),
            ]
        )
        lines = sum(1 for other in self._document.blocks if isinstance(other, Heading) and other.anchor)
        yield CondPageBreak(min(44 + lines * CONTENTS[0].leading, BODY_HEIGHT))
        yield Flowed(self._clean(block.title), self._colours.headings[1])
        yield contents

    @_flow.register
    def _(self, block: Paragraph) -> Iterator[Any]:
        yield Flowed(self._clean(block.text), MUTED_BODY if block.muted else BODY)

    @_flow.register
    def _(self, block: NumberedList) -> Iterator[Any]:
        rows = [[f"{number}.", Flowed(self._clean(text), BODY)] for number, text in enumerate(block.items, 1)]
        if not rows:
            return
        style = (
            ("FONTNAME", (0, 0), (-1, -1), REGULAR),
            ("FONT", (0, 0), (0, -1), BOLD, BODY.fontSize, BODY.leading),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 0),
            ("TOPPADDING", (0, 0), (-1, -1), 0),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ("TEXTCOLOR", (0, 0), (0, -1), MUTED),
        )
        yield PagedTable(rows, colWidths=[20, self._width - 20], hAlign="LEFT", style=style)
        yield Spacer(0, 5)

    @_flow.register
    def _(self, block: KeyValueTable) -> Iterator[Any]:
        value, label = cell_style(9.2), cell_style(9.2, bold=True)
        rows = [[Flowed(self._clean(name), label), Flowed(self._clean(text), value)] for name, text in block.rows]
        style = (
            ("FONTNAME", (0, 0), (-1, -1), REGULAR),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, RULE),
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, STRONG_RULE),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, STRONG_RULE),
            ("TOPPADDING", (0, 0), (-1, -1), 3.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        )
        yield PagedTable(rows, colWidths=[62, self._width - 62], hAlign="LEFT", style=style)
        yield Spacer(0, 8)

    @_flow.register
    def _(self, block: Table) -> Iterator[Any]:
        self._table_number += 1
        caption = self._words.text("report.caption.table", number=self._table_number, text=block.caption)
        yield CondPageBreak(minimum_height(block))
        yield Flowed(self._clean(caption), CAPTION)
        yield table_flowable(block, self._guard, self._links, self._width)
        for note in block.notes:
            yield Flowed(self._clean(note), SMALL)
        yield Spacer(0, 8)

    @_flow.register
    def _(self, block: Figure) -> Iterator[Any]:
        yield KeepTogether(self._figure_parts(block))

    def _figure_parts(self, block: Figure) -> list[Any]:
        self._figure_number += 1
        text = self._words.text("report.caption.figure", number=self._figure_number, text=block.caption)
        drawing = drawing_of(self._guard.whole(block))
        return [Spacer(0, 4), drawing, Flowed(self._clean(text), FIGURE_CAPTION)]

    @_flow.register
    def _(self, block: Badge) -> Iterator[Any]:
        markup = f'<font name="{BOLD}">{self._clean(block.label)}</font>&nbsp;&nbsp;{self._clean(block.text)}'
        yield self._boxed(Flowed(markup, cell_style(8.8)), block.tone)
        yield Spacer(0, 8)

    @_flow.register
    def _(self, block: Note) -> Iterator[Any]:
        yield self._boxed(Flowed(self._clean(block.text), cell_style(8.4, muted=block.tone is Tone.PLAIN)), block.tone)
        yield Spacer(0, 8)

    @_flow.register
    def _(self, block: MarkedCode) -> Iterator[Any]:
        yield from marked_flowables(block, self._guard)

    @_flow.register
    def _(self, block: CommandLine) -> Iterator[Any]:
        yield from command_flowables(block, self._guard)

    @_flow.register
    def _(self, block: Together) -> Iterator[Any]:
        yield KeepTogether(self._unbroken(block.blocks))

    @_flow.register
    def _(self, block: OnePage) -> Iterator[Any]:
        yield KeepInFrame(0, 0, self._unbroken(block.blocks), mode="shrink", hAlign="LEFT")

    def _unbroken(self, blocks: tuple[Block, ...]) -> list[Any]:
        """The flowables without nested KeepTogether and conditional breaks, which what holds them cannot measure."""
        content: list[Any] = []
        for inner in blocks:
            for flowable in self._figure_parts(inner) if isinstance(inner, Figure) else self._flow(inner):
                content += flowable._content if isinstance(flowable, KeepTogether) else [flowable]
        return [flowable for flowable in content if not isinstance(flowable, CondPageBreak)]

    def _boxed(self, content: Flowable, tone: Tone) -> PagedTable:
        warning = tone in (Tone.BAD, Tone.WARNING)
        style = (
            ("FONTNAME", (0, 0), (-1, -1), REGULAR),
            ("BACKGROUND", (0, 0), (-1, -1), WARNING_TINT if warning else SHADE),
            ("LINEBEFORE", (0, 0), (0, -1), 2.4, WARNING if warning else STRONG_RULE),
            ("LEFTPADDING", (0, 0), (-1, -1), 9),
            ("RIGHTPADDING", (0, 0), (-1, -1), 8),
            ("TOPPADDING", (0, 0), (-1, -1), 4.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 6),
        )
        return PagedTable([[content]], colWidths=[self._width], hAlign="LEFT", style=style)


def _stacked(flowables: list[Any], width: float) -> Iterator[tuple[Any, float, float]]:
    """(flowable, space above, height) of what stands below each other."""
    below = 0.0
    for index, flowable in enumerate(flowables):
        _, height = flowable.wrap(width, _ENDLESS)
        above = flowable.getSpaceBefore() if index else 0.0
        yield flowable, max(above, below), height
        below = flowable.getSpaceAfter()


def _height(flowables: list[Any], width: float = BODY_WIDTH) -> float:
    return float(sum(above + height for _, above, height in _stacked(flowables, width)))


def _heading_room(heading: Heading, following: Block | None) -> float:
    """Space a heading needs so that it is not left alone at the foot of a page."""
    style = HEADING[heading.level]
    return float(style.leading + style.spaceBefore + style.spaceAfter) + _room(following)


def _room(block: Block | None) -> float:
    """Space the beginning of a block needs."""
    if isinstance(block, Together):
        return sum(_room(inner) for inner in block.blocks)
    if isinstance(block, Heading):
        return 40 + SERIES_HEIGHT
    if isinstance(block, SeriesPair):
        return SERIES_HEIGHT + 30
    if isinstance(block, BarFigure):
        return BAR_HEIGHT + 30
    return minimum_height(block) if isinstance(block, Table) else 48.0
