"""``export``: a clean copy of the project that may leave the site, who stands behind its stand-ins; a part of it."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, flag, optional
from tunebench.cli.console import Console
from tunebench.cli.redacting import REDACTION, passphrase_of, redaction_of, tell_left
from tunebench.core.errors import ExitCode, UserError
from tunebench.usecases import projects
from tunebench.usecases.merging import part
from tunebench.usecases.redaction import clean, names_file


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--clean", "cli.redaction.help.clean", "FILE", type=Path),
        argument("--redact", "cli.redaction.help.redact", "PROFILE", default="strict"),
        flag("--who", "cli.redaction.help.who"),
        argument("--part", "cli.export.help.part", "FILE", type=Path),
        optional("--host", "cli.export.help.host", "NAME"),
        argument("--iteration", "cli.export.help.iteration", "NUMBER", type=int),
        *REDACTION,
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    if (args.clean is not None) + args.who + (args.part is not None) != 1:
        raise UserError("export_needs")
    if args.part is not None:
        return _part(args, console)
    with closing(projects.open_(args.project, read_only=True)) as project, closing(console.progress()) as progress:
        if args.who:
            return _who(args.names or names_file.names_path(project), args, console)
        target = projects.with_suffix(args.clean)
        left = clean.export_clean(project, target, redaction_of(project, args.redact, args, console), progress)
    tell_left(left, console)
    console.say("cli.redaction.exported", path=target)
    console.result({"files": [str(path) for path in left.paths], "manifest": str(left.manifest)})
    return ExitCode.DONE


def _part(args: argparse.Namespace, console: Console) -> ExitCode:
    """A copy with the captures of one host or iteration, to be merged back."""
    if bool(args.host) is (args.iteration is not None):
        raise UserError("part_needs")
    with closing(projects.open_(args.project, read_only=True)) as project:
        if args.host:
            written = part.export_host(project, args.part, args.host)
        else:
            written = part.export_iteration(project, args.part, args.iteration)
    console.say("cli.export.part", path=written.path, captures=written.captures, left_out=written.left_out)
    console.result({"files": [str(written.path)], "captures": written.captures, "left_out": written.left_out})
    return ExitCode.DONE


def _who(path: Path, args: argparse.Namespace, console: Console) -> ExitCode:
    """On site: stand-ins and the names behind them."""
    if not path.exists():
        raise UserError("redaction_names_missing", path=str(path))
    names = names_file.read_names(path, passphrase_of(path, args, console))
    rows = sorted((stand_in, original) for original, stand_in in names.items())
    console.table(console.headings("cli.redaction.column", "stand_in name"), rows)
    console.result([{"stand_in": stand_in, "name": name} for stand_in, name in rows])
    return ExitCode.DONE
