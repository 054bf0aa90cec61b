"""``compare``: before against after, each series with its uncertainty and a verdict, or why there is none."""

from __future__ import annotations

import argparse
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import Comparison
from app.cli import shapes
from app.cli.arguments import Translate, add_common, add_project
from app.cli.comparing import shapes as compare_shapes
from app.cli.comparing.lines import show_comparison
from app.cli.comparing.statements import ComparedStatements, compared_statements
from app.cli.console import Console
from app.cli.findings.lines import show_shift
from app.cli.findings.shapes import shift_shape
from app.core.errors import ExitCode
from app.domain.engagement import Run
from app.domain.finding import Shift
from app.domain.windows import run_window
from app.usecases import exports, projects
from app.usecases.comparing import compare
from app.usecases.findings.shift import shift


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    parser.add_argument("--before", required=True, metavar="L", help=text("cli.help.before"))
    parser.add_argument("--after", required=True, metavar="L", help=text("cli.help.after"))
    parser.add_argument("--database", default="", metavar="D", help=text("cli.help.database"))
    parser.add_argument("--after-database", default="", metavar="D", help=text("cli.help.after_database"))
    parser.add_argument("--source", default="", metavar="S", help=text("cli.help.source"))
    add_common(parser, text)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    project = projects.open_(args.project, read_only=True)
    try:
        before, after = (projects.find_run(project, label) for label in (args.before, args.after))
        progress = console.progress()
        windows = run_window(before.id), run_window(after.id)
        sql = compared_statements(project, before, after, args.database, args.after_database, args.source)
        found = compare.compare(project, *windows, progress, sql.found)
        moved = shift(project, *windows, progress)
        progress.close()
        zone = exports.engagement_zone(project)
    finally:
        projects.close(project)
    if console.json_wanted:  # 100,000 statements take a while to write out
        console.result(_shape(before, after, found, moved, sql, zone, console))
    show_comparison(found, zone, console)
    show_shift(moved, console)
    sql.show(zone, console)
    return ExitCode.PARTLY if sql.refusal else ExitCode.DONE


def _shape(
    before: Run, after: Run, found: Comparison, moved: Shift, sql: ComparedStatements, zone: ZoneInfo, console: Console
) -> shapes.Shape:
    return {
        "before": _window(before, zone),
        "after": _window(after, zone),
        "comparability": [compare_shapes.gate_check(check, zone) for check in found.gate],
        "split_offers": [
            shapes.shape(offer, "side host at=at_ns reason series change", zone) for offer in found.split_offers
        ],
        "estimators": compare_shapes.ESTIMATORS,
        "series": [compare_shapes.compared_series(row, zone) for row in found.rows],
        "statements": sql.shape(zone, console),
        "databases": sql.databases,
        "shift": shift_shape(moved),
    }


def _window(one: Run, zone: ZoneInfo) -> shapes.Shape:
    windows = (
        []
        if one.first_ns is None
        else [{"from": shapes.time(one.first_ns, zone), "to": shapes.time(one.last_ns, zone)}]
    )
    return {"run": one.label, "windows": windows}
