"""Experiments: the plan, every cell with its median and interval, the ranking, and what was not kept equal."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.analysis.experiments.figures import CellFigures
from tunebench.analysis.inference.verdict import Interval
from tunebench.columns.formats import decimals_for
from tunebench.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, table_of
from tunebench.reporting.document import Block, Cell, Heading, KeyValueTable, LevelLines, Note, Table, TableHead, Tone
from tunebench.reporting.wording import Wording, grouped


def experiments(context: Context) -> Iterator[Block]:
    for experiment in context.case.analysis.experiments:
        yield from _experiment(context, experiment)


def _experiment(context: Context, experiment: CaseExperiment) -> Iterator[Block]:
    text = context.text
    verdict = (text("case_experiment.verdict"), experiment.verdict)
    yield Heading(f"X-{experiment.number} {experiment.title}", "", level=2)
    yield KeyValueTable((*experiment.plan, verdict))
    for part in experiment.parts:
        yield _part_table(context, experiment, part)
        if part.panels and part.response == experiment.parts[0].response:  # what the experiment is about
            yield level_lines(context, part, _caption(context, experiment, part))
    remarks = [*experiment.cautions, *(caution for part in experiment.parts for caution in part.cautions)]
    if experiment.confounders:
        remarks.append(text("case_experiment.confounders", names="; ".join(experiment.confounders)))
    if remarks:
        yield Note("\n".join(f"· {line}" for line in dict.fromkeys(remarks)), Tone.WARNING)


def level_lines(context: Context, part: CasePart, caption: str) -> LevelLines:
    return LevelLines(part.response, part.panels, context.words.unit(part.unit), part.across, caption)


def _caption(context: Context, experiment: CaseExperiment, part: CasePart) -> str:
    return context.text("case_experiment.caption", number=experiment.number, response=part.response, cache=part.cache)


def _part_table(context: Context, experiment: CaseExperiment, part: CasePart) -> Table:
    text, words = context.text, context.words
    decimals = decimals_for([cell.figures.median for cell in part.cells])
    return table_of(
        _caption(context, experiment, part),
        in_rank(part.cells),
        (
            TableHead(text("case_experiment.place"), NUMBER),
            lambda cell: Cell("–" if cell.place is None else f"{cell.place}", cell.place),
        ),
        (TableHead(text("case_experiment.cell"), TEXT, 2.2), lambda cell: cell.name),
        (TableHead("n", NUMBER), lambda cell: Cell(f"{cell.figures.n:,}", cell.figures.n)),
        (
            TableHead(words.label_with_unit(text("case_experiment.median"), part.unit), NUMBER),
            lambda cell: Cell(words.number(cell.figures.median, decimals), cell.figures.median),
        ),
        (TableHead(text("verdict.interval"), FIXED), lambda cell: _interval(words, cell.figures.interval, decimals)),
        (TableHead(text("case_experiment.spread"), NUMBER), lambda cell: _spread_cell(words, cell.figures)),
        (
            TableHead(text("case_experiment.ratio"), TEXT, 1.8),
            lambda cell: Cell(
                text("case_experiment.is_reference") if cell.reference else cell.ratio_words or "–",
                cell.compared.ratio if cell.compared else None,
            ),
        ),
        (
            TableHead(text("verdict.title"), TEXT, 2.2),
            lambda cell: "\n".join(filter(None, (cell.verdict, cell.settles))) or "–",
        ),
        (
            TableHead(text("verdict.variation"), TEXT, 1),
            lambda cell: Cell(
                cell.variation or "–", cell.compared.variation.sd if cell.compared and cell.compared.variation else None
            ),
        ),
        notes=(text("case_experiment.note"), part.noise, *part.curves),
    )


def in_rank(cells: tuple[CaseCell, ...]) -> list[CaseCell]:
    """The cells, the best first; unranked ones as they were planned."""
    return sorted(cells, key=lambda cell: cell.place or 0)


def _spread_cell(words: Wording, figures: CellFigures) -> Cell:
    spread = words.missing if figures.spread is None else f"{grouped(100 * figures.spread, 1)} %"
    return Cell("–" if figures.n < 2 else spread, figures.spread)


def _interval(words: Wording, interval: Interval | None, decimals: int) -> str:
    return (
        "–"
        if interval is None
        else f"[{words.number(interval.low, decimals)}, {words.number(interval.high, decimals)}]"
    )
