"""Writes the slides of a report: a conclusion on each, with the tables and charts that the pages have, for editing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, assert_never

from pptx import Presentation
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.util import Emu, Inches, Pt
from reportlab.lib.colors import Color, HexColor

from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.core.whole_files import write_whole
from tunebench.domain.visible_text import harmless
from tunebench.reporting.document import (
    Badge,
    Block,
    Claim,
    ColumnKind,
    CommandLine,
    Contents,
    Cover,
    DotFigure,
    Figure,
    ForecastFigure,
    GroupedBars,
    Heading,
    HeatMap,
    ImpactBars,
    KeyValueTable,
    LevelLines,
    MarkedCode,
    NextBox,
    Note,
    NumberedList,
    OnePage,
    Paragraph,
    ReportDocument,
    SmallMultiples,
    Table,
    TextBlock,
    TextColumns,
    Together,
    Tone,
    Volume,
    every_block,
)
from tunebench.reporting.look import fitted_size
from tunebench.reporting.packages import issue_moment, repacked
from tunebench.reporting.pdf.heat_map import FILL, ink_on
from tunebench.reporting.pdf.style import ACCENT, BAD, INK, MUTED, SHADE, WARNING
from tunebench.reporting.pptx.charts import (
    Place,
    dot_chart,
    forecast_chart,
    impact_chart,
    level_bars,
    level_charts,
    rgb,
    small_charts,
)
from tunebench.reporting.wording import brief

WIDTH, HEIGHT = Inches(13.333), Inches(7.5)
MARGIN = Inches(0.5)
TITLE_TOP, TITLE_HEIGHT = Inches(0.3), Inches(0.85)
BODY_TOP, BODY_FOOT = Inches(1.3), Inches(7.0)
BODY_WIDTH = WIDTH - 2 * MARGIN
GAP = Inches(0.12)
LOGO_ROOM = (Inches(1.8), Inches(0.6))
ROW = Inches(0.26)
LINE = Inches(0.205)
CHARACTERS, IN_TABLES = 160, 185
"""That a line of text, and of a table, holds across a slide, those of Hangul counting twice."""
LINES_KEPT, NOTE = 9, 420
SMALL_LINE, SMALL_CHARACTERS = Inches(0.17), 190
"""Of the notes at the foot of a slide."""
FOOT_SHARE = 0.4
"""That notes may take of a slide at most."""
_NOTE_MARKS = "¹²³⁴⁵⁶⁷⁸⁹"
FACE = "맑은 고딕"
BLANK = 5  # of the template: a title alone
_TONES: Mapping[Tone, Color] = MappingProxyType({Tone.BAD: BAD, Tone.WARNING: WARNING, Tone.STRONG: ACCENT})
_DRAWN: Mapping[type[Figure], Callable[[Any, Any, Place], None]] = MappingProxyType(
    {
        ImpactBars: impact_chart,
        DotFigure: dot_chart,
        SmallMultiples: small_charts,
        ForecastFigure: forecast_chart,
        GroupedBars: level_bars,
        LevelLines: level_charts,
    }
)
"""How each figure of the slides becomes a chart."""


def write_slides(document: ReportDocument, path: Path) -> None:
    write_whole(path, slides_bytes(document))


def slides_bytes(document: ReportDocument) -> bytes:
    """The slides; equal documents give equal bytes."""
    deck = _Deck(document)
    for section in document.sections:
        for title, blocks in _pages(section.blocks):
            deck.add(title, blocks)
    return deck.saved()


def _pages(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """(title, what stands below it); where a headline tells the conclusion that is the title."""
    title, below = "", list[Block]()
    for block in every_block(blocks):
        if isinstance(block, Heading):
            if title:
                yield title, below
            title, below = block.text, []
        elif isinstance(block, Claim):
            below.insert(0, Paragraph(title, muted=True))
            title = block.text
            below.append(block)
        else:
            below.append(block)
    if title:
        yield title, below


class _Deck:
    def __init__(self, document: ReportDocument) -> None:
        self._document = document
        self._words = catalogue(document.language)
        self._deck = Presentation()
        self._deck.slide_width, self._deck.slide_height = WIDTH, HEIGHT
        self._number = 0
        master = self._deck.slide_masters[0]
        theme = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
        faces = theme.blob.decode().replace('<a:latin typeface="Calibri"/>', f'<a:latin typeface="{FACE}"/>')
        theme._blob = faces.replace('<a:ea typeface=""/>', f'<a:ea typeface="{FACE}"/>').encode()

    def add(self, title: str, blocks: Sequence[Block]) -> None:
        self._number += 1
        slide = self._deck.slides.add_slide(self._deck.slide_layouts[BLANK])
        look = self._document.look
        across = self._logo(slide) if look.logo else 0
        _put_title(slide, title, BODY_WIDTH - across, HexColor(look.second) if look.second else INK)
        self._foot(slide)
        _Body(slide, HexColor(look.accent) if look.accent else ACCENT).put(blocks)

    def _logo(self, slide: Any) -> int:
        """Puts the logo beside the title; the width that it takes there."""
        logo = self._document.look.logo
        width, height = fitted_size(logo, *LOGO_ROOM)
        top = TITLE_TOP + (TITLE_HEIGHT - int(height)) // 2
        slide.shapes.add_picture(BytesIO(logo), WIDTH - MARGIN - int(width), top, int(width), int(height))
        return int(width + GAP)

    def _foot(self, slide: Any) -> None:
        number = self._words.text("report.slide", number=self._number)
        for words, left, align in (
            (brief(self._document.footer, CHARACTERS), MARGIN, PP_ALIGN.LEFT),
            (number, WIDTH - MARGIN - Inches(2), PP_ALIGN.RIGHT),
        ):
            width = Inches(2) if align is PP_ALIGN.RIGHT else BODY_WIDTH - Inches(2.2)
            box = slide.shapes.add_textbox(left, Inches(7.08), width, Inches(0.3))
            _say(box.text_frame.paragraphs[0], words, Pt(9), MUTED)
            box.text_frame.paragraphs[0].alignment = align

    def saved(self) -> bytes:
        document, properties = self._document, self._deck.core_properties
        properties.title, properties.author = document.title, document.author or "TuneBench"
        properties.subject, properties.language = document.subject, document.language
        properties._element._get_or_add(
            "keywords"
        ).text = document.keywords  # the library wants 255 characters; the format does not
        properties.last_modified_by, properties.revision = document.author or "TuneBench", 1
        properties.created = properties.modified = issue_moment(document.issued)
        for slide in self._deck.slides:
            for part in (shape.chart.part for shape in slide.shapes if shape.has_chart):
                workbook = part.chart_workbook.xlsx_part
                workbook._blob = repacked(workbook.blob, document.issued)
        saved = BytesIO()
        self._deck.save(saved)
        return repacked(saved.getvalue(), document.issued)


def _put_title(slide: Any, title: str, across: int, colour: Color) -> None:
    shape = slide.shapes.title
    shape.left, shape.top, shape.width, shape.height = MARGIN, TITLE_TOP, across, TITLE_HEIGHT
    shape.text_frame.word_wrap, shape.text_frame.vertical_anchor = True, MSO_ANCHOR.MIDDLE
    line = shape.text_frame.paragraphs[0]
    line.alignment = PP_ALIGN.LEFT
    _say(line, title, Pt(24 if _units(title) < 80 else 18), colour, bold=True)


def _say(line: Any, text: str, size: Any, colour: Color = INK, *, bold: bool = False) -> None:
    run = line.add_run()
    run.text = harmless(text) or "\u00a0"  # an empty line would be as tall as the template's largest
    run.font.size, run.font.bold = size, bold
    run.font.color.rgb = rgb(colour)


def _units(text: str) -> int:
    """The width of a text in Latin letters: a syllable of Hangul takes two."""
    return sum(2 if ord(character) > 0x1100 else 1 for character in text)


def _lines_of(text: str, units: float) -> int:
    return sum(max(1, -(-_units(line) // max(int(units), 1))) for line in text.split("\n"))


@record(frozen=False)
class _Body:
    """What stands below the title, from above to below as far as there is room; the rest goes into the notes."""

    slide: Any
    accent: Color
    top: int = BODY_TOP
    foot: int = BODY_FOOT

    def put(self, blocks: Sequence[Block]) -> None:
        notes = _foot_notes(blocks)
        left = self._foot_notes([note.text for note in notes])
        above = [block for block in blocks if block not in notes]
        figures = [block for block in above if isinstance(block, Figure)]
        others = [block for block in above if not isinstance(block, Figure)]
        for index, block in enumerate((*figures, *others)):
            last = index == len(above) - 1
            left += self._put(block, alone=last)
        if left:
            self.slide.notes_slide.notes_text_frame.text = harmless("\n".join(left))

    @property
    def _room(self) -> int:
        return self.foot - self.top

    def _put(self, block: Block, *, alone: bool) -> list[str]:
        """What there was no room for."""
        if isinstance(block, HeatMap):
            return self._heat_map(block)
        if isinstance(block, Figure):
            return self._figure(block, alone=alone)
        if isinstance(block, Table):
            return self._table(block)
        if isinstance(block, Together | OnePage):
            return [line for inner in block.blocks for line in self._put(inner, alone=False)]
        return self._text(block)

    # -- figures ---------------------------------------------------------------------------------------

    def _figure(self, figure: Figure, *, alone: bool) -> list[str]:
        draw = _DRAWN.get(type(figure))
        if draw is None:  # no chart of the program shows it: what it says stands in the notes
            return [figure.caption]
        height = self._room - LINE if alone else min(int(Inches(_inches(figure))), self._room - LINE)
        draw(self.slide.shapes, figure, Place(MARGIN, self.top, BODY_WIDTH, height))
        self.top += height
        return self._small(figure.caption)

    def _heat_map(self, figure: HeatMap) -> list[str]:
        """A table whose fields have the colours of the PDF's."""
        heads = ("", "", *figure.columns)
        rows = [
            (host if line == 0 else "", side, [field[line] for field in fields])
            for host, fields in figure.rows
            for line, side in enumerate(figure.sides)
        ]
        widths = [22.0, 8.0, *(100.0 / max(len(figure.columns), 1) for _ in figure.columns)]
        tall = min(int(ROW), (self._room - 2 * LINE) // (len(rows) + 1))
        table = self._grid(len(rows) + 1, widths, tall)
        for across, words in enumerate(heads):
            _cell(table.cell(0, across), words, Pt(10), INK, SHADE, bold=True)
        for down, (host, side, cells) in enumerate(rows, 1):
            _cell(table.cell(down, 0), host, Pt(10), INK, None, bold=True)
            _cell(table.cell(down, 1), side, Pt(9), MUTED, None)
            for across, cell in enumerate(cells, 2):
                _cell(table.cell(down, across), cell.text, Pt(9), ink_on(cell.heat), FILL[cell.heat])
        self.top += tall * (len(rows) + 1) + GAP
        legend = " · ".join(cell.text for cell in figure.legend)
        return self._small(f"{figure.caption} ({legend})")

    # -- tables and tiles ------------------------------------------------------------------------------

    def _grid(self, rows: int, weights: Sequence[float], tall: int) -> Any:
        frame = self.slide.shapes.add_table(
            rows, len(weights), MARGIN, Emu(self.top), Emu(BODY_WIDTH), Emu(tall * rows)
        )
        table, whole = frame.table, sum(weights)
        table.first_row = True
        table.horz_banding = False
        for column, weight in zip(table.columns, weights, strict=True):
            column.width = Emu(int(BODY_WIDTH * weight / whole))
        for row in table.rows:
            row.height = Emu(tall)
        return table

    def _table(self, block: Table) -> list[str]:
        """As many rows as there is room for; a cell that is too long for its column takes more lines."""
        rows = [_heads(block), *_texts(block)]
        weights = _weights(block, rows)
        units = [IN_TABLES * weight / sum(weights) - 1 for weight in weights]
        heights = [max(_lines_of(text, room) for text, room in zip(row, units, strict=True)) for row in rows]
        room, fitting = self._room - 2 * LINE, 0
        used = LINE * heights[0]
        for height in heights[1:]:
            if used + LINE * height > room:
                break
            used += LINE * height
            fitting += 1
        if not fitting:
            return [block.caption, *(" · ".join(row) for row in _texts(block))]
        left = self._small(block.caption, INK)
        table = self._grid(fitting + 1, weights, int(LINE))
        for across, column in enumerate(block.columns):
            _cell(table.cell(0, across), column.heading, Pt(10), INK, SHADE, bold=True, right=_right(column.kind))
        lines = (*block.rows, *block.totals)
        for down, row in enumerate(lines[:fitting], 1):
            for across, (cell, column) in enumerate(zip(row, block.columns, strict=True)):
                colour, bold = _TONES.get(cell.tone, INK), cell.tone is not Tone.PLAIN
                _cell(table.cell(down, across), cell.text, Pt(9), colour, None, bold=bold, right=_right(column.kind))
        self.top += used + GAP
        beyond = [" · ".join(cell.text for cell in row) for row in lines[fitting:]]
        return [*left, *([block.caption, *beyond] if beyond else []), *self._text(Note("\n".join(block.notes)))]

    # -- words -----------------------------------------------------------------------------------------

    def _foot_notes(self, notes: Sequence[str]) -> list[str]:
        """Puts the notes of the slide's marks at its foot, in small letters, and the rest above them."""
        heights = [_lines_of(note, SMALL_CHARACTERS) for note in notes]
        fitting, used = 0, 0
        for height in heights:
            if SMALL_LINE * (used + height) > self._room * FOOT_SHARE:
                break
            used, fitting = used + height, fitting + 1
        if fitting:
            self.foot -= SMALL_LINE * used
            frame = self._frame(self.foot, SMALL_LINE * used)
            for row, note in enumerate(notes[:fitting]):
                _say(frame.paragraphs[0] if row == 0 else frame.add_paragraph(), note, Pt(9), MUTED)
        return list(notes[fitting:])

    def _frame(self, top: int, height: int) -> Any:
        """A field across the slide for lines of text."""
        frame = self.slide.shapes.add_textbox(MARGIN, Emu(top), Emu(BODY_WIDTH), Emu(height)).text_frame
        frame.word_wrap, frame.auto_size = True, MSO_AUTO_SIZE.NONE
        frame.margin_top = frame.margin_bottom = frame.margin_left = 0
        return frame

    def _text(self, block: TextBlock) -> list[str]:
        """What there was no room for, and what was shortened."""
        lines, colour = _words_of(block), _colour_of(block, self.accent)
        if not any(line.strip() for line in lines):
            return []
        wanted = [brief(line, NOTE) for line in lines]
        heights = [_lines_of(line, CHARACTERS) for line in wanted]
        fitting, used = 0, 0
        for height in heights:
            if LINE * (used + height) > self._room or used + height > LINES_KEPT:
                break
            used, fitting = used + height, fitting + 1
        if fitting:
            frame = self._frame(self.top, LINE * used)
            for row, line in enumerate(wanted[:fitting]):
                _say(frame.paragraphs[0] if row == 0 else frame.add_paragraph(), line, Pt(11), colour)
            self.top += LINE * used + GAP
        shortened = [line for line, shown in zip(lines[:fitting], wanted, strict=False) if shown != line]
        return [*shortened, *lines[fitting:]]

    def _small(self, caption: str, colour: Color = MUTED) -> list[str]:
        box = self.slide.shapes.add_textbox(MARGIN, Emu(self.top), Emu(BODY_WIDTH), Emu(LINE))
        box.text_frame.word_wrap = True
        box.text_frame.margin_top = box.text_frame.margin_bottom = box.text_frame.margin_left = 0
        _say(box.text_frame.paragraphs[0], brief(caption, NOTE), Pt(9), colour, bold=colour is INK)
        self.top += LINE * min(_lines_of(caption, CHARACTERS * 1.2), 2)
        return []


def _inches(figure: Figure) -> float:
    """Height of a chart beside which there is more on the slide."""
    match figure:
        case DotFigure():
            return 0.75 + 0.36 * len(figure.rows)
        case ImpactBars():
            return 0.8 + 0.32 * len(figure.rows)
        case SmallMultiples():
            return 4.9
        case GroupedBars() | LevelLines():
            return 3.2
        case _:
            return 2.6


def _heads(table: Table) -> list[str]:
    return [column.heading for column in table.columns]


def _texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in (*table.rows, *table.totals)]


