"""``new``: start an engagement."""

from __future__ import annotations

import argparse

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, optional, several
from tunebench.cli.console import Console
from tunebench.domain.engagement import Engagement
from tunebench.usecases import projects


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--customer", "cli.help.customer", "TEXT", required=True),
        optional("--title", "cli.help.title", "T"),
        several("--consultant", "cli.help.consultant", "T"),
        argument("--zone", "cli.help.engagement_zone", "ZONE", default="Asia/Seoul"),
        optional("--holidays", "cli.help.holidays", "T"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> None:
    engagement = Engagement(
        title=args.title or args.customer,
        customer=args.customer,
        consultants=tuple(args.consultant),
        zone=args.zone,
        language=console.language,
        holidays=args.holidays,
    )
    project = projects.create(args.project, engagement)
    path = project.path
    projects.close(project)
    console.say("cli.new.done", path=path)
    console.result({"project": str(path)})
