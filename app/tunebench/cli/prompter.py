"""Asks at a terminal: yes or no, and what a connection asks; without one, only what the command line said counts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tunebench.cli.console import Console
from tunebench.domain.connection import HostKeyQuestion, PromptsQuestion, SecretQuestion


def is_attended() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def says_yes(console: Console, key: str) -> bool:
    """Asks the question of that key; all but a clear yes is a no."""
    return console.ask(console.text(key)).strip().lower() in console.text("cli.asker.yes_words").split()


class TerminalPrompter:
    """Never echoes a secret and never takes one from the command line.

    Args:
        accepted: fingerprints (``SHA256:...``) that the user named as right, for unattended use.
    """

    def __init__(self, console: Console, accepted: Sequence[str] = ()) -> None:
        self._console = console
        self._accepted = frozenset(fingerprint.strip() for fingerprint in accepted)

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        key = question.key
        self._console.notice(
            f"cli.asker.host_key.{question.verdict}",
            host=question.hop or question.host,
            address=key.address,
            port=key.port,
            key_type=key.key_type,
            fingerprint=key.fingerprint,
            addresses=", ".join(question.addresses) or key.address,
        )
        for accepted in question.known:
            self._console.notice("cli.asker.known_key", key_type=accepted.key_type, fingerprint=accepted.fingerprint)
        if key.fingerprint in self._accepted:
            self._console.notice("cli.asker.host_key_named")
            return True
        if not is_attended():
            self._console.notice("cli.asker.host_key_hint", fingerprint=key.fingerprint)
            return False
        return says_yes(self._console, "cli.asker.host_key_ask")

    def secret(self, question: SecretQuestion) -> str | None:
        if not is_attended():
            return None
        if question.again:
            self._console.notice("cli.asker.again")
        return self._console.ask_hidden(self._console.text(f"cli.asker.{question.kind}", subject=question.subject))

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        if not is_attended():
            return None
        for line in (question.title, question.instructions):
            if line.strip():
                self._console.complain(line.rstrip())
        ask, ask_hidden = self._console.ask, self._console.ask_hidden
        return [ask(prompt.text) if prompt.echo else ask_hidden(prompt.text) for prompt in question.prompts]
