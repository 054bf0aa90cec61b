"""Builds the success case: which chapters, in which order, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from tunebench.core.records import record
from tunebench.domain.engagement import Section
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters import appendix, front, results, statement_pages
from tunebench.reporting.chapters import audit as chapters_audit
from tunebench.reporting.chapters import capacity as chapters_capacity
from tunebench.reporting.chapters import capture as chapters_capture
from tunebench.reporting.chapters import changes as chapters_changes
from tunebench.reporting.chapters import configuration as chapters_configuration
from tunebench.reporting.chapters import cycle as chapters_cycle
from tunebench.reporting.chapters import experiments as chapters_experiments
from tunebench.reporting.chapters import findings as chapters_findings
from tunebench.reporting.chapters import profile as chapters_profile
from tunebench.reporting.chapters import verdicts as chapters_verdicts
from tunebench.reporting.chapters import worksheet as chapters_worksheet
from tunebench.reporting.chapters.context import Context, context_of
from tunebench.reporting.citing import with_citations
from tunebench.reporting.conclusions import answer_page, audit_form, study_page
from tunebench.reporting.conclusions.book import CONCLUSIONS
from tunebench.reporting.conclusions.page import Conclusion, ConclusionPage
from tunebench.reporting.document import Block, Heading, OnePage, ReportDocument, ReportSection, strings_of
from tunebench.reporting.figures import SUBJECTS
from tunebench.reporting.look import PLAIN_LOOK, Look
from tunebench.reporting.shapes import Shape, holds


@record
class _Chapter:
    """A chapter of the document, where there is something that it is `wanted` for; numbered unless it stands before the
    contents. One of `pages` has a heading on each of them."""

    id: str
    build: Callable[[Context], Iterable[Block]]
    wanted: Callable[[Context], object]
    numbered: bool = True
    appendix: bool = False
    heading: bool = True
    pages: Callable[[Context], Iterable[ConclusionPage]] | None = None


def _conclusion(conclusion: Conclusion) -> _Chapter:
    return _Chapter(conclusion.id, lambda context: (), conclusion.wanted, pages=conclusion.pages)


def _resource_chapter(subject: str) -> _Chapter:
    return _Chapter(
        subject,
        lambda context: results.resource(context, subject),
        lambda context: (
            any(series.subject == subject for series in context.case.series) or context.figures.of_subject(subject)
        ),
    )


_CHAPTERS: tuple[_Chapter, ...] = (
    _Chapter("cover", front.cover, lambda context: True, numbered=False, heading=False),
    _Chapter("result", answer_page.one_page, lambda context: True, numbered=False, heading=False),
    *map(_conclusion, CONCLUSIONS),
    _conclusion(Conclusion("study", lambda context: True, study_page.studies)),
    _Chapter("audit_form", audit_form.audit_form, lambda context: True, numbered=False),
    _Chapter("summary", chapters_cycle.summary, lambda context: True, numbered=False),
    _Chapter("contents", front.contents, lambda context: True, numbered=False, heading=False),
    _Chapter(
        "issues",
        chapters_cycle.issues,
        lambda context: (
            context.case.texts(Section.ISSUE)
            or context.case.hosts
            or context.case.cycle.issues
            or context.case.cycle.systems
        ),
    ),
    _Chapter(
        "approach",
        chapters_cycle.approach,
        lambda context: context.case.texts(Section.APPROACH) or context.case.cycle.iterations,
    ),
    _Chapter("worksheet", chapters_worksheet.worksheet, lambda context: context.case.cycle.actions),
    _Chapter("method", front.method, lambda context: True),
    _Chapter("capture", chapters_capture.capture, lambda context: context.case.live),
    _Chapter("configuration", chapters_configuration.configuration, lambda context: context.case.live),
    _Chapter("findings", chapters_findings.findings, chapters_findings.has_findings),
    _Chapter(
        "improvements",
        front.improvements,
        lambda context: context.case.texts(Section.IMPROVEMENT) or context.figures.key_figures,
    ),
    _Chapter("cycle_results", chapters_cycle.results, lambda context: context.case.cycle.iterations),
    _Chapter(
        "sql",
        results.sql,
        lambda context: context.figures.sql or context.case.databases or context.case.database_remarks,
    ),
    _Chapter(
        "sql_cases",
        statement_pages.statement_pages,
        lambda context: any(case.paged() for case in context.case.databases),
    ),
    _Chapter("profile", chapters_profile.profiles, chapters_profile.has_profile),
    *(_resource_chapter(subject) for subject in SUBJECTS),
    _Chapter("comparison", chapters_verdicts.comparison, lambda context: context.case.comparison),
    _Chapter("bottleneck", chapters_findings.bottleneck, lambda context: context.case.analysis.shift),
    _Chapter("experiments", chapters_experiments.experiments, lambda context: context.case.analysis.experiments),
    _Chapter(
        "change_log",
        chapters_changes.change_log,
        lambda context: any(iteration.log for iteration in context.case.cycle.iterations),
    ),
    _Chapter("side_effects", chapters_changes.side_effects, lambda context: context.case.cycle.iterations),
    _Chapter(
        "outlook",
        lambda context: front.narrative(context, Section.OUTLOOK),
        lambda context: context.case.texts(Section.OUTLOOK),
    ),
    _Chapter("capacity", chapters_capacity.capacity, lambda context: context.case.analysis.capacity),
    _Chapter(
        "full_comparison", chapters_verdicts.full_comparison, chapters_verdicts.has_full_comparison, appendix=True
    ),
    _Chapter("unjudged", chapters_findings.unjudged, lambda context: context.case.analysis.unjudged, appendix=True),
    _Chapter("entered", appendix.entered_sources, lambda context: context.figures.measured, appendix=True),
    _Chapter("pinned", chapters_changes.pinned, lambda context: context.case.cycle.evidence, appendix=True),
    _Chapter(
        "evidence",
        appendix.evidence,
        lambda context: context.case.evidence or context.case.licences.confirmed or context.case.licences.unconfirmed,
        appendix=True,
    ),
    _Chapter("ledgers", appendix.ledgers, lambda context: context.case.imports, appendix=True),
    _Chapter("audit", chapters_audit.audit, chapters_audit.has_audit, appendix=True),
    _Chapter("glossary", chapters_changes.glossary, lambda context: context.case.cycle.terms, appendix=True),
    _Chapter("definitions", lambda context: [appendix.definition_table(context)], lambda context: True, appendix=True),
)

SECTION_IDS = tuple(chapter.id for chapter in _CHAPTERS)
"""Every part a success case may have, in order."""


FIXED = ("cover", "result", "audit_form")
"""Parts that cannot be left out or moved."""


def available_sections(
    case: SuccessCase, language: str, shape: Shape = Shape.WHOLE, order: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """(id, title) of the parts this case has something for, in their order."""
    context = context_of(case, language)
    return tuple((chapter.id, _title(context, chapter)) for chapter in _parts_of(context, shape, order))


def is_appendix(part: str) -> bool:
    return any(chapter.appendix for chapter in _CHAPTERS if chapter.id == part)


def _parts_of(context: Context, shape: Shape, order: Sequence[str]) -> list[_Chapter]:
    chapters = [chapter for chapter in _ordered(order) if holds(shape, chapter.id) and chapter.wanted(context)]
    if not (holds(shape, "result") and holds(shape, "summary")):
        return chapters
    told_elsewhere = "result" if context.answer is None else "summary"
    return [chapter for chapter in chapters if chapter.id != told_elsewhere]


def _ordered(order: Sequence[str]) -> list[_Chapter]:
    """Appendices stay behind."""
    named = {chapter.id: chapter for chapter in _CHAPTERS}
    return sorted((named[part] for part in in_order(SECTION_IDS, order)), key=lambda chapter: chapter.appendix)


def in_order(parts: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """`parts`, where those that `order` names take the places they have together in its order; others stay."""
    moved = [part for part in dict.fromkeys(order) if part in parts and part not in FIXED]
    coming = iter(moved)
    return tuple(next(coming) if part in moved else part for part in parts)


def build_document(
    case: SuccessCase,
    language: str,
    sections: Collection[str] | None = None,
    shape: Shape = Shape.WHOLE,
    order: Sequence[str] = (),
    look: Look = PLAIN_LOOK,
) -> ReportDocument:
    """The success case of `case` in ``"ko"`` or ``"en"``.

    Args:
        sections: ids of the parts to include (see `SECTION_IDS`); None for all that have content.
        order: of parts that were moved (see `in_order`).
    """
    context = replace(context_of(case, language), look=look)
    chosen = [chapter for chapter in _parts_of(context, shape, order) if sections is None or chapter.id in sections]
    engagement = case.engagement
    parts = [part for part in (engagement.customer, engagement.title, engagement.confidentiality) if part]
    return ReportDocument(
        language=language,
        title=engagement.title or engagement.customer,
        author=", ".join(part for part in (engagement.firm, *engagement.consultants) if part),
        subject=context.text("cover.subtitle"),
        keywords=context.text("cover.keywords"),
        issued=case.issued,
        footer=" · ".join(parts),
        case=case,
        sections=tuple(with_citations(_counted(context, chosen), context.text("column.cited"))),
        look=look,
    )


def _counted(context: Context, chosen: list[_Chapter]) -> list[ReportSection]:
    """The chapters, where texts in another language are counted that stand in this document."""
    sections, case = _sections(context, chosen), context.case
    if not case.untranslated or case.leaves_out:
        return sections
    whole = "\n".join(strings_of(tuple(sections)))
    printed = tuple(text for text in case.untranslated if text.split("\n")[0][:_UNCUT] in whole)
    return _sections(replace(context, case=replace(case, untranslated=printed)), chosen)


_UNCUT = 40
"""Characters of a text that no document cuts off."""


def _title(context: Context, chapter: _Chapter) -> str:
    return context.text(f"section.{chapter.id}")


def _sections(context: Context, chosen: list[_Chapter]) -> list[ReportSection]:
    sections: list[ReportSection] = []
    numbered = lettered = 0
    for chapter in chosen:
        title, number = _title(context, chapter), ""
        if chapter.pages is not None:
            pages = list(chapter.pages(context))
            page_blocks = [_page(chapter.id, page, index, numbered, bool(sections)) for index, page in enumerate(pages)]
            numbered += len(pages)
            sections.append(ReportSection(chapter.id, title, tuple(block for two in page_blocks for block in two)))
            continue
        if chapter.appendix:
            lettered += 1
            number = context.text("appendix.number", letter=chr(ord("A") + lettered - 1))
        elif chapter.numbered:
            numbered += 1
            number = f"{numbered}."
        heading = (Heading(title, chapter.id, 1, number),) if chapter.heading else ()
        blocks = (*heading, *chapter.build(context))
        sections.append(ReportSection(chapter.id, f"{number} {title}".strip(), blocks))
    return sections


def _page(chapter: str, page: ConclusionPage, index: int, before: int, follows: bool) -> tuple[Heading, OnePage]:
    """
    Args:
        index: of the page in its chapter.
        before: numbered pages that come before the chapter.
        follows: the chapter is not the first of the document.
    """
    number = before + index + 1
    anchor = f"{chapter}-{index + 1}" if index else chapter
    return Heading(page.title, anchor, 1, f"{number}.", new_page=follows or index > 0, kicker=True), OnePage(
        page.blocks
    )
