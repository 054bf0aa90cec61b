"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.errors import UserError
from app.core.sealing import salt_of

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
            head = file.read(len(_DATABASE))
        return head == _DATABASE or salt_of(head) is not None
    except OSError:
        return False


def make_private_folder(folder: Path) -> None:
    """For nobody else to look into, nor into those above it that were not there: what lies in it is a customer's.

    Raises:
        OSError: it cannot be made.
    """
    for each in reversed((folder, *folder.parents)):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Gives a file beside `path` to write to; it takes the place of `path` when the block has ended well.

    What was there stays until then, and for good where the block raises.

    Raises:
        UserError: ``path_missing``, ``file_unwritable``, ``file_is_project``.
    """
    require_place(path)
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():  # a device or a pipe: there is nothing to take the place of
            yield target
            return
        draft = target.with_name(f"{target.name}.part")
        try:
            yield draft
            if target.exists():  # who may read it was somebody's choice
                shutil.copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UserError("file_unwritable", path=str(path), reason=error.strerror or str(error)) from error


def write_whole(path: Path, data: bytes) -> Path:
    """Writes these bytes by way of `whole_file`."""
    with whole_file(path) as draft:
        draft.write_bytes(data)
    return path
