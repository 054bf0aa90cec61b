"""``cluster``: the processes that do what ``--on`` asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from tunebench.cli.arguments import COMMON, Argument, Parser, Translate, add, argument, positive
from tunebench.cli.console import Console
from tunebench.usecases import workers


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    acts = parser.add_subparsers(
        dest="act", required=True, metavar="ACT", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name, (_act, arguments) in _ACTS.items():
        about = text(f"cli.cluster.act.{name}")
        add(acts.add_parser(name, help=about, description=about), text, *arguments, *COMMON)


def run(args: argparse.Namespace, console: Console) -> None:
    _ACTS[args.act][0](args, console)


def _scheduler(args: argparse.Namespace, console: Console) -> None:
    workers.serve_scheduler(args.address, args.tls, _says("cli.cluster.scheduler", console))


def _worker(args: argparse.Namespace, console: Console) -> None:
    workers.serve_workers(args.address, args.tls, args.count, _says("cli.cluster.worker", console))


def _cost(args: argparse.Namespace, console: Console) -> None:
    load = workers.Load(args.hosts, args.days, args.series, args.mb)
    cost = workers.cost_of(load, args.workers)
    console.result(asdict(cost))
    for key, text in (
        ("cores", f"{cost.core_s / 3600:,.1f}"),
        ("wall", f"{cost.wall_s / 3600:,.1f}"),
        ("memory", f"{cost.worker_bytes / 1e6:,.0f}"),
        ("disk", f"{cost.scratch_bytes / 1e6:,.0f}"),
        ("archive", f"{cost.archive_bytes / 1e6:,.0f}"),
    ):
        console.say(f"cli.cluster.cost.{key}", value=text)
    for bound in cost.bounds:
        console.say(f"cli.cluster.bound.{bound}")


def _says(key: str, console: Console) -> Callable[[str], None]:
    return lambda address: console.notice(key, address=address)


def count(text: str) -> int:
    number = int(text)
    if not 0 < number <= _MOST:
        raise ValueError(text)
    return number


_MOST = 1_000_000
TLS = argument("--tls", "cli.help.tls", "FOLDER", type=Path)
_COUNTED = (("--hosts", 1000), ("--days", 365), ("--series", 450), ("--workers", 8))
_COUNTS = tuple(argument(name, f"cli.help.cost.{name[2:]}", "N", type=count, default=usual) for name, usual in _COUNTED)
_ADDRESS = argument("address", "cli.help.cluster_address", "ADDRESS")
_ACTS: Mapping[str, tuple[Callable[[argparse.Namespace, Console], None], tuple[Argument, ...]]] = {
    "scheduler": (_scheduler, (_ADDRESS, TLS)),
    "worker": (_worker, (_ADDRESS, argument("--count", "cli.help.cluster_count", "N", type=count, default=1), TLS)),
    "cost": (_cost, (*_COUNTS, argument("--mb", "cli.help.cost.mb", "MB", type=positive, default=1.3))),
}
