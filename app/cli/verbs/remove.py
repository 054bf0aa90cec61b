"""``remove``: takes a run or one capture out of the project, after saying what goes with it."""

from __future__ import annotations

import argparse
from contextlib import closing

from app.cli import shapes
from app.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag
from app.cli.console import Console
from app.cli.prompter import is_attended, says_yes
from app.core.errors import ExitCode, UserError
from app.usecases import projects
from app.usecases.projects import Going, Project


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT)
    add(
        parser.add_mutually_exclusive_group(required=True),
        text,
        argument("--run", "cli.remove.help.run", "LABEL"),
        argument("--artefact", "cli.remove.help.artefact", "ID", type=int),
    )
    add(parser, text, flag("--yes", "cli.remove.help.yes"), *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    with closing(projects.open_(args.project)) as project:
        projects.require_writing(project)
        run_id = None if args.run is None else _run_id(project, args.run)
        going = _going(project, run_id, args.artefact)
        if going.refusal is not None:
            raise going.refusal
        if not args.yes and not _agreed(going, run_id is not None, console):
            console.notice("cli.remove.kept")
            return ExitCode.REFUSED
        _remove(project, run_id, args.artefact)
    console.result(_shape(going, run_id is not None))
    console.say("cli.remove.done", what=_what(going, run_id is not None, console))
    return ExitCode.DONE


def _remove(project: Project, run_id: int | None, artefact_id: int) -> None:
    if run_id is not None:
        projects.remove_run(project, run_id)
    else:
        projects.remove_capture(project, artefact_id)


def _run_id(project: Project, label: str) -> int:
    """By its own label alone: the name of a phase is too little to remove something by."""
    found = projects.find_run(project, label)
    if found.label != label:
        raise UserError("run_unknown", run=label, known=found.label)
    return found.id


def _going(project: Project, run_id: int | None, artefact_id: int) -> Going:
    if run_id is not None:
        return projects.going_with_run(project, run_id)
    return projects.going_with_capture(project, artefact_id)


def _agreed(going: Going, whole_run: bool, console: Console) -> bool:
    """Asks at the terminal. Raises UserError remove_unconfirmed where there is none."""
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
        "captures": [shapes.shape(each, "id name sha256") for each in going.captures],
        **shapes.shape(going, "size_bytes=bytes series samples statements database_records=records"),
        "notes": len(going.notes),
    }
