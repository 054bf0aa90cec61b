"""``compare``: before against after, descriptive."""

from __future__ import annotations

import argparse
from zoneinfo import ZoneInfo

from app.analysis.comparison import ComparedSeries, Comparison, Window
from app.cli import shapes
from app.cli.arguments import Translate, add_common, add_project
from app.cli.compared_statements import compared_statements
from app.cli.console import Console
from app.cli.verbs.series import number
from app.core.errors import ExitCode
from app.domain.engagement import Run
from app.usecases import compare, exports, projects


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
        found = compare.compare(project, Window(before.id), Window(after.id), progress)
        progress.close()
        zone = exports.engagement_zone(project)
        sql = compared_statements(project, before, after, args.database, args.after_database, args.source)
    finally:
        projects.close(project)
    console.result({
        "before": _window(before, zone),
        "after": _window(after, zone),
        "comparability": [],
        "series": [shapes.compared_series(row) for row in found.rows],
        "statements": sql.shape(zone, console),
        "databases": sql.databases,
        "shift": {"before": None, "after": None, "shifted": None},
    })
    _show(found, console)
    sql.show(zone, console)
    return ExitCode.PARTLY if sql.refusal else ExitCode.DONE


def _window(one: Run, zone: ZoneInfo) -> shapes.Shape:
    windows = [] if one.first_ns is None else [
        {"from": shapes.time(one.first_ns, zone), "to": shapes.time(one.last_ns, zone)}
    ]
    return {"run": one.label, "windows": windows}


def _show(found: Comparison, console: Console) -> None:
    keys = ("series", "unit", "n_before", "mean_before", "p95_before", "n_after", "mean_after", "p95_after", "ratio")
    console.table(
        [console.text(f"cli.column.{key}") for key in keys],
        [_row(row) for row in found.rows],
        right=frozenset(range(2, 9)),
    )
    console.say("cli.compare.descriptive")


def _row(row: ComparedSeries) -> list[str]:
    cells = [f"{row.series.host} {row.series.tool} {row.series.label}", row.unit]
    for figures in (row.before_statistics, row.after_statistics):
        if figures is None:
            cells += ["-", "-", "-"]
        else:
            cells += [f"{figures.n:,}", number(figures.mean), number(figures.p95)]
    return [*cells, "-" if row.ratio is None else f"{row.ratio:.2f}"]
