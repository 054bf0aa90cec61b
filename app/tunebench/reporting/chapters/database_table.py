"""The table of a database's statements before and after: each statement on two lines, all of them in the totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from tunebench.analysis.comparing.improvement import Improvement, half_up
from tunebench.analysis.databases.matching import LinkMethod, MatchedPair
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import FigureChange, StatementChange
from tunebench.analysis.databases.statement_periods import LEAST_EXECUTIONS
from tunebench.analysis.databases.workload import WorkloadTotals
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.formats import rate_decimals, ratio_decimals, ratio_text
from tunebench.columns.statement_names import statement_name
from tunebench.domain.engagement import Direction
from tunebench.reporting import statement_words
from tunebench.reporting.calling import called, called_each, class_of, tone_of
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import CODE, FIXED, NUMBER, TEXT, Context, evidence_text
from tunebench.reporting.document import Cell, Table, TableHead, Tone
from tunebench.reporting.wording import Wording, grouped

SHOWN = 30
"""Statements in the document besides those that became slower; the workbook has all of them."""
MEASURED = ("elapsed_s", "cpu_s", "block_gets")
"""Figures of the table; one that neither side reports has no columns."""


def measured_figures(case: DatabaseCase) -> list[str]:
    totals = case.statements.totals
    return [name for name in MEASURED if totals[name].all_before is not None or totals[name].all_after is not None]


def statement_table(context: Context, case: DatabaseCase) -> Table:
    """The greatest impacts and all regressions, what is not shown in one row, and the totals of everything."""
    text = context.text
    figures, chosen = measured_figures(case), case.chosen(SHOWN)
    rows = [_statement_cells(context, case, index, figures) for index in chosen]
    count = len(case.statements)
    if len(chosen) < count:
        rows.append(_rest_cells(context, case, chosen, figures))
    key = "caption_statements" if len(chosen) == count else "caption_statements_shown"
    return Table(
        text(f"db.{key}", database=case.label, count=f"{count:,}", shown=f"{len(chosen):,}"),
        _columns(context, case, figures),
        tuple(rows),
        tuple(_totals(context, case, figures)),
        tuple(_notes(context, case)),
        dense=True,
    )


def _columns(context: Context, case: DatabaseCase, figures: Sequence[str]) -> tuple[TableHead, ...]:
    text = context.text
    evidence = evidence_text(case.evidence, 2)
    return (
        TableHead("#", NUMBER),
        TableHead(text("db.statement_module"), CODE, 1, evidence=evidence),
        *((TableHead(text("db.container"), TEXT, 0.5),) if case.statements.several_containers else ()),
        TableHead("", FIXED),
        TableHead(text("db.executions"), NUMBER),
        *(
            column
            for name in figures
            for column in _of_figure(
                name,
                TableHead(text("db.sum"), NUMBER, group=text(f"db.group.{name}")),
                TableHead(text("db.each"), NUMBER, group=text(f"db.group.{name}")),
                TableHead(text("column.ratio_short"), NUMBER, group=text(f"db.group.{name}")),
            )
        ),
        TableHead(text("db.class_note"), FIXED),
    )


_Part = TypeVar("_Part", TableHead, Cell)


def _of_figure(name: str, total: _Part, per_execution: _Part, ratio: _Part) -> tuple[_Part, ...]:
    """The parts of a figure that stand in every row; of processor time only what an execution took."""
    return (per_execution,) if name == "cpu_s" else (total, per_execution, ratio)


# -- one statement -------------------------------------------------------------------------------------


def _statement_cells(context: Context, case: DatabaseCase, index: int, figures: Sequence[str]) -> tuple[Cell, ...]:
    row = case.statements.row(index)
    words = context.words
    name = statement_name(case.statements.text_of(row.pair), words.words)
    named = (name, ids_text(row.pair), case.module_of(row.pair))
    return (
        Cell(str(index + 1), index + 1),
        Cell("\n".join(part for part in named if part)),
        *_container_cell(case, row.pair.container),
        _sides_cell(context),
        Cell("\n".join(_side_texts(words, row, (row.before_executions, row.after_executions), lambda _: 0))),
        *(cell for name in figures for cell in _figure_cells(context, row, row.changes[name])),
        Cell(_class_and_remarks(context, case, row), None, class_tone(context, row)),
    )


def _container_cell(case: DatabaseCase, name: str = "") -> tuple[Cell, ...]:
    return (Cell(name),) if case.statements.several_containers else ()


Sides = tuple[float | None, float | None]


def _side_texts(
    words: Wording, row: StatementChange, values: Sides, decimals: Callable[[float | None], int]
) -> Iterator[str]:
    """A text for either side: a dash where its list leaves the statement out; one that names it may not measure it."""
    for value, ids in zip(values, (row.pair.before_ids, row.pair.after_ids), strict=True):
        yield words.number(value, decimals(value)) if ids or value is not None else "–"


def _figure_cells(context: Context, row: StatementChange, change: FigureChange) -> tuple[Cell, ...]:
    """Totals and figures per execution, and the ratio of the latter."""
    words, blocks = context.words, change.figure == "block_gets"
    per_execution = _side_texts(
        words, row, (change.before_each, change.after_each), lambda value: each_decimals(value, blocks)
    )
    return _of_figure(
        change.figure,
        Cell("\n".join(total_texts(words, change))),
        Cell("\n".join(per_execution)),
        ratio_cell(words, called_each(change, context.refused), change.verdict),
    )


def total_texts(words: Wording, change: FigureChange) -> tuple[str, str]:
    """``< 12.300`` where a list leaves the statement out and tells what it cost at most."""
    seconds = change.figure.endswith("_s")
    sides = ((change.before_total, change.before_bound), (change.after_total, change.after_bound))
    first, second = (
        f"< {grouped(bound, 3 if seconds else 0)}"
        if value is None and bound is not None
        else words.number(value, total_decimals(value) if seconds else 0)
        for value, bound in sides
    )
    return first, second


def ratio_cell(words: Wording, change: Improvement, verdict: Verdict | None = None) -> Cell:
    """Ratio above rate; nothing to say of what ran on one side only. Within the margin there is no change."""
    if change.ratio is None:
        return Cell("–")
    alike = verdict is Verdict.EQUIVALENT
    ratio = words.text("change.unchanged") if alike else words.ratio(change)
    rate = words.rate(change) if change.rate_pct else ""
    shown = "\n".join(part for part in (ratio, rate) if part)
    return Cell(shown, float(change.ratio), tone_of(change.change))


def class_tone(context: Context, row: StatementChange) -> Tone:
    return tone_of(class_of(row, context.refused))


def class_text(context: Context, row: StatementChange) -> str:
    outcome = class_of(row, context.refused) or Verdict.NOT_COMPARABLE
    return statement_words.class_text(outcome, context.words.words)


def total_decimals(value: float | None) -> int:
    """Three decimals, more where three would print a time that is not zero as 0.000."""
    return 6 if value is not None and 0 < abs(value) < 0.0005 else 3


def each_decimals(value: float | None, blocks: bool = False) -> int:
    """Blocks per execution to one decimal; seconds to the millisecond, below a tenth of one to the microsecond, and
    further where that would leave a single figure."""
    if blocks:
        return 0 if value is None or value.is_integer() else 1
    size = 1.0 if not value else abs(value)
    return 3 if size >= 0.1 else 6 if size >= 0.00001 else 9


def _sides_cell(context: Context) -> Cell:
    return Cell(f"{context.text('column.before_short')}\n{context.text('column.after_short')}")


def _stacked(words: Wording, before: float | None, after: float | None, decimals: int) -> Cell:
    return Cell("\n".join(words.number(value, decimals) for value in (before, after)))


def ids_text(pair: MatchedPair) -> str:
    """The ids before, then those after where they are others."""
    sides = [", ".join(ids) for ids in (pair.before_ids, pair.after_ids) if ids]
    return "\n".join(dict.fromkeys(sides))


def remarks(context: Context, case: DatabaseCase, row: StatementChange, short: bool = False) -> Iterator[str]:
    """How the two sides were matched, and what keeps them from being the same work; `short` for narrow columns."""
    text, pair = context.text, row.pair
    kind = "short" if short else "remark"
    if pair.method is not None and pair.method is not LinkMethod.SAME_ID:
        author = pair.weakest.author if pair.weakest else ""
        if author and not short:
            yield text("db.matched_by_hand", author=author)
        else:
            yield text(f"db.{'short_' if short else ''}method.{pair.method.value}")
    if row.same_work is False:
        rows = [context.words.number(value, 1) for value in (row.before_rows, row.after_rows)]
        yield text(f"db.{kind}.rows_changed", before=rows[0], after=rows[1])
    notes = (("plan_changed", row.plan_changed), ("rewritten", case.rewritten(row)), ("partial", any(row.partial)))
    yield from [text(f"db.{kind}.{name}") for name, holds in notes if holds]
    if not short and _counts(row):
        yield text("db.workload", pct=_workload_text(row))


def _class_and_remarks(context: Context, case: DatabaseCase, row: StatementChange) -> str:
    return "\n".join((_class_text(context, row), *remarks(context, case, row, short=True)))


def _class_text(context: Context, row: StatementChange) -> str:
    """The statement's class, with what it alone did to all elapsed time."""
    name = class_text(context, row)
    return f"{name} {_workload_text(row)} %" if _counts(row) else name


