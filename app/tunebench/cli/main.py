"""From the words on the command line to an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tunebench import __version__
from tunebench.cli.arguments import LANGUAGE, Parser, add, argument, translate_complaints
from tunebench.cli.console import Console, guarded, stop_writing
from tunebench.cli.verb_names import VERB_NAMES
from tunebench.core.crash import write_report
from tunebench.core.errors import Cancelled, ExitCode, UserError
from tunebench.core.messages import catalogue, system_language


def load_verb(name: str) -> ModuleType:
    """The module of one verb; only the asked one is loaded (the report's libraries alone take 0.2 s)."""
    return import_module(f"tunebench.cli.verbs.{'import_' if name == 'import' else name}")


def asked_language(words: Sequence[str]) -> str:
    """The language of help and complaints, known before the words are parsed."""
    for index, word in enumerate(words):
        value = word.partition("=")[2] or (words[index + 1] if index + 1 < len(words) else "")
        if word.split("=")[0] == "--lang" and value in ("ko", "en"):
            return value
    return system_language()


def build_parser(language: str, asked: str = "") -> Parser:
    """The grammar: all verbs by name, the `asked` one with its arguments."""
    text = catalogue(language).text
    Parser.language = language
    translate_complaints(language)
    parser = Parser(prog="main.py", description=text("cli.description"), epilog=text("cli.epilog"))
    version = argument("--version", "cli.help.version", action="version", version=f"TuneBench {__version__}")
    add(parser, text, version, LANGUAGE)
    verbs = parser.add_subparsers(
        dest="verb", required=True, metavar="VERB", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name in VERB_NAMES:
        verb = verbs.add_parser(name, help=text(f"cli.verb.{name}"), description=text(f"cli.verb.{name}"))
        if name == asked:
            load_verb(name).register(verb, text)
    return parser


def run(words: Sequence[str]) -> int:
    """Runs one verb; gives the exit code of the contract."""
    with guarded():
        try:
            try:
                return _run(words)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output went away (| head): nothing is wrong
            stop_writing()
            return ExitCode.DONE


def _run(words: Sequence[str]) -> int:
    language = asked_language(words)
    asked = next((word for word in words if word in VERB_NAMES), "")
    args = build_parser(language, asked).parse_args(words)
    console = Console(language, args.json)
    from tunebench.core.extras import absence_named  # neither help nor the version asks for a library

    try:
        _unlock(args, console)
        with absence_named():
            return int(load_verb(args.verb).run(args, console) or ExitCode.DONE)
    except UserError as error:
        console.refuse(error)
        return error.exit_code
    except (Cancelled, KeyboardInterrupt):
        console.notice("cli.cancelled")
        return ExitCode.PARTLY
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: a bug, reported without anybody's data
        damaged = _damage_behind(args)
        if damaged is not None:
            console.refuse(damaged)
            return damaged.exit_code
        console.notice("cli.bug", path=write_report(error))
        return ExitCode.BUG


def _unlock(args: argparse.Namespace, console: Console) -> None:
    """Asks for what opens the projects that the verb is about, before it does anything."""
    named = [Path(given) for name in ("project", "against", "theirs", "base") if (given := getattr(args, name, None))]
    if named:
        from tunebench.cli.asked_projects import unlock  # not every verb needs a project

        for path in named:
            unlock(path, args, console)


def _damage_behind(args: argparse.Namespace) -> UserError | None:
    from tunebench.usecases.projects import damage_behind  # not every verb needs a project

    return damage_behind(args.project) if isinstance(getattr(args, "project", None), Path) else None
