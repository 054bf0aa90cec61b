"""What every chapter is given: the case, its figures, the wording, and small builders of common cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.columns.answering.answer_words import AnswerText, answer_text
from tunebench.core.records import record
from tunebench.domain.engagement import UNNAMED_HOST
from tunebench.reporting.calling import tone_of
from tunebench.reporting.cases.case import ResourceSeries, SuccessCase
from tunebench.reporting.document import Cell, ColumnKind, Table, TableHead
from tunebench.reporting.figures import FigureRow, Figures, figures
from tunebench.reporting.look import PLAIN_LOOK, ROLES, Look, Signer
from tunebench.reporting.wording import Wording

_Row = TypeVar("_Row")
NUMBER, TEXT, CODE, FIXED = ColumnKind.NUMBER, ColumnKind.TEXT, ColumnKind.CODE, ColumnKind.FIXED


@record
class Context:
    """`answer`: in words, where the case has one."""

    case: SuccessCase
    figures: Figures
    words: Wording
    answer: AnswerText | None = None
    look: Look = PLAIN_LOOK

    def text(self, key: str, **facts: object) -> str:
        return self.words.text(key, **facts)

    def label(self, row: FigureRow) -> str:
        """The figure's name: as entered, else the document's own name for its key; with the host of a captured one."""
        name = row.label or self.text(f"figure.{row.key}")
        host = row.host or (UNNAMED_HOST if row.captured and row.subject else "")
        return " · ".join(part for part in (self.words.host(host), name, row.database) if part)

    def title(self, series: ResourceSeries) -> str:
        return series_title(series, self.words)

    @property
    def refused(self) -> bool:
        """Whether the windows may not be compared, so that nothing is called better or worse."""
        return bool(self.case.analysis.refused)

    @property
    def edition(self) -> str:
        return self.look.edition or self.case.edition

    def role(self, signer: Signer) -> str:
        return self.text(f"cover.sign.{signer.role}") if signer.role in ROLES else signer.role

    def statistic(self, row: FigureRow) -> str:
        """The statistic's name; of one over means of intervals with their length, where that is known."""
        name = self.words.known(f"report.statistic.{row.statistic}", row.statistic)
        if row.interval_s is None:
            return name
        return self.words.known(
            f"report.statistic.{row.statistic}_with", name, interval=self.words.interval(row.interval_s)
        )

    def full_name(self, row: FigureRow) -> str:
        """The figure's name and statistic; the name alone where it says the statistic already."""
        name, statistic = self.label(row), self.statistic(row)
        return name if statistic.casefold() in name.casefold() else f"{name} · {statistic}"

    def clocks(self) -> Iterator[str]:
        """A sentence for each window that goes by another clock than the case's."""
        for window in self.case.windows:
            if window.zone:
                yield self.text("note.windows_clock", window=window.name, zone=window.zone)

    def phrase(self, row: FigureRow, name: str) -> str:
        """``<name> 302.05 ms → 1.52 ms (198.8× better)``."""
        headline = self.words.headline(row.change, row.decimals)
        return self.text(
            "story.figure", label=name, before=self.before_text(row), after=self.after_text(row), headline=headline
        )

    def before_text(self, row: FigureRow) -> str:
        return self.words.quantity(row.before, row.unit, row.decimals, row.before_bound)

    def after_text(self, row: FigureRow) -> str:
        return self.words.quantity(row.after, row.unit, row.decimals, row.after_bound)


def context_of(case: SuccessCase, language: str) -> Context:
    wording = Wording(language, case.zone)
    answer = answer_text(case.answer.answer, wording.locale) if case.answer is not None else None
    return Context(case, figures(case, language), wording, answer)


def series_title(series: ResourceSeries, words: Wording) -> str:
    """Host, figure and unit of a chart."""
    return words.label_with_unit(f"{words.host(series.host or UNNAMED_HOST)} · {series.label}", series.unit)


def change_cells(context: Context, change: Improvement, decimals: int) -> tuple[Cell, Cell]:
    """Two cells: how many times, and the change in per cent; better and worse where the verdict says them."""
    words, tone = context.words, tone_of(change.change)
    ratio, rate = words.ratio(change), words.rate(change, decimals)
    if change.change is Change.IMPROVED:
        ratio = words.text("headline.ratio", figure=ratio)
        rate = rate if change.points is not None else words.text("headline.rate", figure=rate)
    return (
        Cell(ratio, float(change.ratio) if change.ratio is not None else None, tone),
        Cell(rate, float(change.rate_pct) if change.rate_pct is not None else None, tone),
    )


def figure_table(context: Context, rows: tuple[FigureRow, ...], caption: str, *, notes: tuple[str, ...] = ()) -> Table:
    """Figures before and after with both improvement columns and the key of their source."""
    columns = (
        TableHead(context.text("column.figure"), TEXT, 3),
        TableHead(context.text("column.statistic"), TEXT, 1),
        TableHead(context.text("column.before"), NUMBER),
        TableHead(context.text("column.after"), NUMBER),
        TableHead(context.text("column.ratio"), NUMBER),
        TableHead(context.text("column.rate"), NUMBER),
        TableHead(context.text("column.evidence"), TEXT, 1),
    )
    cells = tuple(
        (
            Cell(context.label(row)),
            Cell(context.statistic(row)),
            Cell(context.before_text(row), row.before),
            Cell(context.after_text(row), row.after),
            *change_cells(context, row.change, row.decimals),
            Cell(evidence_text(row.evidence)),
        )
        for row in rows
    )
    return Table(caption, columns, cells, notes=notes)


def table_of(
    caption: str,
    rows: Iterable[_Row],
    *columns: tuple[TableHead, Callable[[_Row], Cell | str]],
    notes: Iterable[str] = (),
    dense: bool = True,
    is_register: bool = False,
) -> Table:
    """A table of which each column says what it shows of a row; a text stands for a cell of nothing else."""
    cells = tuple(
        tuple(Cell(cell) if isinstance(cell := show(row), str) else cell for _, show in columns) for row in rows
    )
    heads = tuple(column for column, _ in columns)
    return Table(caption, heads, cells, notes=tuple(notes), dense=dense, is_register=is_register)


def cut_note(context: Context, shown: int, count: int) -> tuple[str, ...]:
    """A note that a table of at most `shown` lines is not all; none where it is."""
    return (context.text("capture.cut", shown=f"{shown:,}", count=f"{count:,}"),) if count > shown else ()


def shortened(context: Context, table: Table, most: int) -> Table:
    """The table's first `most` rows, with a note on how many there are: the workbook has all of them."""
    return replace(table, rows=table.rows[:most], notes=(*table.notes, *cut_note(context, most, len(table.rows))))


def evidence_text(keys: tuple[str, ...], limit: int = 3) -> str:
    """``E-1, E-2``; more than `limit` keys are counted (``E-1, E-2, E-3 +4``)."""
    shown = ", ".join(keys[:limit])
    return f"{shown} +{len(keys) - limit}" if len(keys) > limit else shown
