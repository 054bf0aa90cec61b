"""``plugin``: list, create and check plug-ins."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tunebench.cli.arguments import COMMON, Argument, Parser, Translate, add, argument, flag
from tunebench.cli.console import Console
from tunebench.contract import shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.plughost.listing import PluginListing
from tunebench.sdk.testkit import Finding
from tunebench.sdk.toml_tables import Problem
from tunebench.usecases import plugins


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name, (_action, arguments) in _ACTIONS.items():
        add(actions.add_parser(name, help=text(f"cli.plugin.help.{name}")), text, *arguments, *COMMON)


def run(args: argparse.Namespace, console: Console) -> ExitCode | None:
    return _ACTIONS[args.action][0](args, console)


def _list(_args: argparse.Namespace, console: Console) -> None:
    listings = plugins.listings()
    console.result([_shape(plugin, console) for plugin in listings])
    rows = [
        [p.id, p.version, console.text(f"cli.plugin.state.{p.state}"), ", ".join(p.contributions), str(p.folder)]
        for p in listings
    ]
    console.table(console.headings("cli.plugin.column", "id version state contributions folder"), rows)
    for plugin in listings:
        for problem in plugin.problems:
            console.print(f"{plugin.id}: {problem.text(console.language)}")


def _shape(plugin: PluginListing, console: Console) -> shapes.Shape:
    return {
        "id": plugin.id,
        "name": dict(plugin.name),
        "version": plugin.version,
        "folder": str(plugin.folder),
        "origin": str(plugin.origin),
        "sha256": plugin.hash,
        **shapes.shape(plugin, "state contributions"),
        "problems": [_finding(problem, console) for problem in plugin.problems],
    }


def _new(args: argparse.Namespace, console: Console) -> None:
    name, parent = _name_and_folder(args.name, args.folder)
    if args.sample is not None and args.kind == "parser":
        folder = plugins.create_from_sample(name, args.sample, args.table, parent)
    elif args.sample is not None or args.table:
        raise UserError("plugin_table_sample" if args.table else "plugin_sample_kind", kind=args.kind)
    else:
        folder = plugins.CREATE[args.kind](parent, name)
    console.say("cli.plugin.created", path=folder)
    if args.table:
        console.say("cli.plugin.created_table", path=folder / "plugin.toml", folder=folder)
    console.result({"folder": str(folder)})


def _name_and_folder(name: str, folder: Path | None) -> tuple[str, Path | None]:
    """The plug-in's name and its parent: ``my/plugins/queue_stat`` is the folder to be made."""
    path = Path(name)
    return (path.name, path.parent) if folder is None and len(path.parts) > 1 else (name, folder)


def _check(args: argparse.Namespace, console: Console) -> ExitCode | None:
    findings = plugins.check(args.name)
    failed = any(finding.level == "error" for finding in findings)
    console.result({"ok": not failed, "findings": [_finding(one, console) for one in findings]})
    for one in findings:
        console.print(f"{console.text(f'cli.plugin.level.{one.level}')}: {one.text(console.language)}")
    console.say("cli.plugin.failed" if failed else "cli.plugin.sound", name=args.name)
    return ExitCode.REFUSED if failed else None


def _finding(one: Finding | Problem, console: Console) -> shapes.Shape:
    return {"level": one.level, "text": one.text(console.language)}


_NAME = argument("name", "cli.help.plugin_name", "NAME")
_ACTIONS: dict[str, tuple[Callable[[argparse.Namespace, Console], ExitCode | None], tuple[Argument, ...]]] = {
    "list": (_list, ()),
    "new": (
        _new,
        (
            argument("kind", "cli.help.plugin_kind", nargs="?", default="parser", choices=tuple(plugins.CREATE)),
            _NAME,
            argument("--from", "cli.help.plugin_from", "FILE", dest="sample", type=Path),
            flag("--table", "cli.help.plugin_table"),
            argument("--folder", "cli.help.plugin_folder", "FOLDER", type=Path),
        ),
    ),
    "check": (_check, (_NAME,)),
}
