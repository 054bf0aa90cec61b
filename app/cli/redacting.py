"""What verbs that redact have in common: profile, sealed names, and a passphrase that is never an argument."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.arguments import argument
from app.cli.asked_keys import new_passphrase
from app.cli.console import Console
from app.cli.prompter import is_attended
from app.core.errors import UserError
from app.usecases.projects import Project
from app.usecases.redaction.clean import Left, Redaction
from app.usecases.redaction.names_file import names_path
from app.usecases.redaction.profiles import profile_named

REDACTION = (
    argument("--names", "cli.redaction.help.names", "FILE", type=Path),
    argument("--passphrase-file", "cli.redaction.help.passphrase_file", "FILE", type=Path),
)
_LONGEST = 4096


def redaction_of(project: Project, profile: str, args: argparse.Namespace, console: Console) -> Redaction:
    """Raises UserError of the profile; redaction_passphrase_unasked where nobody is there to be asked."""
    found = profile_named(profile)
    path = args.names or names_path(project)
    return Redaction(found, passphrase_of(path, args, console), path)


def passphrase_of(path: Path, args: argparse.Namespace, console: Console) -> str:
    """The first line of a file, or what is typed; twice where it seals for the first time."""
    if args.passphrase_file is not None:
        try:
            with args.passphrase_file.open(encoding="utf-8") as file:
                return str(file.readline(_LONGEST)).rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError("file_unreadable", path=str(args.passphrase_file), reason=str(error)) from error
    if not is_attended():
        raise UserError("redaction_passphrase_unasked", path=str(path))
    if path.exists():
        return console.ask_hidden(console.text("cli.key.ask_passphrase", path=path))
    return new_passphrase(path, console)


def tell_left(left: Left, console: Console) -> None:
    console.notice("cli.redaction.proved", count=left.replaced, searched=left.searched, path=left.manifest)
    if left.ordinary:
        console.notice("cli.redaction.ordinary", names=", ".join(left.ordinary))
