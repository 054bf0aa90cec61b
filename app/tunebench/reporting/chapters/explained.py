"""The change of DB time, step by step: a waterfall, the table it is drawn from, and the same change by wait class."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.analysis.databases.explained import Explanation, StepKind
from tunebench.analysis.databases.profile_lines import Basis, LineKind
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.core.messages import Catalogue
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import NUMBER, TEXT, Context
from tunebench.reporting.document import Block, Cell, Note, Table, TableHead, Waterfall, WaterfallRow
from tunebench.reporting.statement_words import amount_text, class_step_texts, explained_text, step_texts


def explained(context: Context, case: DatabaseCase) -> Iterator[Block]:
    """What made DB time another one; nothing where a side tells no DB time."""
    explanation = case.explanation
    if explanation is None:
        return
    yield Note(explained_text(explanation, context.words.words))
    yield _waterfall(context, case, explanation)
    yield _steps_table(context, case, explanation)
    if explanation.classes:
        yield _classes_table(context, case, explanation)


def _waterfall(context: Context, case: DatabaseCase, explanation: Explanation) -> Waterfall:
    rows = waterfall_rows(explanation, case.statements, context.words.words)
    title = context.text(f"db.explained.{'per_second' if explanation.basis is Basis.PER_SECOND else 'total'}")
    return Waterfall(title, rows, context.text("db.caption_explained", database=case.label))


def waterfall_rows(
    explanation: Explanation, statements: StatementComparison, messages: Catalogue
) -> tuple[WaterfallRow, ...]:
    """Before, what makes the work another one, the level at equal work, time per execution, after."""
    rows = [_level(messages.text("report.phase.before"), explanation.before)]
    equal = _level(messages.text("report.db.at_equal_work"), explanation.at_equal_work)
    for step, (start, end) in zip(explanation.steps, explanation.levels, strict=True):
        if step.kind is StepKind.BEHAVIOUR and equal not in rows:
            rows.append(equal)
        cause, of, added = step_texts(step, statements, messages, with_id=False)  # ids stand in the table below
        rows.append(WaterfallRow(" · ".join(part for part in (of, cause) if part), start, end, added))
    return (*rows, _level(messages.text("report.phase.after"), explanation.after))


def _level(label: str, value: float) -> WaterfallRow:
    return WaterfallRow(label, 0.0, value, amount_text(value), True)


def _steps_table(context: Context, case: DatabaseCase, explanation: Explanation) -> Table:
    text = context.text
    columns = (
        TableHead(text("db.step"), TEXT, 1.6),
        TableHead(text("db.step_of"), TEXT, 2),
        TableHead(text("db.step_added"), NUMBER),
    )
    steps = [(step_texts(step, case.statements, context.words.words), step.amount) for step in explanation.steps]
    rows = tuple((Cell(cause), Cell(of), Cell(added, amount)) for (cause, of, added), amount in steps)
    ends = ((text("phase.before"), explanation.before), (text("phase.after"), explanation.after))
    first, last = ((Cell(name), Cell(""), Cell(amount_text(value), value)) for name, value in ends)
    notes = (text("db.note_explained"),)
    return Table(text("db.caption_explained", database=case.label), columns, (first, *rows), (last,), notes, dense=True)


def _classes_table(context: Context, case: DatabaseCase, explanation: Explanation) -> Table:
    text = context.text
    columns = (TableHead(text("db.line"), TEXT, 2), TableHead(text("db.step_added"), NUMBER))
    steps = [(class_step_texts(step, context.words.words), step.amount) for step in explanation.classes]
    rows = tuple((Cell(name), Cell(added, amount)) for (name, added), amount in steps)
    sampled = any(step.kind is LineKind.SAMPLED for step in explanation.classes)
    notes = (text("db.note_sampled"),) if sampled else ()
    return Table(text("db.caption_explained_classes", database=case.label), columns, rows, notes=notes, dense=True)
