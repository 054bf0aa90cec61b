"""What opens an encrypted project, at a terminal: key ring, file, environment, or typed without an echo."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tunebench.cli.console import Console
from tunebench.cli.prompter import is_attended
from tunebench.core.errors import UserError
from tunebench.core.sealing import OpenedBy
from tunebench.usecases import encrypting

PASSPHRASE = "TUNEBENCH_PASSPHRASE"  # noqa: S105 - the name of a variable
NEW_PASSPHRASE = "TUNEBENCH_NEW_PASSPHRASE"  # noqa: S105
_TRIES = 3
_MOST_BYTES = 4096


def unlock(path: Path, args: argparse.Namespace, console: Console) -> None:
    """Opens what locks the project; does nothing for a readable one. Raises UserError as `encrypting.unlock`."""
    wanted = encrypting.asked_for(path)
    if wanted is None:
        return
    remember = getattr(args, "remember", False)
    given = given_passphrase(args.passphrase_file, PASSPHRASE)
    if wanted is OpenedBy.KEY_FILE or given or not is_attended():
        encrypting.unlock(path, passphrase=given, key_file=_key_file(args, wanted), remember=remember)
        return
    for left in reversed(range(_TRIES)):
        words = console.ask_hidden(console.text("cli.encrypt.ask", path=path))
        try:
            encrypting.unlock(path, passphrase=words, remember=remember)
            return
        except UserError as error:
            if error.key != "project_key_wrong" or not left:
                raise
            console.notice("cli.asker.again")


def _key_file(args: argparse.Namespace, wanted: OpenedBy) -> Path | None:
    """The key file; None for a project of a passphrase, where the one given is that of `encrypt` and `rekey`."""
    named: Path | None = args.key_file
    return named if wanted is OpenedBy.KEY_FILE else None


def given_passphrase(file: Path | None, variable: str) -> str:
    """The first line of the file, or the variable; empty where neither is there.

    Raises:
        UserError: file_unreadable.
    """
    if file is None:
        return os.environ.get(variable, "")
    try:
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES).decode("utf-8", "replace").partition("\n")[0].rstrip("\r")
    except OSError as error:
        raise UserError("project_key_file_unfit", path=str(file), detail=error.strerror or str(error)) from error
