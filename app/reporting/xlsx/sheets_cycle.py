"""Sheets of the cycle: issues, actions, trade-off, targets, changes, pinned evidence."""

from __future__ import annotations

from app.analysis.comparing.improvement import Improvement
from app.domain.cycle.records import Figure, Metric
from app.domain.cycle.worksheet import Resource
from app.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget
from app.reporting.chapters.changes import where
from app.reporting.chapters.context import Context
from app.reporting.chapters.cycle import cycle, statistic_text, title_of
from app.reporting.cycle_words import interval_text, with_checks, word
from app.reporting.figures import FigureRow
from app.reporting.forms.worksheet_sheet import symbol
from app.reporting.xlsx.sheet import Book, Content, Head, Sheet
from app.reporting.xlsx.sheets_data import HEADER_ROW, local_moment, put_change, put_rows, put_value, value_format
from app.reporting.xlsx.style import INTEGER, MOMENT


def cycle_sheets(context: Context, book: Book, footer: str) -> None:
    """Nothing where the engagement has no cycle."""
    if context.case.cycle is None:
        return
    _issues(context, book, footer)
    _actions(context, book, footer)
    _worksheet(context, book, footer)
    _targets(context, book, footer)
    _changes(context, book, footer)
    _evidence(context, book, footer)


def _issues(context: Context, book: Book, footer: str) -> None:
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
        for each in cycle(context).issues
    ]
    if not rows:
        return
    sheet = book.sheet(text("sheet.issues"), footer, landscape=True)
    sheet.title(text("sheet.issues"), context.case.engagement.customer)
    heads = [
        Head("#", "tb integer", 6),
        Head(text("column.issue"), width=40),
        Head(text("column.text"), width=56),
        Head(text("column.severity")),
        Head(text("column.state")),
        Head(text("column.reported_on")),
        Head(text("column.answered_by")),
        Head(text("column.evidence")),
    ]
    put_rows(sheet, heads, rows, formats={1: INTEGER})


def _actions(context: Context, book: Book, footer: str) -> None:
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
        for each in cycle(context).iterations
        for action in each.actions
    ]
    if not rows:
        return
    sheet = book.sheet(text("sheet.actions"), footer, landscape=True)
    sheet.title(text("sheet.actions"), text("method.worksheet_intro"))
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.iteration"), "tb integer", 9),
        Head(text("column.title"), width=36),
        Head(text("card.changes"), width=44),
        Head(text("card.hypothesis"), width=44),
        Head(text("card.causes"), width=32),
        Head(text("column.state")),
        Head(text("card.verification"), width=36),
        Head(text("card.rollback"), width=40),
        Head(text("column.evidence")),
    ]
    put_rows(sheet, heads, rows, formats={2: INTEGER})


def text_of(context: Context, state: str) -> str:
    return context.words.known(f"cycle.verification_state.{state}", state)


def _worksheet(context: Context, book: Book, footer: str) -> None:
    """A line per impact, then the matrix of actions and resources."""
    text, language = context.text, context.words.language
    rows: list[list[Content]] = []
    for action in cycle(context).actions:
        for place, impact in enumerate(action.action.impacts):
            codes = action.impact_evidence[place] if place < len(action.impact_evidence) else ()
            row: list[Content] = [action.number, action.action.title, word(impact.resource, language), impact.direction]
            row += [impact.low, impact.expected, impact.high]
            row += [context.words.unit(impact.unit), word(impact.basis, language), impact.source, impact.note]
            rows.append([*row, ", ".join(codes)])
    if not rows:
        return
    sheet = book.sheet(text("sheet.worksheet"), footer, landscape=True)
    sheet.title(text("section.worksheet"), text("method.symbols"))
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.title"), width=36),
        Head(text("column.resource"), width=22),
        Head(text("column.direction"), "tb number", 10),
        *(Head(text(f"column.{name}"), "tb number", 10) for name in ("low", "expected", "high")),
        Head(text("workbook.unit"), width=10),
        Head(text("column.basis"), width=16),
        Head(text("column.source"), width=34),
        Head(text("column.note"), width=44),
        Head(text("column.evidence")),
    ]
    put_rows(sheet, heads, rows, formats={4: "+0;-0;0"})
    _symbols(context, book, footer)


def _symbols(context: Context, book: Book, footer: str) -> None:
    text, language = context.text, context.words.language
    sheet = book.sheet(text("sheet.symbols"), footer, landscape=True)
    sheet.title(text("sheet.symbols"), text("method.symbols"))
    heads = [Head(text("column.action"), width=9), Head(text("column.title"), width=40)]
    heads += [Head(word(resource, language), width=12) for resource in Resource]
    rows: list[list[Content]] = [
        [each.number, each.action.title, *(symbol(each.action, resource) for resource in Resource)]
        for each in cycle(context).actions
    ]
    put_rows(sheet, heads, rows)
    sheet.worksheet.row_dimensions[HEADER_ROW].height = 46


def _targets(context: Context, book: Book, footer: str) -> None:
    """Targets and guards; verdict, ratio and rate are formulas over the figures beside them."""
    found = cycle(context).iterations
    if not any(each.targets or each.guards for each in found):
        return
    text = context.text
    sheet = book.sheet(text("sheet.targets"), footer, landscape=True)
    sheet.title(text("section.cycle_results"), text("note.ratio"))
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
    sheet.header(HEADER_ROW, heads)
    down = HEADER_ROW
    for each in found:
        for target in each.targets:
            down += 1
            _target_line(context, sheet, down, title_of(context, each), target)
        for guard in each.guards:
            down += 1
            _guard_line(context, sheet, down, title_of(context, each), guard)
    sheet.as_table(HEADER_ROW, down, len(heads))
    sheet.fit(heads)
    lines = [(title_of(context, each), *line) for each in found for line in _lines(context, each)]
    for place, (title, metric, verdict) in enumerate(lines, HEADER_ROW + 1):
        sheet.raise_row(place, [title, "", metric, *([""] * 8), verdict])


