"""What every chapter is given: the case, its figures, the wording, and small builders of common cells."""

from __future__ import annotations

from dataclasses import dataclass

from app.analysis.improvement import Change
from app.reporting.case import SuccessCase
from app.reporting.document import Cell, Column, ColumnKind, Table, Tone
from app.reporting.figures import FigureRow, Figures
from app.reporting.wording import Wording

NUMBER, TEXT, CODE, FIXED = ColumnKind.NUMBER, ColumnKind.TEXT, ColumnKind.CODE, ColumnKind.FIXED


@dataclass(frozen=True, slots=True)
class Context:
    case: SuccessCase
    figures: Figures
    words: Wording

    def text(self, key: str, **facts: object) -> str:
        return self.words.text(key, **facts)

    def label(self, row: FigureRow) -> str:
        """The figure's name: as entered, else the document's own name for its key."""
        name = row.label or self.text(f"figure.{row.key}")
        return f"{name} · {row.database}" if row.database else name

    def statistic(self, row: FigureRow) -> str:
        return self.words.known(f"report.statistic.{row.statistic}", row.statistic)

    def full_name(self, row: FigureRow) -> str:
        """Name and statistic, unless the name says it already."""
        name, statistic = self.label(row), self.statistic(row)
        return name if statistic.casefold() in name.casefold() else f"{name} · {statistic}"

    def before_text(self, row: FigureRow) -> str:
        return self.words.quantity(row.before, row.unit, row.decimals, row.before_bound)

    def after_text(self, row: FigureRow) -> str:
        return self.words.quantity(row.after, row.unit, row.decimals, row.after_bound)


def tone_of(row: FigureRow) -> Tone:
    return Tone.BAD if row.change.change is Change.REGRESSED else Tone.PLAIN


def change_cells(context: Context, row: FigureRow) -> tuple[Cell, Cell]:
    """The two columns 개선 배율 and 개선율; the one that is the headline is strong."""
    words, change = context.words, row.change
    tone = tone_of(row)
    headline_is_ratio = (
        change.change is Change.IMPROVED
        and change.points is None
        and bool(change.ratio is not None and change.ratio >= 2)
    )
    ratio_tone = Tone.STRONG if headline_is_ratio and tone is Tone.PLAIN else tone
    rate_tone = Tone.STRONG if change.change is Change.IMPROVED and not headline_is_ratio else tone
    ratio = float(change.ratio) if change.ratio is not None else None
    rate = float(change.rate_pct) if change.rate_pct is not None else None
    return (
        Cell(words.ratio(change), ratio, ratio_tone),
        Cell(words.rate(change, row.decimals), rate, rate_tone),
    )


def change_columns(context: Context, weight: float = 1.0) -> tuple[Column, Column]:
    return (
        Column(context.text("column.ratio"), NUMBER, weight),
        Column(context.text("column.rate"), NUMBER, weight),
    )


def figure_table(context: Context, rows: tuple[FigureRow, ...], caption: str, *, notes: tuple[str, ...] = ()) -> Table:
    """Figures before and after with both improvement columns and the key of their source."""
    columns = (
        Column(context.text("column.figure"), TEXT, 3),
        Column(context.text("column.statistic"), TEXT, 1),
        Column(context.text("column.before"), NUMBER),
        Column(context.text("column.after"), NUMBER),
        *change_columns(context),
        Column(context.text("column.evidence"), TEXT, 1),
    )
    cells = tuple(
        (
            Cell(context.label(row)),
            Cell(context.statistic(row)),
            Cell(context.before_text(row), row.before),
            Cell(context.after_text(row), row.after),
            *change_cells(context, row),
            Cell(evidence_text(row.evidence)),
        )
        for row in rows
    )
    return Table(caption, columns, cells, notes=notes)


def evidence_text(keys: tuple[str, ...], limit: int = 3) -> str:
    """``E-1, E-2``; more than `limit` keys are counted (``E-1, E-2, E-3 +4``)."""
    shown = ", ".join(keys[:limit])
    return f"{shown} +{len(keys) - limit}" if len(keys) > limit else shown
