"""A study on one page: its question, what came out, its picture, what tells why, how far it holds, what to run next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.marks import as_after, as_before
from tunebench.columns.formats import decimals_for, ratio_text
from tunebench.domain.engagement import Direction, Phase
from tunebench.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart
from tunebench.reporting.chapters.context import NUMBER, TEXT, Context, cut_note, table_of
from tunebench.reporting.chapters.experiments import level_lines
from tunebench.reporting.conclusions.page import ITEM, ConclusionPage, page
from tunebench.reporting.conclusions.parts import runs, signed, verdict_tone
from tunebench.reporting.document import (
    BarLevel,
    Block,
    Cell,
    Chip,
    Claim,
    GroupedBars,
    NextBox,
    Paragraph,
    Table,
    TableHead,
    TextColumn,
    TextColumns,
    Tone,
)
from tunebench.reporting.wording import in_parts

CELLS, RESPONSES = 8, 4
"""Shown at most; all of them are in the chapter and the workbook."""
_PARAGRAPHS, _STEPS = 3, 2
_Show = Callable[[CaseCell], Cell | str]


def _measured(context: Context) -> list[CaseExperiment]:
    """Without those of which nothing but the noise was measured."""
    return [experiment for experiment in context.case.analysis.experiments if experiment.parts[0].cells]


def is_answer(context: Context) -> bool:
    """Whether the engagement is its studies: nothing was compared or typed in, and no target was set."""
    case = context.case
    compared = case.measurements or any(window.phase is not Phase.OTHER for window in case.windows)
    return context.answer is None and not compared and bool(_measured(context))


def has_further(context: Context) -> bool:
    """Whether there are more than the one that is page one."""
    return is_answer(context) and len(_measured(context)) > 1


def studies(context: Context) -> Iterator[ConclusionPage]:
    """A page for each of which something was measured; where there is none, one that says so."""
    measured = _measured(context)
    for experiment in measured:
        yield page(experiment.title, _blocks(context, experiment))
    if not measured:
        yield page(context.text("section.study"), [Claim(runs(context.text("study.none")))])


def _blocks(context: Context, experiment: CaseExperiment) -> Iterator[Block]:
    part = experiment.parts[0]
    yield _claim(context, experiment, part)
    yield level_lines(context, part, _caption(context, part)) if part.panels else _bars(context, experiment, part)
    yield _table(context, experiment, part)
    yield TextColumns(tuple(_columns(context, experiment, part)))
    sentence, command = experiment.next_step
    yield NextBox((sentence,), command)
    facts = {"number": experiment.number, "response": part.response, "cache": part.cache}
    yield Paragraph(context.text("study.foot", **facts), muted=True)


# -- what came out -------------------------------------------------------------------------------------


def _claim(context: Context, experiment: CaseExperiment, part: CasePart) -> Claim:
    facts = {"count": len(part.cells), "factors": ", ".join(experiment.factors), "response": part.response}
    question = context.text(f"study.question.{part.direction}", **facts)
    best = part.best
    if best is None or best.compared is None or part.only_ranks:
        unjudged = part.direction is Direction.NEUTRAL
        chip = Chip(experiment.verdict if unjudged else context.text("study.ranking_only"), Tone.WARNING)
        return Claim(runs(_ranked(context, part)), question, (chip,), _runs_text(context, part))
    chip = Chip(best.verdict, verdict_tone(best.compared.verdict))
    facts = {"variation": best.variation, "runs": best.compared.n, "reference_runs": best.compared.n_reference}
    return Claim(runs(_judged(context, part, best)), question, (chip,), context.text("study.varies", **facts))


def _ranked(context: Context, part: CasePart) -> str:
    """Which came first in these runs, and how far the others lie from it: no word of better or worse."""
    ordered = part.in_order
    first, last = ordered[0], ordered[-1]
    facts = {"response": part.response, "name": first.short, "value": as_after(_quantity(context, part, first))}
    if first is last:
        return context.text("study.ranked.alone", **facts)
    ends = (ordered[1], last) if part.direction is Direction.LOWER else (last, ordered[1])
    times = [_times(first, cell) for cell in ends]
    if part.direction is Direction.NEUTRAL or not all(times):
        return context.text("study.ranked.neutral", last=last.short, last_value=_quantity(context, part, last), **facts)
    return context.text(f"study.ranked.{part.direction}", times=_between(context, times), **facts)


def _judged(context: Context, part: CasePart, best: CaseCell) -> str:
    reference = part.reference
    assert reference is not None  # it was compared with
    facts = {"response": part.response, "name": best.short, "reference": reference.short}
    facts["ratio"], _, _ = best.ratio_words.partition(" [")  # its interval stands in the table
    facts["value"] = as_after(_quantity(context, part, best))
    facts["base"] = as_before(_quantity(context, part, reference))
    assert best.compared is not None
    key = "behind" if best.compared.verdict is Verdict.REGRESSED else "judged"
    return context.text(f"study.{key}", **facts)


def _runs_text(context: Context, part: CasePart) -> str:
    counts = [cell.figures.n for cell in part.cells]
    if max(counts) == 1:
        return context.text("study.single")
    return context.text("study.repeated", runs=_between(context, [f"{min(counts)}", f"{max(counts)}"]))


def _between(context: Context, ends: Sequence[str]) -> str:
    return ends[0] if ends[0] == ends[-1] else context.text("study.between", low=ends[0], high=ends[-1])


def _quantity(context: Context, part: CasePart, cell: CaseCell) -> str:
    return f"{_value(context, part, cell)} {context.words.unit(part.unit)}".rstrip()


def _value(context: Context, part: CasePart, cell: CaseCell) -> str:
    """The median, with the same decimals wherever it stands on the page."""
    return context.words.number(cell.figures.median, decimals_for([own.figures.median for own in part.cells]))


def _times(first: CaseCell, cell: CaseCell) -> str:
    """How many times the first's median; empty where one of them is not above 0."""
    median, base = _height(cell), _height(first)
    return ratio_text(median / base) if min(median, base) > 0 else ""


