"""Verbs that are made of acts on a project, as ``cycle add``: what each act takes, and doing one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import closing

from tunebench.cli.arguments import COMMON, PROJECT, Argument, Translate, add
from tunebench.cli.console import Console
from tunebench.core.errors import ExitCode
from tunebench.usecases import projects
from tunebench.usecases.projects import Project

Act = Callable[[argparse.Namespace, Project, Console], ExitCode | None]
Acts = Mapping[str, tuple[Act, tuple[Argument, ...]]]


def add_acts(parser: argparse.ArgumentParser, text: Translate, key: str, acts: Acts) -> None:
    """
    Args:
        key: what the key of each act's help begins with.
    """
    add(parser, text, PROJECT)
    subparsers = parser.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(parser))
    for name, (_act, arguments) in acts.items():
        about = text(f"{key}.{name}")
        act = subparsers.add_parser(name, help=about, description=about)
        add(act, text, *arguments, *COMMON)
        act.set_defaults(complain=act.error)


def do_act(acts: Acts, args: argparse.Namespace, console: Console, reading: bool) -> ExitCode | None:
    """The act that was asked for; unless it only reads, whoever has the project open is named before it begins."""
    with closing(projects.open_(args.project, read_only=reading)) as project:
        if not reading:
            projects.require_writing(project)
        return acts[args.act][0](args, project, console)
