"""The statements of ``compare`` as lines for people."""

from __future__ import annotations

from dataclasses import asdict
from zoneinfo import ZoneInfo

from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.profile_lines import ProfileComparison
from tunebench.analysis.databases.statement_comparison import StatementChange, StatementComparison
from tunebench.analysis.inference.verdict import Interval
from tunebench.cli.console import Console
from tunebench.cli.figure_text import amount, short
from tunebench.columns.formats import ratio_text
from tunebench.columns.series_words import unit_text
from tunebench.columns.statement_names import pair_name_with_id, statement_name
from tunebench.core.messages import catalogue
from tunebench.reporting.statement_words import (
    basis_text,
    class_step_texts,
    class_text,
    explained_text,
    group_text,
    reason_text,
    settled_text,
    statistic_text,
    step_texts,
    time_text,
    variation_text,
)
from tunebench.usecases.databases.compared_statements import ComparedStatements
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.words import caution_text

MOST_SHOWN, MOST_REASONED = 50, 5
"""Lines of text, and those whose verdict is explained; JSON has all of them."""


def show_statements(statements: ComparedStatements, zone: ZoneInfo, console: Console) -> None:
    """The statements that changed most, and what is to be said of either side; nothing without a database."""
    compared = statements.compared
    if compared is None:
        return
    console.say("cli.compare.database", before=compared.before.database.label, after=compared.after.database.label)
    _show_headline(compared, console)
    if compared.explanation is not None:
        _show_explanation(compared.explanation, compared.statements, console)
    container = ("container",) if compared.statements.several_containers else ()
    sides = [f"{name}_{side}" for name in ("total", "executions") for side in ("before", "after")]
    numbers = ("each_before", "each_after", "judged_ratio", *sides, "impact_s")
    chosen = [index for index, pair in enumerate(compared.statements.pairs) if pair.runs_in(statements.container)]
    shown = [compared.statements.row(index) for index in chosen[:MOST_SHOWN]]
    if shown:
        names, first = " ".join(("change", "statement", *container, *numbers, "id", "text")), 2 + len(container)
        cells = [_cells(row, compared.statements, console, bool(container)) for row in shown]
        right = frozenset(range(first, first + len(numbers)))
        console.table(console.headings("cli.compare.column", names), cells, right)
    for row in shown[:MOST_REASONED]:
        basis = basis_text(row.changes[row.judged_by], catalogue(console.language)) if row.judged_by else ""
        if basis:
            console.notice(
                "cli.compare.judged",
                statement=pair_name_with_id(compared.statements, row.pair, console.messages),
                text=basis,
            )
    for key, cautions in (
        ("cli.compare.warning_before", compared.before.cautions),
        ("cli.compare.warning_after", compared.after.cautions),
        ("cli.statements.warning", compared.cautions),
    ):
        for caution in cautions:
            console.notice(key, text=caution_text(caution, console.language, zone))


def _show_headline(compared: DatabaseComparison, console: Console) -> None:
    """The whole work at equal executions, DB time, and how much of it the statements explain."""
    messages, changes = catalogue(console.language), compared.statements
    for name, totals in changes.totals.items():
        if totals.fisher is None:
            continue
        facts = {key: _times(getattr(totals, key)) for key in ("raw_ratio", "fisher", "laspeyres", "paasche")}
        verdict = class_text(totals.verdict, messages)
        grounds = (
            reason_text(totals.reason, messages),
            variation_text(totals.change, messages) if totals.change else "",
        )
        console.say(
            "cli.compare.workload",
            figure=console.text(f"database.figure.{name}"),
            count=totals.statements,
            interval=_interval(totals.interval),
            verdict=": ".join(part for part in (verdict, " ".join(filter(None, grounds))) if part),
            **facts,
        )
    if compared.time is not None:
        time = compared.time
        figures = class_text(time.verdict, messages), _times(time.ratio), _interval(time.interval)
        console.print(f"{time_text(time, messages)} · {' '.join(part for part in figures if part)}")
        console.print(
            " ".join((variation_text(time.change, messages), settled_text(time.settled_by, messages))).strip()
        )
    shares = {name: _share(value) for name, value in asdict(changes.coverage).items()}
    console.say("cli.compare.coverage", similarity=_share(changes.similarity and changes.similarity * 100), **shares)


def _show_explanation(explanation: Explanation, statements: StatementComparison, console: Console) -> None:
    messages = catalogue(console.language)
    console.print(explained_text(explanation, messages))
    steps = [list(step_texts(step, statements, messages)) for step in explanation.steps]
    console.table(console.headings("cli.compare.column", "cause statement added"), steps, frozenset({2}))
    if explanation.classes:
        classes = [list(class_step_texts(step, messages)) for step in explanation.classes]
        console.table(console.headings("cli.compare.column", "wait_class added"), classes, frozenset({1}))


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{_ratio(ratio)}x"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"[{_ratio(interval.low)}, {_ratio(interval.high)}]"


def _ratio(ratio: float) -> str:
    """With three decimals, to be read by programs of old; from a hundred on as every ratio is written."""
    return f"{ratio:,.3f}" if ratio < 100 else ratio_text(ratio)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f} %"


def _cells(row: StatementChange, statements: StatementComparison, console: Console, container: bool) -> list[str]:
    elapsed = row.changes["elapsed_s"]
    judged = row.changes.get(row.judged_by)
    return [
        class_text(row.outcome, catalogue(console.language)),
        statement_name(statements.text_of(row.pair), console.messages) or row.pair.name,
        *((row.pair.container,) if container else ()),
        amount(elapsed.before_each, 6),
        amount(elapsed.after_each, 6),
        "-" if judged is None else f"{_times(judged.ratio)} {_interval(judged.interval)}".strip(),
        _total(elapsed.before_total, elapsed.before_bound),
        _total(elapsed.after_total, elapsed.after_bound),
        amount(row.before_executions),
        amount(row.after_executions),
        amount(elapsed.impact, 3),
        row.pair.name,
        short(statements.text_of(row.pair)),
    ]


def _total(value: float | None, bound: float | None) -> str:
    """A total; ``<`` before what it is at most where a list leaves the statement out."""
    return amount(value, 3) if value is not None or bound is None else f"< {amount(bound, 3)}"


def show_counters(profile: ProfileComparison, table: str, console: Console) -> None:
    """One table of counters, of each statistic the greatest first."""
    lines = profile.counters.get(table, ())[:MOST_SHOWN]
    if not lines:
        console.say("cli.compare.no_counters", table=table)
        return
    messages = catalogue(console.language)
    cells = [
        [
            line.name,
            statistic_text(line, messages),
            unit_text(line.figure_unit, messages),
            amount(line.before, 3),
            amount(line.after, 3),
            _times(line.ratio),
            group_text(line, messages),
        ]
        for line in lines
    ]
    names = "counter statistic unit value_before value_after after_before scope"
    console.table(console.headings("cli.compare.column", names), cells, frozenset({3, 4, 5}))
