"""Writes a report document as PDF: A4, embedded faces, links, outline; equal documents give equal bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from tunebench.core.messages import catalogue
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.core.whole_files import write_whole
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.look import fitted_size
from tunebench.reporting.pdf.fonts import REGULAR, GlyphGuard, MissingGlyphError, width
from tunebench.reporting.pdf.story import Start, Story
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
PAGE_ONE = "result"
LOGO_ROOM, LOGO_GAP = (40 * mm, 9.5 * mm), 1.5 * mm
"""Of the logo above page one."""
LONGEST_ENTRY = 300
"""Characters of a title in the contents, and of the footer: a line of the contents cannot break over pages."""


@record
class WrittenPdf:
    """The bytes, the number of pages, and characters that had to be printed as □.

    Attributes:
        page_of: on which page (from 1) each chapter with a heading begins, by its id.
        starts: how far the document had come there, by the same.
        entries: lines of the contents, as ReportLab holds them.
    """

    data: bytes
    pages: int
    missing_glyphs: tuple[str, ...] = ()
    page_of: dict[str, int] = field(default_factory=dict)
    starts: dict[str, Start] = field(default_factory=dict)
    entries: tuple[Any, ...] = ()


def write_pdf(document: ReportDocument, path: Path, *, strict: bool = False) -> WrittenPdf:
    """Writes the document to `path`; see `pdf_bytes`."""
    written = pdf_bytes(document, strict=strict)
    write_whole(path, written.data)
    return written


def pdf_bytes(document: ReportDocument, *, strict: bool = False, progress: Progress | None = None) -> WrittenPdf:
    """The document as PDF.

    Args:
        progress: asked on every page whether anybody still waits for it.
        strict: raise `MissingGlyphError` instead of printing □ with a warning where a character has no glyph.
    """
    guard = GlyphGuard()
    story = Story(document, guard, progress).flowables()
    if guard.missing and strict:
        raise MissingGlyphError(guard.missing)
    target = BytesIO()
    template = Template(target, document, guard, progress)
    template.multiBuild(story, maxPasses=8, canvasmaker=canvas_maker(document))
    missing = tuple(sorted(guard.missing))
    return WrittenPdf(
        target.getvalue(),
        template.page,
        missing,
        dict(template.page_of),
        dict(template.starts),
        tuple(template.entries),
    )


def canvas_maker(document: ReportDocument) -> Callable[..., Any]:
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


class Template(BaseDocTemplate):  # type: ignore[misc]  # reportlab has no types
    """Margins, footer with page x / y, outline entries and contents lines."""

    def __init__(
        self,
        target: BytesIO,
        document: ReportDocument,
        guard: GlyphGuard,
        progress: Progress | None = None,
        before: int = 0,
    ) -> None:
        """
        Args:
            before: pages of the document that come before those that are laid out.
        """
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
        self._logo = document.look.logo
        self._page_word = catalogue(document.language)
        self._progress, self._before = progress or SilentProgress(), before
        self._total = 0
        self.page_of: dict[str, int] = {}
        self.starts: dict[str, Start] = {}
        self.entries: list[Any] = []
        frame = Frame(MARGIN, BOTTOM_MARGIN, BODY_WIDTH, BODY_HEIGHT, 0, 0, 0, 0)
        self.addPageTemplates([PageTemplate("cover", [frame]), PageTemplate("page", [frame], onPage=self._draw_footer)])

    def _draw_footer(self, canvas: Any, _template: Any) -> None:
        canvas.saveState()
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, 13 * mm, PAGE_WIDTH - MARGIN, 13 * mm)
        canvas.setFont(REGULAR, FOOTER_SIZE)
        canvas.setFillColor(MUTED)
        number = self._page_word.text(
            "report.page", page=canvas.getPageNumber() + self._before, pages=self._total or "–"
        )
        canvas.drawRightString(PAGE_WIDTH - MARGIN, 9 * mm, number)
        room = BODY_WIDTH - width(number, REGULAR, FOOTER_SIZE) - 12
        canvas.drawString(MARGIN, 9 * mm, _fitted(self._footer, room))
        canvas.restoreState()

    def afterFlowable(self, flowable: Any) -> None:
        anchor = getattr(flowable, "tb_anchor", "")
        if not anchor:
            return
        self.page_of[anchor] = self.page
        if hasattr(flowable, "tb_start"):
            head = self.frame._y + flowable.getSpaceAfter() + flowable.height + flowable.getSpaceBefore()
            above = max(BOTTOM_MARGIN + BODY_HEIGHT - head, 0.0)
            self.starts[anchor] = replace(flowable.tb_start, page=self.page, above=above)
        self.draw_logo(anchor)
        self.canv.bookmarkPage(anchor)
        title = flowable.tb_title
        if len(title) > LONGEST_ENTRY:
            title = f"{title[:LONGEST_ENTRY]}…"
        self.canv.addOutlineEntry(title, anchor, flowable.tb_level, closed=False)
        entry = (flowable.tb_level, escape(title), self.page + self._before, anchor)
        self.entries.append(entry)
        self.notify("TOCEntry", entry)

    def afterPage(self) -> None:
        self._progress.raise_if_cancelled()

    def beforeDocument(self) -> None:
        self.entries.clear()  # of the pass before

    def draw_logo(self, anchor: str) -> None:
        """In the margin above the head of page one, so that it takes no room from what stands there."""
        if anchor != PAGE_ONE or not self._logo:
            return
        across, down = fitted_size(self._logo, *LOGO_ROOM)
        left, foot = PAGE_WIDTH - MARGIN - across, PAGE_HEIGHT - MARGIN + LOGO_GAP
        self.canv.drawImage(ImageReader(BytesIO(self._logo)), left, foot, across, down, mask="auto")

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
