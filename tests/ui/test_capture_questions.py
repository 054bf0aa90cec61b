"""What a connection asks a person: shown as dialogs, hidden where it is a secret, and a no whenever nobody says yes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton, QWidget

from tests.e2e.interactive_server import InteractiveServer
from tests.e2e.sshd_rig import PASSPHRASE, Sshd
from tests.ui.conftest import bury
from tests.ui.plan_controller import Controller, facts, press
from tunebench.core.errors import UserError
from tunebench.domain.connection import (
    HostKey,
    HostKeyQuestion,
    HostProfile,
    KeyVerdict,
    Prompt,
    PromptsQuestion,
    SecretKind,
    SecretQuestion,
)
from tunebench.ui.capturing.host_book import Reach
from tunebench.ui.capturing.question_controller import (
    HostKeyDialog,
    KeyRefusedDialog,
    PromptsDialog,
    QuestionController,
    QuestionDialog,
    SecretDialog,
)
from tunebench.ui.workspace import Workspace
from tunebench.usecases.capturing.questions import QuestionBoard

pytest_plugins = ("tests.ui.plan_fixtures",)

KEY = HostKey("10.20.30.41", 2222, "ssh-ed25519", "AAAA", "SHA256:Qx0Zs1mM8nQ7cJr3tTgG5bq0h2sY0YtF1h2J9wXz3pA")
OTHER = HostKey("10.20.30.41", 2222, "ssh-rsa", "BBBB", "SHA256:" + "b" * 43)
SECRET = "Correct-horse-4711"


class Asking:
    """A connection that asks on its own thread, and the window that answers."""

    def __init__(self, qtbot: Any) -> None:
        self._qtbot = qtbot
        self.board = QuestionBoard(deadline_s=10)
        self.window = QWidget()
        self.questions = QuestionController(self.board, self.window)
        self._threads = ThreadPoolExecutor(3)

    def ask(self, question: object) -> Future[Any]:
        asks = {HostKeyQuestion: "accepts_host_key", SecretQuestion: "secret", PromptsQuestion: "answers"}
        return self._threads.submit(getattr(self.board, asks[type(question)]), question)

    def dialog(self, kind: type[QuestionDialog]) -> Any:
        self._qtbot.waitUntil(lambda: isinstance(self.questions.dialog, kind), timeout=60_000)
        return self.questions.dialog

    def focus(self, button: QPushButton) -> None:
        button.activateWindow()
        button.setFocus()
        self._qtbot.waitUntil(button.hasFocus, timeout=60_000)

    def shows(self, dialog: QuestionDialog) -> bool:
        return self.questions.dialog is dialog

    def close(self) -> None:
        self.board.close()
        self._threads.shutdown()
        bury(self.window)


@pytest.fixture
def asking(qtbot: Any, workspace: Workspace) -> Iterator[Asking]:
    made = Asking(qtbot)
    yield made
    made.close()


def key_question(verdict: KeyVerdict = KeyVerdict.UNKNOWN, hop: str = "") -> HostKeyQuestion:
    known = (OTHER,) if verdict is KeyVerdict.NEW_TYPE else ()
    return HostKeyQuestion("db01", hop, KEY, verdict, ("10.20.30.41", "fd00::41"), known)


# --- host keys
def test_an_unknown_key_is_shown_with_all_that_can_be_compared(asking: Asking) -> None:
    answer = asking.ask(key_question())
    dialog = asking.dialog(HostKeyDialog)
    shown = facts(dialog)
    for words in (KEY.fingerprint, "ssh-ed25519", "10.20.30.41:2222", "10.20.30.41, fd00::41", "Is this really db01?"):
        assert words in shown, words
    press(dialog.trust)
    assert answer.result(60) is True


def test_a_key_on_the_way_names_the_jump_host(asking: Asking) -> None:
    asking.ask(key_question(hop="bastion"))
    shown = facts(asking.dialog(HostKeyDialog))
    assert "Is this really bastion?" in shown
    assert "On the way to\ndb01" in shown


def test_a_key_of_a_new_type_shows_the_known_one(asking: Asking) -> None:
    asking.ask(key_question(KeyVerdict.NEW_TYPE))
    assert f"ssh-rsa {OTHER.fingerprint}" in facts(asking.dialog(HostKeyDialog))


def test_return_alone_trusts_nothing(asking: Asking) -> None:
    answer = asking.ask(key_question())
    dialog = asking.dialog(HostKeyDialog)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    QTest.keyClick(dialog.fingerprint, Qt.Key.Key_Return)
    assert asking.shows(dialog)
    assert not answer.done()
    asking.focus(dialog.refuse)
    QTest.keyClick(dialog.refuse, Qt.Key.Key_Return)
    assert answer.result(60) is False


@pytest.mark.parametrize("verdict", [KeyVerdict.CHANGED, KeyVerdict.REVOKED])
def test_a_key_that_must_not_be_trusted_is_never_a_question(asking: Asking, verdict: KeyVerdict) -> None:
    answer = asking.ask(key_question(verdict))
    asking.questions.look()
    assert answer.result(60) is False
    assert asking.questions.dialog is None


@pytest.mark.parametrize("kind", ["changed", "revoked"])
def test_a_refused_key_can_only_be_read_about(asking: Asking, kind: str) -> None:
    error = UserError(f"ssh.host_key_{kind}", host="db01", fingerprint=KEY.fingerprint, known=OTHER.fingerprint)
    asking.questions.refuse_key(HostProfile("db01", "db01"), error)
    dialog = asking.dialog(KeyRefusedDialog)
    assert [button.text() for button in dialog.findChildren(QAbstractButton)] == ["Close"]
    assert KEY.fingerprint in facts(dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert asking.questions.dialog is None


# --- secrets
def test_a_password_is_hidden_sent_once_and_gone_from_the_field(asking: Asking) -> None:
    answer = asking.ask(SecretQuestion("db01", SecretKind.PASSWORD, "oracle@db01"))
    dialog = asking.dialog(SecretDialog)
    field = dialog.field
    assert field.echoMode() is QLineEdit.EchoMode.Password
    assert "The server refused" not in facts(dialog)
    QTest.keyClicks(field, SECRET)
    assert SECRET not in facts(dialog)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert answer.result(60) == SECRET
    assert field.text() == ""


@pytest.mark.parametrize("leave", ["escape", "cancel", "close"])
def test_a_password_may_be_declined(asking: Asking, leave: str) -> None:
    answer = asking.ask(SecretQuestion("db01", SecretKind.PASSWORD, "oracle@db01", again=True))
    dialog = asking.dialog(SecretDialog)
    assert "The server refused the last one" in facts(dialog)
    QTest.keyClicks(dialog.field, SECRET)
    if leave == "escape":
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    elif leave == "cancel":
        press(dialog.refuse)
    else:
        dialog.close()
    assert answer.result(60) is None
    assert asking.questions.dialog is None


def test_all_prompts_of_a_round_are_one_form(asking: Asking) -> None:
    prompts = (Prompt("Password: ", False), Prompt("Code from the token: ", True))
    answer = asking.ask(PromptsQuestion("db01", "oracle@db01", "ACME login", "Two factors, please", prompts))
    dialog = asking.dialog(PromptsDialog)
    assert [field.echoMode() for field in dialog.fields] == [QLineEdit.EchoMode.Password, QLineEdit.EchoMode.Normal]
    assert [field.accessibleName() for field in dialog.fields] == ["Password:", "Code from the token:"]
    assert "ACME login" in facts(dialog)
    assert "Two factors, please" in facts(dialog)
    for field, words in zip(dialog.fields, (SECRET, "123456"), strict=True):
        QTest.keyClicks(field, words)
    press(dialog.send)
    assert list(answer.result(60)) == [SECRET, "123456"]


# --- order and time
def test_questions_come_one_after_another(asking: Asking) -> None:
    first = asking.ask(SecretQuestion("db01", SecretKind.PASSWORD, "a@db01"))
    dialog = asking.dialog(SecretDialog)
    second = asking.ask(key_question())
    asking.questions.look()
    assert asking.shows(dialog)
    press(dialog.refuse)
    assert first.result(60) is None
    asking.dialog(HostKeyDialog).decline()
    assert second.result(60) is False


def test_a_question_nobody_waits_for_any_more_goes_away(asking: Asking, qtbot: Any) -> None:
    answer = asking.ask(SecretQuestion("db01", SecretKind.PASSWORD, "a@db01"))
    asking.dialog(SecretDialog)
    asking.board.close()  # the connection has ended
    assert answer.result(60) is None
    qtbot.waitUntil(lambda: asking.questions.dialog is None, timeout=60_000)


def test_a_dialog_speaks_the_language_that_is_chosen_meanwhile(asking: Asking, look: Any) -> None:
    asking.ask(key_question())
    dialog = asking.dialog(HostKeyDialog)
    look("ko")
    assert dialog.trust.text() == "지문이 같음: 신뢰"
    assert KEY.fingerprint in facts(dialog)


# --- real servers
def test_a_server_with_two_prompts_lets_in_and_nothing_of_them_is_kept(controller: Controller) -> None:
    with InteractiveServer([("Password: ", False), ("Code: ", False)], [SECRET, "123456"]) as server:
        controller.save(server.profile(name="otp"))
        controller.tab.test_host()
        press(controller.dialog(HostKeyDialog).trust)
        dialog = controller.dialog(PromptsDialog)
        for field, words in zip(dialog.fields, (SECRET, "123456"), strict=True):
            QTest.keyClicks(field, words)
        press(dialog.send)
        controller.tested("otp")
    assert server.seen == ["keyboard-interactive"]
    folder = controller.project.path.parent
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert controller.project.path in kept
    assert [path.name for path in kept if SECRET.encode() in path.read_bytes()] == []


def test_declined_prompts_end_the_test_with_one_sentence(controller: Controller) -> None:
    with InteractiveServer([("Password: ", False), ("Code: ", False)], [SECRET, "1"]) as server:
        controller.save(server.profile(name="otp"))
        controller.tab.test_host()
        press(controller.dialog(HostKeyDialog).trust)
        controller.said.clear()
        QTest.keyClick(controller.dialog(PromptsDialog), Qt.Key.Key_Escape)
        last = controller.tested("otp")
    assert last.error is not None
    assert last.error.key == "ssh.auth_cancelled"
    assert len(controller.said) == 1


def test_an_encrypted_key_asks_for_its_passphrase_again_after_a_wrong_one(controller: Controller, sshd: Sshd) -> None:
    sshd.know_host()
    controller.save(sshd.profile(name="db01", identity=str(sshd.encrypted_key)))
    controller.tab.test_host()
    dialog = controller.dialog(SecretDialog)
    assert dialog.field.echoMode() is QLineEdit.EchoMode.Password
    QTest.keyClicks(dialog.field, "wrong")
    press(dialog.send)
    controller.tab.test_host()  # one is running: this one changes nothing
    again = _another(controller, dialog)
    assert "That passphrase does not open the key" in facts(again)
    QTest.keyClicks(again.field, PASSPHRASE)
    press(again.send)
    assert controller.tested("db01").reach is Reach.REACHED
    assert PASSPHRASE.encode() not in controller.project.path.read_bytes()


def _another(controller: Controller, than: QuestionDialog) -> Any:
    while controller.dialog(SecretDialog) is than:
        controller.tab.repaint()
    return controller.dialog(SecretDialog)
