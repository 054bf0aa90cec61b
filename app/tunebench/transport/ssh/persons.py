"""Asking a person, with a deadline, and counting the time it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from tunebench.domain.connection import HostKeyQuestion, PromptsQuestion, SecretQuestion
from tunebench.transport.ssh.deadline import within
from tunebench.transport.ssh.link import Prompter

T = TypeVar("T")


class Persons:
    """A `Prompter` that gives up; who answers too late has not answered."""

    def __init__(self, prompter: Prompter, limit_s: float) -> None:
        self._prompter, self._limit_s = prompter, limit_s
        self._spent_s = 0.0
        self._asking_since: float | None = None

    def spent_s(self) -> float:
        """Seconds spent so far, a question that is open now included."""
        since = self._asking_since
        return self._spent_s + (time.monotonic() - since if since is not None else 0.0)

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        return bool(self._ask(lambda: self._prompter.accepts_host_key(question)))

    def secret(self, question: SecretQuestion) -> str | None:
        return self._ask(lambda: self._prompter.secret(question))

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return self._ask(lambda: self._prompter.answers(question))

    def _ask(self, question: Callable[[], T]) -> T | None:
        self._asking_since = time.monotonic()
        try:
            return within(self._limit_s, "ssh-question", question)
        except TimeoutError:
            return None
        finally:
            self._spent_s, self._asking_since = self.spent_s(), None