# -- the picture ---------------------------------------------------------------------------------------


def _bars(context: Context, experiment: CaseExperiment, part: CasePart) -> GroupedBars:
    """Beside each the largest of what else has the same unit."""
    shown = _shown(part)
    others = [other for other in _responses(experiment, part)[1:] if other.unit == part.unit and other.cells]
    second = max(others, key=lambda other: max(map(_height, other.cells)), default=None)
    names = tuple(own.response for own in (part, second) if own is not None)
    levels = tuple(_level(context, part, second, cell, shown[0]) for cell in shown)
    return GroupedBars(
        ", ".join(names), context.words.unit(part.unit), names, levels, _caption(context, part, len(shown))
    )


def _shown(part: CasePart) -> list[CaseCell]:
    """The first in order, and the reference."""
    return [cell for index, cell in enumerate(part.in_order) if index < CELLS or cell.reference]


def _height(cell: CaseCell) -> float:
    return cell.figures.median or 0.0


def _responses(experiment: CaseExperiment, part: CasePart) -> list[CasePart]:
    """The part first, then the other responses in its cache state."""
    return [part, *(other for other in experiment.parts if other.cache == part.cache and other is not part)]


def _same(part: CasePart, cell: CaseCell) -> CaseCell | None:
    return next((own for own in part.cells if own.figures.cell == cell.figures.cell), None)


def _level(context: Context, part: CasePart, second: CasePart | None, cell: CaseCell, first: CaseCell) -> BarLevel:
    name, _, detail = cell.short.rpartition(" · ")
    beside = _same(second, cell) if second is not None else None
    return BarLevel(
        name or detail,
        detail if name else "",
        cell.figures.median,
        _value(context, part, cell),
        _mark(context, part, cell, first),
        beside.figures.median if beside is not None else None,
        _value(context, second, beside) if second is not None and beside is not None else "",
        is_best=cell is first if part.only_ranks else cell is part.best and _is_better(cell),
    )


def _is_better(cell: CaseCell) -> bool:
    return cell.compared is not None and verdict_tone(cell.compared.verdict) is Tone.STRONG


def _mark(context: Context, part: CasePart, cell: CaseCell, first: CaseCell) -> str:
    """What stands above a bar: how many times the first where nothing is judged, else which is the reference."""
    if not part.only_ranks:
        return context.text("case_experiment.is_reference") if cell.reference else ""
    if part.direction is Direction.NEUTRAL:
        return ""
    if cell is first:
        return context.text(f"study.first.{part.direction}")
    return context.text("study.times", times=_times(first, cell)) if _times(first, cell) else ""


def _caption(context: Context, part: CasePart, shown: int | None = None) -> str:
    count, trials = len(part.cells), sum(cell.figures.n for cell in part.cells)
    key = "study.bars" if shown is not None else "study.curves"
    return context.text(key, shown=shown, count=count, trials=trials, cache=part.cache)


