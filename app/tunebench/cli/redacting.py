"""What verbs that redact have in common: profile, sealed names, and a passphrase that is never an argument."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.cli.arguments import argument
from tunebench.cli.console import Console
from tunebench.cli.prompter import is_attended
from tunebench.core.errors import UserError

if TYPE_CHECKING:
    from tunebench.usecases.projects import Project
    from tunebench.usecases.redaction.clean import Left, Redaction

REDACTION = (
    argument("--names", "cli.redaction.help.names", "FILE", type=Path),
    argument("--names-passphrase-file", "cli.redaction.help.passphrase_file", "FILE", type=Path),
)
_NAMES_PASSPHRASE = "TUNEBENCH_NAMES_PASSPHRASE"  # noqa: S105 - the name of a variable


def redaction_of(project: Project, profile: str, args: argparse.Namespace, console: Console) -> Redaction:
    """Raises UserError of the profile; redaction_passphrase_unasked where nobody is there to be asked."""
    from tunebench.usecases.redaction.clean import Redaction  # with it all writers of documents
    from tunebench.usecases.redaction.names_file import names_path
    from tunebench.usecases.redaction.profiles import profile_named

    named = profile_named(profile)
    path = args.names or names_path(project)
    return Redaction(named, passphrase_of(path, args, console), path)


def passphrase_of(path: Path, args: argparse.Namespace, console: Console) -> str:
    """The first line of a file, a variable, or what is typed; twice where it seals for the first time."""
    from tunebench.cli.asked_keys import new_passphrase
    from tunebench.cli.asked_projects import given_passphrase

    if words := given_passphrase(args.names_passphrase_file, _NAMES_PASSPHRASE):
        return words
    if not is_attended():
        raise UserError("redaction_passphrase_unasked", path=str(path))
    if path.exists():
        return console.ask_hidden(console.text("cli.key.ask_passphrase", path=path))
    return new_passphrase(path, console)


def tell_left(left: Left, console: Console) -> None:
    console.notice("cli.redaction.proved", count=left.replaced, searched=left.searched, path=left.manifest)
    if left.ordinary:
        console.notice("cli.redaction.ordinary", names=", ".join(left.ordinary))
