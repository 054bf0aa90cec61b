"""How ssh asks for passwords, passphrases and codes: its askpass program is a script that hands the question to us.

The answer goes through a named pipe in the connection's private folder: it is never in an argument, an environment
variable or a file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.connection import SecretKind

# `cat` copies the answer without a shell variable, for some shells' `printf` is a program with visible arguments.
_SCRIPT = """#!/bin/sh
test "$SSH_ASKPASS_PROMPT" = none && exit 0
folder=${0%/*}
printf '%s\\000' "$1" >"$folder/question" || exit 1
exec cat "$folder/answer"
"""
_ANSWER_ALLOWANCE_S = 10.0
_PASSPHRASE = lazy_pattern(r"^Enter (?:passphrase|PIN) for (?:key |\S+ key )?['\"]?(?P<key>.*?)['\"]?\s*:?\s*$")
_PASSWORD = lazy_pattern(r"^(?:\(?[^\s()]+@[^\s()]+\)?(?:'s)? )?password(?: for \S+)?\s*:\s*$", re.IGNORECASE)
_WHERE = lazy_pattern(r"^\([^()\s]+@[^()\s]+\) ")


@record
class AskedFor:
    """One question of ssh. `kind` is None for a code or any other question of the server; `key` is a key's path."""

    text: str
    kind: SecretKind | None
    key: str = ""


def understood(prompt: str) -> AskedFor:
    """``root@db01's password: ``, ``(root@db01) Password: ``, ``Enter passphrase for key '/home/me/id': ``."""
    if match := _PASSPHRASE.match(prompt):
        return AskedFor(prompt, SecretKind.PASSPHRASE, match["key"])
    text = _WHERE.sub("", prompt)
    return AskedFor(text, SecretKind.PASSWORD if _PASSWORD.match(prompt) else None)


class AskpassBridge:
    """The script, and our end of its two pipes. `fileno` becomes readable when ssh asks."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        self._answer = folder / "answer"
        self.script = folder / "askpass"
        self.script.write_text(_SCRIPT, encoding="ascii")
        self.script.chmod(0o700)
        os.mkfifo(self._answer, 0o600)
        os.mkfifo(folder / "question", 0o600)
        # Both ends, so that the pipe does not end after each question.
        self._questions = os.open(folder / "question", os.O_RDWR | os.O_NONBLOCK)
        self._pending = b""

    def environment(self) -> dict[str, str]:
        """Before OpenSSH 8.4 there is no SSH_ASKPASS_REQUIRE; a display and no terminal then do the same."""
        return {
            "SSH_ASKPASS": str(self.script),
            "SSH_ASKPASS_REQUIRE": "force",
            "DISPLAY": os.environ.get("DISPLAY") or ":0",
        }

    def fileno(self) -> int:
        return self._questions

    def question(self) -> AskedFor | None:
        """The next whole question, None where there is none yet."""
        with contextlib.suppress(BlockingIOError):
            self._pending += os.read(self._questions, 65536)
        prompt, end, rest = self._pending.partition(b"\0")
        if not end:
            return None
        self._pending = rest
        return understood(prompt.decode("utf-8", "replace"))

    def answer(self, text: str, still_wanted: Callable[[], bool]) -> bool:
        """Hands `text` over; False where nobody came to fetch it."""
        until = time.monotonic() + _ANSWER_ALLOWANCE_S
        while time.monotonic() < until and still_wanted():
            try:
                pipe = os.open(self._answer, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:  # ENXIO: the script does not read yet
                    return False
                time.sleep(0.01)
                continue
            try:
                os.write(pipe, f"{text}\n".encode())
            except OSError:
                return False
            finally:
                os.close(pipe)
            return True
        return False

    def close(self) -> None:
        if self._questions >= 0:
            os.close(self._questions)
            self._questions = -1
