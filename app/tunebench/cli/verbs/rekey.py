"""``rekey``: another passphrase or key file for an encrypted project."""

from __future__ import annotations

import argparse

from tunebench.cli.console import Console
from tunebench.cli.verbs.encrypt import change, register
from tunebench.usecases import encrypting

__all__ = ["register", "run"]


def run(args: argparse.Namespace, console: Console) -> None:
    change(encrypting.rekey, args, console)
