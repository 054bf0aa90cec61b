"""Folders as containers: all files below, in order; links are named and not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.transport.containers.names import is_dropping, shown_name
from tunebench.transport.local import unreadable


@record
class FolderEntry:
    """`name` is relative, with slashes; `kind` is ``file``, ``link``, ``special`` or ``hidden``."""

    name: str
    path: Path
    kind: str
    size_bytes: int = 0
    error: UserError | None = None


def entries(folder: Path, apart: Container[Path] = ()) -> Iterator[FolderEntry]:
    """A folder that cannot be listed is one entry with its reason; what lies `apart` is passed over."""
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            listed = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            yield FolderEntry(_name(here, folder), here, "special", error=unreadable(here, error))
            continue
        inner: list[Path] = []
        for entry in listed:
            path = Path(entry.path)
            if path in apart:
                continue
            if entry.is_dir(follow_symlinks=False) and not is_dropping(entry.name):
                inner.append(path)
            else:
                yield _entry(entry, path, folder)
        pending += reversed(inner)


def chosen(folder: Path, names: Iterable[str]) -> Iterator[FolderEntry]:
    """As `entries`, of the files with these relative names alone."""
    for name in names:
        path = folder / name
        try:
            status = path.lstat()
        except OSError as error:
            yield FolderEntry(shown_name(name), path, "file", error=unreadable(path, error))
            continue
        kind = "file" if stat.S_ISREG(status.st_mode) else "special"
        yield FolderEntry(shown_name(name), path, kind, status.st_size)


def _entry(entry: os.DirEntry[str], path: Path, folder: Path) -> FolderEntry:
    name = _name(path, folder)
    if is_dropping(entry.name):
        return FolderEntry(name, path, "hidden")
    if entry.is_symlink():
        return FolderEntry(name, path, "link")
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return FolderEntry(name, path, "file", error=unreadable(path, error))
    return FolderEntry(name, path, "file" if stat.S_ISREG(status.st_mode) else "special", status.st_size)


def _name(path: Path, folder: Path) -> str:
    return shown_name(path.relative_to(folder).as_posix())
