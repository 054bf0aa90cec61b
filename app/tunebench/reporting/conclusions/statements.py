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
        places: of the shown statements, the greatest total before first.
        shares: per cent of the total of all, of each with all before it.
        count: statements that were measured before.
    """

    figure: str
    places: tuple[int, ...]
    shares: tuple[float, ...]
    count: int


def _pareto(case: DatabaseCase) -> _Pareto | None:
    """By elapsed time, else by block accesses; None where nothing was measured before. Statements that ran inside of
    others are in those."""
    for figure in ("elapsed_s", "block_gets"):
        before = np.where(case.statements.before.outer, case.statements.before.total(figure), np.nan)
        known = np.nan_to_num(before)
        if known.sum() > 0:
            ordered = np.argsort(-known, kind="stable")[:BARS]
            places = [int(place) for place in ordered if known[place] > 0]
            shares = np.cumsum(known[places]) / known.sum() * 100
            return _Pareto(figure, tuple(places), tuple(map(float, shares)), int((known > 0).sum()))
    return None


def pareto(context: Context) -> Iterator[ConclusionPage]:
    """Of the first database that was measured; how many there are besides is said."""
    told = [(case, found) for case in context.case.databases if (found := _pareto(case)) is not None]
    case, found = told[0]
    most = next((place for place, share in enumerate(found.shares, 1) if share >= MOST_OF_IT), len(found.shares))
    outcomes = Counter(
        each for place in range(len(case.statements)) if (each := class_of(case.statements.row(place), context.refused))
    )
    messages = context.words.words
    counts = ", ".join(f"{class_text(outcome, messages)} {count:,}" for outcome, count in outcomes.most_common())
    title = context.text(
        "conclusion.pareto",
        shown=most,
        count=f"{found.count:,}",
        figure=context.text(f"db.name.{found.figure}"),
        share=f"{half_up(found.shares[most - 1], 1):f}",
        counts=counts,
    )
    further = [each.label for each, _ in told[1:]]
    yield page(title, _pareto_blocks(context, case, found, further))


def _pareto_blocks(context: Context, case: DatabaseCase, found: _Pareto, further: list[str]) -> Iterator[Block]:
    words, text = context.words, context.text
    coverage = case.statements.coverage
    rows = []
    for place, share in zip(found.places, found.shares, strict=True):
        row = case.statements.row(place)
        change = row.changes[found.figure]
        texts = total_texts(words, change)
        rows.append(
            ImpactRow(
                _label(case, place),
                change.before_total,
                change.after_total,
                *texts,
                worse=class_tone(context, row) is Tone.BAD,
                share=f"{half_up(share, 1):f} %",
            )
        )
    told = (
        text("unknown") if part is None else f"{half_up(part, 1):f} %"
        for part in (coverage.before_pct, coverage.after_pct)
    )
    coverages = dict(zip(("before", "after"), told, strict=True))
    caption = text(
        "caption.pareto",
        database=case.label,
        figure=text(f"db.name.{found.figure}"),
        source=evidence_text(case.evidence, 4) or text("source.none"),
        **coverages,
    )
    legend = (text("phase.before"), text("phase.after"))
    yield ImpactBars(figure_name(words, found.figure), legend, tuple(rows), caption, text("pareto.share"))
    table = headline_table(context, case)
    if table.rows:
        yield replace(table, notes=table.notes[:1])
        yield verdict_badge(context, case)
    slower = slower_text(context, case)
    if slower:
        yield Note(slower, Tone.WARNING)
    if further:
        yield Note(text("pareto.further", count=len(further), names=brief(", ".join(further), LABEL * 3)))


def _label(case: DatabaseCase, place: int) -> str:
    """Its number in the tables and its text, the id where no capture has one."""
    pair = case.statements.pairs[place]
    said = case.before.text_of(pair.before_ids) or case.after.text_of(pair.after_ids)
    return brief(f"{place + 1}. {' '.join(said.split()) or case.name_of(pair)}", LABEL)


# -- a page per statement ------------------------------------------------------------------------------


def statements(context: Context, most: int) -> Iterator[ConclusionPage]:
    """Those that count most, one of each database before the second of any."""
    paged = [case.paged() for case in context.case.databases]
    ranked = [
        (case, places[turn])
        for turn in range(max(map(len, paged), default=0))
        for case, places in zip(context.case.databases, paged, strict=True)
        if turn < len(places)
    ]
    for case, place in ranked[:most]:
        _heading, badge, *blocks = statement_pages.blocks_of(context, case, place)
        row = case.statements.row(place)
        name = " · ".join(filter(None, (f"#{place + 1}", case.label if len(context.case.databases) > 1 else "")))
        title = f"{name} {statement_pages.sentence(context, row)}"
        yield page(title, (badge, *(_cut(context, each) for each in blocks)))


def _cut(context: Context, block: Block) -> Block:
    if not isinstance(block, MarkedCode):
        return block
    lines = [brief(line, CODE_WIDE) for line in block.text.split("\n")]
    if len(lines) > CODE_LINES:
        lines = [*lines[:CODE_LINES], context.text("code.cut_lines", count=f"{len(lines) - CODE_LINES:,}")]
    return MarkedCode(block.title, "\n".join(lines), block.marked)
