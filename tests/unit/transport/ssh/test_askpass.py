"""ssh's questions, as OpenSSH words them, and the way of the answer."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tunebench.domain.connection import SecretKind
from tunebench.transport.ssh.askpass import AskedFor, AskpassBridge, understood

pytestmark = pytest.mark.skipif(os.name != "posix", reason="askpass scripts are for POSIX systems")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("kim@db01's password: ", ("kim@db01's password: ", SecretKind.PASSWORD, "")),
        ("(kim@db01) Password: ", ("Password: ", SecretKind.PASSWORD, "")),
        ("Password:", ("Password:", SecretKind.PASSWORD, "")),
        ("Password for kim@db01: ", ("Password for kim@db01: ", SecretKind.PASSWORD, "")),
        (
            "Enter passphrase for key '/home/kim/.ssh/id_ed25519': ",
            (None, SecretKind.PASSPHRASE, "/home/kim/.ssh/id_ed25519"),
        ),
        ("Enter passphrase for key '/home/kim/my key': ", (None, SecretKind.PASSPHRASE, "/home/kim/my key")),
        ("Enter PIN for ED25519-SK key /home/kim/.ssh/id_sk: ", (None, SecretKind.PASSPHRASE, "/home/kim/.ssh/id_sk")),
        ("(kim@db01) Verification code: ", ("Verification code: ", None, "")),
        ("(kim@db01) New password: ", ("New password: ", None, "")),
        ("(kim@db01) One-time password (OATH) for `kim': ", ("One-time password (OATH) for `kim': ", None, "")),
        ("", ("", None, "")),
    ],
)
def test_questions_are_understood(prompt: str, expected: tuple[str | None, SecretKind | None, str]) -> None:
    text, kind, key = expected
    assert understood(prompt) == AskedFor(prompt if text is None else text, kind, key)


def ask(bridge: AskpassBridge, prompt: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([str(bridge.script), prompt], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_answer_goes_through_the_pipe_only(tmp_path: Path) -> None:
    bridge = AskpassBridge(tmp_path / "ask")
    try:
        for answer in ("first $(x) '\"\\ %s", "두 번째", ""):
            script = ask(bridge, "(kim@db01) Code: ")
            found: list[AskedFor] = []

            def question(found: list[AskedFor] = found) -> bool:
                asked = bridge.question()
                if asked is not None:
                    found.append(asked)
                return bool(found)

            assert wait_until(question)
            assert found == [AskedFor("Code: ", None)]
            assert bridge.answer(answer, lambda: True)
            out, err = script.communicate(timeout=60)
            assert (out.decode(), err, script.returncode) == (f"{answer}\n", b"", 0)
        kept = [path for path in (tmp_path / "ask").iterdir() if path.is_file()]
        assert kept == [bridge.script]
        assert (tmp_path / "ask").stat().st_mode & 0o777 == 0o700
    finally:
        bridge.close()


def test_answer_nobody_fetches_is_given_up(tmp_path: Path) -> None:
    bridge = AskpassBridge(tmp_path / "ask")
    gone = threading.Event()
    try:
        threading.Timer(0.1, gone.set).start()
        assert not bridge.answer("x", lambda: not gone.is_set())
    finally:
        bridge.close()


def test_notice_needs_no_answer(tmp_path: Path) -> None:
    bridge = AskpassBridge(tmp_path / "ask")
    try:
        done = subprocess.run(
            [str(bridge.script), "Confirm user presence for key"],
            env={**os.environ, "SSH_ASKPASS_PROMPT": "none"},
            timeout=60,
            check=False,
            capture_output=True,
        )
        assert (done.returncode, done.stdout, bridge.question()) == (0, b"", None)
    finally:
        bridge.close()
