"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from app.core.errors import UserError


def require_place(path: Path) -> None:
    """Whether a file may be put there at all; asked before anything is made that takes time.

    Raises:
        UserError: ``path_missing``, or ``file_unwritable`` where there is a folder of that name.
    """
    if not path.absolute().parent.is_dir():
        raise UserError("path_missing", path=str(path.absolute().parent))
    if path.is_dir():
        raise UserError("file_unwritable", path=str(path), reason=os.strerror(errno.EISDIR))


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
