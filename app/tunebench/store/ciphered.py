"""The only module that knows SQLCipher, which is loaded when the first encrypted project is opened.

Its module is the standard library's one compiled against another SQLite: the same classes, but errors of its own. These
are made kinds of the standard ones here, so that nobody else need know which of both a connection is of.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from types import ModuleType
from typing import Any, cast

from tunebench.core.errors import UserError
from tunebench.core.sealing import Key

PAGE_SIZE_BYTES = 8192


@cache
def _module() -> ModuleType:
    try:
        from sqlcipher3 import dbapi2 as module
    except ImportError as error:
        raise UserError("encryption_missing", detail=str(error)) from error
    for name in ("InterfaceError", "DatabaseError"):
        _join(module, name)
    for name in ("InternalError", "OperationalError", "ProgrammingError", "IntegrityError", "DataError"):
        _join(module, name)
    # for the whole process: size of pages, and no lines on stderr beside an error
    connection = module.connect(":memory:")
    connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE_BYTES}")
    connection.execute("PRAGMA cipher_log_level = NONE")
    connection.close()
    return cast("ModuleType", module)


def _join(module: Any, name: str) -> None:
    error = getattr(module, name)
    error.__bases__ = (*error.__bases__, getattr(sqlite3, name))


def connect(name: str, key: Key | None, **options: Any) -> sqlite3.Connection:
    """A connection. Without a key the file is a plain one, to which an encrypted one can be attached.

    Raises:
        UserError: encryption_missing.
    """
    connection = cast("sqlite3.Connection", _module().connect(name, **options))
    if key is not None:
        connection.execute(f'PRAGMA key = "{phrase(key)}"')
    return connection


def phrase(key: Key | None) -> str:
    """The key as SQLCipher takes one that is derived already, with the salt that stands at the file's beginning."""
    return "" if key is None else f"x'{key.secret.hex()}{key.salt.hex()}'"
