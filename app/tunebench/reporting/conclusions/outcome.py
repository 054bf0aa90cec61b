"""What became of the targets and the resources, what moved the unwanted way, and what lies ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tunebench.columns.formats import decimals_for
from tunebench.domain.engagement import Section
from tunebench.reporting.calling import tone_of
from tunebench.reporting.cases.case import ResourceSeries
from tunebench.reporting.cases.cycle import CaseIteration, CaseTarget
from tunebench.reporting.chapters import changes, cycle, front
from tunebench.reporting.chapters.capacity import forecast_figure
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, figure_table, shortened, table_of
from tunebench.reporting.chapters.judged import judged_iteration
from tunebench.reporting.chapters.result_page import headline
from tunebench.reporting.chapters.results import series_pair
from tunebench.reporting.conclusions.page import ConclusionPage, page
from tunebench.reporting.document import (
    Block,
    Column,
    DotFigure,
    DotRow,
    Note,
    NumberedList,
    Paragraph,
    SmallMultiple,
    SmallMultiples,
    Tone,
)
from tunebench.reporting.figures import FigureRow

LINES, DOTS, PANELS, POINTS = 8, 9, 8, 5


# -- the result against its target ---------------------------------------------------------------------


def has_result(context: Context) -> bool:
    return bool(context.case.cycle.iterations or context.figures.key_figures)


def achieved(context: Context) -> Iterator[ConclusionPage]:
    yield page(headline(context, judged_iteration(context)).text, _achieved(context))


def _achieved(context: Context) -> Iterator[Block]:
    yield from cycle.contradicted(context)
    dots = dot_figure(context)
    if dots.rows:
        yield dots
    told = judged_iteration(context)
    if told is not None:
        yield shortened(context, cycle.result_table(context, told), LINES)
    rest = _beside_the_cycle(context)
    if rest:
        notes = (*front.load_notes(context), context.text("note.ratio"))
        yield shortened(context, figure_table(context, rest, context.text("caption.key_figures"), notes=notes), LINES)


def _beside_the_cycle(context: Context) -> tuple[FigureRow, ...]:
    """The figures of the summary that the table of the targets does not show."""
    told = judged_iteration(context)
    shown = {f"metric.{target.metric.id}" for target in told.targets} if told is not None else set()
    return tuple(row for row in context.figures.key_figures if row.key not in shown)


def dot_figure(context: Context) -> DotFigure:
    """Every target of every iteration that has a figure, the judged one's first."""
    told = judged_iteration(context)
    others = [each for each in reversed(context.case.cycle.iterations) if each is not told]
    rows = [
        row
        for each in ([told] if told else []) + others
        for target in each.targets
        if (row := _dot(context, each, target)) is not None
    ]
    legend = (context.text("phase.before"), context.text("dots.result"), context.text("column.target"))
    return DotFigure(tuple(rows[:DOTS]), legend, context.text("caption.dots"))


def _dot(context: Context, each: CaseIteration, told: CaseTarget) -> DotRow | None:
    """None without a target above zero, or without a figure that may be printed."""
    goal = told.target.value if told.target else None
    if not goal or goal < 0 or told.now is None or told.now.value is None:
        return None
    baseline, interval = told.target.baseline if told.target else None, told.interval
    state = cycle.target_cell(context, told)
    result = cycle.figure_text(context, told.metric, told.now)
    number = context.text("dots.iteration", number=each.iteration.number)
    return DotRow(
        f"{cycle.name_with_statistic(context, told.metric)}\n{' · '.join(filter(None, (number, told.source)))}",
        baseline.value / goal if baseline and baseline.value is not None else None,
        told.now.value / goal,
        interval.low / goal if interval else None,
        interval.high / goal if interval else None,
        (f"{result} ({context.text('result.goal', target=cycle.target_text(context, told))})", state.text),
        state.tone,
    )


# -- resources -----------------------------------------------------------------------------------------


def has_resources(context: Context) -> bool:
    return bool(context.case.series)


def resources(context: Context) -> Iterator[ConclusionPage]:
    shown = _worst_first(context)
    words = [context.words.verdict(each.judged.row.verdict) for each in shown if each.judged is not None]
    if context.case.alone or not words:
        title = context.text("conclusion.resources_alone", count=len(shown))
    else:
        counted = ", ".join(f"{name} {count}" for name, count in Counter(words).most_common())
        title = context.text("conclusion.resources", count=len(shown), counts=counted)
    yield page(title, _resources(context, shown))


def _worst_first(context: Context) -> list[ResourceSeries]:
    """What got worse by its verdict, then the nearest to the end of its axis, on the side where it is nearer."""

    def rank(each: ResourceSeries) -> tuple[bool, float]:
        worse = each.judged is not None and tone_of(each.judged.row.verdict) is Tone.BAD
        means = [side.summary.mean or 0.0 for side in (each.before, each.after) if side is not None]
        return not worse, -max(means, default=0.0) / each.axis_maximum if each.axis_maximum else 0.0

    return sorted(context.case.series, key=rank)


