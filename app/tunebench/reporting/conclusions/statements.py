"""Which statements the time went to, and the ones that count most, each with its text and plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tunebench.analysis.comparing.improvement import half_up
from tunebench.reporting.calling import class_of
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters import statement_pages
from tunebench.reporting.chapters.context import Context, evidence_text
from tunebench.reporting.chapters.database_table import class_tone, total_texts
from tunebench.reporting.chapters.databases import figure_name, headline_table, slower_text, verdict_badge
from tunebench.reporting.conclusions.page import ConclusionPage, page
from tunebench.reporting.document import Block, ImpactBars, ImpactRow, MarkedCode, Note, Tone
from tunebench.reporting.statement_words import class_text
from tunebench.reporting.wording import brief

BARS = 10
MOST_OF_IT = 80.0
"""Per cent that the title counts the statements of."""
LABEL = 60
CODE_LINES, CODE_WIDE = 26, 110
"""Lines of a text or plan on a page, and characters of a line: the document of the whole has them all."""


def has_statements(context: Context) -> bool:
    return any(_pareto(case) is not None for case in context.case.databases)


@dataclass(frozen=True, slots=True)
class _Pareto:
    """
    Attributes:
        indices: of the shown statements, the greatest total before first.
        shares: per cent of the total of all, of each with all before it.
        count: statements that were measured before.
    """

    figure: str
    indices: tuple[int, ...]
    shares: tuple[float, ...]
    count: int


def _pareto(case: DatabaseCase) -> _Pareto | None:
    """The statements that cost most by elapsed time, else by block accesses; None where nothing was measured before.

    Statements that ran inside of others are in those.
    """
    for figure in ("elapsed_s", "block_gets"):
        before = np.where(case.statements.before.outer, case.statements.before.total(figure), np.nan)
        totals = np.nan_to_num(before)
        if totals.sum() > 0:
            ordered = np.argsort(-totals, kind="stable")[:BARS]
            indices = [int(index) for index in ordered if totals[index] > 0]
            shares = np.cumsum(totals[indices]) / totals.sum() * 100
            return _Pareto(figure, tuple(indices), tuple(map(float, shares)), int((totals > 0).sum()))
    return None


def pareto(context: Context) -> Iterator[ConclusionPage]:
    """The page of the first database that was measured; how many there are besides is said."""
    curves = [(case, curve) for case in context.case.databases if (curve := _pareto(case)) is not None]
    case, curve = curves[0]
    most = next((number for number, share in enumerate(curve.shares, 1) if share >= MOST_OF_IT), len(curve.shares))
    outcomes = Counter(
        called
        for index in range(len(case.statements))
        if (called := class_of(case.statements.row(index), context.refused))
    )
    messages = context.words.words
    counts = ", ".join(f"{class_text(outcome, messages)} {count:,}" for outcome, count in outcomes.most_common())
    title = context.text(
        "conclusion.pareto",
        shown=most,
        count=f"{curve.count:,}",
        figure=context.text(f"db.name.{curve.figure}"),
        share=f"{half_up(curve.shares[most - 1], 1):f}",
        counts=counts,
    )
    further = [further_case.label for further_case, _ in curves[1:]]
    yield page(title, _pareto_blocks(context, case, curve, further))


def _pareto_blocks(context: Context, case: DatabaseCase, curve: _Pareto, further: list[str]) -> Iterator[Block]:
    words, text = context.words, context.text
    coverage = case.statements.coverage
    rows = []
    for index, share in zip(curve.indices, curve.shares, strict=True):
        row = case.statements.row(index)
        change = row.changes[curve.figure]
        texts = total_texts(words, change)
        rows.append(
            ImpactRow(
                _label(case, index),
                change.before_total,
                change.after_total,
                *texts,
                worse=class_tone(context, row) is Tone.BAD,
                share=f"{half_up(share, 1):f} %",
            )
        )
    shares = (
        text("unknown") if part is None else f"{half_up(part, 1):f} %"
        for part in (coverage.before_pct, coverage.after_pct)
    )
    coverages = dict(zip(("before", "after"), shares, strict=True))
    caption = text(
        "caption.pareto",
        database=case.label,
        figure=text(f"db.name.{curve.figure}"),
        source=evidence_text(case.evidence, 4) or text("source.none"),
        **coverages,
    )
    legend = (text("phase.before"), text("phase.after"))
    yield ImpactBars(figure_name(words, curve.figure), legend, tuple(rows), caption, text("pareto.share"))
    table = headline_table(context, case)
    if table.rows:
        yield replace(table, notes=table.notes[:1])
        yield verdict_badge(context, case)
    slower = slower_text(context, case)
    if slower:
        yield Note(slower, Tone.WARNING)
    if further:
        yield Note(text("pareto.further", count=len(further), names=brief(", ".join(further), LABEL * 3)))


def _label(case: DatabaseCase, index: int) -> str:
    """The statement's number in the tables and its text; the id where no capture has one."""
    pair = case.statements.pairs[index]
    statement = case.before.text_of(pair.before_ids) or case.after.text_of(pair.after_ids)
    return brief(f"{index + 1}. {' '.join(statement.split()) or case.name_of(pair)}", LABEL)


# -- a page per statement ------------------------------------------------------------------------------


def statements(context: Context, most: int) -> Iterator[ConclusionPage]:
    """A page for each of the statements that count most, one of each database before the second of any."""
    paged = [case.paged() for case in context.case.databases]
    ranked = [
        (case, places[turn])
        for turn in range(max(map(len, paged), default=0))
        for case, places in zip(context.case.databases, paged, strict=True)
        if turn < len(places)
    ]
    for case, index in ranked[:most]:
        _heading, badge, *blocks = statement_pages.blocks_of(context, case, index)
        row = case.statements.row(index)
        name = " · ".join(filter(None, (f"#{index + 1}", case.label if len(context.case.databases) > 1 else "")))
        title = f"{name} {statement_pages.sentence(context, row)}"
        yield page(title, (badge, *(_cut(context, block) for block in blocks)))


def _cut(context: Context, block: Block) -> Block:
    if not isinstance(block, MarkedCode):
        return block
    lines = [brief(line, CODE_WIDE) for line in block.text.split("\n")]
    if len(lines) > CODE_LINES:
        lines = [*lines[:CODE_LINES], context.text("code.cut_lines", count=f"{len(lines) - CODE_LINES:,}")]
    return MarkedCode(block.title, "\n".join(lines), block.marked)
