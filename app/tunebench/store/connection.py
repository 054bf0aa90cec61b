"""The only place where connections to a project file are made.

WAL lets readers read while the one writer writes. Exclusive locking would lock out our own readers;
``foreign_keys`` is silently ignored inside a transaction, so it is set first thing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from time import monotonic
from typing import Any
from urllib.parse import quote

from tunebench.core.errors import Cancelled, UserError
from tunebench.core.sealing import Key
from tunebench.store import ciphered, held_files
from tunebench.store.errors import sorted_errors

_BUSY_TIMEOUT_S = 10.0
_LAST_WORD_S = 10.0  # what a reader gets that is in use when the project is closed
_BETWEEN_INTERRUPTS_S = 0.05
_PAGE_BYTES = 4096
_CHECKPOINT_PAGES = 8192  # 32 MiB of WAL before it is moved into the file: an import writes its blobs in long runs
_WRITER_CACHE_KIB = 32 * 1024
_READER_CACHE_KIB = 8 * 1024
_OPTIONS: dict[str, Any] = {
    "uri": True,
    "timeout": _BUSY_TIMEOUT_S,
    "isolation_level": None,
    "check_same_thread": False,
}
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 256 << 20,  # a row; no blob of ours comes near it
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
}


def file_uri(path: PurePath, mode: str, immutable: bool = False) -> str:
    """SQLite's URI of an absolute path. `Path.as_uri` would put a Windows share's server where SQLite refuses it."""
    name = quote(os.fsencode(path.as_posix()), safe="/:")  # a name may be no UTF-8 at all
    return f"file://{'' if name.startswith('/') else '/'}{name}?mode={mode}{'&immutable=1' if immutable else ''}"


def connect(path: Path, mode: str, immutable: bool = False, key: Key | None = None) -> sqlite3.Connection:
    """A connection without implicit transactions. `mode`: ``ro``, ``rw`` or ``rwc``; `key` of an encrypted file."""
    connection = connect_bare(file_uri(path, mode, immutable), key)
    connection.execute("PRAGMA foreign_keys = ON")
    if key is None:  # SQLCipher's module cannot: its rows may be as large as its own limit
        for name, most in _LIMITS.items():
            connection.setlimit(name, most)
    # what a file's schema says is run with no more rights than it needs, and pages that lie are found out
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def connect_bare(uri: str, key: Key | None) -> sqlite3.Connection:
    """One without our settings: for copies, which are ours before anybody else sees them."""
    if key is not None:
        return ciphered.connect(uri, key, **_OPTIONS)
    connection: sqlite3.Connection = sqlite3.connect(uri, **_OPTIONS)
    return connection


def page_bytes(key: Key | None) -> int:
    """Of a new file. Most blobs leave less of the smaller pages empty: a day of iostat takes a tenth less."""
    return _PAGE_BYTES if key is None else ciphered.PAGE_SIZE_BYTES


def connect_writer(path: Path, create: bool = False, key: Key | None = None) -> sqlite3.Connection:
    connection = connect(path, "rwc" if create else "rw", key=key)
    try:
        if create:
            connection.execute(f"PRAGMA page_size = {page_bytes(key)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, mode: str = "rw", immutable: bool = False, key: Key | None = None) -> sqlite3.Connection:
    """A connection that cannot write. Its mode is ``rw`` beside a writer, so that it may share the WAL index."""
    connection = connect(path, mode, immutable, key)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
    return connection


class _Reader:
    """A thread's connection, which nobody closes while the thread is using it: SQLite would end the process."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.in_use = threading.RLock()
        self._thread = weakref.ref(threading.current_thread())

    @property
    def orphaned(self) -> bool:
        thread = self._thread()
        return thread is None or not thread.is_alive()

    def close(self) -> None:
        """Cuts off what is being read. A reader that does not let go is left open: rather a file held than a crash."""
        deadline = monotonic() + _LAST_WORD_S
        while not self.in_use.acquire(timeout=_BETWEEN_INTERRUPTS_S):
            if monotonic() > deadline:
                return
            self.connection.interrupt()
        try:
            self.connection.close()
        finally:
            self.in_use.release()


class Connections:
    """One writer behind one lock, one reader per thread.

    Args:
        writer: None for a project that is only read.
        mode: of the readers; ``ro`` on a medium that cannot be written.
        key: of an encrypted file.
    """

    def __init__(
        self,
        path: Path,
        writer: sqlite3.Connection | None,
        mode: str = "rw",
        immutable: bool = False,
        key: Key | None = None,
    ) -> None:
        self.path = path
        self.key = key
        self._writer = writer
        self._mode = mode
        self._immutable = immutable
        self._writing = threading.RLock()
        self._depth = 0
        self._writing_thread = 0
        self._local = threading.local()
        self._readers: list[_Reader] = []
        self._readers_lock = threading.Lock()
        self._closed = False
        self._let_go = held_files.hold(path, key)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. An inner transaction of the same thread joins the outer one."""
        if self._writer is None:
            raise UserError("project_read_only", path=str(self.path))
        with self._writing, sorted_errors(self.path):
            if self._depth:
                yield self._writer
                return
            self._writer.execute("BEGIN IMMEDIATE")
            self._depth, self._writing_thread = 1, threading.get_ident()
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:  # a full disk may have rolled back already
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._depth = self._writing_thread = 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's reader; inside a transaction of this thread the writer, which sees its own changes.

        Raises:
            Cancelled: the project was closed meanwhile.
        """
        with sorted_errors(self.path):
            if self._writer is not None and self._writing_thread == threading.get_ident():
                yield self._writer
                return
            reader = self._reader()
            with reader.in_use:
                self._refuse_if_closed()
                try:
                    yield reader.connection
                except sqlite3.OperationalError as error:
                    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                        raise Cancelled from error
                    raise

    def close(self) -> None:
        """Closes all; moves the WAL into the file, so that what is mailed is one file."""
        with self._readers_lock:
            if self._closed:
                return
            self._closed = True
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()
        try:
            self._close_writer()
        finally:
            self._let_go()

    def _close_writer(self) -> None:
        if self._writer is None:
            return
        with self._writing:
            try:
                self.move_wal_into_file()
            finally:
                self._writer.close()

    def move_wal_into_file(self) -> None:
        if self._writer is not None:
            with self._writing:
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def compact(self) -> None:
        """Writes the file anew; freed pages are overwritten, also where SQLite was built to leave them."""
        if self._writer is None:
            raise UserError("project_read_only", path=str(self.path))
        with self._writing, sorted_errors(self.path):
            connection = connect_bare(file_uri(self.path, "rw"), self.key)  # VACUUM attaches, which ours must not
            try:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA temp_store = MEMORY")
                connection.execute("VACUUM")
            finally:
                connection.close()
            busy, *_ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise UserError("project_open_elsewhere", path=str(self.path))

    def _reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = self._open_reader()
        return reader

    def _open_reader(self) -> _Reader:
        with self._readers_lock:
            self._refuse_if_closed()
            self._close_orphans()
            reader = _Reader(connect_reader(self.path, self._mode, self._immutable, self.key))
            self._readers.append(reader)
        return reader

    def _close_orphans(self) -> None:
        """Closes the readers of threads that ended."""
        by_orphaned: dict[bool, list[_Reader]] = {True: [], False: []}
        for reader in self._readers:
            by_orphaned[reader.orphaned].append(reader)
        for reader in by_orphaned[True]:
            reader.connection.close()
        self._readers = by_orphaned[False]

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise Cancelled
