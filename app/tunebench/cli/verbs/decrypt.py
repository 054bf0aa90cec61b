"""``decrypt``: makes an encrypted project readable for whoever has the file."""

from __future__ import annotations

import argparse

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add
from tunebench.cli.console import Console
from tunebench.usecases import encrypting


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    encrypting.decrypt(args.project)
    console.say("cli.decrypt.done", path=args.project)
    console.result({"project": str(args.project), "encrypted": False})
