"""A project is encrypted, decrypted or given another key: always as a new file, which takes the place of the old one.

    1  the project is locked, and SQLite itself is asked whether anybody else has it open
    2  everything is written into ``NAME.PID.part`` under the new key, compared, checked, and made safe
    3  so is every kept copy beside it (``NAME.v*.bak``)
    4  when all are there, each takes the place of its old file, which is overwritten where it was readable

Whatever ends the program leaves the old project or the new one, each whole; a draft that was left is removed by the
next change. The audit trail of the new file has the entry.
"""

from __future__ import annotations

import glob
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from tunebench.core.errors import UserError
from tunebench.core.sealing import SALT_BYTES, Key, hold, salt_of
from tunebench.store import ciphered, held_files
from tunebench.store.audit import trail as audit
from tunebench.store.connection import Connections, connect_reader, connect_writer, file_uri, page_bytes
from tunebench.store.errors import sorted_errors
from tunebench.store.format import APPLICATION_ID
from tunebench.store.locking import Locked, take_lock
from tunebench.store.migration import PRIVATE, kept_copies
from tunebench.store.opening import open_project, real_path
from tunebench.store.project import Project, spools_beside

_REFUSED = {"locked": "open_elsewhere", "medium": "read_only"}
_OVERWRITTEN_AT_ONCE = 1 << 20


def unlock(path: Path, key: Key) -> None:
    """Holds the key, after it was found to open the file.

    Raises:
        UserError: project_key_wrong.
    """
    path = real_path(path)
    with sorted_errors(path):
        if not _opens(path, key):
            raise UserError("project_key_wrong", path=str(path))
    hold(key)


def _opens(path: Path, key: Key | None) -> bool:
    """Reads nothing but the file: what waits in a WAL beside it says nothing about the key."""
    name = file_uri(path, "ro", immutable=True)
    with closing(ciphered.connect(name, key, uri=True, isolation_level=None)) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_NOTADB:
                return False
            raise
    return True


def change_key(path: Path, old: Key | None, new: Key | None) -> None:
    """Changes the key of a file from `old` to `new`; None is a file without encryption.

    Raises:
        UserError: project_open_elsewhere; capture_waits where raw bytes of a capture lie beside it; disk_full,
            medium_read_only, project_damaged.
    """
    path = real_path(path)
    with held_files.opening, sorted_errors(path):
        if held_files.is_held(path):
            raise UserError("project_open_elsewhere", path=str(path))
        with open_project(path) as project:  # brought to the present format, and put right, first
            if project.read_only:
                raise UserError(f"project_{_REFUSED[project.read_only_reason]}", path=str(path))
        try:
            lock = take_lock(path)
        except Locked as locked:
            raise UserError("project_open_elsewhere", path=str(path)) from locked
        try:
            if any(spools_beside(path).glob("*")):
                raise UserError("capture_waits", path=str(path), folder=str(spools_beside(path)))
            _remove_drafts(path)
            _close_for_all(path, old)
            files = {file: _key_of(file, old) for file in (path, *kept_copies(path))}
            try:
                drafts = {file: _drafted(file, key, new, entry=file == path) for file, key in files.items()}
                for file, draft in drafts.items():
                    _take_place(draft, file, was_readable=files[file] is None)
            finally:
                _remove_drafts(path)
        finally:
            lock.release()


def write_readable(path: Path, key: Key, target: Path) -> None:
    """What an encrypted file holds as `target`, which is not there yet; nothing is entered in its trail."""
    target.touch(mode=PRIVATE)
    with (
        sorted_errors(target),
        closing(ciphered.connect(file_uri(path, "rw"), key, uri=True, isolation_level=None)) as source,
    ):
        _export(source, target, None)


def _remove_drafts(path: Path) -> None:
    for between in ("", ".v*.bak"):
        for draft in path.parent.glob(f"{glob.escape(path.name)}{between}.[0-9]*.part*"):
            draft.unlink(missing_ok=True)


def _key_of(path: Path, old: Key | None) -> Key | None:
    """A kept copy may be of before the project was encrypted, or of a change that was cut off."""
    with path.open("rb") as file:
        salt = salt_of(file.read(SALT_BYTES))
    if salt is None:
        return None
    if old is None or old.salt != salt:
        raise UserError("project_copy_of_other_key", path=str(path))
    return old


