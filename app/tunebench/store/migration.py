"""Brings an older project file to the current schema."""

from __future__ import annotations

import glob
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.sealing import Key
from tunebench.store.connection import connect_bare, file_uri
from tunebench.store.errors import sorted_errors
from tunebench.store.format import CURRENT, OLDEST, Version

if TYPE_CHECKING:
    from tunebench.store.migrations import Step

PRIVATE = 0o600
"""Of a project and its copies: what is measured at a customer's is nobody else's on this machine."""


def read_version(connection: sqlite3.Connection) -> Version:
    return Version.unpack(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(path: Path, version: Version, current: Version = CURRENT) -> None:
    """Refuses a file that a newer major version of the program wrote, and one from before its first release."""
    if version.major > current.major:
        raise UserError("project_newer", path=str(path), file_version=str(version), program_version=str(current))
    if version < OLDEST:
        raise UserError("project_too_old", path=str(path), file_version=str(version), oldest_version=str(OLDEST))


def needs_migration(version: Version, current: Version = CURRENT) -> bool:
    return version < current


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    steps: Sequence[Step] | None = None,
    current: Version = CURRENT,
    *,
    key: Key | None = None,
) -> None:
    """Copies the file beside itself, then takes step after step, each with its version bump in one transaction.

    A step that fails leaves the file at the version before that step.

    Args:
        steps: all that there are, where left out.
    """
    from tunebench.store.migrations import STEPS  # hardly any start needs them

    version = read_version(connection)
    way = _steps_from(version, STEPS if steps is None else steps, current)
    keep_copy(connection, path.with_name(f"{path.name}.v{version}.bak"), key)
    for step in way:
        _take(connection, step)


def kept_copies(path: Path) -> list[Path]:
    """The copies that `migrate` put beside a project."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.v*.bak"))


def _steps_from(version: Version, steps: Sequence[Step], current: Version) -> list[Step]:
    way: list[Step] = []
    while version < current:
        step = next((step for step in steps if step.start == version), None)
        if step is None:
            raise LookupError(f"no migration step starts at version {version}")
        way.append(step)
        version = step.end
    return way


def _take(connection: sqlite3.Connection, step: Step) -> None:
    # a step may rebuild a table, which needs the foreign keys off; the pragma works outside transactions only
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        step.apply(connection)
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise sqlite3.IntegrityError(f"step {step.start} -> {step.end} breaks foreign keys: {broken[:3]}")
        connection.execute(f"PRAGMA user_version = {step.end.pack()}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def keep_copy(connection: sqlite3.Connection, target: Path, key: Key | None = None) -> None:
    """A copy through SQLite's backup API, encrypted with the same `key`; `target` appears only when complete, and
    replaces an older copy.
    """
    draft = target.with_name(f"{target.name}.{os.getpid()}.part")
    with sorted_errors(target):
        try:
            draft.touch(mode=PRIVATE)  # tells why, where SQLite would only say that it cannot open the file
            copy = connect_bare(file_uri(draft.absolute(), "rw"), key)
            try:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # the copy is one file from the start
            finally:
                copy.close()
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
