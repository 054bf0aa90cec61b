"""The command line's grammar, in Korean and English."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.records import record

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Translate = Callable[[str], str]


_COMPLAINTS = {
    "the following arguments are required: %s": "cli.usage.required",
    "unrecognized arguments: %s": "cli.usage.unrecognised",
    "expected one argument": "cli.usage.one_value",
    "expected at least one argument": "cli.usage.some_values",
    "invalid choice: %(value)r (choose from %(choices)s)": "cli.usage.choice",
    "invalid %(type)s value: %(value)r": "cli.usage.value",
    "argument %(argument_name)s: %(message)s": "cli.usage.argument",
    "not allowed with argument %s": "cli.usage.not_with",
    "one of the arguments %s is required": "cli.usage.one_of",
    "ambiguous option: %(option)s could match %(matches)s": "cli.usage.ambiguous",
}
"""argparse's own complaints -> our catalogue keys; the sentences keep argparse's ``%`` place-holders."""


def translate_complaints(language: str) -> None:
    """Makes argparse complain in `language`: it looks its sentences up through a gettext of its own."""
    messages = catalogue(language)

    def look_up(sentence: str) -> str:
        key = _COMPLAINTS.get(sentence)
        return messages.text(key) if key else sentence

    argparse._ = look_up  # type: ignore[attr-defined]  # its only hook


class Parser(argparse.ArgumentParser):
    """argparse with headings and complaints in the user's language."""

    language = "en"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "add_help": False})
        self._positionals.title = self._text("cli.heading.arguments")
        self._optionals.title = self._text("cli.heading.options")
        self.add_argument("-h", "--help", action="help", help=self._text("cli.help.help"))

    def _text(self, key: str, **facts: object) -> str:
        return catalogue(self.language).text(key, **facts)

    def format_usage(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(
            self.usage, self._actions, self._mutually_exclusive_groups, self._text("cli.heading.usage") + " "
        )
        return formatter.format_help()

    def format_help(self) -> str:
        """The help as argparse builds it, with our usage heading."""
        text = super().format_help()
        return text.replace("usage:", self._text("cli.heading.usage"), 1)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, self._text("cli.usage_error", program=self.prog, message=message) + "\n")


def moment(text: str) -> datetime:
    """``2026-11-21T09:00``, with or without a zone."""
    return datetime.fromisoformat(text)


def moment_ns(when: datetime | None, zone: ZoneInfo) -> int | None:
    """The moment in UTC ns; one that was given without a zone is of the engagement's."""
    from tunebench.domain.capturing.times import to_ns  # most words of the command line name no moment

    return None if when is None else to_ns(when, zone.key)


def day(text: str) -> date:
    return date.fromisoformat(text)


def positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


# -- what verbs take -----------------------------------------------------------------------------------


@record
class Argument:
    """
    Attributes:
        key: of what the help says of it.
        options: what else argparse is to know.
    """

    name: str
    key: str
    options: Mapping[str, Any]


def argument(name: str, key: str, metavar: str | tuple[str, ...] = "", **options: Any) -> Argument:
    return Argument(name, key, {"metavar": metavar, **options} if metavar else options)


def optional(name: str, key: str, metavar: str, **options: Any) -> Argument:
    """An argument that takes a text, empty where it is not given."""
    return argument(name, key, metavar, default="", **options)


def several(name: str, key: str, metavar: str = "", **options: Any) -> Argument:
    """An argument that may be given more than once."""
    return argument(name, key, metavar, action="append", default=[], **options)


def flag(name: str, key: str) -> Argument:
    return Argument(name, key, {"action": "store_true"})


LANGUAGE = argument("--lang", "cli.help.lang", choices=LANGUAGES, default=argparse.SUPPRESS)
"""Before or after the verb; where it is not given, nothing is set, so that neither place overrides the other."""
COMMON = (
    LANGUAGE,
    flag("--json", "cli.help.json"),
    argument("--key-file", "cli.help.key_file", "FILE", type=Path),
    argument("--passphrase-file", "cli.help.passphrase_file", "FILE", type=Path),
)
PROJECT = argument("project", "cli.help.project", "PROJECT", type=Path)


def add(parser: argparse._ActionsContainer, text: Translate, *arguments: Argument) -> None:
    for declared in arguments:
        parser.add_argument(declared.name, help=text(declared.key), **declared.options)
