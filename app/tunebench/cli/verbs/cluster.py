"""``cluster``: the processes that do what ``--on`` asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from tunebench.cli.arguments import COMMON, Argument, Parser, Translate, add, argument
from tunebench.cli.console import Console
from tunebench.usecases import workers


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    acts = parser.add_subparsers(
        dest="act", required=True, metavar="ACT", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name, (_act, arguments) in _ACTS.items():
        about = text(f"cli.cluster.act.{name}")
        add(acts.add_parser(name, help=about, description=about), text, *arguments, *COMMON)
    parser.set_defaults(complain=parser.error)


def run(args: argparse.Namespace, console: Console) -> None:
    _ACTS[args.act][0](args, console)


def _scheduler(args: argparse.Namespace, console: Console) -> None:
    workers.serve_scheduler(args.address, args.tls, _says("cli.cluster.scheduler", console))


def _worker(args: argparse.Namespace, console: Console) -> None:
    if args.count < 1:
        args.complain(console.text("cli.usage.value") % {"type": "int", "value": args.count})
    workers.serve_workers(args.address, args.tls, args.count, _says("cli.cluster.worker", console))


def _says(key: str, console: Console) -> Callable[[str], None]:
    return lambda address: console.notice(key, address=address)


TLS = argument("--tls", "cli.help.tls", "FOLDER", type=Path)
ON = argument("--on", "cli.help.on", "WHERE")
_ADDRESS = argument("address", "cli.help.cluster_address", "ADDRESS")
_ACTS: Mapping[str, tuple[Callable[[argparse.Namespace, Console], None], tuple[Argument, ...]]] = {
    "scheduler": (_scheduler, (_ADDRESS, TLS)),
    "worker": (_worker, (_ADDRESS, argument("--count", "cli.help.cluster_count", "N", type=int, default=1), TLS)),
}