def _close_for_all(path: Path, key: Key | None) -> None:
    """Moves the WAL into the file and takes it away, which SQLite does for nobody while another has the file open."""
    with closing(connect_writer(path, key=key)) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            mode = "wal"
    if mode != "delete":
        raise UserError("project_open_elsewhere", path=str(path))


def _drafted(path: Path, old: Key | None, new: Key | None, *, entry: bool) -> Path:
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    draft.touch(mode=PRIVATE)
    with closing(ciphered.connect(file_uri(path, "rw"), old, uri=True, isolation_level=None)) as source:
        try:
            _export(source, draft, new)
        except sqlite3.OperationalError:  # SQLCipher calls it a logic error, whatever the reason was
            _require_room(draft, path.stat().st_size)
            raise
    if entry:
        _tell(draft, old, new)
    _require_equal(path, old, draft, new)
    with draft.open("r+b") as file:
        os.fsync(file.fileno())
    return draft


def _require_room(draft: Path, size_bytes: int) -> None:
    """Writes as much as is needed, for the file system alone knows of its quotas. Raises OSError."""
    with draft.open("wb") as file:
        for _ in range(0, size_bytes, _OVERWRITTEN_AT_ONCE):
            file.write(bytes(_OVERWRITTEN_AT_ONCE))


def _take_place(draft: Path, path: Path, *, was_readable: bool) -> None:
    with _old_bytes(path, wanted=was_readable) as there:
        draft.replace(path)
        _sync_folder(path.parent)
        if there is not None:
            _overwrite(there)


def _export(source: sqlite3.Connection, draft: Path, new: Key | None) -> None:
    source.execute("ATTACH DATABASE ? AS draft KEY ?", (file_uri(draft, "rw"), ciphered.phrase(new)))
    (version,) = source.execute("PRAGMA user_version").fetchone()
    source.execute(f"PRAGMA draft.page_size = {page_bytes(new)}")
    source.execute("PRAGMA draft.synchronous = OFF")  # the draft is made safe as a whole
    source.execute("SELECT sqlcipher_export('draft')").fetchall()
    source.execute(f"PRAGMA draft.user_version = {version}")
    source.execute(f"PRAGMA draft.application_id = {APPLICATION_ID}")
    source.execute("DETACH DATABASE draft")


def _tell(draft: Path, old: Key | None, new: Key | None) -> None:
    action = "project_decrypted" if new is None else "project_encrypted" if old is None else "project_rekeyed"
    facts = {} if new is None else {"opened_by": new.opened_by.name.lower()}
    with Project(draft, Connections(draft, connect_writer(draft, key=new), key=new), None) as project:
        audit.record(project, action, **facts)


def _require_equal(path: Path, old: Key | None, draft: Path, new: Key | None) -> None:
    """Raises UserError project_damaged where the draft is not sound, or has not the rows of the file."""
    with closing(connect_reader(path, "ro", key=old)) as one, closing(connect_reader(draft, "ro", True, new)) as two:
        problems = [row[0] for row in two.execute("PRAGMA quick_check(3)")]
        if problems != ["ok"]:
            raise UserError("project_damaged", path=str(path), detail="; ".join(problems))
        rows, copied = _row_counts(one), _row_counts(two)
        rows["audit"] = copied["audit"] = 0  # has one entry more
        if rows != copied:
            raise UserError("project_damaged", path=str(path), detail=str(set(rows.items()) ^ set(copied.items())))


def _row_counts(connection: sqlite3.Connection) -> dict[str, int]:
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    count = 'SELECT count(*) FROM "{}"'
    return {name: connection.execute(count.format(name.replace('"', '""'))).fetchone()[0] for (name,) in tables}


@contextmanager
def _old_bytes(path: Path, *, wanted: bool) -> Iterator[BinaryIO | None]:
    """The file as it is now, also after another took its place; None on Windows, which replaces no open file."""
    if not wanted or os.name == "nt":
        yield None
        return
    with path.open("r+b") as there:
        yield there


def _overwrite(there: BinaryIO) -> None:
    """What was readable: an ordinary disk gives it to whoever reads its blocks. An SSD may keep what it replaced."""
    with suppress(OSError):  # the project is whole; a full or copying file system has no room for this
        left = os.fstat(there.fileno()).st_size
        while left > 0:
            left -= there.write(bytes(min(left, _OVERWRITTEN_AT_ONCE)))
        there.flush()
        os.fsync(there.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
