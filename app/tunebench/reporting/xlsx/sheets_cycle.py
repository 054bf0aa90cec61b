"""Sheets of the cycle: issues, actions, trade-off, targets, changes, pinned evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from operator import attrgetter
from typing import NamedTuple

from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT, FIGURE, MOMENT, as_figure
from tunebench.domain.cycle.records import Figure
from tunebench.domain.cycle.worksheet import ExecutedChange, Impact, Resource
from tunebench.reporting.cases.cycle import CONTRADICTED, WITHHELD, CaseAction, CaseGuard, CaseIteration, CaseTarget
from tunebench.reporting.chapters.changes import where
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.cycle import qualified, statistic_text, title_of
from tunebench.reporting.cycle_words import amended_field, amended_value, interval_text, with_checks, word
from tunebench.reporting.forms.worksheet_sheet import symbol
from tunebench.reporting.xlsx.columns import HEADER_ROW, Part, Register, widened
from tunebench.reporting.xlsx.results import Changed, change_columns
from tunebench.reporting.xlsx.sheet import Book
from tunebench.reporting.xlsx.sheets_data import value_format

NOTHING = Figure(None)
SIGNED = as_figure("+0;-0;0")


def cycle_sheets(context: Context, book: Book) -> None:
    _issues(context, book)
    _actions(context, book)
    _worksheet(context, book)
    _targets(context, book)
    _changes(context, book)
    _amendments(context, book)
    _disclosures(context, book)
    _evidence(context, book)


def _issues(context: Context, book: Book) -> None:
    text, language = context.text, context.words.language
    Register(
        context, book, "sheet.issues", text("sheet.issues"), context.case.engagement.customer, context.case.cycle.issues
    ).write(
        Column("number", lambda _: "#", lambda row: row.issue.number, COUNT, width=6),
        Column("title", "report.column.issue", lambda row: row.issue.title, width=40),
        Column("text", "report.column.text", lambda row: row.issue.text, width=56),
        Column("severity", "report.column.severity", lambda row: word(row.issue.severity, language)),
        Column("state", "report.column.state", lambda row: word(row.issue.state, language)),
        Column("reported", "report.column.reported_on", lambda row: context.words.date(row.issue.reported_on)),
        Column(
            "actions", "report.column.answered_by", lambda row: ", ".join(row.actions) or text("method.not_addressed")
        ),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.evidence)),
    )


def _actions(context: Context, book: Book) -> None:
    text, language = context.text, context.words.language
    Register(
        context,
        book,
        "sheet.actions",
        text("sheet.actions"),
        text("method.worksheet_intro"),
        (Part(iteration, action) for iteration in context.case.cycle.iterations for action in iteration.actions),
    ).write(
        Column("number", "report.column.action", lambda row: row.part.number, width=9),
        Column("iteration", "report.column.iteration", lambda row: row.whole.iteration.number, COUNT, width=9),
        Column("title", "report.column.title", lambda row: row.part.action.title, width=36),
        Column(
            "changes",
            "report.card.changes",
            lambda row: "\n".join(
                f"{change.parameter}: {change.old or '–'} → {change.new or '–'}" for change in row.part.action.changes
            ),
            width=44,
        ),
        Column("hypothesis", "report.card.hypothesis", lambda row: row.part.action.hypothesis, width=44),
        Column("causes", "report.card.causes", lambda row: "\n".join(row.part.causes), width=32),
        Column("state", "report.column.state", lambda row: word(row.part.action.state, language)),
        Column(
            "verification",
            "report.card.verification",
            lambda row: "\n".join(
                f"{verification.metric}: {text_of(context, verification.state)}"
                for verification in row.part.verifications
            ),
            width=36,
        ),
        Column("rollback", "report.card.rollback", lambda row: row.part.action.rollback.command, width=40),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.part.evidence)),
    )


def text_of(context: Context, state: str) -> str:
    return context.words.known(f"cycle.verification_state.{state}", state)


class _Expected(NamedTuple):
    action: CaseAction
    impact: Impact
    evidence: tuple[str, ...]


def _worksheet(context: Context, book: Book) -> None:
    """A line per impact, then the matrix of actions and resources."""
    text, words, language = context.text, context.words, context.words.language

    def figure(name: str) -> Column[_Expected]:
        return Column(name, f"report.column.{name}", attrgetter(f"impact.{name}"), FIGURE, lambda *_: "", width=10)

    sheet = Register(
        context,
        book,
        "sheet.worksheet",
        text("section.worksheet"),
        text("method.symbols"),
        (
            _Expected(action, impact, codes)
            for action in context.case.cycle.actions
            for impact, codes in zip(action.action.impacts, chain(action.impact_evidence, repeat(())), strict=False)
        ),
    ).write(
        Column("action", "report.column.action", lambda row: row.action.number, width=9),
        Column("title", "report.column.title", lambda row: row.action.action.title, width=36),
        Column("resource", "report.column.resource", lambda row: word(row.impact.resource, language), width=22),
        Column("direction", "report.column.direction", lambda row: row.impact.direction, SIGNED, width=10),
        figure("low"),
        figure("expected"),
        figure("high"),
        Column("unit", "report.workbook.unit", lambda row: words.unit(row.impact.unit), width=10),
        Column("basis", "report.column.basis", lambda row: word(row.impact.basis, language), width=16),
        Column("source", "report.column.source", lambda row: row.impact.source, width=34),
        Column("note", "report.column.note", lambda row: row.impact.note, width=44),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(row.evidence)),
    )
    if sheet is not None:
        _symbols(context, book)


def _symbols(context: Context, book: Book) -> None:
    def effect(resource: Resource) -> Column[CaseAction]:
        return Column(
            resource, lambda locale: word(resource, locale.language), lambda row: symbol(row.action, resource), width=12
        )

    sheet = Register(
        context,
        book,
        "sheet.symbols",
        context.text("sheet.symbols"),
        context.text("method.symbols"),
        context.case.cycle.actions,
    ).write(
        Column("action", "report.column.action", lambda row: row.number, width=9),
        Column("title", "report.column.title", lambda row: row.action.title, width=40),
        *map(effect, Resource),
    )
    if sheet is not None:
        sheet.worksheet.row_dimensions[HEADER_ROW].height = 46


class _Line(NamedTuple):
    """What a metric came to: title of its iteration, kind of line, figure before, what is aimed at."""

    title: str
    standing: CaseTarget | CaseGuard
    kind: str
    before: Figure = NOTHING
    goal: Figure = NOTHING


def _targets(context: Context, book: Book) -> None:
    """Targets and guards; verdict, ratio and rate are formulas over the figures beside them."""
    Register(
        context,
        book,
        "sheet.targets",
        context.text("section.cycle_results"),
        context.text("note.ratio"),
        (line for iteration in context.case.cycle.iterations for line in _lines(context, iteration)),
    ).write(*_target_columns(context), raised=("title", "metric", "state"))


def _lines(context: Context, iteration: CaseIteration) -> Iterator[_Line]:
    text, title = context.text, title_of(context, iteration)
    for standing in iteration.targets:
        if standing.target is None:
            yield _Line(title, standing, text("method.metric_only"))
        else:
            kind = text("method.priority", priority=standing.target.priority)
            yield _Line(title, standing, kind, standing.target.baseline or NOTHING, Figure(standing.target.value))
    for guard in iteration.guards:
        yield _Line(
            title, guard, text("method.guard_of", action=guard.action), guard.before or NOTHING, Figure(guard.limit)
        )


def _target_columns(context: Context) -> list[Column[_Line]]:
    text, words = context.text, context.words

    def figure(id_: str, heading: str, read: Callable[[_Line], Figure], missing: str) -> Column[_Line]:
        return Column(
            id_,
            heading,
            lambda row: read(row).value,
            FIGURE,
            lambda row, _: text("method.withheld") if read(row) == WITHHELD else missing,
            lambda row: value_format(words, row.standing.metric.decimals, read(row).bound, read(row).value),
        )

    def changed(row: _Line) -> Changed:
        metric = row.standing.metric
        return Changed(metric.direction, row.standing.change, metric.decimals)

    return widened(
        (
            Column("title", "report.column.iteration", lambda row: row.title),
            Column("kind", "report.column.kind", lambda row: row.kind),
            Column("metric", "report.column.metric", lambda row: row.standing.metric.name),
            Column("statistic", "report.column.statistic", lambda row: statistic_text(context, row.standing.metric)),
            Column("unit", "report.workbook.unit", lambda row: words.unit(row.standing.metric.unit)),
            figure("before", "report.column.baseline", lambda row: row.before, words.missing),
            figure("after", "report.column.result", lambda row: row.standing.now or NOTHING, words.missing),
            *change_columns(words, changed),
            figure(
                "goal",
                "report.column.target",
                lambda row: WITHHELD if row.standing.state == CONTRADICTED else row.goal,
                text("method.no_target"),
            ),
            Column("state", "report.column.verdict", lambda row: _outcome(context, row.standing)),
            Column(
                "evidence",
                "report.column.evidence",
                lambda row: ", ".join(row.standing.evidence) if isinstance(row.standing, CaseTarget) else "",
            ),
        ),
        *(54, 14, 46, 12, 10, 14, 14, 11, 13, 16, 14, 30, 14),
    )


def _outcome(context: Context, standing: CaseTarget | CaseGuard) -> str:
    """With the interval of the figure, and of how many times it is the other."""
    lines, interval = list(_verdict(context, standing)), standing.interval
    if interval is not None:
        lines.append(interval_text(interval, standing.now, standing.metric, context.words))
    if standing.change.interval is not None:
        lines.append(context.words.ratio(standing.change))
    return "\n".join(lines)


def _verdict(context: Context, standing: CaseTarget | CaseGuard) -> tuple[str, ...]:
    """With the checks that refuse to compare its windows, and what they found."""
    if isinstance(standing, CaseGuard):
        return (context.words.known(f"cycle.guard_state.{standing.state}", standing.state),)
    words = context.words.known(f"cycle.target_state.{standing.state}", standing.state)
    return (qualified(context, with_checks(words, standing.checks), standing), *standing.refusals)


def _changes(context: Context, book: Book) -> None:
    text, language, words = context.text, context.words.language, context.words

    def recorded(name: str) -> Column[tuple[str, ExecutedChange]]:
        return Column(
            f"{name}.recorded", "report.column.recorded", lambda row: _entered(context, row[1], name), width=22
        )

    Register(
        context,
        book,
        "sheet.changes",
        text("section.change_log"),
        text("note.zone", zone=words.zone),
        (line for iteration in context.case.cycle.iterations for line in iteration.log),
    ).write(
        Column("action", "report.column.action", lambda row: row[0], width=9),
        Column("parameter", "report.column.parameter", lambda row: row[1].parameter, width=34),
        Column("old", "report.column.old", lambda row: row[1].old or "–", width=30),
        Column("new", "report.column.new", lambda row: row[1].new or "–", width=30),
        Column(
            "executed",
            "report.column.executed_stated",
            lambda row: words.iso_moment(row[1].executed_at) if row[1].executed_at else text("method.moment_unknown"),
            width=22,
        ),
        recorded("executed_at"),
        Column("who", "report.column.who", lambda row: row[1].executed_by, width=18),
        Column("commands", "report.column.commands", lambda row: row[1].commands, code=True, width=48),
        Column(
            "rolled_back",
            "report.column.rolled_back_at",
            lambda row: words.iso_moment(row[1].rolled_back_at) if row[1].rolled_back_at else "–",
            width=22,
        ),
        recorded("rolled_back_at"),
        Column("in_force", "report.column.in_force", lambda row: word(row[1].in_force, language)),
        Column("basis", "report.column.in_force_basis", lambda row: row[1].in_force_basis, width=40),
    )


def _entered(context: Context, line: ExecutedChange, what: str) -> str:
    """By the program's own clock."""
    entry = context.case.cycle.recorded.get((line.id, what))
    return "–" if entry is None else context.words.iso_moment(entry.at)


