"""``new``: start an engagement."""

from __future__ import annotations

import argparse

from app.cli.arguments import Translate, add_common, add_project
from app.cli.console import Console
from app.core.errors import ExitCode
from app.domain.engagement import Engagement
from app.usecases import projects


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add_project(parser, text)
    parser.add_argument("--customer", required=True, metavar="TEXT", help=text("cli.help.customer"))
    parser.add_argument("--title", default="", metavar="T", help=text("cli.help.title"))
    parser.add_argument("--consultant", action="append", default=[], metavar="T", help=text("cli.help.consultant"))
    parser.add_argument("--zone", default="Asia/Seoul", metavar="ZONE", help=text("cli.help.engagement_zone"))
    parser.add_argument("--holidays", default="", metavar="T", help=text("cli.help.holidays"))
    add_common(parser, text)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
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
    return ExitCode.DONE
