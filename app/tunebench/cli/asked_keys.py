"""Keys of approvers at a terminal: a passphrase is asked for without an echo, and never taken from the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunebench.cli.arguments import argument, optional
from tunebench.cli.console import Console
from tunebench.cli.prompter import is_attended
from tunebench.core.errors import UserError
from tunebench.core.signing import SigningKey, is_encrypted
from tunebench.usecases import signatures

KEY = argument("--key", "cli.key.help.key", "FILE", type=Path)
SIGNATURE = optional("--signature", "cli.key.help.signature", "FILE|TEXT")


def read_key(path: Path, console: Console) -> SigningKey:
    """Raises UserError as `signatures.read_key`; key_passphrase_unasked where nobody is there to be asked."""
    if not is_encrypted(path):
        return signatures.read_key(path)
    if not is_attended():
        raise UserError("key_passphrase_unasked", path=str(path))
    return signatures.read_key(path, console.ask_hidden(console.text("cli.key.ask_passphrase", path=path)))


def given_key(args: argparse.Namespace, console: Console) -> SigningKey | None:
    return read_key(args.key, console) if args.key is not None else None


def given_signature(args: argparse.Namespace) -> str:
    """The signature, out of its file where it names one."""
    path = Path(args.signature) if args.signature else None
    try:
        if path is not None and path.is_file() and path.stat().st_size < signatures.LARGEST_SIGNATURE:
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass  # the words of a document are no file's name
    return str(args.signature)


def new_passphrase(path: Path, console: Console) -> str:
    """The passphrase, asked for twice. Raises UserError key_passphrase_unasked, key_passphrase_differs."""
    if not is_attended():
        raise UserError("key_passphrase_unasked", path=str(path))
    first = console.ask_hidden(console.text("cli.key.ask_new", path=path))
    if first != console.ask_hidden(console.text("cli.key.ask_again")):
        raise UserError("key_passphrase_differs")
    return first
