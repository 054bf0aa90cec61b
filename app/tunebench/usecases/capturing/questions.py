"""Questions that a connection has for a person: is this the host's key, what is the password.

A connection asks on its own thread and waits there; whoever sits at the window (or the terminal) looks at
`QuestionBoard.pending` and answers. An answer that never comes is a "no", after the deadline.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from tunebench.core.records import record
from tunebench.domain.connection import HostKeyQuestion, PromptsQuestion, SecretQuestion

Question = HostKeyQuestion | SecretQuestion | PromptsQuestion


@record(frozen=False)
class PendingQuestion:
    """One question that waits; `id` is for `QuestionBoard.answer`."""

    id: int
    question: Question
    answered: threading.Event = field(default_factory=threading.Event, repr=False)
    given: Any = field(default=None, repr=False)  # may be a secret


class QuestionBoard:
    """Follows `tunebench.transport.ssh.link.Prompter`; may be used from any thread."""

    def __init__(self, deadline_s: float = 180.0) -> None:
        self._deadline_s = deadline_s
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, PendingQuestion] = {}
        self._closed = False

    # the connection's side

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        return self._ask(question) is True

    def secret(self, question: SecretQuestion) -> str | None:
        answer = self._ask(question)
        return answer if isinstance(answer, str) else None

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        answer = self._ask(question)
        return answer if isinstance(answer, list | tuple) else None

    def _ask(self, question: Question) -> Any:
        with self._lock:
            if self._closed:
                return None
            pending = PendingQuestion(next(self._ids), question)
            self._waiting[pending.id] = pending
        pending.answered.wait(self._deadline_s)
        with self._lock:
            self._waiting.pop(pending.id, None)
        return pending.given

    # the person's side

    def pending(self) -> tuple[PendingQuestion, ...]:
        """What waits for an answer, oldest first."""
        with self._lock:
            return tuple(self._waiting.values())

    def answer(self, question_id: int, answer: bool | str | Sequence[str]) -> None:
        """True for a host key, the secret, or one text per prompt; late answers are dropped."""
        self._settle(question_id, answer)

    def decline(self, question_id: int) -> None:
        self._settle(question_id, None)

    def close(self) -> None:
        """Declines everything, now and from now on."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting)
        for question_id in waiting:
            self.decline(question_id)

    def _settle(self, question_id: int, answer: Any) -> None:
        with self._lock:
            pending = self._waiting.get(question_id)
        if pending is not None:
            pending.given = answer
            pending.answered.set()
