"""Sheets of databases beside the statements: where the time went, parameters, snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.profile_lines import Basis, LineKind, LoadLine, ProfileComparison, ProfileLine
from tunebench.analysis.databases.sessions import Layer, SessionsOverTime
from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT, MOMENT, SECONDS
from tunebench.columns.series_words import unit_text
from tunebench.reporting.cases.databases import CaseSide, DatabaseCase
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
from tunebench.reporting.xlsx.columns import HEADER_ROW, Part, Register, put_rows
from tunebench.reporting.xlsx.sheet import Book, Content, Formatted, Formula, Head
from tunebench.reporting.xlsx.sheets_data import measured

AMOUNT_FORMAT, SHARE_FORMAT = "#,##0.000000", "0.0"
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


def _explained_sheet(context: Context, book: Book, case: DatabaseCase, explanation: Explanation) -> None:
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
    rows: list[list[Content]] = [[text("phase.before"), "", explanation.before, "", "", ""]]
    for step in explanation.steps:
        cause, of, _ = step_texts(step, case.statements, messages, with_id=False)
        name = "" if step.place is None else case.statements.pairs[step.place].name
        rows.append([cause, of, step.amount, step.low, step.high, name])
    last = HEADER_ROW + len(rows)
    total = Formula(f"SUM(C{HEADER_ROW + 1}:C{last})", explanation.after)
    rows.append([text("phase.after"), "", total, "", "", ""])
    sheet = book.sheet(text("sheet.explained"), landscape=True)
    sheet.title(text("db.caption_explained", database=case.label), text("db.note_explained"))
    put_rows(sheet, heads, rows)


class _Moment(NamedTuple):
    """Sessions at work in a period of one side, in all and by what they spend their time on."""

    phase: str
    begin_ns: int
    end_ns: int
    whole: float
    busy: float
    amounts: Mapping[Layer, float]


def _sessions_sheet(context: Context, book: Book, case: DatabaseCase) -> None:
    """Every period of either side, one after the other, in the order of the window; the same columns for both, so that
    they compare."""
    text = context.text
    sides = [(name, side.sessions) for name, side in _sides(case) if side.sessions is not None]
    layers = dict.fromkeys(layer for _, sessions in sides for layer in sessions.layers)

    def amount(layer: Layer) -> Column[_Moment]:
        """Nothing where the period does not tell the whole."""
        heading = _layer_name(context, layer)
        return Column(
            repr(layer),
            lambda _: heading,
            lambda row: row.amounts.get(layer, 0.0 * row.whole),
            SECONDS,
            measured=True,
            width=16,
        )

    Register(
        context,
        book,
        "sheet.sessions",
        text("db.caption_sessions", database=case.label),
        text("db.note_sessions", zone=context.words.zone),
        (row for name, sessions in sides for row in _moments(name, sessions)),
    ).write(
        Column("phase", "report.column.phase", lambda row: text(f"phase.{row.phase}"), width=12),
        Column("start", "report.workbook.start", lambda row: row.begin_ns, MOMENT, width=21),
        Column("end", "report.workbook.end", lambda row: row.end_ns, MOMENT, width=21),
        Column("whole", "report.db.sessions_at_work", lambda row: row.whole, SECONDS, measured=True, width=14),
        Column("busy", "report.db.processors_busy", lambda row: row.busy, SECONDS, measured=True, width=14),
        *map(amount, layers),
    )


def _moments(phase: str, sessions: SessionsOverTime) -> Iterator[_Moment]:
    figures = (sessions.begins_ns, sessions.ends_ns, sessions.totals, sessions.busy, *sessions.amounts)
    for begin, end, whole, busy, *amounts in zip(*(array.tolist() for array in figures), strict=True):
        yield _Moment(phase, begin, end, whole, busy, dict(zip(sessions.layers, amounts, strict=True)))


def _layer_name(context: Context, layer: Layer) -> str:
    if layer.kind is None:
        return context.text("db.sessions_others")
    if layer.kind in (LineKind.CPU, LineKind.UNACCOUNTED):
        return context.text(f"db.line.{layer.kind.value}")
    return layer.name or context.text("db.sessions_others")


def _counter_sheet(context: Context, book: Book, case: DatabaseCase, profile: ProfileComparison) -> None:
    """Segments, files and statistics; none where the captures list none."""
    text, missing, messages = context.text, context.text("db.not_listed"), context.words.words
    Register(
        context,
        book,
        "sheet.counters",
        text("db.caption_counters", database=case.label),
        "",
        (line for lines in profile.counters.values() for line in lines),
    ).write(
        Column("scope", "report.db.scope", lambda line: group_text(line, messages), width=16),
        Column("name", "report.db.counter_of", lambda line: line.name, width=40),
        Column("statistic", "report.db.statistic", lambda line: statistic_text(line, messages), width=36),
        Column("unit", "report.db.unit", lambda line: unit_text(line.figure_unit, messages), width=10),
        Column("before", "report.column.before", lambda line: line.before, SECONDS, lambda *_: missing, width=16),
        Column("after", "report.column.after", lambda line: line.after, SECONDS, lambda *_: missing, width=16),
        Column("ratio", "report.db.after_by_before", lambda line: line.ratio, SECONDS, width=12),
    )


# -- profile -------------------------------------------------------------------------------------------


def _profile_sheet(context: Context, book: Book, case: DatabaseCase, profile: ProfileComparison) -> None:
    text = context.text
    sheet = book.sheet(text("sheet.profile"), landscape=True)
    basis = text(f"db.basis.{profile.basis.value}")
    sheet.title(f"{text('section.profile')} · {case.label}", text("db.note_profile", basis=basis))
    heads = _profile_heads(context, profile)
    sheet.header(HEADER_ROW, heads)
    parts = (
        ("part_classes", profile.classes.lines),
        ("part_events", profile.events.lines),
        ("part_time_model", profile.time_model),
    )
    lines = [(text(f"db.{key}"), line) for key, part in parts for line in part]
    for down, (part, line) in enumerate(lines, HEADER_ROW + 1):
        sheet.put_across(down, 1, (part, line_name(context.words, line), line.group))
        sheet.put_across(down, 4, _profile_figures(context, down, line, profile), "tb number")
    loads = list(_load_lines(profile))
    for down, (load, column, values) in enumerate(loads, HEADER_ROW + 1 + len(lines)):
        names = (text("db.part_load"), load_name(context.words, load), text(f"db.group.{column}"))
        sheet.put_across(down, 1, (*names, *([None] * 6)))
        figures = (measured(value, SECONDS.number_format, context.words.missing) for value in values)
        sheet.put_across(down, 10, (*figures, _quotient(context, down, values)), "tb number")
        sheet.put(down, 13, None)
    sheet.as_table(HEADER_ROW, HEADER_ROW + len(lines) + len(loads), len(heads))
    sheet.fit(heads)


def _profile_heads(context: Context, profile: ProfileComparison) -> list[Head]:
    text = context.text
    before, after = text("column.before_short"), text("column.after_short")
    groups = ("calls", "seconds", "share", f"amount_{profile.basis.value}")
    return [
        Head(text("workbook.section"), width=16),
        Head(text("db.line"), width=40),
        Head(text("db.line_group"), width=18),
        *(Head(f"{text(f'db.group.{name}')} {side}", "tb number", 15) for name in groups for side in (before, after)),
        Head(text("db.after_by_before"), "tb number", 12),
        Head(text("db.contribution"), "tb number", 12),
    ]


def _profile_figures(context: Context, down: int, line: ProfileLine, profile: ProfileComparison) -> Iterator[Content]:
    missing, sides = context.words.missing, (line.before, line.after)
    for name, plain in (("calls", "#,##0"), ("time_s", SECONDS.number_format), ("share_pct", SHARE_FORMAT)):
        for portion in sides:
            yield measured(getattr(portion, name), plain, missing)
    for side, portion in enumerate(sides):
        amount = _amount(down, side, portion.time_s, portion.amount, profile)
        yield Formatted(amount, AMOUNT_FORMAT) if amount else measured(portion.amount, AMOUNT_FORMAT, missing)
    yield _quotient(context, down, (line.before.amount, line.after.amount))
    yield measured(line.contribution_pct, SHARE_FORMAT, "–")


def _load_lines(profile: ProfileComparison) -> Iterator[tuple[LoadLine, str, _Sides]]:
    for load in profile.load:
        for column in ("total", "per_second", "per_transaction"):
            values = load_values(load, column)
            if any(value is not None for value in values):
                yield load, column, values


def _amount(
    down: int, side: int, time_s: float | None, amount: float | None, profile: ProfileComparison
) -> Formula | None:
    """Seconds by the length of the period; other bases are values."""
    length = profile.lengths_s[side]
    if profile.basis is not Basis.PER_SECOND or time_s is None or amount is None or not length:
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


def _parameter_sheet(context: Context, book: Book, case: DatabaseCase, profile: ProfileComparison) -> None:
    text, parameters = context.text, profile.parameters
    title = text("db.caption_parameters", database=case.label, count=f"{len(parameters):,}")
    Register(context, book, "sheet.parameters", title, "", parameters).write(
        Column("name", "report.db.parameter", lambda change: change.name, code=True, width=34),
        Column("scope", "report.db.scope", lambda change: change.scope, width=14),
        Column("before", "report.column.before", lambda row: parameter_texts(context, row)[0], code=True, width=34),
        Column("after", "report.column.after", lambda row: parameter_texts(context, row)[1], code=True, width=34),
        Column("unit", "report.db.unit", lambda change: change.unit, width=10),
        Column("changed", "report.db.changed_when", lambda change: changed_when(context, change), width=24),
    )


def _snapshot_sheet(context: Context, book: Book, case: DatabaseCase) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.snapshots",
        text("db.caption_periods", database=case.label),
        text("note.zone", zone=context.words.zone),
        [Part(name, period) for name, side in _sides(case) for period in side.periods],
    ).write(
        Column("phase", "report.column.phase", lambda row: text(f"phase.{row.whole}"), width=12),
        Column("source", "report.db.source", lambda row: row.part.source, width=26),
        Column("start", "report.workbook.start", lambda row: row.part.begin_ns, MOMENT, measured=True, width=21),
        Column("end", "report.workbook.end", lambda row: row.part.end_ns, MOMENT, measured=True, width=21),
        Column("length", "report.db.length_s", lambda row: row.part.length_s, COUNT, measured=True, width=13),
        Column("db_time", "report.db.db_time", lambda row: row.part.db_time_s, SECONDS, measured=True, width=15),
        Column(
            "state",
            "report.column.state",
            lambda row: text("db.period_used" if row.part.used else "db.period_left_out"),
            width=14,
        ),
        Column("faults", "report.db.faults", lambda row: "\n".join(row.part.faults) or "–", width=52),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.part.evidence), width=14),
        notes=_cautions(context, case),
    )


def _sides(case: DatabaseCase) -> tuple[tuple[str, CaseSide], ...]:
    return ("before", case.before), ("after", case.after)


def _cautions(context: Context, case: DatabaseCase) -> Sequence[str]:
    return (
        *case.cautions,
        *(f"{context.text(f'phase.{name}')}: {caution}" for name, side in _sides(case) for caution in side.cautions),
    )
