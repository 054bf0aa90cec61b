"""``encrypt``: makes a project unreadable without a passphrase or a key file; ``rekey`` gives another."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag
from tunebench.cli.asked_keys import new_passphrase
from tunebench.cli.asked_projects import NEW_PASSPHRASE, given_passphrase
from tunebench.cli.console import Console
from tunebench.core.sealing import make_key_file
from tunebench.usecases import encrypting

Change = Callable[..., bool]


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--new-key-file", "cli.encrypt.help.new_key_file", "FILE", type=Path),
        argument("--new-passphrase-file", "cli.encrypt.help.new_passphrase_file", "FILE", type=Path),
        flag("--remember", "cli.encrypt.help.remember"),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> None:
    change(encrypting.encrypt, args, console)


def change(make: Change, args: argparse.Namespace, console: Console) -> None:
    """Gives the project the key that the options, the environment or the person at the terminal say."""
    file: Path | None = args.new_key_file
    if file is not None:
        if not file.exists():
            make_key_file(file)
            console.say("cli.encrypt.key_made", path=file)
        remembered = make(args.project, key_file=file, remember=args.remember)
    else:
        words = given_passphrase(args.new_passphrase_file, NEW_PASSPHRASE) or new_passphrase(args.project, console)
        remembered = make(args.project, passphrase=words, remember=args.remember)
    if args.remember and not remembered:
        console.notice("cli.encrypt.not_remembered")
    console.say("cli.encrypt.done", path=args.project)
    console.notice("cli.encrypt.copies")
    console.result({"project": str(args.project), "encrypted": True, "remembered": remembered})
