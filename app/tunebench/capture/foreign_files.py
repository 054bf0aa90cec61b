"""Files that are no captures: recognised only to say in the refusal what they are and where they belong."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from tunebench.core.errors import UserError
from tunebench.core.paths import resources_folder
from tunebench.core.records import record

GROUPS = (
    "advice",
    "benchmark",
    "counter_log",
    "database",
    "description",
    "document",
    "instead",
    "office",
    "oracle_form",
    "other_database",
    "program",
    "table",
    "tibero",
    "unread",
)
REFUSALS = tuple(f"file_is_{group}" for group in GROUPS)
"""The keys of `refusal_of`."""


@record
class ForeignFile:
    """What a file is: a proper noun, and the group whose sentence (``error.file_is_<group>``) says what to do.

    Attributes:
        instead: the command whose output is read, in the group of that name.
    """

    name: str
    group: str
    pattern: re.Pattern[bytes]
    instead: str = ""


@cache
def foreign_files() -> tuple[ForeignFile, ...]:
    """The entries of `resources/foreign_files.toml`, in order."""
    with (resources_folder() / "foreign_files.toml").open("rb") as file:
        entries = tomllib.load(file)["foreign_files"]
    return tuple(
        ForeignFile(
            entry["name"],
            entry["group"],
            re.compile(entry["pattern"].encode("ascii"), re.MULTILINE),
            entry.get("instead", ""),
        )
        for entry in entries
    )


def refusal_of(head: bytes, path: str) -> UserError | None:
    """The refusal of a file with these first bytes; None where they are of no such file."""
    kind = next((entry for entry in foreign_files() if entry.pattern.search(head)), None)
    if kind is None:
        return None
    return UserError(f"file_is_{kind.group}", path=path, name=kind.name, instead=kind.instead)
