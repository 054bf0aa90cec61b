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
    DotFigure,
    DotRow,
    Note,
    NumberedList,
    Paragraph,
    SmallMultiple,
    SmallMultiples,
    TableHead,
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
    judged = judged_iteration(context)
    if judged is not None:
        yield shortened(context, cycle.result_table(context, judged), LINES)
    rest = _beside_the_cycle(context)
    if rest:
        notes = (*front.load_notes(context), context.text("note.ratio"))
        yield shortened(context, figure_table(context, rest, context.text("caption.key_figures"), notes=notes), LINES)


def _beside_the_cycle(context: Context) -> tuple[FigureRow, ...]:
    """The figures of the summary that the table of the targets does not show."""
    judged = judged_iteration(context)
    shown = {f"metric.{target.metric.id}" for target in judged.targets} if judged is not None else set()
    return tuple(row for row in context.figures.key_figures if row.key not in shown)


def dot_figure(context: Context) -> DotFigure:
    """Every target of every iteration that has a figure, the judged one's first."""
    judged = judged_iteration(context)
    others = [iteration for iteration in reversed(context.case.cycle.iterations) if iteration is not judged]
    rows = [
        row
        for iteration in ([judged] if judged else []) + others
        for target in iteration.targets
        if (row := _dot(context, iteration, target)) is not None
    ]
    legend = (context.text("phase.before"), context.text("dots.result"), context.text("column.target"))
    return DotFigure(tuple(rows[:DOTS]), legend, context.text("caption.dots"))


def _dot(context: Context, iteration: CaseIteration, target: CaseTarget) -> DotRow | None:
    """The result as a multiple of its target; None without a target above zero or a figure that may be printed."""
    goal = target.target.value if target.target else None
    if not goal or goal < 0 or target.now is None or target.now.value is None:
        return None
    baseline, interval = target.target.baseline if target.target else None, target.interval
    state = cycle.target_cell(context, target)
    result = cycle.figure_text(context, target.metric, target.now)
    number = context.text("dots.iteration", number=iteration.iteration.number)
    return DotRow(
        f"{cycle.name_with_statistic(context, target.metric)}\n{' · '.join(filter(None, (number, target.source)))}",
        baseline.value / goal if baseline and baseline.value is not None else None,
        target.now.value / goal,
        interval.low / goal if interval else None,
        interval.high / goal if interval else None,
        (f"{result} ({context.text('result.goal', target=cycle.target_text(context, target))})", state.text),
        state.tone,
    )


# -- resources -----------------------------------------------------------------------------------------


def has_resources(context: Context) -> bool:
    return bool(context.case.series)


def resources(context: Context) -> Iterator[ConclusionPage]:
    shown = _worst_first(context)
    words = [context.words.verdict(series.judged.row.verdict) for series in shown if series.judged is not None]
    if context.case.alone or not words:
        title = context.text("conclusion.resources_alone", count=len(shown))
    else:
        counted = ", ".join(f"{name} {count}" for name, count in Counter(words).most_common())
        title = context.text("conclusion.resources", count=len(shown), counts=counted)
    yield page(title, _resources(context, shown))


def _worst_first(context: Context) -> list[ResourceSeries]:
    """What got worse by its verdict, then the nearest to the end of its axis, on the side where it is nearer."""

    def rank(series: ResourceSeries) -> tuple[bool, float]:
        worse = series.judged is not None and tone_of(series.judged.row.verdict) is Tone.BAD
        means = [side.summary.mean or 0.0 for side in (series.before, series.after) if side is not None]
        return not worse, -max(means, default=0.0) / series.axis_maximum if series.axis_maximum else 0.0

    return sorted(context.case.series, key=rank)


def _resources(context: Context, shown: Sequence[ResourceSeries]) -> Iterator[Block]:
    panels = tuple(
        SmallMultiple(
            context.title(series),
            series_pair(context, series),
            _level(context, series),
            tone_of(series.judged.row.verdict) if series.judged is not None else Tone.PLAIN,
        )
        for series in shown[:PANELS]
    )
    legend = tuple(context.text(f"phase.{name}") for name in ("before", "after"))
    caption = context.text("caption.multiples", shown=len(panels), count=len(shown), zone=context.words.zone)
    yield SmallMultiples(panels, legend, caption)
    notes = "\n".join((*front.load_notes(context), *front.host_notes(context)))
    if notes:
        yield Note(notes)


