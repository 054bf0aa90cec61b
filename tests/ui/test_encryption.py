"""Encryption in the window: one command, asked for when it is opened, remembered where that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox

from tunebench.core import sealing
from tunebench.domain.engagement import Engagement
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.widgets import encryption_dialog
from tunebench.ui.widgets.encryption_dialog import EncryptionDialog
from tunebench.usecases import projects

WORDS = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    sealing._held.clear()
    yield
    sealing._held.clear()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "acme.tune"
    projects.close(projects.create(path, Engagement(title="t", customer="ACME")))
    return path


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A key ring in memory."""
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda _app, name: kept.get(name))
    monkeypatch.setattr("keyring.set_password", lambda _app, name, secret: kept.update({name: secret}))
    monkeypatch.setattr("keyring.delete_password", lambda _app, name: kept.pop(name))
    monkeypatch.setattr("keyring.get_keyring", lambda: type("Ring", (), {"priority": 5})())
    return kept


Typing = Callable[..., list[str]]


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Says what a person types in the dialogs that follow, one text each, and then gives up."""

    def says(*words: str, remember: bool = False) -> list[str]:
        waiting, refusals = list(words), []

        def exec_(dialog: EncryptionDialog) -> int:
            refusals.append(dialog.told.text())
            if not waiting:
                return 0
            field = waiting.pop(0)
            dialog.passphrase.setText(field)
            dialog.again.setText(field)
            dialog.remember.setChecked(remember)
            assert dialog.ok.isEnabled()
            return 1

        monkeypatch.setattr(encryption_dialog.EncryptionDialog, "exec", exec_)
        return refusals

    return says


def closed(window: MainWindow) -> None:
    """As after a start anew: nobody holds the file or its key."""
    window.controller.close()
    window.workspace.jobs.wait(5)
    sealing._held.clear()


def test_encrypted_asked_for_and_decrypted(
    window: MainWindow, path: Path, typing: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, workspace = window.controller, window.workspace
    assert controller.open(path)
    refusals = typing("short", WORDS)
    window.encryption.encrypt()
    assert "8" in refusals[1]
    assert workspace.project_path == path and path.read_bytes()[:5] == b"TUNEP"  # open again
    closed(window)
    typing()
    assert not controller.open(path)
    refusals = typing("wrong words", WORDS)
    assert controller.open(path)
    assert str(path) in refusals[1]
    typing("another passphrase")
    window.encryption.encrypt()
    closed(window)
    typing(WORDS)
    assert not controller.open(path)
    typing("another passphrase")
    assert controller.open(path)
    monkeypatch.setattr(QMessageBox, "question", lambda *_words: QMessageBox.StandardButton.Yes)
    window.encryption.decrypt()
    assert path.read_bytes().startswith(b"SQLite format 3")
    assert workspace.project_path == path


def test_the_key_ring_remembers_the_key_and_not_the_passphrase(
    window: MainWindow, path: Path, typing: Typing, ring: dict[str, str]
) -> None:
    controller = window.controller
    assert controller.open(path)
    typing(WORDS, remember=True)
    window.encryption.encrypt()
    (kept,) = ring.values()
    assert WORDS not in kept and len(bytes.fromhex(kept)) == 32
    closed(window)
    typing()
    assert controller.open(path)
    typing("another passphrase")
    window.encryption.encrypt()
    assert not ring  # what opens nothing any more is forgotten


def test_a_capture_that_waits_is_said_and_the_project_is_open_again(
    window: MainWindow, path: Path, typing: Typing
) -> None:
    controller = window.controller
    assert controller.open(path)
    (path.with_name("acme.capture") / "session-0001").mkdir(parents=True)
    refusals = typing(WORDS)
    window.encryption.encrypt()
    assert str(path.with_name("acme.capture")) in refusals[1]
    assert window.workspace.project_path == path and path.read_bytes().startswith(b"SQLite")


@pytest.mark.parametrize("new", [True, False])
def test_ok_waits_for_something_to_open_with(qtbot: Any, new: bool) -> None:
    dialog = EncryptionDialog("t", "about", new=new)
    qtbot.addWidget(dialog)
    assert not dialog.ok.isEnabled()
    dialog.passphrase.setText(WORDS)
    assert dialog.ok.isEnabled() is not new
    dialog.again.setText(WORDS + ".")
    assert dialog.ok.isEnabled() is not new
    dialog.again.setText(WORDS)
    assert dialog.ok.isEnabled()
    dialog.passphrase.clear()
    dialog.path.setText("/k")
    assert dialog.ok.isEnabled()
