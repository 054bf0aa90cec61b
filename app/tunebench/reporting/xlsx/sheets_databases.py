"""Sheets of databases beside the statements: where the time went, parameters, snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.profile_lines import Basis, LineKind, LoadLine, ProfileComparison, ProfileLine
from tunebench.analysis.databases.sessions import Layer
from tunebench.reporting.cases.databases import DatabaseCase
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.profile import (
    changed_when,
    line_name,
    load_name,
    load_values,
    parameter_texts,
    profile_wanted,
)
from tunebench.reporting.statement_words import group_text, statistic_text, step_texts
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head
from tunebench.reporting.xlsx.sheets_data import (
    HEADER_ROW,
    known,
    local_moment,
    measured,
    put_columns,
    put_register,
    put_rows,
)

SECONDS_FORMAT, AMOUNT_FORMAT, SHARE_FORMAT = "#,##0.000", "#,##0.000000", "0.0"
_Sides = tuple[float | None, float | None]


def database_sheets(context: Context, book: Book) -> None:
    for case in context.case.databases:
        if case.explanation is not None:
            _explained_sheet(context, book, case, case.explanation)
        _sessions_sheet(context, book, case)
        if case.profile is not None and profile_wanted(case):
            _profile_sheet(context, book, case, case.profile)
            _parameter_sheet(context, book, case, case.profile)
            _counter_sheet(context, book, case, case.profile)
        if case.before.periods or case.after.periods:
            _snapshot_sheet(context, book, case)


def _explained_sheet(context: Context, book: Book, case: DatabaseCase, found: Explanation) -> None:
    """Before, every step, and after as the sum of them."""
    text, messages = context.text, context.words.words
    heads = [
        Head(text("db.step"), width=34),
        Head(text("db.step_of"), width=34),
        *(
            Head(text(f"db.{name}"), "tb number", 15, AMOUNT_FORMAT)
            for name in ("step_added", "step_least", "step_most")
        ),
        Head(text("db.step_id"), width=24),
    ]
    rows: list[list[Content]] = [[text("phase.before"), "", found.before, "", "", ""]]
    for step in found.steps:
        cause, of, _ = step_texts(step, case.statements, messages)
        name = "" if step.place is None else case.statements.pairs[step.place].name
        rows.append([cause, of, step.amount, step.low, step.high, name])
    last = HEADER_ROW + len(rows)
    rows.append([text("phase.after"), "", Formula(f"SUM(C{HEADER_ROW + 1}:C{last})", found.after), "", "", ""])
    title = text("db.caption_explained", database=case.label)
    put_register(book, text("sheet.explained"), (title, text("db.note_explained")), heads, rows)


def _sessions_sheet(context: Context, book: Book, case: DatabaseCase) -> None:
    """Every period of either side, one after the other: sessions at work by what they spend their time on, in the order
    of the window; the same columns for both, so that they compare."""
    text, missing = context.text, context.words.missing
    sides = [
        (name, side.sessions)
        for name, side in (("before", case.before), ("after", case.after))
        if side.sessions is not None
    ]
    layers = list(dict.fromkeys(layer for _, over in sides for layer in over.layers))
    heads = [
        Head(text("column.phase"), width=12),
        Head(text("workbook.start"), "tb moment", 21),
        Head(text("workbook.end"), "tb moment", 21),
        Head(text("db.sessions_at_work"), "tb number", 14, SECONDS_FORMAT),
        Head(text("db.processors_busy"), "tb number", 14, SECONDS_FORMAT),
        *(Head(_layer_name(context, layer), "tb number", 16, SECONDS_FORMAT) for layer in layers),
    ]
    rows: list[list[Content]] = []
    for name, over in sides:
        told = dict(zip(over.layers, over.amounts, strict=True))
        for place, whole in enumerate(over.totals.tolist()):
            parts = (float(told[layer][place]) if layer in told else 0.0 * whole for layer in layers)
            figures = (whole, float(over.busy[place]), *parts)
            moments = (local_moment(context, int(at[place])) for at in (over.begins_ns, over.ends_ns))
            cells = (known(value if isfinite(value) else None, missing) for value in figures)
            rows.append([text(f"phase.{name}"), *moments, *cells])
    title = text("db.caption_sessions", database=case.label)
    put_register(book, text("sheet.sessions"), (title, text("db.note_sessions", zone=context.words.zone)), heads, rows)


def _layer_name(context: Context, layer: Layer) -> str:
    if layer.kind is None:
        return context.text("db.sessions_others")
    if layer.kind in (LineKind.CPU, LineKind.UNACCOUNTED):
        return context.text(f"db.line.{layer.kind.value}")
    return layer.name or context.text("db.sessions_others")


def _counter_sheet(context: Context, book: Book, case: DatabaseCase, found: ProfileComparison) -> None:
    """Segments, files and statistics; none where the captures list none."""
    text, missing, messages = context.text, context.text("db.not_listed"), context.words.words
    put_columns(
        book,
        text("sheet.counters"),
        (text("db.caption_counters", database=case.label), ""),
        zip(line for lines in found.counters.values() for line in lines),
        (Head(text("db.scope"), width=16), lambda line: group_text(line, messages)),
        (Head(text("db.counter_of"), width=40), lambda line: line.name),
        (Head(text("db.statistic"), width=36), lambda line: statistic_text(line, messages)),
        (Head(text("db.unit"), width=10), lambda line: f"{line.unit}/s" if line.per_second else line.unit),
        (Head(text("column.before"), "tb number", 16, SECONDS_FORMAT), lambda line: known(line.before, missing)),
        (Head(text("column.after"), "tb number", 16, SECONDS_FORMAT), lambda line: known(line.after, missing)),
        (Head(text("db.after_by_before"), "tb number", 12, SECONDS_FORMAT), lambda line: known(line.ratio)),
    )


# -- profile -------------------------------------------------------------------------------------------


def _profile_sheet(context: Context, book: Book, case: DatabaseCase, found: ProfileComparison) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.profile"), landscape=True)
    basis = text(f"db.basis.{found.basis.value}")
    sheet.title(f"{text('section.profile')} · {case.label}", text("db.note_profile", basis=basis))
    heads = _profile_heads(context, found)
    sheet.header(HEADER_ROW, heads)
    down = HEADER_ROW
    parts = (
        ("part_classes", found.classes.lines),
        ("part_events", found.events.lines),
        ("part_time_model", found.time_model),
    )
    lines = [(text(f"db.{key}"), line) for key, part in parts for line in part]
    for down, (part, line) in enumerate(lines, HEADER_ROW + 1):
        sheet.put_across(down, 1, (part, line_name(context.words, line), line.group))
        sheet.put_across(down, 4, _profile_figures(context, down, line, found), "tb number")
    loads = list(_load_lines(found))
    for down, (load, column, values) in enumerate(loads, HEADER_ROW + 1 + len(lines)):
        names = (text("db.part_load"), load_name(context.words, load), text(f"db.group.{column}"))
        sheet.put_across(down, 1, (*names, *([None] * 6)))
        figures = (measured(value, SECONDS_FORMAT, context.words.missing) for value in values)
        sheet.put_across(down, 10, (*figures, _quotient(context, down, values)), "tb number")
        sheet.put(down, 13, None)
    sheet.as_table(HEADER_ROW, HEADER_ROW + len(lines) + len(loads), len(heads))
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


def _profile_figures(context: Context, down: int, line: ProfileLine, found: ProfileComparison) -> Iterator[Content]:
    missing, sides = context.words.missing, (line.before, line.after)
    for name, plain in (("calls", "#,##0"), ("time_s", SECONDS_FORMAT), ("share_pct", SHARE_FORMAT)):
        for portion in sides:
            yield measured(getattr(portion, name), plain, missing)
    for side, portion in enumerate(sides):
        amount = _amount(down, side, portion.time_s, portion.amount, found)
        yield Formatted(amount, AMOUNT_FORMAT) if amount else measured(portion.amount, AMOUNT_FORMAT, missing)
    yield _quotient(context, down, (line.before.amount, line.after.amount))
    yield measured(line.contribution_pct, SHARE_FORMAT, "–")


def _load_lines(found: ProfileComparison) -> Iterator[tuple[LoadLine, str, _Sides]]:
    for load in found.load:
        for column in ("total", "per_second", "per_transaction"):
            values = load_values(load, column)
            if any(value is not None for value in values):
                yield load, column, values


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


def _quotient(context: Context, down: int, values: _Sides) -> Content:
    """After / before; n/a where there is nothing before."""
    absent = context.text("change.not_computable")
    old, new = f"J{down}", f"K{down}"
    result = absent if values[0] is None or values[1] is None or values[0] == 0 else values[1] / values[0]
    text = f'IF(AND(ISNUMBER({old}),ISNUMBER({new})),IF({old}=0,"{absent}",{new}/{old}),"{absent}")'
    return Formatted(Formula(text, result), "#,##0.00")


# -- parameters and snapshots --------------------------------------------------------------------------


def _parameter_sheet(context: Context, book: Book, case: DatabaseCase, found: ProfileComparison) -> None:
    text = context.text
    title = text("db.caption_parameters", database=case.label, count=f"{len(found.parameters):,}")
    put_columns(
        book,
        text("sheet.parameters"),
        (title, ""),
        zip(found.parameters),
        (Head(text("db.parameter"), "tb code", 34), lambda change: change.name),
        (Head(text("db.scope"), width=14), lambda change: change.scope),
        (Head(text("column.before"), "tb code", 34), lambda change: parameter_texts(context, change)[0]),
        (Head(text("column.after"), "tb code", 34), lambda change: parameter_texts(context, change)[1]),
        (Head(text("db.unit"), width=10), lambda change: change.unit),
        (Head(text("db.changed_when"), width=24), lambda change: changed_when(context, change)),
    )


def _snapshot_sheet(context: Context, book: Book, case: DatabaseCase) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.snapshots"), landscape=True)
    sheet.title(text("db.caption_periods", database=case.label), text("note.zone", zone=context.words.zone))
    heads = [
        Head(text("column.phase"), width=12),
        Head(text("db.source"), width=26),
        Head(text("workbook.start"), "tb moment", 21),
        Head(text("workbook.end"), "tb moment", 21),
        Head(text("db.length_s"), "tb number", 13, "#,##0"),
        Head(text("db.db_time"), "tb number", 15, SECONDS_FORMAT),
        Head(text("column.state"), width=14),
        Head(text("db.faults"), width=52),
        Head(text("column.evidence"), width=14),
    ]
    last = put_rows(sheet, heads, _snapshot_rows(context, case))
    for down, sentence in enumerate(_cautions(context, case), last + 2):
        sheet.put_note(down, sentence, len(heads), 30)


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
                known(period.length_s, missing),
                known(period.db_time_s, missing),
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
