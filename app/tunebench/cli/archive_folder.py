"""``archive PLACE import FOLDER``: captures of many hosts straight into an archive."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.archive.archive import Archive
from tunebench.cli.arguments import argument, optional
from tunebench.cli.console import Console
from tunebench.core.errors import ExitCode

if TYPE_CHECKING:
    from tunebench.usecases.archiving.from_folder import Taken

MOST_REFUSALS = 100
"""Sentences on stderr; the JSON document has them all."""
ARGUMENTS = (
    argument("folder", "archive.help.folder", "FOLDER", type=Path),
    argument("--title", "archive.help.title", "TEXT", required=True),
    argument("--customer", "archive.help.customer", "NAME", required=True),
    argument("--consent", "archive.help.consent", "WHO", required=True),
    optional("--tz", "archive.help.zone", "ZONE"),
    argument("--on", "cli.help.on", "WHERE", default="local"),
    argument("--tls", "cli.help.tls", "FOLDER", type=Path),
)


def run(archive: Archive, args: argparse.Namespace, console: Console) -> ExitCode:
    from tunebench.usecases import workers  # other acts have no use for what a whole report needs
    from tunebench.usecases.archiving import from_folder

    stated = from_folder.Said(args.title, args.customer, args.tz or "UTC", args.consent)
    with closing(console.progress()) as progress, workers.engine(workers.where(args.on, args.tls)) as engine:
        taken = from_folder.take_folder(archive, args.folder, stated, engine, progress)
    console.result(_shape(taken, console))
    _show(taken, console)
    if not taken.refused:
        return ExitCode.DONE
    return ExitCode.PARTLY if taken.hosts else ExitCode.REFUSED


def _shape(taken: Taken, console: Console) -> dict[str, object]:
    named = "engagement title hosts files came rows"
    refused = [
        {"file": refused.name, "error": refused.error.key, "sentence": console.messages.error(refused.error)}
        for refused in taken.refused
    ]
    return {**{name: getattr(taken, name) for name in named.split()}, "refused": refused}


def _show(taken: Taken, console: Console) -> None:
    for refused in taken.refused[:MOST_REFUSALS]:
        console.refuse(refused.error)
    if len(taken.refused) > MOST_REFUSALS:
        console.notice("cli.import.more_refusals", more=f"{len(taken.refused) - MOST_REFUSALS:,}")
    if taken.rows is None:
        console.say("archive.unchanged", title=taken.title, engagement=taken.engagement, rows=None)
        return
    console.say(
        "archive.imported",
        title=taken.title,
        engagement=taken.engagement,
        hosts=len(taken.hosts),
        came=f"{taken.came:,}",
        files=f"{taken.files:,}",
        rows=f"{taken.rows:,}",
    )
