"""``statements``: the SQL statements of a run or a window, what they cost and how often they ran."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import Any, cast

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, optional
from tunebench.cli.console import Console
from tunebench.cli.figure_text import amount, short
from tunebench.columns.statement_names import statement_name
from tunebench.contract import databases as database_shapes
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.databases.compared_statements import listed_statements
from tunebench.usecases.databases.words import caution_text

MOST_SHOWN = 200
"""Lines of text; JSON has all of them."""


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--run", "cli.help.window_or_run", "L", required=True),
        optional("--database", "cli.help.database", "D"),
        optional("--container", "cli.help.container", "C"),
        optional("--source", "cli.help.source", "S"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        listed = listed_statements(project, windows.find_window(project, args.run), args.database, args.source)
        zone = projects.engagement_zone(project)
    rows = database_shapes.listed_statements(listed, args.container)
    console.result(rows)
    _show(rows, console)
    for caution in (caution for side in listed.sides for caution in side.cautions):
        console.notice("cli.statements.warning", text=caution_text(caution, console.language, zone))


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    if not rows:
        console.say("cli.statements.none")
        return
    container = "container" if len({row["container"] for row in rows}) > 1 else ""
    ran = [row for row in rows if row["executions"] != 0 or row["elapsed_s"]]
    shown = sorted(ran, key=lambda row: -(row["elapsed_s"] or 0.0))[:MOST_SHOWN]
    console.table(
        console.headings(
            "cli.statements.column", f"statement {container} executions elapsed_s each_s block_gets rows id text"
        ),
        [_cells(row, bool(container), console) for row in shown],
        right=frozenset(range(1 + bool(container), 6 + bool(container))),
    )
    idle, more = len(rows) - len(ran), len(ran) - len(shown)
    if idle:
        console.say("cli.statements.idle", count=f"{idle:,}")
    if more:
        console.say("cli.statements.more", count=f"{more:,}")


def _cells(row: dict[str, Any], container: bool, console: Console) -> list[str]:
    return [
        statement_name(str(row["text"]), console.messages) or str(row["id"]),
        *((row["container"] or "",) if container else ()),
        amount(row["executions"]),
        amount(row["elapsed_s"], 3),
        amount(_each_s(row), 6),
        amount(row["block_gets"]),
        amount(row["rows"]),
        str(row["id"]),
        short(str(row["text"])),
    ]


def _each_s(row: dict[str, Any]) -> float | None:
    """Of the rows of the capture that report both; what was entered by hand is one row."""
    if "per_execution" in row:
        return cast("float | None", row["per_execution"]["elapsed_s"])
    elapsed, executions = row["elapsed_s"], row["executions"]
    return elapsed / executions if elapsed is not None and executions else None
