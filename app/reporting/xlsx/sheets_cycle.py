"""Sheets of the cycle: issues, actions, trade-off, targets, changes, pinned evidence."""

from __future__ import annotations

from app.domain.cycle.records import Figure, Metric
from app.domain.cycle.worksheet import ExecutedChange, Resource
from app.reporting.cases.cycle import CONTRADICTED, WITHHELD, CaseGuard, CaseIteration, CaseTarget
from app.reporting.chapters.changes import where
from app.reporting.chapters.context import Context
from app.reporting.chapters.cycle import statistic_text, title_of
from app.reporting.cycle_words import amended_field, amended_value, interval_text, with_checks, word
from app.reporting.forms.worksheet_sheet import symbol
from app.reporting.xlsx.results import change_contents
from app.reporting.xlsx.sheet import Book, Content, Head
from app.reporting.xlsx.sheets_data import HEADER_ROW, local_moment, measured, put_register, value_format
from app.reporting.xlsx.style import INTEGER, MOMENT


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
    rows: list[list[Content]] = [
        [
            each.issue.number,
            each.issue.title,
            each.issue.text,
            word(each.issue.severity, language),
            word(each.issue.state, language),
            context.words.date(each.issue.reported_on),
            ", ".join(each.actions) or text("method.not_addressed"),
            ", ".join(each.evidence),
        ]
        for each in context.case.cycle.issues
    ]
    heads = [
        Head("#", "tb integer", 6, INTEGER),
        Head(text("column.issue"), width=40),
        Head(text("column.text"), width=56),
        Head(text("column.severity")),
        Head(text("column.state")),
        Head(text("column.reported_on")),
        Head(text("column.answered_by")),
        Head(text("column.evidence")),
    ]
    put_register(book, text("sheet.issues"), (text("sheet.issues"), context.case.engagement.customer), heads, rows)


def _actions(context: Context, book: Book) -> None:
    text, language = context.text, context.words.language
    rows: list[list[Content]] = [
        [
            action.number,
            each.iteration.number,
            action.action.title,
            "\n".join(
                f"{change.parameter}: {change.old or '–'} → {change.new or '–'}" for change in action.action.changes
            ),
            action.action.hypothesis,
            "\n".join(action.causes),
            word(action.action.state, language),
            "\n".join(f"{found.metric}: {text_of(context, found.state)}" for found in action.verifications),
            action.action.rollback.command,
            ", ".join(action.evidence),
        ]
        for each in context.case.cycle.iterations
        for action in each.actions
    ]
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.iteration"), "tb integer", 9, INTEGER),
        Head(text("column.title"), width=36),
        Head(text("card.changes"), width=44),
        Head(text("card.hypothesis"), width=44),
        Head(text("card.causes"), width=32),
        Head(text("column.state")),
        Head(text("card.verification"), width=36),
        Head(text("card.rollback"), width=40),
        Head(text("column.evidence")),
    ]
    put_register(book, text("sheet.actions"), (text("sheet.actions"), text("method.worksheet_intro")), heads, rows)


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
    return (with_checks(words, each.checks), *each.refusals)


def _basis(context: Context, each: CaseTarget | CaseGuard) -> list[str]:
    """The interval of the figure, and of how many times it is the other."""
    told = [interval_text(each.interval, each.now, each.metric, context.words)] if each.interval is not None else []
    return told if each.change.interval is None else [*told, context.words.ratio(each.change)]


