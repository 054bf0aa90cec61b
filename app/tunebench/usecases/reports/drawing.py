"""What the preview shows: first the page that was changed, then the document; both are made in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.translations import other_language
from tunebench.domain.windows import Window
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters.results import chart_names, unknown_charts
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.design import Design
from tunebench.reporting.document import Figure, ReportDocument, Table, every_block
from tunebench.reporting.success_case import available_sections
from tunebench.reporting.wording import Wording
from tunebench.usecases.projects import Project

if TYPE_CHECKING:
    from tunebench.reporting.pdf.writing import WrittenPdf

Cases = tuple[SuccessCase, ...]
"""What a document is made of, for each of its languages."""


@record
class Wanted:
    """The document that is asked for."""

    project: Project
    code: str
    issued: str
    design: Design
    before: Window | None
    after: Window | None

    @property
    def case_key(self) -> tuple[object, ...]:
        """What its cases depend on, beside what the project holds."""
        own = self.code, self.issued, self.before, self.after
        return self.project, *own, self.design.untranslated, self.design.look.both

    def runs_like(self, other: Wanted) -> bool:
        """Whether its pages follow each other as those of the other do, but for what was changed in them."""
        ours, theirs = self.design, other.design
        return (self.project, self.code, ours.shape, ours.look.both) == (
            other.project,
            other.code,
            theirs.shape,
            theirs.look.both,
        )

    def cases(self, kept: Cases, *, new_texts: bool) -> Cases:
        """
        Args:
            kept: those that were made for the same; none where they are to be made.
            new_texts: the consultant's paragraphs are others since.
        """
        from tunebench.usecases.reports import success_case as reports

        untranslated = self.design.untranslated
        codes = (self.code, other_language(self.code)) if self.design.look.both else (self.code,)
        if not kept:
            return tuple(
                reports.build_case(
                    self.project, code, self.issued, before=self.before, after=self.after, untranslated=untranslated
                )
                for code in codes
            )
        if not new_texts:
            return kept
        return tuple(
            reports.with_texts(self.project, case, code, untranslated) for case, code in zip(kept, codes, strict=True)
        )

    def document(self, cases: Cases) -> ReportDocument:
        from tunebench.usecases.reports import success_case as reports

        design = self.design
        recipe = Recipe(self.code, self.issued, design.shape, design.without, order=design.order)
        return reports.pdf_document(cases[0], recipe, design.look, *cases[1:])


@record
class Drawn:
    """
    Attributes:
        sections: (id, title) of all parts that the document could have.
        charts: id -> title of the series of the chapters on resources.
        unknown_charts: those that the layout names and there are not.
    """

    wanted: Wanted
    cases: Cases
    written: WrittenPdf
    sections: tuple[tuple[str, str], ...]
    tables: int
    figures: int
    charts: Mapping[str, str]
    unknown_charts: tuple[str, ...]


def draw(wanted: Wanted, cases: Cases, progress: Progress) -> Drawn:
    """The whole document."""
    from tunebench.reporting.pdf.writing import pdf_bytes

    design, case, code = wanted.design, cases[0], wanted.code
    document = wanted.document(cases)
    blocks = list(every_block(document.blocks))
    return Drawn(
        wanted,
        cases,
        pdf_bytes(document, progress=progress),
        available_sections(case, code, design.shape, design.order),
        sum(1 for block in blocks if isinstance(block, Table)),
        sum(1 for block in blocks if isinstance(block, Figure)),
        chart_names(case, Wording(code, case.zone)),
        unknown_charts(case, design.look),
    )


def draw_page(wanted: Wanted, cases: Cases, earlier: WrittenPdf, page: int, pixels: int) -> bytes:
    """PNG of one page, from 1; empty where the document has it no longer."""
    from tunebench.reporting.pdf import preview
    from tunebench.reporting.pdf.draft import draft_page

    draft = draft_page(wanted.document(cases), earlier, page)
    return preview.render_page(*draft, pixels) if draft is not None else b""