def _counts(row: StatementChange) -> bool:
    return row.workload_pct is not None and abs(row.workload_pct) >= 0.05


def _workload_text(row: StatementChange) -> str:
    share = -(row.workload_pct or 0.0)
    return f"{half_up(share, rate_decimals(share)):+,f}"


# -- totals --------------------------------------------------------------------------------------------


def _rest_cells(
    context: Context, case: DatabaseCase, chosen: Sequence[int], figures: Sequence[str]
) -> tuple[Cell, ...]:
    left = np.ones(len(case.statements), dtype=bool)
    left[chosen] = False
    words, sides = context.words, (case.statements.before, case.statements.after)

    def sums(name: str, decimals: int) -> Cell:
        before, after = (side.total(name)[left] for side in sides)
        return _sums(words, before, after, decimals)

    return (
        Cell(""),
        Cell(context.text("db.rest", count=f"{int(left.sum()):,}")),
        *_container_cell(case),
        _sides_cell(context),
        sums("executions", 0),
        *(
            cell
            for name in figures
            for cell in _of_figure(name, sums(name, 0 if name == "block_gets" else 3), Cell(""), Cell(""))
        ),
        Cell(""),
    )


def _sums(words: Wording, before: Numbers, after: Numbers, decimals: int) -> Cell:
    old, new = (None if np.isnan(column).all() else float(np.nansum(column)) for column in (before, after))
    return _stacked(words, old, new, decimals)


