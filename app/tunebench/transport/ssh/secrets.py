"""Passwords and passphrases: the one door to the system's key ring.

A key ring may be absent, locked, or hang on a window nobody sees. None of that may hold up a connection: every call
has a deadline, and without an answer a secret is simply not there. What was typed stays in this process until it ends
or is forgotten, so that a broken connection comes back without a person.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from types import ModuleType

from tunebench.core.paths import APP_NAME
from tunebench.domain.connection import SecretKind
from tunebench.transport.ssh.deadline import within

DEADLINE_S = 5.0
_log = logging.getLogger(__name__)


class SecretStore:
    """Secrets by subject (``user@host:port`` or a key's path) and kind.

    Args:
        use_keyring: False: nothing is read from or written to the key ring, only this process remembers.
        deadline_s: for each call of the key ring.
    """

    def __init__(self, *, use_keyring: bool = True, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._use_keyring = use_keyring
        self._typed: dict[str, str] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(use_keyring={self._use_keyring})"

    def get(self, subject: str, kind: SecretKind) -> str | None:
        name = entry_name(subject, kind)
        with self._lock:
            typed = self._typed.get(name)
        return typed if typed is not None else self._ask(lambda ring: ring.get_password(APP_NAME, name))

    def put(self, subject: str, kind: SecretKind, secret: str) -> bool:
        """Remembers `secret`; True where the key ring took it."""
        name = entry_name(subject, kind)
        with self._lock:
            self._typed[name] = secret
        return bool(self._ask(lambda ring: _stored(ring, name, secret)))

    def forget(self, subject: str, kind: SecretKind) -> None:
        name = entry_name(subject, kind)
        with self._lock:
            self._typed.pop(name, None)
        self._ask(lambda ring: ring.delete_password(APP_NAME, name))

    def usable(self) -> bool:
        """Whether there is a key ring that keeps anything."""
        return bool(self._ask(_keeps))

    def _ask(self, call: Callable[[ModuleType], object]) -> str | None:
        if not self._use_keyring:
            return None
        try:
            value = within(self._deadline_s, "keyring", partial(_answer, call))
        except TimeoutError:
            _log.warning("the key ring did not answer within %.0f s", self._deadline_s)
            self._use_keyring = False  # one that hangs once would hold up every connection
            return None
        return value if isinstance(value, str) else None


def entry_name(subject: str, kind: SecretKind) -> str:
    """``password user@host:port``: what the key ring's own window shows below "TuneBench"."""
    return f"{kind.value} {subject}"


def _answer(call: Callable[[ModuleType], object]) -> object:
    """`keyring` itself is imported on the thread that may hang."""
    try:
        import keyring

        return call(keyring)
    except BaseException as error:  # noqa: BLE001 - back-ends raise what their system raises; all mean "no key ring"
        # Only the kind of the error: its text is the backend's, and nobody knows what it quotes.
        _log.info("the key ring is not usable: %s", type(error).__name__)
        return None


def _keeps(ring: ModuleType) -> str:
    """Back-ends that keep nothing (null, fail) have priority 0 or less."""
    return "yes" if float(getattr(ring.get_keyring(), "priority", 0)) > 0 else ""


def _stored(ring: ModuleType, name: str, secret: str) -> str:
    if not _keeps(ring):
        return ""
    ring.set_password(APP_NAME, name, secret)
    return "yes"