def _weights(table: Table, rows: Sequence[Sequence[str]]) -> list[float]:
    """Numbers, dates and headings get what they need, texts share the rest."""
    natural = [
        max(_units(line) for row in rows for line in row[index].split("\n")) + 3.0
        for index in range(len(table.columns))
    ]
    kept = [
        natural[index]
        if column.kind in (ColumnKind.NUMBER, ColumnKind.FIXED)
        else max(map(_units, (*column.heading.split(), ""))) + 3.0
        for index, column in enumerate(table.columns)
    ]
    spare, wish = IN_TABLES - sum(kept), sum(natural) - sum(kept)
    share = max(min(spare / wish, 1.0), 0.0) if wish else 0.0
    return [least + (own - least) * share for least, own in zip(kept, natural, strict=True)]


def _right(kind: ColumnKind) -> bool:
    return kind is ColumnKind.NUMBER


def _foot_notes(blocks: Sequence[Block]) -> list[Paragraph]:
    """The notes of the marks on a slide, and the line at its end that says whose windows it shows."""
    *_, last = blocks or (None,)
    return [
        block
        for block in blocks
        if isinstance(block, Paragraph)
        and (block.text.startswith(tuple(_NOTE_MARKS)) or (block.muted and block is last))
    ]


def _words_of(block: TextBlock) -> list[str]:
    """The words of a block in lines."""
    match block:
        case Cover() | Volume() | Heading() | Contents():
            lines = _front_words_of(block)
        case MarkedCode():
            lines = [block.title, *block.text.splitlines()]
        case CommandLine():
            lines = [block.title, *block.text.splitlines(), *_pairs_of(block.facts)]
        case NumberedList():
            lines = [f"{number}. {item}" for number, item in enumerate(block.items, 1)]
        case KeyValueTable():
            lines = _pairs_of(block.rows)
        case Badge():
            lines = [f"{block.label} {block.text}"]
        case Note() | Paragraph():
            lines = block.text.splitlines()
        case Claim():
            marks = " · ".join(filter(None, (*(chip.text for chip in block.chips), block.remark)))
            lines = [line for line in (block.question, marks, *block.lines) if line]
        case TextColumns():
            lines = [f"{column.heading}: {' '.join(column.paragraphs)}" for column in block.columns]
        case NextBox():
            lines = [*block.sentences, *filter(None, (block.command,))]
        case _:
            assert_never(block)
    return lines


