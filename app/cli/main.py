"""From the words on the command line to an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

from app.cli.arguments import Parser, add_language, translate_complaints
from app.cli.console import Console
from app.cli.verbs import check, compare, data, demo, import_, info, new, plugin, report, series
from app.core.crash import write_report
from app.core.errors import Cancelled, ExitCode, UserError
from app.core.messages import catalogue, system_language

VERBS: dict[str, ModuleType] = {
    "new": new,
    "import": import_,
    "info": info,
    "series": series,
    "data": data,
    "compare": compare,
    "report": report,
    "check": check,
    "plugin": plugin,
    "demo": demo,
}


def asked_language(words: Sequence[str]) -> str:
    """The language of help and complaints, known before the words are parsed."""
    for index, word in enumerate(words):
        value = word.partition("=")[2] or (words[index + 1] if index + 1 < len(words) else "")
        if word.split("=")[0] == "--lang" and value in ("ko", "en"):
            return value
    return system_language()


def build_parser(language: str) -> Parser:
    text = catalogue(language).text
    Parser.language = language
    translate_complaints(language)
    parser = Parser(prog="main.py", description=text("cli.description"), epilog=text("cli.epilog"))
    parser.add_argument("--version", action="version", version=_version(), help=text("cli.help.version"))
    add_language(parser, text)
    verbs = parser.add_subparsers(
        dest="verb", required=True, metavar="VERB", title=text("cli.heading.verbs"), parser_class=Parser
    )
    for name, module in VERBS.items():
        verb = verbs.add_parser(name, help=text(f"cli.verb.{name}"), description=text(f"cli.verb.{name}"))
        module.register(verb, text)
    return parser


def _version() -> str:
    from app import __version__

    return f"TuneBench {__version__}"


def run(words: Sequence[str]) -> int:
    """Runs one verb; gives the exit code of the contract."""
    language = asked_language(words)
    args = build_parser(language).parse_args(words)
    console = Console(language, args.json)
    try:
        return int(VERBS[args.verb].run(args, console))
    except UserError as error:
        console.refuse(error)
        return error.exit_code
    except (Cancelled, KeyboardInterrupt):
        console.notice("cli.cancelled")
        return ExitCode.PARTLY
    except BrokenPipeError:  # whoever read our output went away (| head): nothing is wrong
        sys.stdout = None  # or Python complains while closing it
        return ExitCode.DONE
    except Exception as error:  # noqa: BLE001 - the last resort: a bug, reported without anybody's data
        console.notice("cli.bug", path=write_report(error))
        return ExitCode.BUG
