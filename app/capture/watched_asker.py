"""Passes a link's questions on to the person, and shows meanwhile that the host waits for an answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from app.domain.capturing.run import HostState
from app.domain.connection import HostKeyQuestion, PromptsQuestion, SecretQuestion
from app.transport.ssh.link import Asker

T = TypeVar("T")


class WatchedAsker:
    """One connection being opened.

    Args:
        show: is told what the host waits for.
        slot: the connection's place among those being opened; given back while a person thinks.
        given_up: nobody wants the connection any more; every question is answered with no.
    """

    def __init__(
        self, asker: Asker, show: Callable[[HostState], None], slot: threading.Semaphore, given_up: Callable[[], bool]
    ) -> None:
        self._asker = asker
        self._show = show
        self._slot = slot
        self._given_up = given_up

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        accepted = self._asked(HostState.HOST_KEY, lambda: self._asker.accepts_host_key(question))
        self._show(HostState.AUTHENTICATING)
        return bool(accepted)

    def secret(self, question: SecretQuestion) -> str | None:
        return self._asked(HostState.AUTHENTICATING, lambda: self._asker.secret(question))

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return self._asked(HostState.AUTHENTICATING, lambda: self._asker.answers(question))

    def _asked(self, state: HostState, ask: Callable[[], T]) -> T | None:
        if self._given_up():
            return None
        self._show(state)
        self._slot.release()
        try:
            return ask()
        finally:
            self._slot.acquire()
