"""The result on one page: what became of the target, at what price, and what is to be decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.domain.engagement import Direction, Phase
from tunebench.reporting.calling import tone_of
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget
from tunebench.reporting.chapters import front
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.cycle import (
    baseline_text,
    change_text,
    contradicted,
    figure_text,
    irregular,
    name_with_statistic,
    outcome_text,
    state_cell,
    target_cell,
    target_text,
)
from tunebench.reporting.chapters.judged import ASSUMED, decisive, judged_iteration, of_targets, targets_of, top_target
from tunebench.reporting.chapters.verdicts import comparability
from tunebench.reporting.document import Block, Heading, Headline, KeyValueTable, Paragraph, Tile, Tiles, Tone
from tunebench.reporting.figures import FigureRow
from tunebench.reporting.wording import brief

TILES = 4
LINES = 3
"""Of one kind on the page; how many more there are is said."""
LONGEST = 120
"""Characters of a name: the page is one, whatever people call their metrics."""


def result_page(context: Context) -> Iterator[Block]:
    iteration = judged_iteration(context)
    yield Heading(brief(context.case.engagement.title or context.case.engagement.customer, LONGEST), "result")
    yield Paragraph("\n".join(filter(None, (of_what(context), front.untranslated_text(context)))), muted=True)
    yield from contradicted(context)
    yield headline(context, iteration)
    tiles = _tiles(context, iteration)
    if tiles:
        yield Tiles(tiles)
    yield KeyValueTable(tuple((name, "\n".join(lines)) for name, lines in _lines(context, iteration) if lines))
    yield comparability(context, short=True)


# -- what it says --------------------------------------------------------------------------------------


def of_what(context: Context) -> str:
    """What the document is about: customer, windows, hosts, date of issue."""
    case, words = context.case, context.words
    windows = (
        f"{context.text(f'phase.{window.phase.value}')} {window.name} "
        f"({words.span(window.occurrences[0].start_ns, window.occurrences[-1].end_ns)})"
        for window in case.windows
        if window.phase is not Phase.OTHER and window.occurrences
    )
    issued = words.date(case.issued) if case.issued else context.text("cover.not_issued")
    hosts = _some(context, [words.host(host.name) for host in case.hosts], ", ")
    return " · ".join(filter(None, (case.engagement.customer, *windows, hosts, issued)))


def headline(context: Context, iteration: CaseIteration | None) -> Headline:
    if iteration is None:
        key = "alone" if context.case.alone else "unset"
        return Headline(context.text(f"result.{key}"))
    gravest, tops = top_target(iteration), decisive(iteration)
    state = gravest.state.removesuffix(ASSUMED)
    sentence = context.text(
        f"result.{state}",
        name=_name(context, gravest),
        before=baseline_text(context, gravest),
        after=figure_text(context, gravest.metric, gravest.now),
        target=target_text(context, gravest),
        change=change_text(context, gravest.metric, gravest.change),
    )
    if gravest.qualified:  # first, so that no title is cut before it
        sentence = f"{context.text('result.qualified', words='; '.join(gravest.qualified))} {sentence}"
    further = []
    if gravest.state.endswith(ASSUMED):
        further.append(context.text("result.assumed"))
    if state == "met" and _met_before(gravest):
        further.append(context.text("result.met_before"))
    over = of_targets(context, gravest)
    if over:
        further.append(context.text("result.measured_over", windows=over))
    if len(tops) > 1:
        met = sum(target.state.removesuffix(ASSUMED) == "met" for target in tops)
        further.append(context.text("result.several", met=met, count=len(tops)))
    paid = [brief(guard.metric.name, LONGEST) for guard in iteration.guards if tone_of(guard.state) is not Tone.PLAIN]
    if paid:
        further.append(context.text("result.at_price", names=_some(context, paid, ", ")))
    return Headline(" ".join((sentence, *further)), tone_of(state))


def _met_before(target: CaseTarget) -> bool:
    """Whether the baseline already met the limit: a figure, not a verdict."""
    goal, baseline = (target.target.value, target.target.baseline) if target.target else (None, None)
    if goal is None or baseline is None or baseline.value is None or baseline.bound:
        return False
    return baseline.value <= goal if target.metric.direction is Direction.LOWER else baseline.value >= goal


def _name(context: Context, target: CaseTarget) -> str:
    return brief(name_with_statistic(context, target.metric), LONGEST)


def _tiles(context: Context, iteration: CaseIteration | None) -> tuple[Tile, ...]:
    """The targets of the iteration; without any the first figures of the summary."""
    if iteration is None:
        return tuple(_tile_of_figure(context, row) for row in context.figures.key_figures[:TILES])
    return tuple(_tile_of_target(context, target) for target in targets_of(iteration)[:TILES])


def _tile_of_target(context: Context, target: CaseTarget) -> Tile:
    verdict = target_cell(context, target)
    return Tile(
        _name(context, target),
        "\n".join(filter(None, (brief(target.source, LONGEST), _measured(context, target)))),
        baseline_text(context, target),
        figure_text(context, target.metric, target.now),
        context.text("result.goal", target=target_text(context, target)),
        verdict.text,
        verdict.tone,
    )


def _measured(context: Context, target: CaseTarget) -> str:
    """Both windows of a target, which need not be those of the report; empty for figures that were typed in."""
    return " → ".join(
        f"{window.name} ({context.words.span(window.start_ns, window.end_ns)})"
        for window in target.windows
        if window is not None
    )


def _tile_of_figure(context: Context, row: FigureRow) -> Tile:
    goal, headline = context.text("method.no_target"), context.words.headline(row.change, row.decimals)
    before, after = context.before_text(row), context.after_text(row)
    return Tile(brief(context.full_name(row), LONGEST), "", before, after, goal, headline, tone_of(row.change.change))


def _lines(context: Context, iteration: CaseIteration | None) -> Iterator[tuple[str, Sequence[str]]]:
    """(name, sentences) of what must stand beside a gain."""
    text = context.text
    if iteration is not None:
        refusals = dict.fromkeys(sentence for target in decisive(iteration) for sentence in target.refusals)
        yield text("result.refused"), _cut(context, list(refusals))
    yield text("result.price"), _price(context, iteration)
    yield text("result.worse"), list(front.worse_lines(context))
    yield text("result.load"), front.load_notes(context)
    yield text("result.outlook"), _outlook(context)
    if iteration is not None:
        yield text("result.irregular"), _cut(context, irregular(context, iteration))
    yield text("result.decision"), [_decision(context, iteration)]


def _price(context: Context, iteration: CaseIteration | None) -> Sequence[str]:
    guards = [] if iteration is None else list(iteration.guards)
    if not guards:
        return [context.text("result.unwatched")]
    gravest_first = sorted(guards, key=lambda guard: tone_of(guard.state) is Tone.PLAIN)
    return _cut(context, [guard_text(context, guard) for guard in gravest_first])


def guard_text(context: Context, guard: CaseGuard) -> str:
    before, now = (figure_text(context, guard.metric, figure) for figure in (guard.before, guard.now))
    return (
        f"{brief(guard.metric.name, LONGEST)} {before} → {now}: {state_cell(context, 'guard_state', guard.state).text}"
    )


def _outlook(context: Context) -> Sequence[str]:
    """What is forecast, else the sentence that nothing is."""
    headlines = [
        f"{brief(outlook.name, LONGEST)}: {outlook.headline}"
        for outlook in context.case.analysis.capacity
        if not outlook.refused
    ]
    return _cut(context, headlines) or [context.text("result.no_outlook")]


def _decision(context: Context, iteration: CaseIteration | None) -> str:
    """What the reader is asked for; of an iteration that was closed, how."""
    if iteration is None:
        return context.text("result.ask.unset")
    if iteration.iteration.closed_on:
        return context.text("result.closed", outcome=outcome_text(context, iteration))
    return context.text(f"result.ask.{top_target(iteration).state.removesuffix(ASSUMED)}")


def _cut(context: Context, lines: Sequence[str]) -> list[str]:
    more = len(lines) - LINES
    return [*lines[:LINES], *([context.text("result.more", count=more)] if more > 0 else [])]


def _some(context: Context, names: Sequence[str], between: str) -> str:
    return between.join(_cut(context, names))