def _front_words_of(block: Cover | Volume | Heading | Contents) -> list[str]:
    """Slides have neither volumes nor a page of contents."""
    match block:
        case Cover():
            return [block.title, block.subtitle, *_pairs_of(block.facts)]
        case Heading():
            return [block.text]
        case Volume() | Contents():
            return []


def _pairs_of(rows: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name}: {' / '.join(text.splitlines())}" for name, text in rows]


def _colour_of(block: TextBlock, accent: Color) -> Color:
    match block:
        case NextBox():
            return accent
        case Badge():
            return _TONES.get(block.tone, INK)
        case Note():
            return _TONES.get(block.tone, MUTED)
        case Paragraph():
            return MUTED if block.muted else INK
        case _:
            return INK


def _cell(
    cell: Any, text: str, size: Any, colour: Color, fill: Color | None, *, bold: bool = False, right: bool = False
) -> None:
    if fill is None:
        cell.fill.background()
    else:
        cell.fill.solid()
        cell.fill.fore_color.rgb = rgb(fill)
    cell.margin_top = cell.margin_bottom = Inches(0.015)
    cell.margin_left = cell.margin_right = Inches(0.06)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    frame = cell.text_frame
    for row, line in enumerate(text.split("\n")):
        paragraph = frame.paragraphs[0] if row == 0 else frame.add_paragraph()
        _say(paragraph, line, size, colour, bold=bold)
        paragraph.alignment = PP_ALIGN.RIGHT if right else PP_ALIGN.LEFT
