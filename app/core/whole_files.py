"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from app.core.errors import UserError

_DATABASE = b"SQLite format 3\0"


def require_place(path: Path) -> None:
    """Whether a file may be put there at all; asked before anything is made that takes time.

    Raises:
        UserError: ``path_missing``; ``file_unwritable`` where there is a folder of that name; ``file_is_project`` where
            a project is: no output takes the place of an engagement.
    """
    if not path.absolute().parent.is_dir():
        raise UserError("path_missing", path=str(path.absolute().parent))
    if path.is_dir():
        raise UserError("file_unwritable", path=str(path), reason=os.strerror(errno.EISDIR))
    if _is_database(path):
        raise UserError("file_is_project", path=str(path))


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def write_whole(path: Path, data: bytes) -> Path:
    """Writes beside `path` and then takes its place: what was there stays until the new file is whole.

    Raises:
        UserError: ``path_missing``, ``file_unwritable``.
    """
    require_place(path)
    target = path.resolve()
    draft = target.with_name(f"{target.name}.part")
    try:
        if target.exists() and not target.is_file():  # a device or a pipe: there is nothing to take the place of
            target.write_bytes(data)
            return path
        try:
            draft.write_bytes(data)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UserError("file_unwritable", path=str(path), reason=error.strerror or str(error)) from error
    return path
