"""``demo``: write the demo engagement."""

from __future__ import annotations

import argparse
from contextlib import closing

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add
from tunebench.cli.console import Console
from tunebench.usecases.demo import engagement as demo


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(parser, text, PROJECT, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(console.progress()) as progress:
        path = demo.build(args.project, progress, getattr(args, "lang", ""))
    console.say("cli.demo.done", path=path)
    console.result({"project": str(path)})
