"""``compare``: before against after, each series with its uncertainty and a verdict, or why there is none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.databases.side_by_side import COUNTERS
from tunebench.cli import shapes
from tunebench.cli.answering.lines import show_answer
from tunebench.cli.answering.shapes import answer_shape
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag, optional
from tunebench.cli.comparing import shapes as compare_shapes
from tunebench.cli.comparing.lines import show_comparison
from tunebench.cli.comparing.statements import ComparedStatements, compared_statements, show_counters
from tunebench.cli.console import Console
from tunebench.cli.findings.lines import show_shift
from tunebench.cli.findings.shapes import shift_shape
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.column import Locale
from tunebench.core.collecting import uncollected
from tunebench.core.errors import ExitCode
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Stretch, Window
from tunebench.usecases import projects
from tunebench.usecases.answering.answer import answer_of
from tunebench.usecases.answering.databases import every_database
from tunebench.usecases.comparing import compare, windows
from tunebench.usecases.databases.entered_statements import are_left_out
from tunebench.usecases.findings.diagnose import shift


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
    with (
        uncollected(),
        closing(projects.open_(args.project, read_only=True)) as project,
        closing(console.progress()) as progress,
    ):
        sides = [windows.chosen(project, name) for name in (args.before, args.after)]
        runs = [windows.whole_runs(project, side) for side in sides]
        before, after = (windows.find_window(project, name) for name in (args.before, args.after))
        asked = args.database, args.after_database, args.source, args.container
        sql = compared_statements(project, before, after, *asked)
        zone = projects.engagement_zone(project)
        left_out = are_left_out(project, runs)
        comparison = compare.compare(project, sides[0], sides[1], progress, sql.compared)
        moved = shift(project, sides[0], sides[1], progress)
        databases = every_database(project, before, after, sql.compared)
        answer, locale = answer_of(project, comparison, databases, moved), Locale(console.language, zone, missing="-")
        if console.json_wanted:
            last: shapes.Shape = {"shift": shift_shape(moved), "answer": answer_shape(answer, locale)}
            console.result(_shape(runs, comparison, last, sql, zone, console))
        else:
            show_answer(answer_text(answer, locale), str(args.project), console)
    if args.rows:
        console.print()
        show_comparison(comparison, zone, console)
        show_shift(moved, console)
        sql.show(zone, console)
    else:
        console.say("cli.compare.more_rows")
    if sql.refusal is not None:
        console.refuse(sql.refusal)
    if any(side.name for side in sides) and any(sql.by_hand):
        console.notice("cli.compare.statements_of_runs", before=runs[0][0].label, after=runs[1][0].label)
    if left_out:
        console.notice("cli.compare.statements_left_out")
    if args.counters and sql.compared is not None:
        show_counters(sql.compared.profile, args.counters, console)
    return ExitCode.PARTLY if sql.refusal else ExitCode.DONE


def _shape(
    runs: Sequence[Sequence[Run]],
    comparison: Comparison,
    last: shapes.Shape,
    sql: ComparedStatements,
    zone: ZoneInfo,
    console: Console,
) -> shapes.Shape:
    return {
        "before": _side(comparison.before, runs[0], comparison.occurrences_before, comparison.left_out[0], zone),
        "after": _side(comparison.after, runs[1], comparison.occurrences_after, comparison.left_out[1], zone),
        "comparability": [compare_shapes.gate_check(check, zone) for check in comparison.gate],
        "split_offers": [
            shapes.shape(offer, "side host at=at_ns reason series change", zone) for offer in comparison.split_offers
        ],
        "estimators": compare_shapes.ESTIMATORS,
        "series": (compare_shapes.compared_series(row, zone) for row in comparison.rows),
        "statements": sql.shape(zone, console),
        "databases": sql.databases,
        **last,
    }


def _side(
    window: Window, runs: Sequence[Run], stretches: Sequence[Stretch], left_out: Sequence[Stretch], zone: ZoneInfo
) -> shapes.Shape:
    """A side: of a run as a whole its first and last sample, of a window its occurrences, on its own clock."""
    zone = window.clock(zone)
    spans: Sequence[tuple[int | None, int | None]] = [stretch.span for stretch in stretches]
    if not window.name:
        spans = [(run.first_ns, run.last_ns) for run in runs if run.first_ns is not None]
    return {
        "window": window.name or None,
        "run": runs[0].label if len(runs) == 1 else None,
        "zone": zone.key,
        "windows": [{"from": shapes.time(first, zone), "to": shapes.time(last, zone)} for first, last in spans],
        "left_out": [shapes.shape(stretch, "from=start_ns to=end_ns", zone) for stretch in left_out],
    }
