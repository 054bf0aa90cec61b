"""What became of the targets and the resources, what moved the unwanted way, and what lies ahead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tunebench.analysis.answering.answer import Answer, CauseAnswer, Scope
from tunebench.analysis.answering.certainty import certainty_of
from tunebench.analysis.answering.ranking import strongest
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.answer_words import AnswerText, answer_text, counts_text, notes_for
from tunebench.columns.answering.marks import plain
from tunebench.columns.answering.resource_words import (
    change_text,
    figure_name,
    figure_sentence,
    figure_values,
    scale_of,
)
from tunebench.columns.formats import decimals_for
from tunebench.domain.engagement import Section
from tunebench.reporting.cases.answer import AnswerCase
from tunebench.reporting.cases.case import ResourceSeries
from tunebench.reporting.cases.cycle import CaseIteration, CaseTarget, MeasuredOver
from tunebench.reporting.chapters import changes, cycle, front, statement_pages
from tunebench.reporting.chapters.capacity import forecast_figure
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, figure_table, shortened, table_of
from tunebench.reporting.chapters.judged import judged_iteration
from tunebench.reporting.chapters.results import series_pair
from tunebench.reporting.conclusions.kind_page import has_kinds
from tunebench.reporting.conclusions.page import ConclusionPage, page
from tunebench.reporting.conclusions.parts import chip, database_sentence, foot, runs, verdict_chip
from tunebench.reporting.conclusions.parts import figure_table as resource_rows
from tunebench.reporting.document import (
    Block,
    Cell,
    Claim,
    DayDots,
    DayLine,
    DayRow,
    DotFigure,
    DotRow,
    MarkedCode,
    Note,
    NumberedList,
    Paragraph,
    Role,
    Run,
    SmallMultiple,
    SmallMultiples,
    Table,
    TableHead,
)
from tunebench.reporting.figures import FigureRow

LINES, DOTS, PANELS, POINTS = 8, 9, 8, 3
RESOURCES, ROWS_OF_DAYS, FOLDED, BESIDE = 14, 5, 8, 5


# -- the result against its target ---------------------------------------------------------------------


def has_result(context: Context) -> bool:
    return judged_iteration(context) is not None and context.answer is not None


def achieved(context: Context) -> Iterator[ConclusionPage]:
    yield ConclusionPage(context.text("section.achieved"), tuple(_achieved(context)))


def _achieved(context: Context) -> Iterator[Block]:
    judged = judged_iteration(context)
    assert judged is not None
    yield from cycle.contradicted(context)
    words, case = context.answer, context.case.answer
    assert words is not None and case is not None
    sure = _sure_of_target(context, case.answer)
    yield Claim(
        runs(words.targets[0]),
        chips=(chip(sure.chip),) if sure is not None else (),
        remark=sure.sure if sure is not None else "",
        lines=_plain(words.targets[1:]),
    )
    dots = dot_figure(context)
    if dots.rows:
        yield dots
    yield shortened(context, cycle.result_table(context, judged), LINES)
    rest = _beside_the_cycle(context)
    if rest:
        notes = (context.text("note.ratio"),)
        yield shortened(context, figure_table(context, rest, context.text("caption.key_figures"), notes=notes), BESIDE)
    marked = notes_for(words.notes, *words.targets)
    for note in marked:
        yield Paragraph(note, muted=True)
    irregular = [sentence for sentence in cycle.irregular(context, judged) if sentence not in "\n".join(marked)]
    if irregular:
        yield Note("\n".join(irregular[:LINES]))
    yield from foot(context, context.answer)


def _sure_of_target(context: Context, answer: Answer) -> AnswerText | None:
    """How sure the first target of the iteration is: the answer may be of other windows, and as sure as these."""
    own = next((target for target in answer.targets if target.scope is Scope.ITERATION), None)
    if own is None:
        return None
    return answer_text(replace(answer, headline=own, certainty=certainty_of(own)), context.words.locale)


def _plain(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(plain(sentence) for sentence in sentences)


def _beside_the_cycle(context: Context) -> tuple[FigureRow, ...]:
    """The figures of the summary that the table of the targets does not show; each that is not of the windows of the
    page with its own."""
    judged = judged_iteration(context)
    targets = [target for iteration in context.case.cycle.iterations for target in iteration.targets]
    measured = {f"metric.{target.metric.id}": target.windows for target in targets}
    shown = {f"metric.{target.metric.id}" for target in judged.targets} if judged is not None else set()
    return tuple(
        row if row.captured and not row.key.startswith("metric.") else _with_windows(context, row, measured)
        for row in context.figures.key_figures
        if row.key not in shown
    )


def _with_windows(
    context: Context, row: FigureRow, measured: Mapping[str, tuple[MeasuredOver | None, MeasuredOver | None]]
) -> FigureRow:
    """``Block accesses, total (2007-07-19 → 2007-07-26)``: its windows by name, else its days, as those of the entered
    figure that it reads."""
    names = [window.name for window in measured.get(row.key, ()) if window is not None]
    entered = next((own for own in context.figures.measured if own.key == row.entered), row)
    days = [context.words.date(day) for day in (entered.before_date, entered.after_date) if day]
    unnamed = context.text("achieved.of_iteration" if row.key.startswith("metric.") else "achieved.undated")
    windows = " → ".join(dict.fromkeys(names or days)) or unnamed
    name = row.label or context.text(f"figure.{row.key}")
    return replace(row, label=context.text("achieved.of_windows", name=name, windows=windows))


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
    start = context.text("dots.start") if any(row.start is not None for row in rows[:DOTS]) else ""
    return DotFigure(tuple(rows[:DOTS]), legend, context.text("caption.dots"), start=start)


def _started(context: Context, target: CaseTarget) -> float | None:
    """The baseline of the engagement, where the metric was measured before this iteration."""
    answer = context.case.answer.answer if context.case.answer is not None else None
    own = [one for one in answer.targets if one.scope is Scope.ENGAGEMENT] if answer is not None else []
    if not own or own[0].metric.id != target.metric.id or own[0].before is None:
        return None
    return own[0].before.value


def _dot(context: Context, iteration: CaseIteration, target: CaseTarget) -> DotRow | None:
    """The result as a multiple of its target; None without a target above zero or a figure that may be printed."""
    goal = target.target.value if target.target else None
    if not goal or goal < 0 or target.now is None or target.now.value is None:
        return None
    baseline, interval = target.target.baseline if target.target else None, target.interval
    state = cycle.target_cell(context, target)
    result = cycle.figure_text(context, target.metric, target.now)
    started = _started(context, target)
    number = context.text("dots.iteration", number=iteration.iteration.number)
    where = " · ".join(filter(None, (number, cycle.source_name(context, target))))
    return DotRow(
        f"{cycle.name_with_statistic(context, target.metric)}\n{where}",
        baseline.value / goal if baseline and baseline.value is not None else None,
        target.now.value / goal,
        interval.low / goal if interval else None,
        interval.high / goal if interval else None,
        (f"{result} ({context.text('result.goal', target=cycle.target_text(context, target))})", state.text),
        state.tone,
        None if started is None else started / goal,
    )


# -- resources -----------------------------------------------------------------------------------------


def has_resources(context: Context) -> bool:
    return bool(context.case.series) and not has_kinds(context)


def resources(context: Context) -> Iterator[ConclusionPage]:
    yield ConclusionPage(context.text("section.resources"), tuple(_resources(context)))


def _resources(context: Context) -> Iterator[Block]:
    """The charts without a verdict: that of each resource stands once, in the table below."""
    shown = sorted(context.case.series, key=_nearness)
    answer = context.case.answer.answer if context.case.answer is not None else None
    if answer is not None and answer.counts.resources:
        yield _resource_claim(context, answer)
    else:
        yield Claim((Run(context.text("conclusion.resources_alone", count=len(shown))),))
    panels = tuple(
        SmallMultiple(context.title(series), series_pair(context, series), _level(context, series))
        for series in shown[:PANELS]
    )
    legend = tuple(context.text(f"phase.{name}") for name in ("before", "after"))
    caption = context.text("caption.multiples", shown=len(panels), count=len(shown), zone=context.words.zone)
    yield SmallMultiples(panels, legend, caption)
    if answer is not None and answer.counts.resources:
        yield resource_table(context, answer)
    notes = "\n".join(front.host_notes(context))
    if notes:
        yield Note(notes)
    yield from foot(context, context.answer)


def _resource_claim(context: Context, answer: Answer) -> Claim:
    """What changed most by its verdict, by name."""
    judged = (own for own in answer.databases if own.verdict in (Verdict.IMPROVED, Verdict.REGRESSED))
    changed = [database_sentence(context, database) for database in judged]
    changed += [figure_sentence(figure, context.words.locale) for figure in strongest(answer.figures)]
    counts = counts_text(answer, context.words.locale)
    if not changed:
        count = f"{answer.counts.resources:,}"
        return Claim((Run(context.text("resources.unjudged", count=count)),), lines=(counts,))
    return Claim(runs(changed[0]), lines=(*(plain(sentence) for sentence in changed[1:3]), counts))


def resource_table(context: Context, answer: Answer) -> Table:
    """Every resource with its verdict, those that changed first."""
    changed = strongest(answer.figures)
    ordered = [*changed, *(figure for figure in answer.figures if figure not in changed)]
    room = max(RESOURCES - len(answer.databases), 0)
    facts = {"shown": len(answer.databases) + len(ordered[:room]), "count": f"{answer.counts.resources:,}"}
    caption = context.text("answer.caption_resources", **facts)
    return resource_rows(context, ordered[:room], caption, answer.databases)


def _nearness(series: ResourceSeries) -> float:
    """The nearest to the end of its axis first, on the side where it is nearer."""
    means = [side.summary.mean or 0.0 for side in (series.before, series.after) if side is not None]
    return -max(means, default=0.0) / series.axis_maximum if series.axis_maximum else 0.0


def _level(context: Context, series: ResourceSeries) -> str:
    """``mean 43.1 → 12.9``."""
    sides = [side for side in (series.before, series.after) if side is not None]
    means = [side.summary.mean for side in sides]
    change = " → ".join(context.words.number(mean, decimals_for(means)) for mean in means)
    return f"{context.text('statistic.mean')} {change}"


# -- what got worse, and what next ---------------------------------------------------------------------


def has_worsened(context: Context) -> bool:
    """Whether there is more than page one says already: that nothing got worse, and what is next."""
    if context.answer is None:
        return False
    recorded = context.case.cycle.iterations or context.case.cycle.issues or context.case.texts(Section.OUTLOOK)
    return bool(context.answer.worse or recorded)


def worsened(context: Context) -> Iterator[ConclusionPage]:
    yield ConclusionPage(context.text("section.worsened"), tuple(_worsened(context)))


def _worsened(context: Context) -> Iterator[Block]:
    words, case = context.answer, context.case.answer
    assert words is not None and case is not None
    lines = [plain(worse.text) for worse in words.worse]
    judged = sum(worse.judged for worse in words.worse) + case.answer.more_worse
    title = context.text("worsened.title", count=judged, first=lines[0]) if judged else words.worse_title
    yield Claim((Run(title),), lines=tuple(lines[1:] if judged else lines))
    dots = _day_dots(context, case)
    if dots.rows:
        yield dots
    yield from _dearest(context, case)
    if context.case.cycle.iterations:
        yield from changes.side_effects(context, POINTS, but=("open",))
    unanswered = [issue for issue in context.case.cycle.issues if not issue.actions]
    if unanswered:
        yield Paragraph(context.text("side_effects.unanswered"))
        yield NumberedList(tuple(issue.issue.title for issue in unanswered[:POINTS]))
    stated = context.case.texts(Section.OUTLOOK)
    if stated and not has_outlook(context):
        yield Paragraph(context.text("outlook.told"))
        yield NumberedList(stated[:POINTS])
    yield _next_table(context, words)
    yield from foot(context, words)


def _dearest(context: Context, case: AnswerCase) -> Iterator[Block]:
    """The statement that got worse the most, with its text and plans."""
    cause = next((own.subject for own in case.answer.worse if isinstance(own.subject, CauseAnswer)), None)
    for database in context.case.databases if cause is not None else ():
        for index, pair in enumerate(database.statements.pairs):
            if cause is not None and pair == cause.statement.pair:
                _heading, badge, *blocks = statement_pages.blocks_of(context, database, index)
                yield badge
                yield from (block for block in blocks if isinstance(block, Table | MarkedCode))
                return


def _day_dots(context: Context, case: AnswerCase) -> DayDots:
    """What got worse, then what got better: a dot for each occurrence."""
    worse = [own.subject for own in case.answer.worse if isinstance(own.subject, Figure)]
    better = [figure for figure in case.answer.tiles if figure.lead.verdict is Verdict.IMPROVED]
    rows = [row for figure in (*worse, *better)[:ROWS_OF_DAYS] if (row := _day_row(context, case, figure)) is not None]
    heads = (context.text("days.what"), context.text("days.dots"), context.text("days.so"))
    return DayDots(heads, tuple(rows), context.text("days.caption"))


def _day_row(context: Context, case: AnswerCase, figure: Figure) -> DayRow | None:
    levels = case.levels.get(figure.resource)
    if levels is None:
        return None
    locale, scale = context.words.locale, scale_of(figure.lead)
    before, after, unit = figure_values(figure, locale)
    scaled = [tuple(level / scale for level in own) for own in levels]
    sides = zip(("before", "after"), scaled, (before, after), (Role.BEFORE, Role.AFTER), strict=True)
    lines = tuple(
        DayLine(context.text(f"column.{name}_short"), own, sum(own) / len(own) if own else None, words, role)
        for name, own, words, role in sides
    )
    folded = ", ".join(f"{other.series.tool} {other.series.native}" for other in figure.folded[:FOLDED])
    return DayRow(
        figure_name(figure, locale),
        unit,
        lines,
        verdict_chip(context, figure.lead.verdict),
        change_text(figure, locale),
        context.text("days.folded", names=folded) if folded else "",
    )


def _next_table(context: Context, words: AnswerText) -> Table:
    """What the answer asks for, then what is still open in the records, with owner and date."""
    text, points = context.text, list(changes.open_points(context))
    columns = (
        TableHead(text("next.what"), TEXT, 3.4),
        TableHead(text("next.how"), TEXT, 2),
        TableHead(text("column.owner"), TEXT, 1),
        TableHead(text("column.due"), FIXED),
    )
    rows = [(Cell(step.sentence), Cell(step.command or "–"), Cell("–"), Cell("–")) for step in words.next]
    rows += [
        (Cell(point.text), Cell("–"), Cell(point.owner or "–"), Cell(context.words.date(point.due_on) or "–"))
        for point in points[:LINES]
    ]
    return Table(text("next.caption"), columns, tuple(rows), dense=True)


# -- what lies ahead -----------------------------------------------------------------------------------


def has_outlook(context: Context) -> bool:
    """Whether something was measured for long enough to look ahead; what consultants tell stands beside what next."""
    return bool(context.case.analysis.capacity)


def ahead(context: Context) -> Iterator[ConclusionPage]:
    yield page(context.text("section.ahead"), _ahead(context))


def _ahead_title(context: Context) -> str:
    forecast = next((outlook for outlook in context.case.analysis.capacity if not outlook.refused), None)
    if forecast is not None:
        return f"{context.words.host(forecast.host)} · {forecast.name}: {forecast.headline}"
    return context.text("result.no_outlook")


def _ahead(context: Context) -> Iterator[Block]:
    text, words, outlooks = context.text, context.words, context.case.analysis.capacity
    yield Claim((Run(_ahead_title(context)),))
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
