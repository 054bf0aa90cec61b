"""Files of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record

PIECE_BYTES = 4 << 20
HEAD_BYTES = 64 << 10

FileClock = Callable[[Path, int], int]
"""The time that a file is taken to be of, from its path and its modification time; all UTC nanoseconds."""


def as_modified(_path: Path, modified_ns: int) -> int:
    """The clock of files that are as their host left them."""
    return modified_ns


@record
class SourceFile:
    """A file as it was found; `size_bytes` and `modified_ns` are from that moment."""

    path: Path
    size_bytes: int
    modified_ns: int

    def changed(self) -> bool:
        """Whether the file was written to, or went away, since it was found."""
        try:
            now = self.path.stat()
        except OSError:
            return True
        return (now.st_size, now.st_mtime_ns) != (self.size_bytes, self.modified_ns)


def unreadable(path: Path, error: OSError) -> UserError:
    return UserError("file_unreadable", path=str(path), reason=os.strerror(error.errno) if error.errno else str(error))


def find_file(path: Path) -> SourceFile:
    """The file at `path`.

    Raises:
        UserError: there is none, or it is no regular file (a device or a pipe never ends).
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise UserError("path_missing", path=str(path)) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise UserError("not_a_regular_file", path=str(path))
    return SourceFile(path, status.st_size, status.st_mtime_ns)
