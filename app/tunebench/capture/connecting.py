"""Opens the connections to one host, each when its turn has come, and puts down what was negotiated."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TypeVar

from tunebench.capture.connection_trail import put_down_connection
from tunebench.capture.context import SessionContext
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.domain.capturing.run import HostState
from tunebench.domain.connection import HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from tunebench.transport.ssh.link import Link, LinkError, LinkWatcher, LossCause, Prompter
from tunebench.transport.ssh.resolve import resolve

Heard = Callable[[int, LossCause, str], None]
"""Hears that a connection is gone: the number of the attempt it belongs to, cause, detail."""


class Connecting:
    """Belongs to the host's thread; `round_trip_s` may be read from any.

    Attributes:
        attempt: grows with every attempt; what is heard of an earlier one is old.
    """

    def __init__(
        self,
        context: SessionContext,
        host: PlannedHost,
        profile: HostProfile,
        folder: str,
        show: Callable[[HostState], None],
        given_up: Callable[[], bool],
        heard: Heard,
    ) -> None:
        self.attempt = 0
        self.round_trip_s: float | None = None
        self._context = context
        self._host = host
        self._profile = profile
        self._folder = folder
        self._show = show
        self._given_up = given_up
        self.heard = heard

    def open(self) -> Link:
        """One more connection.

        Raises:
            LinkError: whatever it failed of; ``auth_cancelled`` where nobody wants it any more.
        """
        context = self._context
        while not context.slots.acquire(timeout=1.0):
            if self._given_up():
                raise LinkError("auth_cancelled")
        try:
            prompter = WatchedPrompter(context.prompter, self._show, context.slots, self._given_up)
            resolved = resolve(self._profile, context.profiles)
            connector = context.connector(self._profile)
            link = connector.connect(resolved, prompter, _Watcher(self, self.attempt), context.settings.link)
        finally:
            context.slots.release()
        put_down_connection(self._context.audit, self._host.name, self._host, link.facts)
        self._context.spool.event(self._folder, "connected", asdict(link.facts))
        return link


class _Watcher(LinkWatcher):
    def __init__(self, connecting: Connecting, attempt: int) -> None:
        self._connecting = connecting
        self._attempt = attempt

    def link_lost(self, cause: LossCause, detail: str) -> None:
        self._connecting.heard(self._attempt, cause, detail)

    def probe_answered(self, round_trip_s: float) -> None:
        self._connecting.round_trip_s = round_trip_s


T = TypeVar("T")


class WatchedPrompter:
    """One connection being opened.

    Args:
        show: is told what the host waits for.
        slot: the connection's place among those being opened; given back while a person thinks.
        given_up: nobody wants the connection any more; every question is answered with no.
    """

    def __init__(
        self,
        prompter: Prompter,
        show: Callable[[HostState], None],
        slot: threading.Semaphore,
        given_up: Callable[[], bool],
    ) -> None:
        self._prompter = prompter
        self._show = show
        self._slot = slot
        self._given_up = given_up

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        accepted = self._asked(HostState.HOST_KEY, lambda: self._prompter.accepts_host_key(question))
        self._show(HostState.AUTHENTICATING)
        return bool(accepted)

    def secret(self, question: SecretQuestion) -> str | None:
        return self._asked(HostState.AUTHENTICATING, lambda: self._prompter.secret(question))

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return self._asked(HostState.AUTHENTICATING, lambda: self._prompter.answers(question))

    def _asked(self, state: HostState, ask: Callable[[], T]) -> T | None:
        if self._given_up():
            return None
        self._show(state)
        self._slot.release()
        try:
            return ask()
        finally:
            self._slot.acquire()
