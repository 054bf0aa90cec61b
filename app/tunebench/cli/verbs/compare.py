"""``compare``: before against after, each series with its uncertainty and a verdict, or why there is none."""

from __future__ import annotations

import argparse
from contextlib import closing

from tunebench.analysis.databases.side_by_side import COUNTERS
from tunebench.cli.answering import show_answer
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag, optional
from tunebench.cli.comparing.lines import show_comparison
from tunebench.cli.comparing.statements import show_counters, show_statements
from tunebench.cli.console import Console
from tunebench.cli.findings.lines import show_shift
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.column import Locale
from tunebench.contract.comparing import comparison_document
from tunebench.core.collecting import uncollected
from tunebench.core.errors import ExitCode
from tunebench.usecases import projects
from tunebench.usecases.answering.compared import Compared, compare_windows
from tunebench.usecases.comparing.windows import find_window
from tunebench.usecases.databases.compared_statements import AskedStatements


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--before", "cli.help.before", "L", required=True),
        argument("--after", "cli.help.after", "L", required=True),
        optional("--database", "cli.help.database", "D"),
        optional("--after-database", "cli.help.after_database", "D"),
        optional("--container", "cli.help.container", "C"),
        optional("--source", "cli.help.source", "S"),
        argument("--counters", "cli.compare.help.counters", choices=COUNTERS),
        flag("--rows", "cli.compare.help.rows"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    asked = AskedStatements(args.database, args.after_database, args.source, args.container)
    with (
        uncollected(),
        closing(projects.open_(args.project, read_only=True)) as project,
        closing(console.progress()) as progress,
    ):
        before, after = find_window(project, args.before), find_window(project, args.after)
        compared = compare_windows(project, before, after, asked, progress)
    locale = Locale(console.language, compared.zone, missing="-")
    if console.json_wanted:
        console.result(comparison_document(compared, locale))
    else:
        show_answer(answer_text(compared.answer, locale), str(args.project), console)
    if args.rows:
        console.print()
        show_comparison(compared.comparison, compared.zone, console)
        show_shift(compared.shift, console)
        show_statements(compared.statements, compared.zone, console)
    else:
        console.say("cli.compare.more_rows")
    _show_reservations(compared, console)
    if args.counters and compared.statements.compared is not None:
        show_counters(compared.statements.compared.profile, args.counters, console)
    return ExitCode.PARTLY if compared.statements.refusal else ExitCode.DONE


def _show_reservations(compared: Compared, console: Console) -> None:
    """What was not compared, or is of other windows."""
    statements, (before, after) = compared.statements, compared.runs
    if statements.refusal is not None:
        console.refuse(statements.refusal)
    windows = compared.comparison.before, compared.comparison.after
    if any(window.name for window in windows) and any(statements.by_hand):
        console.notice("cli.compare.statements_of_runs", before=before[0].label, after=after[0].label)
    if compared.left_out:
        console.notice("cli.compare.statements_left_out")
