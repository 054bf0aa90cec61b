"""The door to the key ring: with one, without one, with one that hangs or fails. Secrets show up nowhere."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import keyring
import keyring.backend
import pytest

from tunebench.domain.connection import SecretKind
from tunebench.transport.ssh.secrets import SecretStore, entry_name

SECRET = "very-secret-4711"


class MemoryRing(keyring.backend.KeyringBackend):
    priority = 1.0  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class FailingRing(MemoryRing):
    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError(f"locked: {SECRET}")

    set_password = delete_password = get_password  # type: ignore[assignment]


@pytest.fixture
def ring() -> Iterator[MemoryRing]:
    before = keyring.get_keyring()
    ring = MemoryRing()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


def test_key_ring_keeps_secrets_under_readable_names(ring: MemoryRing) -> None:
    assert SecretStore().put("kim@db01:22", SecretKind.PASSWORD, SECRET)
    assert ring.kept == {("TuneBench", "password kim@db01:22"): SECRET}
    another = SecretStore()
    assert another.usable()
    assert another.get("kim@db01:22", SecretKind.PASSWORD) == SECRET
    assert another.get("kim@db01:22", SecretKind.PASSPHRASE) is None
    another.forget("kim@db01:22", SecretKind.PASSWORD)
    assert ring.kept == {}
    assert another.get("kim@db01:22", SecretKind.PASSWORD) is None


def test_without_key_ring_only_this_process_remembers() -> None:
    store = SecretStore()  # the tests' key ring keeps nothing
    assert not store.usable()
    assert store.put("kim@db01:22", SecretKind.PASSWORD, SECRET) is False
    assert store.get("kim@db01:22", SecretKind.PASSWORD) == SECRET
    assert SecretStore().get("kim@db01:22", SecretKind.PASSWORD) is None
    store.forget("kim@db01:22", SecretKind.PASSWORD)
    assert store.get("kim@db01:22", SecretKind.PASSWORD) is None


def test_key_ring_is_left_alone_where_it_is_not_wanted(ring: MemoryRing) -> None:
    ring.kept["TuneBench", entry_name("x", SecretKind.PASSWORD)] = SECRET
    store = SecretStore(use_keyring=False)
    assert store.get("x", SecretKind.PASSWORD) is None
    store.put("y", SecretKind.PASSWORD, SECRET)
    assert len(ring.kept) == 1


def test_failing_key_ring_is_no_key_ring_and_is_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(FailingRing())
    try:
        with caplog.at_level(logging.DEBUG):
            store = SecretStore()
            assert store.get("x", SecretKind.PASSWORD) is None
            assert store.put("x", SecretKind.PASSWORD, SECRET) is False
            store.forget("x", SecretKind.PASSWORD)
    finally:
        keyring.set_keyring(before)
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text


def test_hanging_key_ring_is_given_up_once(ring: MemoryRing, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(ring, "get_password", lambda service, username: released.wait(60) and None)
    store = SecretStore(deadline_s=0.2)
    since = time.monotonic()
    assert store.get("x", SecretKind.PASSWORD) is None
    assert store.get("y", SecretKind.PASSWORD) is None
    assert time.monotonic() - since < 30
    released.set()


def test_secret_is_in_no_repr() -> None:
    store = SecretStore(use_keyring=False)
    store.put("x", SecretKind.PASSPHRASE, SECRET)
    assert SECRET not in repr(store)
