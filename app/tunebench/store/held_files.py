"""The project files that this process has open, which nobody may open past SQLite.

A process that closes any descriptor of a file loses every POSIX lock it had on it (fcntl(2); "How To Corrupt An SQLite
Database File", section 2.2). The next program that looked into an open project would then find it unlocked, and take
the WAL away from under the running window.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tunebench.core.sealing import Key

opening = threading.RLock()
"""Held while a project is opened, so that no file is looked at past SQLite while another thread connects to it."""

_Key = tuple[int, int]
_held: Counter[_Key] = Counter()
_keys: dict[_Key, Key | None] = {}


def hold(path: Path, opened_with: Key | None = None) -> Callable[[], None]:
    """Notes that the file is open here, until what is returned is called."""
    key = _key(path)
    with opening:
        _held[key] += 1
        _keys[key] = opened_with

    def let_go() -> None:
        with opening:
            _held[key] -= 1

    return let_go


def is_held(path: Path) -> bool:
    """Whether this process has the file open, by this name or another."""
    try:
        key = _key(path)
    except OSError:
        return False
    with opening:
        return _held[key] > 0


def opened_with(path: Path) -> Key | None:
    """The key of an encrypted file that is held."""
    return _keys.get(_key(path))


def _key(path: Path) -> _Key:
    status = path.stat()
    return status.st_dev, status.st_ino
