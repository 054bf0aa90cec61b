"""Page one: the question, the answer, how sure it is, one picture, the price, what got worse, what next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.analysis.answering.answer import DatabaseAnswer, KindAnswer, TargetAnswer
from tunebench.analysis.answering.resources import Figure
from tunebench.columns.answering.answer_words import AnswerText, notes_for
from tunebench.columns.answering.kind_words import group_text, names_text
from tunebench.columns.answering.marks import plain
from tunebench.columns.answering.resource_words import figure_name
from tunebench.columns.answering.target_words import goal_text, name_of
from tunebench.columns.formats import figure_text
from tunebench.columns.series_words import unit_text
from tunebench.reporting.cases.answer import AnswerCase, Course
from tunebench.reporting.chapters import front
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.cycle import LONGEST, contradicted
from tunebench.reporting.conclusions import database_page, kind_page, study_page
from tunebench.reporting.conclusions.parts import chip, figure_table, foot, runs
from tunebench.reporting.document import (
    Block,
    Claim,
    Heading,
    NextBox,
    OnePage,
    Paragraph,
    Span,
    Spans,
    TextColumn,
    TextColumns,
)
from tunebench.reporting.wording import brief

_MOST_NEXT = 2


def one_page(context: Context) -> Iterator[Block]:
    """The answer; of an engagement that compares and wants nothing, its first study or what was collected."""
    if study_page.is_answer(context):
        first = next(study_page.studies(context))
        yield from (Heading(first.title, "result", kicker=True), OnePage(first.blocks))
        return
    engagement = context.case.engagement
    yield Heading(brief(engagement.title or engagement.customer, LONGEST), "result", kicker=True)
    if context.answer is None:
        yield from _collected(context)
    else:
        yield OnePage(tuple(answer_blocks(context)))


def _collected(context: Context) -> Iterator[Block]:
    """Of one side alone, or of figures that were typed in without a target."""
    yield Paragraph(front.of_what(context), muted=True)
    yield from contradicted(context)
    yield Claim(runs(context.text("result.alone" if context.case.alone else "result.unset")))
    yield from front.summary(context)


def answer_blocks(context: Context) -> Iterator[Block]:
    case, words = context.case.answer, context.answer
    assert case is not None and words is not None
    yield Paragraph(front.of_what(context), muted=True)
    yield from contradicted(context)
    yield claim(words, tuple(_members(context, case)))
    yield from picture(context, case)
    databases, every = case.answer.databases, case.answer.counts.resources
    if case.answer.tiles or databases:
        shown = {"shown": len(case.answer.tiles) + len(databases), "count": f"{every:,}"}
        yield figure_table(context, case.answer.tiles, context.text("answer.caption_figures", **shown), databases)
    yield TextColumns(tuple(_columns(context, words)))
    steps = words.next[:_MOST_NEXT]
    yield NextBox(tuple(step.sentence for step in steps), next((step.command for step in steps if step.command), ""))
    for note in notes_for(words.notes, words.headline, *words.further, *words.price):
        yield Paragraph(note, muted=True)
    yield from foot(context, words)


def _members(context: Context, case: AnswerCase) -> Iterator[str]:
    """Who belongs to what changed, where the headline is how many did."""
    kind, locale = case.answer.headline, context.words.locale
    if not isinstance(kind, KindAnswer):
        return
    for group in kind.changed:
        names = names_text(kind, group.members, locale)
        several = len(kind.changed) > 1
        yield f"{group_text(kind, group, locale)} ({names})" if several else locale.text("answer.members", names=names)


def claim(words: AnswerText, members: Sequence[str] = ()) -> Claim:
    return Claim(
        runs(words.headline),
        question=words.question,
        chips=(chip(words.chip),),
        remark=words.sure,
        lines=(*(plain(sentence) for sentence in words.further), *members),
    )


# -- the picture ---------------------------------------------------------------------------------------


def picture(context: Context, case: AnswerCase) -> Iterator[Block]:
    """One that shows the headline: its windows beside each other, a dot for each of a kind, or sessions at work."""
    headline = case.answer.headline
    if isinstance(headline, KindAnswer):
        yield kind_page.strip(context, headline)
    elif isinstance(headline, DatabaseAnswer):
        yield from database_page.pictures(context, headline.label)[:1]
    elif len(case.courses) > 1 and isinstance(headline, TargetAnswer | Figure):
        yield _spans(context, case.courses, headline)


def _spans(context: Context, courses: Sequence[Course], headline: TargetAnswer | Figure) -> Spans:
    locale = context.words.locale
    if isinstance(headline, TargetAnswer):
        name, unit = name_of(headline.metric, locale), headline.metric.unit
        targets = tuple(_targets(context, headline))
    else:
        name, unit, targets = figure_name(headline, locale), headline.lead.unit, ()
    shown = unit_text(unit, locale.messages)
    windows = tuple(
        Span(
            context.text("answer.start", window=course.window) if course.start else course.window,
            course.values,
            course.mean,
            f"{figure_text(course.mean, 3)} {shown}".strip(),
        )
        for course in courses
    )
    title = context.text("answer.course", name=name, unit=shown)
    return Spans(title, windows, context.text("answer.course_caption"), targets)


def _targets(context: Context, answer: TargetAnswer) -> Iterator[tuple[float, str]]:
    """Where it is to be, and where it was to be before somebody amended that."""
    goals = (("target_line", answer.goal), ("first_target_line", None if answer.first is None else answer.first[0]))
    for name, goal in goals:
        if goal is not None:
            shown = goal_text(answer.metric, goal, context.words.locale)
            yield goal, context.text(f"answer.{name}", goal=shown)


# -- beside it -----------------------------------------------------------------------------------------


def _columns(context: Context, words: AnswerText) -> Iterator[TextColumn]:
    text, load = context.text, front.load_line(context, words.load)
    yield TextColumn(text("answer.column.sure"), tuple(filter(None, (load, words.bottleneck))))
    yield TextColumn(text("answer.column.price"), words.price)
    worse = [words.worse_title, *(plain(worse.text) for worse in words.worse)]
    yield TextColumn(text("answer.column.worse"), tuple(worse))
