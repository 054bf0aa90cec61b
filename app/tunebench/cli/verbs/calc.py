"""``calc``: one statistical method, numbers in and numbers out."""

from __future__ import annotations

import argparse
import json
import sys
from typing import BinaryIO

from tunebench.analysis.calculations.catalogue import CALCULATIONS, calculate
from tunebench.analysis.calculations.inputs import CalculationRefusal
from tunebench.cli.arguments import COMMON, Translate, add, argument, flag
from tunebench.cli.console import Console

MOST_BYTES = 64 * 2**20


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    name = argument("name", "cli.help.calc_name", "NAME", nargs="?", default="")
    add(parser, text, name, flag("--list", "cli.help.calc_list"), *COMMON)
    parser.epilog = text("cli.calc.epilog")


def run(args: argparse.Namespace, console: Console) -> None:
    if args.list:
        _list(console)
        return
    if not args.name:
        raise CalculationRefusal("calc_no_name")
    if args.name not in CALCULATIONS:
        raise CalculationRefusal("calc_unknown", method=args.name)
    result = calculate(args.name, read_document(sys.stdin.buffer, sys.stdin.isatty()))
    # The result is always JSON; `--json` only says so.
    Console(console.language, json_wanted=True).result(result)


def read_document(stream: BinaryIO, terminal: bool) -> object:
    """One JSON document; it is not waited for where somebody would have to type it."""
    if terminal:
        raise CalculationRefusal("calc_no_input")
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise CalculationRefusal("calc_too_large", most_mib=MOST_BYTES // 2**20)
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise CalculationRefusal("calc_not_utf8") from None
    except json.JSONDecodeError as error:
        raise CalculationRefusal("calc_not_json", line=error.lineno, column=error.colno) from None
    except (RecursionError, ValueError):  # nested too deeply; a number of more than 4,300 digits
        raise CalculationRefusal("calc_not_json", line=1, column=1) from None


def _list(console: Console) -> None:
    rows = [
        (name, method.inputs, console.text(f"calc.about.{name.replace('-', '_')}"))
        for name, method in CALCULATIONS.items()
    ]
    console.result([{"name": name, "input": keys, "about": about} for name, keys, about in rows])
    for name, keys, about in rows:
        console.print(name)
        console.print(f"    {about}")
        console.print(f"    {console.text('cli.calc.inputs')}: {keys}")
