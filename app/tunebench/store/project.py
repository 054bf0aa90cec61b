"""An open project file: its writer, its readers and its lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from tunebench.core.sealing import Key, cover
from tunebench.store.connection import Connections
from tunebench.store.errors import sorted_errors
from tunebench.store.locking import LockHolder, ProjectLock


def spools_beside(path: Path) -> Path:
    """The folder with the raw bytes of captures until they are in the project."""
    return path.with_name(f"{path.stem}.capture")


class Project:
    """An open project file.

    Attributes:
        read_only_reason: ``""``, ``"asked"``, ``"locked"`` or ``"medium"``.
        lock_holder: who has it open, where the reason is ``"locked"``.
        recovered: the last close was unclean; the file was checked and is sound.
    """

    def __init__(
        self,
        path: Path,
        connections: Connections,
        lock: ProjectLock | None,
        read_only_reason: str = "",
        lock_holder: LockHolder | None = None,
        recovered: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.path = path
        self.read_only_reason = read_only_reason
        self.lock_holder = lock_holder
        self.recovered = recovered
        self._connections = connections
        self._lock = lock
        self._clock = clock
        key = connections.key if lock is not None else None  # who only reads writes no journals
        self._uncover = cover(spools_beside(path), key) if key is not None else None

    @property
    def key(self) -> Key | None:
        """The key of an encrypted file; None of a plain one."""
        return self._connections.key

    def now(self) -> datetime:
        """UTC by this computer's clock; while a made-up engagement is written, by that of its story."""
        return datetime.now(UTC) if self._clock is None else self._clock()

    @property
    def read_only(self) -> bool:
        return bool(self.read_only_reason)

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """The writer, inside a transaction: all or nothing."""
        return self._connections.transaction()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """This thread's reader."""
        return self._connections.reading()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """What one query finds, as this thread's reader sees it."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchall()

    def row(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first row that one query finds; None where there is none."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchone()

    def compact(self) -> None:
        """Writes the file anew, without the room of what was removed."""
        self._connections.compact()

    def share(self) -> None:
        """Lets other processes of this computer open the project to write beside this one."""
        if self._lock is not None:
            self._lock.share()

    def close(self) -> None:
        """Leaves one file and no lock. Closing twice is allowed."""
        try:
            with sorted_errors(self.path):
                self._connections.close()
        finally:
            if self._lock is not None:
                if self._uncover is not None:
                    self._uncover()
                self._lock.release()
                self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
