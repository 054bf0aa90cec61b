"""Sheets of databases beside the statements: where the time went, parameters, snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.analysis.databases.profile_lines import Basis, Profile, ProfileComparison, ProfileLine
from app.reporting.cases.databases import DatabaseCase
from app.reporting.chapters.context import Context
from app.reporting.chapters.profile import (
    changed_when,
    line_name,
    load_name,
    load_values,
    parameter_texts,
    profile_wanted,
)
from app.reporting.xlsx.sheet import Book, Content, Formula, Head, Sheet
from app.reporting.xlsx.sheets_data import HEADER_ROW, local_moment, put_rows, put_value

SECONDS_FORMAT, AMOUNT_FORMAT, SHARE_FORMAT = "#,##0.000", "#,##0.000000", "0.0"


def database_sheets(context: Context, book: Book, footer: str) -> None:
    for case in context.case.databases:
        if case.profile is not None and profile_wanted(case):
            _profile_sheet(context, book, footer, case, case.profile)
            if case.profile.parameters:
                _parameter_sheet(context, book, footer, case, case.profile)
        if case.before.periods or case.after.periods:
            _snapshot_sheet(context, book, footer, case)


# -- profile -------------------------------------------------------------------------------------------


def _profile_sheet(context: Context, book: Book, footer: str, case: DatabaseCase, found: ProfileComparison) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.profile"), footer, landscape=True)
    basis = text(f"db.basis.{found.basis.value}")
    sheet.title(f"{text('section.profile')} · {case.label}", text("db.note_profile", basis=basis))
    heads = _profile_heads(context, found)
    sheet.header(HEADER_ROW, heads)
    down = HEADER_ROW
    parts = (
        ("part_classes", found.classes),
        ("part_events", found.events),
        ("part_time_model", Profile(found.time_model, "s", *found.db_times_s)),
    )
    for key, profile in parts:
        for line in profile.lines:
            down += 1
            _profile_row(context, sheet, down, text(f"db.{key}"), line, found)
    for load in found.load:
        for column in ("total", "per_second", "per_transaction"):
            values = load_values(load, column)
            if any(value is not None for value in values):
                down += 1
                _load_row(context, sheet, down, (load_name(context.words, load), column), values)
    sheet.as_table(HEADER_ROW, down, len(heads))
    sheet.fit(heads)


def _profile_heads(context: Context, found: ProfileComparison) -> list[Head]:
    text = context.text
    before, after = text("column.before_short"), text("column.after_short")
    groups = ("calls", "seconds", "share", f"amount_{found.basis.value}")
    return [
        Head(text("workbook.section"), width=16),
        Head(text("db.line"), width=40),
        Head(text("db.line_group"), width=18),
        *(Head(f"{text(f'db.group.{name}')} {side}", "tb number", 15) for name in groups for side in (before, after)),
        Head(text("db.after_by_before"), "tb number", 12),
        Head(text("db.contribution"), "tb number", 12),
    ]


def _profile_row(
    context: Context, sheet: Sheet, down: int, part: str, line: ProfileLine, found: ProfileComparison
) -> None:
    missing = context.words.missing
    sheet.put(down, 1, part)
    sheet.put(down, 2, line_name(context.words, line))
    sheet.put(down, 3, line.group)
    formats = ("#,##0", SECONDS_FORMAT, SHARE_FORMAT, AMOUNT_FORMAT)
    for pair, (name, plain) in enumerate(zip(("calls", "time_s", "share_pct", "amount"), formats, strict=True)):
        for side, portion in enumerate((line.before, line.after)):
            column = 4 + 2 * pair + side
            amount = _amount(down, side, portion.time_s, portion.amount, found) if name == "amount" else None
            if amount is not None:
                sheet.put(down, column, amount, "tb number", plain)
            else:
                put_value(sheet, down, column, getattr(portion, name), plain, missing)
    _quotient(context, sheet, down, (10, 11), (line.before.amount, line.after.amount), 12)
    put_value(sheet, down, 13, line.contribution_pct, SHARE_FORMAT, "–")


def _amount(
    down: int, side: int, time_s: float | None, amount: float | None, found: ProfileComparison
) -> Formula | None:
    """Seconds by the length of the period; other bases are values."""
    length = found.lengths_s[side]
    if found.basis is not Basis.PER_SECOND or time_s is None or amount is None or not length:
        return None
    if abs(time_s / length - amount) > 1e-12 * abs(amount):
        return None
    return Formula(f"{'FG'[side]}{down}/{length!r}", amount)


def _quotient(
    context: Context,
    sheet: Sheet,
    down: int,
    columns: tuple[int, int],
    values: tuple[float | None, float | None],
    target: int,
) -> None:
    """After / before; n/a where there is nothing before."""
    absent = context.text("change.not_computable")
    old, new = (f"{'ABCDEFGHIJKLM'[column - 1]}{down}" for column in columns)
    result = absent if values[0] is None or values[1] is None or values[0] == 0 else values[1] / values[0]
    text = f'IF(AND(ISNUMBER({old}),ISNUMBER({new})),IF({old}=0,"{absent}",{new}/{old}),"{absent}")'
    sheet.put(down, target, Formula(text, result), "tb number", "#,##0.00")


def _load_row(
    context: Context, sheet: Sheet, down: int, name: tuple[str, str], values: tuple[float | None, float | None]
) -> None:
    sheet.put(down, 1, context.text("db.part_load"))
    sheet.put(down, 2, name[0])
    sheet.put(down, 3, context.text(f"db.group.{name[1]}"))
    for column in range(4, 10):
        sheet.put(down, column, None)
    for side, value in enumerate(values):
        put_value(sheet, down, 10 + side, value, "#,##0.000", context.words.missing)
    _quotient(context, sheet, down, (10, 11), values, 12)
    sheet.put(down, 13, None)


# -- parameters and snapshots --------------------------------------------------------------------------


def _parameter_sheet(context: Context, book: Book, footer: str, case: DatabaseCase, found: ProfileComparison) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.parameters"), footer, landscape=True)
    sheet.title(text("db.caption_parameters", database=case.label, count=f"{len(found.parameters):,}"))
    heads = [
        Head(text("db.parameter"), "tb code", 34),
        Head(text("db.scope"), width=14),
        Head(text("column.before"), "tb code", 34),
        Head(text("column.after"), "tb code", 34),
        Head(text("db.unit"), width=10),
        Head(text("db.changed_when"), width=24),
    ]
    rows: list[list[Content]] = [
        [change.name, change.scope, *parameter_texts(context, change), change.unit, changed_when(context, change)]
        for change in found.parameters
    ]
    put_rows(sheet, heads, rows)


def _snapshot_sheet(context: Context, book: Book, footer: str, case: DatabaseCase) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.snapshots"), footer, landscape=True)
    sheet.title(text("db.caption_periods", database=case.label), text("note.zone", zone=context.words.zone))
    heads = [
        Head(text("column.phase"), width=12),
        Head(text("db.source"), width=26),
        Head(text("workbook.start"), "tb moment", 21),
        Head(text("workbook.end"), "tb moment", 21),
        Head(text("db.length_s"), "tb number", 13),
        Head(text("db.db_time"), "tb number", 15),
        Head(text("column.state"), width=14),
        Head(text("db.faults"), width=52),
        Head(text("column.evidence"), width=14),
    ]
    rows = list(_snapshot_rows(context, case))
    last = put_rows(sheet, heads, rows, formats={5: "#,##0", 6: SECONDS_FORMAT})
    for down, sentence in enumerate(_cautions(context, case), last + 2):
        sheet.put(down, 1, sentence, "tb note")
        sheet.worksheet.merge_cells(start_row=down, start_column=1, end_row=down, end_column=len(heads))
        sheet.worksheet.row_dimensions[down].height = 30


def _snapshot_rows(context: Context, case: DatabaseCase) -> Iterator[list[Content]]:
    text, missing = context.text, context.words.missing
    for name, side in (("before", case.before), ("after", case.after)):
        for period in side.periods:
            state = text("db.period_used" if period.used else "db.period_left_out")
            yield [
                text(f"phase.{name}"),
                period.source,
                local_moment(context, period.begin_ns),
                local_moment(context, period.end_ns),
                missing if period.length_s is None else period.length_s,
                missing if period.db_time_s is None else period.db_time_s,
                state,
                "\n".join(period.faults) or "–",
                ", ".join(period.evidence),
            ]


def _cautions(context: Context, case: DatabaseCase) -> Sequence[str]:
    sides = (("before", case.before), ("after", case.after))
    return (
        *case.cautions,
        *(f"{context.text(f'phase.{name}')}: {sentence}" for name, side in sides for sentence in side.cautions),
    )
