"""Sheets of the cycle: issues, actions, trade-off, targets, changes, pinned evidence."""

from __future__ import annotations

from tunebench.domain.cycle.records import Figure, Metric
from tunebench.domain.cycle.worksheet import ExecutedChange, Resource
from tunebench.reporting.cases.cycle import CONTRADICTED, WITHHELD, CaseGuard, CaseIteration, CaseTarget
from tunebench.reporting.chapters.changes import where
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.cycle import qualified, statistic_text, title_of
from tunebench.reporting.cycle_words import amended_field, amended_value, interval_text, with_checks, word
from tunebench.reporting.forms.worksheet_sheet import symbol
from tunebench.reporting.xlsx.results import change_contents
from tunebench.reporting.xlsx.sheet import Book, Content, Head
from tunebench.reporting.xlsx.sheets_data import (
    HEADER_ROW,
    known,
    local_moment,
    measured,
    moment_head,
    put_columns,
    put_register,
    value_format,
)
from tunebench.reporting.xlsx.style import INTEGER


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
    put_columns(
        book,
        text("sheet.issues"),
        (text("sheet.issues"), context.case.engagement.customer),
        zip(context.case.cycle.issues),
        (Head("#", "tb integer", 6, INTEGER), lambda each: each.issue.number),
        (Head(text("column.issue"), width=40), lambda each: each.issue.title),
        (Head(text("column.text"), width=56), lambda each: each.issue.text),
        (Head(text("column.severity")), lambda each: word(each.issue.severity, language)),
        (Head(text("column.state")), lambda each: word(each.issue.state, language)),
        (Head(text("column.reported_on")), lambda each: context.words.date(each.issue.reported_on)),
        (Head(text("column.answered_by")), lambda each: ", ".join(each.actions) or text("method.not_addressed")),
        (Head(text("column.evidence")), lambda each: ", ".join(each.evidence)),
    )


def _actions(context: Context, book: Book) -> None:
    text, language = context.text, context.words.language
    put_columns(
        book,
        text("sheet.actions"),
        (text("sheet.actions"), text("method.worksheet_intro")),
        ((each, action) for each in context.case.cycle.iterations for action in each.actions),
        (Head(text("column.action"), width=9), lambda each, action: action.number),
        (Head(text("column.iteration"), "tb integer", 9, INTEGER), lambda each, action: each.iteration.number),
        (Head(text("column.title"), width=36), lambda each, action: action.action.title),
        (
            Head(text("card.changes"), width=44),
            lambda each, action: "\n".join(
                f"{change.parameter}: {change.old or '–'} → {change.new or '–'}" for change in action.action.changes
            ),
        ),
        (Head(text("card.hypothesis"), width=44), lambda each, action: action.action.hypothesis),
        (Head(text("card.causes"), width=32), lambda each, action: "\n".join(action.causes)),
        (Head(text("column.state")), lambda each, action: word(action.action.state, language)),
        (
            Head(text("card.verification"), width=36),
            lambda each, action: "\n".join(
                f"{found.metric}: {text_of(context, found.state)}" for found in action.verifications
            ),
        ),
        (Head(text("card.rollback"), width=40), lambda each, action: action.action.rollback.command),
        (Head(text("column.evidence")), lambda each, action: ", ".join(action.evidence)),
    )


def text_of(context: Context, state: str) -> str:
    return context.words.known(f"cycle.verification_state.{state}", state)


def _worksheet(context: Context, book: Book) -> None:
    """A line per impact, then the matrix of actions and resources."""
    text, language = context.text, context.words.language
    rows: list[list[Content]] = []
    for action in context.case.cycle.actions:
        for place, impact in enumerate(action.action.impacts):
            codes = action.impact_evidence[place] if place < len(action.impact_evidence) else ()
            row: list[Content] = [action.number, action.action.title, word(impact.resource, language), impact.direction]
            row += [impact.low, impact.expected, impact.high]
            row += [context.words.unit(impact.unit), word(impact.basis, language), impact.source, impact.note]
            rows.append([*row, ", ".join(codes)])
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.title"), width=36),
        Head(text("column.resource"), width=22),
        Head(text("column.direction"), "tb number", 10, "+0;-0;0"),
        *(Head(text(f"column.{name}"), "tb number", 10) for name in ("low", "expected", "high")),
        Head(text("workbook.unit"), width=10),
        Head(text("column.basis"), width=16),
        Head(text("column.source"), width=34),
        Head(text("column.note"), width=44),
        Head(text("column.evidence")),
    ]
    if put_register(book, text("sheet.worksheet"), (text("section.worksheet"), text("method.symbols")), heads, rows):
        _symbols(context, book)


