"""One page of a document that was changed, laid out from the chapter at its head on: what the window shows at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from reportlab.platypus import NextPageTemplate, PageBreak, Spacer
from reportlab.platypus.tableofcontents import TableOfContents

from tunebench.reporting.citing import explained_keys
from tunebench.reporting.document import Block, Heading, ReportDocument, ReportSection, Volume, every_block
from tunebench.reporting.pdf.fonts import GlyphGuard
from tunebench.reporting.pdf.story import Start, Story
from tunebench.reporting.pdf.writing import Template, WrittenPdf, canvas_maker


class _EnoughError(Exception):
    """The page is there."""


def draft_page(document: ReportDocument, earlier: WrittenPdf, page: int) -> tuple[bytes, int] | None:
    """A PDF, and which of its pages (from 0) is the page `page` of the document; None where it ends before.

    What comes before that page is taken to be as long as it was, the contents among it, whose lines are those of then:
    on the page on which they end, what follows may stand a line higher or lower until the whole document is there.

    Args:
        earlier: the document as it was laid out before.
    """
    first, start = _beginning(document, earlier, page)
    guard, target = GlyphGuard(), BytesIO()
    story = Story(document, guard)
    story.begin(start)
    names = frozenset(_names(document))
    flowables = story.flowables(_enough(document.sections[first:], earlier, page - start.page))
    for flowable in flowables:
        if isinstance(flowable, TableOfContents):
            flowable._lastEntries = [entry for entry in earlier.entries if entry[-1] in names]
    if start.above:
        flowables.insert(0, Spacer(0, start.above))
    elif first:
        while isinstance(flowables[0], PageBreak | NextPageTemplate):
            flowables.pop(0)
    template = _Draft(target, document, guard, start, page, names)
    try:
        template.build(flowables, canvasmaker=canvas_maker(document))
    except _EnoughError:
        template.canv.save()
    index = page - start.page
    return (target.getvalue(), index) if template.page > index else None


def _beginning(document: ReportDocument, earlier: WrittenPdf, page: int) -> tuple[int, Start]:
    """The last section that began before the page or at its head, and how far the document had come there."""
    first, start = 0, Start()
    for index, section in enumerate(document.sections):
        own = _start_of(section, earlier)
        if own is None and _anchor(section):  # it was not there: what follows stood elsewhere
            break
        if own is None:
            continue
        if (own.page, own.above) > (page, 0.0) or (own.page, own.above) < (start.page, start.above):
            break
        first, start = index, own
    return first, start


def _anchor(section: ReportSection) -> str:
    headings = (block for block in section.blocks if isinstance(block, Heading) and block.level == 1)
    return next((heading.anchor for heading in headings if heading.anchor), "")


def _start_of(section: ReportSection, earlier: WrittenPdf) -> Start | None:
    return earlier.starts.get(_anchor(section))


def _enough(sections: Sequence[ReportSection], earlier: WrittenPdf, pages: int) -> list[Block]:
    """The blocks of as many sections as filled more than `pages` pages."""
    starts = sorted((start.page, start.above) for start in earlier.starts.values())
    blocks: list[Block] = []
    filled = 0
    for section in sections:
        blocks += section.blocks
        start = _start_of(section, earlier)
        if start is not None:
            next_page, _ = next((own for own in starts if own > (start.page, start.above)), (earlier.pages, 0.0))
            filled += next_page - start.page
        if filled > pages + 1:
            break
    return blocks


class _Draft(Template):
    """Ends with the page that was asked for; links lead to its first page, and its chapters are in no outline."""

    def __init__(
        self,
        target: BytesIO,
        document: ReportDocument,
        guard: GlyphGuard,
        start: Start,
        last: int,
        names: frozenset[str],
    ) -> None:
        super().__init__(target, document, guard, before=start.page - 1)
        self._last, self._names = last - start.page + 1, names
        if start.page > 1:
            self.pageTemplates.reverse()  # no page but the first is without a footer

    def beforePage(self) -> None:
        if self.page == 1:
            for name in sorted(self._names):
                self.canv.bookmarkPage(name)

    def afterFlowable(self, flowable: Any) -> None:
        self.draw_logo(getattr(flowable, "tb_anchor", ""))

    def handle_pageEnd(self) -> None:
        super().handle_pageEnd()
        if self.page >= self._last:
            raise _EnoughError


def _names(document: ReportDocument) -> Iterator[str]:
    """Everything that a link may lead to."""
    keys, mark = explained_keys(document.blocks), ""
    yield from keys
    for block in every_block(document.blocks):
        if isinstance(block, Volume):
            mark = block.mark
            yield from (mark + key for key in keys)
        elif isinstance(block, Heading) and block.anchor:
            yield block.anchor
