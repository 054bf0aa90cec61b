"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.sealing import salt_of

_DATABASE = b"SQLite format 3\0"


def require_place(path: Path, replaces_sealed: bool = False) -> None:
    """Whether a file may be put there at all; asked before anything is made that takes time.

    Args:
        replaces_sealed: the caller has opened the sealed file that is there, so that it is known to be no project.

    Raises:
        UserError: ``path_missing``; ``file_unwritable`` where there is a folder of that name; ``file_is_project`` where
            a project is: no output takes the place of an engagement.
    """
    if not path.absolute().parent.is_dir():
        raise UserError("path_missing", path=str(path.absolute().parent))
    if path.is_dir():
        raise UserError("file_unwritable", path=str(path), reason=os.strerror(errno.EISDIR))
    head = _head_of(path)
    if head == _DATABASE or (salt_of(head) is not None and not replaces_sealed):
        raise UserError("file_is_project", path=str(path))


def _head_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(len(_DATABASE))
    except OSError:
        return b""


def make_private_folder(folder: Path) -> None:
    """Makes a folder that only its owner can read, and so those above it that were missing: it holds a customer's data.

    Raises:
        OSError: it cannot be made.
    """
    for level in reversed((folder, *folder.parents)):
        if not level.is_dir():
            level.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def whole_file(path: Path, replaces_sealed: bool = False) -> Iterator[Path]:
    """Gives a file beside `path` to write to; it takes the place of `path` when the block has ended well.

    What was there stays until then, and for good where the block raises. `replaces_sealed` as `require_place`.

    Raises:
        UserError: ``path_missing``, ``file_unwritable``, ``file_is_project``.
    """
    require_place(path, replaces_sealed)
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


def write_whole(path: Path, data: bytes, replaces_sealed: bool = False) -> Path:
    """Writes these bytes by way of `whole_file`."""
    with whole_file(path, replaces_sealed) as draft:
        draft.write_bytes(data)
    return path
