"""Where an archive lies: a folder, or an address that fsspec reaches (``s3://bucket/firm``).

Names are relative, with slashes. A file is there whole or not at all. Folders are used as such, without fsspec.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from tunebench.core.errors import UserError
from tunebench.core.plain_files import read_plain
from tunebench.core.records import record

if TYPE_CHECKING:
    import duckdb

TEMPORARY = ".part-"
_MOST_BYTES = 1 << 30
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@record
class Entry:
    """`size` in bytes, None of what is no file; `modified_s` by the store's own clock."""

    size: int | None
    modified_s: float


class Storage(Protocol):
    """What an archive needs of the place that it lies in. What is refused there is a `UserError`, a sentence each."""

    @property
    def address(self) -> str: ...

    def read(self, name: str) -> bytes:
        """
        Raises:
            FileNotFoundError: it is not there.
        """

    def read_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Those that can be read."""

    def digest(self, name: str) -> str:
        """SHA-256 of a file of any size, in hexadecimal digits.

        Raises:
            OSError: it is not there, or no file.
        """

    def create(self, name: str, data: bytes) -> bool:
        """Writes a file that is not there yet; False where it is, whoever was first."""

    def replace(self, name: str, data: bytes) -> None: ...

    def take(self, draft: Path, name: str) -> None:
        """Moves a local file in."""

    def remove(self, name: str) -> None:
        """Removes a file, or what stands in its place; nothing where nothing is there."""

    def entries(self, folder: str, *, deep: bool = False) -> Mapping[str, Entry]:
        """What lies in a folder, by name; with `deep` the files of the folders in it too."""

    def location(self, name: str) -> str:
        """The file as DuckDB is to open it; the archive's own for an empty name."""

    def bring_near(self, sizes: Mapping[str, int]) -> None:
        """Says which files of these sizes are going to be opened: where opening costs more than reading, they are
        fetched at once. They never change."""

    def attach(self, base: duckdb.DuckDBPyConnection) -> Sequence[str]:
        """Makes a new base able to open locations; gives what it has to reach for them, folders with a slash."""

    def drafts(self) -> AbstractContextManager[Path]:
        """A private local folder for files that are taken in afterwards."""


class Folder:
    """A folder of this computer, or a mounted one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def address(self) -> str:
        return str(self.folder)

    def read(self, name: str) -> bytes:
        return read_plain(self.folder / name, _MOST_BYTES)

    def read_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        contents = {}
        for name in names:
            try:
                contents[name] = self.read(name)
            except OSError:
                continue
        return contents

    def digest(self, name: str) -> str:
        path = self.folder / name
        if not path.is_file():  # a pipe would never end
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def create(self, name: str, data: bytes) -> bool:
        with self._refusals(), self.drafts() as drafts:
            draft = drafts / "draft"
            _write_through(draft, data)
            target = self._target(name)
            try:
                os.link(draft, target)  # whole, and refused where somebody was first
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno in _NO_SPACE:
                    raise
                return _create_plainly(target, data)
        return True

    def replace(self, name: str, data: bytes) -> None:
        with self._refusals(), self.drafts() as drafts:
            draft = drafts / "draft"
            _write_through(draft, data)
            draft.replace(self._target(name))

    def take(self, draft: Path, name: str) -> None:
        with self._refusals():
            target = self._target(name)
            if target.is_dir():
                shutil.rmtree(target)
            draft.replace(target)

    def remove(self, name: str) -> None:
        path = self.folder / name
        with self._refusals():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def entries(self, folder: str, *, deep: bool = False) -> Mapping[str, Entry]:
        listed: dict[str, Entry] = {}
        try:
            with os.scandir(self.folder / folder) as items:
                for item in items:
                    facts = item.stat(follow_symlinks=False)
                    name = f"{folder}/{item.name}" if folder else item.name
                    size = facts.st_size if stat.S_ISREG(facts.st_mode) else None
                    listed[name] = Entry(size, facts.st_mtime)
                    if deep and item.is_dir(follow_symlinks=False) and not item.name.startswith(TEMPORARY):
                        listed.update(self.entries(name, deep=True))
        except (FileNotFoundError, NotADirectoryError):
            pass
        return listed

    def location(self, name: str) -> str:
        return str(self.folder.absolute() / name) if name else str(self.folder.absolute()) + os.sep

    def bring_near(self, sizes: Mapping[str, int]) -> None:
        """They are near."""

    def attach(self, base: duckdb.DuckDBPyConnection) -> Sequence[str]:
        return [self.location("")]

    @contextmanager
    def drafts(self) -> Iterator[Path]:
        with self._refusals():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = TemporaryDirectory(prefix=TEMPORARY, dir=self.folder, ignore_cleanup_errors=True)
        with folder as name:
            yield Path(name)

    def _target(self, name: str) -> Path:
        target = self.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return target

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise refused_by(error, self.address) from error


def refused_by(error: OSError, address: str) -> UserError:
    """The sentence for a file system's refusal."""
    if error.errno in _NO_SPACE:
        return UserError("archive_full", address=address)
    return UserError("archive_unwritable", address=address, reason=error.strerror or str(error))


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _create_plainly(target: Path, data: bytes) -> bool:
    """For file systems without links: a kill in this moment leaves a part of the file, which its reader notices."""
    try:
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return False
    return True