def _resources(context: Context, shown: Sequence[ResourceSeries]) -> Iterator[Block]:
    panels = tuple(
        SmallMultiple(
            context.title(each),
            series_pair(context, each),
            _level(context, each),
            tone_of(each.judged.row.verdict) if each.judged is not None else Tone.PLAIN,
        )
        for each in shown[:PANELS]
    )
    legend = tuple(context.text(f"phase.{name}") for name in ("before", "after"))
    caption = context.text("caption.multiples", shown=len(panels), count=len(shown), zone=context.words.zone)
    yield SmallMultiples(panels, legend, caption)
    notes = "\n".join((*front.load_notes(context), *front.host_notes(context)))
    if notes:
        yield Note(notes)


def _level(context: Context, each: ResourceSeries) -> str:
    """``mean 43.1 → 12.9: improved``."""
    sides = [side for side in (each.before, each.after) if side is not None]
    means = [side.summary.mean for side in sides]
    told = " → ".join(context.words.number(mean, decimals_for(means)) for mean in means)
    level = f"{context.text('statistic.mean')} {told}"
    return f"{level}: {context.words.verdict(each.judged.row.verdict)}" if each.judged is not None else level


# -- what got worse, or was not addressed --------------------------------------------------------------


def has_worsened(context: Context) -> bool:
    return bool(context.case.cycle.iterations or not context.case.alone)


def worsened(context: Context) -> Iterator[ConclusionPage]:
    unanswered = [each for each in context.case.cycle.issues if not each.actions]
    by_verdict = list(front.worse_lines(context))
    counts = {"worse": len(list(changes.worse(context))), "unanswered": len(unanswered)}
    title = context.text("conclusion.worsened", **counts)
    blocks: list[Block] = [Note("\n".join(by_verdict), Tone.WARNING)] if by_verdict else []
    if context.case.cycle.iterations:
        blocks += changes.side_effects(context, POINTS, but=("open",))
    if unanswered:
        blocks.append(Paragraph(context.text("side_effects.unanswered")))
        blocks.append(NumberedList(tuple(each.issue.title for each in unanswered[: LINES + 2])))
    yield page(title, blocks)


# -- what lies ahead -----------------------------------------------------------------------------------


def has_outlook(context: Context) -> bool:
    return bool(
        context.case.analysis.capacity or context.case.texts(Section.OUTLOOK) or list(changes.open_points(context))
    )


def ahead(context: Context) -> Iterator[ConclusionPage]:
    found = context.case.analysis.capacity
    forecast = next((each for each in found if not each.refused), None)
    points = list(changes.open_points(context))
    if forecast is not None:
        title = f"{context.words.host(forecast.host)} · {forecast.name}: {forecast.headline}"
    else:
        title = context.text("conclusion.no_forecast", count=len(points))
    yield page(title, _ahead(context, points))


def _ahead(context: Context, points: Sequence[changes.OpenPoint]) -> Iterator[Block]:
    text, words, found = context.text, context.words, context.case.analysis.capacity
    if found:
        yield table_of(
            text("caption.outlooks"),
            found,
            (
                Column(text("case_capacity.resource"), TEXT, 2),
                lambda each: " · ".join(filter(None, (words.host(each.host), each.name))),
            ),
            (
                Column(text("case_capacity.now"), NUMBER),
                lambda each: words.quantity(each.now, each.unit, decimals_for([each.now])),
            ),
            (
                Column(text("case_capacity.limit"), NUMBER),
                lambda each: words.quantity(each.limit, each.unit, decimals_for([each.limit])),
            ),
            (Column(text("case_capacity.rate"), FIXED), lambda each: each.rate or "–"),
            (
                Column(text("case_capacity.reached"), TEXT, 3),
                lambda each: "\n".join((each.headline, *each.refusals[:1])),
            ),
        )
        shown = next((each for each in found if not each.refused), None)
        if shown is not None:
            yield forecast_figure(context, shown)
    told = context.case.texts(Section.OUTLOOK)
    if told:
        yield Paragraph(text("outlook.told"))
        yield NumberedList(told[:POINTS])
    if points:
        table = table_of(
            text("caption.open_points"),
            points,
            (Column(text("outlook.point"), TEXT, 4), lambda each: each.text),
            (Column(text("column.owner"), TEXT, 1), lambda each: each.owner or text("unknown")),
            (Column(text("column.due"), FIXED), lambda each: words.date(each.due_on) or text("unknown")),
        )
        yield shortened(context, table, LINES + 2)
