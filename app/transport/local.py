"""Captures in files and folders of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.core.errors import UserError

PIECE_BYTES = 4 << 20
HEAD_BYTES = 64 << 10
_IGNORED_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was found; `size_bytes` and `modified_ns` are from that moment."""

    path: Path
    size_bytes: int
    modified_ns: int

    @property
    def name(self) -> str:
        return self.path.name

    def head(self) -> bytes:
        """The first 64 KiB.

        Raises:
            UserError: the file cannot be read.
        """
        with self._opened() as file:
            return file.read(HEAD_BYTES)

    def pieces(self) -> Iterator[bytes]:
        """The bytes in pieces of 4 MiB.

        Raises:
            UserError: the file cannot be read (to its end).
        """
        try:
            with self._opened() as file:
                while piece := file.read(PIECE_BYTES):
                    yield piece
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def changed(self) -> bool:
        """Whether the file was written to, or went away, since it was found."""
        try:
            now = self.path.stat()
        except OSError:
            return True
        return (now.st_size, now.st_mtime_ns) != (self.size_bytes, self.modified_ns)

    def _opened(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise _unreadable(self.path, error) from error


def _unreadable(path: Path, error: OSError) -> UserError:
    return UserError("file_unreadable", path=str(path), reason=os.strerror(error.errno) if error.errno else str(error))


def find_file(path: Path) -> SourceFile:
    """The file at `path`.

    Raises:
        UserError: there is none, or it is no regular file (a device or a pipe never ends).
    """
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise UserError("path_missing", path=str(path)) from error
    except OSError as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise UserError("not_a_regular_file", path=str(path))
    return SourceFile(path, found.st_size, found.st_mtime_ns)


def list_files(path: Path) -> list[Path]:
    """The files that a path given by the user stands for: itself, or all files below a folder, in order.

    Hidden files and the desktops' own droppings are left out; links to folders are not followed.
    """
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            Path(folder, name) for name in sorted(files) if not name.startswith(".") and name not in _IGNORED_NAMES
        ]
    return found