def _totals(context: Context, case: DatabaseCase, figures: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    """Everything listed; where some statements were measured on one side only, also those on both."""
    totals = case.statements.totals
    count = sum(case.counted(index) for index in range(len(case.statements)))
    everything = {name: (totals[name].all_before, totals[name].all_after) for name in figures}
    yield _totals_row(context, case, context.text("db.total_listed", count=f"{count:,}"), everything)
    if any(case.one_sided(name) for name in figures):
        most = max(totals[name].statements for name in figures)
        both = {name: (totals[name].before, totals[name].after) for name in figures}
        yield _totals_row(context, case, context.text("db.total_both", count=f"{most:,}"), both)


def _totals_row(context: Context, case: DatabaseCase, label: str, sums: dict[str, Sides]) -> tuple[Cell, ...]:
    words = context.words
    return (
        Cell(""),
        Cell(label),
        *_container_cell(case),
        _sides_cell(context),
        Cell(""),
        *(
            cell
            for name, (before, after) in sums.items()
            for cell in _of_figure(
                name,
                _stacked(words, before, after, 0 if name == "block_gets" else 3),
                Cell(""),
                ratio_cell(words, called(before, after, Direction.LOWER)),
            )
        ),
        Cell(""),
    )


def _notes(context: Context, case: DatabaseCase) -> Iterator[str]:
    text = context.text
    yield text("db.note_table", margin=f"{half_up(case.statements.margin * 100, 0):f}", least=LEAST_EXECUTIONS)
    names = [name for name in ("elapsed_s", "block_gets") if case.statements.totals[name].statements]
    for name in names:
        yield _totals_note(context, case, case.statements.totals[name])
    if any(not case.counted(index) for index in range(len(case.statements))):
        yield text("db.note_nested")


def _totals_note(context: Context, case: DatabaseCase, totals: WorkloadTotals) -> str:
    words = context.words
    return context.text(
        "db.note_totals",
        figure=words.text(f"db.name.{totals.figure}"),
        listed=f"{len(case.statements):,}",
        pairs=f"{totals.statements:,}",
        raw=times(words, totals.raw_ratio),
        fisher=times(words, totals.fisher),
        laspeyres=times(words, totals.laspeyres),
        paasche=times(words, totals.paasche),
    )


def times(words: Wording, ratio: float | None) -> str:
    """``17.8배``, ``0.83배``: before / after as a plain number, neither better nor worse."""
    if ratio is None:
        return words.text("change.not_computable")
    figure = ratio_text(ratio) if ratio >= 100 else grouped(ratio, ratio_decimals(ratio))
    return words.text("fisher.known", figure=figure)
