"""What marks a file as a TuneBench project, and of which version."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from typing import NamedTuple

SUFFIX = ".tune"
APPLICATION_ID = int.from_bytes(b"TUNE", "big")
SQLITE_MAGIC = b"SQLite format 3\x00"


class Version(NamedTuple):
    """Version of the schema. A newer major cannot be read by an older program, a newer minor can."""

    major: int
    minor: int

    @classmethod
    def unpack(cls, user_version: int) -> Version:
        return cls(user_version >> 16, user_version & 0xFFFF)

    def pack(self) -> int:
        return self.major << 16 | self.minor

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


CURRENT = Version(2, 1)
OLDEST = Version(1, 7)
"""The oldest version that opens: no release wrote an older one."""


def schema_sql() -> str:
    return files("tunebench.store").joinpath("schema.sql").read_text(encoding="utf-8")


def split_statements(script: str) -> list[str]:
    """The statements of a script; unlike ``executescript`` they can run inside one transaction."""
    statements, rest = [], ""
    for line in script.splitlines(keepends=True):
        rest += line
        if sqlite3.complete_statement(rest):
            statements.append(rest)
            rest = ""
    return statements
