"""``series``: what was measured."""

from __future__ import annotations

import argparse
from contextlib import closing

from tunebench.analysis.statistics import Statistics
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.domain.series import SeriesInfo
from tunebench.usecases import browse, projects


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    run, match = argument("--run", "cli.help.run", "L"), argument("--match", "cli.help.match", "GLOB")
    add(parser, text, PROJECT, run, match, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        zone = projects.engagement_zone(project)
        listed = [
            (info, browse.statistics(project, info.id)) for info in browse.list_series(project, args.run, args.match)
        ]
    console.result([shapes.series(info, figures, zone) for info, figures in listed])
    console.table(
        console.headings("cli.column", "id run host tool series unit n mean p95 max"),
        [_row(info, figures) for info, figures in listed],
        right=frozenset({0, 6, 7, 8, 9}),
    )


def _row(info: SeriesInfo, figures: Statistics) -> list[str]:
    return [
        str(info.id),
        info.run,
        info.host,
        info.tool,
        info.label,
        info.unit,
        f"{figures.n:,}",
        number(figures.mean),
        number(figures.p95),
        number(figures.maximum),
    ]


def number(value: float | None) -> str:
    """A number for people: four figures or more, never a rounded 0 for something that is not."""
    if value is None:
        return "-"
    return f"{value:,.2f}" if abs(value) >= 100 or value == 0 else f"{value:.4g}"
