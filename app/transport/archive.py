"""Files that came in one folder or one tar archive, read without unpacking to disk."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from app.core.errors import UserError

PIECE_BYTES = 1 << 20
MOST_FILES = 10_000
SMALL_FILE_BYTES = 32 << 20
_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def looks_like_tar(path: Path) -> bool:
    """By its name; whether it is one shows when it is opened."""
    return path.is_file() and path.name.lower().endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder, or a tar archive whose files lie in one folder. Names are those inside that folder."""

    path: Path

    def small(self, name: str) -> bytes | None:
        """A whole small file, None where there is none of that name.

        Raises:
            UserError: the archive cannot be read, or the file is larger than it can be.
        """
        for found, size_bytes, pieces in self.files():
            if found == name:
                if size_bytes > SMALL_FILE_BYTES:
                    raise UserError("bundle_file_too_large", path=str(self.path), name=name)
                return b"".join(pieces)
        return None

    def files(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        """Name, size and bytes of each regular file, in the order in which they lie there; one pass.

        Links, devices, names that lead out of the folder, and names that came before are passed over.

        Raises:
            UserError: ``bundle_damaged`` (cut off or no archive), ``bundle_too_many``, ``file_unreadable``.
        """
        with self._damage_named():
            yield from self._in_folder() if self.path.is_dir() else self._in_tar()

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        try:
            yield
        except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise UserError("bundle_damaged", path=str(self.path), reason=str(error)) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise UserError("bundle_damaged", path=str(self.path), reason=reason) from error

    def _pieces(self, file: IO[bytes]) -> Iterator[bytes]:
        """Read while the caller is at work: what breaks here is not raised in `files`."""
        with self._damage_named():
            while piece := file.read(PIECE_BYTES):
                yield piece

    def _in_folder(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        for path in sorted(self.path.iterdir()):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    yield path.name, path.stat().st_size, self._pieces(file)

    def _in_tar(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        count, seen = 0, set[str]()
        with _opened(self.path) as archive:
            for member in archive:
                count += 1
                if count > MOST_FILES:
                    raise UserError("bundle_too_many", path=str(self.path), most=MOST_FILES)
                name = member.name.removeprefix("./").rpartition("/")[2]
                content = archive.extractfile(member) if member.isreg() and ".." not in member.name else None
                if content is not None and name and name not in seen:
                    seen.add(name)
                    yield name, member.size, self._pieces(content)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    with tarfile.open(path, "r:*") as archive:
        yield archive