def _changes(context: Context, book: Book) -> None:
    text, language, words = context.text, context.words.language, context.words
    rows: list[list[Content]] = [
        [
            number,
            line.parameter,
            line.old or "–",
            line.new or "–",
            words.iso_moment(line.executed_at) if line.executed_at else text("method.moment_unknown"),
            _entered(context, line, "executed_at"),
            line.executed_by,
            line.commands,
            words.iso_moment(line.rolled_back_at) if line.rolled_back_at else "–",
            _entered(context, line, "rolled_back_at"),
            word(line.in_force, language),
            line.in_force_basis,
        ]
        for each in context.case.cycle.iterations
        for number, line in each.log
    ]
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.parameter"), width=34),
        Head(text("column.old"), width=30),
        Head(text("column.new"), width=30),
        Head(text("column.executed_stated"), width=22),
        Head(text("column.recorded"), width=22),
        Head(text("column.who"), width=18),
        Head(text("column.commands"), "tb code", 48),
        Head(text("column.rolled_back_at"), width=22),
        Head(text("column.recorded"), width=22),
        Head(text("column.in_force")),
        Head(text("column.in_force_basis"), width=40),
    ]
    put_register(
        book, text("sheet.changes"), (text("section.change_log"), text("note.zone", zone=words.zone)), heads, rows
    )


def _entered(context: Context, line: ExecutedChange, what: str) -> str:
    """By the program's own clock."""
    found = context.case.cycle.recorded.get((line.id, what))
    return context.words.iso_moment(found.at) if found is not None else "–"


def _disclosures(context: Context, book: Book) -> None:
    text = context.text
    rows: list[list[Content]] = [
        [each.iteration.number, sentence] for each in context.case.cycle.iterations for sentence in each.disclosures
    ]
    heads = [Head(text("column.iteration"), "tb integer", 9, INTEGER), Head(text("column.what"), width=120)]
    name = text("sheet.disclosures")
    put_register(book, name, (name, text("method.disclosed")), heads, rows)


def _amendments(context: Context, book: Book) -> None:
    text, words = context.text, context.words
    rows: list[list[Content]] = [
        [
            one.number,
            each.iteration.number,
            words.words.text(f"cycle.kind.{one.record.partition('.')[0]}"),
            one.name,
            amended_field(one, words),
            amended_value(one.old),
            amended_value(one.new),
            one.reason,
            one.amended_by,
            words.iso_moment(one.amended_at),
            text("method.after_result" if one.after_result else "method.before_result"),
        ]
        for each in context.case.cycle.iterations
        for one in each.amendments
    ]
    heads = [
        Head("#", "tb integer", 6, INTEGER),
        Head(text("column.iteration"), "tb integer", 9, INTEGER),
        Head(text("column.record")),
        Head(text("column.title"), width=36),
        Head(text("column.field")),
        Head(text("column.old"), width=30),
        Head(text("column.new"), width=30),
        Head(text("column.reason"), width=48),
        Head(text("column.who"), width=18),
        Head(text("column.amended"), width=22),
        Head(text("column.result_known"), width=22),
    ]
    subtitle = text("note.zone", zone=words.zone)
    put_register(book, text("sheet.amendments"), (text("sheet.amendments"), subtitle), heads, rows)


def _evidence(context: Context, book: Book) -> None:
    text = context.text
    rows: list[list[Content]] = [
        [
            each.evidence.code,
            each.evidence.caption,
            where(context, each),
            each.file or "–",
            "–" if target.start_ns is None else local_moment(context, target.start_ns),
            "–" if target.end_ns is None else local_moment(context, target.end_ns),
            "–" if target.first_line is None else target.first_line,
            "–" if target.last_line is None else target.last_line,
            "\n".join(each.supports),
            each.evidence.pinned_by,
        ]
        for each in context.case.cycle.evidence
        for target in (each.evidence.target,)
    ]
    heads = [
        Head(text("column.evidence"), width=10),
        Head(text("column.pinned_caption"), width=40),
        Head(text("column.where"), width=54),
        Head(text("column.file"), width=10),
        Head(text("workbook.start"), "tb moment", 20, MOMENT),
        Head(text("workbook.end"), "tb moment", 20, MOMENT),
        Head(text("workbook.first_line"), "tb integer", 10),
        Head(text("workbook.last_line"), "tb integer", 10),
        Head(text("column.supports"), width=40),
        Head(text("column.who"), width=14),
    ]
    put_register(
        book, text("sheet.pinned"), (text("section.pinned"), text("note.zone", zone=context.words.zone)), heads, rows
    )