def _symbols(context: Context, book: Book) -> None:
    text, language = context.text, context.words.language
    heads = [Head(text("column.action"), width=9), Head(text("column.title"), width=40)]
    heads += [Head(word(resource, language), width=12) for resource in Resource]
    rows: list[list[Content]] = [
        [each.number, each.action.title, *(symbol(each.action, resource) for resource in Resource)]
        for each in context.case.cycle.actions
    ]
    name = text("sheet.symbols")
    sheet = put_register(book, name, (name, text("method.symbols")), heads, rows)
    if sheet is not None:
        sheet.worksheet.row_dimensions[HEADER_ROW].height = 46


def _targets(context: Context, book: Book) -> None:
    """Targets and guards; verdict, ratio and rate are formulas over the figures beside them."""
    text = context.text
    heads = [
        Head(text("column.iteration"), width=54),
        Head(text("column.kind"), width=14),
        Head(text("column.metric"), width=46),
        Head(text("column.statistic"), width=12),
        Head(text("workbook.unit"), width=10),
        Head(text("column.baseline"), "tb number", 14),
        Head(text("column.result"), "tb number", 14),
        Head(text("workbook.verdict"), width=11),
        Head(text("column.ratio"), "tb number", 13),
        Head(text("column.rate"), "tb number", 16),
        Head(text("column.target"), "tb number", 14),
        Head(text("column.verdict"), width=30),
        Head(text("column.evidence"), width=14),
    ]
    lines = ((title_of(context, each), line) for each in context.case.cycle.iterations for line in _standings(each))
    rows = [_line(context, title, each, down) for down, (title, each) in enumerate(lines, HEADER_ROW + 1)]
    titles = (text("section.cycle_results"), text("note.ratio"))
    put_register(book, text("sheet.targets"), titles, heads, rows, raised=(1, 3, 12))


def _standings(each: CaseIteration) -> tuple[CaseTarget | CaseGuard, ...]:
    return (*each.targets, *each.guards)


def _line(context: Context, title: str, each: CaseTarget | CaseGuard, down: int) -> list[Content]:
    words, metric = context.words, each.metric
    kind, before, goal = _target(context, each) if isinstance(each, CaseTarget) else _guard(context, each)
    return [
        title,
        kind,
        metric.name,
        statistic_text(context, metric),
        words.unit(metric.unit),
        *(_figure(context, metric, figure) for figure in (before, each.now)),
        *change_contents(words, (f"F{down}", f"G{down}"), f"H{down}", metric.direction, each.change, metric.decimals),
        measured(goal, value_format(words, metric.decimals, "", goal), context.text("method.no_target"))
        if each.state != CONTRADICTED
        else context.text("method.withheld"),
        "\n".join((*_verdict(context, each), *_basis(context, each))),
        ", ".join(each.evidence) if isinstance(each, CaseTarget) else "",
    ]


_Goal = tuple[str, Figure | None, float | None]
"""What kind of line it is, the figure before, and what is aimed at."""


def _target(context: Context, each: CaseTarget) -> _Goal:
    if each.target is None:
        return context.text("method.metric_only"), None, None
    return context.text("method.priority", priority=each.target.priority), each.target.baseline, each.target.value


def _guard(context: Context, each: CaseGuard) -> _Goal:
    return context.text("method.guard_of", action=each.action), each.before, each.limit


def _figure(context: Context, metric: Metric, figure: Figure | None) -> Content:
    words = context.words
    if figure == WITHHELD:
        return context.text("method.withheld")
    value, bound = (figure.value, figure.bound) if figure else (None, "")
    return measured(value, value_format(words, metric.decimals, bound, value), words.missing)


def _verdict(context: Context, each: CaseTarget | CaseGuard) -> tuple[str, ...]:
    """With the checks that refuse to compare its windows, and what they found."""
    if isinstance(each, CaseGuard):
        return (context.words.known(f"cycle.guard_state.{each.state}", each.state),)
    words = context.words.known(f"cycle.target_state.{each.state}", each.state)
    return (qualified(context, with_checks(words, each.checks), each), *each.refusals)


def _basis(context: Context, each: CaseTarget | CaseGuard) -> list[str]:
    """The interval of the figure, and of how many times it is the other."""
    told = [interval_text(each.interval, each.now, each.metric, context.words)] if each.interval is not None else []
    return told if each.change.interval is None else [*told, context.words.ratio(each.change)]


