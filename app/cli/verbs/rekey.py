"""``rekey``: another passphrase or key file for an encrypted project."""

from __future__ import annotations

import argparse

from app.cli.console import Console
from app.cli.verbs.encrypt import change, register
from app.usecases import encrypting

__all__ = ["register", "run"]


def run(args: argparse.Namespace, console: Console) -> None:
    change(encrypting.rekey, args, console)
