"""One authentication request and its answer, with a deadline that stands still while a person is asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import Any

from paramiko.auth_handler import AuthOnlyHandler
from paramiko.common import cMSG_USERAUTH_REQUEST
from paramiko.message import Message
from paramiko.ssh_exception import AuthenticationException


class Answer(Enum):
    ACCEPTED = "accepted"
    MORE = "more"  # accepted, and another method is wanted as well
    REFUSED = "refused"


class Patience:
    """How long the server may take in all; `pause` is the time spent on people so far, which does not count."""

    def __init__(self, allowance_s: float, pause: Callable[[], float]) -> None:
        self._pause, self._pause_before = pause, pause()
        self._until = time.monotonic() + allowance_s

    @property
    def left_s(self) -> float:
        return self._until + self._pause() - self._pause_before - time.monotonic()


class AuthenticationExchange(AuthOnlyHandler):  # type: ignore[misc]  # paramiko has no types
    """paramiko's own waits for its event after it has sent the request, and so may miss a quick answer; it also
    forgets which methods the server would take.

    Attributes:
        allowed: the methods that the server named in its last refusal.
        password_expired: the server took the password but wants another one first.
    """

    def __init__(self, transport: Any) -> None:
        super().__init__(transport)
        self.allowed: tuple[str, ...] = ()
        self.password_expired = False
        self.patience = Patience(0.0, lambda: 0.0)
        self._answer = Answer.REFUSED

    def send_auth_request(
        self, username: str, method: str, finish_message: Callable[[Message], None] | None = None
    ) -> Answer:
        """Raises:
        TimeoutError: no answer in time.
        AuthenticationException: the connection ended instead.
        """
        message = Message()
        message.add_byte(cMSG_USERAUTH_REQUEST)
        message.add_string(username)
        message.add_string("ssh-connection")
        message.add_string(method)
        if finish_message is not None:
            finish_message(message)
        self.auth_method, self.username = method, username
        self.auth_event = event = threading.Event()
        with self.transport.lock:
            self.transport._send_message(message)  # noqa: SLF001 - as paramiko's own handler does
        self._await(event)
        return Answer.ACCEPTED if self.is_authenticated() else self._answer

    def _await(self, event: threading.Event) -> None:
        while not event.wait(min(0.1, max(self.patience.left_s, 0.001))):
            if self.transport.gone.is_set():
                break
            if self.patience.left_s <= 0:
                raise TimeoutError
        if not self.is_authenticated() and not self.transport.active:
            raise AuthenticationException("the connection ended")

    def _parse_userauth_failure(self, m: Message) -> None:
        self.allowed = tuple(m.get_list())
        self._answer = Answer.MORE if m.get_boolean() else Answer.REFUSED
        self.authenticated = False
        if self.auth_event is not None:
            self.auth_event.set()

    def _parse_userauth_info_request(self, m: Message) -> None:
        # The same number means "change the password" as an answer to one (RFC 4252, section 8).
        self.password_expired = self.auth_method == "password"
        super()._parse_userauth_info_request(m)