def _changes(context: Context, book: Book) -> None:
    text, language, words = context.text, context.words.language, context.words
    put_columns(
        book,
        text("sheet.changes"),
        (text("section.change_log"), text("note.zone", zone=words.zone)),
        ((number, line) for each in context.case.cycle.iterations for number, line in each.log),
        (Head(text("column.action"), width=9), lambda number, line: number),
        (Head(text("column.parameter"), width=34), lambda number, line: line.parameter),
        (Head(text("column.old"), width=30), lambda number, line: line.old or "–"),
        (Head(text("column.new"), width=30), lambda number, line: line.new or "–"),
        (
            Head(text("column.executed_stated"), width=22),
            lambda number, line: (
                words.iso_moment(line.executed_at) if line.executed_at else text("method.moment_unknown")
            ),
        ),
        (Head(text("column.recorded"), width=22), lambda number, line: _entered(context, line, "executed_at")),
        (Head(text("column.who"), width=18), lambda number, line: line.executed_by),
        (Head(text("column.commands"), "tb code", 48), lambda number, line: line.commands),
        (
            Head(text("column.rolled_back_at"), width=22),
            lambda number, line: words.iso_moment(line.rolled_back_at) if line.rolled_back_at else "–",
        ),
        (Head(text("column.recorded"), width=22), lambda number, line: _entered(context, line, "rolled_back_at")),
        (Head(text("column.in_force")), lambda number, line: word(line.in_force, language)),
        (Head(text("column.in_force_basis"), width=40), lambda number, line: line.in_force_basis),
    )


def _entered(context: Context, line: ExecutedChange, what: str) -> str:
    """By the program's own clock."""
    found = context.case.cycle.recorded.get((line.id, what))
    return context.words.iso_moment(found.at) if found is not None else "–"


def _disclosures(context: Context, book: Book) -> None:
    text = context.text
    name = text("sheet.disclosures")
    put_columns(
        book,
        name,
        (name, text("method.disclosed")),
        ((each, sentence) for each in context.case.cycle.iterations for sentence in each.disclosures),
        (Head(text("column.iteration"), "tb integer", 9, INTEGER), lambda each, sentence: each.iteration.number),
        (Head(text("column.what"), width=120), lambda each, sentence: sentence),
    )


def _amendments(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    subtitle = text("note.zone", zone=words.zone)
    put_columns(
        book,
        text("sheet.amendments"),
        (text("sheet.amendments"), subtitle),
        ((each, one) for each in context.case.cycle.iterations for one in each.amendments),
        (Head("#", "tb integer", 6, INTEGER), lambda each, one: one.number),
        (Head(text("column.iteration"), "tb integer", 9, INTEGER), lambda each, one: each.iteration.number),
        (Head(text("column.record")), lambda each, one: words.words.text(f"cycle.kind.{one.record.partition('.')[0]}")),
        (Head(text("column.title"), width=36), lambda each, one: one.name),
        (Head(text("column.field")), lambda each, one: amended_field(one, words)),
        (Head(text("column.old"), width=30), lambda each, one: amended_value(one.old)),
        (Head(text("column.new"), width=30), lambda each, one: amended_value(one.new)),
        (Head(text("column.reason"), width=48), lambda each, one: one.reason),
        (Head(text("column.who"), width=18), lambda each, one: one.amended_by),
        (Head(text("column.amended"), width=22), lambda each, one: words.iso_moment(one.amended_at)),
        (
            Head(text("column.result_known"), width=22),
            lambda each, one: text("method.after_result" if one.after_result else "method.before_result"),
        ),
    )


def _evidence(context: Context, book: Book) -> None:
    text = context.text
    put_columns(
        book,
        text("sheet.pinned"),
        (text("section.pinned"), text("note.zone", zone=context.words.zone)),
        ((each, target) for each in context.case.cycle.evidence for target in (each.evidence.target,)),
        (Head(text("column.evidence"), width=10), lambda each, target: each.evidence.code),
        (Head(text("column.pinned_caption"), width=40), lambda each, target: each.evidence.caption),
        (Head(text("column.where"), width=54), lambda each, target: where(context, each)),
        (Head(text("column.file"), width=10), lambda each, target: each.file or "–"),
        (
            moment_head(text("workbook.start")),
            lambda each, target: "–" if target.start_ns is None else local_moment(context, target.start_ns),
        ),
        (
            moment_head(text("workbook.end")),
            lambda each, target: "–" if target.end_ns is None else local_moment(context, target.end_ns),
        ),
        (Head(text("workbook.first_line"), "tb integer", 10), lambda each, target: known(target.first_line)),
        (Head(text("workbook.last_line"), "tb integer", 10), lambda each, target: known(target.last_line)),
        (Head(text("column.supports"), width=40), lambda each, target: "\n".join(each.supports)),
        (Head(text("column.who"), width=14), lambda each, target: each.evidence.pinned_by),
    )