def _lines(context: Context, each: CaseIteration) -> list[tuple[str, str]]:
    """Name and verdict of each metric, in the order of the lines."""
    targets = [(target.metric.name, _verdict(context, target)) for target in each.targets]
    return targets + [(guard.metric.name, _guard_verdict(context, guard)) for guard in each.guards]


def _verdict(context: Context, each: CaseTarget) -> str:
    """With the checks that refuse to compare its windows, and what they found."""
    words = context.words.known(f"cycle.target_state.{each.state}", each.state)
    return "\n".join((with_checks(words, each.checks), *each.refusals, *_basis(context, each)))


def _basis(context: Context, each: CaseTarget | CaseGuard) -> list[str]:
    """The interval of the figure, and of how many times it is the other."""
    told = [interval_text(each.interval, each.metric, context.words)] if each.interval is not None else []
    return told if each.change.interval is None else [*told, context.words.ratio(each.change)]


def _guard_verdict(context: Context, each: CaseGuard) -> str:
    return "\n".join((context.words.known(f"cycle.guard_state.{each.state}", each.state), *_basis(context, each)))


def _target_line(context: Context, sheet: Sheet, down: int, title: str, each: CaseTarget) -> None:
    target = each.target
    kind = context.text("method.priority", priority=target.priority) if target else context.text("method.metric_only")
    before, goal = (target.baseline, target.value) if target else (None, None)
    _line(context, sheet, down, (title, kind), each, (before, each.now), goal)
    sheet.put(down, 12, _verdict(context, each))
    sheet.put(down, 13, ", ".join(each.evidence))


def _guard_line(context: Context, sheet: Sheet, down: int, title: str, each: CaseGuard) -> None:
    kind = context.text("method.guard_of", action=each.action)
    _line(context, sheet, down, (title, kind), each, (each.before, each.now), each.limit)
    sheet.put(down, 12, _guard_verdict(context, each))
    sheet.put(down, 13, "")


def _line(
    context: Context,
    sheet: Sheet,
    down: int,
    names: tuple[str, str],
    each: CaseTarget | CaseGuard,
    sides: tuple[Figure | None, Figure | None],
    goal: float | None,
) -> None:
    words, metric = context.words, each.metric
    labels = (*names, metric.name, statistic_text(context, metric), words.unit(metric.unit))
    for across, label in enumerate(labels, 1):
        sheet.put(down, across, label)
    row = _figure_row(metric, sides, each.change)
    cells = []
    for across, figure in enumerate(sides, 6):
        value, bound = (figure.value, figure.bound) if figure else (None, "")
        cells.append(put_value(sheet, down, across, value, value_format(row, context, bound, value), words.missing))
    put_change(sheet, down, 8, context, row, (cells[0], cells[1]))
    put_value(sheet, down, 11, goal, value_format(row, context, "", goal), context.text("method.no_target"))


def _figure_row(metric: Metric, sides: tuple[Figure | None, Figure | None], change: Improvement) -> FigureRow:
    values = [figure.value if figure else None for figure in sides]
    return FigureRow(
        "", metric.name, metric.unit, metric.statistic, metric.direction, values[0], values[1], change, metric.decimals
    )


def _changes(context: Context, book: Book, footer: str) -> None:
    text, language, words = context.text, context.words.language, context.words
    rows: list[list[Content]] = [
        [
            number,
            line.parameter,
            line.old or "–",
            line.new or "–",
            words.iso_moment(line.executed_at) if line.executed_at else text("method.moment_unknown"),
            line.executed_by,
            line.commands,
            words.iso_moment(line.rolled_back_at) if line.rolled_back_at else "–",
            word(line.in_force, language),
            line.in_force_basis,
        ]
        for each in cycle(context).iterations
        for number, line in each.log
    ]
    if not rows:
        return
    sheet = book.sheet(text("sheet.changes"), footer, landscape=True)
    sheet.title(text("section.change_log"), text("note.zone", zone=words.zone))
    heads = [
        Head(text("column.action"), width=9),
        Head(text("column.parameter"), width=34),
        Head(text("column.old"), width=30),
        Head(text("column.new"), width=30),
        Head(text("column.executed"), width=22),
        Head(text("column.who"), width=18),
        Head(text("column.commands"), "tb code", 48),
        Head(text("column.rolled_back_at"), width=22),
        Head(text("column.in_force")),
        Head(text("column.in_force_basis"), width=40),
    ]
    put_rows(sheet, heads, rows)


def _evidence(context: Context, book: Book, footer: str) -> None:
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
        for each in cycle(context).evidence
        for target in (each.evidence.target,)
    ]
    if not rows:
        return
    sheet = book.sheet(text("sheet.pinned"), footer, landscape=True)
    sheet.title(text("section.pinned"), text("note.zone", zone=context.words.zone))
    heads = [
        Head(text("column.evidence"), width=10),
        Head(text("column.pinned_caption"), width=40),
        Head(text("column.where"), width=54),
        Head(text("column.file"), width=10),
        Head(text("workbook.start"), "tb moment", 20),
        Head(text("workbook.end"), "tb moment", 20),
        Head(text("workbook.first_line"), "tb integer", 10),
        Head(text("workbook.last_line"), "tb integer", 10),
        Head(text("column.supports"), width=40),
        Head(text("column.who"), width=14),
    ]
    put_rows(sheet, heads, rows, formats={5: MOMENT, 6: MOMENT})
