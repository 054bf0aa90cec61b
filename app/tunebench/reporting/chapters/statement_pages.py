"""One page per chosen statement: text and plan before and after with their changed lines, figures, where it ran."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from tunebench.analysis.comparing.improvement import half_up
from tunebench.analysis.databases.statement_comparison import FigureChange, StatementChange
from tunebench.columns.statement_names import pair_name_with_id
from tunebench.reporting.calling import called_each
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import NUMBER, TEXT, Context
from tunebench.reporting.chapters.database_table import (
    class_text,
    class_tone,
    each_decimals,
    ratio_cell,
    remarks,
    total_decimals,
)
from tunebench.reporting.chapters.databases import BLOCK_FIGURES, figure_name
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Heading,
    KeyValueTable,
    MarkedCode,
    Note,
    Paragraph,
    Table,
    TableHead,
)
from tunebench.reporting.statement_words import basis_text
from tunebench.reporting.wording import grouped

TEXT_LIMIT = 4000
PLAN_LIMIT = 6000
MOST_PAGES = 20
FIGURES = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows_examined")


def statement_pages(context: Context) -> list[Block]:
    """Of each database the statements that have a real part in the change, and of all together at most so many."""
    paged = [(case, index) for case in context.case.databases for index in case.paged()]
    shown = [block for page in paged[:MOST_PAGES] for block in blocks_of(context, *page)]
    left = len(paged) - MOST_PAGES
    return [*shown, Note(context.text("db.pages_left", count=left))] if left > 0 else shown


def blocks_of(context: Context, case: DatabaseCase, index: int) -> Iterator[Block]:
    row = case.statements.row(index)
    yield Heading(_title(context, case, row), "", level=2)
    yield Badge(class_text(context, row), sentence(context, row), class_tone(context, row))
    yield KeyValueTable(tuple(_facts(context, case, row)))
    yield _figures(context, row)
    for change in row.changes.values():
        if change.figure in ("elapsed_s", "block_gets") and change.volume is not None and change.impact is not None:
            yield Paragraph(_decomposition(context, row, change))
    yield from _texts(context, case, row)
    yield from _plans(context, case, row)


def _title(context: Context, case: DatabaseCase, row: StatementChange) -> str:
    pinned = f" · {context.text('db.pinned')}" if case.is_pinned(row.pair) else ""
    return f"{pair_name_with_id(case.statements, row.pair, context.words.words)}{pinned}"


def sentence(context: Context, row: StatementChange) -> str:
    change = row.changes.get(row.judged_by)
    if change is None:
        return context.text("db.page_not_measured")
    return context.text(
        "db.page_sentence",
        figure=figure_name(context.words, change.figure),
        before=_each(context, change.before_each, change.figure),
        after=_each(context, change.after_each, change.figure),
        headline=context.words.headline(called_each(change, context.refused)),
    )


def _each(context: Context, value: float | None, figure: str) -> str:
    return context.words.number(value, each_decimals(value, figure in BLOCK_FIGURES))


def _facts(context: Context, case: DatabaseCase, row: StatementChange) -> Iterator[tuple[str, str]]:
    text = context.text
    basis = basis_text(row.changes[row.judged_by], context.words.words) if row.judged_by else ""
    if basis:
        judged = text("db.verdict", figure=text(f"db.name.{row.judged_by}"))
        yield judged, " · ".join((class_text(context, row), basis))
    yield text("db.statement_id"), case.reference_of(row.pair)
    module = case.module_of(row.pair)
    if module:
        yield text("db.module"), module
    places = (*case.before.places_of(row.pair.before), *case.after.places_of(row.pair.after))
    yield text("db.places"), ", ".join(places) or text("source.none")
    plans = [", ".join(plans) or text("unknown") for plans in (row.before_plans, row.after_plans)]
    if any((row.before_plans, row.after_plans)):
        yield text("db.plan_ids"), plans[0] if plans[0] == plans[1] else " → ".join(plans)
    notes = " · ".join(remarks(context, case, row))
    if notes:
        yield text("db.remarks"), notes


def _figures(context: Context, row: StatementChange) -> Table:
    text, words = context.text, context.words
    before, after = text("column.before_short"), text("column.after_short")
    total, per_execution = text("db.sum"), text("db.each")
    columns = (
        TableHead(text("column.figure"), TEXT, 1.8),
        *(TableHead(side, NUMBER, group=group) for group in (total, per_execution) for side in (before, after)),
        TableHead(text("column.ratio_short"), NUMBER),
        TableHead(text("term.impact"), NUMBER),
    )
    runs = [Cell(words.number(value, 0), value) for value in (row.before_executions, row.after_executions)]
    rows = [(Cell(text("db.executions")), *runs, *(Cell("–"),) * 4)]
    rows += [
        _figure_cells(context, change)
        for name in FIGURES
        if (change := row.changes[name]).before_total is not None or change.after_total is not None
    ]
    per_rows = [Cell(words.number(value, 1), value) for value in (row.before_rows, row.after_rows)]
    if row.before_rows is not None or row.after_rows is not None:
        rows.append((Cell(text("db.rows")), Cell("–"), Cell("–"), *per_rows, Cell("–"), Cell("–")))
    notes = (f"{text('term.impact')} = {text('definition.impact')}",)
    return Table(text("db.caption_page"), columns, tuple(rows), notes=notes, dense=True)


def _figure_cells(context: Context, change: FigureChange) -> tuple[Cell, ...]:
    words, blocks = context.words, change.figure in BLOCK_FIGURES
    per_execution = (change.before_each, change.after_each)
    totals = [
        Cell(words.number(value, 0 if blocks else total_decimals(value)), value)
        for value in (change.before_total, change.after_total)
    ]
    ratio = ratio_cell(words, called_each(change, context.refused), change.verdict)
    impact = "–" if change.impact is None else f"{half_up(change.impact, 0 if blocks else 3):+,f}"
    return (
        Cell(figure_name(words, change.figure)),
        *totals,
        *(Cell(words.number(value, each_decimals(value, blocks)), value) for value in per_execution),
        Cell(ratio.text.replace("\n", " · "), ratio.value, ratio.tone),
        Cell(impact, change.impact),
    )


def _decomposition(context: Context, row: StatementChange, change: FigureChange) -> str:
    assert change.volume is not None and change.impact is not None
    decimals = 0 if change.figure in BLOCK_FIGURES else 3
    return context.text(
        "db.page_decomposition",
        figure=figure_name(context.words, change.figure),
        change=f"{half_up(change.volume + change.impact, decimals):+,f}",
        volume=f"{half_up(change.volume, decimals):+,f}",
        behaviour=f"{half_up(change.impact, decimals):+,f}",
        before_runs=grouped(row.before_executions or 0, 0),
        after_runs=grouped(row.after_executions or 0, 0),
    )


# -- text and plan -------------------------------------------------------------------------------------


def _texts(context: Context, case: DatabaseCase, row: StatementChange) -> Iterator[Block]:
    old, new = case.before.text_of(row.pair.before_ids), case.after.text_of(row.pair.after_ids)
    if not old and not new:
        yield Paragraph(context.text("db.no_text"), muted=True)
    else:
        yield from _pair(context, "text", _cut(context, old, TEXT_LIMIT), _cut(context, new, TEXT_LIMIT))


def _plans(context: Context, case: DatabaseCase, row: StatementChange) -> Iterator[Block]:
    """The plans of either side, where a capture has their text."""
    old = case.before.plan_of(row.pair.before_ids, row.before_plans)
    new = case.after.plan_of(row.pair.after_ids, row.after_plans)
    if old or new:
        yield from _pair(context, "plan", _cut(context, old, PLAN_LIMIT), _cut(context, new, PLAN_LIMIT))
    elif row.plan_changed:
        yield Paragraph(context.text("db.no_plan"), muted=True)


def _pair(context: Context, kind: str, old: str, new: str) -> Iterator[Block]:
    """The text once where both sides have the same, else both with their changed lines."""
    if old == new:
        yield MarkedCode(context.text(f"db.{kind}_same"), old, frozenset())
        return
    changed = changed_lines(old, new)
    for side, text, lines in (("before", old, changed[0]), ("after", new, changed[1])):
        if text:
            yield MarkedCode(context.text(f"db.{kind}_{side}"), text, lines if old and new else frozenset())


def changed_lines(old: str, new: str) -> tuple[frozenset[int], frozenset[int]]:
    """Numbers (from 0) of the lines that the other text does not have; blanks at their ends do not count."""
    sides = tuple([line.rstrip() for line in text.split("\n")] for text in (old, new))
    marks: tuple[set[int], set[int]] = (set(), set())
    for tag, first, last, begin, end in SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_opcodes():
        if tag != "equal":
            marks[0].update(range(first, last))
            marks[1].update(range(begin, end))
    return frozenset(marks[0]), frozenset(marks[1])


def _cut(context: Context, text: str, limit: int) -> str:
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    return text[:limit] + "\n" + context.text("code.cut", count=f"{len(text) - limit:,}")
