"""The one place where failures of SQLite and of the file system are sorted: the user's or ours."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tunebench.core.errors import UserError

SENTENCE_OF_SQLITE_CODE = {
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_READONLY: "medium_read_only",
    sqlite3.SQLITE_PERM: "medium_read_only",
    sqlite3.SQLITE_BUSY: "project_busy",
    sqlite3.SQLITE_LOCKED: "project_busy",
    sqlite3.SQLITE_PROTOCOL: "project_busy",
    sqlite3.SQLITE_CORRUPT: "project_damaged",
    sqlite3.SQLITE_TOOBIG: "project_damaged",
    sqlite3.SQLITE_NOTADB: "not_a_project",
    sqlite3.SQLITE_CANTOPEN: "file_unreachable",
    sqlite3.SQLITE_IOERR: "file_unreachable",
}
"""Primary result codes (https://www.sqlite.org/rescode.html). Every other code is a bug of ours."""

SENTENCE_OF_ERRNO = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "medium_read_only",
    errno.EACCES: "medium_read_only",
    errno.EPERM: "medium_read_only",
    errno.ENOENT: "folder_missing",
    errno.ENOTDIR: "folder_missing",
    errno.EIO: "file_unreachable",
}


class DamagedData(Exception):
    """Stored bytes do not unpack to what was packed: the file was damaged after it was written."""


def sort_sqlite_error(error: sqlite3.Error, path: Path) -> UserError | None:
    """The refusal that `error` amounts to, or None where it is a bug."""
    code = getattr(error, "sqlite_errorcode", None)
    key = None if code is None else SENTENCE_OF_SQLITE_CODE.get(code & 0xFF)
    if code is None and str(error).startswith("Could not decode to UTF-8"):  # Python's own; SQLite takes any bytes
        key = "project_damaged"
    return None if key is None else UserError(key, path=str(path), detail=str(error))


def sort_os_error(error: OSError, path: Path) -> UserError | None:
    """The refusal that `error` amounts to, or None where it is a bug."""
    key = None if error.errno is None else SENTENCE_OF_ERRNO.get(error.errno)
    return None if key is None else UserError(key, path=str(path), folder=str(path.parent), detail=str(error))


@contextmanager
def sorted_errors(path: Path) -> Iterator[None]:
    """Inside, failures the user can act on become `UserError`s; bugs stay what they are."""
    try:
        yield
    except sqlite3.Error as error:
        refusal = sort_sqlite_error(error, path)
        if refusal is None:
            raise
        raise refusal from error
    except DamagedData as error:
        raise UserError("project_damaged", path=str(path), detail=str(error)) from error
    except OSError as error:
        refusal = sort_os_error(error, path)
        if refusal is None:
            raise
        raise refusal from error
