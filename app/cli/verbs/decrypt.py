"""``decrypt``: makes an encrypted project readable for whoever has the file."""

from __future__ import annotations

import argparse

from app.cli.arguments import COMMON, PROJECT, Translate, add
from app.cli.console import Console
from app.usecases import encrypting


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    encrypting.decrypt(args.project)
    console.say("cli.decrypt.done", path=args.project)
    console.result({"project": str(args.project), "encrypted": False})