def _level(context: Context, series: ResourceSeries) -> str:
    """``mean 43.1 → 12.9: improved``."""
    sides = [side for side in (series.before, series.after) if side is not None]
    means = [side.summary.mean for side in sides]
    change = " → ".join(context.words.number(mean, decimals_for(means)) for mean in means)
    level = f"{context.text('statistic.mean')} {change}"
    return f"{level}: {context.words.verdict(series.judged.row.verdict)}" if series.judged is not None else level


# -- what got worse, or was not addressed --------------------------------------------------------------


def has_worsened(context: Context) -> bool:
    return bool(context.case.cycle.iterations or not context.case.alone)


def worsened(context: Context) -> Iterator[ConclusionPage]:
    unanswered = [issue for issue in context.case.cycle.issues if not issue.actions]
    by_verdict = list(front.worse_lines(context))
    counts = {"worse": len(list(changes.worse(context))), "unanswered": len(unanswered)}
    title = context.text("conclusion.worsened", **counts)
    blocks: list[Block] = [Note("\n".join(by_verdict), Tone.WARNING)] if by_verdict else []
    if context.case.cycle.iterations:
        blocks += changes.side_effects(context, POINTS, but=("open",))
    if unanswered:
        blocks.append(Paragraph(context.text("side_effects.unanswered")))
        blocks.append(NumberedList(tuple(issue.issue.title for issue in unanswered[: LINES + 2])))
    yield page(title, blocks)


# -- what lies ahead -----------------------------------------------------------------------------------


def has_outlook(context: Context) -> bool:
    return bool(
        context.case.analysis.capacity or context.case.texts(Section.OUTLOOK) or list(changes.open_points(context))
    )


def ahead(context: Context) -> Iterator[ConclusionPage]:
    outlooks = context.case.analysis.capacity
    forecast = next((outlook for outlook in outlooks if not outlook.refused), None)
    points = list(changes.open_points(context))
    if forecast is not None:
        title = f"{context.words.host(forecast.host)} · {forecast.name}: {forecast.headline}"
    else:
        title = context.text("conclusion.no_forecast", count=len(points))
    yield page(title, _ahead(context, points))


def _ahead(context: Context, points: Sequence[changes.OpenPoint]) -> Iterator[Block]:
    text, words, outlooks = context.text, context.words, context.case.analysis.capacity
    if outlooks:
        yield table_of(
            text("caption.outlooks"),
            outlooks,
            (
                TableHead(text("case_capacity.resource"), TEXT, 2),
                lambda outlook: " · ".join(filter(None, (words.host(outlook.host), outlook.name))),
            ),
            (
                TableHead(text("case_capacity.now"), NUMBER),
                lambda outlook: words.quantity(outlook.now, outlook.unit, decimals_for([outlook.now])),
            ),
            (
                TableHead(text("case_capacity.limit"), NUMBER),
                lambda outlook: words.quantity(outlook.limit, outlook.unit, decimals_for([outlook.limit])),
            ),
            (TableHead(text("case_capacity.rate"), FIXED), lambda outlook: outlook.rate or "–"),
            (
                TableHead(text("case_capacity.reached"), TEXT, 3),
                lambda outlook: "\n".join((outlook.headline, *outlook.refusals[:1])),
            ),
        )
        shown = next((outlook for outlook in outlooks if not outlook.refused), None)
        if shown is not None:
            yield forecast_figure(context, shown)
    stated = context.case.texts(Section.OUTLOOK)
    if stated:
        yield Paragraph(text("outlook.told"))
        yield NumberedList(stated[:POINTS])
    if points:
        table = table_of(
            text("caption.open_points"),
            points,
            (TableHead(text("outlook.point"), TEXT, 4), lambda point: point.text),
            (TableHead(text("column.owner"), TEXT, 1), lambda point: point.owner or text("unknown")),
            (TableHead(text("column.due"), FIXED), lambda point: words.date(point.due_on) or text("unknown")),
        )
        yield shortened(context, table, LINES + 2)
