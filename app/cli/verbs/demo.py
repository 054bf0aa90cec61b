"""``demo``: write the demo engagement."""

from __future__ import annotations

import argparse

from app.cli.arguments import COMMON, PROJECT, Translate, add
from app.cli.console import Console
from app.core.errors import ExitCode
from app.usecases.demo import engagement as demo


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    progress = console.progress()
    try:
        path = demo.build(args.project, progress)
    finally:
        progress.close()
    console.say("cli.demo.done", path=path)
    console.result({"project": str(path)})
    return ExitCode.DONE
