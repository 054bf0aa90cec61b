"""The columns of the verdicts as a sheet: those of the comparison, and what the case knows beside it."""

from __future__ import annotations

from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.columns.column import Column, chosen
from tunebench.columns.comparing import COLUMNS, WORKBOOK, host_text
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.verdicts import remarks
from tunebench.reporting.wording import Wording


def verdict_columns(context: Context) -> tuple[Column[Judged], ...]:
    words = context.words

    def window(index: int) -> Column[Judged]:
        side = ("before", "after")[index]

        def span(judged: Judged) -> str:
            moments = judged.spans[index]
            return words.missing if moments is None else words.span(*moments)

        return Column(f"{side}.window", f"report.workbook.window_{side}", span, width=26)

    return (
        *name_columns(words),
        *(column.over(_row_of) for column in chosen(COLUMNS, WORKBOOK)),
        window(0),
        window(1),
        Column("why", "compare.column.why", lambda judged: "\n".join(remarks(context, judged.row)) or "–", width=60),
        Column("evidence", "report.column.evidence", evidence_keys, width=14),
    )


def name_columns(words: Wording) -> tuple[Column[Judged], ...]:
    """Host, series and unit."""
    return (
        Column(
            "host", "report.column.host", text=lambda judged, locale: host_text(judged.row, locale) or words.missing
        ),
        Column("series", "report.column.series", lambda judged: judged.label),
        Column("unit", "report.workbook.unit", lambda judged: words.unit(judged.row.unit)),
    )


def evidence_keys(judged: Judged) -> str:
    return ", ".join((*judged.before_evidence, *judged.after_evidence))


def _row_of(judged: Judged) -> ComparedSeries:
    return judged.row