# -- the figures ---------------------------------------------------------------------------------------


def _table(context: Context, experiment: CaseExperiment, part: CasePart) -> Table:
    """Each setting with its one verdict; where nothing is judged, with its figures alone."""
    text, shown = context.text, _shown(part)
    columns: list[tuple[TableHead, _Show]] = [
        (TableHead(text("case_experiment.cell"), TEXT, 2.4), lambda cell: cell.short),
        (TableHead("n", NUMBER), lambda cell: Cell(f"{cell.figures.n:,}", cell.figures.n)),
        *(_figure_column(context, own) for own in _responses(experiment, part)[:RESPONSES]),
    ]
    if not part.only_ranks:
        reference = text("case_experiment.is_reference")
        columns += [
            (
                TableHead(text("case_experiment.ratio"), TEXT, 1.6),
                lambda cell: reference if cell.reference else cell.ratio_words,
            ),
            (TableHead(text("verdict.title"), TEXT, 1.6), _verdict_cell),
        ]
    notes = cut_note(context, len(shown), len(part.cells))
    return table_of(text("study.table", response=part.response), shown, *columns, notes=notes)


def _figure_column(context: Context, part: CasePart) -> tuple[TableHead, _Show]:
    def show(cell: CaseCell) -> Cell:
        own = _same(part, cell)
        return Cell(context.words.missing) if own is None else Cell(_value(context, part, own), own.figures.median)

    return TableHead(context.words.label_with_unit(part.response, part.unit), NUMBER), show


def _verdict_cell(cell: CaseCell) -> Cell:
    compared = cell.compared
    tone = Tone.PLAIN if compared is None or compared.only_ranks else verdict_tone(compared.verdict)
    return Cell(cell.verdict or "–", None, tone)


# -- beside them ---------------------------------------------------------------------------------------


def _columns(context: Context, experiment: CaseExperiment, part: CasePart) -> Iterator[TextColumn]:
    """What tells why; what the figures rest on; what was not kept equal."""
    text = context.text
    reasons = [*_waiting(context, experiment, part), *_steps(context, experiment, part), *part.bends]
    yield _column(context, "why", reasons or [text("study.no_reason")])
    facts = {"trials": sum(cell.figures.n for cell in part.cells), "count": len(part.cells)}
    rests = [text("study.trials", **facts), *part.cautions]
    yield _column(context, "limits", rests)
    yield _column(context, "uncontrolled", [*experiment.confounders, *experiment.cautions])


def _column(context: Context, name: str, paragraphs: Sequence[str]) -> TextColumn:
    shown = [in_parts(paragraph, ITEM) for paragraph in paragraphs[:_PARAGRAPHS]]
    if len(paragraphs) > _PARAGRAPHS:
        shown.append(context.text("result.more", count=len(paragraphs) - _PARAGRAPHS))
    return TextColumn(context.text(f"study.column.{name}"), tuple(shown))


def _waiting(context: Context, experiment: CaseExperiment, part: CasePart) -> Iterator[str]:
    """How much of what the last took longer than the first was processor time."""
    times = {row.cell: row for row in experiment.waiting if row.wait_s is not None}
    first, last = part.in_order[0], part.in_order[-1]
    low, high = times.get(first.figures.cell), times.get(last.figures.cell)
    if low is None or high is None or low.real_s >= high.real_s:
        return
    longer = high.real_s - low.real_s
    computed = (high.user_s + high.sys_s) - (low.user_s + low.sys_s)
    decimals = decimals_for([longer])
    facts = {"computed": signed(computed, decimals), "waited": signed(longer - computed, decimals)}
    yield context.text("study.waiting", first=first.short, last=last.short, longer=signed(longer, decimals), **facts)


def _steps(context: Context, experiment: CaseExperiment, part: CasePart) -> Iterator[str]:
    """What a factor comes to where nothing else differs, the largest first."""
    by_cell = {cell.figures.cell: cell for cell in part.cells}
    for step in experiment.steps[:_STEPS]:
        low, high = by_cell[step.low.cell], by_cell[step.high.cell]
        facts = {"factor": step.factor, "low": low.short, "high": high.short, "times": ratio_text(step.ratio)}
        facts["values"] = f"{_value(context, part, low)} → {_quantity(context, part, high)}"
        yield context.text("study.step", **facts)
