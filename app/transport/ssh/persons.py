"""Asking a person, with a deadline, and counting the time it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import TypeVar

from app.domain.connection import HostKeyQuestion, PromptsQuestion, SecretQuestion
from app.transport.ssh.link import Prompter

T = TypeVar("T")


class Persons:
    """An `Asker` that gives up; who answers too late has not answered."""

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
        answer: Future[T] = Future()
        self._asking_since = time.monotonic()
        threading.Thread(target=_settle, args=(answer, question), name="ssh-question", daemon=True).start()
        try:
            return answer.result(self._limit_s)
        except TooLate:
            return None
        finally:
            self._spent_s, self._asking_since = self.spent_s(), None


def _settle(answer: Future[T], question: Callable[[], T]) -> None:
    try:
        answer.set_result(question())
    except BaseException as failure:  # noqa: BLE001 - whatever went wrong belongs to the thread that asked
        answer.set_exception(failure)
