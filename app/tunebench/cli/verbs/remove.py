"""``remove``: takes a run or one capture out of the project, after saying what goes with it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag
from tunebench.cli.console import Console
from tunebench.cli.prompter import is_attended, says_yes
from tunebench.contract import shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.usecases import projects
from tunebench.usecases.projects import Going, Project

Act = Callable[[Project, int], Going]
_OF_A_RUN: tuple[Act, Act] = (projects.going_with_run, projects.remove_run)
_OF_A_CAPTURE: tuple[Act, Act] = (projects.going_with_artefact, projects.remove_artefact)


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT)
    add(
        parser.add_mutually_exclusive_group(required=True),
        text,
        argument("--run", "cli.remove.help.run", "LABEL"),
        argument("--artefact", "cli.remove.help.artefact", "ID", type=int),
    )
    add(parser, text, flag("--yes", "cli.remove.help.yes"), flag("--wipe", "cli.remove.help.wipe"), *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    with closing(projects.open_(args.project)) as project:
        projects.require_writing(project)
        whole_run = args.run is not None
        id_ = _run_id(project, args.run) if whole_run else args.artefact
        look, remove = _OF_A_RUN if whole_run else _OF_A_CAPTURE
        going = look(project, id_)
        if going.refusal is not None:
            raise going.refusal
        if not args.yes and not _agreed(going, whole_run, console):
            console.notice("cli.remove.kept")
            return ExitCode.REFUSED
        remove(project, id_)
        copies = projects.wipe(project) if args.wipe else ()
    console.result({**_shape(going, whole_run), "wiped": args.wipe, "copies_removed": list(copies)})
    console.say("cli.remove.done", what=_what(going, whole_run, console))
    if args.wipe:
        console.say("cli.remove.wiped", copies=", ".join(copies) or "-")
    return ExitCode.DONE


def _run_id(project: Project, label: str) -> int:
    """The id of the run with this very label: the name of a phase is too little to remove something by."""
    run = projects.find_run(project, label)
    if run.label != label:
        raise UserError("run_unknown", run=label, known=run.label)
    return run.id


def _agreed(going: Going, whole_run: bool, console: Console) -> bool:
    """Whether the person at the terminal agrees. Raises UserError remove_unconfirmed where there is none."""
    if not is_attended():
        raise UserError("remove_unconfirmed", name=going.name)
    console.notice(
        "cli.remove.goes",
        what=_what(going, whole_run, console),
        captures=len(going.captures),
        megabytes=f"{going.bytes / 1e6:,.1f}",
        series=f"{going.series:,}",
        samples=f"{going.samples:,}",
        records=f"{going.records:,}",
        statements=f"{going.statements:,}",
        notes=len(going.notes),
    )
    return says_yes(console, "cli.remove.ask")


def _what(going: Going, whole_run: bool, console: Console) -> str:
    return console.text("cli.remove.run" if whole_run else "cli.remove.artefact", name=going.name)


def _shape(going: Going, whole_run: bool) -> shapes.Shape:
    return {
        "kind": "run" if whole_run else "artefact",
        "name": going.name,
        "captures": [shapes.shape(capture, "id name sha256") for capture in going.captures],
        **shapes.shape(going, "size_bytes=bytes series samples statements database_records=records"),
        "notes": len(going.notes),
    }
