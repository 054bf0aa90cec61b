"""``info``: what is in the project."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from functools import partial
from zoneinfo import ZoneInfo

from tunebench.cli import cut_off_import
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.contract.engagement import overview_shape
from tunebench.usecases import projects
from tunebench.usecases.importing import interrupted
from tunebench.usecases.projects import Overview, Project


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        overview = projects.overview(project)
        say_stand, stand = _cycle(project) if projects.has_iterations(project) else (None, None)
        begun = interrupted.cut_off(project)
    zone = ZoneInfo(overview.engagement.zone)
    console.result({**overview_shape(overview, zone), "import_cut_off": cut_off_import.shape(begun), "cycle": stand})
    _show(overview, zone, console)
    cut_off_import.say(begun, args.project, console)
    if say_stand is not None:
        say_stand(console)


def _cycle(project: Project) -> tuple[Callable[[Console], None], shapes.Shape | None]:
    """Where the current iteration stands, for people and as JSON; it takes half of the program to say so."""
    from tunebench.cli.cycle import view as cycle_view
    from tunebench.contract import cycle as cycle_shapes
    from tunebench.usecases.cycle import reading

    standing = reading.standing(project)
    iterations = len(reading.read(project).iterations)
    return partial(cycle_view.say_stand, standing), cycle_shapes.stand(standing, iterations)


def _show(overview: Overview, zone: ZoneInfo, console: Console) -> None:
    engagement = overview.engagement
    console.say(
        "cli.info.engagement",
        title=engagement.title,
        customer=engagement.customer,
        consultants=", ".join(engagement.consultants) or "-",
        zone=engagement.zone,
    )
    console.say(
        "cli.info.size",
        series=f"{overview.series:,}",
        samples=f"{overview.samples:,}",
        megabytes=f"{overview.size_bytes / 1e6:,.1f}",
    )
    for host in overview.hosts:
        console.say("cli.info.host", name=host.name, os=f"{host.os} {host.os_version}".strip() or "-")
    for view in overview.runs:
        console.say(
            "cli.info.run",
            label=view.run.label,
            phase=console.text(f"phase.{view.run.phase.value}"),
            first=shapes.time(view.run.first_ns, zone) or "-",
            last=shapes.time(view.run.last_ns, zone) or "-",
        )
        if view.run.dated_by_file:
            console.say("ledger.run_dated_by_file")
        if view.dated_by_file:
            console.say("ledger.dated_by_file", count=f"{view.dated_by_file:,}")
        rows = [
            [
                str(a.id),
                a.name,
                a.ledger.tool,
                console.text(f"state.{a.state}"),
                f"{a.ledger.lines.total:,}",
                f"{a.ledger.lines.skipped:,}",
                f"{a.ledger.samples:,}",
            ]
            for a in view.artefacts
        ]
        if rows:
            headings = console.headings("cli.info.column", "number file tool state lines skipped samples")
            console.table(headings, rows, right=frozenset({0, 4, 5, 6}))
    for report in overview.reports:
        console.say(
            "cli.info.report",
            file=report.file_name,
            kind=report.kind.upper(),
            language=report.language,
            issued=report.issued or "-",
            written=shapes.stamp(report.written_at, zone),
            sha256=report.sha256[:12],
        )