def _disclosures(context: Context, book: Book) -> None:
    iterations = context.case.cycle.iterations
    Register(
        context,
        book,
        "sheet.disclosures",
        context.text("sheet.disclosures"),
        context.text("method.disclosed"),
        (Part(iteration, sentence) for iteration in iterations for sentence in iteration.disclosures),
    ).write(
        Column("iteration", "report.column.iteration", lambda row: row.whole.iteration.number, COUNT, width=9),
        Column("what", "report.column.what", lambda row: row.part, width=120),
    )


def _amendments(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    iterations = context.case.cycle.iterations
    Register(
        context,
        book,
        "sheet.amendments",
        text("sheet.amendments"),
        text("note.zone", zone=words.zone),
        (Part(iteration, amendment) for iteration in iterations for amendment in iteration.amendments),
    ).write(
        Column("number", lambda _: "#", lambda row: row.part.number, COUNT, width=6),
        Column("iteration", "report.column.iteration", lambda row: row.whole.iteration.number, COUNT, width=9),
        Column(
            "record",
            "report.column.record",
            lambda row: words.words.text(f"cycle.kind.{row.part.record.partition('.')[0]}"),
        ),
        Column("title", "report.column.title", lambda row: row.part.name, width=36),
        Column("field", "report.column.field", lambda row: amended_field(row.part, words)),
        Column("old", "report.column.old", lambda row: amended_value(row.part.old), width=30),
        Column("new", "report.column.new", lambda row: amended_value(row.part.new), width=30),
        Column("reason", "report.column.reason", lambda row: row.part.reason, width=48),
        Column("who", "report.column.who", lambda row: row.part.amended_by, width=18),
        Column("amended", "report.column.amended", lambda row: words.iso_moment(row.part.amended_at), width=22),
        Column(
            "after_result",
            "report.column.result_known",
            lambda row: text("method.after_result" if row.part.after_result else "method.before_result"),
            width=22,
        ),
    )


def _evidence(context: Context, book: Book) -> None:
    text = context.text
    Register(
        context,
        book,
        "sheet.pinned",
        text("section.pinned"),
        text("note.zone", zone=context.words.zone),
        context.case.cycle.evidence,
    ).write(
        Column("code", "report.column.evidence", lambda row: row.evidence.code, width=10),
        Column("caption", "report.column.pinned_caption", lambda row: row.evidence.caption, width=40),
        Column("where", "report.column.where", lambda row: where(context, row), width=54),
        Column("file", "report.column.file", lambda row: row.file or "–", width=10),
        Column("start", "report.workbook.start", lambda row: row.evidence.target.start_ns, MOMENT),
        Column("end", "report.workbook.end", lambda row: row.evidence.target.end_ns, MOMENT),
        Column("first", "report.workbook.first_line", lambda row: row.evidence.target.first_line, COUNT, width=10),
        Column("last", "report.workbook.last_line", lambda row: row.evidence.target.last_line, COUNT, width=10),
        Column("supports", "report.column.supports", lambda row: "\n".join(row.supports), width=40),
        Column("who", "report.column.who", lambda row: row.evidence.pinned_by, width=14),
    )
