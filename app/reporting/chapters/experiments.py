"""Experiments: the plan, every cell with its median and interval, the ranking, and what was not kept equal."""

from __future__ import annotations

from collections.abc import Iterator

from app.analysis.inference.verdict import Interval
from app.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart
from app.reporting.chapters.context import FIXED, NUMBER, TEXT, Context
from app.reporting.document import Block, Cell, Column, Heading, KeyValueTable, Note, Table, Tone
from app.reporting.wording import Wording, decimals_for, grouped


def experiments(context: Context) -> Iterator[Block]:
    for each in context.case.analysis.experiments:
        yield from _experiment(context, each)


def _experiment(context: Context, found: CaseExperiment) -> Iterator[Block]:
    text = context.text
    verdict = (text("case_experiment.verdict"), found.verdict)
    yield Heading(f"X-{found.number} {found.title}", "", level=2)
    yield KeyValueTable((*found.plan, verdict))
    yield from (_part_table(context, found, part) for part in found.parts)
    told = [*found.cautions, *(caution for part in found.parts for caution in part.cautions)]
    if found.confounders:
        told.append(text("case_experiment.confounders", names="; ".join(found.confounders)))
    if told:
        yield Note("\n".join(f"· {line}" for line in dict.fromkeys(told)), Tone.WARNING)


def _part_table(context: Context, found: CaseExperiment, part: CasePart) -> Table:
    text, words = context.text, context.words
    columns = (
        Column(text("case_experiment.place"), NUMBER),
        Column(text("case_experiment.cell"), TEXT, 2.2),
        Column("n", NUMBER),
        Column(words.label_with_unit(text("case_experiment.median"), part.unit), NUMBER),
        Column(text("verdict.interval"), FIXED),
        Column(text("case_experiment.spread"), NUMBER),
        Column(text("case_experiment.ratio"), TEXT, 1.8),
        Column(text("verdict.title"), TEXT, 2.2),
        Column(text("verdict.variation"), TEXT, 1),
    )
    decimals = decimals_for([cell.figures.median for cell in part.cells])
    rows = tuple(_cell_row(context, cell, decimals) for cell in in_rank(part.cells))
    caption = text("case_experiment.caption", number=found.number, response=part.response, cache=part.cache)
    return Table(caption, columns, rows, notes=(text("case_experiment.note"), part.noise, *part.curves), dense=True)


def in_rank(cells: tuple[CaseCell, ...]) -> list[CaseCell]:
    """The best first; unranked ones as they were planned."""
    return sorted(cells, key=lambda cell: cell.place or 0)


def _cell_row(context: Context, cell: CaseCell, decimals: int) -> tuple[Cell, ...]:
    words, found = context.words, cell.figures
    ratio, variation = (cell.compared.ratio, cell.compared.variation) if cell.compared else (None, None)
    spread = words.missing if found.spread is None else f"{grouped(100 * found.spread, 1)} %"
    return (
        Cell("–" if cell.place is None else f"{cell.place}", cell.place),
        Cell(cell.name),
        Cell(f"{found.n:,}", found.n),
        Cell(words.number(found.median, decimals), found.median),
        Cell(_interval(words, found.interval, decimals)),
        Cell("–" if found.n < 2 else spread, found.spread),
        Cell(context.text("case_experiment.is_reference") if cell.reference else cell.ratio_words or "–", ratio),
        Cell("\n".join(each for each in (cell.verdict, cell.settles) if each) or "–"),
        Cell(cell.variation or "–", variation.sd if variation else None),
    )


def _interval(words: Wording, found: Interval | None, decimals: int) -> str:
    return "–" if found is None else f"[{words.number(found.low, decimals)}, {words.number(found.high, decimals)}]"
