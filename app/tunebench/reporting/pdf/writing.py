"""Writes a report document as PDF: A4, embedded faces, links, outline; equal documents give equal bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from tunebench.core.messages import catalogue
from tunebench.core.whole_files import write_whole
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.pdf.fonts import REGULAR, GlyphGuard, MissingGlyphError, width
from tunebench.reporting.pdf.story import Story
from tunebench.reporting.pdf.style import (
    BODY_HEIGHT,
    BODY_WIDTH,
    BOTTOM_MARGIN,
    MARGIN,
    MUTED,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RULE,
)

FOOTER_SIZE = 7.4
LONGEST_ENTRY = 300
"""Characters of a title in the contents, and of the footer: a line of the contents cannot break over pages."""


@dataclass(frozen=True, slots=True)
class WrittenPdf:
    """The bytes, the number of pages, and characters that had to be printed as □.

    `page_of` says on which page (from 1) each chapter with a heading begins, by its id.
    """

    data: bytes
    pages: int
    missing_glyphs: tuple[str, ...] = ()
    page_of: dict[str, int] = field(default_factory=dict)


def write_pdf(document: ReportDocument, path: Path, *, strict: bool = False) -> WrittenPdf:
    """Writes the document to `path`; see `pdf_bytes`."""
    written = pdf_bytes(document, strict=strict)
    write_whole(path, written.data)
    return written


def pdf_bytes(document: ReportDocument, *, strict: bool = False) -> WrittenPdf:
    """The document as PDF.

    Args:
        strict: raise `MissingGlyphError` instead of printing □ with a warning where a character has no glyph.
    """
    guard = GlyphGuard()
    story = Story(document, guard).flowables()
    if guard.missing and strict:
        raise MissingGlyphError(guard.missing)
    target = BytesIO()
    template = _Template(target, document, guard)
    template.multiBuild(story, maxPasses=8, canvasmaker=_canvas_maker(document))
    return WrittenPdf(target.getvalue(), template.page, tuple(sorted(guard.missing)), dict(template.page_of))


def _canvas_maker(document: ReportDocument) -> Callable[..., Any]:
    def make(*arguments: Any, **settings: Any) -> Any:
        settings["initialFontName"] = REGULAR
        canvas = Canvas(*arguments, **settings)
        _date(canvas, document.issued)
        return canvas

    return make


def _date(canvas: Any, issued: str) -> None:
    """Puts the date of issue into the file in place of the clock's; without one, the writer's fixed date stays."""
    try:
        moment = datetime.fromisoformat(issued).replace(tzinfo=UTC)
    except ValueError:
        return
    stamp = canvas._doc._timeStamp
    stamp.t = moment.timestamp()
    stamp.lt = moment.timetuple()
    stamp.YMDhms = tuple(moment.timetuple())[:6]


class _Template(BaseDocTemplate):  # type: ignore[misc]  # reportlab has no types
    """Margins, footer with page x / y, outline entries and contents lines."""

    def __init__(self, target: BytesIO, document: ReportDocument, guard: GlyphGuard) -> None:
        super().__init__(
            target,
            pagesize=(PAGE_WIDTH, PAGE_HEIGHT),
            leftMargin=MARGIN,
            rightMargin=MARGIN,
            topMargin=MARGIN,
            bottomMargin=BOTTOM_MARGIN,
            title=document.title,
            author=document.author,
            subject=document.subject,
            keywords=document.keywords,
            creator="TuneBench",
            producer="TuneBench",
            lang="ko-KR" if document.language == "ko" else "en-GB",
            invariant=1,
            allowSplitting=1,
        )
        self._footer = guard.text(document.footer)
        self._page_word = catalogue(document.language)
        self._total = 0
        self.page_of: dict[str, int] = {}
        frame = Frame(MARGIN, BOTTOM_MARGIN, BODY_WIDTH, BODY_HEIGHT, 0, 0, 0, 0)
        self.addPageTemplates([PageTemplate("cover", [frame]), PageTemplate("page", [frame], onPage=self._draw_footer)])

    def _draw_footer(self, canvas: Any, _template: Any) -> None:
        canvas.saveState()
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, 13 * mm, PAGE_WIDTH - MARGIN, 13 * mm)
        canvas.setFont(REGULAR, FOOTER_SIZE)
        canvas.setFillColor(MUTED)
        number = self._page_word.text("report.page", page=canvas.getPageNumber(), pages=self._total or "–")
        canvas.drawRightString(PAGE_WIDTH - MARGIN, 9 * mm, number)
        room = BODY_WIDTH - width(number, REGULAR, FOOTER_SIZE) - 12
        canvas.drawString(MARGIN, 9 * mm, _fitted(self._footer, room))
        canvas.restoreState()

    def afterFlowable(self, flowable: Any) -> None:
        anchor = getattr(flowable, "tb_anchor", "")
        if not anchor:
            return
        self.page_of[anchor] = self.page
        self.canv.bookmarkPage(anchor)
        title = flowable.tb_title
        if len(title) > LONGEST_ENTRY:
            title = f"{title[:LONGEST_ENTRY]}…"
        self.canv.addOutlineEntry(title, anchor, flowable.tb_level, closed=False)
        self.notify("TOCEntry", (flowable.tb_level, escape(title), self.page, anchor))

    def _allSatisfied(self) -> bool:
        """A further pass is needed until the footers know the number of pages."""
        settled = self._total == self.page
        self._total = self.page
        return bool(super()._allSatisfied()) and settled


def _fitted(text: str, room: float) -> str:
    if len(text) <= LONGEST_ENTRY and width(text, REGULAR, FOOTER_SIZE) <= room:
        return text
    text = text[:LONGEST_ENTRY]
    while text and width(text + "…", REGULAR, FOOTER_SIZE) > room:
        text = text[:-1]
    return text.rstrip(" ·") + "…"
